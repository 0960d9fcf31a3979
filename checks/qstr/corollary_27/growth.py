r"""Without a rectifier the error of a slot grows with the sequence: its slope against that of the closed form.

Setting    As in corollary_27_leak, with tokens $\pm1$ in $d$ coordinates.
Statement  On $N=64,256,1024,4096$ the least-squares slope of the error against $N$ is that of $\sqrt{N-1}$ for
           independent tokens, that of $N-1$ for equal ones, and 0 behind a rectifier.
Witness    The tracker of corollary_27_leak: $\|\sum_{i\ne t}x_i\|$ is added up in a simulated pass.
Measured   Independent tokens, with and without a rectifier: eight repeats for each size, each the root mean square
           over 2 prompts and 16 coordinates; t-interval at 95 % from the repeats.  Equal tokens: the exact errors.
Control    Equal tokens under the square-root law; no rectifier; half of the exponent; the slope of $N^e$ in place of
           $(N-1)^e$.
Reads      Derived here.  The noise of a repeat is close to $1/\sqrt{2\cdot32}=1/8$, so slope_half_width promises 0.0291
           before anything is drawn; the whole interval has to lie within three of these, 11/125, of the slope.  Two
           enclosures of one irrational slope never prove it equal: those of equal tokens agree within $10^{-12}$.  A
           mean of logarithms is compared: its bias, about $-1/(4\cdot32)$, is the same at every size.
"""

import numpy as np
from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, curve_slope, grid
from theorytools.statistics.censored import Repeats
from theorytools.statistics.slopes import mean_slope

from ..notation import N, digit, power_e
from .leak import LeakyPass

WINDOW = (64, 256, 1024, 4096)
error = Quantity("error", r"\|h_N-x_t\|/\epsilon", "error of the slot after the pass, per coordinate, in units of eps")
LAWS = {"independent": (Rational(1, 2), Rational(11, 125)), "rectified": (0, Rational(11, 125)),
        "equal": (1, Rational(1, 10**12))}  # exponent and tolerance


def construct(p) -> LeakyPass:
    return LeakyPass("equal" if p.tokens == "equal" else "independent", p.tokens == "rectified")


def measure(net, p):
    if net.tokens == "equal":
        return {error: curve_slope(WINDOW, [int(net.errors(np.ones((1, size, 1)), 0)[0, 0]) for size in WINDOW])}
    rng, rms = p.rng("tokens"), []
    for size in WINDOW:
        found = net.errors(rng.choice([-1.0, 1.0], (16, size, 16)), size // 2)
        rms.append(np.sqrt((found.reshape(8, -1) ** 2).mean(axis=1)))
    return {error: mean_slope(Repeats.observed(WINDOW, rms), noise="repeats").recipe()}


def law(e):
    return error.slope(N, (N - 1) ** e, "==", within=digit)


claim = Claim(
    "Corollary 27, growth of the error",
    role="necessity", source="derived here: Corollary 27",
    scope={"every tokens": "points", "every N": "points", "every prompt": "drawn"},
    asserts=law(power_e), construct=construct, measure=measure,
    grid=grid(tokens=LAWS), derived=[power_e, digit],
    derive=lambda net, p: dict(zip((power_e, digit), LAWS[p.tokens], strict=True)),
    controls=[
        Control("equal tokens under the square-root law", breaks=error, where=Eq(power_e, Rational(1, 2)),
                construct=lambda p: LeakyPass("equal")),
        Control("no rectifier", breaks=error, where=Eq(power_e, 0), construct=lambda p: LeakyPass()),
        Control("half of the exponent", breaks=error, where=power_e > 0, asserts=[law(power_e / 2)]),
        Control("the slope of a power of N", breaks=error, where=Eq(power_e, 1),
                asserts=[error.slope(N, N**power_e, "==", within=digit)]),
    ],
)
