r"""Several queries: the state of a recurrent model stays as large as before the first one until the last is asked.

Setting    $N$ pairs $(k_j,v_j)$ with different keys out of $K$, then $R$ queries one after the other, any keys,
           repeated or not; each is answered at once, by $v_j$ or by $\bot$.
Statement  After the pairs and any number $r<R$ of queries the prefixes fall into exactly $\binom KN|Y|^N$ residual
           classes (prefixes with the same answers to all that may still be asked). So many states are necessary there,
           whatever the update and the read-out, and there they suffice.
Proof      A class is the table of answers to all $K$ keys: one further query reads any entry, and no answer changes
           what later queries get. Every choice of $N$ keys with values is a table, and no two are alike. Prefixes of
           different tables need different states, and a state for each table is enough.
Witness    All prefixes with all continuations.
Measured   The least and the largest number of classes over the cuts $r=0,\dots,R-1$, by comparing the answers to all
           sequences of queries that are left.
Control    Queries in a public order, each key once, where what was asked may be forgotten; the cut after the last
           query; all queries before the pairs; keys fixed.
Reads      Derived here: `assoc_recall` has the table alone, one query and no cut after it. The residuals are those of
           Myhill and Nerode at a fixed length. Between the last key and its value there are $N\binom KN|Y|^{N-1}$, more
           for $N>|Y|$.
"""

from itertools import permutations, product

from sympy import Eq, binomial

from theorytools import Claim, Control, Quantity, points

from ..notation import K_keys, N, Y, asked

least = Quantity("least", r"\min_r\#\mathrm{residuals}", "over the cuts before, between the queries", (1, None))
most = Quantity("most", r"\max_r\#\mathrm{residuals}", "over the cuts before, between the queries", (1, None))


def construct(p, fixed=False) -> list[dict]:
    """The tables of all sequences of pairs, one for each sequence."""
    keys = [tuple(range(p.N))] if fixed else permutations(range(p.K_keys), p.N)
    every = product(keys, list(product(range(p.Y), repeat=p.N)))
    return [dict(zip(names, values, strict=True)) for names, values in every]


def residuals(tables, p, r, order=None):
    """Classes after the pairs and r queries, which change no table; an order makes the queries public."""
    futures = list(product(range(p.K_keys), repeat=p.asked - r)) if order is None else [order[r:]]
    return len({tuple(tuple(map(table.get, future)) for future in futures) for table in tables})


def measure(tables, p, cuts=0, order=None):
    counts = [residuals(tables, p, r, order) for r in range(p.asked + cuts)]
    return {least: min(counts), most: max(counts)}


def queries_first(tables, p):
    """After the pairs, R queries known before: the tuples of answers that are due."""
    every = product(range(p.K_keys), repeat=p.asked)
    count = len({tuple(map(table.get, queries)) for queries in every for table in tables})
    return {least: count, most: count}


size = binomial(K_keys, N) * Y**N
claim = Claim(
    "Associative recall, several queries",
    role="statement", source="derived here: associative recall",
    scope={"every K_keys, asked": "proof", "every K, N, Y and R": "proof", "every recurrent model": "proof",
           "every prefix": "proof"},
    asserts=[least.equals(size), most.equals(size)], requires=[K_keys >= N, Y >= 2],
    grid=points("K_keys N Y asked", (2, 1, 2, 1), (3, 2, 2, 2), (4, 2, 3, 2), (5, 3, 2, 2), (4, 4, 2, 3),
                (3, 1, 64, 2)),
    construct=construct, measure=measure, controls=[
        Control("queries in a public order", breaks=least, where=asked >= 2, asserts=[least.equals(size)],
                measure=lambda tables, p: measure(tables, p, order=tuple(range(p.asked)))),
        Control("the cut after the last query", breaks=least, measure=lambda tables, p: measure(tables, p, cuts=1)),
        Control("the queries before the pairs", breaks=[least, most], where=Eq(asked, 1) | Eq(N, 3),
                measure=queries_first),
        Control("keys fixed", breaks=[least, most], where=K_keys > N, construct=lambda p: construct(p, fixed=True)),
    ],
)
