r"""On general 1STR recurrent states are wide, unless they are read steeply, and slope times Frobenius norm is large.

Finding    Where each position asks for an index of its own, a recurrent network of a fixed risk below 1 has a slope
           times Frobenius norm of its readout maps at least of order $\sqrt N$, as the text of Proposition 8 says, and
           a dimension times the logarithm of that slope at least of order $N$. The operator norm, by which its printed
           proof packs, can stay bounded at every positive risk: that step of the proof fails.
Setting    General 1STR: independent tokens with payloads $\langle u,x_k\rangle\sim N(0,1)$, every index $t_j$ uniform
           and independent of all else, $N\ge2$. Two states of dimension $d_h$ and norm at most $r_h$, before and after
           the position, by any transition; a readout of the position, the own token, the index and $(U^\to
           h^\to,U^\leftarrow h^\leftarrow)$ that is $(L/r_h)$-Lipschitz in these, jointly. $\|U\|_{\mathrm{op}}$ is the
           larger one of the two; $R$ is the mean squared error over the positions, $c'=\frac N{N-1}R<1$.
Statement  Every such network has $L(\|U^\to\|_F+\|U^\leftarrow\|_F)\ge A_c\sqrt{N-1}$, $A_c=e^z(1-2z)^{3/2}$,
           $ze^z=\frac12\sqrt{ec'}$, and, for each $\eta'>0$ with $\sqrt{c'}+\eta'<1$ and $2L^2\|U\|_{\mathrm{op}}^2\ge
           e\eta'^2$, $d_h\ge(N-1)\log\frac1{\sqrt{c'}+\eta'}/\log\frac{2L^2\|U\|_{\mathrm{op}}^2}{\eta'^2}$. With no
           error at the last position $d_h\ge N-1$.
Proof      (1) Some position $j$ has an error of at most $R$; $m=N-1$, $G$ are the other payloads. The mapped states
           $v$ depend neither on $t_j$ nor on $x_j$, so the vector $\Phi(v)$ of the answers to the other indices has
           $E\|\Phi(v)-G\|^2\le NR=mc'$: the mean over $t_j$, less the index $j$.
           (2) Let $\hat v$ be $v$ after a channel with $E\|\hat v-v\|^2\le(\eta'r_h/L)^2$. By Minkowski's inequality
           $E\|\Phi(\hat v)-G\|^2\le m(\sqrt{c'}+\eta')^2$. Given $x_j$, which is independent of all this, Gaussian
           rate-distortion and data processing give $m\log\frac1{\sqrt{c'}+\eta'}\le I(v;\hat v)$; $-\log$ is convex.
           (3) Let $U^s=\sum_i\varsigma_ip_iq_i^\top$. The coordinate $v_i=\varsigma_i\langle q_i,h\rangle$ has second
           moment $\lambda_i$, $\sum_i\lambda_i/\varsigma_i^2\le r_h^2$. Send it as
           $(1-\frac{n_i}{\lambda_i})v_i+\sqrt{n_i(1-\frac{n_i}{\lambda_i})}\,Z_i$, $Z_i$ normal, as 0 if $\lambda_i\le
           n_i$: the error is at most $n_i$, and as of one second moment a normal law has most entropy, $I(v;\hat
           v)\le\sum_i\frac12\log^+\frac{\lambda_i}{n_i}$.
           (4) Let $n_i=(\eta_sr_h/L)^2\varsigma_i^2/\|U^s\|_F^2$, $\eta_\to^2+\eta_\leftarrow^2=\eta'^2$. As $\log
           y\le y/e$, the sum is at most $\sum_sL^2\|U^s\|_F^2/(2e\eta_s^2)$, which is
           $L^2(\sum_s\|U^s\|_F)^2/(2e\eta'^2)$ for $\eta_s^2\propto\|U^s\|_F$. So
           $L^2(\sum_s\|U^s\|_F)^2\ge2em\,\eta'^2\log\frac1w$, $w=\sqrt{c'}+\eta'$, most where $2\log\frac1w=\eta'/w$:
           at $w=e^{z-1/2}$ it is $mA_c^2$.
           (5) Let $n_i=(\eta_sr_h/L)^2/d_h$. The least concave majorant of $\frac12\log^+y$ is $\frac12\log y$ from
           $e$ on, and the $\lambda_i$ sum to $\|U\|_{\mathrm{op}}^2r_h^2$ at most: each state adds at most
           $\frac{d_h}2\log(L^2\|U\|_{\mathrm{op}}^2/\eta_s^2)$, with $\eta_s^2=\frac12\eta'^2$. At the last position
           one state is constant and the other has $\eta_s=\eta'$; for $c'=0$, $\eta'\to0$ this is $d_h\ge m$.
           (6) Of the bounded operator norm: a code of rate $\frac16$ and relative distance $\beta=0.26441$ exists for
           every number of bits (proposition_08_code), so the slope is the range of the levels over $2\sqrt\beta$ at
           most. The uniform quantiser of $2^b$ cells on $[-A,A]$, $A=\frac53\sqrt b$, errs at $x$ by at most
           $A2^{-b}+(|x|-A)_+$, and $E(|x|-A)_+^2\le e^{-A^2/2}\le4^{-b}$, as $\varphi(A+t)\le e^{-A^2/2}\varphi(t)$
           and $\frac{25}9>4\log2$. By Minkowski's inequality the risk is at most $(1+\frac53\sqrt b)^24^{-b}$, the
           slope at most $A/\sqrt\beta\le\frac{13}4\sqrt b$, for every $N$, and times both Frobenius norms at
           most $\frac{13}2\sqrt6\,b\sqrt N$. With a risk $c$ and a constant $C$ given take $b$, then $N$:
           $L\|U\|_{\mathrm{op}}<C\sqrt{N/\log d_h}$.
Witness    A slot for every payload ($d_h=N$, $U=I$, $L=2\sqrt N$); signs of the payloads in a binary linear code;
           levels of the payloads in such a code.
Measured   Dimensions as integers; $L\|U\|$ from $r_h$ and the least distance of the code: enumerated for $N\le16$,
           beyond it exists by counting. The risk of the slots is bounded by chi-square tails, of the payloads' norm
           and of each; the reads of the integers 1 to N are run through the weights. The error of the levels by a sum
           over all cells up to $b=10$, beyond as in (6).
Control    One slot, all that simple 1STR needs; three times the bound; the operator norm in place of the Frobenius
           norm; a slot less, or one more asked for; a quarter of the levels; the range of one bit.
Reads      The text of the revised version (there Proposition 6) prints $\|U\|_F\ge\tilde\Omega(\sqrt N)$; its proof
           packs $\{h:\|h\|\le\sqrt2\|U\|_{\mathrm{op}}r_h\}$ by Lemma 41 and speaks of bounds on $d_h$ and
           $\|U\|_{\mathrm{op}}$. No display of either bound was seen. This proof and its constants are ours, with no
           $\log d_h$. What fails is the printed proof's second bound in the form that this packing would give,
           $L\|U\|_{\mathrm{op}}\ge C\sqrt{N/\log d_h}$ for some $C>0$ once the risk is below some $c>0$: for every
           $c$ and every $C$. The text does not say it.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import E, Rational, log, sqrt

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.constructions.recurrent.store_all import StoreAllRNN
from theorytools.numbers import Enclosure
from theorytools.papers.qstr.memory.rate_distortion import frobenius_constant, state_bound
from theorytools.papers.qstr.recurrent.code_state import GILBERT_DISTANCE, CodeStateRNN

from ..notation import A_c, C, N, bits, c_1, d_h, eta_1, risk_0, slope_U
from ._levels import LevelsNetwork

width = Quantity("width", "d_h", "dimension of each state", (1, None))
lost = Quantity("lost", r"\Pr(\hat y\ne y)", "fraction of wrong reads, payloads 1 to N", (0, 1))
norms = Quantity("norms", r"L(\|U^\to\|_F+\|U^\leftarrow\|_F)", "slope times Frobenius norms", (0, None))
error = Quantity("risk", "R", "mean squared error for Gaussian payloads", (0, None))
operator = Quantity("operator norm", r"L\|U\|_{\mathrm{op}}", "slope times operator norm", (0, None))
least, large = width >= state_bound(N - 1, c_1, eta_1, slope_U, 1).expr, norms >= A_c * sqrt(N - 1)


small, flat = error <= (1 + sqrt(bits) * 5 / 3) ** 2 * 4**-bits, operator <= sqrt(bits) * 13 / 4
orderly = norms <= sqrt(6) * bits * sqrt(N) * 13 / 2


def construct(p) -> CodeStateRNN | StoreAllRNN:
    if p.network == "slots":
        return StoreAllRNN.binary(p.N, 2 * p.N, clipped=True)
    return CodeStateRNN.drawn(p.N, p.rng("code")) if p.N <= 16 else CodeStateRNN.existing(p.N)


def measure(net, p):
    return {width: net.d_h, norms: enclosed(lambda: net.slope() * net.frobenius()), operator: enclosed(net.slope),
            error: enclosed(net.risk if p.network == "code" and p.N <= 8 else net.risk_bound)}


def by_operator(net, p):
    return {**measure(net, p), norms: enclosed(lambda: 2 * net.slope())}


def by_levels(net, p):
    return {norms: enclosed(lambda: net.slope() * net.frobenius()), operator: enclosed(net.slope),
            error: enclosed(net.risk)}


def risk(net):
    return net.risk_bound() * Fraction(net.N, net.N - 1)


def derive(net, p):
    return {c_1: lambda: risk(net), A_c: lambda: frobenius_constant(risk(net)), slope_U: net.slope}


claim = Claim(
    "Proposition 8",
    role="statement", source="published: Proposition 8, the norm as its text prints it; prose",
    scope={"every N, eta_1": "proof", "every recurrent network": "proof"},
    asserts=[least, large], construct=construct, measure=measure,
    requires=[sqrt(c_1) + eta_1 < 1, 2 * slope_U**2 >= E * eta_1**2],
    derive=derive, derived=[c_1, A_c, slope_U],
    grid=points("network N eta_1", ("slots", 16, "1/5"), ("slots", 64, "1/50"), ("slots", 1024, "1/10000000000"),
                ("slots", 16384, Fraction(1, 10**300)), ("code", 5, "1/5"), ("code", 14, "1/5"),
                ("code", 179, "1/5"), ("code", 10**6, "1/5")),
    controls=[
        Control("one slot, as for simple 1STR", breaks=least, where=c_1 <= Rational(1, 1000),
                construct=lambda p: construct(p).keeping(1)),
        Control("three times the bound", asserts=[width >= 3 * least.expr], breaks=width,
                where=eta_1 <= Rational(1, 10**10)),
        Control("the operator norm", breaks=large, where=(slope_U <= 2) & (N >= 179), measure=by_operator),
    ],
)
recovery = Claim(
    "Proposition 8, exact recovery",
    role="variant", source="derived here: Proposition 8",
    scope={"every N": "proof", "every recurrent network": "proof"},
    note="No error at the last position.",
    asserts=[width >= N - 1, lost.equals(0)], grid=points("N", (2,), (8,), (32,)),
    construct=lambda p: StoreAllRNN.binary(p.N, p.N**3).keeping(p.N - 1),
    measure=lambda net, p: {width: net.d_h, lost: net.lost()},
    controls=[
        Control("a slot less", breaks=[width, lost], where=N >= 3,
                construct=lambda p: StoreAllRNN.binary(p.N, p.N**3).keeping(p.N - 2)),
        Control("a slot more asked for", asserts=[width >= N], breaks=width),
    ],
)
operator_reading = Claim(
    "Proposition 8, the operator norm of its printed proof",
    role="pitfall", source="published: Proposition 8, second bound as its printed proof has it; prose",
    scope={"some risk_0, C": "proof", "every N": "points", "every recurrent network": "points"},
    expect="REFUTED",
    note="The printed proof, not the text: for some c and C > 0, a risk of at most c costs this operator norm.",
    asserts=[operator >= C * sqrt(N / log(d_h)), error <= risk_0],
    construct=lambda p: LevelsNetwork.below(Fraction(p.risk_0), p.C), measure=by_levels,
    derive=lambda net, p: {A_c: lambda: frobenius_constant(net.risk() * Fraction(net.N, net.N - 1)), N: net.N,
                           d_h: net.d_h},
    derived=[A_c, N, d_h], requires=[risk_0 < 1],
    grid=points("risk_0 C", ("1/2", 1), ("1/10", 1), ("1/1000", "1/1000"), (Fraction(1, 10**5), 1000),
                (Fraction(1, 10**20), "1/1000"), (Fraction(1, 10**300), Fraction(1, 10**100))),
    controls=[Control("the Frobenius norm", asserts=[large, error <= risk_0]),
              Control("the Frobenius norm, measured by the operator norm", asserts=[large, error <= risk_0],
                      breaks=large, where=risk_0 <= Rational(1, 10**20),
                      measure=lambda net, p: {**by_levels(net, p), norms: enclosed(lambda: 2 * net.slope())})],
)
steep = Claim(
    "Proposition 8, any risk at a bounded operator norm",
    role="necessity", source="derived here: Proposition 8",
    scope={"every number of levels bits": "proof", "every N": "proof", "some recurrent network": "exhibited"},
    asserts=[flat, small, orderly],
    grid=points("bits N", (1, 16), (1, 10**6), (2, 10**6), (3, 10**9), (4, 10**12), (6, 10**18), (9, 4), (30, 10**9),
                (400, 8)),
    construct=lambda p: LevelsNetwork(p.N, p.bits), measure=by_levels,
    controls=[
        Control("a quarter of the levels", breaks=error, where=bits >= 3,
                construct=lambda p: LevelsNetwork(p.N, p.bits - 2, wide=p.bits)),
        Control("the range of one bit", breaks=error, where=bits >= 6,
                construct=lambda p: LevelsNetwork(p.N, p.bits, wide=1)),
        Control("a code of nine tenths of the distance", breaks=[operator, norms], where=bits >= 6,
                construct=lambda p: replace(LevelsNetwork(p.N, p.bits), beta=GILBERT_DISTANCE * Fraction(9, 10))),
        Control("a code twice as long", breaks=norms, where=bits >= 3, measure=lambda net, p: {
            **by_levels(net, p), norms: enclosed(lambda: net.slope() * net.frobenius() * Enclosure(2).sqrt())}),
    ],
)
