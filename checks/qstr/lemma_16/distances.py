r"""A covering in the root mean square over the sample is not always one in the largest distance, and need not be one.

Setting    Parameter differences $\Delta=\Theta-\Theta'$, tokens $z_1,\dots,z_n$ in the sample.
Statement  Read for the largest distance: $\max_j\|\Delta^\top z_j\|^2\le\operatorname{mean}_j\|\Delta^\top z_j\|^2$, as
           if a covering in the Frobenius norm over the data matrix were one for every token.
Adversary  $z_j=r_ze_j$ and a difference with a single row, which only one of the tokens sees.
Measured   The largest and the mean squared distance, rational; the mean squared distance of the outputs, enclosed.
Control    Repairs: a factor $n$; the same root mean square for the outputs, $r_z^2$ times that of the parameters.
Reads      The lemma cited in the source bounds, as we read it, the Frobenius norm over the whole data matrix. Every
           step of Lemmas 13-15 holds token by token, and the Rademacher bound needs only the root mean square; so the
           result is not affected. This is a remark on the transfer, not on the result.
"""

from fractions import Fraction

from sympy import Eq, Rational, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import total
from theorytools.theory.capacity.perturbation.attention import AttentionPair

from ..notation import mean_2, n, r_z, trial

largest = Quantity("largest squared distance", r"\max_j\|\Delta^\top z_j\|^2", "over the sample", (0, None))
outputs = Quantity("mean squared distance of the outputs", r"\overline{\|h_j-h_j'\|^2}", "over the sample", (0, None))


def construct(p) -> AttentionPair:
    if p.trial:
        return AttentionPair.random(p.rng("tokens and matrices"), p.n, 3, 2, p.r)
    unit = [[Fraction(int(i == j)) for i in range(p.n)] for j in range(p.n)]
    zero = [[Fraction(0)] * p.n] * p.n
    return AttentionPair([[p.r * x for x in row] for row in unit], [[unit[-1], *zero[1:]]], [zero])


def measure(pair, p):
    return {largest: max(pair.query_gap2(j) for j in pair.positions),
            outputs: lambda: total(pair.gap(j) ** 2 for j in pair.positions) / p.n}


def derive(pair, p):
    return {mean_2: sum(pair.query_gap2(j) for j in pair.positions) / p.n, r_z: sqrt(Rational(pair.r_z2))}


claim = Claim(
    "Lemma 16, root mean square read as the largest distance",
    role="pitfall", source="derived here: Lemma 16", scope={"every sample": "points"},
    expect="REFUTED", asserts=largest <= mean_2,
    derive=derive, derived=[mean_2, r_z],
    grid=points("n r trial", (4, 1, 0), (9, 2, 0), (12, 1, 0), (6, 1, 1), (6, "1/2", 2)),
    construct=construct, measure=measure, controls=[
        Control("a factor n", asserts=[largest <= n * mean_2]),
        Control("any smaller factor", asserts=[largest <= (n - 1) * mean_2], breaks=largest, where=Eq(trial, 0)),
        Control("the outputs in the root mean square", asserts=[outputs <= r_z**4 * mean_2]),
    ],
)
