r"""A covering in the root mean square over the sample is one in the largest distance up to a factor, and no less.

Setting    Parameter differences $\Delta=\Theta-\Theta'$, tokens $z_1,\dots,z_n$ in the sample.
Statement  $\max_j\|\Delta^\top z_j\|^2\le n\operatorname{mean}_j\|\Delta^\top z_j\|^2$, and no smaller factor will do;
           the outputs keep the root mean square, with $r_z^2$.
Proof      A largest term is at most the sum, $n$ times the mean; the outputs move token by token by at most
           $r_z^2\|\Delta^\top z_j\|$ (lemma_15).
Adversary  $z_j=r_ze_j$ and a difference with a single row, which only one of the tokens sees: equality.
Measured   The largest and the mean squared distance, rational; the mean squared distance of the outputs, enclosed.
Control    The mean square read for the largest; any factor below $n$; a thousandth of the bound on the outputs; tokens
           a tenth longer.
Reads      The lemma cited in the source bounds, as we read it, the Frobenius norm over the whole data matrix. Every
           step of Lemmas 13-15 holds token by token, and the Rademacher bound needs only the root mean square; so the
           result is not affected.
"""

from fractions import Fraction

from sympy import Eq, Rational, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import total
from theorytools.theory.capacity.perturbation.attention import AttentionPair

from ..notation import mean_2, n, r_z, trial

largest = Quantity("largest squared distance", r"\max_j\|\Delta^\top z_j\|^2", "over the sample", (0, None))
outputs = Quantity("mean squared distance of the outputs", r"\overline{\|h_j-h_j'\|^2}", "over the sample", (0, None))


def construct(p, length=1) -> AttentionPair:
    if p.trial:
        return AttentionPair.random(p.rng("tokens and matrices"), p.n, 3, 2, p.r)
    unit = [[Fraction(int(i == j)) for i in range(p.n)] for j in range(p.n)]
    zero = [[Fraction(0)] * p.n] * p.n
    return AttentionPair([[length * p.r * x for x in row] for row in unit], [[unit[-1], *zero[1:]]], [zero])


def measure(pair, p):
    return {largest: max(pair.query_gap2(j) for j in pair.positions),
            outputs: lambda: total(pair.gap(j) ** 2 for j in pair.positions) / p.n}


def derive(pair, p):
    return {mean_2: sum(pair.query_gap2(j) for j in pair.positions) / p.n, r_z: sqrt(Rational(pair.r_z2))}


claim = Claim(
    "Lemma 16, from the root mean square to the largest distance",
    role="variant", source="derived here: Lemma 16",
    scope={"every n, r, trial": "proof", "every sample and pair of parameters": "proof"},
    asserts=[largest <= n * mean_2, outputs <= r_z**4 * mean_2],
    derive=derive, derived=[mean_2, r_z],
    grid=points("n r trial", (4, 1, 0), (9, 2, 0), (12, 1, 0), (20, 1, 0), (6, 1, 1), (6, "1/2", 2)),
    construct=construct, measure=measure, controls=[
        Control("the mean square for the largest", breaks=largest, asserts=[largest <= mean_2]),
        Control("tokens a tenth longer", breaks=largest, where=Eq(trial, 0), asserts=[largest <= n * mean_2],
                construct=lambda p: construct(p, Fraction(11, 10))),
        Control("any factor below n", breaks=largest, where=Eq(trial, 0), asserts=[largest <= (n - 1) * mean_2]),
        Control("a tenth of the outputs' bound", breaks=outputs, where=trial > 0,
                asserts=[outputs <= r_z**4 * mean_2 / 1000]),
    ],
)
