r"""Averaged over all sign encodings the gradient of the position block is a multiple of the identity: one number moves.

Setting    SPE: encodings drawn anew for every example, $e_i\in\{\pm d_e^{-1/2}\}^{d_e}$ uniform, query $e_y$ the sum of
           the selected ones or their min-norm dual (on the event that it exists), $V=[\alpha I\ 0]$,
           $W=\mathrm{diag}(0,\beta I)$.
Statement  $\nabla_{W_{22}}L=\frac1{d_e}\partial_\beta L\,I$, with $\partial_\beta L=d(\alpha^2A'-\frac{2\alpha}qB')$
           from the moments $A=\mathbb{E}\|a\|^2$, $B=\mathbb{E}a(y)$; so $\dot\beta=-\frac1{d_e}\partial_\beta L$.  At
           $\alpha=1$, $\beta=0$ with the sum: $\nabla_{W_{22}}L=-\frac{2d}{d_eT}(1-\frac qT)I$.
Proof      A signed permutation $Q$ of the coordinates keeps the law of the encodings and all scores and turns the
           gradient $G$ into $QGQ^\top$: averaged, $G$ commutes with all of them and is a multiple of $I$, and its trace
           is $\partial_\beta L$. $L=d(\alpha^2A-\frac{2\alpha}qB+\frac1q)$, of tokens with covariance $I$. At $\beta=0$
           $a$ is uniform, $\partial_\beta a_i=\frac1T(s_i-\bar s)$ of sum 0, so $A'=0$ and $B'=\frac qT(1-\frac qT)$,
           for scores have the mean 1 on $y$, 0 off it.
Witness    SignGradient: all $2^{Td_e}$ encodings and all subsets, rational because $e^{\beta/m}$ is.
Measured   Entries of the averaged gradient from the forces on the scores, exact; $\partial_\beta L$ by its own route.
Control    A preferred direction in all encodings; one encoding matrix for all examples; half the metric; the loss with
           a factor $\frac12$.
Reads      Derived here.  The tokens are averaged by hand (reduction_blocks has all blocks).  A preferred direction
           does not show at $\beta=0$ with the sum: the forces add to zero there; that control asks for $e^\beta\ne1$.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Ne

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.network import changed
from theorytools.papers.stsq.selection.gradient import SignGradient

from ..notation import T, d_e, dL_beta, q, v

off = Quantity("off the diagonal", r"\max_{r\ne s}|G_{rs}|", "largest entry of the averaged gradient off its diagonal")
low = Quantity("least on the diagonal", r"\min_rG_{rr}", "least diagonal entry of the averaged gradient")
high = Quantity("largest on the diagonal", r"\max_rG_{rr}", "largest diagonal entry of the averaged gradient")


def construct(p, **other) -> SignGradient:
    return SignGradient(p.T, p.q, p.d, p.d_e, alpha=Fraction(p.alpha), v=Fraction(p.v), query=p.query, **other)


def tilted(p):  # half a coordinate more, everywhere
    found = construct(p)
    return changed(found, words=2 * found.words + 1, grain=2)


def frozen(p):  # the first encoding against all others; where these need a regular Gram matrix, a staircase
    against = [[1] * p.d_e, *[[-1] * p.d_e] * (p.T - 1)]
    steps = [[-1] * k + [1] * (p.d_e - k) for k in range(p.d_e)] + [[1] * p.d_e] * p.T
    return construct(p, only=steps[: p.T] if p.query == "dual" else against)


def measure(found, p, times=1):
    entries = [times * x for x in found.diagonal]
    return {off: found.off_diagonal, low: min(entries), high: max(entries)}


claim = Claim(
    "Reduction",
    role="statement", source="derived here: reduction by symmetry",
    scope={"every query, T, q, d, d_e, alpha, v": "proof", "every encoding": "proof", "every subset": "proof"},
    asserts=[off.equals(0), low.equals(dL_beta / d_e), high.equals(dL_beta / d_e)], requires=[q < T],
    derive=lambda found, p: {dL_beta: found.slope}, derived=[dL_beta], construct=construct, measure=measure,
    grid=points("query T q d d_e alpha v", ("sum", 4, 2, 5, 2, 1, 1), ("sum", 5, 2, 3, 2, "3/2", "3/2"),
                ("sum", 5, 4, 1, 1, "3/2", 2), ("sum", 3, 2, 2, 4, "-1/2", "4/3"), ("sum", 3, 1, 2, 3, 1, "1/2")),
    controls=[
        Control("a preferred direction", breaks=[off, low, high], where=(d_e >= 3) & Ne(v, 1),
                construct=tilted),
        Control("one encoding matrix for all", breaks=off, where=d_e >= 2, construct=frozen, asserts=[off.equals(0)]),
        Control("half the metric", breaks=[low, high],
                measure=lambda found, p: measure(found, p, times=2)),
        Control("the loss with a factor 1/2", breaks=[low, high],
                measure=lambda found, p: measure(found, p, times=Fraction(1, 2))),
    ],
)

dual = replace(
    claim, label="Reduction, dual query",
    role="variant", source="derived here: reduction by symmetry",
    scope={"every query, T, q, d, d_e, alpha, v": "points", "every encoding": "enumeration",
           "every subset": "enumeration"},
    note="conditioned on a regular Gram matrix of the selected encodings",
    grid=points("query T q d d_e alpha v", ("dual", 3, 2, 2, 3, 1, "3/2"), ("dual", 4, 2, 1, 2, "5/4", 2),
                ("dual", 3, 1, 2, 3, 1, "1/2")),
    controls=claim.controls[1:],
)
