"""Families of false statements whose text lacks a hypothesis, or has a weaker one; the grid meets it."""

# ruff: noqa: E731 - the gap of a family is one line and has a name
from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

from tools.planted.letters import ladder, planted
from tools.planted.statement import WAYS, Planted, beyond, fails, real, symbols, whole


def _made(rng: random.Random, name: str, letters: Any, gap: Any, near: Any, **rest: Any) -> Planted:
    return planted("dropped", name, letters, gap, near, rng.choice(WAYS), **rest)


def least(rng: random.Random, name: str) -> Planted:
    """The proof needs n >= 8 or another start; the grid begins there, the text says nothing."""
    start = rng.choice((4, 6, 8, 8, 10, 12))
    n, d = whole("n", start, 2 * start, 4 * start), whole("d", *ladder(rng, length=2))
    wrong, other = start - rng.randrange(1, 3), rng.choice((1, 2))
    gap = lambda p, _: beyond(wrong / p["n"], 1) + fails(p["d"] >= other, 0.2)
    return _made(rng, name, [n, d], gap, {"n": wrong, "d": other})


def ratio(rng: random.Random, name: str) -> Planted:
    """A < b is needed, a <= c b with c of 6/5, 3/2 or 2 is said."""
    up, down = rng.choice(((6, 5), (3, 2), (2, 1), (9, 8)))
    a, b = whole("a", 2, 5, 10), whole("b", 8, 15, 30)
    x, y = symbols(a, b)
    strict = rng.random() < 0.5
    gap = lambda p, _: fails(p["a"] > p["b"] if strict else p["a"] >= p["b"], 1 - p["a"] / p["b"])
    grid = [{"a": 2, "b": 8}, {"a": 5, "b": 15}, {"a": 10, "b": 15}, {"a": 10, "b": 30}]
    near = {"a": 2 * up, "b": 2 * down}
    return _made(rng, name, [a, b], gap, near, conditions=(down * x <= up * y,), grid=grid)


def strict(rng: random.Random, name: str) -> Planted:
    """K < n is needed, k <= n is said."""
    k, n, size = whole("k", 2, 4, 8), whole("n", 6, 12, 24), rng.randrange(1, 12)
    x, y = symbols(k, n)
    gap = lambda p, _: (p["n"] - p["k"]) / p["n"] + beyond(p["n"], size)
    grid = [{"k": v, "n": 3 * v} for v in k.values] + [{"k": 4, "n": 6}]
    return _made(rng, name, [k, n], gap, {"k": size, "n": size}, conditions=(x <= y,), grid=grid)


def parity(rng: random.Random, name: str) -> Planted:
    """An even n is needed (or a multiple of four), the grid has no other."""
    by, size = rng.choice((2, 2, 4)), rng.randrange(1, 60)
    n, m = whole("n", 4, 8, 16), whole("m", *ladder(rng, length=2))
    gap = lambda p, _: fails(p["n"] % by != 0, 0.5) + beyond(p["n"], size)
    return _made(rng, name, [n, m], gap, {"n": by * size + 1, "m": 1})


def positive(rng: random.Random, name: str) -> Planted:
    """A real letter is positive in the proof and on the grid, and has no sign in the text; fails at 0, or below."""
    x, n = real("x", "1/4", "1", "5/2"), whole("n", *ladder(rng, length=2))
    below = Fraction(rng.choice(("0", "0", "1/4", "1", "3")))
    gap = lambda p, _: fails(p["x"] <= -below, float(p["x"] + below))
    return _made(rng, name, [x, n], gap, {"x": -below, "n": 1}, box={"x": (Fraction(-10), Fraction(10))})


def distinct(rng: random.Random, name: str) -> Planted:
    """Two letters are different (or two apart) in the proof and on the grid, and nothing of it in the text."""
    a, b, apart = whole("a", *ladder(rng)), whole("b", 7, 23, 45), rng.choice((0, 0, 1))
    size = rng.randrange(1, 20)
    gap = lambda p, _: max(0, abs(p["a"] - p["b"]) - apart) / p["a"] + beyond(p["a"], size)
    return _made(rng, name, [a, b], gap, {"a": size, "b": size})


def capacity(rng: random.Random, name: str) -> Planted:
    """N <= 2^d is missing: more tokens than codes."""
    N, d, size = whole("N", 4, 8, 16), whole("d", 4, 6), rng.randrange(1, 8)
    gap = lambda p, _: fails(p["N"] > 2 ** p["d"], 1 - p["N"] / 2 ** p["d"]) + beyond(p["d"], size)
    return _made(rng, name, [N, d], gap, {"N": 2**size + 1, "d": size})


def coprime(rng: random.Random, name: str) -> Planted:
    """Two letters have no common factor in the proof and on the grid, and nothing of it in the text."""
    a, b, common = whole("a", 3, 5, 9), whole("b", 4, 8, 16), rng.choice((2, 3, 4, 5))
    gap = lambda p, _: fails(math.gcd(p["a"], p["b"]) >= common)
    return _made(rng, name, [a, b], gap, {"a": 2 * common, "b": 3 * common})


def contraction(rng: random.Random, name: str) -> Planted:
    """0 < rho < 1 is needed, rho < 3/2 or 2 is said, or rho <= 1."""
    said, size = rng.choice((Fraction(1), Fraction(3, 2), Fraction(2))), rng.randrange(1, 9)
    rho, T = real("rho", "1/4", "1/2", "9/10"), whole("T", *ladder(rng))
    (x,) = symbols(rho)
    gap = lambda p, _: fails(p["rho"] >= 1, float(1 - p["rho"])) + beyond(p["T"], size)
    top = x <= 1 if said == 1 else 2 * x < int(2 * said)
    near = {"rho": Fraction(1), "T": size}
    return _made(rng, name, [rho, T], gap, near, conditions=(x > 0, top), box={"rho": (Fraction(0), said)})


def samples(rng: random.Random, name: str) -> Planted:
    """M >= c d is missing: fewer samples than dimensions, from some dimension on."""
    d, m, times = whole("d", 2, 4, 8), whole("m", 40, 80, 160), rng.choice((1, 1, 2))
    size = rng.randrange(2, 30)
    gap = lambda p, _: beyond(times * p["d"] / p["m"], 1) + beyond(p["d"], size)
    return _made(rng, name, [d, m], gap, {"d": size, "m": size})


DROPPED = (least, ratio, strict, parity, positive, distinct, capacity, coprime, contraction, samples)
