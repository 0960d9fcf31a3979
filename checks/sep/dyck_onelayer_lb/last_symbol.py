r"""The last symbol public: what is left of the rows.

Setting    As in dyck_onelayer_lb, but every word ends with the same closing bracket, so that the query at the last
           position is known to both parties.
Statement  $(2n)^{N/2-1}+1$ different rows for $k=2$: nothing is lost for $n=1$.
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


def construct(p, split="interleaved") -> AcceptanceMatrix:
    return matrix(p, split, fixed={p.N - 1: p.types})  # closes the first kind


claim = Claim(
    "Bounded Dyck of depth 2, last symbol public",
    role="variant", source="derived here: one layer on bounded Dyck",
    scope={"every types, depth, N": "points", "every pair of strings": "enumeration"},
    asserts=[rows.equals(left + 1), rank.equals(left)],
    grid=points("types depth N", (1, 2, 6), (1, 2, 8), (1, 2, 12), (2, 2, 6), (2, 2, 8), (3, 2, 6)),
    requires=[Eq(depth, 2)], construct=construct, measure=table, controls=[
        Control("the last symbol Bob's", breaks=[rows, rank], where=types >= 2, construct=matrix),
        Control("the first half for Alice", breaks=[rows, rank],
                construct=lambda p: construct(p, "contiguous")),
    ],
)
