r"""Random signs of dimension $c\log N$ can leak nothing in the limit iff $c>2/\log2$.

Setting    As in lemma_11_average; $d_e=c\log N$ and $z=e^{-2\beta/d_e}$ fixed, $N\to\infty$.
Statement  The bound $\binom N2(\frac{1+z}2)^{d_e}$ on the mean worst leakage is $N^{2-c\log\frac2{1+z}+o(1)}$, and
           vanishes for some $z$ iff $c>2/\log2$.  Otherwise two codes are equal with a probability that stays
           positive: with $\nu=N(N-1)2^{-d_e}/2$, $1-e^{-\nu}\le p_{\mathrm{rep}}\le\nu$.
Witness    $c=5$, the dimension of the public code: the bound vanishes for $z\le0.34$, $\beta\ge2.7\log N$.
Measured   The exponent at infinity and its zero, by sympy; the probability of equal codes, rational.
Control    Base $z$ for $\frac{1+z}2$; one position for all; one code fewer; each ordered pair counted; codes a sign
           shorter.
Reads      Derived here.  Two equal codes leak at least $\frac12$, whatever the temperature.  At $c=2/\log2$
           the probability tends to $1-e^{-1/2}$, so the condition is strict.
"""

from functools import cache

from sympy import Rational, exp, log, solve

from theorytools import Bound, Claim, Control, Quantity, points
from theorytools.papers.qstr.attention.average_leakage import RandomSigns

from ..notation import N, d_e, ratio, z
from .average import mean

power = Quantity("exponent", r"\lim\log_N\binom N2(\tfrac{1+z}2)^{d_e}", "of the bound on the mean worst leakage")
zero = Quantity("threshold", "c_0", "the c at which that exponent is zero", (0, None))
equal = Quantity("equal codes", r"p_{\mathrm{rep}}", "probability that two of the codes are equal", (0, 1))
precisely, pairs = Rational(1, 10**30), N * (N - 1) / 2 ** (d_e + 1)


@cache
def formula(base=(1 + z) / 2, others=N * (N - 1) / 2) -> Bound:
    return Bound(Bound(mean(base, others).subs(d_e, ratio * log(N))).exponent(N))


@cache
def root(exponent):
    return Bound(solve(exponent, ratio)[0])


def measure(exponent, p):
    c_0 = root(exponent.expr)
    return {power: lambda: exponent.enclosure(256, ratio=p.ratio, z=p.z), zero: lambda: c_0.enclosure(256, z=p.z)}


rate = log(2 / (1 + z))
claim = Claim(
    "Lemma 11, random signs of logarithmic dimension",
    role="growth", source="derived here: Lemma 11",
    scope={"every z": "points", "every dimension ratio c log N": "points", "every large N": "closed form"},
    asserts=[power.equals(2 - ratio * rate, within=precisely), zero.equals(2 / rate, within=precisely)],
    requires=[z < 1],
    grid=points("ratio z", (5, "17/50"), (5, "7/20"), (2, "1/1000"), (3, "1/1000"), (16, "1/2")),
    construct=lambda p: formula(), measure=measure, controls=[
        Control("base z", breaks=[power, zero], construct=lambda p: formula(z)),
        Control("one position for all", breaks=[power, zero], construct=lambda p: formula(others=N - 1)),
    ],
)
repeats = Claim(
    "Lemma 11, random signs that repeat",
    role="growth", source="derived here: Lemma 11", scope={"every N, d_e": "points", "every code": "closed form"},
    note="Equal codes, which no temperature tells apart.",
    asserts=[equal >= 1 - exp(-pairs), equal <= pairs], requires=[N >= 2],
    grid=points("N d_e", (2, 1), (2, 20), (16, 4), (16, 8), (64, 12), (256, 16), (64, 40)),
    construct=lambda p: RandomSigns(p.N, p.d_e, 1), measure=lambda signs, p: {equal: signs.repeat_chance()},
    controls=[
        Control("one code fewer", asserts=[equal <= (N - 1) * (N - 2) / 2 ** (d_e + 1)], breaks=equal,
                where=pairs <= Rational(1, 1000)),
        Control("a sign fewer in a code", asserts=[equal <= pairs], breaks=equal,
                where=(pairs <= Rational(1, 1000)) & (d_e >= 8), construct=lambda p: RandomSigns(p.N, p.d_e - 1, 1)),
        Control("each ordered pair counted", asserts=[equal >= 1 - exp(-2 * pairs)], breaks=equal, where=d_e >= 8),
    ],
)
