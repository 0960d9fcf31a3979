r"""With keys and values in separate tokens two layers of logarithmic width recall by content.

Setting    As in assoc_recall_onelayer: $k_1v_1\dots k_Nv_Nq$ with $N\le2^r$ different keys out of $K=2^r$, values
           $\pm1$. Keys are unit vectors, the numbers of the keys in binary over $\sqrt r$; nn_transformer or
           nn_transformer_copy.
Statement  The margin of the similarities is $\gamma\ge\frac2r$, and the value's margin at least $\frac34$, on every
           input: any set of keys in any order, any key asked for, any values. The width is at most $5r+5$; by
           copying for $r\ge2$.
Proof      Different keys differ in one of $r$ signs at least, so their product is at most $1-\frac2r$, and the query is
           one of the keys: nn_transformer and nn_transformer_copy with $d=r$ and codes of at most $r$ bits (two, by
           copying), of width $2r+3r+5$ and $3r+2r+5$. Only their order matters to the codes, and any is allowed.
Witness    NearestNeighbour, by position and by copying.
Measured   The least margin over all sequences of different keys, rational or in balls; the width.
Control    The codes of two value tokens swapped; a fixed scale; a coordinate less, attained at $N=K$ and by copying.
Reads      Derived here. With a causal mask, or where the last token is a key itself, it must not attend to itself.
"""

from dataclasses import replace
from itertools import permutations

from sympy import Eq, Rational, log

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.codes.families import binary_index
from theorytools.constructions.network import changed
from theorytools.errors import DomainError
from theorytools.numbers import minimum
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask

from ..notation import K_keys, N

margin = Quantity("value margin", r"\min y_{j^*}f", "over all sequences of keys, queries and values", (-1, 1))
gap = Quantity("margin of keys", r"\min\gamma", "over all sequences of keys", (0, 2))
width = Quantity("width", "m", "coordinates of the residual stream, the largest", (1, None))
r = log(K_keys) / log(2)


def construct(p, **spoiled) -> list[NearestNeighbour]:
    if p.K_keys & (p.K_keys - 1):
        raise DomainError(f"K = {p.K_keys}", required="a power of two", why="keys are all binary numbers of r digits")
    codes = binary_index(p.K_keys).signs.astype(int)
    every = permutations(range(p.K_keys), p.N)
    return [NearestNeighbour(NearestTask(codes[list(keys)]), p.variant, **spoiled) for keys in every]


def measure(nets, p):
    return {margin: enclosed(lambda: minimum([net.least_margin() for net in nets])),
            gap: min(net.task.margin for net in nets), width: max(net.width for net in nets)}


swapped = Control("codes of two values swapped", breaks=margin, construct=lambda p: [
    changed(net, label_codes=net.codes[[1, 0, *range(2, p.N)]]) for net in construct(p)])
less = Control("a coordinate less", breaks=width, where=Eq(K_keys, 4) & (N >= 3), asserts=[width <= 5 * r + 4])
claim = Claim(
    "Associative recall by two layers",
    role="statement", source="derived here: associative recall, separate tokens",
    scope={"every variant, K_keys, N": "proof", "some network": "exhibited", "every input": "proof"},
    asserts=[gap >= 2 / r, margin >= Rational(3, 4), width <= 5 * r + 5],
    grid=points("variant K_keys N", ("position", 4, 2), ("position", 8, 3), ("position", 4, 4)),
    requires=[K_keys >= N, K_keys**N <= 5000], construct=construct, measure=measure, controls=[swapped, less],
)
copied = replace(
    claim, label="Associative recall by two layers, copying",
    role="variant", source="derived here: associative recall, separate tokens",
    scope={"every variant, K_keys, N": "points", "some network": "exhibited", "every input": "enumeration"},
    grid=points("variant K_keys N", ("copy", 4, 2), ("copy", 4, 3),
                ("copy", 8, 2)), requires=[K_keys >= N, K_keys >= 4, K_keys**N <= 5000],
    controls=[swapped, less, Control("a fixed scale", breaks=margin, construct=lambda p: construct(p, pull=2))],
)
