r"""With fixed encodings more training makes the loss at a new length rise in the end for $q\ge2$, and fall for $q=1$.

Setting    As in ood_fixed, $N=T'-T\ge1$, $\alpha=\alpha^*$ of the training length; $w=e^{\beta/T}$ rises in training.
Statement  $L_{T'}=\lim+c\,w^{-j}+O(w^{-j-1})$. For $2\le q\le T-2$: $j=T-q+1$ and
           $c=-\frac{2d}{q(q-1)}(1+\frac N{q-1})\Pr(k=q-1)<0$. For $2\le q=T-1$: $j=2$, and $c$ has the further term
           $\Pr(k=q)\,d(\frac{N^2}{q^3}+\frac N{q^2})$, still $c<0$. For $q=1$: $j=2(T-1)$, $c=d\frac T{T'}N(N+1)>0$.
Witness    The closed form of ood_fixed.
Measured   $j$ and $c$ by exact power series in $1/w$.
Control    The other case of $q$; the new tokens left out of the softmax; one more in the exponent.
Reads      Derived here. Before the end it may fall: at $T=20$, $q=3$, $T'=30$ from $w=\frac{11}{10}$ to $\frac76$. With
           the case $q=T-1$. That $w$ rises is the flow's: $\dot\beta>0$.
"""

from dataclasses import replace

from sympy import Eq, binomial

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.stsq.selection.length_generalisation import SeenPositions

from ..notation import T_1, T, d, q

power = Quantity("order of the approach", "j", "power of 1/w", (1, None))
slope = Quantity("coefficient", "c", "of that power")
N, chance = T_1 - T, binomial(T, q) / binomial(T_1, q)  # the chance that all selected tokens were seen
below = -2 * d / (q * (q - 1)) * (1 + N / (q - 1)) * binomial(T, q - 1) * N / binomial(T_1, q)
above = d * T / T_1 * N * (N + 1)
falls, rises = slope >= 0, slope <= 0


def construct(p, chosen=None) -> SeenPositions:
    return SeenPositions(p.T, p.T_1, p.q if chosen is None else chosen, p.d)


def measure(model, p):
    return dict(zip((power, slope), model.approach(), strict=True))


claim = Claim(
    "Length generalisation, fixed encodings, two or more tokens",
    role="growth", source="derived here: length generalisation with fixed encodings",
    scope={"every q, d": "points", "every T and new length T_1": "points", "every late time": "closed form"},
    requires=[q >= 2, q + 2 <= T, T < T_1],
    asserts=[power.equals(T - q + 1), slope.equals(below), rises], construct=construct, measure=measure,
    grid=points("T T_1 q d", (4, 6, 2, 1), (5, 6, 3, 2), (6, 12, 4, 1), (20, 30, 3, 5), (20, 40, 3, 5),
                (20, 400, 3, 5)),
    controls=[
        Control("one selected token", breaks=[power, slope], construct=lambda p: construct(p, 1)),
        Control("new tokens left out of the softmax", breaks=slope,
                asserts=[slope.equals(below * (q - 1) / (q - 1 + N))]),
        Control("one more in the exponent", breaks=power, asserts=[power.equals(T - q + 2)]),
    ],
)
close = replace(
    claim, label="Length generalisation, fixed encodings, all but one token",
    role="growth", source="derived here: length generalisation with fixed encodings",
    scope={"every q, d": "points", "every T and new length T_1": "points", "every late time": "closed form"},
    requires=[q >= 2, Eq(T, q + 1), T < T_1],
    asserts=[power.equals(2), slope.equals(below + chance * d * (N**2 / q**3 + N / q**2)), rises],
    grid=points("T T_1 q d", (3, 4, 2, 1), (3, 9, 2, 1), (5, 7, 4, 2), (5, 256, 4, 2)),
    controls=[
        Control("without the further term", breaks=slope, asserts=[slope.equals(below)]),
        Control("one selected token", breaks=[power, slope], construct=lambda p: construct(p, 1)),
    ],
)
one = replace(
    claim, label="Length generalisation, fixed encodings, one token",
    role="growth", source="derived here: length generalisation with fixed encodings",
    scope={"every q, d": "points", "every T and new length T_1": "points", "every late time": "closed form"},
    requires=[Eq(q, 1), T >= 2, T < T_1],
    asserts=[power.equals(2 * T - 2), slope.equals(above), falls],
    grid=points("T T_1 q d", (2, 4, 1, 1), (4, 6, 1, 2), (20, 40, 1, 5), (3, 4, 1, 1), (20, 400, 1, 2)),
    controls=[Control("two selected tokens", breaks=[power, slope], where=T >= 4, construct=lambda p: construct(p, 2)),
              Control("rising in the end", breaks=slope, asserts=[rises]),
              Control("new tokens counted once", breaks=slope, asserts=[slope.equals(d * T / T_1 * N)])],
)
