"""Base statements that count: codes, cuts, functions, maps, prompts, words."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

from theorytools.bench.left.draft import Base, Slip
from theorytools.bench.left.kinds import (
    EMPTY, FIRST, FIXED, INDEX, LESS, MORE, PEAK, PROMPT, SAMPLE, SQUARED, TWICE, VARIED, VECTOR, WRAPPED,
)  # fmt: skip

DISTANCE = Base(
    "distance", {"d": "number of bits", "r": "number of repetitions"},
    "least distance", r"\min_{u\ne v}d_H(u,v)", "(0, None)",
    "The words of $@d$ bits with an even number of ones, every bit written $@r$ times.",
    [
        "def @build(p):\n    words = [w for w in product((0, 1), repeat=p.@d) if sum(w) % 2 == 0]\n"
        "    return [[bit for bit in w for _ in range(p.@r)] for w in words]",
        "def @differ(u, v):\n    return sum(a != b for a, b in zip(u, v, strict=True))",
        "def @observe(words, p):\n    return {@q: min(@differ(u, v) for u, v in combinations(words, 2))}",
    ],
    "@build", "@observe", ">=", "2*r", ["d >= 2"],
    {"d": [(2, 4), (3, 5), (4, 6), (3, 4, 6)], "r": [(1, 3), (2, 3), (1, 4), (2, 5)]},
    'Control("one word twice", breaks=@q, construct=lambda p: [*@build(p), @build(p)[0]])',
    lambda x: 2 * x["r"],
    [("[[0, 0, 0], [1, 1, 1]]", {"d": 3, "r": 1}, 3), ("[[0, 0, 1], [1, 1, 0], [0, 1, 1]]", {"d": 3, "r": 1}, 1)],
)  # fmt: skip
_EQUAL = 'Control("all words equal", breaks=@q, construct=lambda p: @build(p)[:1] * 3)'

CUT = Base(
    "cut", {"N": "number of vertices"}, "largest cut", r"\max_S|E(S,S^c)|", "(0, None)",
    "The complete graph on $@N$ vertices.",
    [
        "def @build(p):\n    return [(i, j) for i in range(p.@N) for j in range(i + 1, p.@N)]",
        "def @sides(size):\n    return list(product((0, 1), repeat=size))",
        "def @observe(edges, p):\n    return {@q: max(sum(s[i] != s[j] for i, j in edges) for s in @sides(p.@N))}",
    ],
    "@build", "@observe", "<=", "N**2/4", ["N >= 2", "N <= 10"],
    {"N": [(4, 6), (3, 5, 7), (4, 5, 8), (5, 8), (4, 7)]},
    'Control("an eighth", asserts=[@q <= @N**2 / 8], breaks=@q)',
    lambda x: x["N"] // 2 * ((x["N"] + 1) // 2),
    [("[(0, 1)]", {"N": 2}, 1), ("[(0, 1), (1, 2), (0, 2)]", {"N": 3}, 2)],
    {"every cut": "enumeration"},
)  # fmt: skip

SENSITIVITY = Base(
    "sensitivity", {"N": "number of bits"}, "largest mean sensitivity", r"\max_f s(f)", "(0, None)",
    "The Boolean functions of $@N$ bits, as tables.",
    [
        "def @build(p):\n    return list(product((0, 1), repeat=2**p.@N))",
        "def @flips(f, bits):\n    return sum(f[v] != f[v ^ (1 << i)] for v in range(2**bits) for i in range(bits))",
        "def @observe(tables, p):\n"
        "    return {@q: max(Fraction(int(@flips(f, p.@N)), 2**p.@N) for f in tables)}",
        "def @parity(p):\n    return [[bin(v).count(\"1\") % 2 for v in range(2**p.@N)]]",
    ],
    "@build", "@observe", "<=", "N", ["N <= 3"], {"N": [(1, 3), (2, 3), (1, 2, 3)]},
    'Control("half of the bits", asserts=[@q <= @N / 2], breaks=@q, construct=@parity)',
    lambda x: x["N"],
    [("[[0, 1], [0, 0]]", {"N": 1}, 1), ("[[0, 0, 0, 0], [0, 1, 1, 0]]", {"N": 2}, 2)],
    {"every function": "enumeration"},
)  # fmt: skip
_PARITY = 'Control("parity", breaks=@q, construct=@parity)'

COLLISIONS = Base(
    "collisions", {"n": "number of words", "M": "number of bins"},
    "mean number of equal pairs", r"E\,|\{i<j:w_i=w_j\}|", "(0, None)",
    "All maps of $@n$ words to $@M$ bins, each as likely as every other.",
    [
        "def @build(p):\n    return list(product(range(p.@M), repeat=p.@n))",
        "def @equal(w):\n    return sum(w[i] == w[j] for i in range(len(w)) for j in range(i + 1, len(w)))",
        "def @observe(maps, p):\n    return {@q: Fraction(sum(@equal(w) for w in maps), len(maps))}",
    ],
    "@build", "@observe", "<=", "n*(n - 1)/(2*M)", ["n >= 2", "n <= 5", "M <= 6"],
    {"n": [(2, 3), (3, 4), (2, 4)], "M": [(2, 3), (2, 4), (3, 5)]},
    'Control("all words equal", breaks=@q, construct=lambda p: [(0,) * p.@n], where=@M >= 2)',
    lambda x: Fraction(comb(x["n"], 2), x["M"]),
    [("[(0, 0)]", {"n": 2, "M": 2}, 1), ("[(0, 1, 0), (1, 1, 1)]", {"n": 3, "M": 2}, 2)],
    {"every map": "enumeration"},
)  # fmt: skip

PROMPTS = Base(
    "prompts", {"N": "length of a prompt", "m": "number of tokens"},
    "number of prompts with an error", r"|\{x:\min x\ne x_1\}|", "(0, None)",
    "All prompts of $@N$ tokens out of $@m$; the model answers the least token, asked for the first one.",
    [
        "def @build(p):\n    return list(product(range(p.@m), repeat=p.@N))",
        "def @answer(prompt):\n    return min(prompt)",
        "def @observe(prompts, p):\n    return {@q: sum(@answer(x) != x[0] for x in prompts)}",
    ],
    "@build", "@observe", "<=", "(N - 1)*m**N/N", ["N >= 2", "N <= 6", "m >= 2", "m <= 5"],
    {"N": [(2, 3), (3, 4), (2, 4)], "m": [(2, 3), (2, 4), (3, 4)]},
    'Control("a quarter", asserts=[@q <= @m**@N / 5], breaks=@q)',
    lambda x: x["m"] ** x["N"] - sum(u ** (x["N"] - 1) for u in range(1, x["m"] + 1)),
    [("[(0, 1), (1, 0)]", {"N": 2, "m": 2}, 1), ("[(1, 0, 0), (2, 1, 0), (0, 0, 1)]", {"N": 3, "m": 3}, 2)],
    {"every prompt": "enumeration"},
)  # fmt: skip

PACKING = Base(
    "packing", {"N": "points of the circle", "s": "distance of two chosen ones"},
    "number of packed points", r"|P|", "(0, None)",
    "Points of a circle of $@N$, taken in turn where they are at least $@s$ from all that were taken.",
    [
        "def @far(size, x, y):\n    return min(x - y, size - x + y)",
        "def @build(p):\n    return p.@N, p.@s",
        "def @observe(circle, p):\n    size, gap = circle\n    chosen = []\n    for x in range(size):\n"
        "        if all(@far(size, x, y) >= gap for y in chosen):\n            chosen.append(x)\n"
        "    return {@q: len(chosen)}",
    ],
    "@build", "@observe", "<=", "N/s", ["N >= s"],
    {"N": [(7, 13), (11, 16), (9, 19), (8, 17)], "s": [(2, 3), (3, 5), (2, 5)]},
    'Control("no distance", breaks=@q, construct=lambda p: (p.@N, 0), where=@s >= 2)',
    lambda x: x["N"] // x["s"],
    [("(5, 2)", {"N": 5, "s": 2}, 2), ("(4, 4)", {"N": 4, "s": 4}, 1)],
)  # fmt: skip

_POWER = ("np.full(p.@N, @b, dtype=np.int64)", "math.prod(x.tolist())")
WORDS = Base(
    "words", {"N": "length of a word"}, "number of words", r"|A|^N", "(0, None)",
    "Words of $@N$ letters out of @b.",
    [f"def @build(p):\n    return {_POWER[0]}", f"def @observe(x, p):\n    return {{@q: {_POWER[1]}}}"],
    "@build", "@observe", "==", "@b**N", ["N >= 4"], {"N": [(8, 24), (12, 36), (10, 40)]},
    'Control("one letter more", breaks=@q, construct=lambda p: @build(p) + 1)',
    lambda x: x["b"] ** x["N"],
    [("np.array([2, 3])", {"N": 2}, 6), ("np.array([5])", {"N": 1}, 5)], numbers={"b": [8, 16, 32, 64]},
)  # fmt: skip

ORDERS = Base(
    "orders", {"N": "number of items"}, "number of orders", r"N!", "(0, None)", "The orders of $@N$ items.",
    ["def @build(p):\n    return np.arange(1, p.@N + 1, dtype=np.int64)",
     "def @observe(x, p):\n    return {@q: math.prod(x.tolist())}"],
    "@build", "@observe", "<=", "N**N", ["N >= 2"], {"N": [(5, 12), (8, 24), (6, 30)]},
    'Control("the square", breaks=@q, construct=lambda p: np.full(p.@N, p.@N**2))',
    lambda x: factorial(x["N"]), [("np.array([1, 2, 3])", {"N": 3}, 6), ("np.array([4])", {"N": 1}, 4)],
)  # fmt: skip

BASES = (DISTANCE, CUT, SENSITIVITY, COLLISIONS, PROMPTS, PACKING, WORDS, ORDERS)
_PAIRS = "min(@differ(u, v) for u, v in combinations(words, 2))"
_NEGATIVE = 'Control("less than none", asserts=[@q <= -1], breaks=@q)'

SLIPS = (
    Slip(MORE, "distance", [("min(@differ", "max(@differ")], "The largest distance is measured, the least is named.",
         lambda x: x["r"] * 2 * (x["d"] // 2), right="r*(d - 1)", requires=["d >= 4"], controls=_EQUAL,
         grid={"d": [(4, 6), (5, 6), (4, 5)]}),
    Slip(LESS, "distance", [(_PAIRS, "Fraction(sum(@differ(u, v) for u, v in combinations(words, 2)), comb(len(words), 2))")],
         "The mean distance is measured, the least is named.",
         lambda x: Fraction(x["r"] * x["d"] * 2 ** (x["d"] - 1), 2 * (2 ** (x["d"] - 1) - 1)), right="r*d/2",
         requires=["d >= 5"], controls=_EQUAL, grid={"d": [(5, 6), (5, 7), (6, 7)]}),
    Slip(VARIED, "distance", [], "With one repetition the square is the number itself.", right="2*r**2",
         grid={"r": [(1,)]}, at=[{"d": 4, "r": 2}]),
    Slip(TWICE, "cut", [("for i, j in edges)", "for i in range(p.@N) for j in range(p.@N))")],
         "Both orders of an edge are counted.", lambda x: x["N"] // 2 * ((x["N"] + 1) // 2) * 2, relation=">=",
         right="N**2/3", controls='Control("all edges", asserts=[@q >= @N**2], breaks=@q)',
         scope={"some cut": "exhibited"}),
    Slip(FIXED, "cut", [("list(product((0, 1), repeat=size))", "[(1,) + (0,) * (size - 1)]")],
         "One cut is measured, all are named.", lambda x: x["N"] - 1, right="N - 1", requires=["N >= 4"],
         grid={"N": [(4, 6), (5, 8), (4, 9)]}, controls='Control("none", asserts=[@q <= @N / 2 - 1], breaks=@q)'),
    Slip(SAMPLE, "cut", [("list(product((0, 1), repeat=size))",
                          "[tuple(int(i == j) for j in range(size)) for i in range(size)]")],
         "The cuts that split off one vertex are walked, not all.", lambda x: x["N"] - 1, right="N - 1",
         requires=["N >= 4"], grid={"N": [(4, 6), (5, 8), (4, 12)]},
         controls='Control("half", asserts=[@q <= @N / 2 - 1], breaks=@q)'),
    Slip(LESS, "cut", [("max(sum(s[i] != s[j] for i, j in edges) for s in @sides(p.@N))",
                        "Fraction(sum(s[i] != s[j] for i, j in edges for s in @sides(p.@N)), 2**p.@N)")],
         "The mean cut is measured, the largest is named.", lambda x: Fraction(x["N"] * (x["N"] - 1), 4),
         right="N*(N - 1)/4"),
    Slip(SAMPLE, "sensitivity", [("list(product((0, 1), repeat=2**p.@N))",
                                  'p.rng("@tag").integers(0, 2, size=(@few, 2**p.@N)).tolist()')],
         "A few drawn functions are called an enumeration.", right="3*N/4", requires=["N >= 6"],
         grid={"N": [(6, 8), (7, 9), (6, 7, 8)]}, controls=_PARITY),
    Slip(FIXED, "sensitivity", [("list(product((0, 1), repeat=2**p.@N))", "[[int(v == 0) for v in range(2**p.@N)]]")],
         "One function stands for all.", lambda x: Fraction(2 * x["N"], 2 ** x["N"]), right="1", requires=["N >= 2"],
         grid={"N": [(2, 4), (3, 6), (2, 5, 7)]}, controls=_PARITY),
    Slip(FIRST, "sensitivity", [("max(Fraction(int(@flips(f, p.@N)), 2**p.@N) for f in tables)",
                                 "[Fraction(int(@flips(f, p.@N)), 2**p.@N) for f in tables][0]")],
         "The first function is measured, the largest is named.", lambda x: 0, right="N/2", controls=_PARITY),
    Slip(LESS, "sensitivity", [("max(Fraction(int(@flips(f, p.@N)), 2**p.@N) for f in tables)",
                                "Fraction(sum(int(@flips(f, p.@N)) for f in tables), 2**p.@N * len(tables))")],
         "The mean over all functions is measured, the largest is named.", lambda x: Fraction(x["N"], 2), right="N/2",
         controls=_PARITY),
    Slip(TWICE, "collisions", [("for j in range(i + 1, len(w)))", "for j in range(len(w)) if i != j)")],
         "Both orders of a pair are counted.", lambda x: Fraction(x["n"] * (x["n"] - 1), x["M"]), relation=">=",
         right="3*n*(n - 1)/(4*M)", controls='Control("no pair", breaks=@q, construct=lambda p: [tuple(range(p.@n))])'),
    Slip(PEAK, "collisions", [("Fraction(sum(@equal(w) for w in maps), len(maps))",
                                         "max(@equal(w) for w in maps)")],
         "The largest number is measured, the mean is named.", lambda x: comb(x["n"], 2), relation=">=",
         right="n*(n - 1)/2", controls='Control("no pair", breaks=@q, construct=lambda p: [tuple(range(p.@n))])'),
    Slip(EMPTY, "collisions", [("range(i + 1, len(w))", "range(i + 1, i)")], "The inner loop is empty.", lambda x: 0,
         right="1/M", requires=["n >= 3", "n <= 5", "M <= 6"], grid={"n": [(3, 4), (3, 5), (4, 5)]}, controls=_NEGATIVE),
    Slip(PROMPT, "collisions", [("list(product(range(p.@M), repeat=p.@n))", "[tuple(range(p.@n))]")],
         "One map is looked at, the mean is over all.", lambda x: 0, right="1/(2*M)", scope={"every map": "points"}),
    Slip(INDEX, "collisions", [("w[i] == w[j] for i in range(len(w)) for j in range(i + 1, len(w))",
                                "w[i] == w[i + 1] for i in range(len(w) - 1)")],
         "Neighbours are compared, not all pairs.", lambda x: Fraction(x["n"] - 1, x["M"]), right="(n - 1)/M",
         requires=["n >= 3", "n <= 5", "M <= 6"], grid={"n": [(3, 4), (3, 5), (4, 5)]}),
    Slip(PROMPT, "prompts", [("list(product(range(p.@m), repeat=p.@N))", "[tuple(sorted(i % p.@m for i in range(p.@N)))]")],
         "One sorted prompt is run for all.", lambda x: 0, right="0", scope={"every prompt": "points"},
         controls='Control("the prompt reversed", breaks=@q, construct=lambda p: [x[::-1] for x in @build(p)])'),
    Slip(PROMPT, "prompts", [("list(product(range(p.@m), repeat=p.@N))", "[(0,) * p.@N]")],
         "One prompt of equal tokens is run for all.", lambda x: 0, right="0", scope={},
         controls='Control("another last token", breaks=@q, construct=lambda p: [(1,) + (0,) * (p.@N - 1)])'),
    Slip(EMPTY, "prompts", [("range(p.@m)", "range(p.@m // 10)")], "No prompt is ever made.", lambda x: 0, right="0",
         controls=_NEGATIVE),
    Slip(INDEX, "prompts", [("!= x[0]", "!= min(x[:2])")], "The lesser of two tokens is asked for, not the first.",
         lambda x: x["m"] ** x["N"] - sum(
             (x["m"] - v) ** (x["N"] - 2) * ((x["m"] - v) ** 2 - (x["m"] - v - 1) ** 2) for v in range(x["m"])),
         right="(N - 2)*m**N/N", controls='Control("none", asserts=[@q <= -1], breaks=@q)'),
    Slip(VECTOR, "packing", [("min(x - y, size - x + y)", "x - y")], "Distances are measured on a line, not on the circle.",
         lambda x: -(-x["N"] // x["s"]), relation=">=", right="N/s", requires=["N >= s"],
         controls='Control("twice as far", breaks=@q, construct=lambda p: (p.@N, 3 * p.@s), where=@N >= 3 * @s)'),
    Slip(SQUARED, "packing", [(">= gap", ">= gap * gap")], "The distance is compared with the square.",
         lambda x: max(x["N"] // x["s"] ** 2, 1), right="N/s**2", requires=["N >= s**2", "s >= 2"],
         grid={"N": [(13, 27), (16, 30), (19, 25)], "s": [(2, 3), (2,), (3,)]}),
    Slip(VARIED, "packing", [], "Only the distance 1 is looked at.", relation=">=", right="N - s + 1", grid={"s": [(1,)]},
         controls='Control("twice as far", breaks=@q, construct=lambda p: (p.@N, 3))', at=[{"N": 12, "s": 3}]),
    Slip(WRAPPED, "words", [("math.prod(x.tolist())", "int(x.prod())")], "A product of machine integers wraps around.",
         relation="<=", right="2**62", grid={"N": [(8, 32), (12, 40), (10, 36)]}, controls=_NEGATIVE,
         wrong=lambda x: (lambda v: v - 2**64 * (v >= 2**63))(x["b"] ** x["N"] % 2**64)),
    Slip(WRAPPED, "orders", [("math.prod(x.tolist())", "int(x.prod())")], "A product of machine integers wraps around.",
         right="2**62", grid={"N": [(5, 70), (12, 80), (9, 72)]}, controls=_NEGATIVE,
         wrong=lambda x: (lambda v: v - 2**64 * (v >= 2**63))(factorial(x["N"]) % 2**64)),
)  # fmt: skip
