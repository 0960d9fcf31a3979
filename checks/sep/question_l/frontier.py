r"""Width of one layer and of two at any length: what the message excludes, and what digits and codes reach.

Setting    Words of even length $N$: two strings of $\frac N2$ bits that are to be equal, or brackets of one kind that
           are to be in Dyck-$(1,2)$. One layer: exact fixed-point sums, $p$ bits a number, a public last token, heads
           of total value width $w$. Two layers as in bool_twolayer.
Statement  Alice's $\frac N2$ symbols have $2^{N/2}$ different rows for equality, $2^{N/2-1}+1$ for Dyck; the logarithm
           of the rows exceeds that of the messages of a layer by at least $\log_2\mathrm{rows}-w\ell$,
           $\ell=\log_2(\frac N2(2^p-1)+1)+\log_2(\frac N2(2^p-1)2^p+1)$, and where that is positive some answer is
           wrong. Uniform attention whose coordinates hold $p-2$ conditions each as digits makes no error; two layers of
           width $2k+6$, $k=\lceil\log_2\frac N2\rceil$, make none on equality.
Proof      A head of value width $d_v$ sends a sum of numerators and $d_v$ sums of products, which takes at most
           $d_v\ell$ bits; by onelayer_protocol two strings with one message and different rows are an error
           (bool_lb, dyck_onelayer_lb_every_length). A word is right iff no condition is violated: $x_i=y_i$, or
           $b_i\ne a_{i+1}$, $a_1$ opens, $b_{N/2}$ closes. Of a coordinate the sum is $\sum_j\delta_j2^j$ with
           $\delta_j\in\{-2,0,2\}$, or $\{0,-2\}$ at the ends of a Dyck word: 0 iff all $\delta_j$ are.
Adversary  A head of drawn tables, in as many copies as the width allows. Digits; CodeCopy with its worst input.
Measured   Logarithms of the numbers of values, enclosed. Wrong answers on words at one change from right ones; digits
           that are not double the one before. The least copied bit over all inputs, rational.
Control    A head more; no logarithm of the length; two conditions of one digit; a temperature of 0; narrower by 1.
Reads      Derived here. Total width of values is counted for one layer, that of the residual stream for two.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from sympy import Rational, ceiling, floor, log

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.errors import DomainError
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean
from theorytools.papers.sep.attention.position_copy import CodeCopy

from ..notation import N, channels, p

missing = Quantity("missing bits", r"\log_2\mathrm{rows}-\log_2|\mathcal M|", "of a layer's messages", (None, None))
wrong = Quantity("wrong answers", r"\#\{\hat f\ne f\}", "on words near right ones, and by digits", (0, None))
width = Quantity("width", "w", "of the network", (1, None))
kept = Quantity("least copied bit", r"\min r_ix_i", "over all inputs", (-1, 1))
half = N / 2
ell = log(half * (2**p - 1) + 1, 2) + log(half * (2**p - 1) * 2**p + 1, 2)


def construct(q, heads=0):
    """Numbers of values of both sums of a head, and the copies of it."""
    rng, top = q.rng("tables"), 1 << (q.p - 1)
    e = rng.integers(1, 2 * top, (q.N // 2, 2))
    v = rng.integers(-top, top, (q.N // 2, 2))
    sums = [sum(max(row) - min(row) for row in part.tolist()) + 1 for part in (e, e * v)]
    return sums, q.channels + heads


def rows(q):
    if q.task == "equality":
        return Enclosure(q.N // 2)
    return (Enclosure(2) ** (q.N // 2 - 1) + 1).log() / Enclosure(2).log()


def measure(layer, q):
    sums, copies = layer
    return {missing: enclosed(lambda: rows(q) - copies * Enclosure(sums[0] * sums[1]).log() / Enclosure(2).log())}


even, shorter = ceiling(half) <= floor(half), half - 1 - channels * ell
claim = Claim(
    "Question (l), width that a message excludes",
    role="variant", source="derived here: question (l)", uses=["sep.onelayer_protocol"],
    scope={"every size task, N, p, channels": "points", "every one-layer model": "proof", "every read-out": "proof"},
    asserts=missing >= shorter, requires=[even, shorter > 0], construct=construct, measure=measure,
    grid=points("task N p channels", ("equality", 64, 4, 1), ("equality", 1024, 24, 4), ("dyck", 256, 8, 2),
                ("dyck", 8192, 24, 8)), controls=[
        Control("a head more", breaks=missing, construct=lambda q: construct(q, heads=1)),
        Control("no logarithm of the length", breaks=missing, asserts=[missing >= half - 3 * channels * p]),
    ],
)


@dataclass(frozen=True, eq=False)
class Digits:
    """Conditions on two positions, or on one, each with a coordinate and a digit of a uniform layer."""

    task: str
    N: int
    held: int
    shared: int = 0

    def conditions(self):
        """The positions of each condition."""
        n = self.N // 2
        if self.task == "equality":
            return [(i, n + i) for i in range(n)]
        return [(2 * i + 1, 2 * i + 2) for i in range(n - 1)] + [(0,), (self.N - 1,)]

    @property
    def width(self):
        """Coordinates."""
        return -(-len(self.conditions()) // self.held)

    def place(self, j):
        """Coordinate and digit of a condition."""
        return j // self.held, max(0, j % self.held - self.shared)

    def right(self, words):
        """Whether the sums of all coordinates are 0."""
        signs, sums = 2 * words - 1, np.zeros((len(words), self.width), dtype=object)
        for j, held in enumerate(self.conditions()):
            coordinate, digit = self.place(j)
            if len(held) == 2:  # equal bits, or a bracket that opens and one that closes
                delta = signs[:, held[0]] - signs[:, held[1]] * (1 if self.task == "equality" else -1)
            else:
                delta = -(1 + signs[:, held[0]] * (1 if held[0] == 0 else -1))
            sums[:, coordinate] += delta.astype(object) << digit
        return (sums == 0).all(axis=1)


def digits(q, shared=0, narrower=0) -> Digits:
    net = Digits(q.task, q.N, q.p - 2, shared)
    if net.width > q.channels:
        raise DomainError(f"width {q.channels}", required=f"width >= {net.width}", why="a condition is a digit")
    return net


def words(q):
    """A right word with one or two symbols changed, and itself: equal strings, or 0 opens and 1 closes."""
    n, rng = q.N // 2, q.rng("words")
    free = rng.integers(0, 2, n)
    if q.task == "equality":
        word = np.concatenate([free, free])
    else:
        word = np.concatenate([[0], np.column_stack([free[1:], 1 - free[1:]]).ravel(), [1]])
    changed = np.repeat(word[None], 65, axis=0)
    for row, at in zip(changed[1:], rng.integers(0, q.N, (64, 2)), strict=True):
        row[at] = 1 - row[at]
    return changed


def truth(q, changed):
    n = q.N // 2
    if q.task == "equality":
        return (changed[:, :n] == changed[:, n:]).all(axis=1)
    heights = np.cumsum(1 - 2 * changed, axis=1)
    return (heights[:, -1] == 0) & (heights.min(axis=1) >= 0) & (heights.max(axis=1) <= 2)


def answered(net, q):
    tried = words(q)
    places = [net.place(j) for j in range(len(net.conditions()))]
    return {wrong: int((net.right(tried) != truth(q, tried)).sum()) + len(places) - len(set(places)), width: net.width}


reached = Claim(
    "Question (l), one layer of digits",
    role="variant", source="derived here: question (l)",
    scope={"every size task, N, p, channels": "points", "some network": "exhibited", "every word": "proof"},
    asserts=[wrong.equals(0), width <= channels], requires=[even, p >= 3, N >= 4], construct=digits, measure=answered,
    grid=points("task N p channels", ("equality", 64, 4, 16), ("equality", 1024, 24, 24), ("dyck", 256, 8, 22),
                ("dyck", 64, 24, 2)), controls=[
        Control("two conditions of one digit", breaks=wrong, construct=lambda q: digits(q, shared=1)),
        Control("narrower by one", breaks=width, asserts=[width <= channels - 1]),
    ],
)


def copying(q, base=None):
    return CodeCopy(q.N // 2, base), TwoLayerBoolean(q.N // 2).width


def copied(nets, q):
    return {kept: Fraction(nets[0].least), wrong: int(nets[0].least <= 0), width: nets[1]}


double = replace(
    reached, label="Question (l), two layers at any length",
    role="variant", source="derived here: question (l)",
    scope={"every size N, channels": "points", "some network": "exhibited", "every pair of strings": "closed form"},
    asserts=[wrong.equals(0), kept >= Rational(3, 5), width <= channels, width.equals(2 * ceiling(log(half, 2)) + 6)],
    requires=[even, N >= 4, 2 * ceiling(log(half, 2)) + 6 <= channels],
    grid=points("N channels", (4, 8), (12, 12), (1024, 24), (8192, 30)), construct=copying, measure=copied, controls=[
        Control("a temperature of 0", breaks=[wrong, kept], asserts=[wrong.equals(0), kept >= Rational(3, 5)],
                construct=lambda q: copying(q, base=1)),
        Control("narrower by one", breaks=width,
                asserts=[width.equals(2 * ceiling(log(half, 2)) + 5)]),
    ],
)
