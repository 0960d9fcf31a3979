r"""The squared norm of a Gaussian vector has variance $2k$, and $2(k-\operatorname{rk}V)$ once $Vx$ is known.

Setting    $x\sim N(0,I_k)$ and linear functionals $Vx$, dependent or not; $\Pi$ projects on the row space of $V$.
Statement  $\operatorname{Var}(\|x\|^2\mid Vx)=2(k-\operatorname{rk}V)$ and
           $E(\|x\|^2\mid Vx)=\|\Pi x\|^2+k-\operatorname{rk}V$; without $V$: $\operatorname{Var}\|x\|^2=2k$.
Proof      $\Pi x$ and $x-\Pi x$ are independent, $\|x\|^2$ is the sum of their squares, and $Vx$ fixes $\Pi x$ and
           nothing of $x-\Pi x$, which is standard Gaussian on $k-\operatorname{rk}V$ dimensions: its square has mean
           $k-\operatorname{rk}V$ and variance $2(k-\operatorname{rk}V)$.
Adversary  ConditionedGaussian: random integer $V$ with dependent rows, a random integer point $x$.
Measured   Mean and variance given $Vx$ by Wick's rule, from the rational conditional mean and covariance; the rank by
           elimination.
Control    Variance $k$; the number of rows in place of the rank; a rank off by one; $Vx$ known up to noise; signs in
           place of Gaussians.
Reads      The general form, as the proof of Proposition 3 uses it.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.gaussians.conditioned import ConditionedGaussian

from .notation import k, rank_V, rows_V, seen

variance = Quantity("variance", r"\operatorname{Var}(\|x\|^2\mid Vx)", "conditional, of the squared norm", (0, None))
mean = Quantity("mean", r"E(\|x\|^2\mid Vx)", "conditional, of the squared norm", (0, None))
left = k - rank_V


def construct(p) -> ConditionedGaussian:
    return ConditionedGaussian.random(p.rng("rows"), p.k, p.rows_V, max(1, p.k // 2))


def measure(law, p):
    return {variance: law.norm_variance(), mean: law.norm_mean()}


def signs(law, p):
    """The moments of independent signs given that nothing is known: every square is 1."""
    return {variance: 0, mean: p.k}


claim = Claim(
    "Lemma 40",
    role="statement", source="published: Lemma 40; prose",
    scope={"every rows_V": "proof", "every dimension k": "proof", "every set of functionals": "proof"},
    asserts=[variance.equals(2 * left), mean.equals(seen + left)], derived=[rank_V, seen],
    derive=lambda law, p: {rank_V: law.rank, seen: law.seen},
    grid=points("k rows_V", (1, 0), (4, 0), (8, 0), (1, 1), (4, 1), (5, 2), (6, 2), (7, 5), (8, 8), (16, 6)),
    construct=construct, measure=measure,
    controls=[
        Control("variance k of a chi-square", asserts=[variance.equals(left)], breaks=variance, where=rank_V < k),
        Control("rows in place of the rank", asserts=[variance.equals(2 * (k - rows_V))], breaks=variance,
                where=rows_V > rank_V),
        Control("rank off by one", asserts=[variance.equals(2 * (left + 1))], breaks=variance),
        Control("functionals known up to noise", breaks=[variance, mean], where=rank_V >= 1,
                construct=lambda p: replace(construct(p), noise=Fraction(1, 100))),
        Control("signs in place of Gaussians", asserts=[variance.equals(2 * left)], breaks=variance, measure=signs,
                where=Eq(rows_V, 0)),
    ],
)
