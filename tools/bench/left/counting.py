"""Base statements that count: words, cuts, functions, maps, prompts."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from tools.bench.left import kinds
from tools.bench.left.draft import Base, Slip

_EQUAL = 'Control("all words equal", breaks=@q, construct=lambda p: @build(p)[:1] * 3)'
_PARITY = 'Control("parity", breaks=@q, construct=@parity)'
_PAIRS = "min(@differ(u, v) for u, v in combinations(words, 2))"
_NEGATIVE = 'Control("less than none", asserts=[@q <= -1], breaks=@q)'


DISTANCE = Base(
    "distance",
    letters={"d": "number of bits", "r": "number of repetitions"},
    noun="least distance",
    latex=r"\min_{u\ne v}d_H(u,v)",
    trivial="(0, None)",
    setting="The words of $@d$ bits with an even number of ones, every bit written $@r$ times.",
    code=[
        "def @build(p):\n    words = [w for w in product((0, 1), repeat=p.@d) if sum(w) % 2 == 0]\n"
        "    return [[bit for bit in w for _ in range(p.@r)] for w in words]",
        "def @differ(u, v):\n    return sum(a != b for a, b in zip(u, v, strict=True))",
        "def @observe(words, p):\n    return {@q: min(@differ(u, v) for u, v in combinations(words, 2))}",
    ],
    construct="@build",
    measure="@observe",
    relation=">=",
    right="2*r",
    requires=["d >= 2"],
    grid={"d": [(2, 4), (3, 5), (4, 6), (3, 4, 6)], "r": [(1, 3), (2, 3), (1, 4), (2, 5)]},
    controls='Control("one word twice", breaks=@q, construct=lambda p: [*@build(p), @build(p)[0]])',
    truth=lambda x: 2 * x["r"],
    anchors=[
        ("[[0, 0, 0], [1, 1, 1]]", {"d": 3, "r": 1}, 3),
        ("[[0, 0, 1], [1, 1, 0], [0, 1, 1]]", {"d": 3, "r": 1}, 1),
    ],
)

CUT = Base(
    "cut",
    letters={"N": "number of vertices"},
    noun="largest cut",
    latex=r"\max_S|E(S,S^c)|",
    trivial="(0, None)",
    setting="The complete graph on $@N$ vertices.",
    code=[
        "def @build(p):\n    return [(i, j) for i in range(p.@N) for j in range(i + 1, p.@N)]",
        "def @sides(size):\n    return list(product((0, 1), repeat=size))",
        "def @observe(edges, p):\n    return {@q: max(sum(s[i] != s[j] for i, j in edges) for s in @sides(p.@N))}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="N**2/4",
    requires=["N >= 2", "N <= 10"],
    grid={"N": [(4, 6), (3, 5, 7), (4, 5, 8), (5, 8), (4, 7)]},
    controls='Control("an eighth", asserts=[@q <= @N**2 / 8], breaks=@q)',
    truth=lambda x: x["N"] // 2 * ((x["N"] + 1) // 2),
    anchors=[("[(0, 1)]", {"N": 2}, 1), ("[(0, 1), (1, 2), (0, 2)]", {"N": 3}, 2)],
    scope={"every cut": "enumeration"},
)

SENSITIVITY = Base(
    "sensitivity",
    letters={"N": "number of bits"},
    noun="largest mean sensitivity",
    latex=r"\max_f s(f)",
    trivial="(0, None)",
    setting="The Boolean functions of $@N$ bits, as tables.",
    code=[
        "def @build(p):\n    return list(product((0, 1), repeat=2**p.@N))",
        "def @flips(f, bits):\n    return sum(f[v] != f[v ^ (1 << i)] for v in range(2**bits) for i in range(bits))",
        "def @observe(tables, p):\n    return {@q: max(Fraction(int(@flips(f, p.@N)), 2**p.@N) for f in tables)}",
        'def @parity(p):\n    return [[bin(v).count("1") % 2 for v in range(2**p.@N)]]',
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="N",
    requires=["N <= 3"],
    grid={"N": [(1, 3), (2, 3), (1, 2, 3)]},
    controls='Control("half of the bits", asserts=[@q <= @N / 2], breaks=@q, construct=@parity)',
    truth=lambda x: x["N"],
    anchors=[("[[0, 1], [0, 0]]", {"N": 1}, 1), ("[[0, 0, 0, 0], [0, 1, 1, 0]]", {"N": 2}, 2)],
    scope={"every function": "enumeration"},
)

COLLISIONS = Base(
    "collisions",
    letters={"n": "number of words", "M": "number of bins"},
    noun="mean number of equal pairs",
    latex=r"E\,|\{i<j:w_i=w_j\}|",
    trivial="(0, None)",
    setting="All maps of $@n$ words to $@M$ bins, each as likely as every other.",
    code=[
        "def @build(p):\n    return list(product(range(p.@M), repeat=p.@n))",
        "def @equal(w):\n    return sum(w[i] == w[j] for i in range(len(w)) for j in range(i + 1, len(w)))",
        "def @observe(maps, p):\n    return {@q: Fraction(sum(@equal(w) for w in maps), len(maps))}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="n*(n - 1)/(2*M)",
    requires=["n >= 2", "n <= 5", "M <= 6"],
    grid={"n": [(2, 3), (3, 4), (2, 4)], "M": [(2, 3), (2, 4), (3, 5)]},
    controls='Control("all words equal", breaks=@q, construct=lambda p: [(0,) * p.@n], where=@M >= 2)',
    truth=lambda x: Fraction(comb(x["n"], 2), x["M"]),
    anchors=[("[(0, 0)]", {"n": 2, "M": 2}, 1), ("[(0, 1, 0), (1, 1, 1)]", {"n": 3, "M": 2}, 2)],
    scope={"every map": "enumeration"},
)

PROMPTS = Base(
    "prompts",
    letters={"N": "length of a prompt", "m": "number of tokens"},
    noun="number of prompts with an error",
    latex=r"|\{x:\min x\ne x_1\}|",
    trivial="(0, None)",
    setting="All prompts of $@N$ tokens out of $@m$; the model answers the least token, asked for the first one.",
    code=[
        "def @build(p):\n    return list(product(range(p.@m), repeat=p.@N))",
        "def @answer(prompt):\n    return min(prompt)",
        "def @observe(prompts, p):\n    return {@q: sum(@answer(x) != x[0] for x in prompts)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="(N - 1)*m**N/N",
    requires=["N >= 2", "N <= 6", "m >= 2", "m <= 5"],
    grid={"N": [(2, 3), (3, 4), (2, 4)], "m": [(2, 3), (2, 4), (3, 4)]},
    controls='Control("a quarter", asserts=[@q <= @m**@N / 5], breaks=@q)',
    truth=lambda x: x["m"] ** x["N"] - sum(u ** (x["N"] - 1) for u in range(1, x["m"] + 1)),
    anchors=[("[(0, 1), (1, 0)]", {"N": 2, "m": 2}, 1), ("[(1, 0, 0), (2, 1, 0), (0, 0, 1)]", {"N": 3, "m": 3}, 2)],
    scope={"every prompt": "enumeration"},
)

BASES = (DISTANCE, CUT, SENSITIVITY, COLLISIONS, PROMPTS)
SLIPS = (
    Slip(
        kinds.MORE,
        "distance",
        [("min(@differ", "max(@differ")],
        why="The largest distance is measured, the least is named.",
        wrong=lambda x: x["r"] * 2 * (x["d"] // 2),
        right="r*(d - 1)",
        requires=["d >= 4"],
        controls=_EQUAL,
        grid={"d": [(4, 6), (5, 6), (4, 5)]},
    ),
    Slip(
        kinds.LESS,
        "distance",
        [(_PAIRS, "Fraction(sum(@differ(u, v) for u, v in combinations(words, 2)), comb(len(words), 2))")],
        why="The mean distance is measured, the least is named.",
        wrong=lambda x: Fraction(x["r"] * x["d"] * 2 ** (x["d"] - 1), 2 * (2 ** (x["d"] - 1) - 1)),
        right="r*d/2",
        requires=["d >= 5"],
        controls=_EQUAL,
        grid={"d": [(5, 6), (5, 7), (6, 7)]},
    ),
    Slip(
        kinds.VARIED,
        "distance",
        [],
        why="With one repetition the square is the number itself.",
        right="2*r**2",
        grid={"r": [(1,)]},
        at=[{"d": 4, "r": 2}],
    ),
    Slip(
        kinds.TWICE,
        "cut",
        [("for i, j in edges)", "for i in range(p.@N) for j in range(p.@N))")],
        why="Both orders of an edge are counted.",
        wrong=lambda x: x["N"] // 2 * ((x["N"] + 1) // 2) * 2,
        relation=">=",
        right="N**2/3",
        controls='Control("all edges", asserts=[@q >= @N**2], breaks=@q)',
        scope={"some cut": "exhibited"},
    ),
    Slip(
        kinds.FIXED,
        "cut",
        [("list(product((0, 1), repeat=size))", "[(1,) + (0,) * (size - 1)]")],
        why="One cut is measured, all are named.",
        wrong=lambda x: x["N"] - 1,
        right="N - 1",
        requires=["N >= 4"],
        grid={"N": [(4, 6), (5, 8), (4, 9)]},
        controls='Control("none", asserts=[@q <= @N / 2 - 1], breaks=@q)',
    ),
    Slip(
        kinds.SAMPLE,
        "cut",
        [("list(product((0, 1), repeat=size))", "[tuple(int(i == j) for j in range(size)) for i in range(size)]")],
        why="The cuts that split off one vertex are walked, not all.",
        wrong=lambda x: x["N"] - 1,
        right="N - 1",
        requires=["N >= 4"],
        grid={"N": [(4, 6), (5, 8), (4, 12)]},
        controls='Control("half", asserts=[@q <= @N / 2 - 1], breaks=@q)',
    ),
    Slip(
        kinds.LESS,
        "cut",
        [
            (
                "max(sum(s[i] != s[j] for i, j in edges) for s in @sides(p.@N))",
                "Fraction(sum(s[i] != s[j] for i, j in edges for s in @sides(p.@N)), 2**p.@N)",
            )
        ],
        why="The mean cut is measured, the largest is named.",
        wrong=lambda x: Fraction(x["N"] * (x["N"] - 1), 4),
        right="N*(N - 1)/4",
    ),
    Slip(
        kinds.SAMPLE,
        "sensitivity",
        [("list(product((0, 1), repeat=2**p.@N))", 'p.rng("@tag").integers(0, 2, size=(@few, 2**p.@N)).tolist()')],
        why="A few drawn functions are called an enumeration.",
        right="3*N/4",
        requires=["N >= 6"],
        grid={"N": [(6, 8), (7, 9), (6, 7, 8)]},
        controls=_PARITY,
    ),
    Slip(
        kinds.FIXED,
        "sensitivity",
        [("list(product((0, 1), repeat=2**p.@N))", "[[int(v == 0) for v in range(2**p.@N)]]")],
        why="One function stands for all.",
        wrong=lambda x: Fraction(2 * x["N"], 2 ** x["N"]),
        right="1",
        requires=["N >= 2"],
        grid={"N": [(2, 4), (3, 6), (2, 5, 7)]},
        controls=_PARITY,
    ),
    Slip(
        kinds.FIRST,
        "sensitivity",
        [
            (
                "max(Fraction(int(@flips(f, p.@N)), 2**p.@N) for f in tables)",
                "[Fraction(int(@flips(f, p.@N)), 2**p.@N) for f in tables][0]",
            )
        ],
        why="The first function is measured, the largest is named.",
        wrong=lambda x: 0,
        right="N/2",
        controls=_PARITY,
    ),
    Slip(
        kinds.LESS,
        "sensitivity",
        [
            (
                "max(Fraction(int(@flips(f, p.@N)), 2**p.@N) for f in tables)",
                "Fraction(sum(int(@flips(f, p.@N)) for f in tables), 2**p.@N * len(tables))",
            )
        ],
        why="The mean over all functions is measured, the largest is named.",
        wrong=lambda x: Fraction(x["N"], 2),
        right="N/2",
        controls=_PARITY,
    ),
    Slip(
        kinds.TWICE,
        "collisions",
        [("for j in range(i + 1, len(w)))", "for j in range(len(w)) if i != j)")],
        why="Both orders of a pair are counted.",
        wrong=lambda x: Fraction(x["n"] * (x["n"] - 1), x["M"]),
        relation=">=",
        right="3*n*(n - 1)/(4*M)",
        controls='Control("no pair", breaks=@q, construct=lambda p: [tuple(range(p.@n))])',
    ),
    Slip(
        kinds.PEAK,
        "collisions",
        [("Fraction(sum(@equal(w) for w in maps), len(maps))", "max(@equal(w) for w in maps)")],
        why="The largest number is measured, the mean is named.",
        wrong=lambda x: comb(x["n"], 2),
        relation=">=",
        right="n*(n - 1)/2",
        controls='Control("no pair", breaks=@q, construct=lambda p: [tuple(range(p.@n))])',
    ),
    Slip(
        kinds.EMPTY,
        "collisions",
        [("range(i + 1, len(w))", "range(i + 1, i)")],
        why="The inner loop is empty.",
        wrong=lambda x: 0,
        right="1/M",
        requires=["n >= 3", "n <= 5", "M <= 6"],
        grid={"n": [(3, 4), (3, 5), (4, 5)]},
        controls=_NEGATIVE,
    ),
    Slip(
        kinds.PROMPT,
        "collisions",
        [("list(product(range(p.@M), repeat=p.@n))", "[tuple(range(p.@n))]")],
        why="One map is looked at, the mean is over all.",
        wrong=lambda x: 0,
        right="1/(2*M)",
        scope={"every map": "points"},
    ),
    Slip(
        kinds.INDEX,
        "collisions",
        [
            (
                "w[i] == w[j] for i in range(len(w)) for j in range(i + 1, len(w))",
                "w[i] == w[i + 1] for i in range(len(w) - 1)",
            )
        ],
        why="Neighbours are compared, not all pairs.",
        wrong=lambda x: Fraction(x["n"] - 1, x["M"]),
        right="(n - 1)/M",
        requires=["n >= 3", "n <= 5", "M <= 6"],
        grid={"n": [(3, 4), (3, 5), (4, 5)]},
    ),
    Slip(
        kinds.PROMPT,
        "prompts",
        [("list(product(range(p.@m), repeat=p.@N))", "[tuple(sorted(i % p.@m for i in range(p.@N)))]")],
        why="One sorted prompt is run for all.",
        wrong=lambda x: 0,
        right="0",
        scope={"every prompt": "points"},
        controls='Control("the prompt reversed", breaks=@q, construct=lambda p: [x[::-1] for x in @build(p)])',
    ),
    Slip(
        kinds.PROMPT,
        "prompts",
        [("list(product(range(p.@m), repeat=p.@N))", "[(0,) * p.@N]")],
        why="One prompt of equal tokens is run for all.",
        wrong=lambda x: 0,
        right="0",
        scope={},
        controls='Control("another last token", breaks=@q, construct=lambda p: [(1,) + (0,) * (p.@N - 1)])',
    ),
    Slip(
        kinds.EMPTY,
        "prompts",
        [("range(p.@m)", "range(p.@m // 10)")],
        why="No prompt is ever made.",
        wrong=lambda x: 0,
        right="0",
        controls=_NEGATIVE,
    ),
    Slip(
        kinds.INDEX,
        "prompts",
        [("!= x[0]", "!= min(x[:2])")],
        why="The lesser of two tokens is asked for, not the first.",
        wrong=lambda x: (
            x["m"] ** x["N"]
            - sum((x["m"] - v) ** (x["N"] - 2) * ((x["m"] - v) ** 2 - (x["m"] - v - 1) ** 2) for v in range(x["m"]))
        ),
        right="(N - 2)*m**N/N",
        controls='Control("none", asserts=[@q <= -1], breaks=@q)',
    ),
)
