r"""A word cut in the middle gives no bound: the rows are the states of the automaton.

Setting    As in dyck_onelayer_lb, but Alice owns the first half of the positions.
Statement  At most $|Q|$ different rows at every length, $|Q_{N/2}|=1+\sum n^i$ over $i\le\min(k,N/2)$ of the parity of
           $N/2$ exactly; $|Q_{N/2}|-1$ of them independent.
Witness    The matrix in full.
Measured   As in dyck_onelayer_lb.
Control    Alternating positions for Alice; the zero row not counted; both parities of the height.
Reads      Derived here. With a cut in the middle the linear bound fails; with alternating positions it holds. Which
           positions go to whom decides, and that is why recurrent models succeed.
"""

from theorytools import Claim, Control, points
from theorytools.theory.communication.acceptance_matrix import AcceptanceMatrix

from .._dyck import deep_rank, language, matrix, rank, rows, table
from ..notation import N, Q_dyck, Q_half, depth


def construct(p) -> AcceptanceMatrix:
    return matrix(p, "contiguous")


def derive(M, p):
    half = p.N // 2
    heights = range(half % 2, min(p.depth, half) + 1, 2)
    return {Q_dyck: language(p).states, Q_half: 1 + sum(p.types**i for i in heights)}


deep = {"where": (depth >= 2) & (N >= 6), "construct": matrix}
exact = [rows.equals(Q_half), rank.equals(Q_half - 1)]
claim = Claim(
    "Bounded Dyck, cut in the middle",
    role="necessity", source="derived here: one layer on bounded Dyck",
    scope={"every types, depth, N": "points", "every pair of strings": "enumeration"},
    asserts=[rows <= Q_dyck, *exact], derived=[Q_dyck, Q_half], derive=derive,
    grid=points("types depth N", (1, 1, 8), (1, 2, 6), (1, 2, 8), (1, 4, 12), (2, 1, 6), (2, 2, 4), (2, 2, 6),
                (2, 2, 8), (2, 3, 6), (2, 4, 8), (3, 2, 6)),
    construct=construct, measure=table, controls=[
        Control("alternating positions", breaks=[rows, rank], **deep),
        Control("a linear bound from this cut", breaks=rows, where=(depth >= 2) & (N >= 6),
                asserts=[rows >= deep_rank + 1]),
        Control("the zero row not counted", breaks=rows, asserts=[rows.equals(Q_half - 1)]),
        Control("both parities", breaks=[rows, rank], asserts=[rows.equals(Q_dyck), rank.equals(Q_dyck - 1)]),
    ],
)
