r"""Question (g): one head whose attention sees positions only knows nothing of the selected tokens' variance.

Setting    As in loss with $d=1$ and a constant $b$ added to the output: $f=\alpha\sum_ia_ix_i+b$, orthonormal
           encodings, $A=\sum_ia_i^2$. Target: the variance of the selected tokens, $v=\frac1q\sum_y(x_i-\bar x)^2$.
Statement  $\mathbb{E}(f-v)^2=\frac{2(q-1)}{q^2}+(b-\frac{q-1}q)^2+\alpha^2A$: never less than the constant
           $\frac{q-1}q$ loses.
Witness    SparseSelector at rational $e^\beta$; its output is linear in the tokens, the target is a polynomial.
Measured   The expected square by Wick's theorem, monomial by monomial, rational.
Control    Skewed tokens, for which variance and mean are correlated; the mean not subtracted; half the constant.
Reads      Our question, and derived here: $f$ is linear given $y$, so it sees only a target's linear Hermite part. With
           $d$ coordinates the losses add. Third moments: question_g_third. Scores that read the tokens:
           question_g_heads. Moments above the third and networks after the head are not covered.
"""

from fractions import Fraction
from math import prod

from sympy import Eq, Rational, log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.encodings import orthonormal_encodings
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.theory.gaussian_moments import gaussian_moment
from theorytools.theory.gaussian_polynomials import GaussianPolynomial

from ..notation import A_2, B_y, T, alpha, beta, offset, q, u

loss = Quantity("loss", r"\mathbb{E}(f-v)^2", "of one head and a constant, on this target", (0, None))
SKEWED = [sum(chance * value**r for chance, value in ((Fraction(1, 5), Fraction(2)), (Fraction(4, 5), Fraction(-1, 2))))
          for r in range(9)]  # mean 0, variance 1


def construct(p) -> SparseSelector:
    return SparseSelector(orthonormal_encodings(p.T), log(Rational(p.u)), p.q, 1, alpha=p.alpha)


def target(q, name):
    x = [GaussianPolynomial.variable(i) for i in range(q)]
    mean = GaussianPolynomial.linear(dict.fromkeys(range(q), Fraction(1, q)))
    parts = x if name in ("second", "third") else [z - mean for z in x]
    powers = [z * z if name in ("second", "variance") else z * z * z for z in parts]
    return Fraction(1, q) * sum(powers, GaussianPolynomial({}))


def weights(net):
    return [a.fraction() for a in net.attention(tuple(range(net.q)))]


def measure(net, p, moments=None, name=""):
    known = moments or [gaussian_moment(r) for r in range(9)]
    f = GaussianPolynomial.linear(dict(enumerate(Fraction(p.alpha) * a for a in weights(net)))) + Fraction(p.offset)
    gap = f - target(p.q, name or p.target)
    return {loss: sum(c * prod(known[r] for _, r in monomial) for monomial, c in (gap * gap).terms.items())}


def derive(net, p):
    a = weights(net)
    return {A_2: sum(x * x for x in a), B_y: sum(a[: p.q])}


least = 2 * (q - 1) / q**2
claim = Claim(
    "Question (g), variance",
    role="variant", source="derived here: question (g)",
    scope={"every T and q": "points", "every head target, u, alpha, offset of the family": "points"},
    requires=[q < T], lets={beta: log(u)}, derive=derive, derived=[A_2, B_y],
    asserts=[loss.equals(least + (offset - (q - 1) / q) ** 2 + alpha**2 * A_2), loss >= least],
    grid=points("target T q u alpha offset", ("variance", 5, 2, 3, 0, "1/2"), ("variance", 4, 2, 1000, "3/4", "1/2"),
                ("variance", 6, 3, "7/2", 2, 1), ("variance", 5, 4, 10, -1, "3/4"), ("variance", 4, 1, 9, 1, 0)),
    construct=construct, measure=measure, controls=[
        Control("skewed tokens", breaks=loss, where=Eq(q, 2) & (alpha > 0),
                measure=lambda net, p: measure(net, p, SKEWED)),
        Control("the mean not subtracted", breaks=loss, measure=lambda net, p: measure(net, p, name="second"),
                asserts=[loss.equals(least + (offset - (q - 1) / q) ** 2 + alpha**2 * A_2)]),
        Control("half the constant", breaks=loss, where=q >= 2, asserts=[
            loss.equals(least / 2 + (offset - (q - 1) / q) ** 2 + alpha**2 * A_2)]),
    ],
)
