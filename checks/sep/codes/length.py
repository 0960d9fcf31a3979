r"""A draw of random signs has a gap of half its length with probability above 1/2 at some length up to $15.3\ln N+4$.

Setting    $N$ random sign vectors of length $k$, a multiple of 4; a pair fails if $\langle t_i,t_j\rangle>\frac k2$;
           $D=\frac12(\frac32\ln\frac32+\frac12\ln\frac12)=0.1308$.
Statement  The least $k$ at which fewer than $\frac12$ pairs are expected to fail is at most $\frac2D\ln N+4$. From
           $N=2^{32}$ to $2^{128}$ it grows by $\frac2D\ln2=10.6$ a doubling, up to 2 % less.
Witness    Binomial tails in integers.
Measured   The least $k$, by bisection; its growth over 96 doublings.
Control    A gap of three quarters; Hoeffding's $16\ln2=11.1$ a doubling; $\frac1D$ for $\frac2D$; 3 % more.
Reads      Derived here, by Chernoff's bound $\frac{N^2}2e^{-Dk}$; the tail is smaller by a factor of order $\sqrt k$,
           which takes $\frac1{2D}\ln4=5.3$ of 1017 from the growth. Independent signs only: designed codes do better.
"""

from fractions import Fraction
from functools import cache

from sympy import Rational, log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.dimensions import expected_violations

from ..notation import D_half, N

length = Quantity("least length", r"k_{\min}", "multiple of 4 with fewer than 1/2 failing pairs expected", (4, None))
growth = Quantity("growth", r"k_{\min}(2^{128})-k_{\min}(2^{32})", "over 96 doublings", (0, None))
D = {D_half: (Rational(3, 2) * log(Rational(3, 2)) + log(Rational(1, 2)) / 2) / 2}


@cache
def least(N, rho=Fraction(1, 2)) -> int:
    low, high = 1, 4096
    while low < high:
        middle = (low + high) // 2
        if 2 * expected_violations(N, 4 * middle, rho=rho, one_sided=True) < 1:
            high = middle
        else:
            low = middle + 1
    return 4 * low


chernoff = length <= 2 / D_half * log(N) + 4
claim = Claim(
    "Nearly orthogonal codes, the least length",
    role="variant", source="derived here: nearly orthogonal vectors",
    scope={"every N": "points", "every draw": "closed form"},
    asserts=chernoff, lets=D, construct=lambda p: least(p.N),
    grid=points("N", (2,), (16,), (256,), (2**20,), (2**64,)), measure=lambda found, p: {length: found}, controls=[
        Control("a gap of three quarters", breaks=length, where=N >= 16, asserts=[chernoff],
                construct=lambda p: least(p.N, Fraction(1, 4))),
        Control("half as long", breaks=length, where=N >= 2**20, asserts=[length <= 1 / D_half * log(N) + 4]),
    ],
)


def rate(each):
    return [growth <= 96 * each, growth >= Rational(49, 50) * 96 * each]


grown = Claim(
    "Nearly orthogonal codes, how the least length grows",
    role="growth", source="derived here: nearly orthogonal vectors",
    scope={"every N": "points", "every draw": "closed form"},
    asserts=rate(2 * log(2) / D_half), lets=D,
    requires=[N >= 2**32], grid=points("N", (2**32,), (2**40,)),
    construct=lambda p: [least(N) for N in (p.N, p.N << 96)],
    measure=lambda found, p: {growth: found[1] - found[0]}, controls=[
        Control("Hoeffding's rate", breaks=growth, asserts=rate(16 * log(2))[1:]),
        Control("three per cent more", breaks=growth, asserts=rate(2 * log(2) / D_half * Rational(103, 100))[1:]),
        Control("a gap of three quarters", breaks=growth, asserts=rate(2 * log(2) / D_half)[:1],
                construct=lambda p: [least(N, Fraction(1, 4)) for N in (p.N, p.N << 96)]),
    ],
)
