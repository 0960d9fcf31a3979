r"""What two states can carry is at least what the other payloads need, however the resolution is split.

Setting    As in Proposition 8: states of ranks $D_s$ after the maps $U^s$, resolution
           $\eta_\to^2+\eta_\leftarrow^2=\eta'^2$. At the last position one state is empty and the other has all of it.
Statement  $(N-1)\log\frac1{\sqrt{c'}+\eta'}\le\sum_s\min\{\frac{L^2\|U^s\|_F^2}{2e\eta_s^2},
           \Psi_{D_s}(D_sL^2\|U^s\|_{\mathrm{op}}^2/\eta_s^2)\}$; $\Psi_D(X)$ is $\frac D2\log\frac XD$ for $X\ge eD$,
           $\frac X{2e}$ below.  By packing, for $x=(2\sqrt{c'}+\eta')^2<1$:
           $d_h\ge\frac{\log\frac34+\frac{N-1}2(x-1-\log x)}{2\log(1+2\sqrt2L\|U\|_{\mathrm{op}}/\eta')}$.
Witness    The networks of Proposition 8: slots, and signs in a code, drawn or known to exist.
Measured   The right side in ball arithmetic, from dimension, slope and norms; dimensions as integers.
Control    One slot; twice the left side; three times the packing bound; operator for Frobenius norm.
Reads      The display was not available to us. Both forms and their constants are derived here. The given token is
           side information, independent of the states: the error is averaged over it.
"""

from fractions import Fraction

from sympy import Rational, sqrt

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.theory.memory.rate_distortion import nats_recovered, packing_dimension, side_information

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
    role="statement", source="published: Proposition 35; none",
    scope={"every N, eta_1, share": "points", "every recurrent network": "points"},
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
    scope={"every N, eta_1": "points", "every recurrent network": "points"},
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
