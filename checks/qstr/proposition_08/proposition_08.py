r"""On general 1STR the state of a recurrent network is wide, and the Frobenius norm of its readout maps is large.

Finding    Where each position asks for its own token, the state of a recurrent network grows with $N$; for the second
           bound the norm must be Frobenius', with the operator norm it is false.
Setting    General 1STR with payloads $\langle u,x_k\rangle\sim N(0,1)$. Two states of dimension $d_h$ and norm at most
           $r_h$, any transition; a readout that is $(L/r_h)$-Lipschitz in $(U^\to h^\to,U^\leftarrow h^\leftarrow)$.
Statement  With $c'=\frac N{N-1}R<1$ and each $\eta'>0$, $\sqrt{c'}+\eta'<1$:
           $d_h\ge(N-1)\log\frac1{\sqrt{c'}+\eta'}/\log\frac{2L^2\|U\|_{\mathrm{op}}^2}{\eta'^2}$ and
           $L(\|U^\to\|_F+\|U^\leftarrow\|_F)\ge A_c\sqrt{N-1}$, $A_c=e^z(1-2z)^{3/2}$, $ze^z=\frac12\sqrt{ec'}$.
           For $c'\to0$ the last position needs $d_h\ge N-1$.
Proof      Of the bounded operator norm: a code of rate $\frac16$ and relative distance $\beta=0.26441$ exists for every
           number of bits, so the slope is the range of the levels over $2\sqrt\beta$, whatever $N$ is.
Witness    A slot for every payload ($d_h=N$, $U=I$, $L=2\sqrt N$); signs of the payloads in a binary linear code.
Measured   Dimensions as integers; $L\|U\|$ from $r_h$ and the least distance of the code: enumerated for $N\le16$,
           beyond it exists by counting. The risk of the slots is bounded by chi-square tails, of the payloads'
           norm and of each; the reads of the integers 1 to N are run through the weights.
Control    One slot, all that simple 1STR needs; three times the bound; the operator norm in place of the
           Frobenius norm; a slot less, or one more asked for.
Reads      The display was not available to us; the constants are derived here, with no $\log d_h$. The second bound
           read with the operator norm, $L\|U\|_{\mathrm{op}}\ge C\sqrt{N/\log d_h}$ for some $C>0$ once the risk is
           below some $c>0$, fails for every $c$: with $2^b$ levels for a payload the risk is at most
           $\frac{\sqrt3\pi}24^{-b}$ and the operator norm $\frac85b$, for every $N$ (tried up to $b=6$). The
           Frobenius-norm bound holds. The difference may be one norm symbol.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import E, Rational, log, pi, sqrt

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.constructions.recurrent.code_state import GILBERT_DISTANCE, CodeStateRNN
from theorytools.constructions.recurrent.store_all import StoreAllRNN
from theorytools.theory.memory.rate_distortion import frobenius_constant, state_bound

from ..notation import A_c, C, N, bits, c_1, d_h, eta_1, slope_U
from ._levels import LevelsNetwork

width = Quantity("width", "d_h", "dimension of each state", (1, None))
lost = Quantity("lost", r"\Pr(\hat y\ne y)", "fraction of wrong reads, payloads 1 to N", (0, 1))
norms = Quantity("norms", r"L(\|U^\to\|_F+\|U^\leftarrow\|_F)", "slope times Frobenius norms", (0, None))
error = Quantity("risk", "R", "mean squared error for Gaussian payloads", (0, None))
operator = Quantity("operator norm", r"L\|U\|_{\mathrm{op}}", "slope times operator norm", (0, None))
least, large = width >= state_bound(N - 1, c_1, eta_1, slope_U, 1).expr, norms >= A_c * sqrt(N - 1)


small = error <= sqrt(3) * pi / 2 * 4**-bits


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
    return (net.distortion() if isinstance(net, LevelsNetwork) else net.risk_bound() * Fraction(net.N, net.N - 1))


def derive(net, p):
    return {c_1: lambda: risk(net), A_c: lambda: frobenius_constant(risk(net)), slope_U: net.slope}


claim = Claim(
    "Proposition 8",
    role="statement", source="published: Proposition 8; prose",
    scope={"every N, eta_1": "points", "every recurrent network": "points"},
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
    scope={"every N": "points", "every recurrent network": "points"},
    note="The limit $c'\\to0$ at the last position.",
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
    "Proposition 8, operator-norm reading",
    role="pitfall", source="published: Proposition 8; none",
    scope={"every bits, N, C": "points", "some risk c": "closed form", "every recurrent network": "points"},
    expect="REFUTED", note="The second bound with the operator norm: for some c > 0, risk at most c costs it.",
    asserts=[operator >= C * sqrt(N / log(d_h)), small],
    construct=lambda p: LevelsNetwork.of(p.N, p.bits), measure=by_levels,
    derive=lambda net, p: {A_c: lambda: frobenius_constant(risk(net)), d_h: net.d_h}, derived=[A_c, d_h],
    grid=points("bits N C", (1, 8, 1), (1, 10**9, "1/1000"), (2, 10**9, "1/1000"), (3, 10**9, "1/1000"),
                (4, 10**9, "1/1000"), (5, 10**12, "1/1000"), (6, 10**12, "1/1000")),
    controls=[Control("the Frobenius norm", asserts=[large, small]),
              Control("the Frobenius norm, measured by the operator norm", asserts=[large, small],
                      breaks=large, where=N >= 179,
                      measure=lambda net, p: {**by_levels(net, p), norms: enclosed(lambda: 2 * net.slope())}),
              Control("half as many levels", asserts=[small], breaks=error, where=bits >= 2,
                      construct=lambda p: LevelsNetwork.of(p.N, p.bits - 1))],
)
steep = Claim(
    "Proposition 8, any risk at a bounded operator norm",
    role="necessity", source="derived here: Proposition 8",
    scope={"every number of levels bits": "points", "every N": "proof", "some recurrent network": "exhibited"},
    asserts=[operator <= Rational(8, 5) * bits, small],
    grid=points("bits N", (1, 16), (1, 10**6), (2, 10**6), (3, 10**9), (4, 10**12), (5, 10**12), (6, 10**18)),
    construct=lambda p: LevelsNetwork.of(p.N, p.bits), measure=by_levels,
    controls=[
        Control("half as many levels", breaks=error, where=bits >= 2,
                construct=lambda p: LevelsNetwork.of(p.N, p.bits - 1)),
        Control("a code of half the distance", breaks=operator,
                construct=lambda p: replace(LevelsNetwork.of(p.N, p.bits), beta=GILBERT_DISTANCE / 2)),
    ],
)
