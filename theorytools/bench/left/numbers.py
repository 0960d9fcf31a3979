"""Base statements that doubles get wrong, and those whose quantity is drawn."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import sympy

from theorytools.bench.left.draft import Base, Slip
from theorytools.bench.left.kinds import BEST, DEPENDENT, DROPPED, FLOAT, FORMULA, LESS, NATS, TRUNCATED

RANK = Base(
    "rank",
    {"N": "size of the matrix"},
    "rank",
    r"\mathrm{rk}A",
    "(0, None)",
    "The triangular matrix $A_{ij}=2^{-@p j}$ for $j\\le i$, of size $@N$.",
    [
        "def @build(p):\n    return [[Fraction(1, 2 ** (@p * j)) if j <= i else Fraction(0) for j in range(p.@N)] for i in range(p.@N)]",
        "def @observe(rows, p):\n    return {@q: int(sympy.Matrix(rows).rank())}",
    ],
    "@build",
    "@observe",
    "==",
    "N",
    ["N >= 4"],
    {"N": [(4, 6), (5, 8), (6, 7), (4, 9)]},
    'Control("a matrix of ones", breaks=@q, construct=lambda p: [[Fraction(1)] * p.@N] * p.@N)',
    lambda x: x["N"],
    [("[[1, 2], [2, 4]]", {"N": 2}, 1), ("[[1, 2], [3, 4]]", {"N": 2}, 2)],
    numbers={"p k": [(20, 3), (21, 3), (30, 2), (32, 2)]},
)

ROOT = Base(
    "root",
    {"N": "a size"},
    "distance of the root from the size",
    r"\sqrt{N^2+1}-N",
    "(0, None)",
    "The square root of $@N^2+1$.",
    [
        "def @build(p):\n    return p.@N",
        "def @observe(x, p):\n    return {@q: enclosed(lambda: 1 / ((Enclosure(x) * x + 1).sqrt() + x))}",
    ],
    "@build",
    "@observe",
    "<=",
    "1/(2*N)",
    ["N >= 1"],
    {"N": [(10**9, 10**10), (10**8 * 7, 10**11), (10**9 * 3, 10**12)]},
    'Control("at one", breaks=@q, construct=lambda p: 1, where=@N >= 2)',
    lambda x: 1 / (sympy.sqrt(x["N"] ** 2 + 1) + x["N"]),
    [("1", {"N": 1}, sympy.sqrt(2) - 1), ("3", {"N": 3}, sympy.sqrt(10) - 3)],
)

CURVE = Base(
    "curve",
    {"N": "a size"},
    "quotient of differences",
    r"(\sqrt{1+x}-1)/x",
    "(0, None)",
    "$x=1/@N$.",
    [
        "def @build(p):\n    return Fraction(1, p.@N)",
        "def @observe(x, p):\n    return {@q: enclosed(lambda: ((1 + Enclosure(x)).sqrt() - 1) / x)}",
    ],
    "@build",
    "@observe",
    "<=",
    "1/2",
    ["N >= 1"],
    {"N": [(10**17, 10**18), (10**16 * 3, 10**19), (10**17 * 5, 10**20)]},
    'Control("a quarter", asserts=[@q <= Rational(1, 4)], breaks=@q)',
    lambda x: 1 / (sympy.sqrt(1 + Fraction(1, x["N"])) + 1),
    [("Fraction(1)", {"N": 1}, sympy.sqrt(2) - 1), ("Fraction(1, 3)", {"N": 3}, 2 * sympy.sqrt(3) - 3)],
)

CHANNEL = Base(
    "channel",
    {"N": "number of messages"},
    "information in bits",
    "I",
    "(0, None)",
    "$@N$ equally likely messages, told apart.",
    [
        "def @build(p):\n    return [Fraction(1, p.@N)] * p.@N",
        "def @observe(law, p):\n    def compute():\n        parts = [-Enclosure(q) * Enclosure(q).log() for q in law]\n"
        "        return sum(parts[1:], parts[0]) / Enclosure(2).log()\n\n    return {@q: enclosed(compute)}",
    ],
    "@build",
    "@observe",
    ">=",
    "log(N)",
    ["N >= 2"],
    {"N": [(4, 16), (3, 12), (6, 20), (5, 32)]},
    'Control("two messages", breaks=@q, construct=lambda p: [Fraction(1, 2)] * 2, where=@N >= 3)',
    lambda x: sympy.log(x["N"], 2),
    [("[Fraction(1, 2)] * 2", {"N": 2}, 1), ("[Fraction(1, 4)] * 4", {"N": 4}, 2)],
)

HEADS = Base(
    "heads",
    {"k": "number of heads"},
    "probability that all heads err",
    r"P",
    "(0, 1)",
    "$@k$ heads that err independently, each with probability @a/@z.",
    [
        "def @build(p):\n    return Fraction(@a, @z)",
        "def @observe(chance, p):\n    def draw(rng, size):\n        return (rng.random((size, p.@k)) < float(chance)).all(axis=1)\n\n"
        '    return {@q: proportion(draw, p.seed("@tag"))}',
    ],
    "@build",
    "@observe",
    "<=",
    "(2*@a/Rational(@z))**k",
    ["k >= 2", "k <= 4"],
    {"k": [(2, 3), (2, 4), (3,), (2,)]},
    'Control("every head errs", breaks=@q, construct=lambda p: 1)',
    lambda x: Fraction(x["a"], x["z"]) ** x["k"],
    [("Fraction(1)", {"k": 2}, 1), ("Fraction(1, 2)", {"k": 2}, Fraction(1, 4))],
    {"every input": "drawn"},
    numbers={"a z": [(1, 4), (1, 3), (2, 7), (3, 8)]},
)

BIRTHDAY = Base(
    "birthday",
    {"k": "number of tokens", "M": "number of bins"},
    "probability of a collision",
    r"P",
    "(0, 1)",
    "$@k$ tokens, each in one of $@M$ bins, independently.",
    [
        "def @build(p):\n    return p.@M",
        "def @observe(bins, p):\n    def draw(rng, size):\n        tokens = rng.integers(0, bins, size=(size, p.@k))\n"
        "        tokens.sort(axis=1)\n        return (tokens[:, 1:] == tokens[:, :-1]).any(axis=1)\n\n"
        '    return {@q: proportion(draw, p.seed("@tag"))}',
    ],
    "@build",
    "@observe",
    "<=",
    "k**2/M",
    ["k >= 2", "k <= 4", "M >= 16"],
    {"k": [(2, 3), (2, 4), (3,)], "M": [(32, 64), (40,), (48, 90)]},
    'Control("one bin", breaks=@q, construct=lambda p: 1)',
    lambda x: 1 - math.prod((1 - Fraction(i, x["M"]) for i in range(x["k"])), start=Fraction(1)),
    [("1", {"k": 2, "M": 16}, 1), ("4", {"k": 2, "M": 16}, Fraction(1, 4))],
    {"every token": "drawn"},
)

ANSWERS = Base(
    "answers",
    {"N": "number of tokens"},
    "accuracy",
    r"P",
    "(0, 1)",
    "A model that is right with probability $1/2+1/(2@N)$.",
    [
        "def @build(p):\n    return Fraction(p.@N + 1, 2 * p.@N)",
        "def @observe(chance, p):\n    def draw(rng, size):\n        return rng.random(size) < float(chance)\n\n"
        '    return {@q: proportion(draw, p.seed("@tag"))}',
    ],
    "@build",
    "@observe",
    ">=",
    "9/20",
    ["N >= 8"],
    {"N": [(8, 16), (10,), (12, 20), (9, 14)]},
    'Control("a rarer answer", breaks=@q, construct=lambda p: Fraction(1, 4))',
    lambda x: Fraction(x["N"] + 1, 2 * x["N"]),
    [("Fraction(1)", {"N": 8}, 1), ("Fraction(1, 2)", {"N": 8}, Fraction(1, 2))],
    {"every prompt": "drawn"},
    numbers={"keep": [0.5, 0.4, 0.3]},
)

WAITING = Base(
    "waiting",
    {"N": "a scale"},
    "mean waiting time",
    r"E\,Z",
    "(0, None)",
    "$Z=@N/\\sqrt U$ for a uniform $U$: $E(Z-z)_+=@N^2/z$.",
    [
        "def @build(p):\n    return p.@N",
        "def @observe(scale, p):\n    def draw(rng, size):\n        return scale / np.sqrt(1 - rng.random(size))\n\n"
        '    return {@q: truncated_mean(draw, p.seed("@tag"), tau=@f * scale, excess=Fraction(scale, @f))}',
    ],
    "@build",
    "@observe",
    "<=",
    "9*N/4",
    ["N >= 1"],
    {"N": [(2, 8), (4,), (3, 10), (6,)]},
    'Control("twice as long", breaks=@q, construct=lambda p: 2 * p.@N)',
    lambda x: 2 * x["N"],
    [("1", {"N": 1}, 2), ("3", {"N": 3}, 6)],
    {"every run": "drawn"},
    numbers={"f": [12, 16, 20]},
)

DELAY = Base(
    "delay",
    {"N": "a scale"},
    "mean delay",
    r"E\,Z",
    "(0, None)",
    "$Z=@N U^{-1/4}$ for a uniform $U$: $E(Z-z)_+=@N^4/(3z^3)$.",
    [
        "def @build(p):\n    return p.@N",
        "def @observe(scale, p):\n    def draw(rng, size):\n        return scale / np.sqrt(np.sqrt(1 - rng.random(size)))\n\n"
        '    return {@q: truncated_mean(draw, p.seed("@tag"), tau=@f * scale, excess=Fraction(scale, 3 * @f**3))}',
    ],
    "@build",
    "@observe",
    "<=",
    "3*N/2",
    ["N >= 1"],
    {"N": [(2, 8), (4,), (3, 10), (6,)]},
    'Control("twice as long", breaks=@q, construct=lambda p: 2 * p.@N)',
    lambda x: Fraction(4 * x["N"], 3),
    [("3", {"N": 1}, 4), ("6", {"N": 3}, 8)],
    {"every run": "drawn"},
    numbers={"f": [3, 4, 5]},
)

_BEST = (
    'def @build(p):\n    draws = [p.rng(f"@tag {s}").integers(0, 2, size=p.@d) * 2 - 1 for s in range(40)]\n'
    "    return min(draws, key=lambda v: abs(int(v.sum())))"
)
SIGNS = Base(
    "signs",
    {"d": "number of signs"},
    "absolute sum",
    r"|\sum_i\varepsilon_i|",
    "(0, None)",
    "Vectors of $@d$ signs, from forty draws the one of the least sum.",
    [_BEST, "def @observe(v, p):\n    return {@q: abs(int(v.sum()))}"],
    "@build",
    "@observe",
    "<=",
    "d/@part",
    ["d >= 64"],
    {"d": [(64, 128), (72, 96), (80, 100), (64, 160)]},
    'Control("all equal", breaks=@q, construct=lambda p: @build(p) * 0 + 1)',
    lambda x: Fraction(x["d"] % 2),
    [("np.array([1, 1, -1])", {"d": 64}, 1), ("np.array([-1, -1, -1, 1])", {"d": 64}, 2)],
    {"some vector": "exhibited"},
    numbers={"part": [8, 10, 12, 16]},
)

DISTINCT = Base(
    "distinct",
    {"n": "number of words", "k": "bits of a word"},
    "number of equal pairs",
    r"|\{i<j:w_i=w_j\}|",
    "(0, None)",
    "$@n$ words of $@k$ bits, from forty draws the one with the fewest equal pairs.",
    [
        'def @build(p):\n    draws = [p.rng(f"@tag {s}").integers(0, 2**p.@k, size=p.@n).tolist() for s in range(40)]\n'
        "    return min(draws, key=@equal)",
        "def @equal(w):\n    return sum(a == b for a, b in combinations(w, 2))",
        "def @observe(w, p):\n    return {@q: @equal(w)}",
    ],
    "@build",
    "@observe",
    "<=",
    "0",
    ["n >= 2", "n <= 2**(k/2)"],
    {"n": [(4, 6), (5, 8), (3, 7)], "k": [(6, 8), (7, 9), (6, 10)]},
    'Control("one word for all", breaks=@q, construct=lambda p: [0] * p.@n)',
    lambda x: 0,
    [("[1, 1, 2]", {"n": 3, "k": 6}, 1), ("[0, 0, 0, 5]", {"n": 4, "k": 6}, 3)],
    {"some words": "exhibited"},
)

BASES = (RANK, ROOT, CURVE, CHANNEL, HEADS, BIRTHDAY, ANSWERS, WAITING, DELAY, SIGNS, DISTINCT)


def beyond(d: int, most: Fraction) -> Fraction:
    """The probability that the sum of d signs is above this number in absolute value."""
    return Fraction(sum(math.comb(d, i) for i in range(d + 1) if abs(2 * i - d) > most), 2**d)


def _failing(x: Any, points: Any) -> tuple[Any, Any]:
    return beyond(x["d"], Fraction(x["d"], x["part"])), 0


def _repeated(x: Any, points: Any) -> tuple[Any, Any]:
    return 1 - math.prod((1 - Fraction(i, 2 ** x["k"]) for i in range(x["n"])), start=Fraction(1)), 0


_ONES = (
    'Control("all ones", breaks=@q, construct=lambda p: [[Fraction(i == j) for j in range(p.@N)] for i in range(p.@N)])'
)
_DRAW = "return (rng.random((size, p.@k)) < float(chance)).all(axis=1)"
_TRUNCATED = ("tau=@f * scale, excess=Fraction(scale, @f)", "tau=2 * scale, excess=Fraction(scale, @many)")
SLIPS = (
    Slip(
        FLOAT,
        "rank",
        [("int(sympy.Matrix(rows).rank())", "int(np.linalg.matrix_rank(np.array(rows, dtype=float)))")],
        "The rank of rounded numbers.",
        lambda x: x["k"],
        relation="<=",
        right="@k",
        controls=_ONES,
    ),
    Slip(
        FLOAT,
        "root",
        [("enclosed(lambda: 1 / ((Enclosure(x) * x + 1).sqrt() + x))", "Fraction(math.sqrt(x * x + 1) - x)")],
        "Two doubles cancel, what is left is called exact.",
        lambda x: 0,
        right="1/(4*N)",
        requires=["N >= 10**8"],
    ),
    Slip(
        FLOAT,
        "curve",
        [("enclosed(lambda: ((1 + Enclosure(x)).sqrt() - 1) / x)", "Fraction((math.sqrt(1 + x) - 1) / x)")],
        "Two doubles cancel, what is left is called exact.",
        lambda x: 0,
        right="2/5",
        requires=["N >= 10**16"],
        controls='Control("a large one", breaks=@q, construct=lambda p: Fraction(1, 8))',
    ),
    Slip(
        NATS,
        "channel",
        [(" / Enclosure(2).log()", "")],
        "Nats are measured, bits are named.",
        lambda x: sympy.log(x["N"]),
        relation="<=",
        right="6*log(N)/5",
        controls='Control("twice as many", breaks=@q, construct=lambda p: [Fraction(1, p.@N**2)] * p.@N**2, where=@N <= 6)',
    ),
    Slip(
        LESS,
        "channel",
        [("sum(parts[1:], parts[0]) / Enclosure(2).log()", "sum(parts[1:], parts[0]) / len(parts)")],
        "The mean part is measured, their sum is named.",
        lambda x: sympy.log(x["N"]) / x["N"],
        relation="<=",
        right="log(N)/2",
        controls='Control("a tenth", asserts=[@q <= log(@N) / (10 * @N)], breaks=@q)',
    ),
    Slip(
        FORMULA,
        "channel",
        [
            ("enclosed(compute)", "enclosed(lambda: Enclosure(p.@N).log())"),
            (
                "    def compute():\n        parts = [-Enclosure(q) * Enclosure(q).log() for q in law]\n"
                "        return sum(parts[1:], parts[0]) / Enclosure(2).log()\n\n",
                "",
            ),
        ],
        "The right side is computed again, in nats.",
        lambda x: sympy.log(x["N"]),
        relation="<=",
        right="log(N)*(1 + 1/N)",
        controls='Control("a half", asserts=[@q <= log(@N) / 2], breaks=@q)',
    ),
    Slip(
        DEPENDENT,
        "heads",
        [("(size, p.@k)", "(size, 1)")],
        "One draw serves all heads.",
        lambda x: Fraction(x["a"], x["z"]),
        relation=">=",
        right="@a/(@z + Rational(1))",
        controls='Control("a rarer error", breaks=@q, construct=lambda p: Fraction(1, 9))',
    ),
    Slip(
        DEPENDENT,
        "heads",
        [
            (
                _DRAW,
                "first = rng.random((size, 1)) < float(chance)\n        return first.repeat(p.@k, axis=1).all(axis=1)",
            )
        ],
        "One draw is repeated for all heads.",
        lambda x: Fraction(x["a"], x["z"]),
        relation=">=",
        right="@a/(@z + Rational(2))",
        controls='Control("a rarer error", breaks=@q, construct=lambda p: Fraction(1, 9))',
    ),
    Slip(
        DEPENDENT,
        "birthday",
        [("rng.integers(0, bins, size=(size, p.@k))", "rng.integers(0, bins, size=(size, 1)).repeat(p.@k, axis=1)")],
        "One draw is repeated for all tokens.",
        lambda x: 1,
        relation=">=",
        right="1/2",
        controls='Control("at most a half", asserts=[@q <= Rational(1, 2)], breaks=@q)',
    ),
    Slip(
        DROPPED,
        "answers",
        [
            (
                "return rng.random(size) < float(chance)",
                "right = rng.random(4 * size) < float(chance)\n"
                "        kept = right | (rng.random(4 * size) < @keep)\n        return right[kept][:size]",
            )
        ],
        "Prompts on which the model abstained are drawn again.",
        lambda x: (lambda a: a / (a + (1 - a) * Fraction(str(x["keep"]))))(Fraction(x["N"] + 1, 2 * x["N"])),
        right="3/5",
    ),
    Slip(
        DROPPED,
        "waiting",
        [
            (
                "return scale / np.sqrt(1 - rng.random(size))",
                "times = scale / np.sqrt(1 - rng.random(4 * size))\n        return times[times <= 2 * scale][:size]",
            ),
            ("tau=@f * scale, excess=Fraction(scale, @f)", "tau=2 * scale, excess=0"),
        ],
        "Runs that took too long are dropped.",
        lambda x: Fraction(4 * x["N"], 3),
        right="3*N/2",
    ),
    Slip(
        DROPPED,
        "delay",
        [
            (
                "return scale / np.sqrt(np.sqrt(1 - rng.random(size)))",
                "times = scale / np.sqrt(np.sqrt(1 - rng.random(4 * size)))\n"
                "        return times[times <= scale * 1.5][:size]",
            ),
            ("tau=@f * scale, excess=Fraction(scale, 3 * @f**3)", "tau=2 * scale, excess=0"),
        ],
        "Runs that took too long are dropped.",
        lambda x: x["N"] * (Fraction(4, 3) - Fraction(4, 3) * Fraction(8, 27)) / (1 - Fraction(16, 81)),
        right="5*N/4",
    ),
    Slip(TRUNCATED, "waiting", [_TRUNCATED], "The tail weighs more than the excess that is stated.", right="7*N/4"),
    Slip(
        TRUNCATED,
        "delay",
        [
            (
                "tau=@f * scale, excess=Fraction(scale, 3 * @f**3)",
                "tau=Fraction(6, 5) * scale, excess=Fraction(scale, @many)",
            )
        ],
        "The tail weighs more than the excess that is stated.",
        right="5*N/4",
    ),
    Slip(
        BEST,
        "signs",
        [],
        "One seed of forty is reported, the statement is about every one.",
        scope={"every vector": "drawn"},
        fails=_failing,
    ),
    Slip(
        BEST,
        "distinct",
        [],
        "One seed of forty is reported, the statement is about every one.",
        scope={"every word": "drawn"},
        fails=_repeated,
    ),
)
