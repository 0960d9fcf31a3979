r"""Two recurrent networks drift apart no faster than their maps differ, times a factor linear in the length.

Setting    States $h_{j+1}=\Pi_{r_h}(h_j+f(h_j,z_j))$, $h_1=0$; $f$ is $\alpha$-Lipschitz in $h$; $d_\infty$ is the
           largest distance of $f$ and $\hat f$ over the inputs and all states of the ball.
Statement  $\max_j\|h_j-\hat h_j\|\le S_Nd_\infty$, $S_N=\sum_{i=0}^{N-2}(1+\alpha)^i$; for $\alpha\le1/N$,
           $S_N\le(e-1)N\le eN$.
Proof      $\hat h_j$ is in the ball and $\Pi_{r_h}$ is 1-Lipschitz (lemma_29_projection), so $\|h_{j+1}-\hat
           h_{j+1}\|\le\|h_j-\hat h_j\|+\|f(h_j)-f(\hat h_j)\|+\|f(\hat h_j)-\hat f(\hat h_j)\|\le(1+\alpha)\|h_j-\hat
           h_j\|+d_\infty$, from 0 on. $S_N=((1+\alpha)^{N-1}-1)/\alpha$ increases in $\alpha$, and at $\frac1N$ it is
           $N((1+\frac1N)^{N-1}-1)\le N(e-1)$.
Adversary  $f=\alpha h$ and $\hat f=\alpha h+c$, for which the first is an equality ($S_N=N-1$ for $\alpha=0$); random
           ReLU maps on random inputs, with states that are cut.
Measured   Scalar states in rationals; $d_\infty$ at the kinks of the two maps; $S_N$ by its sum.
Control    $N-1$ for $S_N$; a term of $S_N$ left out; the increments not added to the state; $\alpha=10/N$, where
           $S_N/N\to(e^{10}-1)/10$; another constant.
Reads      Printed with products of operator norms at most $\alpha_N\le\frac1N$, which make $f$ that Lipschitz in $h$,
           and a factor $eN$; $(e-1)N$ is derived here and implies it.
"""

from fractions import Fraction

from sympy import E, Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.capacity.perturbation.recurrent import RecurrentPair
from theorytools.papers.qstr.capacity.recurrent_covering import drift_factor

from ..notation import S_N, N, d_inf, lip_N, r_h, trial

drift = Quantity("drift", r"\max_j\|h_j-\hat h_j\|", "largest distance of the states", (0, 2 * r_h))
growth = Quantity("growth", "S_N", "by its sum", (N - 1, None))
alpha = lip_N / N


def construct(p) -> RecurrentPair:
    slope = Fraction(p.lip_N) / p.N
    if p.trial == 0:
        return RecurrentPair.shifted(p.N, slope, Fraction(1, 8))
    return RecurrentPair.random(p.rng("maps"), p.N, slope, Fraction(p.trial))


def derive(pair, p):
    return {d_inf: pair.distance(), S_N: drift_factor(p.N, Fraction(p.lip_N) / p.N), r_h: pair.r_h}


def measure(pair, p, lip=None):
    base = 1 + Fraction(p.lip_N if lip is None else lip) / p.N
    return {drift: max(pair.drifts()), growth: sum(base**i for i in range(p.N - 1))}


equality, steep = Eq(trial, 0), lip_N > 0
claim = Claim(
    "Lemma 29",
    role="statement", source="published: Lemma 29; prose",
    scope={"every N, lip_N, trial": "proof", "every pair of maps": "proof"},
    asserts=[drift <= S_N * d_inf, growth <= (E - 1) * N],
    requires=[N >= 2, lip_N <= 1], derive=derive, derived=[S_N, d_inf, r_h],
    grid=points("N lip_N trial", (2, 0, 0), (16, 0, 0), (3, 1, 0), (16, 1, 0), (400, 1, 0), (16, "1/2", 0),
                *((N_, s, k) for N_, s in ((5, 0), (16, 1), (30, 1)) for k in (1, 2, 8))),
    construct=construct, measure=measure, controls=[
        Control("N - 1 for the sum", breaks=drift, where=equality & steep, asserts=[drift <= (N - 1) * d_inf]),
        Control("a term left out", breaks=drift, where=equality, asserts=[drift <= (S_N - 1) / (1 + alpha) * d_inf]),
        Control("the drift of a single step", breaks=drift, where=equality & (N >= 3), asserts=[drift <= d_inf]),
        Control("alpha = 10/N", breaks=growth, where=N >= 4, asserts=[growth <= E * N],
                measure=lambda pair, p: measure(pair, p, 10)),
        Control("the constant 3/2", breaks=growth, where=(N >= 30) & Eq(lip_N, 1), asserts=[growth <= 3 * N / 2]),
    ],
)
