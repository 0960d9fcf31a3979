r"""Up to depth 2 the rows are counted at every even length, without the matrix.

Setting    As in dyck_onelayer_lb.
Statement  For $k\le2$, at every even length, a string of one party is completed by at most one string of the other, so
           that the part of $M$ that is not zero is a permutation: rows other than zero and rank are the number of
           accepted words, $n(2n)^{N/2-1}$ for $k=2$, $n^{N/2}$ for $k=1$.  Two symbols more multiply them by $2n$, or
           by $n$. A message has at least $\frac N2\log_2(2n)-1$ bits, or $\frac N2\log_2n$.
Proof      As in dyck_onelayer_lb: Alice's string gives the kind of the bracket that is open at height 1, and with it
           each of Bob's symbols; from the right Bob's gives hers.  A word of depth 2 begins with one of $n$ brackets,
           goes through $\frac N2-1$ pairs that close and open, or open and close, $2n$ each, and closes.
Witness    The vectors of the numbers of partial completions, which are finitely many.
Measured   The most completions over all reachable vectors, for both parties: a proof for all lengths.  Accepted words
           by the transfer matrix; bits of a message that separates them and the zero row.
Control    Depth 3 at length 8; a symbol more for Alice; a length of which half is counted.
Reads      Derived here.  Both parties are needed: completions of one side alone do not bound the rank.
"""

from fractions import Fraction

from sympy import Eq, floor, log

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.tasks.dyck import BoundedDyck
from theorytools.tasks.automaton import bits_for
from theorytools.theory.communication.acceptance_matrix import most_partners

from .._dyck import deep_rank, flat_rank, language
from ..notation import N, depth, types

for_alice = Quantity("completions of Alice", r"\max_a\sum_bM[a,b]", "largest over all strings and lengths", (0, None))
for_bob = Quantity("completions of Bob", r"\max_b\sum_aM[a,b]", "largest over all strings and lengths", (0, None))
accepted = Quantity("accepted words", r"\#\{w\}", "words of length N in the language", (0, (2 * types) ** N))
growth = Quantity("growth", r"\#_{N+2}/\#_N", "accepted words of length N + 2 over those of length N", (0, None))
bits = Quantity("bits", r"\lceil\log_2\#\operatorname{rows}M\rceil", "of a one-way message from Alice", (0, None))


def construct(p) -> BoundedDyck:
    return language(p)


def measure(words, p, rounds=None):
    automaton = words.automaton
    count = automaton.count(p.N)
    return {for_alice: most_partners(automaton, "alice", rounds=rounds).most,
            for_bob: most_partners(automaton, "bob", rounds=rounds).most, accepted: count, bits: bits_for(count + 1),
            growth: Fraction(automaton.count(p.N + 2), count)}


even = Eq(floor(N / 2), N / 2)
single = [for_alice.equals(1), for_bob.equals(1)]
deeper = {"construct": lambda p: BoundedDyck(p.types, 3), "measure": lambda words, p: measure(words, p, rounds=4)}
claim = Claim(
    "Bounded Dyck of depth 2, every length",
    role="statement", source="published: one layer on bounded Dyck needs linear size; prose",
    scope={"every types, depth, N": "proof", "every pair of strings": "automaton"},
    requires=[depth >= 2, depth <= 2, even],
    asserts=[*single, accepted.equals(deep_rank), growth.equals(2 * types),
             bits >= N / 2 * log(2 * types) / log(2) - 1],
    grid=points("types depth N", *((n, 2, length) for n in (1, 2, 3) for length in (8, 20, 800)), (1, 2, 2)),
    construct=construct, measure=measure, controls=[
        Control("depth 3", breaks=[for_alice, for_bob, accepted, growth], where=(N >= 8) & (N <= 20),
                asserts=[*single, accepted.equals(deep_rank), growth.equals(2 * types)], **deeper),
        Control("a symbol more", breaks=accepted, asserts=[accepted.equals(2 * types * deep_rank)]),
        Control("half of the length", breaks=bits, asserts=[bits >= N * log(2 * types) / log(2) - 1],
                where=N >= 8),
    ],
)
depth_one = Claim(
    "Bounded Dyck of depth 1, every length",
    role="variant", source="derived here: one layer on bounded Dyck",
    scope={"every types, depth, N": "points", "every pair of strings": "automaton"},
    requires=[depth <= 1, even],
    asserts=[*single, accepted.equals(flat_rank), growth.equals(types), bits >= N / 2 * log(types) / log(2)],
    grid=points("types depth N", *((n, 1, length) for n in (1, 2, 3) for length in (8, 20, 800))),
    construct=construct, measure=measure, controls=[
        Control("depth 3", breaks=[for_alice, for_bob, accepted, growth], where=N <= 20,
                asserts=[*single, accepted.equals(flat_rank), growth.equals(types)], **deeper),
        Control("the count of depth 2", breaks=accepted, asserts=[accepted.equals(deep_rank)]),
        Control("half of the length", breaks=bits, asserts=[bits >= N * log(types) / log(2)], where=types >= 2),
    ],
)
