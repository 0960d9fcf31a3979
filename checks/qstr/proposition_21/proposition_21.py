r"""Fewer heads than indices leave a fixed error when attention keeps data and positions apart.

Setting    Tokens $x_i\sim N(0,I_d)$ for $i<N/2$ and $x_i=0$ for $i\ge N/2$; for $i\ge N/2$ the index tuple is
           $(1,\dots,q)$, $q\le\lceil N/2\rceil-1$; labels $y_i=(qd)^{-1/2}\sum_{h\le q}(\|x_{t_{ih}}\|^2-d)$;
           $H$ heads with block-diagonal $W^{(h)}_{QK}$ and any readout of any width.
Statement  $R=\frac1N\sum_iE(y_i-\hat y_i)^2\ge1-H/q$: for $i\ge N/2$, $E(y_i-\hat y_i)^2\ge2(1-H/q)$.
Proof      At $i\ge N/2$ the token is 0, so with block-diagonal matrices the scores, and the weights, do not depend on
           the tokens: the heads show $H$ combinations of them, coordinate by coordinate. By proposition_21_every the
           best readout of these errs by at least $2(1-\frac Hq)$, in every dimension, as the $d$ coordinates are
           independent and alike. More than half of the positions are of this kind.
Witness    FewHeads copies $H$ of the $q$ tokens and predicts the conditional mean; for $i<N/2$ all indices
           point to a zero token.  Its late error is $(qd)^{-1/2}(\chi^2_{(q-H)d}-(q-H)d)$ up to leakage.
Measured   Risk: sampled, by the forward pass; squared errors are truncated, and what that hides is bounded by
           the fourth moment of the exact law.
Control    The linear link; as many heads as indices; an index at a zero token; a block between positions and
           data ($d=1$); variance $k$ for $\chi^2_k$; $H$ known directions, not $Hd$; a head fewer.
Reads      Printed with $d=1$: labels $q^{-1/2}\sum(x^2-\mathbb{E}x^2)$, matrices block-diagonal between data and
           encodings, variance $2(q-H)$ before the factor $1/q$ (revised version of October 2025, Proposition 21, its
           inline formulas): at $d=1$ the same bound. All $d$, the late error, the share $(\lfloor N/2\rfloor+1)/N$ of
           positions with it, the leakage term and the condition on $q$ are derived here. That FewHeads comes within 5 %
           of the late error times that share is judged at the rows, not proved.
"""

from math import sqrt

from sympy import Eq, ceiling, floor, log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.families import hadamard
from theorytools.papers.qstr.few_heads.block_diagonal import FewHeads
from theorytools.papers.qstr.few_heads.single_head import CrossHead, UniformHead
from theorytools.papers.qstr.tasks.few_heads import FewTokens
from theorytools.statistics.sampled import truncated_mean, truncation_excess

from ..notation import H, N, beta, d, odds, q

risk = Quantity("risk", "R", "squared error averaged over positions", (0, None))
K = ceiling(N / 2) - 1  # Gaussian tokens
bound, share = 2 * (1 - H / q), (floor(N / 2) + 1) / N
narrow = 2 * (1 - H / (q * d))  # were H directions known, not H d


def tight(value):
    return risk.equals(value, within=value / 20)


def construct(p, H=None, **task) -> FewHeads:
    return FewHeads(hadamard(p.N), p.beta, FewTokens(p.N, p.d, p.q, **task), H or p.H)


def linear(p):
    return UniformHead(hadamard(p.N), p.beta, FewTokens(p.N, p.d, p.q, link="lin"))


def cross(p):
    return CrossHead(hadamard(p.N), p.beta, FewTokens(p.N, p.d, p.q))


def zero_token(p):
    return construct(p, late=(*range(p.q - 1), p.N - 1))


def sampled(net, p):
    moment = net.fourth_moment()
    tau = 1 + int(40 * sqrt(float(moment)))  # E Z²/(4 tau) is then below 0.7 % of the root of E Z²
    draw, excess = net.task.squared_errors(net.predict), truncation_excess(moment, 2, tau)
    return {risk: truncated_mean(draw, p.seed("prompts"), tau=tau, excess=excess)}


claim = Claim(
    "Proposition 21",
    role="statement", source="published: Proposition 21; prose",
    scope={"every N, d, q, H, odds": "proof", "every network": "proof", "every prompt": "drawn"},
    asserts=[risk >= bound / 2, tight(share * bound)],
    requires=[q > H, q <= K, odds >= 16 * N],  # leakage then adds less than 1 % to the risk
    lets={beta: log(odds)},
    grid=points("N d q H odds",
                (8, 1, 3, 1, 1024), (8, 4, 2, 1, 1024), (9, 2, 4, 2, 1024), (16, 2, 7, 3, 1024), (20, 1, 9, 1, 1024)),
    construct=construct, measure=sampled,
    controls=[
        Control("linear link, one head on all indexed tokens", breaks=risk, where=Eq(H, 1), construct=linear),
        Control("as many heads as indices", breaks=risk, construct=lambda p: construct(p, H=p.q)),
        Control("an index at a zero token", breaks=risk, where=Eq(q, H + 1), construct=zero_token),
        Control("a cross block between positions and data", breaks=risk, where=Eq(d * H, 1), construct=cross),
        Control("variance k of a chi-square", breaks=risk, asserts=[tight(share * bound / 2)]),
        Control("H directions, not H d", breaks=risk, where=d >= 2, asserts=[tight(share * narrow)]),
    ],
)
