r"""Beyond depth 2 the rows stay independent: completed to depth 2 they form a triangular matrix.

Setting    As in dyck_onelayer_lb, $k\ge2$; $b(a)$ is the string of Bob that completes $a$ to depth at most 2 and $A_i$
           the number of opening symbols among $a_1,\dots,a_i$.
Statement  All $n(2n)^{N/2-1}$ pairs $(a,b(a))$ are accepted; $M[a',b(a)]=1$ needs $A'\ge A$ at each $i$, with equality
           throughout only for $a'=a$.  In an order compatible with $A$ the submatrix is unitriangular, so its rank is
           full, for unbounded depth too, although $M$ is no permutation for $k\ge3$.  Of two different strings at
           least one is rejected with the partner of the other: a fooling set, so that two-way protocols need as many
           bits.
Witness    The pairs themselves, for every $a$ that opens first.
Measured   Accepted pairs; entries $M[a',b(a)]=1$ that do not obey the order; pairs of strings that exchange partners.
Control    The partner of the string before; the order reversed; equal heights only; one partner for all.
Reads      Derived here.  Depth $k\ge N/2$ is the unbounded language.
"""

from dataclasses import dataclass

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.tasks.dyck import BoundedDyck, interleave

from .._dyck import deep_rank, language
from ..notation import depth

diagonal = Quantity("accepted pairs", r"\#\{a:M[a,b(a)]=1\}", "strings of Alice accepted with their partner",
                    (0, deep_rank))
astray = Quantity("entries against the order", r"\#\{(a',a):M[a',b(a)]=1,\ldots\}",
                  "accepted pairs with a' neither equal to a nor above it", (0, None))
exchanged = Quantity("exchanged partners", r"\#\{a<a':M[a',b(a)]=M[a,b(a')]=1\}", "both accepted", (0, None))


@dataclass(frozen=True)
class Partnered:
    """All strings of Alice that open first, with a partner each."""

    words: BoundedDyck
    a: np.ndarray
    b: np.ndarray
    A: np.ndarray  # what orders the strings, (strings, positions)


def construct(p) -> Partnered:
    words = language(p)
    a = words.halves(p.N)
    return Partnered(words, a, BoundedDyck(p.types, 2).partner(a), (a < p.types).cumsum(axis=1))


def against(pairs):  # [a', a]
    return pairs.words.automaton.accepts(interleave(pairs.a[:, None], pairs.b[None]))


def measure(pairs, p):
    accepted = against(pairs)
    above = (pairs.A[:, None] >= pairs.A[None]).all(axis=-1) & (pairs.A[:, None] > pairs.A[None]).any(axis=-1)
    same = np.eye(len(pairs.a), dtype=bool)
    return {diagonal: int(accepted.diagonal().sum()), astray: int((accepted & ~same & ~above).sum()),
            exchanged: int((accepted & accepted.T & ~same).sum()) // 2}


def spoiled(change):
    def made(p):
        pairs = construct(p)
        return Partnered(pairs.words, pairs.a, *change(pairs))

    return made


def one_for_all(pairs):  # the one that completes the most strings
    return np.tile(pairs.b[against(pairs).sum(axis=0).argmax()], (len(pairs.a), 1)), pairs.A


claim = Claim(
    "Bounded Dyck, triangular for every depth",
    role="variant", source="derived here: one layer on bounded Dyck",
    scope={"every types, depth, N": "points", "every pair of strings": "enumeration"},
    asserts=[diagonal.equals(deep_rank), astray.equals(0), exchanged.equals(0)],
    grid=points("types depth N", (1, 2, 8), (1, 3, 8), (1, 5, 10), (1, 6, 12), (2, 2, 6), (2, 3, 6),
                (2, 4, 8), (3, 3, 6)),
    requires=[depth >= 2], construct=construct, measure=measure, controls=[
        Control("the partner of the string before", breaks=[diagonal, astray],
                asserts=[diagonal.equals(deep_rank), astray.equals(0)],
                construct=spoiled(lambda pairs: (np.roll(pairs.b, 1, axis=0), pairs.A))),
        Control("one partner for all", breaks=[diagonal, exchanged], where=depth >= 3,
                asserts=[diagonal.equals(deep_rank), exchanged.equals(0)], construct=spoiled(one_for_all)),
        Control("the order reversed", breaks=astray, where=depth >= 3,
                construct=spoiled(lambda pairs: (pairs.b, -pairs.A))),
        Control("equal heights only", breaks=astray, where=depth >= 3,
                construct=spoiled(lambda pairs: (pairs.b, 0 * pairs.A))),
    ],
)
