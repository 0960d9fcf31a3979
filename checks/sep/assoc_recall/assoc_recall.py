r"""Recall by content: a recurrent state must tell $\binom KN|Y|^N$ inputs apart, one layer $\log K$.

Setting    Pairs $(k_1,v_1)\dots(k_N,v_N)$ with different keys out of $K$, then a key $q$; the answer is $v_j$ with
           $k_j=q$, or $\bot$ if there is none.
Statement  The inputs give $\binom KN|Y|^N$ different tables of answers, so a recurrent model that is right on all of
           them reaches that many states before $q$: $B\ge\log_2\binom KN+N\log_2|Y|$.
Witness    All sequences of pairs.
Measured   The different tables, counted.
Control    The keys fixed; keys that may repeat; the order of the pairs counted; in `joint` values in tokens without a
           key.
Reads      Two inputs with different tables need different states, as some $q$ separates them. Derived here. The layer
           with key and value in one token is `joint`: index lookup with the binary code of the key, of width
           $2\lceil\log_2K\rceil+2$; there the key asked for is one of the $N$, $\bot$ is not treated.
"""

from itertools import combinations, permutations, product

import numpy as np
from sympy import Rational, binomial, ceiling, log

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.codes.families import binary_index
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.lookup_margin import LookupMargin, explicit_scale

from ..notation import K_keys, N, Y

tables = Quantity("tables of answers", r"|\mathcal F|", "different tables of answers to all queries", (1, None))
margin = Quantity("worst margin", r"\rho_{\mathrm{ex}}", "over all sets of keys and all values", (-1, 1))
width = Quantity("width", "m", "coordinates of the residual stream, the largest", (1, None))


def construct(p) -> list[dict]:
    pairs = product(permutations(range(p.K_keys), p.N), product(range(p.Y), repeat=p.N))
    return [dict(zip(keys, values, strict=True)) for keys, values in pairs]


def fixed(p):
    return [dict(enumerate(values)) for values in product(range(p.Y), repeat=p.N)]


def repeating(p):
    pairs = product(product(range(p.K_keys), repeat=p.N), product(range(p.Y), repeat=p.N))
    return [dict(zip(keys, values, strict=True)) for keys, values in pairs]


claim = Claim(
    "Associative recall, states",
    role="variant", source="derived here: associative recall",
    scope={"every K_keys, Y": "points", "every N and alphabet": "points", "every sequence of pairs": "enumeration"},
    asserts=tables.equals(binomial(K_keys, N) * Y**N), requires=[K_keys >= N],
    grid=points("K_keys N Y", (2, 1, 2), (3, 2, 2), (4, 2, 3), (5, 3, 2), (4, 4, 2)), construct=construct,
    measure=lambda inputs, p: {tables: len({tuple(map(table.get, range(p.K_keys))) for table in inputs})},
    controls=[
        Control("keys fixed", breaks=tables, where=K_keys > N, construct=fixed),
        Control("keys may repeat", breaks=tables, where=N >= 2, construct=repeating),
        Control("the order of the pairs counted", breaks=tables, where=N >= 2,
                measure=lambda inputs, p: {tables: len({tuple(table.items()) for table in inputs})}),
    ],
)


def layers(p, spoil=1) -> list[IndexLookup]:
    codes = binary_index(p.K_keys).signs.astype(np.int64)
    b = explicit_scale("binary", p.N, codes.shape[1])
    return [IndexLookup(spoil * codes[list(s)], codes[list(s)], b) for s in combinations(range(p.K_keys), p.N)]


joint = Claim(
    "Associative recall, one layer with joint tokens",
    role="variant", source="derived here: associative recall",
    scope={"every K_keys, N": "points", "some network": "exhibited", "every set of keys": "enumeration",
           "every assignment of values": "closed form"},
    asserts=[margin >= Rational(1, 2), width.equals(1 + 2 * ceiling(log(K_keys, 2)) + 1)], requires=[K_keys >= N],
    grid=points("K_keys N", (2, 2), (4, 2), (4, 3), (8, 3), (8, 4), (12, 2)), construct=layers,
    measure=lambda nets, p: {margin: exactly(min(LookupMargin.of(net).worst(net.b) for net in nets)),
                             width: max(net.projections()[0].shape[1] for net in nets)},
    controls=[
        Control("values in tokens without a key", breaks=margin, construct=lambda p: layers(p, spoil=0)),
        Control("the sign of the keys reversed", breaks=margin, construct=lambda p: layers(p, spoil=-1)),
        Control("a width of one code block", breaks=width,
                asserts=[width.equals(1 + ceiling(log(K_keys, 2)) + 1)]),
    ],
)
