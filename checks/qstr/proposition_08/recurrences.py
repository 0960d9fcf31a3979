r"""How many values the state of a recurrence must take: the least over all recurrences, by search.

Setting    General 1STR, payloads $\pm1$, or $-1,0,1$, uniform. One state, of $S$ values after every token; any
           transition, which may change from token to token. The answer at the last position, where the index comes
           last, is any function of the state, the own token and the index; $c$ is its mean squared error,
           $c'=\frac N{N-1}c$.
Statement  The least $S$ over all recurrences lies between $e^{(N-1)R(c')}$, with
           $R(c')=\frac{1+\rho}2\log(1+\rho)+\frac{1-\rho}2\log(1-\rho)$, $\rho=\sqrt{1-c'}$, for two levels and
           $\log3-c'\log\frac2{c'}-(1-c')\log\frac1{1-c'}$ for three, and the $|A|^k$ codewords of a network
           that holds $k=\lceil(N-1)(1-c'/\mathbb{E}a^2)\rceil$ payloads.
Proof      Of the lower side: $\log S\ge\sum_kI(a_k;h)$. For signs $I$ is a power series in $E(a|h)^2$ with positive
           coefficients, so convex. For three levels $H(a|h)\le\log\sum_ae^{-s(a-y)^2}+s\operatorname{Var}(a|h)$ at
           $y=E(a|h)$, and $s$ is free. The sum is largest at $y=0$: it falls on $[0,\frac12]$, where its derivative
           is at most that at $s=\frac1{4y}\log\frac{(1+y)(1+2y)}{(1-y)(1-2y)}\ge\frac32$, and for
           $y\in[\frac12,1]$ it is at most the sum at $1-y$.
Adversary  All sequences of partitions of (value, next payload), up to reflections and exchanges of payloads.
Measured   The least $S$, an integer, from errors in integers.
Control    The index on every token, as in simple 1STR; a value fewer; $N$ for $N-1$; the rate of Gaussian payloads; a
           code for one payload fewer.
Reads      Derived here: Proposition 35 with values for balls. A state of $d_h$ units of $b$ bits takes $2^{bd_h}$
           values, so $d_h\ge\frac1b\log_2S$. What else the tokens carry is independent of the payloads, and of no use.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Rational, ceiling, exp, log, sqrt

from theorytools import Claim, Control, Quantity, points

from ..notation import N, c_1
from ._few_states import least_states

states = Quantity("states", "S", "least number of values of the state", (1, None))
SIGNS, LEVELS = (-1, 1), (-1, 0, 1)
rho = sqrt(1 - c_1)
signs = ((1 + rho) * log(1 + rho) + (1 - rho) * log(1 - rho)) / 2
levels = log(3) - c_1 * log(2 / c_1) - (1 - c_1) * log(1 / (1 - c_1))


def least(letters, known=False, fewer=0):
    return lambda _, p: {states: least_states(letters, p.N - 1, Fraction(p.c_1), known) - fewer}


def controls(letters, rate):
    enough = states >= exp((N - 1) * rate)
    return [
        Control("the index on every token", breaks=enough, where=(N >= 3) & (c_1 <= Rational(1, 6)),
                measure=least(letters, known=True)),
        Control("a value fewer", breaks=enough, where=c_1 <= Rational(1, 1000), measure=least(letters, fewer=1)),
        Control("N payloads", breaks=states, where=c_1 <= Rational(1, 1000), asserts=[states >= exp(N * rate)]),
    ]


claim = Claim(
    "Proposition 8, every recurrence of few values",
    role="variant", source="derived here: Proposition 8",
    scope={"every N": "points", "every risk c_1": "points", "every recurrence": "enumeration"},
    asserts=[states >= exp((N - 1) * signs), states <= 2 ** ceiling((N - 1) * (1 - c_1))],
    requires=[N >= 2, c_1 > 0, c_1 < 1], construct=lambda p: None, measure=least(SIGNS),
    grid=points("N c_1", *[(N, "1/1000") for N in (2, 3, 4)], (4, "1/12"), (3, "1/8"), (3, "1/4"), (4, "1/4"),
                (4, "1/3"), (5, "1/2"), (5, "5/8"), (3, "3/4"), (5, "3/4")),
    controls=[
        *controls(SIGNS, signs),
        Control("Gaussian payloads", breaks=states, where=c_1 <= Rational(1, 3),
                asserts=[states >= c_1 ** (-(N - 1) / 2)]),
        Control("a code for a payload fewer", breaks=states,
                asserts=[states <= 2 ** (ceiling((N - 1) * (1 - c_1)) - 1)]),
    ],
)
three = replace(
    claim, label="Proposition 8, every recurrence of few values, three levels",
    role="variant", source="derived here: Proposition 8",
    scope={"every N": "points", "every risk c_1": "points", "every recurrence": "enumeration"},
    asserts=[states >= exp((N - 1) * levels), states <= 3 ** ceiling((N - 1) * (1 - 3 * c_1 / 2))],
    requires=[N >= 2, c_1 > 0, c_1 < Rational(2, 3)], measure=least(LEVELS),
    grid=points("N c_1", (2, "1/1000"), (3, "1/1000"), (3, "1/40"), (2, "1/6"), (3, "1/6"), (3, "1/4"), (4, "7/18"),
                (3, "5/12"), (4, "1/2")),
    controls=controls(LEVELS, levels),
)
