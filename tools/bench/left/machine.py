"""Base statements that doubles and machine integers get wrong."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import sympy

from tools.bench.left import kinds
from tools.bench.left.draft import Base, Slip

_POWER = ("np.full(p.@N, @b, dtype=np.int64)", "math.prod(x.tolist())")
_NEGATIVE = 'Control("less than none", asserts=[@q <= -1], breaks=@q)'
_ONES = (
    'Control("all ones", breaks=@q, construct=lambda p: [[Fraction(i == j) for j in range(p.@N)] for i in range(p.@N)])'
)


WORDS = Base(
    "words",
    letters={"N": "length of a word"},
    noun="number of words",
    latex=r"|A|^N",
    trivial="(0, None)",
    setting="Words of $@N$ letters out of @b.",
    code=[f"def @build(p):\n    return {_POWER[0]}", f"def @observe(x, p):\n    return {{@q: {_POWER[1]}}}"],
    construct="@build",
    measure="@observe",
    relation="==",
    right="@b**N",
    requires=["N >= 4"],
    grid={"N": [(8, 24), (12, 36), (10, 40)]},
    controls='Control("one letter more", breaks=@q, construct=lambda p: @build(p) + 1)',
    truth=lambda x: x["b"] ** x["N"],
    anchors=[("np.array([2, 3])", {"N": 2}, 6), ("np.array([5])", {"N": 1}, 5)],
    numbers={"b": [8, 16, 32, 64]},
)

ORDERS = Base(
    "orders",
    letters={"N": "number of items"},
    noun="number of orders",
    latex=r"N!",
    trivial="(0, None)",
    setting="The orders of $@N$ items.",
    code=[
        "def @build(p):\n    return np.arange(1, p.@N + 1, dtype=np.int64)",
        "def @observe(x, p):\n    return {@q: math.prod(x.tolist())}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="N**N",
    requires=["N >= 2"],
    grid={"N": [(5, 12), (8, 24), (6, 30)]},
    controls='Control("the square", breaks=@q, construct=lambda p: np.full(p.@N, p.@N**2))',
    truth=lambda x: factorial(x["N"]),
    anchors=[("np.array([1, 2, 3])", {"N": 3}, 6), ("np.array([4])", {"N": 1}, 4)],
)

RANK = Base(
    "rank",
    letters={"N": "size of the matrix"},
    noun="rank",
    latex=r"\mathrm{rk}A",
    trivial="(0, None)",
    setting="The triangular matrix $A_{ij}=2^{-@p j}$ for $j\\le i$, of size $@N$.",
    code=[
        "def @entry(i, j):\n    return Fraction(1, 2 ** (@p * j)) if j <= i else Fraction(0)",
        "def @build(p):\n    return [[@entry(i, j) for j in range(p.@N)] for i in range(p.@N)]",
        "def @observe(rows, p):\n    return {@q: int(sympy.Matrix(rows).rank())}",
    ],
    construct="@build",
    measure="@observe",
    relation="==",
    right="N",
    requires=["N >= 4"],
    grid={"N": [(4, 6), (5, 8), (6, 7), (4, 9)]},
    controls='Control("a matrix of ones", breaks=@q, construct=lambda p: [[Fraction(1)] * p.@N] * p.@N)',
    truth=lambda x: x["N"],
    anchors=[("[[1, 2], [2, 4]]", {"N": 2}, 1), ("[[1, 2], [3, 4]]", {"N": 2}, 2)],
    numbers={"p k": [(20, 3), (21, 3), (30, 2), (32, 2)]},
)

ROOT = Base(
    "root",
    letters={"N": "a size"},
    noun="distance of the root from the size",
    latex=r"\sqrt{N^2+1}-N",
    trivial="(0, None)",
    setting="The square root of $@N^2+1$.",
    code=[
        "def @build(p):\n    return p.@N",
        "def @observe(x, p):\n    return {@q: enclosed(lambda: 1 / ((Enclosure(x) * x + 1).sqrt() + x))}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="1/(2*N)",
    requires=["N >= 1"],
    grid={"N": [(10**9, 10**10), (10**8 * 7, 10**11), (10**9 * 3, 10**12)]},
    controls='Control("at one", breaks=@q, construct=lambda p: 1, where=@N >= 2)',
    truth=lambda x: 1 / (sympy.sqrt(x["N"] ** 2 + 1) + x["N"]),
    anchors=[("1", {"N": 1}, sympy.sqrt(2) - 1), ("3", {"N": 3}, sympy.sqrt(10) - 3)],
)

CURVE = Base(
    "curve",
    letters={"N": "a size"},
    noun="quotient of differences",
    latex=r"(\sqrt{1+x}-1)/x",
    trivial="(0, None)",
    setting="$x=1/@N$.",
    code=[
        "def @build(p):\n    return Fraction(1, p.@N)",
        "def @observe(x, p):\n    return {@q: enclosed(lambda: ((1 + Enclosure(x)).sqrt() - 1) / x)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="1/2",
    requires=["N >= 1"],
    grid={"N": [(10**17, 10**18), (10**16 * 3, 10**19), (10**17 * 5, 10**20)]},
    controls='Control("a quarter", asserts=[@q <= Rational(1, 4)], breaks=@q)',
    truth=lambda x: 1 / (sympy.sqrt(1 + Fraction(1, x["N"])) + 1),
    anchors=[("Fraction(1)", {"N": 1}, sympy.sqrt(2) - 1), ("Fraction(1, 3)", {"N": 3}, 2 * sympy.sqrt(3) - 3)],
)

BASES = (WORDS, ORDERS, RANK, ROOT, CURVE)
SLIPS = (
    Slip(
        kinds.WRAPPED,
        "words",
        [("math.prod(x.tolist())", "int(x.prod())")],
        why="A product of machine integers wraps around.",
        relation="<=",
        right="2**62",
        grid={"N": [(8, 32), (12, 40), (10, 36)]},
        controls=_NEGATIVE,
        wrong=lambda x: (lambda v: v - 2**64 * (v >= 2**63))(x["b"] ** x["N"] % 2**64),
    ),
    Slip(
        kinds.WRAPPED,
        "orders",
        [("math.prod(x.tolist())", "int(x.prod())")],
        why="A product of machine integers wraps around.",
        right="2**62",
        grid={"N": [(5, 70), (12, 80), (9, 72)]},
        controls=_NEGATIVE,
        wrong=lambda x: (lambda v: v - 2**64 * (v >= 2**63))(factorial(x["N"]) % 2**64),
    ),
    Slip(
        kinds.FLOAT,
        "rank",
        [("int(sympy.Matrix(rows).rank())", "int(np.linalg.matrix_rank(np.array(rows, dtype=float)))")],
        why="The rank of rounded numbers.",
        wrong=lambda x: x["k"],
        relation="<=",
        right="@k",
        controls=_ONES,
    ),
    Slip(
        kinds.FLOAT,
        "root",
        [("enclosed(lambda: 1 / ((Enclosure(x) * x + 1).sqrt() + x))", "Fraction(math.sqrt(x * x + 1) - x)")],
        why="Two doubles cancel, what is left is called exact.",
        wrong=lambda x: 0,
        right="1/(4*N)",
        requires=["N >= 10**8"],
    ),
    Slip(
        kinds.FLOAT,
        "curve",
        [("enclosed(lambda: ((1 + Enclosure(x)).sqrt() - 1) / x)", "Fraction((math.sqrt(1 + x) - 1) / x)")],
        why="Two doubles cancel, what is left is called exact.",
        wrong=lambda x: 0,
        right="2/5",
        requires=["N >= 10**16"],
        controls='Control("a large one", breaks=@q, construct=lambda p: Fraction(1, 8))',
    ),
)
