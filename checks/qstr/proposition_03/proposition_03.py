r"""Few heads leave a fixed error in large token dimension, whatever their attention matrices and readout.

Setting    Tokens $x_i\sim N(0,I_d)$ for $i<N/2$ and $x_i=0$ for $i\ge N/2$; for $i\ge N/2$ the index tuple is
           $(1,\dots,q)$, $q\le\lceil N/2\rceil-1$; labels $y_i=(qd)^{-1/2}\sum_{h\le q}(\|x_{t_{ih}}\|^2-d)$; $H$ heads
           with any $W^{(h)}_{QK}$ and any readout of any width.
Statement  $R\ge1-H(\frac1q+\frac1d)$.  Given the scores, head $h$ shows $\langle w_h,x_j\rangle$ and
           $\sum_j\pi_{hj}x_j$, the rows $e_j\otimes w_h$ and $\pi_h\otimes e_r$.  Their rank is
           $qh_w+dh_a-h_wh_a$, where $h_w$ and $h_a$ are the ranks of all $w_h$ and of all $\pi_h$, if all weights are
           at the indexed tokens; they leave $E(y_i-\hat y_i)^2=2(1-\frac{h_a}q)(1-\frac{h_w}d)$ for $i\ge N/2$ then to
           the best readout.
Proof      At a late position the token is 0, so the scores are constants plus $\langle w_h,x_j\rangle$. Given all of
           these the weights are fixed; the tokens have means in $\mathcal W=\operatorname{span}w_h$ and the covariance
           $P_{\mathcal W^\perp}$, and the heads show their means under $\pi_h$ besides. With $P_q$ the projector on
           the indexed places, $\mathcal A=\operatorname{span}\pi_h$ and $B=P_qP_{\mathcal A^\perp}P_q$ the variance of
           $\sum_{j\le q}\|x_j\|^2$ that is left is on average $(d-h_w)(4\operatorname{tr}B-2\operatorname{tr}B^2)\ge
           2(d-h_w)\operatorname{tr}B\ge2(d-h_w)(q-h_a)_+$, for each value of the scores; both ranks are at most $H$.
           With all weights at the indexed tokens $B$ is the projector on $\mathcal A^\perp$, and both are equalities.
Adversary  Random integer directions $w_h$ and weights $\pi_h$ of $H$ heads; heads with one direction, or equal weights.
Measured   The rank by elimination over the rationals; the error as a trace, for the conditional mean; the risk where
           for $i<N/2$ all indices point to a zero token.
Control    The linear link; as many heads as indices or coordinates; $H(q+d)$ as the exact rank; variance $k$ for
           $\chi^2_k$; one known direction per average, not $d$; the bound of block-diagonal matrices; a head more.
Reads      Printed: $x_i\sim N(0,\Sigma_i)$, $\Sigma_i=I$ for $i<N/2$ and 0 else, some law of the tuples, at most
           $H(d+q)$ rows, a variance of at least $2(qd-H(q+d))$ before the factor $\frac1{qd}$, for $d\gg q$: this
           bound. The exact rank, the late error and the condition on $q$ are derived here.
"""

from dataclasses import replace

from sympy import Eq, log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.families import hadamard
from theorytools.papers.qstr.few_heads.single_head import UniformHead
from theorytools.papers.qstr.few_heads.visible_span import VisibleSpan
from theorytools.papers.qstr.tasks.few_heads import FewTokens

from ..notation import H, N, d, q, rank_a, rank_w
from ..proposition_21.exact import late
from ..proposition_21.proposition_21 import K, risk

directions = Quantity("rank", r"\operatorname{rk}V", "of everything that a late position shows", (0, q * d))
published = 1 - H * (1 / q + 1 / d)
count = q * rank_w + d * rank_a - rank_w * rank_a
left = (1 - rank_a / q) * (1 - rank_w / d)


def construct(p, H=None) -> VisibleSpan:
    shown = VisibleSpan.random(p.rng("heads"), H or p.H, FewTokens(p.N, p.d, p.q))
    same = {"parallel": "directions", "alike": "weights"}.get(p.heads)
    return replace(shown, **{same: getattr(shown, same)[:1] * p.H}) if same else shown


def linear(p):
    return UniformHead(hadamard(p.N), log(1024), FewTokens(p.N, p.d, p.q, link="lin"))


claim = Claim(
    "Proposition 3",
    role="statement", source="published: Proposition 3; prose",
    scope={"every N, d, q, H": "proof", "every set of heads": "proof", "every read-out": "closed form"},
    asserts=[risk >= published, late >= 2 * published], requires=[q <= K],
    grid=points("heads N d q H",
                ("random", 1001, 16, 16, 1), ("random", 33, 12, 8, 1), ("random", 33, 8, 16, 3),
                ("random", 9, 40, 4, 3), ("random", 64, 8, 12, 3), ("parallel", 33, 16, 8, 3), ("alike", 33, 8, 16, 3)),
    construct=construct, measure=lambda shown, p: {risk: shown.risk(), late: shown.late_error()},
    controls=[
        Control("linear link, one head on all indexed tokens", asserts=[risk >= published], breaks=risk,
                where=Eq(H, 1) & (N <= 64), construct=linear, measure=lambda net, p: {risk: net.risk()}),
        Control("as many heads as indices", breaks=[risk, late], where=q <= d, construct=lambda p: construct(p, H=p.q)),
        Control("as many heads as coordinates", breaks=[risk, late], where=d < q,
                construct=lambda p: construct(p, H=p.d)),
        Control("the bound of block-diagonal matrices", asserts=[late >= 2 * (1 - H / q)], breaks=late),
    ],
)
exact = replace(
    claim, label="Proposition 3, exact rank and error",
    role="variant", source="derived here: Proposition 3",
    scope={"every N, d, q, H": "proof", "every set of heads": "proof", "every read-out": "closed form"},
    derived=[rank_w, rank_a],
    asserts=[directions.equals(count), late.equals(2 * left)],
    derive=lambda shown, p: dict(zip([rank_w, rank_a], shown.dimensions, strict=True)),
    measure=lambda shown, p: {directions: shown.rank, late: shown.late_error()},
    grid=points("heads N d q H",
                ("random", 7, 4, 3, 1), ("random", 7, 4, 3, 2), ("random", 33, 6, 4, 3), ("random", 33, 2, 4, 3),
                ("random", 9, 1, 4, 1), ("random", 33, 12, 12, 4), ("parallel", 33, 6, 5, 3), ("alike", 33, 6, 5, 3)),
    controls=[
        Control("H(q + d) as the exact rank", asserts=[directions.equals(H * (q + d))], breaks=directions),
        Control("a head more", breaks=[directions, late], construct=lambda p: construct(p, H=p.H + 1),
                where=Eq(rank_a, H) & Eq(rank_w, H) & (q > H) & (d > H)),
        Control("one direction per average", asserts=[directions.equals(q * rank_w + rank_a)], breaks=directions,
                where=d >= rank_w + 2),
        Control("variance k of a chi-square", asserts=[late.equals(left)], breaks=late,
                where=(rank_a < q) & (rank_w < d)),
    ],
)
