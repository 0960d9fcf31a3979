r"""What reading every tuple with few heads costs in bits: both sides are $8\cdot2^q\log_2e$ of them, up to 19.

Setting    As in proposition_03_every_tuple: $d$ heads, $q>d$ indices, tokens of $[-1,1]^d$, scores with $8\sum2^{k-1}$
           for the slots of a position; $3\le N\le2980<e^8$. Each attention weight and each mean reaches the head as the
           nearest multiple of $2^{-b}$. Let $w^{-1}=e^2(e^{8(2^q-2)}+e^8+N-2)e^{-8}$ and
           $\lambda=e^2(e^8+N-2)e^{-8(2^q-2)}$.
Statement  $b\ge\log_2w^{-1}+9$ bits read every token of every tuple to within $2^{-9}$. With $b\le\log_2\lambda^{-1}-2$
           no function of what is rounded does: some tokens have two tuples with different labels, and equal weights and
           means. The two numbers are at most 19 bits apart.
Proof      A position that holds a slot has a weight of at least $w$, as its lift is at least 8 and those of the others
           at most $8(2^q-2)$ together. So rounding changes its logarithm by at most $-\log(1-2^{-10})$, and that of a
           position without a slot ends below $8-5$ on the scale where the others are within $1.01$ of 8 times their
           number. Numbers relative to the largest are read by rounding over 8, and their sum $2^q-1$ fixes them. In $c$
           errors are absolute, together at most $2N2^{-b}$ for $d=1$ and $60N2^{-b}$ for larger $d$, where $q\ge3$:
           less than $2^{-11}$. Of the two tuples, slots $2,\dots,q$ at position 0 and slot 1 at position 1 or at 2, all
           weights outside position 0 add up to at most $\lambda$ and $2\lambda<2^{-b-1}$: they are rounded to 0, that
           of position 0 to 1, and each mean to the token there, if it is a multiple of $2^{-b}$.
           $\log_2(\lambda/w)=4\log_2e+\log_2(1+\frac{N-2}{e^8})+\log_2(1+\frac{e^8+N-2}{e^{8(2^q-2)}})<7$, and the
           rounding to whole bits adds less than 1.
Witness    That head, on tokens where the smallest weight of a slot is nearly $w$: 1 at position 0, $-1$ at 1. For the
           two tuples $-1$ at position 0, 1 and $\frac{63}{64}$ at 1 and 2, where their weights are nearly $\lambda$.
Measured   The largest error over slots and tuples, all of small $N$, else these two and drawn ones, in ball arithmetic
           with weights and means that are rounded exactly; the largest difference of the rounded weights and means of
           the two tuples, exactly; the two numbers of bits.
Control    Four bits fewer to read with; three bits more for the two tuples; the means left unrounded on one side.
Reads      Derived here. With $q$ heads $O(\log N)$ bits are enough (lemma_11): fewer heads are paid with $2^q$ bits.
"""

from fractions import Fraction
from math import ceil, exp, floor, log2

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.numbers import at_precision, maximum, total

from ..notation import N, d, q
from . import every_tuple
from .every_tuple import attended, error, tuples

apart = Quantity("difference", r"\max(|\pi-\pi'|,|v-v'|)", "of rounded weights and means of the two tuples", (0, None))
loose = Quantity("bits between", r"b_{\mathrm{enough}}-b_{\mathrm{few}}", "of the two numbers of bits", (0, None))


def bits(p) -> tuple[int, int]:
    """Enough bits and too few; floats are right to 1e-9 of a bit, and a millionth is left to spare."""
    top, rest = 8 * (2**p.q - 2) * log2(exp(1)), exp(8) + p.N - 2
    enough = (2 - 8) * log2(exp(1)) + top + log2(1 + rest * 2.0**-top) + 9
    return ceil(enough + 1e-6), floor(top - 2 * log2(exp(1)) - log2(rest) - 2 - 1e-6)


def construct(p):
    """Tokens that make a slot's weight smallest, and tokens that make the two tuples easiest to tell apart."""
    hard = every_tuple.construct(p)[0]
    easy = [list(x) for x in hard]
    hard[0], hard[1] = [Fraction(1)] * p.d, [Fraction(-1)] * p.d
    easy[0], easy[1], easy[2] = ([Fraction(x)] * p.d for x in (-1, 1, Fraction(63, 64)))
    return hard, easy


def pair(p):
    """Slot 1 at position 1 or at 2, all others at 0."""
    return [(j, *(0,) * (p.q - 1)) for j in (1, 2)]


def nearest(x, b) -> Fraction:
    """The multiple of 2^-b nearest to an enclosed number."""
    return (x * 2**b + Fraction(1, 2)).floor().fraction() / 2**b


def rounded(X, t, b):
    """The weights and the mean of each head as multiples of 2^-b, exactly."""
    def found():
        return [([nearest(w, b) for w in pi], [nearest(v, b) for v in mean])
                for pi, mean in attended(X, t, len(X[0]), 8, False)]
    return at_precision(b + 99, found)


def slots_of(pi, q):
    """How many halves of 2^q - 1 each position holds, from the rounded weights of one head."""
    top = max(pi)
    steps = [round(float((Enclosure(w) / top).log()) / 8) if w else None for w in pi]
    largest = next(s for s in range(1, 2**q) if sum(max(0, s + k) for k in steps if k is not None) >= 2**q - 1)
    return [0 if k is None else max(0, largest + k) for k in steps]


def read(found, q):
    """The tokens of all slots from rounded weights and means alone, by their logarithms."""
    slots, d = slots_of(found[0][0], q), len(found)
    seen = [j for j in range(len(slots)) if all(pi[j] for pi, _ in found)]
    rows = {j: [Enclosure(pi[j]).log() - 8 * slots[j] for pi, _ in found] for j in seen}
    (pi, mean), mass = found[0], total(found[0][0][j] for j in seen)
    c = [(mean[k] - total(pi[j] * rows[j][k] for j in seen)) / mass for k in range(d)]
    holders = [next((j for j in seen if slots[j] >> k & 1), seen[0]) for k in range(q)]
    return [[rows[j][k] + c[k] for k in range(d)] for j in holders]


def measure(network, p, fewer=0, more=0):
    hard, easy = network
    enough, few = bits(p)

    def worst():
        return maximum(abs(a - x) for t in {*tuples(p), *pair(p)}
                       for token, index in zip(read(rounded(hard, t, enough - fewer), p.q), t, strict=True)
                       for a, x in zip(token, hard[index], strict=True))

    one, two = ([x for pi, mean in rounded(easy, t, few + more) for x in (*pi, *mean)] for t in pair(p))
    return {error: enclosed(worst), apart: max(abs(x - y) for x, y in zip(one, two, strict=True)),
            loose: enough - few}


def unrounded(network, p):
    """The means of the two tuples nearly as they are, when the weights have too few bits."""
    one, two = ([v for _, mean in rounded(network[1], t, bits(p)[0] + 50) for v in mean] for t in pair(p))
    return {apart: max(abs(x - y) for x, y in zip(one, two, strict=True))}


small = Fraction(1, 2**9)
claim = Claim(
    "Proposition 3, bits that reading every tuple with few heads takes",
    role="precision", source="derived here: Proposition 3",
    scope={"every N, q and d": "proof", "every tuple": "proof", "every token": "proof"},
    asserts=[error <= small, apart.equals(0), loose <= 19], requires=[d < q, N >= 3, N <= 2980],
    construct=construct, measure=measure,
    grid=points("N q d", (3, 2, 1), (4, 3, 1), (8, 3, 2), (16, 5, 2), (64, 6, 3)), controls=[
        Control("four bits fewer", breaks=error, asserts=[error <= small],
                measure=lambda network, p: measure(network, p, fewer=4)),
        Control("three bits more for the two tuples", breaks=apart, asserts=[apart.equals(0)],
                measure=lambda network, p: measure(network, p, more=3)),
        Control("means that are not rounded", breaks=apart, asserts=[apart.equals(0)], measure=unrounded),
        Control("eight bits fewer and none more", breaks=loose, asserts=[loose <= 11]),
    ],
)
