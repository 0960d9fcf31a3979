"""Base statements on runs: walks, experts, coupons, sorting, and what is chosen before what."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy

from tools.bench.left import kinds
from tools.bench.left.draft import Base, Slip

_BELOW = 'Control("below zero", asserts=[@q <= -1], breaks=@q)'


def harmonic(size: int) -> Fraction:
    """The sum of 1/k, over one denominator."""
    whole = sympy.ilcm(*range(1, size + 1)) if size > 1 else 1
    return Fraction(sum(int(whole) // k for k in range(1, size + 1)), int(whole))


def _early(sides: Any) -> Any:
    """What an object chosen at the first point of the grid gives at a later one."""

    def fails(x: Any, points: Sequence[Any]) -> tuple[Any, Any]:
        found: tuple[Any, Any] = sides(points[0], x)
        return found

    return fails


def _peeked(x: Any) -> Any:
    return -(x["T"] // 2)


PASSAGE = Base(
    "passage",
    letters={"N": "size of the interval"},
    noun="longest mean time to leave",
    latex=r"\max_aE_aT",
    trivial="(0, None)",
    setting="A fair walk on $0,\\dots,@N$ that stops at both ends, from every start.",
    code=[
        "def @build(p):\n    return @times(p.@N)",
        "def @times(size):\n    rows = [(0, 0), (1, 0)]\n    while len(rows) <= size:\n"
        "        (u, v), (y, z) = rows[-2:]\n        rows.append((2 * y - u, 2 * z - v - 2))\n"
        "    first = Fraction(-rows[size][1], rows[size][0])\n    return [u * first + v for u, v in rows]",
        "def @observe(times, p):\n    return {@q: max(times)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="N**2/4",
    requires=["N >= 2"],
    grid={"N": [(4, 10), (5, 12), (6, 9), (8, 21)]},
    controls='Control("a reflecting end", breaks=@q, construct=lambda p: @times(2 * p.@N))',
    truth=lambda x: x["N"] ** 2 // 4,
    anchors=[("[0, 1, 0]", {"N": 2}, 1), ("[0, 3, 4, 3, 0]", {"N": 4}, 4)],
    scope={"every start": "enumeration"},
)

REGRET = Base(
    "regret",
    letters={"T": "number of steps"},
    noun="regret of the leader",
    latex=r"\sum_t\ell_t-\min_i\sum_t\ell_{t,i}",
    trivial="(None, None)",
    setting="Two experts that are wrong in turn, $@T$ steps; the better one so far is followed, the first in a tie.",
    code=[
        "def @build(p):\n    return [((t + 1) % 2, t % 2) for t in range(p.@T)]",
        "def @observe(losses, p):\n    a = b = lost = 0\n    for x, y in losses:\n        lost += x if a <= b else y\n"
        "        a, b = a + x, b + y\n    return {@q: lost - min(a, b)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="(T + 1)/2",
    requires=["T >= 1"],
    grid={"T": [(5, 12), (9, 14), (7, 20), (11, 30)]},
    controls='Control("a third", asserts=[@q <= @T / 3], breaks=@q)',
    truth=lambda x: -(-x["T"] // 2),
    anchors=[("[(1, 0)]", {"T": 1}, 1), ("[(1, 0), (0, 1), (1, 0)]", {"T": 3}, 2)],
)

COUPONS = Base(
    "coupons",
    letters={"N": "number of coupons"},
    noun="mean number of draws",
    latex=r"E\,T",
    trivial="(0, None)",
    setting="Coupons of $@N$ kinds are drawn until all were seen; the chances of a new one are $1,1-1/@N,\\dots,1/@N$.",
    code=[
        "def @build(p):\n    return [Fraction(p.@N - i, p.@N) for i in range(p.@N)]",
        "def @observe(chances, p):\n    return {@q: sum(1 / c for c in chances)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="N*(log(N) + 1)",
    requires=["N >= 2"],
    grid={"N": [(4, 16), (5, 20), (8, 32), (6, 24)]},
    controls='Control("a draw for each", asserts=[@q <= @N], breaks=@q)',
    truth=lambda x: x["N"] * harmonic(x["N"]),
    anchors=[
        ("[Fraction(1), Fraction(1, 2)]", {"N": 2}, 3),
        ("[Fraction(1), Fraction(2, 3), Fraction(1, 3)]", {"N": 3}, Fraction(11, 2)),
    ],
)

SORTING = Base(
    "sorting",
    letters={"N": "number of items"},
    noun="number of comparisons",
    latex=r"c",
    trivial="(0, None)",
    setting="Binary insertion of $@N$ items: item $i$ needs as many comparisons as $i$ has binary digits.",
    code=[
        "def @build(p):\n    return list(range(p.@N))",
        "def @observe(items, p):\n    return {@q: sum(i.bit_length() for i in items)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="N*(log(N)/log(2) + 1)",
    requires=["N >= 2"],
    grid={"N": [(8, 64), (16, 128), (10, 100)]},
    controls='Control("one for each", asserts=[@q <= @N], breaks=@q, where=@N >= 5)',
    truth=lambda x: sum(max(x["N"] - 2**k, 0) for k in range(64)),
    anchors=[("[0, 1, 2]", {"N": 3}, 3), ("[7, 8]", {"N": 2}, 7)],
)

CODE = Base(
    "code",
    letters={"N": "number of items"},
    noun="number of different words",
    latex=r"|C|",
    trivial="(0, None)",
    setting="The items $0,\\dots,@N-1$, written with so many bits.",
    code=[
        "def @build(p, less=0):\n    bits = (p.@N - 1).bit_length() - less\n"
        "    return [i % 2**bits for i in range(p.@N)]",
        "def @observe(words, p):\n    return {@q: len(set(words))}",
    ],
    construct="@build",
    measure="@observe",
    relation="==",
    right="N",
    requires=["N >= 2"],
    grid={"N": [(4, 16, 64), (8, 30), (5, 20, 50)]},
    controls='Control("one bit less", breaks=@q, construct=lambda p: @build(p, 1))',
    truth=lambda x: x["N"],
    anchors=[("[0, 1, 1]", {"N": 3}, 2), ("[3]", {"N": 1}, 1)],
    scope={"some code": "exhibited"},
)

STEP = Base(
    "step",
    letters={"L": "largest curvature"},
    noun="contraction of a step",
    latex=r"|1-\eta L|",
    trivial="(0, None)",
    setting="A gradient step of size $\\eta$ on $x\\mapsto @L x^2/2$.",
    code=[
        "def @build(p):\n    return Fraction(@few, @few * p.@L)",
        "def @observe(step, p):\n    return {@q: abs(1 - step * p.@L)}",
    ],
    construct="@build",
    measure="@observe",
    relation="<=",
    right="1/2",
    requires=["L >= 1"],
    grid={"L": [(1, 4, 9), (2, 8), (3, 12, 30)]},
    controls='Control("twice the step", breaks=@q, construct=lambda p: 2 * @build(p))',
    truth=lambda x: 0,
    anchors=[("Fraction(1)", {"L": 1}, 0), ("Fraction(1, 4)", {"L": 2}, Fraction(1, 2))],
    scope={"some step": "exhibited"},
)

BASES = (PASSAGE, REGRET, COUPONS, SORTING, CODE, STEP)
SLIPS = (
    Slip(
        kinds.LESS,
        "passage",
        [("max(times)", "sum(times) / len(times)")],
        why="The mean over starts is measured, the longest is named.",
        wrong=lambda x: Fraction(x["N"] * (x["N"] - 1), 6),
        right="N*(N - 1)/6",
    ),
    Slip(
        kinds.FIRST,
        "passage",
        [("max(times)", "times[1]")],
        why="The first start is measured, the worst is named.",
        wrong=lambda x: x["N"] - 1,
        right="N - 1",
        requires=["N >= 4"],
    ),
    Slip(
        kinds.EMPTY,
        "passage",
        [("max(times)", "max(times[p.@N + 1 :], default=0)")],
        why="The list of starts is empty.",
        wrong=lambda x: 0,
        right="N/2",
        requires=["N >= 4"],
        controls=_BELOW,
    ),
    Slip(
        kinds.INDEX,
        "passage",
        [("return @times(p.@N)", "return @times(p.@N - 1)")],
        why="The interval is one step too short.",
        wrong=lambda x: (x["N"] - 1) ** 2 // 4,
        right="(N - 1)**2/4",
        requires=["N >= 3"],
    ),
    Slip(
        kinds.MORE,
        "regret",
        [("min(a, b)", "max(a, b)")],
        why="The worse expert is compared with.",
        wrong=lambda x: x["T"] // 2,
        right="T/2",
    ),
    Slip(
        kinds.INDEX,
        "regret",
        [
            (
                "        lost += x if a <= b else y\n        a, b = a + x, b + y\n",
                "        a, b = a + x, b + y\n        lost += x if a <= b else y\n",
            )
        ],
        why="The leader is asked after the step.",
        wrong=_peeked,
        right="0",
        controls='Control("less", asserts=[@q <= -@T], breaks=@q)',
    ),
    Slip(
        kinds.EMPTY,
        "regret",
        [("for x, y in losses:", "for x, y in losses[p.@T :]:")],
        why="No step is made.",
        wrong=lambda x: 0,
        right="0",
        controls=_BELOW,
    ),
    Slip(
        kinds.INDEX,
        "coupons",
        [("for i in range(p.@N)]", "for i in range(p.@N - 1)]")],
        why="The last coupon is left out.",
        wrong=lambda x: x["N"] * (harmonic(x["N"]) - 1),
        right="N*log(N)",
        controls='Control("a third", asserts=[@q <= @N * log(@N) / 3], breaks=@q)',
    ),
    Slip(
        kinds.PEAK,
        "coupons",
        [("sum(1 / c for c in chances)", "len(chances) * max(1 / c for c in chances)")],
        why="The longest wait stands for each.",
        wrong=lambda x: x["N"] ** 2,
        relation="==",
        right="N**2",
        controls='Control("less", asserts=[@q.equals(@N**2 - 1)], breaks=@q)',
    ),
    Slip(
        kinds.DERIVED,
        "coupons",
        [],
        why="The constant is computed from what it bounds; the quotient grows without limit.",
        right="C*N",
        extra="derive=lambda x, p: {C: sum(1 / c for c in x) / p.@N},\n    derived=[C]",
        fails=_early(lambda a, x: (x["N"] * harmonic(x["N"]), harmonic(a["N"]) * x["N"])),
    ),
    Slip(
        kinds.DERIVED,
        "sorting",
        [],
        why="The constant is computed from what it bounds; the quotient grows without limit.",
        right="C*N",
        extra="derive=lambda x, p: {C: Fraction(sum(i.bit_length() for i in x), p.@N)},\n    derived=[C]",
        fails=_early(lambda a, x: (SORTING.truth(x), Fraction(SORTING.truth(a), a["N"]) * x["N"])),
    ),
    Slip(
        kinds.DERIVED,
        "passage",
        [],
        why="The constant is computed from what it bounds; the quotient grows without limit.",
        right="C*N",
        extra="derive=lambda x, p: {C: max(x) / p.@N},\n    derived=[C]",
        controls='Control("a longer interval", breaks=@q, construct=lambda p: @times(2 * p.@N))',
        fails=_early(lambda a, x: (PASSAGE.truth(x), Fraction(PASSAGE.truth(a), a["N"]) * x["N"])),
    ),
    Slip(
        kinds.ORDER,
        "code",
        [],
        why="The number of bits depends on the number of items: it is not chosen before it.",
        first=True,
        fails=_early(lambda a, x: (min(x["N"], 2 ** (a["N"] - 1).bit_length()), x["N"])),
    ),
    Slip(
        kinds.ORDER,
        "step",
        [],
        why="The step depends on the curvature: it is not chosen before it.",
        first=True,
        fails=_early(lambda a, x: (abs(1 - Fraction(x["L"], a["L"])), Fraction(1, 2))),
    ),
)
