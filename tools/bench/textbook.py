"""Statements made by hand: seventeen from textbooks, with the letters and enumerations that all of them use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any

import sympy
from sympy import Min, Rational, exp, log, pi, sqrt

from theorytools.claims.language.grid import grid, points
from theorytools.claims.language.symbol import letter
from theorytools.numbers import Enclosure
from tools.bench.handmade import HandMade

N = letter("N", "a size", integer=True, positive=True)
n = letter("n", "a number of terms", integer=True, positive=True)
k = letter("k", "a number of bits", integer=True, positive=True)
m = letter("m", "a number of units, or a weight", integer=True, positive=True)
x = letter("x", "a real number")
a, b = letter("a", "a number", positive=True), letter("b", "a number", positive=True)


def softmax(weights: Sequence[int], slot: int) -> Fraction:
    """The attention outside one slot."""
    return 1 - Fraction(weights[slot], sum(weights))


def uneven(size: int) -> list[Fraction]:
    """The leakage of every slot where slot i has i + 1 rivals of weight 1 beside its own weight 8."""
    return [softmax([8, *[1] * (slot + 1)], 0) for slot in range(size)]


def codewords(size: int) -> int:
    """How many distinct rows the table of equality of two strings has."""
    strings = list(product((0, 1), repeat=size))
    return len({tuple(s == t for t in strings) for s in strings})


def harmonic(size: int) -> Fraction:
    """The sum of 1/k."""
    return sum((Fraction(1, i) for i in range(1, size + 1)), Fraction(0))


def dyck(size: int) -> int:
    """Balanced words of 2n brackets, by the recurrence over heights."""
    heights = {0: 1}
    for _ in range(2 * size):
        step: dict[int, int] = {}
        for height, count in heights.items():
            for other in (height + 1, height - 1):
                if other >= 0:
                    step[other] = step.get(other, 0) + count
        heights = step
    return heights[0]


def divisors(number: int) -> int:
    """How many numbers divide this one."""
    return sum(1 + (i * i < number) for i in range(1, math.isqrt(number) + 1) if number % i == 0)


def tail(trials: int, least: int) -> Fraction:
    """The probability of at least so many heads."""
    return Fraction(sum(math.comb(trials, i) for i in range(least, trials + 1)), 2**trials)


def biased_variance(trials: int) -> Fraction:
    """The mean of the variance with divisor n over all strings of coins."""
    shares = [Fraction(sum(string), trials) for string in product((0, 1), repeat=trials)]
    return sum((share * (1 - share) for share in shares), Fraction(0)) / len(shares)


def regions(size: int) -> int:
    """The parts of a disc cut by all chords between n points, by Euler's formula."""
    crossings = math.comb(size, 4)
    vertices = size + crossings
    edges = size + (math.comb(size, 2) + 2 * crossings if size > 1 else 0)
    return edges - vertices + 1 if size > 1 else 1


def roots(size: int) -> Enclosure:
    """The sum of 1/sqrt(k)."""
    return reduce(lambda total, i: total + 1 / Enclosure(i).sqrt(), range(1, size + 1), Enclosure(0))


def coin(p: Any, one: Fraction) -> Any:
    """The proportion of successes, drawn."""
    from theorytools.statistics.sampled import proportion

    return proportion(lambda rng, size: (rng.random(size) < float(one)).astype(float), p.seed("coin"))


def larger(p: Any) -> Any:
    """The larger of two uniform numbers, drawn."""
    from theorytools.statistics.sampled import bounded_mean

    return bounded_mean(lambda rng, size: rng.random((size, 2)).max(axis=1), p.seed("pairs"), low=0, high=1)


TEXTBOOK = (
    HandMade(
        "sum_of_squares",
        "index off by one",
        "1 + 4 + ... + N^2",
        "==",
        N * (N + 1) * (2 * N - 1) / 6,
        grid(N=[2, 5, 20]),
        lambda p: sum(i * i for i in range(p.N + 1)),
        {"N": 5},
        Fraction(55),
        "The last factor is 2N + 1.",
    ),
    HandMade(
        "harmonic_half",
        "constant",
        "1 + 1/2 + ... + 1/N",
        "<=",
        log(N) + Rational(1, 2),
        grid(N=[1, 10, 100]),
        lambda p: harmonic(p.N),
        {"N": 10},
        Fraction(7381, 2520),
        "It exceeds log N by more than 0.577.",
    ),
    HandMade(
        "harmonic_bounded",
        "log dropped",
        "1 + 1/2 + ... + 1/N",
        "<=",
        sympy.Integer(4),
        grid(N=[2, 4, 8, 16]),
        lambda p: harmonic(p.N),
        {"N": 64},
        harmonic(31) + sum(Fraction(1, i) for i in range(32, 65)),
        "It grows like log N and passes 4 at N = 31.",
    ),
    HandMade(
        "central_binomial",
        "constant 3 % off",
        "C(2n, n)",
        "<=",
        Rational(100, 103) * 4**n / sqrt(pi * n),
        grid(n=[1, 2, 8, 64]),
        lambda p: math.comb(2 * p.n, p.n),
        {"n": 64},
        reduce(lambda v, i: v * Fraction(4 * i - 2, i), range(1, 65), Fraction(1)),
        "4^n/sqrt(pi n) is attained to a part 1/(8n).",
    ),
    HandMade(
        "stirling_third_term",
        "constant",
        "n!",
        ">=",
        sqrt(2 * pi * n) * (n / exp(1)) ** n * exp(1 / (12 * n)),
        grid(n=[1, 10, 100]),
        lambda p: math.factorial(p.n),
        {"n": 10},
        Fraction(3628800),
        "The next term of the series, -1/(360 n^3), is negative.",
    ),
    HandMade(
        "euler_primes",
        "horizon",
        "divisors of N^2 + N + 41",
        "==",
        sympy.Integer(2),
        grid(N=[1, 2, 7, 20, 39]),
        lambda p: divisors(p.N**2 + p.N + 41),
        {"N": 40},
        Fraction(3),
        "40^2 + 40 + 41 = 41^2 has three divisors.",
    ),
    HandMade(
        "chords_of_a_disc",
        "horizon",
        "parts of a disc cut by all chords of n points",
        "==",
        2 ** (n - 1),
        grid(n=[1, 2, 3, 4, 5]),
        lambda p: regions(p.n),
        {"n": 6},
        Fraction(1 + math.comb(6, 2) + math.comb(6, 4)),
        "The sixth point makes 31 parts.",
    ),
    HandMade(
        "sum_against_squares",
        "index off by one",
        "(a_1 + ... + a_N)^2 for ones",
        "<=",
        (N - 1) * N,
        grid(N=[2, 3, 9]),
        lambda p: sum(1 for _ in range(p.N)) ** 2,
        {"N": 3},
        Fraction(9),
        "Cauchy-Schwarz has N on the right, and ones attain it.",
    ),
    HandMade(
        "harmonic_mean",
        "min for max",
        "2ab/(a + b)",
        "<=",
        Min(a, b),
        grid(a=[1, 2], b=[1, 2]),
        lambda p: Fraction(2 * p.a * p.b, p.a + p.b),
        {"a": 1, "b": 2},
        Fraction(4, 3),
        "A mean lies above the least.",
    ),
    HandMade(
        "bernoulli_everywhere",
        "hypothesis dropped",
        "(1 + x)^n",
        ">=",
        1 + n * x,
        grid(n=[1, 3, 5], x=[-1, 0, 2]),
        lambda p: (1 + Fraction(p.x)) ** p.n,
        {"n": 3, "x": -4},
        Fraction(-27),
        "x >= -2 was dropped; of an odd power the left side falls faster.",
    ),
    HandMade(
        "geometric_series",
        "index off by one",
        "1 + x + ... + x^(n-1)",
        "==",
        (1 - x ** (n + 1)) / (1 - x),
        grid(n=[1, 4], x=["1/2", 3]),
        lambda p: sum((Fraction(p.x) ** i for i in range(p.n)), Fraction(0)),
        {"n": 4, "x": 3},
        Fraction(40),
        "n terms end with x^(n-1).",
        [sympy.Ne(x, 1)],
    ),
    HandMade(
        "variance_by_n",
        "constant",
        "mean of the variance with divisor n of n coins",
        "==",
        Rational(1, 4),
        grid(n=[2, 4, 8]),
        lambda p: biased_variance(p.n),
        {"n": 4},
        Fraction(3, 16),
        "The divisor must be n - 1.",
        [n <= 12],
    ),
    HandMade(
        "union_bound",
        "index off by one",
        "chance that one of N events of chance 1/m happens",
        "<=",
        (N - 1) / m,
        grid(N=[2, 5], m=[10, 1000]),
        lambda p: 1 - (1 - Fraction(1, p.m)) ** p.N,
        {"N": 2, "m": 10},
        Fraction(19, 100),
        "All N events count.",
    ),
    HandMade(
        "hoeffding_twice",
        "constant",
        "chance of 3n/4 heads or more among n",
        "<=",
        exp(-n / sympy.Integer(4)),
        grid(n=[4, 8, 16, 32]),
        lambda p: tail(p.n, -(-3 * p.n // 4)),
        {"n": 16},
        Fraction(2517, 65536),
        "The exponent is 2 t^2/n = n/8.",
    ),
    HandMade(
        "inverse_roots",
        "constant",
        "1 + 1/sqrt(2) + ... + 1/sqrt(N)",
        "<=",
        2 * sqrt(N) - Rational(3, 2),
        grid(N=[1, 10, 100]),
        lambda p: lambda: roots(p.N),
        {"N": 10},
        sum((1 / sqrt(sympy.Integer(i)) for i in range(1, 11)), sympy.Integer(0)),
        "The constant is zeta(1/2) = -1.46, above -3/2.",
    ),
    HandMade(
        "a_third_drawn",
        "constant 3 % off",
        "chance of a draw below 1/3",
        "==",
        Rational(103, 300),
        points("N", (1,)),
        lambda p: coin(p, Fraction(1, 3)),
        {"N": 1},
        Fraction(1, 3),
        "The chance is 1/3 by construction.",
        within=Rational(1, 1000),
    ),
    HandMade(
        "larger_of_two",
        "constant 3 % off",
        "mean of the larger of two uniform numbers",
        "<=",
        Rational(200, 309),
        points("N", (1,)),
        larger,
        {"N": 1},
        Fraction(2, 3),
        "The density 2t gives 2/3.",
    ),
)  # fmt: skip
