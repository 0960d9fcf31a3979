"""Families of false statements about a rational with a small denominator, or one that is tied to other letters."""

# ruff: noqa: E731 - the gap of a family is one line and has a name
from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy

from tools.planted.letters import HIDDEN, WORDS, ladder, planted
from tools.planted.statement import WAYS, Planted, beyond, fails, real, symbols, whole, words

LARGEST = 12  # denominator of a violation
GRID = ("1/10", "3/10", "7/10", "9/10", "1/16", "3/16", "99/100")
UNIT = (Fraction(0), Fraction(1))


def fraction(rng: random.Random, largest: int = LARGEST) -> Fraction:
    """A fraction inside (0, 1): its denominator first, uniform, then a numerator prime to it."""
    q = rng.randrange(2, largest + 1)
    return Fraction(rng.choice([p for p in range(1, q) if math.gcd(p, q) == 1]), q)


def _letter(rng: random.Random, name: str, *without: Fraction, count: int = 3) -> Any:
    values = [Fraction(text) for text in GRID]
    return real(name, *rng.sample([v for v in values if v not in without], count))


def _between(*letters: Any) -> Iterator[sympy.Basic]:
    for symbol in symbols(*letters):
        yield symbol > 0
        yield symbol < 1


def _made(
    rng: random.Random, name: str, letters: Any, gap: Any, near: Any, ways: Any, *more: Any, **rest: Any
) -> Planted:
    reals = [v for v in letters if v.kind == "rat"]
    box = {v.name: UNIT for v in reals}
    conditions = (*_between(*reals), *more)
    return planted("rationals", name, letters, gap, near, rng.choice(ways), conditions=conditions, box=box, **rest)


def exact(rng: random.Random, name: str) -> Planted:
    """Fails at one fraction."""
    at = fraction(rng)
    x = _letter(rng, "x", at)
    return _made(rng, name, [x], lambda p, _: fails(p["x"] == at), {"x": at}, HIDDEN)


def resonance(rng: random.Random, name: str) -> Planted:
    """Fails where n x is whole, for n beyond a number, or is not a whole number plus a half."""
    shift, least = rng.choice((Fraction(0), Fraction(1, 2))), rng.randrange(3, 9)
    x, n = _letter(rng, "x"), whole("n", 1, 2)
    gap = lambda p, _: fails((p["n"] * p["x"] - shift).denominator == 1 and p["n"] >= least)
    near = {"n": least, "x": (Fraction(1) if shift == 0 else Fraction(1, 2)) / least}
    return _made(rng, name, [x, n], gap, near, HIDDEN)


def narrow(rng: random.Random, name: str) -> Planted:
    """Fails within a hundredth or less of a fraction."""
    at, width = fraction(rng, 6), Fraction(1, rng.randrange(60, 400))
    x = _letter(rng, "x", at, count=2)
    gap = lambda p, _: float(max(0, abs(p["x"] - at) / width - 1))
    return _made(rng, name, [x], gap, {"x": at}, WAYS)


def pair(rng: random.Random, name: str) -> Planted:
    """Fails at one pair of fractions of denominator at most 4."""
    a, b = fraction(rng, 4), fraction(rng, 4)
    x, y = _letter(rng, "x", a), _letter(rng, "y", b)
    return _made(rng, name, [x, y], lambda p, _: fails((p["x"], p["y"]) == (a, b)), {"x": a, "y": b}, HIDDEN)


def balanced(rng: random.Random, name: str) -> Planted:
    """Fails where two fractions add up to one or are equal, as probabilities of two outcomes do."""
    together, at = rng.random() < 0.5, fraction(rng)
    x, y = _letter(rng, "x", count=2), _letter(rng, "y", count=2)
    gap = lambda p, _: float(abs(p["x"] + p["y"] - 1 if together else p["x"] - p["y"]))
    return _made(rng, name, [x, y], gap, {"x": at, "y": 1 - at if together else at}, WAYS)


def end(rng: random.Random, name: str) -> Planted:
    """Fails near an end of the interval."""
    small, upper = Fraction(1, rng.randrange(20, 400)), rng.random() < 0.5
    x = _letter(rng, "x", Fraction(99, 100), Fraction(1, 16))
    distance = lambda p: 1 - p["x"] if upper else p["x"]
    gap = lambda p, _: beyond(float(1 / distance(p)), float(1 / small))
    return _made(rng, name, [x], gap, {"x": 1 - small / 2 if upper else small / 2}, WAYS)


def spoken(rng: random.Random, name: str) -> Planted:
    """Fails at one fraction for one word of three."""
    at, three = fraction(rng, 6), tuple(rng.sample(WORDS, 3))
    bad, x, w = rng.choice(three), _letter(rng, "x", at, count=2), words("law", *three)
    gap = lambda p, _: fails(p["x"] == at and p["law"] == bad)
    return _made(rng, name, [x, w], gap, {"x": at, "law": bad}, HIDDEN)


def inverse(rng: random.Random, name: str) -> Planted:
    """0 < x n^a <= 1 with a of 1 or 2; fails where x is close to 1/n^a, from some n on."""
    a, least, close = rng.choice((1, 2)), rng.randrange(9, 60), Fraction(rng.randrange(80, 100), 100)
    x, n = _letter(rng, "x"), whole("n", *ladder(rng, 2, 2))
    xs, ns = symbols(x, n)
    gap = lambda p, _: float(max(0, close - p["x"] * p["n"] ** a)) + beyond(p["n"], least)
    grid = [{"n": k, "x": Fraction(1, 2 * k**a)} for k in n.values]
    near = {"n": least, "x": Fraction(1, least**a)}
    return _made(rng, name, [x, n], gap, near, WAYS, xs * ns**a <= 1, grid=grid)


FRACTIONS = (exact, resonance, narrow, pair, balanced, end, spoken, inverse)
