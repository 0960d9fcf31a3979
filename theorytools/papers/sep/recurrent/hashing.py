r"""A recurrent network with few bits that is right about equality on almost all pairs: a linear hash.

State :math:`h\in\mathbb F_2^B`, :math:`h\leftarrow h+x_ta_t` over the symbols of :math:`x`, then with the same vectors
over those of :math:`y`; "equal" iff :math:`h=0`.  Equal strings are always accepted.  An unequal pair is accepted iff
:math:`x+y` lies in the kernel of :math:`z\mapsto\sum_tz_ta_t`, so for a map of rank :math:`B` the rate of false
accepts over all unequal pairs is

.. math:: \frac{2^{n-B}-1}{2^n-1}<2^{-B} .

*In the worst case* a deterministic network with fewer than :math:`n` bits fails: strings with one state after
:math:`x` get one answer for every :math:`y`, so a class of :math:`c\ge2` strings has at least :math:`c` wrong pairs.

References
----------
Kushilevitz, Nisan (1997), Communication Complexity, example 3.9; derived here, for the lower bounds of Bhattamishra,
Hahn, Blunsom, Kanade (2024), arXiv 2406.09347v1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, STEPS, NonNegativeInt, PositiveInt, at_most, checked, ranks
from theorytools.errors import DomainError
from theorytools.numbers import gf2
from theorytools.papers.sep.tasks.boolean import Bits, bit_strings
from theorytools.tasks.automaton import strings_of


@checked
@dataclass(frozen=True)
class LinearHash:
    r"""The hash :math:`x\mapsto\sum_tx_ta_t` over GF(2) and the recurrent network that compares by it.

    Parameters
    ----------
    vectors : :math:`a_1,\dots,a_n` as integers below ``2**B``, one bit for each coordinate.

    Examples
    --------
    >>> net = LinearHash.random(8, 4, np.random.default_rng(0))
    >>> net.rank, net.false_accepts(), Fraction(2**4 - 1, 2**8 - 1)
    (4, 3840, Fraction(1, 17))
    """

    vectors: tuple[int, ...]

    @cached_property
    def second(self) -> tuple[int, ...]:
        """The vectors used for ``y``: the same."""
        return self.vectors

    @classmethod
    @at_most(n=ENTRIES)
    def random(cls, n: NonNegativeInt, B: int, rng: np.random.Generator) -> LinearHash:
        """Return a random hash of rank ``B <= n``: a systematic one with its symbols permuted."""
        if not 0 <= B <= n:
            raise DomainError(f"B = {B}, n = {n}", required="0 <= B <= n", why="the rank is at most n")
        free = rng.integers(0, 1 << B, n - B)
        return cls(tuple(rng.permutation(np.concatenate([1 << np.arange(B), free])).tolist()))

    @property
    def n(self) -> int:
        """Length of each string."""
        return len(self.vectors)

    @property
    def rank(self) -> int:
        """Rank of the vectors over GF(2): the bits of the state."""
        return gf2.rank(self.vectors)

    @ranks(start=1)
    def states(self, x: Bits, start: NDArray[np.int64] | int = 0, *, last: bool = False) -> NDArray[np.int64]:
        """Return the states after strings ``(..., n)`` from ``start``, with the vectors of ``y`` if ``last``."""
        x = strings_of(x, self.n, 2, "bits")
        h = np.zeros(x.shape[:-1], dtype=np.int64) ^ start
        for t, a in enumerate(self.second if last else self.vectors):
            h = h ^ x[..., t] * a
        return h

    def answers(self, x: Bits, y: Bits) -> NDArray[np.int64]:
        """Return 1 where the network says "equal", run on ``x`` and then on ``y``."""
        return (self.states(y, self.states(x), last=True) == 0).astype(np.int64)

    def visited(self) -> int:
        """Return the number of states that occur after ``x``."""
        return len(np.unique(self.states(bit_strings(self.n))))

    def false_accepts(self) -> int:
        """Return the number of unequal pairs that are accepted, counted over all strings of each party."""
        return self._accepted() - self._accepted_equal()

    def false_rejects(self) -> int:
        """Return the number of equal pairs that are rejected."""
        return (1 << self.n) - self._accepted_equal()

    def rate(self) -> Fraction:
        """Return the rate of false accepts over all unequal pairs."""
        return Fraction(self.false_accepts(), 4**self.n - 2**self.n)

    def wrong_pair(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Return an unequal pair that is accepted, found as two strings with one state and executed; or None."""
        x = bit_strings(self.n)
        states, first = np.unique(self.states(x), return_index=True)
        twin = x[first[np.searchsorted(states, self.states(x))]]
        wrong = np.flatnonzero((self.answers(x, twin) == 1) & (x != twin).any(axis=-1))
        return (tuple(x[wrong[0]].tolist()), tuple(twin[wrong[0]].tolist())) if len(wrong) else None

    def _accepted(self) -> int:
        x = bit_strings(self.n)
        ends = [np.bincount(self.states(x, last=last)) for last in (False, True)]
        return sum(int(a) * int(b) for a, b in zip(*ends, strict=False))

    def _accepted_equal(self) -> int:
        x = bit_strings(self.n)
        return int(self.answers(x, x).sum())


@checked
@at_most(n=STEPS, p=ENTRIES)
def weight_collisions(n: PositiveInt, p: NonNegativeInt) -> Fraction:
    r"""Return the expected rate of false accepts of one layer with random weights.

    Uniform attention with values :math:`\pm w_i` accepts iff :math:`\sum_iw_i(x_i-y_i)=0`; the :math:`w_i` are
    independent and uniform in :math:`\{0,\dots,2^p-1\}`.  The rate is over all unequal pairs.  Given all weights but
    one that matters, at most one value of that one fits, so it is at most :math:`2^{-p}`.
    """
    q, total = 1 << p, 0
    sums = [[1]]
    for _ in range(n):  # how many weight vectors of each length have each sum
        steps = np.cumsum(np.array([*sums[-1], *[0] * (q - 1)], dtype=object))
        sums.append((steps - np.concatenate([np.zeros(q, dtype=object), steps[:-q]])[: len(steps)]).tolist())
    choose = [[1]]
    for _ in range(n):
        choose.append([1, *(a + b for a, b in zip(choose[-1], choose[-1][1:], strict=False)), 1])
    for a in range(n + 1):
        for b in range(n + 1 - a):
            if a + b:
                same = sum(u * v for u, v in zip(sums[a], sums[b], strict=False))
                pairs = choose[n][a] * choose[n - a][b] * 2 ** (n - a - b)
                total += pairs * same * q ** (n - a - b)
    return Fraction(total, q**n * (4**n - 2**n))


@checked
@ranks(weights=1)
def drawn_collisions(weights: NDArray[np.int64]) -> int:
    """Return the number of unequal pairs that one layer with these weights accepts, shape ``(n,)``."""
    counts = np.bincount(bit_strings(len(weights)) @ weights)
    return int((counts * counts).sum()) - (1 << len(weights))
