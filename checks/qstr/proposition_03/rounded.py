r"""What reading every tuple with few heads costs in bits: a weight needs $8\cdot2^q\log_2e$ of them, up to a constant.

Setting    As in proposition_03_every_tuple: $d$ heads, $q>d$ indices, scores with $8\sum2^{k-1}$ for the slots of a
           position. Each attention weight reaches the head as the nearest multiple of $2^{-b}$, and so do the means.
Statement  $b\ge\log_2e\,(8(2^q-1)+4)+\log_2N+14$ bits read every token to within $2^{-9}$. With
           $b\le\log_2e\,(8(2^q-3)-2) -\log_2N-2$ no head does: two tuples with different labels have equal weights and
           means.
Witness    The same head; a weight of 0 is read as $2^{-b-1}$. Not told apart: slots $2,\dots,q$ at position 0, and slot
           1 at position 1 or at 2.
Measured   The largest error over slots and tuples, all of small $N$, else these two and drawn ones, in ball arithmetic
           with weights that are rounded exactly; the largest difference of the rounded weights of the two tuples,
           exactly.
Control    Forty bits fewer; forty bits more, for the two tuples.
Proof      Every weight is at least $e^{-8(2^q-1)-2}/N$, so rounding changes it by a factor within $1\pm2^{-14}$ and its
           logarithm by less than $2^{-13}$. Of the two tuples every weight but that of position 0 is at most
           $e^{-8(2^q-3)+2}$, as the lift of position 0 is $8(2^q-2)$ and that of any other at most 8; it is rounded to
           0, and that of position 0, at least $1-Ne^{-8(2^q-3)+2}$, to 1.
Reads      Derived here. With $q$ heads $O(\log N)$ bits are enough (lemma_11): fewer heads are paid with $2^q$ bits.
"""

from fractions import Fraction
from math import ceil, e, floor, log2

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.numbers import at_precision, maximum, total

from ..notation import N, d, q
from .every_tuple import attended, construct, error, read, tuples

apart = Quantity("difference", r"\max|\pi-\pi'|", "of the rounded weights of the two tuples", (0, None))


def bits(p) -> tuple[int, int]:
    """Enough bits and too few; floats are right to a bit, and the constants have one to spare."""
    return (ceil((8 * (2**p.q - 1) + 4) * log2(e) + log2(p.N)) + 15,
            floor((8 * (2**p.q - 3) - 2) * log2(e) - log2(p.N)) - 3)


def pair(p):
    """Slot 1 at position 1 or at 2, all others at 0."""
    return [(j, *(0,) * (p.q - 1)) for j in (1, 2)]


def rounded(network, t, b):
    """The weights of each head as multiples of 2^-b, exactly."""
    X, heads, spacing, twins, *_ = network

    def nearest():
        return [[(w * 2**b + Fraction(1, 2)).floor().fraction() / 2**b for w in pi]
                for pi, _ in attended(X, t, heads, spacing, twins)]
    return at_precision(b + 99, nearest)


def measure(network, p, more=0):
    X, _, spacing, *_ = network
    enough, few = bits(p)

    def worst():
        misses = []
        for t in {*tuples(p), *pair(p)}:
            weights = rounded(network, t, enough + more)
            found = []
            for pi in weights:
                means = [total(Enclosure(w) * x[k] for w, x in zip(pi, X, strict=True)) for k in range(p.d)]
                found.append(([Enclosure(w or Fraction(1, 2 ** (enough + more + 1))) for w in pi], means))
            misses += [abs(a - x) for token, index in zip(read(found, p.q, p.d, spacing), t, strict=True)
                       for a, x in zip(token, X[index], strict=True)]
        return maximum(misses)

    one, two = (rounded(network, t, few + max(-more, 0)) for t in pair(p))
    return {error: enclosed(worst), apart: max(abs(x - y) for a, b in zip(one, two, strict=True)
                                               for x, y in zip(a, b, strict=True))}


small = Fraction(1, 2**9)
claim = Claim(
    "Proposition 3, bits that reading every tuple with few heads takes",
    role="precision", source="derived here: Proposition 3",
    scope={"every N, q and d": "points", "every tuple": "drawn", "every token": "drawn"},
    asserts=[error <= small, apart.equals(0)], requires=[d < q, q < N], construct=construct, measure=measure,
    grid=points("N q d", (3, 2, 1), (4, 3, 1), (8, 3, 2), (16, 5, 2), (64, 6, 3)), controls=[
        Control("forty bits fewer, and forty more", breaks=[error, apart],
                measure=lambda network, p: measure(network, p, more=-40)),
    ],
)
