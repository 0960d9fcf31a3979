"""Base statements on attention, laws and risks."""

from __future__ import annotations

from fractions import Fraction

import sympy

from tools.bench.left import kinds
from tools.bench.left.draft import Base, Slip

_LAW = "[Fraction(1, 2 ** min(i, p.@N - 1)) for i in range(1, p.@N + 1)]"
_HALF = 'Control("a half of it", asserts=[@q <= (%s) / 2], breaks=@q)'
_BELOW = 'Control("below zero", asserts=[@q <= -1], breaks=@q)'


LEAKAGE = Base(
    "leakage",
    letters={"N": "number of heads", "w": "weight"},
    noun="largest leakage",
    latex=r"\max_i\ell_i",
    trivial="(0, 1)",
    setting="$@N$ heads; head $i=0,1,\\dots$ gives weight $(@N-i)@w$ to its own token and weight 1 to every other.",
    code=[
        "def @build(p):\n    return [[(p.@N - i) * p.@w if i == j else 1 for j in range(p.@N)] for i in range(p.@N)]",
        "def @share(row, i):\n    return 1 - Fraction(row[i], sum(row))",
        "def @observe(weights, p):\n    leaks = [@share(row, i) for i, row in enumerate(weights)]\n"
        "    return {@q: max(leaks)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="(N - 1)/(N - 1 + w)",
    requires=["N >= 2", "w >= 2"],
    grid={"N": [(4, 16), (6, 12), (5, 20)], "w": [(4, 12), (6, 10), (8, 16)]},
    controls='Control("equal weights", breaks=@q, construct=lambda p: [[1] * p.@N for _ in range(p.@N)])',
    truth=lambda x: Fraction(x["N"] - 1, x["N"] - 1 + x["w"]),
    anchors=[
        ("[[3, 1], [1, 1]]", {"N": 2, "w": 2}, Fraction(1, 2)),
        ("[[4, 1, 1], [0, 2, 1], [1, 1, 3]]", {"N": 3, "w": 2}, Fraction(2, 5)),
    ],
    scope={"every head": "enumeration"},
)

ATTENTION = Base(
    "attention",
    letters={"N": "number of tokens", "b": "inverse temperature"},
    noun="attention on other tokens",
    latex=r"\ell",
    trivial="(0, 1)",
    setting="$@N$ tokens; the first has score $@b$, every other has score 0; softmax to the base $e$.",
    code=[
        "def @build(p):\n    return [p.@b] + [0] * (p.@N - 1)",
        "def @power(s):\n    return Enclosure(s).exp()",
        "def @observe(scores, p):\n    def compute():\n        powers = [@power(s) for s in scores]\n"
        "        total = sum(powers[1:], powers[0])\n        return sum(powers[2:], powers[1]) / total\n\n"
        "    return {@q: enclosed(compute)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="(N - 1)*exp(-b)",
    requires=["N >= 3"],
    grid={"N": [(4, 16), (6, 32), (3, 10)], "b": [(4, 8), (5, 9), (6, 7)]},
    controls='Control("no score", breaks=@q, construct=lambda p: [0] * p.@N, where=@b >= 4)',
    truth=lambda x: (x["N"] - 1) / (x["N"] - 1 + sympy.exp(x["b"])),
    anchors=[("[1, 0]", {"N": 3, "b": 1}, 1 / (1 + sympy.E)), ("[0, 0, 0]", {"N": 3, "b": 1}, Fraction(2, 3))],
)

ENTROPY = Base(
    "entropy",
    letters={"N": "number of values"},
    noun="entropy in bits",
    latex="H",
    trivial="(0, None)",
    setting="A law on $@N$ values with the probabilities $1/2,1/4,\\dots$, the last of them twice.",
    code=[
        f"def @build(p):\n    return {_LAW}",
        "def @logarithm(x):\n    return Enclosure(x).log() / Enclosure(2).log()",
        "def @observe(law, p):\n    def compute():\n        parts = [-Enclosure(q) * @logarithm(q) for q in law]\n"
        "        return sum(parts[1:], parts[0])\n\n    return {@q: enclosed(compute)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="2",
    requires=["N >= 4"],
    grid={"N": [(4, 8), (5, 12), (6, 10), (4, 16)]},
    controls='Control("equal values", breaks=@q, construct=lambda p: [Fraction(1, @many)] * @many)',
    truth=lambda x: 2 - Fraction(4, 2 ** x["N"]),
    anchors=[
        ("[Fraction(1, 2)] * 2", {"N": 4}, 1),
        ("[Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]", {"N": 4}, Fraction(3, 2)),
    ],
    numbers={"many": [8, 16, 32]},
)

CHANNEL = Base(
    "channel",
    letters={"N": "number of messages"},
    noun="information in bits",
    latex="I",
    trivial="(0, None)",
    setting="$@N$ equally likely messages, told apart.",
    code=[
        "def @build(p):\n    return [Fraction(1, p.@N)] * p.@N",
        "def @observe(law, p):\n    def compute():\n        parts = [-Enclosure(q) * Enclosure(q).log() for q in law]\n"
        "        return sum(parts[1:], parts[0]) / Enclosure(2).log()\n\n    return {@q: enclosed(compute)}",
    ],
    construct="@build",
    measure="@observe",
    relation=">=",
    right="log(N)",
    requires=["N >= 2"],
    grid={"N": [(4, 16), (3, 12), (6, 20), (5, 32)]},
    controls='Control("two messages", breaks=@q, construct=lambda p: [Fraction(1, 2)] * 2, where=@N >= 3)',
    truth=lambda x: sympy.log(x["N"], 2),
    anchors=[("[Fraction(1, 2)] * 2", {"N": 2}, 1), ("[Fraction(1, 4)] * 4", {"N": 4}, 2)],
)

RISK = Base(
    "risk",
    letters={"r": "rows of a category", "d": "number of categories"},
    noun="risk on new labels",
    latex=r"R",
    trivial="(0, None)",
    setting="$@d$ categories with $@r$ rows each; labels are signs, each as likely; "
    "the mean label of a category predicts a new one.",
    code=[
        "def @build(p):\n    return list(product((-1, 1), repeat=p.@r))",
        "def @error(rows):\n    mean = Fraction(sum(rows), len(rows))\n"
        "    new = [(s - mean) ** 2 for s in (-1, 1)]\n    return sum(new) / len(new)",
        "def @observe(labels, p):\n    return {@q: p.@d * sum(@error(rows) for rows in labels) / len(labels)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="d*(1 + 1/r)",
    requires=["r >= 2", "r <= 8"],
    grid={"r": [(2, 4), (3, 5), (2, 5)], "d": [(1, 3), (2, 5), (3, 7)]},
    controls='Control("the noise alone", asserts=[@q <= @d], breaks=@q)',
    truth=lambda x: x["d"] + Fraction(x["d"], x["r"]),
    anchors=[("[(1,)]", {"r": 2, "d": 1}, 2), ("[(1, -1), (1, 1)]", {"r": 2, "d": 1}, Fraction(3, 2))],
    scope={"every row of labels": "enumeration"},
)

MEMORY = Base(
    "memory",
    letters={"N": "number of inputs", "k": "number of stored ones"},
    noun="share of wrong answers",
    latex=r"R",
    trivial="(0, 1)",
    setting="$@N$ equally likely inputs; a table that stores the labels of $@k$ of them, and is wrong on every other.",
    code=[
        "def @build(p):\n    return {x: x % 2 for x in range(p.@k)}",
        "def @observe(table, p):\n    return {@q: Fraction(sum(table.get(x) != x % 2 for x in range(p.@N)), p.@N)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="1 - k/N",
    requires=["k <= N"],
    grid={"N": [(8, 12), (9, 16), (10, 24)], "k": [(2, 5), (3, 6), (1, 4)]},
    controls='Control("one more stored", asserts=[@q <= 1 - (@k + 1) / @N], breaks=@q)',
    truth=lambda x: Fraction(x["N"] - x["k"], x["N"]),
    anchors=[("{0: 0, 1: 1}", {"N": 4, "k": 2}, Fraction(1, 2)), ("{}", {"N": 3, "k": 1}, 1)],
)

BASES = (LEAKAGE, ATTENTION, ENTROPY, CHANNEL, RISK, MEMORY)
SLIPS = (
    Slip(
        kinds.FIRST,
        "leakage",
        [("max(leaks)", "leaks[0]")],
        why="The first head is measured, the worst is named.",
        wrong=lambda x: Fraction(x["N"] - 1, x["N"] - 1 + x["N"] * x["w"]),
        right="1/w",
    ),
    Slip(
        kinds.LESS,
        "leakage",
        [("max(leaks)", "sum(leaks) / len(leaks)")],
        why="The mean over heads is measured, the worst is named.",
        wrong=lambda x: sum(Fraction(x["N"] - 1, x["N"] - 1 + j * x["w"]) for j in range(1, x["N"] + 1)) / x["N"],
        right="(log(N) + 1)/w",
        requires=["N >= 2", "w >= 4"],
        at=[{"N": 16, "w": 12}],
        controls='Control("no weight", breaks=@q, where=@w >= log(@N) + 2, '
        "construct=lambda p: [[int(i != j) for j in range(p.@N)] for i in range(p.@N)])",
    ),
    Slip(
        kinds.HARD,
        "leakage",
        [("1 - Fraction(row[i], sum(row))", "int(row.index(max(row)) != i)")],
        why="The largest weight takes all.",
        wrong=lambda x: 0,
        right="1/(N*w)",
    ),
    Slip(
        kinds.FORMULA,
        "leakage",
        [
            ("max(leaks)", "Fraction(p.@N - 1, p.@N - 1 + p.@N * p.@w)"),
            ("    leaks = [@share(row, i) for i, row in enumerate(weights)]\n", ""),
        ],
        why="The right side is computed again, and no head is looked at.",
        wrong=lambda x: Fraction(x["N"] - 1, x["N"] - 1 + x["N"] * x["w"]),
        relation="==",
        right="(N - 1)/(N - 1 + N*w)",
        controls='Control("one more", asserts=[@q.equals((@N - 1) / (@N + @N * @w))], breaks=@q)',
    ),
    Slip(
        kinds.IGNORED,
        "leakage",
        [("max(leaks)", "Fraction(1, 1 + p.@w)")],
        why="The number does not depend on the heads.",
        wrong=lambda x: Fraction(1, 1 + x["w"]),
        right="1/w",
        controls=_HALF % "1 / @w",
    ),
    Slip(
        kinds.NATS,
        "attention",
        [("Enclosure(s).exp()", "Enclosure(2) ** s")],
        why="Powers of two in place of powers of e.",
        wrong=lambda x: Fraction(x["N"] - 1, x["N"] - 1 + 2 ** x["b"]),
        relation=">=",
        right="(N - 1)/(N + 2**b)",
        controls='Control("a sharper score", breaks=@q, construct=lambda p: [4 * p.@b] + [0] * (p.@N - 1))',
    ),
    Slip(
        kinds.INDEX,
        "attention",
        [("sum(powers[2:], powers[1])", "sum(powers[3:], powers[2])")],
        why="One of the other tokens is left out.",
        wrong=lambda x: (x["N"] - 2) / (x["N"] - 1 + sympy.exp(x["b"])),
        right="(N - 2)*exp(-b)",
    ),
    Slip(
        kinds.HARD,
        "attention",
        [
            ("enclosed(compute)", "int(scores.index(max(scores)) != 0)"),
            (
                "    def compute():\n        powers = [@power(s) for s in scores]\n"
                "        total = sum(powers[1:], powers[0])\n        return sum(powers[2:], powers[1]) / total\n\n",
                "",
            ),
        ],
        why="The largest score takes all.",
        wrong=lambda x: 0,
        right="0",
        controls='Control("another token first", breaks=@q, construct=lambda p: [0] * (p.@N - 1) + [p.@b])',
    ),
    Slip(
        kinds.NATS,
        "entropy",
        [("Enclosure(x).log() / Enclosure(2).log()", "Enclosure(x).log()")],
        why="Nats are measured, bits are named.",
        wrong=lambda x: (2 - Fraction(4, 2 ** x["N"])) * sympy.log(2),
        right="3/2",
    ),
    Slip(
        kinds.SQUARED,
        "entropy",
        [
            ("parts = [-Enclosure(q) * @logarithm(q) for q in law]", "parts = [Enclosure(q) ** 2 for q in law]"),
            ("return sum(parts[1:], parts[0])", "return -@logarithm(sum(parts[1:], parts[0]))"),
        ],
        why="The logarithm of the sum of squares: the collision entropy, which is smaller.",
        wrong=lambda x: -sympy.log(Fraction(1, 3) * (1 + Fraction(8, 4 ** x["N"])), 2),
        right="8/5",
        at=[{"N": 4}, {"N": 8}],
    ),
    Slip(
        kinds.INDEX,
        "entropy",
        [("for q in law", "for q in law[1:]")],
        why="The first value is left out.",
        wrong=lambda x: Fraction(3, 2) - Fraction(4, 2 ** x["N"]),
        right="3/2",
    ),
    Slip(
        kinds.FORMULA,
        "entropy",
        [
            ("enclosed(compute)", "2 - Fraction(2, 2**p.@N)"),
            (
                "    def compute():\n        parts = [-Enclosure(q) * @logarithm(q) for q in law]\n"
                "        return sum(parts[1:], parts[0])\n\n",
                "",
            ),
        ],
        why="A formula, and a wrong one, is compared with itself.",
        wrong=lambda x: 2 - Fraction(2, 2 ** x["N"]),
        relation="==",
        right="2 - 2**(1 - N)",
        controls='Control("less", asserts=[@q.equals(2 - 2 ** (2 - @N))], breaks=@q)',
    ),
    Slip(
        kinds.TRAINING,
        "risk",
        [("for s in (-1, 1)]", "for s in rows]")],
        why="The error on the training rows is measured.",
        wrong=lambda x: x["d"] - Fraction(x["d"], x["r"]),
        right="d",
        controls='Control("a third", asserts=[@q <= @d / 3], breaks=@q)',
    ),
    Slip(
        kinds.SQUARED,
        "risk",
        [("(s - mean) ** 2", "abs(s - mean)")],
        why="Distances are averaged, squares are named.",
        wrong=lambda x: x["d"],
        right="d",
        controls='Control("a third", asserts=[@q <= @d / 3], breaks=@q)',
    ),
    Slip(
        kinds.PEAK,
        "risk",
        [("sum(@error(rows) for rows in labels) / len(labels)", "max(@error(rows) for rows in labels)")],
        why="The largest error is measured, the mean is named.",
        wrong=lambda x: 2 * x["d"],
        relation="==",
        right="2*d",
        controls='Control("half", asserts=[@q.equals(@d)], breaks=@q)',
    ),
    Slip(
        kinds.VARIED,
        "risk",
        [],
        why="With two rows r/4 and 1/r are equal.",
        relation=">=",
        right="d*(1 + r/4)",
        grid={"r": [(2,)]},
        at=[{"r": 4, "d": 1}],
        controls='Control("three", asserts=[@q >= 3 * @d], breaks=@q)',
    ),
    Slip(
        kinds.TRAINING,
        "memory",
        [("for x in range(p.@N)), p.@N)", "for x in table), len(table))")],
        why="The stored inputs are asked for, not all.",
        wrong=lambda x: 0,
        right="1/(2*N)",
        requires=["k <= N - 1"],
        controls=_BELOW,
    ),
    Slip(
        kinds.INDEX,
        "memory",
        [("range(p.@N)), p.@N)", "range(p.@k - 1, p.@N)), 2 * p.@N)")],
        why="The wrong answers are divided by twice the number of inputs.",
        wrong=lambda x: Fraction(x["N"] - x["k"], 2 * x["N"]),
        right="(N - k)/(2*N)",
        requires=["k <= N - 1"],
        controls='Control("a third", asserts=[@q <= (@N - @k) / (3 * @N)], breaks=@q)',
    ),
    Slip(
        kinds.NATS,
        "channel",
        [(" / Enclosure(2).log()", "")],
        why="Nats are measured, bits are named.",
        wrong=lambda x: sympy.log(x["N"]),
        relation="<=",
        right="6*log(N)/5",
        controls='Control("the square of it", breaks=@q, where=@N <= 6, '
        "construct=lambda p: [Fraction(1, p.@N**2)] * p.@N**2)",
    ),
    Slip(
        kinds.LESS,
        "channel",
        [("sum(parts[1:], parts[0]) / Enclosure(2).log()", "sum(parts[1:], parts[0]) / len(parts)")],
        why="The mean part is measured, their sum is named.",
        wrong=lambda x: sympy.log(x["N"]) / x["N"],
        relation="<=",
        right="log(N)/2",
        controls='Control("a tenth", asserts=[@q <= log(@N) / (10 * @N)], breaks=@q)',
    ),
    Slip(
        kinds.FORMULA,
        "channel",
        [
            ("enclosed(compute)", "enclosed(lambda: Enclosure(p.@N).log())"),
            (
                "    def compute():\n        parts = [-Enclosure(q) * Enclosure(q).log() for q in law]\n"
                "        return sum(parts[1:], parts[0]) / Enclosure(2).log()\n\n",
                "",
            ),
        ],
        why="The right side is computed again, in nats.",
        wrong=lambda x: sympy.log(x["N"]),
        relation="<=",
        right="log(N)*(1 + 1/N)",
        controls='Control("a half", asserts=[@q <= log(@N) / 2], breaks=@q)',
    ),
)
