"""Base statements whose quantity, or whose object, is drawn."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from tools.bench.left import kinds
from tools.bench.left.draft import Base, Slip

_BEST = (
    'def @build(p):\n    draws = [p.rng(f"@tag {s}").integers(0, 2, size=p.@d) * 2 - 1 for s in range(40)]\n'
    "    return min(draws, key=lambda v: abs(int(v.sum())))"
)
_DRAW = "return (rng.random((size, p.@k)) < float(chance)).all(axis=1)"
_TRUNCATED = ("tau=@f * scale, excess=Fraction(scale, @f)", "tau=2 * scale, excess=Fraction(scale, @many)")


def beyond(d: int, most: Fraction) -> Fraction:
    """The probability that the sum of d signs is above this number in absolute value."""
    return Fraction(sum(math.comb(d, i) for i in range(d + 1) if abs(2 * i - d) > most), 2**d)


def _failing(x: Any, points: Any) -> tuple[Any, Any]:
    return beyond(x["d"], Fraction(x["d"], x["part"])), 0


def _repeated(x: Any, points: Any) -> tuple[Any, Any]:
    return 1 - math.prod((1 - Fraction(i, 2 ** x["k"]) for i in range(x["n"])), start=Fraction(1)), 0


HEADS = Base(
    "heads",
    letters={"k": "number of heads"},
    noun="probability that all heads err",
    latex=r"P",
    trivial="(0, 1)",
    setting="$@k$ heads that err independently, each with probability @a/@z.",
    code=[
        "def @build(p):\n    return Fraction(@a, @z)",
        "def @observe(chance, p):\n    def draw(rng, size):\n"
        "        return (rng.random((size, p.@k)) < float(chance)).all(axis=1)\n\n"
        '    return {@q: proportion(draw, p.seed("@tag"))}',
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="(2*@a/Rational(@z))**k",
    requires=["k >= 2", "k <= 4"],
    grid={"k": [(2, 3), (2, 4), (3,), (2,)]},
    controls='Control("every head errs", breaks=@q, construct=lambda p: 1)',
    truth=lambda x: Fraction(x["a"], x["z"]) ** x["k"],
    anchors=[("Fraction(1)", {"k": 2}, 1), ("Fraction(1, 2)", {"k": 2}, Fraction(1, 4))],
    scope={"every input": "drawn"},
    numbers={"a z": [(1, 4), (1, 3), (2, 7), (3, 8)]},
)

BIRTHDAY = Base(
    "birthday",
    letters={"k": "number of tokens", "M": "number of bins"},
    noun="probability of a collision",
    latex=r"P",
    trivial="(0, 1)",
    setting="$@k$ tokens, each in one of $@M$ bins, independently.",
    code=[
        "def @build(p):\n    return p.@M",
        "def @observe(bins, p):\n    def draw(rng, size):\n        tokens = rng.integers(0, bins, size=(size, p.@k))\n"
        "        tokens.sort(axis=1)\n        return (tokens[:, 1:] == tokens[:, :-1]).any(axis=1)\n\n"
        '    return {@q: proportion(draw, p.seed("@tag"))}',
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="k**2/M",
    requires=["k >= 2", "k <= 4", "M >= 16"],
    grid={"k": [(2, 3), (2, 4), (3,)], "M": [(32, 64), (40,), (48, 90)]},
    controls='Control("one bin", breaks=@q, construct=lambda p: 1)',
    truth=lambda x: 1 - math.prod((1 - Fraction(i, x["M"]) for i in range(x["k"])), start=Fraction(1)),
    anchors=[("1", {"k": 2, "M": 16}, 1), ("4", {"k": 2, "M": 16}, Fraction(1, 4))],
    scope={"every token": "drawn"},
)

ANSWERS = Base(
    "answers",
    letters={"N": "number of tokens"},
    noun="accuracy",
    latex=r"P",
    trivial="(0, 1)",
    setting="A model that is right with probability $1/2+1/(2@N)$.",
    code=[
        "def @build(p):\n    return Fraction(p.@N + 1, 2 * p.@N)",
        "def @observe(chance, p):\n    def draw(rng, size):\n        return rng.random(size) < float(chance)\n\n"
        '    return {@q: proportion(draw, p.seed("@tag"))}',
    ],
    construct="@build",
    measure="@observe",
    relation=">=",
    right="9/20",
    requires=["N >= 8"],
    grid={"N": [(8, 16), (10,), (12, 20), (9, 14)]},
    controls='Control("a rarer answer", breaks=@q, construct=lambda p: Fraction(1, 4))',
    truth=lambda x: Fraction(x["N"] + 1, 2 * x["N"]),
    anchors=[("Fraction(1)", {"N": 8}, 1), ("Fraction(1, 2)", {"N": 8}, Fraction(1, 2))],
    scope={"every prompt": "drawn"},
    numbers={"keep": [0.5, 0.4, 0.3]},
)

WAITING = Base(
    "waiting",
    letters={"N": "a scale"},
    noun="mean waiting time",
    latex=r"E\,Z",
    trivial="(0, None)",
    setting="$Z=@N/\\sqrt U$ for a uniform $U$: $E(Z-z)_+=@N^2/z$.",
    code=[
        "def @build(p):\n    return p.@N",
        "def @observe(scale, p):\n    def draw(rng, size):\n        return scale / np.sqrt(1 - rng.random(size))\n\n"
        '    return {@q: truncated_mean(draw, p.seed("@tag"), tau=@f * scale, excess=Fraction(scale, @f))}',
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="9*N/4",
    requires=["N >= 1"],
    grid={"N": [(2, 8), (4,), (3, 10), (6,)]},
    controls='Control("twice as long", breaks=@q, construct=lambda p: 2 * p.@N)',
    truth=lambda x: 2 * x["N"],
    anchors=[("1", {"N": 1}, 2), ("3", {"N": 3}, 6)],
    scope={"every run": "drawn"},
    numbers={"f": [12, 16, 20]},
)

DELAY = Base(
    "delay",
    letters={"N": "a scale"},
    noun="mean delay",
    latex=r"E\,Z",
    trivial="(0, None)",
    setting="$Z=@N U^{-1/4}$ for a uniform $U$: $E(Z-z)_+=@N^4/(3z^3)$.",
    code=[
        "def @build(p):\n    return p.@N",
        "def @observe(scale, p):\n    def draw(rng, size):\n"
        "        return scale / np.sqrt(np.sqrt(1 - rng.random(size)))\n\n"
        '    return {@q: truncated_mean(draw, p.seed("@tag"), tau=@f * scale, excess=Fraction(scale, 3 * @f**3))}',
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="3*N/2",
    requires=["N >= 1"],
    grid={"N": [(2, 8), (4,), (3, 10), (6,)]},
    controls='Control("twice as long", breaks=@q, construct=lambda p: 2 * p.@N)',
    truth=lambda x: Fraction(4 * x["N"], 3),
    anchors=[("3", {"N": 1}, 4), ("6", {"N": 3}, 8)],
    scope={"every run": "drawn"},
    numbers={"f": [3, 4, 5]},
)

SIGNS = Base(
    "signs",
    letters={"d": "number of signs"},
    noun="absolute sum",
    latex=r"|\sum_i\varepsilon_i|",
    trivial="(0, None)",
    setting="Vectors of $@d$ signs, from forty draws the one of the least sum.",
    code=[_BEST, "def @observe(v, p):\n    return {@q: abs(int(v.sum()))}"],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="d/@part",
    requires=["d >= 64"],
    grid={"d": [(64, 128), (72, 96), (80, 100), (64, 160)]},
    controls='Control("all equal", breaks=@q, construct=lambda p: @build(p) * 0 + 1)',
    truth=lambda x: Fraction(x["d"] % 2),
    anchors=[("np.array([1, 1, -1])", {"d": 64}, 1), ("np.array([-1, -1, -1, 1])", {"d": 64}, 2)],
    scope={"some vector": "exhibited"},
    numbers={"part": [8, 10, 12, 16]},
)

DISTINCT = Base(
    "distinct",
    letters={"n": "number of words", "k": "bits of a word"},
    noun="number of equal pairs",
    latex=r"|\{i<j:w_i=w_j\}|",
    trivial="(0, None)",
    setting="$@n$ words of $@k$ bits, from forty draws the one with the fewest equal pairs.",
    code=[
        'def @build(p):\n    draws = [p.rng(f"@tag {s}").integers(0, 2**p.@k, size=p.@n).tolist() for s in range(40)]\n'
        "    return min(draws, key=@equal)",
        "def @equal(w):\n    return sum(a == b for a, b in combinations(w, 2))",
        "def @observe(w, p):\n    return {@q: @equal(w)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="0",
    requires=["n >= 2", "n <= 2**(k/2)"],
    grid={"n": [(4, 6), (5, 8), (3, 7)], "k": [(6, 8), (7, 9), (6, 10)]},
    controls='Control("one word for all", breaks=@q, construct=lambda p: [0] * p.@n)',
    truth=lambda x: 0,
    anchors=[("[1, 1, 2]", {"n": 3, "k": 6}, 1), ("[0, 0, 0, 5]", {"n": 4, "k": 6}, 3)],
    scope={"some words": "exhibited"},
)

BASES = (HEADS, BIRTHDAY, ANSWERS, WAITING, DELAY, SIGNS, DISTINCT)
SLIPS = (
    Slip(
        kinds.DEPENDENT,
        "heads",
        [("(size, p.@k)", "(size, 1)")],
        why="One draw serves all heads.",
        wrong=lambda x: Fraction(x["a"], x["z"]),
        relation=">=",
        right="@a/(@z + Rational(1))",
        controls='Control("a rarer error", breaks=@q, construct=lambda p: Fraction(1, 9))',
    ),
    Slip(
        kinds.DEPENDENT,
        "heads",
        [
            (
                _DRAW,
                "first = rng.random((size, 1)) < float(chance)\n        return first.repeat(p.@k, axis=1).all(axis=1)",
            )
        ],
        why="One draw is repeated for all heads.",
        wrong=lambda x: Fraction(x["a"], x["z"]),
        relation=">=",
        right="@a/(@z + Rational(2))",
        controls='Control("a rarer error", breaks=@q, construct=lambda p: Fraction(1, 9))',
    ),
    Slip(
        kinds.DEPENDENT,
        "birthday",
        [("rng.integers(0, bins, size=(size, p.@k))", "rng.integers(0, bins, size=(size, 1)).repeat(p.@k, axis=1)")],
        why="One draw is repeated for all tokens.",
        wrong=lambda x: 1,
        relation=">=",
        right="1/2",
        controls='Control("at most a half", asserts=[@q <= Rational(1, 2)], breaks=@q)',
    ),
    Slip(
        kinds.DROPPED,
        "answers",
        [
            (
                "return rng.random(size) < float(chance)",
                "right = rng.random(4 * size) < float(chance)\n"
                "        kept = right | (rng.random(4 * size) < @keep)\n        return right[kept][:size]",
            )
        ],
        why="Prompts on which the model abstained are drawn again.",
        wrong=lambda x: (lambda a: a / (a + (1 - a) * Fraction(str(x["keep"]))))(Fraction(x["N"] + 1, 2 * x["N"])),
        right="3/5",
    ),
    Slip(
        kinds.DROPPED,
        "waiting",
        [
            (
                "return scale / np.sqrt(1 - rng.random(size))",
                "times = scale / np.sqrt(1 - rng.random(4 * size))\n        return times[times <= 2 * scale][:size]",
            ),
            ("tau=@f * scale, excess=Fraction(scale, @f)", "tau=2 * scale, excess=0"),
        ],
        why="Runs that took too long are dropped.",
        wrong=lambda x: Fraction(4 * x["N"], 3),
        right="3*N/2",
    ),
    Slip(
        kinds.DROPPED,
        "delay",
        [
            (
                "return scale / np.sqrt(np.sqrt(1 - rng.random(size)))",
                "times = scale / np.sqrt(np.sqrt(1 - rng.random(4 * size)))\n"
                "        return times[times <= scale * 1.5][:size]",
            ),
            ("tau=@f * scale, excess=Fraction(scale, 3 * @f**3)", "tau=2 * scale, excess=0"),
        ],
        why="Runs that took too long are dropped.",
        wrong=lambda x: x["N"] * (Fraction(4, 3) - Fraction(4, 3) * Fraction(8, 27)) / (1 - Fraction(16, 81)),
        right="5*N/4",
    ),
    Slip(
        kinds.TRUNCATED,
        "waiting",
        [_TRUNCATED],
        why="The tail weighs more than the excess that is stated.",
        right="7*N/4",
    ),
    Slip(
        kinds.TRUNCATED,
        "delay",
        [
            (
                "tau=@f * scale, excess=Fraction(scale, 3 * @f**3)",
                "tau=Fraction(6, 5) * scale, excess=Fraction(scale, @many)",
            )
        ],
        why="The tail weighs more than the excess that is stated.",
        right="5*N/4",
    ),
    Slip(
        kinds.BEST,
        "signs",
        [],
        why="One seed of forty is reported, the statement is about every one.",
        scope={"every vector": "drawn"},
        fails=_failing,
    ),
    Slip(
        kinds.BEST,
        "distinct",
        [],
        why="One seed of forty is reported, the statement is about every one.",
        scope={"every word": "drawn"},
        fails=_repeated,
    ),
)
