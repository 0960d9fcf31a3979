"""Base statements on attention, laws, risks and runs: what is averaged or maximised exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb
from typing import Any

import sympy

from theorytools.bench.left.draft import Base, Slip
from theorytools.bench.left.kinds import (
    DERIVED,
    EMPTY,
    FEW,
    FIRST,
    FIXED,
    FORMULA,
    HARD,
    IGNORED,
    INDEX,
    LESS,
    MORE,
    NATS,
    ORDER,
    PEAK,
    SAMPLE,
    SQUARED,
    TRAINING,
    VARIED,
    VECTOR,
)


def harmonic(size: int) -> Fraction:
    """The sum of 1/k, over one denominator."""
    whole = sympy.ilcm(*range(1, size + 1)) if size > 1 else 1
    return Fraction(sum(int(whole) // k for k in range(1, size + 1)), int(whole))


LEAKAGE = Base(
    "leakage",
    {"N": "number of heads", "w": "weight"},
    "largest leakage",
    r"\max_i\ell_i",
    "(0, 1)",
    "$@N$ heads; head $i=0,1,\\dots$ gives weight $(@N-i)@w$ to its own token and weight 1 to every other.",
    [
        "def @build(p):\n    return [[(p.@N - i) * p.@w if i == j else 1 for j in range(p.@N)] for i in range(p.@N)]",
        "def @share(row, i):\n    return 1 - Fraction(row[i], sum(row))",
        "def @observe(weights, p):\n    leaks = [@share(row, i) for i, row in enumerate(weights)]\n"
        "    return {@q: max(leaks)}",
    ],
    "@build",
    "@observe",
    "<=",
    "(N - 1)/(N - 1 + w)",
    ["N >= 2", "w >= 2"],
    {"N": [(4, 16), (6, 12), (5, 20)], "w": [(4, 12), (6, 10), (8, 16)]},
    'Control("equal weights", breaks=@q, construct=lambda p: [[1] * p.@N for _ in range(p.@N)])',
    lambda x: Fraction(x["N"] - 1, x["N"] - 1 + x["w"]),
    [
        ("[[3, 1], [1, 1]]", {"N": 2, "w": 2}, Fraction(1, 2)),
        ("[[4, 1, 1], [0, 2, 1], [1, 1, 3]]", {"N": 3, "w": 2}, Fraction(2, 5)),
    ],
    {"every head": "enumeration"},
)

ATTENTION = Base(
    "attention",
    {"N": "number of tokens", "b": "inverse temperature"},
    "attention on other tokens",
    r"\ell",
    "(0, 1)",
    "$@N$ tokens; the first has score $@b$, every other has score 0; softmax to the base $e$.",
    [
        "def @build(p):\n    return [p.@b] + [0] * (p.@N - 1)",
        "def @power(s):\n    return Enclosure(s).exp()",
        "def @observe(scores, p):\n    def compute():\n        powers = [@power(s) for s in scores]\n"
        "        total = sum(powers[1:], powers[0])\n        return sum(powers[2:], powers[1]) / total\n\n"
        "    return {@q: enclosed(compute)}",
    ],
    "@build",
    "@observe",
    "<=",
    "(N - 1)*exp(-b)",
    ["N >= 3"],
    {"N": [(4, 16), (6, 32), (3, 10)], "b": [(4, 8), (5, 9), (6, 7)]},
    'Control("no score", breaks=@q, construct=lambda p: [0] * p.@N, where=@b >= 4)',
    lambda x: (x["N"] - 1) / (x["N"] - 1 + sympy.exp(x["b"])),
    [("[1, 0]", {"N": 3, "b": 1}, 1 / (1 + sympy.E)), ("[0, 0, 0]", {"N": 3, "b": 1}, Fraction(2, 3))],
)

_LAW = "[Fraction(1, 2 ** min(i, p.@N - 1)) for i in range(1, p.@N + 1)]"
ENTROPY = Base(
    "entropy",
    {"N": "number of values"},
    "entropy in bits",
    "H",
    "(0, None)",
    "A law on $@N$ values with the probabilities $1/2,1/4,\\dots$, the last of them twice.",
    [
        f"def @build(p):\n    return {_LAW}",
        "def @logarithm(x):\n    return Enclosure(x).log() / Enclosure(2).log()",
        "def @observe(law, p):\n    def compute():\n        parts = [-Enclosure(q) * @logarithm(q) for q in law]\n"
        "        return sum(parts[1:], parts[0])\n\n    return {@q: enclosed(compute)}",
    ],
    "@build",
    "@observe",
    "<=",
    "2",
    ["N >= 4"],
    {"N": [(4, 8), (5, 12), (6, 10), (4, 16)]},
    'Control("equal values", breaks=@q, construct=lambda p: [Fraction(1, @many)] * @many)',
    lambda x: 2 - Fraction(4, 2 ** x["N"]),
    [
        ("[Fraction(1, 2)] * 2", {"N": 4}, 1),
        ("[Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]", {"N": 4}, Fraction(3, 2)),
    ],
    numbers={"many": [8, 16, 32]},
)

_SIGNS = "list(product((-1, 1), repeat=p.@n))"
RADEMACHER = Base(
    "rademacher",
    {"n": "number of points"},
    "Rademacher complexity",
    r"E\sup_f\frac1n\sum_i\sigma_if(x_i)",
    "(None, 1)",
    "$@n$ points and the $@n$ functions that are 1 at one of them.",
    [
        "def @build(p):\n    return [[int(i == j) for j in range(p.@n)] for i in range(p.@n)]",
        "def @dot(f, signs):\n    return sum(a * b for a, b in zip(f, signs, strict=True))",
        f"def @observe(functions, p):\n    signs = {_SIGNS}\n"
        "    total = sum(max(@dot(f, s) for f in functions) for s in signs)\n"
        "    return {@q: Fraction(total, len(signs) * p.@n)}",
    ],
    "@build",
    "@observe",
    "<=",
    "1/n",
    ["n >= 2", "n <= 8"],
    {"n": [(2, 4), (3, 5), (4, 6), (3, 6)]},
    f'Control("all patterns", breaks=@q, construct=lambda p: {_SIGNS})',
    lambda x: Fraction(2 ** x["n"] - 2, 2 ** x["n"] * x["n"]),
    [("[[1, 0], [0, 1]]", {"n": 2}, Fraction(1, 4)), ("[[1], [-1]]", {"n": 1}, 1)],
    {"every function": "enumeration"},
)

STRETCH = Base(
    "stretch",
    {"N": "size of the matrix"},
    "norm from the cube to sums",
    r"\max_{x\in\{\pm1\}^N}\|Ax\|_1",
    "(0, None)",
    "The matrix $A_{ij}=(-1)^{i+j}ij$ of size $@N$, and every vector of signs.",
    [
        "def @build(p):\n"
        "    return [[(-1) ** (i + j) * i * j for j in range(1, p.@N + 1)] for i in range(1, p.@N + 1)]",
        "def @image(matrix, x):\n    return [abs(sum(a * b for a, b in zip(row, x, strict=True))) for row in matrix]",
        "def @observe(matrix, p):\n    xs = list(product((-1, 1), repeat=len(matrix)))\n"
        "    return {@q: max(sum(@image(matrix, x)) for x in xs)}",
    ],
    "@build",
    "@observe",
    "<=",
    "N**2*(N + 1)**2/4",
    ["N >= 2", "N <= 10"],
    {"N": [(3, 6), (4, 7), (5, 6), (2, 5)]},
    'Control("three quarters", asserts=[@q <= 3 * @N**2 * (@N + 1) ** 2 / 16], breaks=@q)',
    lambda x: sum(range(1, x["N"] + 1)) ** 2,
    [("[[1, -1], [1, -1]]", {"N": 2}, 4), ("[[1, 2], [3, 4]]", {"N": 2}, 10)],
    {"every vector": "enumeration"},
)

RISK = Base(
    "risk",
    {"r": "rows of a category", "d": "number of categories"},
    "risk on new labels",
    r"R",
    "(0, None)",
    "$@d$ categories with $@r$ rows each; labels are signs, each as likely; the mean label of a category predicts a new one.",
    [
        "def @build(p):\n    return list(product((-1, 1), repeat=p.@r))",
        "def @error(rows):\n    mean = Fraction(sum(rows), len(rows))\n"
        "    new = [(s - mean) ** 2 for s in (-1, 1)]\n    return sum(new) / len(new)",
        "def @observe(labels, p):\n    return {@q: p.@d * sum(@error(rows) for rows in labels) / len(labels)}",
    ],
    "@build",
    "@observe",
    "<=",
    "d*(1 + 1/r)",
    ["r >= 2", "r <= 8"],
    {"r": [(2, 4), (3, 5), (2, 5)], "d": [(1, 3), (2, 5), (3, 7)]},
    'Control("the noise alone", asserts=[@q <= @d], breaks=@q)',
    lambda x: x["d"] + Fraction(x["d"], x["r"]),
    [("[(1,)]", {"r": 2, "d": 1}, 2), ("[(1, -1), (1, 1)]", {"r": 2, "d": 1}, Fraction(3, 2))],
    {"every row of labels": "enumeration"},
)

MEMORY = Base(
    "memory",
    {"N": "number of inputs", "k": "number of stored ones"},
    "share of wrong answers",
    r"R",
    "(0, 1)",
    "$@N$ equally likely inputs; a table that stores the labels of $@k$ of them, and is wrong on every other.",
    [
        "def @build(p):\n    return {x: x % 2 for x in range(p.@k)}",
        "def @observe(table, p):\n    return {@q: Fraction(sum(table.get(x) != x % 2 for x in range(p.@N)), p.@N)}",
    ],
    "@build",
    "@observe",
    "<=",
    "1 - k/N",
    ["k <= N"],
    {"N": [(8, 12), (9, 16), (10, 24)], "k": [(2, 5), (3, 6), (1, 4)]},
    'Control("one more stored", asserts=[@q <= 1 - (@k + 1) / @N], breaks=@q)',
    lambda x: Fraction(x["N"] - x["k"], x["N"]),
    [("{0: 0, 1: 1}", {"N": 4, "k": 2}, Fraction(1, 2)), ("{}", {"N": 3, "k": 1}, 1)],
)

PASSAGE = Base(
    "passage",
    {"N": "size of the interval"},
    "longest mean time to leave",
    r"\max_aE_aT",
    "(0, None)",
    "A fair walk on $0,\\dots,@N$ that stops at both ends, from every start.",
    [
        "def @build(p):\n    return @times(p.@N)",
        "def @times(size):\n    rows = [(0, 0), (1, 0)]\n    while len(rows) <= size:\n"
        "        (u, v), (y, z) = rows[-2:]\n        rows.append((2 * y - u, 2 * z - v - 2))\n"
        "    first = Fraction(-rows[size][1], rows[size][0])\n    return [u * first + v for u, v in rows]",
        "def @observe(times, p):\n    return {@q: max(times)}",
    ],
    "@build",
    "@observe",
    "<=",
    "N**2/4",
    ["N >= 2"],
    {"N": [(4, 10), (5, 12), (6, 9), (8, 21)]},
    'Control("a reflecting end", breaks=@q, construct=lambda p: @times(2 * p.@N))',
    lambda x: x["N"] ** 2 // 4,
    [("[0, 1, 0]", {"N": 2}, 1), ("[0, 3, 4, 3, 0]", {"N": 4}, 4)],
    {"every start": "enumeration"},
)

LIPSCHITZ = Base(
    "quotient",
    {"N": "number of steps"},
    "largest quotient",
    r"\max|f(x)-f(y)|/|x-y|",
    "(0, None)",
    "$f(x)=x/(1+x)$ at $0,1/@N,\\dots,1$, and every pair of these points.",
    [
        "def @build(p):\n    return [Fraction(i, p.@N) for i in range(p.@N + 1)]",
        "def @map(x):\n    return x / (1 + x)",
        "def @observe(xs, p):\n    pairs = list(combinations(xs, 2))\n"
        "    return {@q: max((@map(y) - @map(x)) / (y - x) for x, y in pairs)}",
    ],
    "@build",
    "@observe",
    "<=",
    "1",
    ["N >= 2"],
    {"N": [(3, 8), (4, 12), (5, 10), (2, 16)]},
    'Control("a half", asserts=[@q <= Rational(1, 2)], breaks=@q)',
    lambda x: Fraction(x["N"], x["N"] + 1),
    [
        ("[Fraction(0), Fraction(1)]", {"N": 2}, Fraction(1, 2)),
        ("[Fraction(0), Fraction(1, 2), Fraction(1)]", {"N": 2}, Fraction(2, 3)),
    ],
    {"every pair": "enumeration"},
)

SPAN = Base(
    "span",
    {"m": "number of planes", "n": "number of vectors"},
    "mean energy outside the span",
    r"\frac1D\sum_i|e_i-Pe_i|^2",
    "(0, 1)",
    "$@n$ unit vectors in as many of $@m$ planes at right angles; $P$ projects on their span.",
    [
        "def @build(p):\n    rows = [[Fraction(0)] * (2 * p.@m) for _ in range(p.@n)]\n"
        "    for k, row in enumerate(rows):\n        row[2 * k], row[2 * k + 1] = Fraction(@x, @z), Fraction(@y, @z)\n"
        "    return rows",
        "def @outside(basis, i):\n    return 1 - sum(row[i] ** 2 for row in basis)",
        "def @observe(basis, p):\n    size = len(basis[0])\n"
        "    return {@q: sum(@outside(basis, i) for i in range(size)) / size}",
    ],
    "@build",
    "@observe",
    "<=",
    "1 - n/(2*m)",
    ["n >= 2", "n <= m"],
    {"m": [(4, 9), (5, 8), (6, 12)], "n": [(2, 3), (2, 4), (3, 4)]},
    'Control("the first vector twice", breaks=@q, construct=lambda p: @build(p)[:1] * p.@n, measure=lambda b, p: @observe(b[:1], p))',
    lambda x: 1 - Fraction(x["n"], 2 * x["m"]),
    [
        ("[[Fraction(3, 5), Fraction(4, 5)]]", {"m": 1, "n": 1}, Fraction(1, 2)),
        (
            "[[Fraction(1), Fraction(0), Fraction(0)], [Fraction(0), Fraction(3, 5), Fraction(4, 5)]]",
            {"m": 2, "n": 2},
            Fraction(1, 3),
        ),
    ],
    numbers={"x y z": [(3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25)]},
)

REGRET = Base(
    "regret",
    {"T": "number of steps"},
    "regret of the leader",
    r"\sum_t\ell_t-\min_i\sum_t\ell_{t,i}",
    "(None, None)",
    "Two experts that are wrong in turn, $@T$ steps; the better one so far is followed, the first in a tie.",
    [
        "def @build(p):\n    return [((t + 1) % 2, t % 2) for t in range(p.@T)]",
        "def @observe(losses, p):\n    a = b = lost = 0\n    for x, y in losses:\n        lost += x if a <= b else y\n"
        "        a, b = a + x, b + y\n    return {@q: lost - min(a, b)}",
    ],
    "@build",
    "@observe",
    "<=",
    "(T + 1)/2",
    ["T >= 1"],
    {"T": [(5, 12), (9, 14), (7, 20), (11, 30)]},
    'Control("a third", asserts=[@q <= @T / 3], breaks=@q)',
    lambda x: -(-x["T"] // 2),
    [("[(1, 0)]", {"T": 1}, 1), ("[(1, 0), (0, 1), (1, 0)]", {"T": 3}, 2)],
)

COUPONS = Base(
    "coupons",
    {"N": "number of coupons"},
    "mean number of draws",
    r"E\,T",
    "(0, None)",
    "Coupons of $@N$ kinds are drawn until all were seen; the chances of a new one are $1,1-1/@N,\\dots,1/@N$.",
    [
        "def @build(p):\n    return [Fraction(p.@N - i, p.@N) for i in range(p.@N)]",
        "def @observe(chances, p):\n    return {@q: sum(1 / c for c in chances)}",
    ],
    "@build",
    "@observe",
    "<=",
    "N*(log(N) + 1)",
    ["N >= 2"],
    {"N": [(4, 16), (5, 20), (8, 32), (6, 24)]},
    'Control("a draw for each", asserts=[@q <= @N], breaks=@q)',
    lambda x: x["N"] * harmonic(x["N"]),
    [
        ("[Fraction(1), Fraction(1, 2)]", {"N": 2}, 3),
        ("[Fraction(1), Fraction(2, 3), Fraction(1, 3)]", {"N": 3}, Fraction(11, 2)),
    ],
)

SORTING = Base(
    "sorting",
    {"N": "number of items"},
    "number of comparisons",
    r"c",
    "(0, None)",
    "Binary insertion of $@N$ items: item $i$ needs as many comparisons as $i$ has binary digits.",
    [
        "def @build(p):\n    return list(range(p.@N))",
        "def @observe(items, p):\n    return {@q: sum(i.bit_length() for i in items)}",
    ],
    "@build",
    "@observe",
    "<=",
    "N*(log(N)/log(2) + 1)",
    ["N >= 2"],
    {"N": [(8, 64), (16, 128), (10, 100)]},
    'Control("one for each", asserts=[@q <= @N], breaks=@q, where=@N >= 5)',
    lambda x: sum(max(x["N"] - 2**k, 0) for k in range(64)),
    [("[0, 1, 2]", {"N": 3}, 3), ("[7, 8]", {"N": 2}, 7)],
)

CODE = Base(
    "code",
    {"N": "number of items"},
    "number of different words",
    r"|C|",
    "(0, None)",
    "The items $0,\\dots,@N-1$, written with so many bits.",
    [
        "def @build(p, less=0):\n    bits = (p.@N - 1).bit_length() - less\n    return [i % 2**bits for i in range(p.@N)]",
        "def @observe(words, p):\n    return {@q: len(set(words))}",
    ],
    "@build",
    "@observe",
    "==",
    "N",
    ["N >= 2"],
    {"N": [(4, 16, 64), (8, 30), (5, 20, 50)]},
    'Control("one bit less", breaks=@q, construct=lambda p: @build(p, 1))',
    lambda x: x["N"],
    [("[0, 1, 1]", {"N": 3}, 2), ("[3]", {"N": 1}, 1)],
    {"some code": "exhibited"},
)

STEP = Base(
    "step",
    {"L": "largest curvature"},
    "contraction of a step",
    r"|1-\eta L|",
    "(0, None)",
    "A gradient step of size $\\eta$ on $x\\mapsto @L x^2/2$.",
    [
        "def @build(p):\n    return Fraction(@few, @few * p.@L)",
        "def @observe(step, p):\n    return {@q: abs(1 - step * p.@L)}",
    ],
    "@build",
    "@observe",
    "<=",
    "1/2",
    ["L >= 1"],
    {"L": [(1, 4, 9), (2, 8), (3, 12, 30)]},
    'Control("twice the step", breaks=@q, construct=lambda p: 2 * @build(p))',
    lambda x: 0,
    [("Fraction(1)", {"L": 1}, 0), ("Fraction(1, 4)", {"L": 2}, Fraction(1, 2))],
    {"some step": "exhibited"},
)

BASES = (
    LEAKAGE,
    ATTENTION,
    ENTROPY,
    RADEMACHER,
    STRETCH,
    RISK,
    MEMORY,
    PASSAGE,
    LIPSCHITZ,
    SPAN,
    REGRET,
    COUPONS,
    SORTING,
    CODE,
    STEP,
)


def _early(sides: Any) -> Any:
    """What an object chosen at the first point of the grid gives at a later one."""

    def fails(x: Any, points: Sequence[Any]) -> tuple[Any, Any]:
        found: tuple[Any, Any] = sides(points[0], x)
        return found

    return fails


def _peeked(x: Any) -> int:
    return -(x["T"] // 2)


_HALF = 'Control("a half of it", asserts=[@q <= (%s) / 2], breaks=@q)'
_BELOW = 'Control("below zero", asserts=[@q <= -1], breaks=@q)'

SLIPS = (
    Slip(
        FIRST,
        "leakage",
        [("max(leaks)", "leaks[0]")],
        "The first head is measured, the worst is named.",
        lambda x: Fraction(x["N"] - 1, x["N"] - 1 + x["N"] * x["w"]),
        right="1/w",
    ),
    Slip(
        LESS,
        "leakage",
        [("max(leaks)", "sum(leaks) / len(leaks)")],
        "The mean over heads is measured, the worst is named.",
        lambda x: sum(Fraction(x["N"] - 1, x["N"] - 1 + j * x["w"]) for j in range(1, x["N"] + 1)) / x["N"],
        right="(log(N) + 1)/w",
        requires=["N >= 2", "w >= 4"],
        at=[{"N": 16, "w": 12}],
        controls='Control("no weight", breaks=@q, construct=lambda p: [[int(i != j) for j in range(p.@N)] for i in range(p.@N)], where=@w >= log(@N) + 2)',
    ),
    Slip(
        HARD,
        "leakage",
        [("1 - Fraction(row[i], sum(row))", "int(row.index(max(row)) != i)")],
        "The largest weight takes all.",
        lambda x: 0,
        right="1/(N*w)",
    ),
    Slip(
        FORMULA,
        "leakage",
        [
            ("max(leaks)", "Fraction(p.@N - 1, p.@N - 1 + p.@N * p.@w)"),
            ("    leaks = [@share(row, i) for i, row in enumerate(weights)]\n", ""),
        ],
        "The right side is computed again, and no head is looked at.",
        lambda x: Fraction(x["N"] - 1, x["N"] - 1 + x["N"] * x["w"]),
        relation="==",
        right="(N - 1)/(N - 1 + N*w)",
        controls='Control("one more", asserts=[@q.equals((@N - 1) / (@N + @N * @w))], breaks=@q)',
    ),
    Slip(
        IGNORED,
        "leakage",
        [("max(leaks)", "Fraction(1, 1 + p.@w)")],
        "The number does not depend on the heads.",
        lambda x: Fraction(1, 1 + x["w"]),
        right="1/w",
        controls=_HALF % "1 / @w",
    ),
    Slip(
        NATS,
        "attention",
        [("Enclosure(s).exp()", "Enclosure(2) ** s")],
        "Powers of two in place of powers of e.",
        lambda x: Fraction(x["N"] - 1, x["N"] - 1 + 2 ** x["b"]),
        relation=">=",
        right="(N - 1)/(N + 2**b)",
        controls='Control("a sharper score", breaks=@q, construct=lambda p: [4 * p.@b] + [0] * (p.@N - 1))',
    ),
    Slip(
        INDEX,
        "attention",
        [("sum(powers[2:], powers[1])", "sum(powers[3:], powers[2])")],
        "One of the other tokens is left out.",
        lambda x: (x["N"] - 2) / (x["N"] - 1 + sympy.exp(x["b"])),
        right="(N - 2)*exp(-b)",
    ),
    Slip(
        HARD,
        "attention",
        [
            (
                "return sum(powers[2:], powers[1]) / total",
                "return Enclosure(int(scores.index(max(scores)) != 0)) * total / total",
            )
        ],
        "The largest score takes all.",
        lambda x: 0,
        right="0",
        controls='Control("another token first", breaks=@q, construct=lambda p: [0] * (p.@N - 1) + [p.@b])',
    ),
    Slip(
        NATS,
        "entropy",
        [("Enclosure(x).log() / Enclosure(2).log()", "Enclosure(x).log()")],
        "Nats are measured, bits are named.",
        lambda x: (2 - Fraction(4, 2 ** x["N"])) * sympy.log(2),
        right="3/2",
    ),
    Slip(
        SQUARED,
        "entropy",
        [
            ("parts = [-Enclosure(q) * @logarithm(q) for q in law]", "parts = [Enclosure(q) ** 2 for q in law]"),
            ("return sum(parts[1:], parts[0])", "return -@logarithm(sum(parts[1:], parts[0]))"),
        ],
        "The logarithm of the sum of squares: the collision entropy, which is smaller.",
        lambda x: -sympy.log(Fraction(1, 3) * (1 + Fraction(8, 4 ** x["N"])), 2),
        right="8/5",
        at=[{"N": 4}, {"N": 8}],
    ),
    Slip(
        INDEX,
        "entropy",
        [("for q in law", "for q in law[1:]")],
        "The first value is left out.",
        lambda x: Fraction(3, 2) - Fraction(4, 2 ** x["N"]),
        right="3/2",
    ),
    Slip(
        FORMULA,
        "entropy",
        [
            ("enclosed(compute)", "2 - Fraction(2, 2**p.@N)"),
            (
                "    def compute():\n        parts = [-Enclosure(q) * @logarithm(q) for q in law]\n"
                "        return sum(parts[1:], parts[0])\n\n",
                "",
            ),
        ],
        "A formula, and a wrong one, is compared with itself.",
        lambda x: 2 - Fraction(2, 2 ** x["N"]),
        relation="==",
        right="2 - 2**(1 - N)",
        controls='Control("less", asserts=[@q.equals(2 - 2 ** (2 - @N))], breaks=@q)',
    ),
    Slip(
        PEAK,
        "rademacher",
        [
            (
                "total = sum(max(@dot(f, s) for f in functions) for s in signs)",
                "total = len(signs) * max(@dot(f, s) for f in functions for s in signs)",
            )
        ],
        "The largest value over signs is measured, the mean is named.",
        lambda x: Fraction(1, x["n"]),
        relation="==",
        right="1/n",
    ),
    Slip(
        FIXED,
        "rademacher",
        [("max(@dot(f, s) for f in functions)", "@dot(functions[0], s)")],
        "One function is measured, the supremum is named.",
        lambda x: 0,
        right="1/n**2",
        requires=["n >= 3", "n <= 8"],
        grid={"n": [(3, 5), (4, 6), (3, 6)]},
        controls=_BELOW,
    ),
    Slip(
        SAMPLE,
        "rademacher",
        [(_SIGNS, "[(1,) * i + (-1,) * (p.@n - i) for i in range(p.@n + 1)]")],
        "Signs that change once are called all signs.",
        lambda x: Fraction(x["n"] - 1, (x["n"] + 1) * x["n"]),
        right="(n - 1)/(n*(n + 1))",
        requires=["n >= 3", "n <= 8"],
        grid={"n": [(3, 5), (4, 6), (3, 6)]},
    ),
    Slip(
        FEW,
        "stretch",
        [
            (
                "list(product((-1, 1), repeat=len(matrix)))",
                'p.rng("@tag").choice((-1, 1), size=(@few, len(matrix))).tolist()',
            )
        ],
        "A maximum over few drawn vectors is below the maximum.",
        right="19*N**2*(N + 1)**2/80",
        requires=["N >= 8"],
        grid={"N": [(8, 10), (9, 12), (10, 11)]},
        controls='Control("a twentieth", asserts=[@q <= @N**2 * (@N + 1) ** 2 / 100], breaks=@q)',
        scope={"every vector": "drawn"},
    ),
    Slip(
        VECTOR,
        "stretch",
        [("max(sum(@image(matrix, x)) for x in xs)", "max(max(@image(matrix, x)) for x in xs)")],
        "The largest entry of the image is measured, its sum is named.",
        lambda x: x["N"] ** 2 * (x["N"] + 1) // 2,
        right="N**2*(N + 1)/2",
        controls=_HALF % "@N**2 * (@N + 1) / 2",
    ),
    Slip(
        SQUARED,
        "stretch",
        [("sum(@image(matrix, x))", "sum(v * v for v in @image(matrix, x))")],
        "Squares are added.",
        lambda x: (x["N"] * (x["N"] + 1) // 2) ** 2 * (x["N"] * (x["N"] + 1) * (2 * x["N"] + 1) // 6),
        relation=">=",
        right="N**7/12",
        controls='Control("three times", asserts=[@q >= 3 * (@N + 1) ** 7], breaks=@q)',
    ),
    Slip(
        FIRST,
        "stretch",
        [("max(sum(@image(matrix, x)) for x in xs)", "sum(@image(matrix, xs[0]))")],
        "The first vector is measured, the supremum is named.",
        lambda x: (x["N"] + 1) // 2 * (x["N"] * (x["N"] + 1) // 2),
        right="N*(N + 1)**2/4",
        controls='Control("a quarter", asserts=[@q <= @N**2 / 4], breaks=@q)',
    ),
    Slip(
        TRAINING,
        "risk",
        [("for s in (-1, 1)]", "for s in rows]")],
        "The error on the training rows is measured.",
        lambda x: x["d"] - Fraction(x["d"], x["r"]),
        right="d",
        controls='Control("a third", asserts=[@q <= @d / 3], breaks=@q)',
    ),
    Slip(
        SQUARED,
        "risk",
        [("(s - mean) ** 2", "abs(s - mean)")],
        "Distances are averaged, squares are named.",
        lambda x: x["d"],
        right="d",
        controls='Control("a third", asserts=[@q <= @d / 3], breaks=@q)',
    ),
    Slip(
        PEAK,
        "risk",
        [("sum(@error(rows) for rows in labels) / len(labels)", "max(@error(rows) for rows in labels)")],
        "The largest error is measured, the mean is named.",
        lambda x: 2 * x["d"],
        relation="==",
        right="2*d",
        controls='Control("half", asserts=[@q.equals(@d)], breaks=@q)',
    ),
    Slip(
        VARIED,
        "risk",
        [],
        "With two rows r/4 and 1/r are equal.",
        relation=">=",
        right="d*(1 + r/4)",
        grid={"r": [(2,)]},
        at=[{"r": 4, "d": 1}],
        controls='Control("three", asserts=[@q >= 3 * @d], breaks=@q)',
    ),
    Slip(
        TRAINING,
        "memory",
        [("for x in range(p.@N)), p.@N)", "for x in table), len(table))")],
        "The stored inputs are asked for, not all.",
        lambda x: 0,
        right="1/(2*N)",
        requires=["k <= N - 1"],
        controls=_BELOW,
    ),
    Slip(
        INDEX,
        "memory",
        [("range(p.@N)), p.@N)", "range(p.@k - 1, p.@N)), 2 * p.@N)")],
        "The wrong answers are divided by twice the number of inputs.",
        lambda x: Fraction(x["N"] - x["k"], 2 * x["N"]),
        right="(N - k)/(2*N)",
        requires=["k <= N - 1"],
        controls='Control("a third", asserts=[@q <= (@N - @k) / (3 * @N)], breaks=@q)',
    ),
    Slip(
        LESS,
        "passage",
        [("max(times)", "sum(times) / len(times)")],
        "The mean over starts is measured, the longest is named.",
        lambda x: Fraction(x["N"] * (x["N"] - 1), 6),
        right="N*(N - 1)/6",
    ),
    Slip(
        FIRST,
        "passage",
        [("max(times)", "times[1]")],
        "The first start is measured, the worst is named.",
        lambda x: x["N"] - 1,
        right="N - 1",
        requires=["N >= 4"],
    ),
    Slip(
        EMPTY,
        "passage",
        [("max(times)", "max(times[p.@N + 1 :], default=0)")],
        "The list of starts is empty.",
        lambda x: 0,
        right="N/2",
        requires=["N >= 4"],
        controls=_BELOW,
    ),
    Slip(
        INDEX,
        "passage",
        [("return @times(p.@N)", "return @times(p.@N - 1)")],
        "The interval is one step too short.",
        lambda x: (x["N"] - 1) ** 2 // 4,
        right="(N - 1)**2/4",
        requires=["N >= 3"],
    ),
    Slip(
        MORE,
        "quotient",
        [("max((@map(y)", "min((@map(y)")],
        "The least quotient is measured, the largest is named.",
        lambda x: Fraction(x["N"], 2 * (2 * x["N"] - 1)),
        right="1/2",
        controls='Control("a quarter", asserts=[@q <= Rational(1, 4)], breaks=@q)',
    ),
    Slip(
        LESS,
        "quotient",
        [
            (
                "max((@map(y) - @map(x)) / (y - x) for x, y in pairs)",
                "sum((@map(y) - @map(x)) / (y - x) for x, y in pairs) / len(pairs)",
            )
        ],
        "The mean quotient is measured, the largest is named.",
        lambda x: _mean_quotient(x["N"]),
        right="3/5",
        controls='Control("a third", asserts=[@q <= Rational(1, 3)], breaks=@q)',
    ),
    Slip(
        FEW,
        "quotient",
        [
            (
                "pairs = list(combinations(xs, 2))",
                'pairs = [(xs[i], xs[-1]) for i in p.rng("@tag").integers(1, p.@N, size=@few)]',
            )
        ],
        "A maximum over few drawn pairs is below the maximum.",
        right="1/2",
        requires=["N >= 8"],
        grid={"N": [(16, 32), (20, 24), (12, 40)]},
        controls='Control("a quarter", asserts=[@q <= Rational(1, 4)], breaks=@q)',
        scope={"every pair": "drawn"},
    ),
    Slip(
        SQUARED,
        "span",
        [("row[i] ** 2", "row[i]")],
        "Entries are added, not their squares.",
        lambda x: 1 - Fraction(x["n"], 2 * x["m"]) * Fraction(x["x"] + x["y"], x["z"]),
        right="1 - n*(@x + @y)/(2*m*@z)",
    ),
    Slip(
        INDEX,
        "span",
        [("for row in basis)", "for row in basis[1:])")],
        "The first vector is left out.",
        lambda x: 1 - Fraction(x["n"] - 1, 2 * x["m"]),
        relation=">=",
        right="1 - (n - 1)/(2*m)",
        controls='Control("more", asserts=[@q >= 1 - (@n - 2) / (2 * @m)], breaks=@q)',
    ),
    Slip(
        IGNORED,
        "span",
        [
            ("sum(@outside(basis, i) for i in range(size)) / size", "1 - Fraction(p.@n, p.@m)"),
            ("    size = len(basis[0])\n", ""),
        ],
        "The number does not depend on the vectors.",
        lambda x: 1 - Fraction(x["n"], x["m"]),
        right="1 - n/m",
        controls='Control("one vector more", asserts=[@q <= 1 - (@n + 1) / @m], breaks=@q)',
    ),
    Slip(
        FIRST,
        "span",
        [
            ("sum(@outside(basis, i) for i in range(size)) / size", "@outside(basis, 0)"),
            ("    size = len(basis[0])\n", ""),
        ],
        "The first axis is measured, the mean is named.",
        lambda x: 1 - Fraction(x["x"], x["z"]) ** 2,
        relation="==",
        right="1 - @x**2/Rational(@z)**2",
        controls='Control("more", asserts=[@q.equals(1)], breaks=@q)',
    ),
    Slip(
        MORE,
        "regret",
        [("min(a, b)", "max(a, b)")],
        "The worse expert is compared with.",
        lambda x: x["T"] // 2,
        right="T/2",
    ),
    Slip(
        INDEX,
        "regret",
        [
            (
                "        lost += x if a <= b else y\n        a, b = a + x, b + y\n",
                "        a, b = a + x, b + y\n        lost += x if a <= b else y\n",
            )
        ],
        "The leader is asked after the step.",
        _peeked,
        right="0",
        controls='Control("less", asserts=[@q <= -@T], breaks=@q)',
    ),
    Slip(
        EMPTY,
        "regret",
        [("for x, y in losses:", "for x, y in losses[p.@T :]:")],
        "No step is made.",
        lambda x: 0,
        right="0",
        controls=_BELOW,
    ),
    Slip(
        INDEX,
        "coupons",
        [("for i in range(p.@N)]", "for i in range(p.@N - 1)]")],
        "The last coupon is left out.",
        lambda x: x["N"] * (harmonic(x["N"]) - 1),
        right="N*log(N)",
        controls='Control("a third", asserts=[@q <= @N * log(@N) / 3], breaks=@q)',
    ),
    Slip(
        PEAK,
        "coupons",
        [("sum(1 / c for c in chances)", "len(chances) * max(1 / c for c in chances)")],
        "The longest wait stands for each.",
        lambda x: x["N"] ** 2,
        relation="==",
        right="N**2",
        controls='Control("less", asserts=[@q.equals(@N**2 - 1)], breaks=@q)',
    ),
    Slip(
        DERIVED,
        "coupons",
        [],
        "The constant is computed from what it bounds; the quotient grows without limit.",
        right="C*N",
        extra="derive=lambda x, p: {C: sum(1 / c for c in x) / p.@N},\n    derived=[C]",
        fails=_early(lambda a, x: (x["N"] * harmonic(x["N"]), harmonic(a["N"]) * x["N"])),
    ),
    Slip(
        DERIVED,
        "sorting",
        [],
        "The constant is computed from what it bounds; the quotient grows without limit.",
        right="C*N",
        extra="derive=lambda x, p: {C: Fraction(sum(i.bit_length() for i in x), p.@N)},\n    derived=[C]",
        fails=_early(lambda a, x: (SORTING.truth(x), Fraction(SORTING.truth(a), a["N"]) * x["N"])),
    ),
    Slip(
        DERIVED,
        "passage",
        [],
        "The constant is computed from what it bounds; the quotient grows without limit.",
        right="C*N",
        extra="derive=lambda x, p: {C: max(x) / p.@N},\n    derived=[C]",
        controls='Control("a longer interval", breaks=@q, construct=lambda p: @times(2 * p.@N))',
        fails=_early(lambda a, x: (PASSAGE.truth(x), Fraction(PASSAGE.truth(a), a["N"]) * x["N"])),
    ),
    Slip(
        ORDER,
        "code",
        [],
        "The number of bits depends on the number of items: it is not chosen before it.",
        first=True,
        fails=_early(lambda a, x: (min(x["N"], 2 ** (a["N"] - 1).bit_length()), x["N"])),
    ),
    Slip(
        ORDER,
        "step",
        [],
        "The step depends on the curvature: it is not chosen before it.",
        first=True,
        fails=_early(lambda a, x: (abs(1 - Fraction(x["L"], a["L"])), Fraction(1, 2))),
    ),
)


def _mean_quotient(size: int) -> Fraction:
    """The mean over pairs of 1/((1+x)(1+y)), from the sum and the sum of squares."""
    parts = [Fraction(size, size + i) for i in range(size + 1)]
    total, squares = list(accumulate(parts))[-1], sum(x * x for x in parts)
    return (total**2 - squares) / 2 / comb(size + 1, 2)
