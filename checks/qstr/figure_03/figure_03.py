r"""How the samples change with the number of relevant tokens, and why this threshold asks for no retrieval.

Setting    Figure 3: link he2 with one direction $u$ for all slots, $N=7$, threshold 0.88, learning rate $10^{-4}$;
           distinct uniform indices, $q=1,\dots,4$; $g(x)=\mathrm{He}_2(\langle u,x\rangle)$.
Statement  In the recorded runs the networks' exponent in $q$ is negative: more tokens need fewer samples. `threshold`:
           the predictor that averages over all tokens, $\sqrt q\,\frac1N\sum_jg(x_j)$, has the risk $1-\frac qN$
           ($N\le8$), below 0.88 for every $q\ge1$.
Witness    Three trained networks for each architecture and $q$; the averaging predictor.
Measured   Exponents by least squares with 95 % t-intervals from the repeats; the averaging risk exactly, by
           enumeration of all index tuples.
Control    The numbers of tokens in reverse; the averaging predictor of one token; a length at which the threshold does
           ask for retrieval.
Reads      The print has a unit $u_i$ for each slot. There $\frac c{qN}\sum_{i,j}\mathrm{He}_2(\langle u_i,x_j\rangle)$,
           $c=\sqrt q$, has at most the risk $1-\frac1N=\frac67$, by $s=\sum_{ik}\langle u_i,u_k\rangle^2\ge q$.
           The numbers of this figure were not available to us. That reaching the threshold shows no retrieval is a fact
           about the threshold; the rule of the sweep leaves the sign of the exponent open.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.slopes import mean_slope
from theorytools.training.record import SweepRecord, recorded

from ..notation import N, q

exponent = Quantity("exponent", "b", "of the samples in the number of relevant tokens")
risk = Quantity("risk of averaging", r"R_{\mathrm{avg}}", "of the best multiple of the mean over all tokens", (0, None))


def construct(p) -> SweepRecord:
    return recorded(__file__, "figure_03")


def measure(record, p, backward=False):
    rows = record.repeats(p.architecture)
    if backward:
        rows = replace(rows, low=rows.low[::-1], high=rows.high[::-1])
    fit = mean_slope(rows, noise="repeats")
    return {exponent: fitted(fit.low, fit.high, level=fit.level, window=list(fit.window))}


def averaging(N, q, weight=None):
    """E(y - c/N sum_j g_j)^2 over all tuples, g_j independent of variance 1; y = q^(-1/2) sum of the chosen g's."""
    weight = Fraction(q) if weight is None else Fraction(weight)  # c = weight / sqrt(q)
    risks = []
    for chosen in permutations(range(N), q):
        inside = sum((1 - weight / N) ** 2 for j in chosen) / q
        risks.append(inside + Fraction(N - q) * (weight / N) ** 2 / q)
    return sum(risks) / len(risks)


claim = Claim(
    "Figure 3",
    role="statement", source="published: Figure 3, section 4; prose",
    scope={"every architecture": "points", "every q": "points", "every repeat": "recorded"},
    asserts=[exponent <= 0], construct=construct, measure=measure,
    grid=points("architecture", ("transformer",), ("ffn",)),
    controls=[Control("numbers of tokens in reverse", breaks=exponent,
                      measure=lambda record, p: measure(record, p, backward=True))],
)
exact, enough = risk.equals(1 - q / N), risk <= Rational(22, 25)
threshold = Claim(
    "Figure 3, what its threshold asks for",
    role="variant", source="derived here: Figure 3", scope={"every N, q": "points", "every index tuple": "enumeration"},
    asserts=[exact, enough], construct=lambda p: p,
    measure=lambda _, p: {risk: averaging(p.N, p.q)}, requires=[q >= 1, q <= N, N <= 8],
    grid=points("N q", (7, 1), (7, 2), (7, 3), (7, 4), (8, 1)),
    controls=[
        Control("the weight of one token", breaks=[exact], where=q >= 2,
                measure=lambda _, p: {risk: averaging(p.N, p.q, 1)}),
        Control("a prompt three times as long", breaks=[exact, enough], where=q <= 2,
                measure=lambda _, p: {risk: averaging(3 * p.N, p.q)}),
    ],
)
