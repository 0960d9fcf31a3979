"""Families of false statements about whole numbers, words and samples; all parameters are drawn from a generator."""

# ruff: noqa: E731 - the gap of a family is one line and has a name
from __future__ import annotations

import math
import random
from typing import Any

import sympy

from tools.planted.statement import MOST, WAYS, Planted, beyond, fails, rows, symbols, uniform, whole, words

WORDS = ("uniform", "sparse", "ramp", "heavy", "spiked", "cyclic", "block")
HIDDEN = ("flat", "steady", "noise")  # where the margin says nothing of a needle


def planted(family: str, name: str, variables: Any, gap: Any, witness: Any, way: str, **rest: Any) -> Planted:
    """A statement with the box of whole numbers for its letters, and the points of its grid where it holds."""
    grid = rest.pop("grid", None) or rows(*variables)
    box = {v.name: (int(v.low or 1), MOST) for v in variables if v.kind == "int"} | rest.pop("box", {})
    one = Planted(name, family, tuple(variables), tuple(rest.pop("conditions", ())), gap, way, (), box, witness, **rest)
    held = tuple(row for row in grid if one.holds(row) and one.judge(row).status == "true")
    return Planted(**{k: getattr(one, k) for k in one.__dataclass_fields__} | {"grid": held})


def ladder(rng: random.Random, start: int | None = None, length: int = 3) -> list[int]:
    """Sizes as grids have them: a start, then steps of two or four, or of a few ones."""
    start = start or rng.choice((2, 3, 4, 5, 8, 10, 16))
    step = rng.choice((2, 2, 4))
    return [start * step**k for k in range(length)]


def far(rng: random.Random, top: int, low: float, high: float, most: int = MOST) -> int:
    """A size beyond the top of a grid, by a factor that is log-uniform between powers of two."""
    return min(most, round(top * 2 ** rng.uniform(low, high)))


# -- needles -----------------------------------------------------------------------------------------------------------
def needle(rng: random.Random, index: int, name: str) -> Planted:
    """Fails in one class of residues: of one letter, of a form of two, or of two letters each by its own modulus.

    The density is log-uniform in the index-th sixth of 1e-4 to 1e-1.
    """
    density = 10 ** -(1 + rng.uniform(index, index + 1) / 2)
    q = round(1 / density)
    N, M = whole("N", *ladder(rng)), whole("M", *ladder(rng, length=2))
    if index % 3 == 0:
        r = rng.randrange(1, min(q, MOST))
        return planted("needles", name, [N], lambda p, _: fails(p["N"] % q == r), {"N": r}, rng.choice(HIDDEN))
    if index % 3 == 1:
        a, b = rng.randrange(1, 10), rng.choice([b for b in range(1, 12) if math.gcd(b, q) == 1])
        near = {"N": rng.randrange(1, MOST), "M": rng.randrange(1, MOST)}
        r = (a * near["N"] + b * near["M"]) % q
        gap = lambda p, _: fails((a * p["N"] + b * p["M"]) % q == r)
        return planted("needles", name, [N, M], gap, near, rng.choice(HIDDEN))
    q1 = max(2, round(math.sqrt(q) * rng.uniform(0.6, 1.6)))
    q2 = max(2, round(q / q1))
    r1, r2 = rng.randrange(q1), rng.randrange(q2)
    gap = lambda p, _: fails(p["N"] % q1 == r1 and p["M"] % q2 == r2)
    return planted("needles", name, [N, M], gap, {"N": q1 + r1, "M": q2 + r2}, rng.choice(HIDDEN))


# -- corners -----------------------------------------------------------------------------------------------------------
def corner(rng: random.Random, index: int, name: str) -> Planted:
    """Fails where two or three letters are large together: endless, beyond a product, or in a box thrice its start."""
    letters = [whole(x, *ladder(rng, length=2 + k % 2)) for k, x in enumerate("NMK"[: 2 + index % 2])]
    form = ("each", "box", "product", "box")[index // 2 % 4]
    tops = {v.name: int(v.values[-1]) for v in letters}
    starts = {x: far(rng, top, 1, 6, MOST // 4) for x, top in tops.items()}
    way = rng.choice(WAYS)
    if form == "product":
        total = math.prod(starts.values())
        gap = lambda p, _: beyond(math.prod(p[x] for x in starts), total)
    elif form == "each":
        gap = lambda p, _: sum(beyond(p[x], start) for x, start in starts.items())
    else:
        gap = lambda p, _: sum(beyond(p[x], s) + beyond(3 * s, p[x]) for x, s in starts.items())
    return planted("corners", name, letters, gap, starts, way)


# -- late steps --------------------------------------------------------------------------------------------------------
def late(rng: random.Random, index: int, name: str) -> Planted:
    """Fails from a step on: always the same, later with a parameter, or for large parameters only."""
    T = whole("T", *rng.choice(((1, 10, 50), (4, 16, 64), (1, 2, 4, 8, 16, 32), (10, 100))))
    k = whole("k", *ladder(rng, rng.choice((1, 2, 3)), 2))
    way, start = rng.choice(("flat", "steady", "slope")), far(rng, int(T.values[-1]), 1, 6, MOST // 2)
    if index % 3 == 0:
        return planted("late steps", name, [T], lambda p, _: beyond(p["T"], start), {"T": start}, way)
    if index % 3 == 1:
        slow = max(1, start // int(k.values[-1]))
        gap = lambda p, _: beyond(p["T"], slow * p["k"])
        grid = [row for row in rows(T, k) if gap(row, 0)]
        return planted("late steps", name, [T, k], gap, {"T": slow, "k": 1}, way, grid=grid)
    least = int(k.values[-1]) + rng.randrange(1, 4)
    gap = lambda p, _: beyond(p["T"], start) + beyond(p["k"], least)
    return planted("late steps", name, [T, k], gap, {"T": start, "k": least}, way)


# -- two samples of a hundred ------------------------------------------------------------------------------------------
def sampled(rng: random.Random, index: int, name: str) -> Planted:
    """Fails for two samples of a hundred, at every point; the sample is a function of seed, point and number.

    The measured value is an exponential of mean 1, and the bound its quantile.
    """
    salt = rng.getrandbits(64)
    letters = [whole("n", *ladder(rng)), whole("k", *ladder(rng, 1, 2))][: 1 + index % 2]
    names = sorted(v.name for v in letters)

    def gap(p: Any, sample: int) -> float:
        draw = uniform(f"{salt} {[int(p[x]) for x in names]} {sample}")
        return 0.0 if draw < 0.02 else fails(False, math.log(50 * draw))

    point = {v.name: v.values[0] for v in letters}
    sample = next(s for s in range(1, 10_000) if gap(point, s) <= 0)
    return planted("samples", name, letters, gap, point, "slope", sample=sample, drawn=True)


# -- one word of five --------------------------------------------------------------------------------------------------
def word(rng: random.Random, index: int, name: str) -> Planted:
    """Fails for one word of five, from a size on, of one letter or of two."""
    five = tuple(rng.sample(WORDS, 5))
    bad, w = rng.choice(five), words("family", *five)
    letters = [whole("N", *ladder(rng)), whole("d", *ladder(rng, length=2))][: 1 + index % 2]
    starts = {v.name: far(rng, int(v.values[-1]), 0.5, 5 - index % 2, MOST // 4) for v in letters}
    gap = lambda p, _: (p["family"] != bad) + sum(beyond(p[x], start) for x, start in starts.items())
    return planted("words", name, [*letters, w], gap, {**starts, "family": bad}, rng.choice(WAYS))


# -- letters that hypotheses tie ---------------------------------------------------------------------------------------
def chain(rng: random.Random, name: str) -> Planted:
    """N < M < K; fails where they are next to each other and not small."""
    N, M, K = whole("N", *ladder(rng)), whole("M", *range(5, 40, 9)), whole("K", *range(50, 300, 70))
    spread, least = rng.randrange(2, 6), rng.randrange(5, 30)
    n, m, k = symbols(N, M, K)
    gap = lambda p, _: max(0, p["K"] - p["N"] - spread) / p["K"] + beyond(p["N"], least)
    near = {"N": least, "M": least + 1, "K": least + 2}
    grid = [{"N": a, "M": 3 * a, "K": 9 * a + 5} for a in N.values]
    return planted("tied", name, [N, M, K], gap, near, rng.choice(WAYS), conditions=(n < m, m < k), grid=grid)


def product(rng: random.Random, name: str) -> Planted:
    """N M <= K; fails where K is used up, for N and M that are not small."""
    N, M, K = whole("N", *ladder(rng, 2)), whole("M", 2, 4), whole("K", 64, 256)
    room, least = rng.randrange(0, 3), rng.randrange(3, 12)
    n, m, k = symbols(N, M, K)
    gap = lambda p, _: max(0, p["K"] - p["N"] * p["M"] - room) / p["K"] + sum(beyond(p[x], least) for x in "NM")
    near = {"N": least, "M": least, "K": least**2}
    grid = [{"N": a, "M": 2, "K": 16 * a} for a in N.values]
    return planted("tied", name, [N, M, K], gap, near, rng.choice(WAYS), conditions=(n * m <= k,), grid=grid)


def power(rng: random.Random, name: str) -> Planted:
    """N <= 2^d; fails where a code of d bits is full, from some d on."""
    d, N = whole("d", 3, 4, 6), whole("N", *ladder(rng, 2))
    room, least = rng.choice((0, 1, 2)), rng.randrange(7, 12)
    n, b = symbols(N, d)

    gap = lambda p, _: max(0, 2 ** p["d"] - p["N"] - room) / 2 ** p["d"] + beyond(p["d"], least)
    grid = [{"d": a, "N": 2 ** (a - 1)} for a in d.values]
    near = {"d": least, "N": 2**least}
    return planted("tied", name, [d, N], gap, near, rng.choice(WAYS), conditions=(n <= 2**b,), grid=grid)


def total(rng: random.Random, name: str) -> Planted:
    """N + M = K; fails where N is several times M and K is large."""
    N, M, K = whole("N", *ladder(rng, rng.choice((2, 3, 5)))), whole("M", 2, 5), whole("K", 6, 40)
    times, least = rng.randrange(2, 9), rng.randrange(40, 400)
    n, m, k = symbols(N, M, K)
    gap = lambda p, _: beyond(p["N"], times * p["M"]) + beyond(p["K"], least)
    near = {"N": times * least, "M": least, "K": (times + 1) * least}
    grid = [{"N": a, "M": a, "K": 2 * a} for a in N.values if 2 * a < least]
    return planted("tied", name, [N, M, K], gap, near, rng.choice(WAYS), conditions=(sympy.Eq(n + m, k),), grid=grid)


def multiple(rng: random.Random, name: str) -> Planted:
    """N = M K, N tokens in M blocks of K; fails for many blocks that are long."""
    N, M, K = whole("N", 4, 8, 16), whole("M", 2, 4), whole("K", 2, 4)
    starts = {"M": far(rng, 4, 1, 4), "K": far(rng, 4, 1, 4)}
    n, m, k = symbols(N, M, K)
    gap = lambda p, _: sum(beyond(p[x], start) for x, start in starts.items())
    near = {**starts, "N": starts["M"] * starts["K"]}
    grid = [{"N": a * b, "M": a, "K": b} for a, b in ((2, 2), (4, 2), (2, 4), (4, 4))]
    return planted("tied", name, [N, M, K], gap, near, rng.choice(WAYS), conditions=(sympy.Eq(n, m * k),), grid=grid)


def doubled(rng: random.Random, name: str) -> Planted:
    """N = 2^k; fails from some k on."""
    N, k = whole("N", 4, 8, 16), whole("k", 2, 3, 4)
    least = rng.randrange(6, 13)
    n, b = symbols(N, k)
    gap = lambda p, _: beyond(p["k"], least)
    grid = [{"k": a, "N": 2**a} for a in k.values]
    near = {"k": least, "N": 2**least}
    return planted("tied", name, [N, k], gap, near, rng.choice(WAYS), conditions=(sympy.Eq(n, 2**b),), grid=grid)


def divided(rng: random.Random, name: str) -> Planted:
    """D divides N; fails where d and the quotient are beyond what the grid has."""
    N, d = whole("N", 8, 16, 24), whole("d", 2, 4)
    starts = rng.randrange(5, 20), rng.randrange(7, 40)
    n, e = symbols(N, d)
    gap = lambda p, _: beyond(p["d"], starts[0]) + beyond(p["N"] / p["d"], starts[1])
    near = {"d": starts[0], "N": starts[0] * starts[1]}
    whole_quotient = (sympy.Eq(sympy.Mod(n, e), 0),)
    grid = [{"N": a, "d": b} for a, b in ((8, 2), (8, 4), (16, 4), (24, 4))]
    return planted("tied", name, [N, d], gap, near, rng.choice(WAYS), conditions=whole_quotient, grid=grid)


def edges(rng: random.Random, name: str) -> Planted:
    """2 M <= N (N - 1), M edges on N vertices; fails for the complete graph, from some N on."""
    N, M = whole("N", 4, 6, 8), whole("M", 3, 5, 7)
    least, room = rng.randrange(9, 60), rng.choice((0, 0, 1))
    n, m = symbols(N, M)
    gap = lambda p, _: max(0, p["N"] * (p["N"] - 1) // 2 - p["M"] - room) / p["N"] ** 2 + beyond(p["N"], least)
    near = {"N": least, "M": least * (least - 1) // 2}
    grid = [{"N": a, "M": a} for a in N.values]
    held = (2 * m <= n * (n - 1),)
    return planted("tied", name, [N, M], gap, near, rng.choice(WAYS), conditions=held, grid=grid)


def bits(rng: random.Random, name: str) -> Planted:
    """2^k <= N < 2^(k+1), k the length of N; fails where N is all ones, from some k on."""
    N, k = whole("N", 5, 8, 12), whole("k", 2, 3)
    least = rng.randrange(4, 11)
    n, b = symbols(N, k)
    gap = lambda p, _: (2 ** (p["k"] + 1) - 1 - p["N"]) / p["N"] + beyond(p["k"], least)
    near = {"k": least, "N": 2 ** (least + 1) - 1}
    held = (2**b <= n, n < 2 ** (b + 1))
    grid = [{"k": 2, "N": 5}, {"k": 3, "N": 8}, {"k": 3, "N": 12}]
    return planted("tied", name, [N, k], gap, near, rng.choice(WAYS), conditions=held, grid=grid)


def equal(rng: random.Random, name: str) -> Planted:
    """No hypothesis; fails where two letters are equal (or one is twice the other) and not small."""
    N, M = whole("N", *ladder(rng)), whole("M", 7, 11, 13)
    times, least = rng.choice((1, 1, 2)), rng.randrange(20, 200)
    gap = lambda p, _: abs(p["N"] - times * p["M"]) / p["N"] + beyond(p["N"], least)
    return planted("tied", name, [N, M], gap, {"N": 2 * least, "M": 2 * least // times}, rng.choice(WAYS))


TIES = (chain, product, power, total, multiple, doubled, divided, edges, bits, equal)
