r"""A start with $W_{12}\ne0$: near the family the loss is a quadratic form, a saddle at first and a bowl in the end.

Setting    As in dynamics: Gaussian tokens, orthonormal encodings redrawn with
           $\mathbb{E}e_ie_j^\top=\frac1{d_e}\mathbf1[i=j]I$, the query their sum on $y$; the attention $a$ puts $p$ on
           $y$ evenly and $\epsilon=1-p$ off it.  $V=[\alpha I\ V_2]$, $W_{12}$ small; $A=\sum a_i^2$, $A_3=\sum a_i^3$,
           $S=\sum a_i(A-a_i)(\alpha a_i-\tau_i)$.
Statement  To second order the loss gains $\frac1{d_e}\bigl(A\|V_2\|^2+2b\operatorname{tr}V_2W_{12}^\top+qw\|W_{12}\|^2
           \bigr)$, $b=\alpha(1-A)p+p\bigl(\frac{(1+\alpha)p-1}q-\alpha A\bigr)$,
           $w=\alpha^2[(1-A)^2+(d+1)(A+A^2-2A_3)]+2\alpha(d+2)S$.  Where training starts ($\alpha=0$, $p=\frac qT$)
           $qwA-b^2=-\frac1{T^2}(1-\frac qT)^2<0$: a start with $W_{12}\ne0$ moves away from the family.  Where it ends
           ($\alpha=p=1$) it is $\frac{(q-1)(d+1)}{q^2}$: for $q\ge2$ what is left of $W_{12}$ and $V_2$ decays.
Witness    Random integer $V_2$, $W_{12}$ whose product has a trace; signed cyclic shifts of a basis as encodings.
Measured   The terms of second order of softmax and output, squared and averaged by Wick's theorem, rational.
Control    Tokens of signs; the product of both blocks left out; $d+4$ for $d+2$.
Reads      Derived here.  From zero the flow stays on the family (reduction_blocks); from elsewhere it starts to leave
           it, and no sign is claimed between start and end.  The flow of $(V_2,W_{12})$ has the matrix
           $-\frac2{d_e}\binom{A\ \ b}{b\ qw}$.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.gaussian_moments import gaussian_moment

from ..notation import A_2, V_W, T, alpha, bend, cross, d, d_e, mass, pull, q, size_V, size_W
from ._second_variation import second_variation

gain = Quantity("second order", r"\tfrac12\partial_s^2L|_{s=0}", "of the loss, in both blocks")
sign = Quantity("determinant", r"qwA-b^2", "of that form; negative at a saddle")


def construct(p) -> tuple[np.ndarray, np.ndarray]:
    rng = p.rng("blocks")
    while True:
        V, W = (rng.integers(-3, 4, (p.d, p.d_e)).astype(object) for _ in range(2))
        if (V * W).sum():  # else nothing is seen of their product
            return V, W


def derive(blocks, p):
    (V, W), on, alpha, d = blocks, Fraction(p.mass), Fraction(p.alpha), p.d
    a = [on / p.q] * p.q + [(1 - on) / (p.T - p.q)] * (p.T - p.q)
    A, A_3 = sum(x**2 for x in a), sum(x**3 for x in a)
    S = sum(x * (A - x) * (alpha * x - Fraction(i < p.q, p.q)) for i, x in enumerate(a))
    return {A_2: A, pull: S, cross: alpha * (1 - A) * on + on * (((1 + alpha) * on - 1) / p.q - alpha * A),
            bend: alpha**2 * ((1 - A) ** 2 + (d + 1) * (A + A**2 - 2 * A_3)) + 2 * alpha * (d + 2) * S,
            size_V: (V * V).sum(), size_W: (W * W).sum(), V_W: (V * W).sum()}


def measure(blocks, p, moments=gaussian_moment):
    return {gain: second_variation(p.T, p.q, *blocks, alpha=p.alpha, mass=p.mass, moments=moments)}


form = (A_2 * size_V + 2 * cross * V_W + q * bend * size_W) / d_e
claim = Claim(
    "Reduction, off the family",
    role="variant", source="derived here: reduction by symmetry",
    scope={"every T, q, d, d_e, alpha, mass": "points", "every block off the family": "drawn"},
    asserts=gain.equals(form), derive=derive, measure=measure,
    derived=[A_2, pull, cross, bend, size_V, size_W, V_W], requires=[q < T, d_e >= T, mass <= 1], construct=construct,
    grid=points("T q d d_e alpha mass", (2, 1, 1, 2, "3/2", "3/4"), (2, 1, 2, 2, 1, "1/2"), (3, 2, 1, 3, "5/4", "4/5"),
                (3, 1, 1, 3, "-1/2", "1/4"), (3, 2, 1, 3, 0, "2/3")),
    controls=[
        Control("tokens of signs", breaks=gain, where=(alpha > 0) & (mass < 1),
                measure=lambda blocks, p: measure(blocks, p, lambda r: 1 - r % 2)),
        Control("the product of both blocks left out", breaks=gain, where=alpha > 1,
                asserts=[gain.equals(form - 2 * cross * V_W / d_e)]),
        Control("d + 4 for d + 2", breaks=gain, where=alpha > 1,
                asserts=[gain.equals(form + 4 * q * alpha * pull * size_W / d_e)]),
    ],
)


def determinant(place, p, scale=None, on=None):
    scale, on = (place[0] if scale is None else scale), (place[1] if on is None else on)
    none, unit = np.zeros((p.d, p.d_e), dtype=object), np.eye(p.d, p.d_e, dtype=int).astype(object)
    V, W, both = (second_variation(p.T, p.q, *pair, alpha=scale, mass=on) * p.d_e / p.d
                  for pair in ((unit, none), (none, unit), (unit, unit)))
    return {sign: V * W - ((both - V - W) / 2) ** 2}


def ended(place, p):
    return determinant(place, p, 1, 1)


saddle, bowl = -((1 - q / T) ** 2) / T**2, (q - 1) * (d + 1) / q**2
start = replace(
    claim, label="Reduction, off the family at the start",
    role="variant", source="derived here: reduction by symmetry", scope={"every T, q, d, d_e, alpha, mass": "points"},
    asserts=[sign.equals(saddle), sign <= 0], derive=None,
    derived=[], construct=lambda p: (p.alpha, p.mass), measure=determinant,
    requires=[Eq(alpha, 0), Eq(mass * T, q), q < T, d_e >= T, d <= d_e],
    grid=points("T q d d_e alpha mass", (2, 1, 1, 2, 0, "1/2"), (3, 2, 1, 3, 0, "2/3"), (3, 1, 2, 3, 0, "1/3")),
    controls=[Control("at the end", breaks=sign, where=q >= 2, measure=ended),
              Control("the family attracts from the start", breaks=sign, asserts=[sign >= 0])],
)
end = replace(
    start, label="Reduction, off the family at the end",
    role="variant", source="derived here: reduction by symmetry", scope={"every T, q, d, d_e, alpha, mass": "points"},
    asserts=[sign.equals(bowl), sign >= 0],
    requires=[Eq(alpha, 1), Eq(mass, 1), q < T, d_e >= T, d <= d_e],
    grid=points("T q d d_e alpha mass", (3, 2, 1, 3, 1, 1), (3, 2, 2, 3, 1, 1), (4, 3, 1, 4, 1, 1), (2, 1, 1, 2, 1, 1)),
    controls=[Control("at the start", breaks=[sign.equals(bowl), sign >= 0], measure=lambda place, p: determinant(
        place, p, 0, Fraction(p.q, p.T)))],
)
