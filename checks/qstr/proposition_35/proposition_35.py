r"""What two states can carry is at least what the other payloads need, however the resolution is split.

Setting    As in Proposition 8: every transition, states in the ball of radius $r_h$, $D_s$ the rank of $U^s$, a
           resolution $\eta_\to^2+\eta_\leftarrow^2=\eta'^2$ with $\sqrt{c'}+\eta'<1$, $c'=\frac N{N-1}R$. At the last
           position one state is constant, and the other has all of it, $R$ being the error there.
Statement  Every network has $(N-1)\log\frac1{\sqrt{c'}+\eta'}\le\sum_s\min\{\frac{L^2\|U^s\|_F^2}{2e\eta_s^2},
           \Psi_{D_s}(D_sL^2\|U^s\|_{\mathrm{op}}^2/\eta_s^2)\}$; $\Psi_D(X)$ is $\frac D2\log\frac XD$ for $X\ge eD$,
           $\frac X{2e}$ below. By packing, for $x=(2\sqrt{c'}+\eta')^2<1$:
           $d_h\ge\frac{\log\frac34+\frac{N-1}2(x-1-\log x)}{2\log(1+2\sqrt2L\|U\|_{\mathrm{op}}/\eta')}$.
Proof      (1) By steps 1 to 3 of the proof of Proposition 8 the left side is at most $I(v;\hat v)\le\sum_s\sum_{i\le
           D_s}\frac12\log^+\frac{\lambda_i}{n_i}$ for the second moments $\lambda_i$ of $v$ in the singular bases and
           every $n_i$ with sums $(\eta_sr_h/L)^2$; the channels of all coordinates are independent.
           (2) With $n_i\propto\varsigma_i^2$, $\sum_i\lambda_i/\varsigma_i^2\le r_h^2$ and $\log y\le y/e$ a state
           adds at most the first term.
           (3) With equal $n_i$ the ratios sum to $X=D_sL^2\|U^s\|_{\mathrm{op}}^2/\eta_s^2$ at most;
           $\Psi_D(X)=D\,\hat\psi(X/D)$ with the least concave majorant $\hat\psi$ of $\frac12\log^+$, a line through 0
           up to $e$, bounds the sum (Jensen): the second term. Either may be taken for each state.
           (4) By packing: with probability $\frac34$ at least over the payloads the error of $\Phi(v)$ is at most
           $2\sqrt{mc'}$ (Markov, $m=N-1$). The pairs $v$ lie in $\sqrt2\|U\|_{\mathrm{op}}r_h$ times the unit ball of
           $2d_h$ dimensions, covered by $(1+2\sqrt2L\|U\|_{\mathrm{op}}/\eta')^{2d_h}$ balls of radius $\eta'r_h/L$
           around its points (volume). So $G$ lies with that probability in one of as many balls of radius $\sqrt
           m(2\sqrt{c'}+\eta')$, each of probability at most $\Pr(\chi_m^2\le mx)\le(xe^{1-x})^{m/2}$ (Anderson,
           Chernoff).
Witness    The networks of Proposition 8: slots, and signs in a code, drawn or known to exist.
Measured   The right side in ball arithmetic, from dimension, slope and norms; dimensions as integers.
Control    One slot; twice the left side; three times the packing bound; operator for Frobenius norm.
Reads      The display was not seen. Its printed proof packs the same ball as (4), by volume, which is right, and by
           Maurey's bound, which fails for a Euclidean ball (lemma_41); here the Frobenius norm takes its place. The
           constants are ours. The own token is side information, independent of the states.
"""

from fractions import Fraction

from sympy import Rational, sqrt

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.papers.qstr.memory.rate_distortion import nats_recovered, packing_dimension, side_information

from ..notation import N, c_1, eta_1, share, slope_U
from ..proposition_08.proposition_08 import construct, risk, width

carried = Quantity("carried", r"I_\to+I_\leftarrow", "nats that the states carry at this resolution", (0, None))
needed = carried >= nats_recovered(N - 1, c_1, eta_1).expr
packed = width >= packing_dimension(N - 1, c_1, slope_U, 1, eta=eta_1).expr


def carry(net, p, rank=None, F2=None):
    shares = [s for s in (p.share, 1 - p.share) if s]
    return sum(side_information(rank or net.d_h, net.slope() ** 2, F2 or net.d_h, 1, s * p.eta_1**2) for s in shares)


def measure(net, p, **spoiled):
    return {carried: enclosed(lambda: carry(net, p, **spoiled))}


def derive(net, p):
    return {c_1: lambda: risk(net), slope_U: net.slope}


claim = Claim(
    "Proposition 35",
    role="statement", source="published: Proposition 35, with the Frobenius norm; prose",
    scope={"every N, eta_1, share": "proof", "every recurrent network": "proof"},
    asserts=[needed], construct=construct, measure=measure, derive=derive,
    derived=[c_1, slope_U], requires=[sqrt(c_1) + eta_1 < 1, share > 0, share <= 1],
    grid=points("network N eta_1 share", ("slots", 16, "1/5", "1/2"), ("slots", 64, "1/50", "1/10"),
                ("slots", 16384, Fraction(1, 10**300), "1/2"), ("slots", 16384, Fraction(1, 10**300), 1),
                ("code", 8, "1/5", "1/2"), ("code", 14, "1/5", 1), ("code", 10**6, "1/5", "1/3"),
                ("code", 10**6, "1/5", 1)),
    controls=[
        Control("one slot", breaks=carried, where=c_1 <= Rational(1, 1000),
                measure=lambda net, p: measure(net, p, rank=1, F2=1)),
        Control("twice what is needed", asserts=[carried >= 2 * needed.expr], breaks=carried,
                where=(share >= 1) & (c_1 <= Rational(1, 1000))),
        Control("the operator norm", breaks=carried, where=(slope_U <= 2) & (N >= 1000),
                measure=lambda net, p: measure(net, p, F2=1)),
    ],
)
packing = Claim(
    "Proposition 35, by packing",
    role="variant", source="derived here: Proposition 35",
    scope={"every N, eta_1": "proof", "every recurrent network": "proof"},
    asserts=[packed], construct=construct,
    measure=lambda net, p: {width: net.d_h}, derive=derive, derived=[c_1, slope_U],
    requires=[2 * sqrt(c_1) + eta_1 < 1],
    grid=points("network N eta_1", ("slots", 64, "3/10"), ("slots", 1024, "3/10"), ("slots", 1024, "1/10000000000"),
                ("slots", 16384, Fraction(1, 10**300))),
    controls=[
        Control("one slot", breaks=width, construct=lambda p: construct(p).keeping(1)),
        Control("three times the bound", asserts=[width >= 3 * packed.expr], breaks=width,
                where=eta_1 <= Rational(1, 10**10)),
    ],
)
