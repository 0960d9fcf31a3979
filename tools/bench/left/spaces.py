"""Base statements on spaces: packings, suprema over signs, quotients, spans."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import comb

from tools.bench.left import kinds
from tools.bench.left.draft import Base, Slip

_SIGNS = "list(product((-1, 1), repeat=p.@n))"
_HALF = 'Control("a half of it", asserts=[@q <= (%s) / 2], breaks=@q)'
_BELOW = 'Control("below zero", asserts=[@q <= -1], breaks=@q)'


def _mean_quotient(size: int) -> Fraction:
    """The mean over pairs of 1/((1+x)(1+y)), from the sum and the sum of squares."""
    parts = [Fraction(size, size + i) for i in range(size + 1)]
    total, squares = list(accumulate(parts))[-1], sum(x * x for x in parts)
    return (total**2 - squares) / 2 / comb(size + 1, 2)


PACKING = Base(
    "packing",
    letters={"N": "points of the circle", "s": "distance of two chosen ones"},
    noun="number of packed points",
    latex=r"|P|",
    trivial="(0, None)",
    setting="Points of a circle of $@N$, taken in turn where they are at least $@s$ from all that were taken.",
    code=[
        "def @far(size, x, y):\n    return min(x - y, size - x + y)",
        "def @build(p):\n    return p.@N, p.@s",
        "def @observe(circle, p):\n    size, gap = circle\n    chosen = []\n    for x in range(size):\n"
        "        if all(@far(size, x, y) >= gap for y in chosen):\n            chosen.append(x)\n"
        "    return {@q: len(chosen)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="N/s",
    requires=["N >= s"],
    grid={"N": [(7, 13), (11, 16), (9, 19), (8, 17)], "s": [(2, 3), (3, 5), (2, 5)]},
    controls='Control("no distance", breaks=@q, construct=lambda p: (p.@N, 0), where=@s >= 2)',
    truth=lambda x: x["N"] // x["s"],
    anchors=[("(5, 2)", {"N": 5, "s": 2}, 2), ("(4, 4)", {"N": 4, "s": 4}, 1)],
)

RADEMACHER = Base(
    "rademacher",
    letters={"n": "number of points"},
    noun="Rademacher complexity",
    latex=r"E\sup_f\frac1n\sum_i\sigma_if(x_i)",
    trivial="(None, 1)",
    setting="$@n$ points and the $@n$ functions that are 1 at one of them.",
    code=[
        "def @build(p):\n    return [[int(i == j) for j in range(p.@n)] for i in range(p.@n)]",
        "def @dot(f, signs):\n    return sum(a * b for a, b in zip(f, signs, strict=True))",
        f"def @observe(functions, p):\n    signs = {_SIGNS}\n"
        "    total = sum(max(@dot(f, s) for f in functions) for s in signs)\n"
        "    return {@q: Fraction(total, len(signs) * p.@n)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="1/n",
    requires=["n >= 2", "n <= 8"],
    grid={"n": [(2, 4), (3, 5), (4, 6), (3, 6)]},
    controls=f'Control("all patterns", breaks=@q, construct=lambda p: {_SIGNS})',
    truth=lambda x: Fraction(2 ** x["n"] - 2, 2 ** x["n"] * x["n"]),
    anchors=[("[[1, 0], [0, 1]]", {"n": 2}, Fraction(1, 4)), ("[[1], [-1]]", {"n": 1}, 1)],
    scope={"every function": "enumeration"},
)

STRETCH = Base(
    "stretch",
    letters={"N": "size of the matrix"},
    noun="norm from the cube to sums",
    latex=r"\max_{x\in\{\pm1\}^N}\|Ax\|_1",
    trivial="(0, None)",
    setting="The matrix $A_{ij}=(-1)^{i+j}ij$ of size $@N$, and every vector of signs.",
    code=[
        "def @build(p):\n"
        "    return [[(-1) ** (i + j) * i * j for j in range(1, p.@N + 1)] for i in range(1, p.@N + 1)]",
        "def @image(matrix, x):\n    return [abs(sum(a * b for a, b in zip(row, x, strict=True))) for row in matrix]",
        "def @observe(matrix, p):\n    xs = list(product((-1, 1), repeat=len(matrix)))\n"
        "    return {@q: max(sum(@image(matrix, x)) for x in xs)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="N**2*(N + 1)**2/4",
    requires=["N >= 2", "N <= 10"],
    grid={"N": [(3, 6), (4, 7), (5, 6), (2, 5)]},
    controls='Control("three quarters", asserts=[@q <= 3 * @N**2 * (@N + 1) ** 2 / 16], breaks=@q)',
    truth=lambda x: sum(range(1, x["N"] + 1)) ** 2,
    anchors=[("[[1, -1], [1, -1]]", {"N": 2}, 4), ("[[1, 2], [3, 4]]", {"N": 2}, 10)],
    scope={"every vector": "enumeration"},
)

LIPSCHITZ = Base(
    "quotient",
    letters={"N": "number of steps"},
    noun="largest quotient",
    latex=r"\max|f(x)-f(y)|/|x-y|",
    trivial="(0, None)",
    setting="$f(x)=x/(1+x)$ at $0,1/@N,\\dots,1$, and every pair of these points.",
    code=[
        "def @build(p):\n    return [Fraction(i, p.@N) for i in range(p.@N + 1)]",
        "def @map(x):\n    return x / (1 + x)",
        "def @observe(xs, p):\n    pairs = list(combinations(xs, 2))\n"
        "    return {@q: max((@map(y) - @map(x)) / (y - x) for x, y in pairs)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="1",
    requires=["N >= 2"],
    grid={"N": [(3, 8), (4, 12), (5, 10), (2, 16)]},
    controls='Control("a half", asserts=[@q <= Rational(1, 2)], breaks=@q)',
    truth=lambda x: Fraction(x["N"], x["N"] + 1),
    anchors=[
        ("[Fraction(0), Fraction(1)]", {"N": 2}, Fraction(1, 2)),
        ("[Fraction(0), Fraction(1, 2), Fraction(1)]", {"N": 2}, Fraction(2, 3)),
    ],
    scope={"every pair": "enumeration"},
)

SPAN = Base(
    "span",
    letters={"m": "number of planes", "n": "number of vectors"},
    noun="mean energy outside the span",
    latex=r"\frac1D\sum_i|e_i-Pe_i|^2",
    trivial="(0, 1)",
    setting="$@n$ unit vectors in as many of $@m$ planes at right angles; $P$ projects on their span.",
    code=[
        "def @build(p):\n    rows = [[Fraction(0)] * (2 * p.@m) for _ in range(p.@n)]\n"
        "    for k, row in enumerate(rows):\n        row[2 * k], row[2 * k + 1] = Fraction(@x, @z), Fraction(@y, @z)\n"
        "    return rows",
        "def @outside(basis, i):\n    return 1 - sum(row[i] ** 2 for row in basis)",
        "def @observe(basis, p):\n    size = len(basis[0])\n"
        "    return {@q: sum(@outside(basis, i) for i in range(size)) / size}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="1 - n/(2*m)",
    requires=["n >= 2", "n <= m"],
    grid={"m": [(4, 9), (5, 8), (6, 12)], "n": [(2, 3), (2, 4), (3, 4)]},
    controls='Control("the first vector alone", breaks=@q, construct=lambda p: @build(p)[:1])',
    truth=lambda x: 1 - Fraction(x["n"], 2 * x["m"]),
    anchors=[
        ("[[Fraction(3, 5), Fraction(4, 5)]]", {"m": 1, "n": 1}, Fraction(1, 2)),
        (
            "[[Fraction(1), Fraction(0), Fraction(0)], [Fraction(0), Fraction(3, 5), Fraction(4, 5)]]",
            {"m": 2, "n": 2},
            Fraction(1, 3),
        ),
    ],
    numbers={"x y z": [(3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25)]},
)

BASES = (PACKING, RADEMACHER, STRETCH, LIPSCHITZ, SPAN)
SLIPS = (
    Slip(
        kinds.VECTOR,
        "packing",
        [("min(x - y, size - x + y)", "x - y")],
        why="Distances are measured on a line, not on the circle.",
        wrong=lambda x: -(-x["N"] // x["s"]),
        relation=">=",
        right="N/s",
        requires=["N >= s"],
        controls='Control("twice as far", breaks=@q, construct=lambda p: (p.@N, 3 * p.@s), where=@N >= 3 * @s)',
    ),
    Slip(
        kinds.SQUARED,
        "packing",
        [(">= gap", ">= gap * gap")],
        why="The distance is compared with the square.",
        wrong=lambda x: max(x["N"] // x["s"] ** 2, 1),
        right="N/s**2",
        requires=["N >= s**2", "s >= 2"],
        grid={"N": [(13, 27), (16, 30), (19, 25)], "s": [(2, 3), (2,), (3,)]},
    ),
    Slip(
        kinds.VARIED,
        "packing",
        [],
        why="Only the distance 1 is looked at.",
        relation=">=",
        right="N - s + 1",
        grid={"s": [(1,)]},
        controls='Control("twice as far", breaks=@q, construct=lambda p: (p.@N, 3))',
        at=[{"N": 12, "s": 3}],
    ),
    Slip(
        kinds.PEAK,
        "rademacher",
        [
            (
                "total = sum(max(@dot(f, s) for f in functions) for s in signs)",
                "total = len(signs) * max(@dot(f, s) for f in functions for s in signs)",
            )
        ],
        why="The largest value over signs is measured, the mean is named.",
        wrong=lambda x: Fraction(1, x["n"]),
        relation="==",
        right="1/n",
    ),
    Slip(
        kinds.FIXED,
        "rademacher",
        [("max(@dot(f, s) for f in functions)", "@dot(functions[0], s)")],
        why="One function is measured, the supremum is named.",
        wrong=lambda x: 0,
        right="1/n**2",
        requires=["n >= 3", "n <= 8"],
        grid={"n": [(3, 5), (4, 6), (3, 6)]},
        controls=_BELOW,
    ),
    Slip(
        kinds.SAMPLE,
        "rademacher",
        [(_SIGNS, "[(1,) * i + (-1,) * (p.@n - i) for i in range(p.@n + 1)]")],
        why="Signs that change once are called all signs.",
        wrong=lambda x: Fraction(x["n"] - 1, (x["n"] + 1) * x["n"]),
        right="(n - 1)/(n*(n + 1))",
        requires=["n >= 3", "n <= 8"],
        grid={"n": [(3, 5), (4, 6), (3, 6)]},
    ),
    Slip(
        kinds.FEW,
        "stretch",
        [
            (
                "list(product((-1, 1), repeat=len(matrix)))",
                'p.rng("@tag").choice((-1, 1), size=(@few, len(matrix))).tolist()',
            )
        ],
        why="A maximum over few drawn vectors is below the maximum.",
        right="19*N**2*(N + 1)**2/80",
        requires=["N >= 8"],
        grid={"N": [(8, 10), (9, 12), (10, 11)]},
        controls='Control("a twentieth", asserts=[@q <= @N**2 * (@N + 1) ** 2 / 100], breaks=@q)',
        scope={"every vector": "drawn"},
    ),
    Slip(
        kinds.VECTOR,
        "stretch",
        [("max(sum(@image(matrix, x)) for x in xs)", "max(max(@image(matrix, x)) for x in xs)")],
        why="The largest entry of the image is measured, its sum is named.",
        wrong=lambda x: x["N"] ** 2 * (x["N"] + 1) // 2,
        right="N**2*(N + 1)/2",
        controls=_HALF % "@N**2 * (@N + 1) / 2",
    ),
    Slip(
        kinds.SQUARED,
        "stretch",
        [("sum(@image(matrix, x))", "sum(v * v for v in @image(matrix, x))")],
        why="Squares are added.",
        wrong=lambda x: (x["N"] * (x["N"] + 1) // 2) ** 2 * (x["N"] * (x["N"] + 1) * (2 * x["N"] + 1) // 6),
        relation=">=",
        right="N**7/12",
        controls='Control("three times", asserts=[@q >= 3 * (@N + 1) ** 7], breaks=@q)',
    ),
    Slip(
        kinds.FIRST,
        "stretch",
        [("max(sum(@image(matrix, x)) for x in xs)", "sum(@image(matrix, xs[0]))")],
        why="The first vector is measured, the supremum is named.",
        wrong=lambda x: (x["N"] + 1) // 2 * (x["N"] * (x["N"] + 1) // 2),
        right="N*(N + 1)**2/4",
        controls='Control("a quarter", asserts=[@q <= @N**2 / 4], breaks=@q)',
    ),
    Slip(
        kinds.MORE,
        "quotient",
        [("max((@map(y)", "min((@map(y)")],
        why="The least quotient is measured, the largest is named.",
        wrong=lambda x: Fraction(x["N"], 2 * (2 * x["N"] - 1)),
        right="1/2",
        controls='Control("a quarter", asserts=[@q <= Rational(1, 4)], breaks=@q)',
    ),
    Slip(
        kinds.LESS,
        "quotient",
        [
            (
                "max((@map(y) - @map(x)) / (y - x) for x, y in pairs)",
                "sum((@map(y) - @map(x)) / (y - x) for x, y in pairs) / len(pairs)",
            )
        ],
        why="The mean quotient is measured, the largest is named.",
        wrong=lambda x: _mean_quotient(x["N"]),
        right="3/5",
        controls='Control("a third", asserts=[@q <= Rational(1, 3)], breaks=@q)',
    ),
    Slip(
        kinds.FEW,
        "quotient",
        [
            (
                "pairs = list(combinations(xs, 2))",
                'pairs = [(xs[i], xs[-1]) for i in p.rng("@tag").integers(1, p.@N, size=@few)]',
            )
        ],
        why="A maximum over few drawn pairs is below the maximum.",
        right="1/2",
        requires=["N >= 8"],
        grid={"N": [(16, 32), (20, 24), (12, 40)]},
        controls='Control("a quarter", asserts=[@q <= Rational(1, 4)], breaks=@q)',
        scope={"every pair": "drawn"},
    ),
    Slip(
        kinds.SQUARED,
        "span",
        [("row[i] ** 2", "row[i]")],
        why="Entries are added, not their squares.",
        wrong=lambda x: 1 - Fraction(x["n"], 2 * x["m"]) * Fraction(x["x"] + x["y"], x["z"]),
        right="1 - n*(@x + @y)/(2*m*@z)",
    ),
    Slip(
        kinds.INDEX,
        "span",
        [("for row in basis)", "for row in basis[1:])")],
        why="The first vector is left out.",
        wrong=lambda x: 1 - Fraction(x["n"] - 1, 2 * x["m"]),
        relation=">=",
        right="1 - (n - 1)/(2*m)",
        controls='Control("more", asserts=[@q >= 1 - (@n - 2) / (2 * @m)], breaks=@q)',
    ),
    Slip(
        kinds.IGNORED,
        "span",
        [
            ("sum(@outside(basis, i) for i in range(size)) / size", "1 - Fraction(p.@n, p.@m)"),
            ("    size = len(basis[0])\n", ""),
        ],
        why="The number does not depend on the vectors.",
        wrong=lambda x: 1 - Fraction(x["n"], x["m"]),
        right="1 - n/m",
        controls='Control("one vector more", asserts=[@q <= 1 - (@n + 1) / @m], breaks=@q)',
    ),
    Slip(
        kinds.FIRST,
        "span",
        [
            ("sum(@outside(basis, i) for i in range(size)) / size", "@outside(basis, 0)"),
            ("    size = len(basis[0])\n", ""),
        ],
        why="The first axis is measured, the mean is named.",
        wrong=lambda x: 1 - Fraction(x["x"], x["z"]) ** 2,
        relation="==",
        right="1 - @x**2/Rational(@z)**2",
        controls='Control("more", asserts=[@q.equals(1)], breaks=@q)',
    ),
)
