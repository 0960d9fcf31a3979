r"""Equality is easy on average: a state of $B\ll n$ bits is wrong on a fraction below $2^{-B}$ of the unequal pairs.

Setting    $h\leftarrow h+x_ta_t$ over GF(2), $a_t\in\mathbb F_2^B$ of rank $B\le n$, the same vectors for $x$ and
           $y$; "equal" iff $h=0$. Contiguous order.
Statement  No equal pair is rejected; the rate of false accepts over unequal pairs is exactly
           $\frac{2^{n-B}-1}{2^n-1}$. So $mp\ge n$, read for networks that are right on all but a few pairs, fails.
Witness    LinearHash with random vectors.
Measured   All strings of both parties are run; accepted pairs are counted by their states.
Control    Other vectors for $y$; a vector fewer of rank; $2^{-B}$ for the rate. The reading is repaired by $B=n$, where
           no pair is wrong, and by an unequal pair that is accepted, executed.
Reads      The lower bounds are deterministic and worst-case: a trained network of small state may be right on nearly
           all random negatives without contradicting them. Adversarial negatives, or disjointness, tell.
"""


from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.network import changed
from theorytools.papers.sep.recurrent.hashing import LinearHash

from ..notation import accepted, hash_bits, n

rate = Quantity("false accepts", r"\Pr[h=0\mid x\ne y]", "rate over all unequal pairs", (0, 1))
rejects = Quantity("false rejects", r"\#\{x:h(x,x)\ne0\}", "equal pairs that are rejected", (0, 2**n))
states = Quantity("states", r"\#\{h(x)\}", "that occur after x", (1, None))
found = Quantity("wrong pairs found", r"\#\mathrm{wrong}", "1 if a pair with a wrong answer was executed", (0, 1))
exact = (2 ** (n - hash_bits) - 1) / (2**n - 1)
hashes = points("n hash_bits", (1, 1), (4, 1), (8, 4), (10, 5), (12, 6), (6, 6))


def construct(p, B=None) -> LinearHash:
    return LinearHash.random(p.n, p.hash_bits if B is None else B, p.rng("vectors"))


def measure(net, p):
    return {rate: net.rate(), rejects: net.false_rejects(), states: net.visited(), found: int(bool(net.wrong_pair()))}


def strangers(p):  # y is hashed by other vectors
    return changed(construct(p), second=LinearHash.random(p.n, p.hash_bits, p.rng("strangers")).vectors)


claim = Claim(
    "Equality by a linear hash",
    role="variant", source="derived here: equality, lower bound for recurrent models",
    scope={"every n, hash_bits": "points", "some recurrent network": "exhibited",
           "every pair of strings": "enumeration"},
    asserts=[rate.equals(exact), rejects.equals(0), states.equals(2**hash_bits)],
    requires=[hash_bits <= n], grid=hashes, construct=construct, measure=measure,
    controls=[
        Control("other vectors for y", breaks=rejects, where=n >= 8, construct=strangers, asserts=[rejects.equals(0)]),
        Control("rank one less", breaks=[rate, states], construct=lambda p: construct(p, p.hash_bits - 1)),
        Control("rate of an ideal hash", breaks=rate, asserts=[rate.equals(2 ** (-hash_bits))]),
    ],
)
average = Claim(
    "Recurrent networks, the bound read for random pairs",
    role="pitfall", source="derived here: equality, lower bound for recurrent models",
    scope={"every n, hash_bits": "points", "every recurrent network": "points"},
    expect="REFUTED", asserts=states >= 2**n,
    note="The reading that networks with few wrong answers need n bits, too.",
    requires=[accepted <= 2 ** (-hash_bits), hash_bits < n], derive=lambda net, p: {accepted: net.rate()},
    derived=[accepted], grid=points("n hash_bits", (2, 1), (8, 4), (10, 5), (12, 6), (16, 8)),
    construct=construct, measure=measure,
    controls=[
        Control("no wrong answer", construct=lambda p: construct(p, p.n)),
        Control("a wrong pair in the worst case", asserts=[found >= 1, states >= 2**hash_bits]),
        Control("a bit more", breaks=states, asserts=[states >= 2 ** (hash_bits + 1)]),
    ],
)
