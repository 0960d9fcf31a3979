r"""The positions of a bounded Dyck word, dealt to two parties in turn: exponentially many different rows.

Setting    Alice owns the odd positions, Bob the even ones, as attention does not mind the order; $N$ is even;
           $M[a,b]=1$ iff $a_1b_1a_2b_2\dots$ is balanced, $n$ kinds of brackets, depth at most $k$.
Statement  $M$ has $n(2n)^{N/2-1}+1$ different rows and rank $n(2n)^{N/2-1}$ for every $k\ge2$ (for $k=1$ see
           dyck_onelayer_lb_every_length).  A one-way message from Alice takes at least as many values as there are
           rows; so does, with a public final token, what one attention layer in fixed-point accumulation, right on all
           words, keeps of her symbols.
Proof      After an odd number of symbols the height is odd. A string of Alice that begins with a closing bracket has a
           zero row, so at most $n(2n)^{N/2-1}$ rows are not zero, and these begin with one of $n$ opening ones. At
           depth 2 each has one completion: the odd heights are 1, so before an opening bracket Bob closes what is open,
           before a closing one he opens its kind, and at last he closes. Let $b'$ complete $a'$ so, and $a$ at any
           depth. Odd heights of $(a,b')$ are at least 1, those of $(a',b')$, so of the first $t$ symbols $a$ has as
           many opening ones as $a'$ or more, for every $t$; if always as many, the depth is 2, where Bob's symbols name
           hers, too, and $a=a'$. Ordered by these counts the square of all such $a$ and $b'$ is triangular with ones on
           the diagonal: its rank is full. For $k=1$ Bob's symbols are Alice's brackets closed, and the matrix is a
           permutation beside zeros.
Witness    The matrix in full.
Measured   Different rows, packed into bits; the rank modulo 2, at most the rational one, where it reaches the number of
           different rows other than zero, which is at least it.  Beyond $2^{24}$ cells, for $k\le2$, the number of
           accepted words, as no string has two completions (dyck_onelayer_lb_every_length).
Control    The first half for Alice; depth 1 for $k$; the zero row not counted; a symbol more or fewer for Alice.
Reads      The paper's claim is known for two kinds and depth 2 from summaries.  We derive that one bracket type and
           depth 2 suffice; whether the paper covers this we did not check.
"""

from dataclasses import dataclass

from theorytools import Claim, Control, points
from theorytools.theory.communication.acceptance_matrix import AcceptanceMatrix, most_partners

from .._dyck import deep_rank, language, matrix, rank, rows, table
from ..notation import N, depth, types

CELLS = 2**24


@dataclass(frozen=True)
class Permutation:
    """A matrix whose part that is not zero is a permutation, by its number of ones."""

    rank: int

    @property
    def rows(self):
        """Different rows, the zero row included."""
        return self.rank + 1


def construct(p) -> AcceptanceMatrix | Permutation:
    if p.depth <= 2 and p.N % 2 == 0 and (2 * p.types) ** p.N > CELLS:
        automaton = language(p).automaton
        if most_partners(automaton, "alice").most == most_partners(automaton, "bob").most == 1:
            return Permutation(automaton.count(p.N))
    return matrix(p)


claim = Claim(
    "Bounded Dyck, interleaved, depth 2 and more",
    role="statement", source="published: one layer on bounded Dyck needs linear size; prose",
    scope={"every types, depth, N": "proof", "every pair of strings": "proof"},
    asserts=[rows.equals(deep_rank + 1), rank.equals(deep_rank)],
    grid=points("types depth N", (1, 2, 4), (1, 2, 8), (1, 2, 12), (1, 3, 10), (1, 4, 12), (1, 6, 12), (2, 2, 4),
                (2, 2, 6), (2, 2, 8), (2, 3, 6), (2, 4, 8), (3, 2, 6)),
    requires=[depth >= 2], construct=construct, measure=table, controls=[
        Control("the first half for Alice", breaks=[rows, rank], where=N >= 6,
                construct=lambda p: matrix(p, "contiguous")),
        Control("depth 1", breaks=[rows, rank], construct=lambda p: matrix(p, k=1)),
        Control("the zero row not counted", breaks=rows, asserts=[rows.equals(deep_rank)]),
        Control("a symbol fewer", breaks=[rows, rank],
                asserts=[rows.equals(deep_rank / (2 * types) + 1), rank.equals(deep_rank / (2 * types))]),
        Control("a first symbol that may close", breaks=[rows, rank],
                asserts=[rows.equals(2 * deep_rank + 1), rank.equals(2 * deep_rank)]),
    ],
)
