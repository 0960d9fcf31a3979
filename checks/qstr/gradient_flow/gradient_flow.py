r"""Gradient flow of the population risk, from zero, finds the attention of Lemma 11 at every length.

Finding    Gradient flow of the population risk from zero, with position codes of one product turned afresh for every
           prompt, ends in one layer of attention that looks up its tokens, for all $N>q$ and $d$: two numbers move, and
           the inverse temperature only rises.
Setting    $q$STR, $q<N$ distinct indices of any law, uncorrelated tokens of mean 0 and covariance $I_d$, labels
           $\frac1{\sqrt q}\sum_h\langle u,x_{t_h}\rangle$, $\|u\|=1$; unit codes with all products $\rho<1$, turned for
           each prompt, independently, by a uniform orthogonal map of $\mathbb R^{d_e}$, reflections among them (or
           signed permutation of its coordinates). Head $h=1,\dots,q$ has the scores $\omega_{t_h}^\top W^{(h)}\omega_j$
           over all tokens and the read-out $v^{(h)}$; $R$ is the population risk.
Statement  From $W=0$, $v=0$ gradient flow of $R$ stays on $W^{(h)}=\beta I$, $v^{(h)}=\frac c{\sqrt q}u$. There, with
           $\kappa_\beta=e^{(1-\rho)\beta}$ and $S=\kappa+N-1$,
           $\dot c=\frac2{S^2}\bigl[(\kappa+q-1)S-c\bigl((\kappa+q-1)^2+q(N-q)\bigr)\bigr]$ and
           $\dot\beta=\frac{2(1-\rho)}{qd_e}\frac{\kappa(N-q)}{S^2}\,c\,\bigl(1-c\frac{\kappa-1}S\bigr)$. For all times
           above 0 $0<c<\frac S{\kappa-1}$, $\beta$ increases without bound, $c\to1$ and $R\to0$.
Proof      $R$ at $Q^\top W^{(h)}Q$ is $R$ at $W^{(h)}$, so at $\beta I$ the gradient in $W^{(h)}$ commutes with every
           such map: it is a multiple of $I$, the trace tells which. $R$ depends on $v$ through $\langle
           v^{(h)},u\rangle$ and $\langle v^{(h)},v^{(k)}\rangle$, and at $\beta I$ every tuple gives the same weights
           up to the names of tokens and heads: both gradients are the same for all $h$, that in $v^{(h)}$ a multiple of
           $u$. A smooth field that is tangent to the family keeps it. $\sum\|v^{(h)}\|^2=c^2$ and
           $\sum\|W^{(h)}\|_F^2=qd_e\beta^2$: so $\dot c=-\partial_cR$, $\dot\beta=-\partial_\beta R/(qd_e)$. An indexed
           token gets $a=\frac{\kappa+q-1}S$ and any other $\frac qS$: $R=1-2ca+c^2b$, $b=a^2+\frac{q(N-q)}{S^2}$; with
           $e=\frac{\kappa-1}S$: $b'=2a'e$, $a'=(1-\rho)\frac{\kappa(N-q)}{S^2}$ in $\beta$, $b-ae=\frac qS>0$. At
           $c=0$, $\dot c=2a>0$; beyond $c=\frac Nq$, $\dot c<0$, as $b\ge a^2$ and $a\ge\frac qN$: the flow exists for
           all times. At $ce=1$, $\dot\beta=0$ and $\dot c=2(a-\frac be)<0$: the region $0<c<\frac1e$ is not left, and
           in it $\dot\beta>0$. If $\beta$ had a limit, $a$ and $b$ would, $c$ would tend to $\frac ab$, and $\dot\beta$
           to a positive number, as $\frac abe<1$. So $\beta\to\infty$, $a,b\to1$, hence $c\to1$.
Witness    Heads over all $N$ tokens, weights and derivatives in rationals.
Measured   $\partial_cR$ and $\partial_\beta R$ token by token; $\partial_cR$ on the edge $ce=1$, times $e$; the risk
           at the best $c$.
Control    Codes that do not differ; $N$ for $N-q$; beyond the edge; twice the read-out; a token more.
Reads      Derived here, for question (d) of the paper's open questions. The machine compares the two derivatives with
           their formulas; the gradient in all entries of $W$ and its factor $\frac1{qd_e}$: gradient_flow_blocks; what
           the flow does in the long run is carried by the proof. The scores see codes only: blocks of $W$ that mix in
           the tokens are kept at 0, not shown to stay there. Not shown: how long it takes; codes of several products,
           or fixed ones; other starts and links; finite steps and samples (one step: gradient_flow_matched). In the
           plane proper rotations alone are not enough for a tuple that is fixed: $W$ would turn. How many labels a
           read-out takes behind such attention: theorem_04_frozen. With $q=1$ it is the flow of sparse token selection.
"""

from fractions import Fraction

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import fraction

from ..notation import N, lead, q, rho, scale
from ._lookup_heads import LookupHeads

pull = Quantity("pull on the read-out", r"-\partial_cR", "of its length c")
heat = Quantity("pull on the temperature", r"-\partial_\beta R", "of all heads together")
edge = Quantity("pull on the edge", r"-\partial_cR\big|_{ce=1}\,e", "of the length at which beta rests", (None, 0))
left = Quantity("risk", "R", "at the best length of the read-out", (0, None))
S = lead + N - 1
a, b, e = (lead + q - 1) / S, ((lead + q - 1) ** 2 + q * (N - q)) / S**2, (lead - 1) / S
rise = 2 * (1 - rho) * lead * (N - q) / S**2


def construct(p, rho=None) -> LookupHeads:
    return LookupHeads.equiangular(p.N, p.q, p.rho if rho is None else rho, p.lead)


def steepness(p) -> Fraction:
    return Fraction(p.lead - 1) / (p.lead + p.N - 1)


def measure(heads, p, times=1):
    c, steep = times * Fraction(p.scale), steepness(p)
    sums = heads.shares.sum(axis=0)
    best = fraction(p.q * sums[0] / (sums**2).sum())
    return {pull: lambda: -heads.in_scale(c), heat: lambda: -heads.in_temperature(c),
            edge: lambda: -heads.in_scale(1 / steep) * steep, left: lambda: heads.risk(best)}


claim = Claim(
    "Gradient flow from zero",
    role="statement", source="derived here: question (d)",
    scope={"every N, q, d, d_e, rho": "proof", "every time": "proof", "every lead, scale": "proof"},
    asserts=[pull.equals(2 * (a - scale * b)), heat.equals(rise * scale * (1 - scale * e)),
             edge.equals(-2 * q / S), left.equals(q * (N - q) / ((lead + q - 1) ** 2 + q * (N - q)))],
    requires=[q < N, rho < 1, lead > 1, scale * e <= 1],
    construct=construct, measure=measure,
    grid=points("N q rho lead scale", (2, 1, 0, 2, 1), (4, 1, "-1/3", "3/2", "1/10"), (16, 3, "1/2", 40, "9/10"),
                (64, 1, 0, "5/4", 20), (257, 8, "1/2", 1000, 1)),
    controls=[
        Control("codes that do not differ", breaks=heat, construct=lambda p: construct(p, rho=1),
                asserts=[heat.equals(rise * scale * (1 - scale * e))]),
        Control("twice the read-out", breaks=pull, asserts=[pull.equals(2 * (a - scale * b))],
                measure=lambda heads, p: measure(heads, p, 2)),
        Control("beyond the edge", breaks=heat, asserts=[heat >= 0],
                measure=lambda heads, p: measure(heads, p, 2 / (p.scale * steepness(p)))),
        Control("a token more on the edge", breaks=edge, asserts=[edge.equals(-2 * q / (S + 1))]),
        Control("N for N - q", breaks=left, asserts=[left.equals(q * N / ((lead + q - 1) ** 2 + q * N))]),
    ],
)
