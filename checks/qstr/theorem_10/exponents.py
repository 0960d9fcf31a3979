r"""How the number of prompts that the generalisation bound asks for grows with each parameter.

Setting    As in theorem_10, by chaining, at $(N,d,q)=(100,10,1)$ but for the letter that varies; target 1, or the
           target itself with $\eta=10^{-12}$.
Statement  The least $n$ has exponent $-2$ in the target excess, 4 in $A$ (hence in $AB$), 4 in $d$, 5 in $q$, 1 in $m$,
           0 in $N$ and 4 in $\log N$; between the ends of the listed windows, powers of ten, its slope is within
           $\frac3{10}$ of that.
Witness    GeneralisationBound, and its leading term as one letter grows.
Measured   The exponent exactly, from leading terms at $n=x^3$ and $n=x^7$; the slope between two certified crossings.
Control    One-hot codes, $d_e=N$: exponent 2 in place of 0; a level of the loss that does not grow, $\tau=100$; half of
           each exponent.
Reads      Derived here.  Logarithms move a slope on a window from its limit, so the two are stated apart.
"""

from sympy import Eq, Ne, Rational

from theorytools import Claim, Control, Quantity, enclosed_between, points
from theorytools.papers.qstr.capacity.generalisation import GeneralisationBound
from theorytools.papers.qstr.capacity.sample_size import required_n_slope

from ..notation import power_n

limit = Quantity("exponent", r"\lim\tfrac{\log n_{\min}}{\log x}", "in the letter that grows")
local = Quantity("slope", r"\tfrac{\Delta\log n_{\min}}{\Delta\log x}", "between the ends of the window")


def construct(p) -> GeneralisationBound:
    return GeneralisationBound(N=100, n=1, d=10, q=1, eta=Rational(1, 10**12 if p.letter == "target" else 10))


def measure(bound, p, form="dudley", letter=""):
    letter, scale = letter or p.letter, "log"
    exponent = bound.exponent(letter, form)
    if letter == "log_N":  # N itself lies between the powers of ten
        letter, scale = "N", "log log"
    ends = (Rational(10) ** p.low, Rational(10) ** p.high)
    low, high = required_n_slope(bound, letter, ends, 1, form, scale=scale, factor=Rational(10001, 10000))
    return {limit: exponent, local: enclosed_between(lambda: low, lambda: high)}


asserts = [limit.equals(power_n), local.equals(power_n, within=Rational(3, 10))]
claim = Claim(
    "Theorem 10, exponents of our evaluator",
    role="growth", source="derived here: Theorem 10",
    scope={"every power_n": "points", "every letter": "closed form", "every window low, high": "points"},
    asserts=asserts, construct=construct, measure=measure,
    tabulated=[power_n], grid=points("letter low high power_n",
                ("target", -1, 0, -2), ("target", -3, -2, -2), ("A", 1, 2, 4), ("A", 2, 3, 4), ("A", 4, 5, 4),
                ("d", 7, 8, 4), ("q", 4, 5, 5), ("q", 6, 7, 5), ("m", 7, 8, 1), ("N", 2, 4, 0), ("N", 16, 32, 0),
                ("N", 512, 2048, 0), ("log_N", 128, 512, 4), ("log_N", 512, 2048, 4), ("log_N", 2048, 8192, 4),
                ("log_N", 8192, 32768, 4)),
    controls=[
        Control("one-hot codes", breaks=[limit, local], where=Eq(power_n, 0),
                measure=lambda bound, p: measure(bound, p, letter="N d_e")),
        Control("a level that does not grow", breaks=[limit, local], where=power_n >= 4,
                measure=lambda bound, p: measure(bound, p, "clipped")),
        Control("half of each exponent", breaks=[limit, local], where=Ne(power_n, 0),
                asserts=[limit.equals(power_n / 2), local.equals(power_n / 2, within=Rational(3, 10))]),
    ],
)
