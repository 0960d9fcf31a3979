r"""The acceptance matrices of dyck_onelayer_lb at the largest sizes that are enumerated.

Setting    As in dyck_onelayer_lb.
Statement  $n(2n)^{N/2-1}+1$ different rows and rank $n(2n)^{N/2-1}$ for every $k\ge2$.
Witness    The matrix in full, up to $2^{24}$ cells.
Measured   As in dyck_onelayer_lb.
Control    The first half for Alice; depth 1; the zero row not counted.
Reads      As in dyck_onelayer_lb.
"""

from theorytools import Claim, Control, points

from .._dyck import deep_rank, matrix, rank, rows, table
from ..notation import depth
from .dyck_onelayer_lb import construct

claim = Claim(
    "Bounded Dyck, interleaved, larger matrices",
    role="variant", source="published: one layer on bounded Dyck needs linear size; prose",
    scope={"every types, depth, N": "points", "every pair of strings": "enumeration"},
    asserts=[rows.equals(deep_rank + 1), rank.equals(deep_rank)],
    grid=points("types depth N", (1, 2, 20), (1, 2, 24), (1, 3, 24), (1, 12, 24), (2, 2, 10), (2, 5, 10), (2, 2, 12),
                (2, 3, 12), (2, 6, 12), (3, 2, 8), (3, 4, 8), (4, 2, 8)),
    requires=[depth >= 2], construct=construct, measure=table, tier="minutes", controls=[
        Control("the first half for Alice", breaks=[rows, rank], construct=lambda p: matrix(p, "contiguous")),
        Control("depth 1", breaks=[rows, rank], construct=lambda p: matrix(p, k=1)),
        Control("the zero row not counted", breaks=rows, asserts=[rows.equals(deep_rank)]),
    ],
)
