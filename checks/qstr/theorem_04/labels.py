r"""How many labels a fitted read-out of frozen attention needs: one table for every length up to a million.

Setting    As in theorem_04_frozen (`group`), $q=1$, a mean risk $\epsilon\le\frac12$ that is asked for.
Statement  The least $n\ge d+2$ with $E\,R(\hat u)\le\epsilon$ is at most $2d+1$ whatever $N$ is, where Theorem 6 asks
           $(1-\epsilon)Nd$ of every feedforward network with its first layer in the span of its prompts.
Witness    BCH words of guaranteed distance, $N=16$ to $2^{20}$; equiangular vectors and Hadamard words.
Measured   $n$, from $s^2\frac{n-1}{n-d-1}$ with the noise $s^2$ of the code; the condition fails at $n-1$.
Control    A label for each unknown; the length dropped from Theorem 6's number; tokens of twice the dimension.
Reads      Derived here. Fewer than $d$ labels leave $1-\frac nd$ to every learner (theorem_01_infolimit).
"""

from math import ceil

from sympy import Eq, Rational

from theorytools import CheckError, Claim, Control, Enclosure, Quantity, points

from ..notation import N, d, q, rho, risk_0
from .frozen import construct, noise

needed = Quantity("labels", r"\min\{n:E\,R(\hat u)\le\epsilon\}", "least number with that mean risk", (0, None))


def measure(attention, p, times=1):
    s_2, eps, d = attention.leftover(), Enclosure(p.risk_0), times * p.d
    n = max(d + 2, ceil(float(1 + eps * d / (eps - s_2))))  # s^2 (n - 1) <= eps (n - d - 1)
    enough, fewer = ((eps * d).certainly_le((eps - s_2) * (k - 1)) for k in (n, n - 1))
    if not enough or (fewer is not False and n > d + 2):
        raise CheckError(f"n = {n}", required="a sign at n and n - 1", why="the least integer is certified")
    return {needed: n}


claim = Claim(
    "Theorem 4, labels at every length",
    role="variant", source="derived here: Theorem 4",
    scope={"every code, q, d, risk_0": "points", "every N": "points", "every sample": "closed form"},
    asserts=[needed <= 2 * d + 1, needed <= (1 - risk_0) * N * d],
    requires=[Eq(q, 1), rho <= Rational(1, 2), 2 * noise <= risk_0, risk_0 <= Rational(1, 2), d >= 2, N >= 16],
    derive=lambda attention, p: {rho: construct(p).coherence()}, derived=[rho],
    grid=points("code N q d risk_0", *(("bch", N, 1, d, "1/8") for N in (16, 64, 1024, 2**15, 2**20) for d in (2, 50)),
                ("equiangular", 64, 1, 5, "1/8"), ("hadamard", 64, 1, 5, "1/100")),
    construct=construct, measure=measure, controls=[
        Control("a label for each unknown", asserts=[needed <= d], breaks=needed),
        Control("tokens of twice the dimension", asserts=[needed <= 2 * d + 1], breaks=needed,
                measure=lambda attention, p: measure(attention, p, times=2)),
        Control("the length dropped", asserts=[needed <= (1 - risk_0) * d], breaks=needed),
    ],
)
