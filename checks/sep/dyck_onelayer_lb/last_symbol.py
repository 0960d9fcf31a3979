r"""The last symbol public: what is left of the rows.

Setting    As in dyck_onelayer_lb, but every word ends with the same closing bracket, so that the query at the last
           position is known to both parties.
Statement  $(2n)^{N/2-1}+1$ different rows for $k=2$, at least that for $k\ge3$, $n^{N/2-1}+1$ for $k=1$: nothing is
           lost for $n=1$.
Witness    The matrix of the words with that last symbol, in full.
Measured   As in dyck_onelayer_lb.
Control    The last symbol Bob's own; the first half for Alice.
Reads      Derived here.  A last symbol that Bob announces makes the protocol two-way, and then rows do not count; a
           public end token instead leaves the rows of dyck_onelayer_lb.
"""

from sympy import Eq

from theorytools import Claim, Control, points
from theorytools.theory.communication.acceptance_matrix import AcceptanceMatrix

from .._dyck import matrix, rank, rows, table
from ..notation import N, depth, types

left = (2 * types) ** (N / 2 - 1)
flat = types ** (N / 2 - 1)


def construct(p, split="interleaved") -> AcceptanceMatrix:
    return matrix(p, split, fixed={p.N - 1: p.types})  # closes the first kind


def half(p):
    return construct(p, "contiguous")


own = {"where": types >= 2, "construct": matrix}
claim = Claim(
    "Bounded Dyck of depth 2, last symbol public",
    role="variant", source="derived here: one layer on bounded Dyck",
    scope={"every types, depth, N": "points", "every pair of strings": "enumeration"},
    asserts=[rows.equals(left + 1), rank.equals(left)],
    grid=points("types depth N", (1, 2, 6), (1, 2, 8), (1, 2, 12), (2, 2, 6), (2, 2, 8), (3, 2, 6)),
    requires=[Eq(depth, 2)], construct=construct, measure=table, controls=[
        Control("the last symbol Bob's", breaks=[rows, rank], **own),
        Control("the first half for Alice", breaks=[rows, rank], construct=half),
    ],
)
deep = Claim(
    "Bounded Dyck of depth 3 and more, last symbol public",
    role="variant", source="derived here: one layer on bounded Dyck",
    scope={"every types, depth, N": "points", "every pair of strings": "enumeration"},
    asserts=[rows >= left + 1, rank >= left],
    grid=points("types depth N", (1, 3, 8), (1, 6, 12), (2, 3, 6), (2, 3, 8), (2, 4, 8)), requires=[depth >= 3],
    construct=construct, measure=table, controls=[
        Control("the first half for Alice", breaks=[rows, rank], construct=half),
        Control("all rows", breaks=[rows, rank], where=types >= 2,
                asserts=[rows >= types * left + 1, rank >= types * left]),
    ],
)
depth_one = Claim(
    "Bounded Dyck of depth 1, last symbol public",
    role="variant", source="derived here: one layer on bounded Dyck",
    scope={"every types, depth, N": "points", "every pair of strings": "enumeration"},
    asserts=[rows.equals(flat + 1), rank.equals(flat)],
    grid=points("types depth N", (1, 1, 8), (2, 1, 6), (2, 1, 8), (3, 1, 6)), requires=[Eq(depth, 1)],
    construct=construct, measure=table, controls=[
        Control("the last symbol Bob's", breaks=[rows, rank], **own),
        Control("depth 2", breaks=[rows, rank], construct=lambda p: matrix(p, k=2, fixed={p.N - 1: p.types})),
    ],
)
