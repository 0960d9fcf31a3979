r"""One head of value width 1 decides equality of two strings, with numbers of :math:`n+1` bits: the bound is tight.

Uniform attention over :math:`x_1,\dots,x_n,y_1,\dots,y_n` with :math:`v(x_i)=w_ix_i`, :math:`v(y_i)=-w_iy_i` for signs
:math:`x_i,y_i=\pm1` and :math:`w_i=2^{n-i}`.  The numerator :math:`\sum_iw_i(x_i-y_i)` is an even integer, zero iff
:math:`x=y` since :math:`\sum_{i>k}2w_i<2w_k`.  In units where :math:`w_1=1` the least non-zero output is
:math:`2\tau_0`, :math:`\tau_0=2^{-n}/n`.

*In floats*, added one after the other, largest weight first, :math:`x` before :math:`y`, :math:`M` bits suffice
exactly for :math:`n\le M`.  For :math:`n\le M` all sums over :math:`x` are exact; after the first difference a rounding
can occur only at a magnitude :math:`\ge2^n` while the rest removes less than :math:`2^{n-1}`.  At :math:`n=M+1` the
sums :math:`2^M+3` and :math:`2^M+5` of two strings round to one float (:math:`M\ge3`).  In the *interleaved* order
:math:`x_1,y_1,x_2,y_2,\dots` the sum stays correct down to the least subnormal number: rounding is monotone, so after a
first difference :math:`x_k=1`, :math:`y_k=-1` no continuation falls below :math:`x_i=-1`, :math:`y_i=1` for all
:math:`i>k`, on which every partial sum is exact.  The sum over interleaved positions is a recurrent computation.

References
----------
Derived here, for the one-layer lower bounds of Bhattamishra, Hahn, Blunsom, Kanade (2024), arXiv 2406.09347v1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, at_most, checked, ranks
from theorytools.arguments.values import checked_integer
from theorytools.constructions.attention.fixed_point import FixedPointAttention, Integers
from theorytools.constructions.attention.formats import Format
from theorytools.constructions.network import DOUBLE, Network, absent
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure
from theorytools.tasks.automaton import strings_of

if TYPE_CHECKING:
    import torch

FLOATS = {
    "bfloat16": Format("bfloat16", 8, -126),
    "float16": Format("float16", 11, -14),
    "float32": Format("float32", 24, -126),
    "float64": Format("float64", 53, -1022),
}


@checked
@dataclass(frozen=True)
class OneLayerEquality(FixedPointAttention, Network):
    r"""Uniform attention with binary weights: the output is zero exactly where two bit strings agree.

    Parameters
    ----------
    n : length of each string, at most 24; tokens are 0 and 1, positions are :math:`x_1,\dots,x_n,y_1,\dots,y_n`.

    Raises
    ------
    DomainError : ``n`` outside ``1, …, 24``.

    References
    ----------
    Derived here, for the one-layer lower bounds of Bhattamishra, Hahn, Blunsom, Kanade (2024), arXiv 2406.09347v1.

    Examples
    --------
    >>> net = OneLayerEquality(3)
    >>> net.p, net.execute(np.array([[0, 1, 1, 0, 1, 1], [0, 1, 1, 1, 0, 0]]))
    (4, array([ True, False]))
    """

    n: int

    def __post_init__(self) -> None:
        checked_integer("n", self.n, least=1, why="there is a first symbol")
        if self.n > 24:
            raise DomainError(f"n = {self.n}", required="n <= 24", why="sums are 64-bit integers in the protocol")

    @property
    def p(self) -> int:  # type: ignore[override]  # read only here
        """Bits of a value: the largest, ``2**(n - 1)``, needs ``n + 1`` of them."""
        return int(np.abs(self.weights).max()).bit_length() + 1

    heads, width = 1, 1

    @property
    def length(self) -> int:  # type: ignore[override]  # read only here
        """Positions attended to, ``2 n``; the query belongs to a public last token."""
        return 2 * self.n

    @cached_property
    def weights(self) -> Integers:
        """The weights of both strings, shape ``(2 n,)``."""
        w = equality_weights(self.n)
        return np.concatenate([w, -w])

    def numerators(self, tokens: Integers) -> Integers:
        """Return 1 everywhere: attention is uniform.

        Parameters
        ----------
        tokens : bits, ``x`` before ``y``, shape ``(k, 2 n)``.

        Returns
        -------
        array : ones, shape ``(k, 2 n, 1)``.
        """
        return np.ones((len(strings_of(tokens, self.length, 2, "tokens")), self.length, 1), dtype=np.int64)

    def values(self, tokens: Integers) -> Integers:
        """Return the signed weights.

        Parameters
        ----------
        tokens : bits, ``x`` before ``y``, shape ``(k, 2 n)``.

        Returns
        -------
        array : integers, shape ``(k, 2 n, 1, 1)``.
        """
        return ((2 * strings_of(tokens, self.length, 2, "tokens") - 1) * self.weights)[..., None, None]

    @ranks(N=3, D=2)
    def answer(self, N: Integers, D: Integers) -> NDArray[np.bool_]:
        """Return whether the output is zero.

        Parameters
        ----------
        N, D : the sums of one head, shapes ``(k, 1, 1)`` and ``(k, 1)``.

        Returns
        -------
        array : truth values, shape ``(k,)``.
        """
        return N[:, 0, 0] == 0

    def exact(self, tokens: Integers) -> list[Fraction]:
        """Return the outputs for tokens ``(k, 2 n)``, in units of the largest weight: zero for equal strings."""
        N, D = self.sums(tokens)
        return [Fraction(int(top), int(low) << (self.n - 1)) for top, low in zip(N.flat, D.flat, strict=True)]

    def __call__(self, tokens: Integers) -> NDArray[np.float64]:
        """Return the same in float64, shape ``(k,)``."""
        return np.array([float(value) for value in self.exact(tokens)])

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        """Return a bound on the rounding of outputs: that of one division where all sums are exact."""
        return 4 * u / self.n if 2 ** (self.n + 1) * u <= 1 else math.inf

    certificate = absent("the answer is exact: the output is zero or at least 2^(1-n)/n")

    def norms(self) -> dict[str, Enclosure]:
        """Return the norms of the values, in units of the largest weight, and of the logits."""
        squares = sum(int(w) ** 2 for w in self.weights)
        return {"values": Enclosure(Fraction(squares, 4 ** (self.n - 1))).sqrt(), "logits": Enclosure(0)}

    def sizes(self) -> dict[str, int]:
        """Return value width, heads, the bits of a value and the number of parameters."""
        return {"width": 1, "heads": 1, "bits": self.p, "parameters": 4 * self.n}

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a torch module that sums position by position, ``x`` before ``y``."""
        return twin("theorytools.papers.sep.torch.equality:EqualityModule")(self, dtype, device)


def equality_weights(n: int) -> Integers:
    r"""Return :math:`2^{n-1},\dots,2,1`."""
    return np.int64(1) << np.arange(n - 1, -1, -1, dtype=np.int64)


@checked
@ranks(terms=2)
def sequential_sum(terms: Integers, precision: PositiveInt) -> Integers:
    r"""Return the sums of the rows of an integer array, every partial sum rounded to ``precision`` bits, ties to even.

    No exponent is bounded.  Shape ``(k, m)`` to ``(k,)``; the moduli of a row must add up to less than :math:`2^{60}`.
    """
    total = np.zeros(len(terms), dtype=np.int64)
    for column in np.asarray(terms, dtype=np.int64).T:
        total = _rounded(total + column, precision)
    return total


def _rounded(z: Integers, precision: int) -> Integers:
    size = np.abs(z)
    length = np.frexp(size.astype(np.float64))[1].astype(np.int64)
    length -= (size >> np.maximum(length - 1, 0)) == 0  # a double near 2^k may have rounded up to it
    drop = np.maximum(length - precision, 0)
    half = (np.int64(1) << drop) >> 1
    kept = (size + np.maximum(half - 1, 0) + np.where(drop > 0, (size >> drop) & 1, 0)) >> drop
    return np.sign(z) * (kept << drop)


@checked
@ranks(y=2, x=2)
def equal_in_floats(
    x: Integers, y: Integers, precision: PositiveInt, *, interleaved: bool = False
) -> NDArray[np.bool_]:
    """Return whether the sum in floats of a precision is zero, for bit strings ``x``, ``y`` of shape ``(k, n)``."""
    w = equality_weights(x.shape[1])
    a, b = (2 * x - 1) * w, (1 - 2 * y) * w
    terms = np.stack([a, b], axis=2).reshape(len(x), -1) if interleaved else np.concatenate([a, b], axis=1)
    return sequential_sum(terms, precision) == 0


@checked
@at_most(n=ENTRIES)
def survives_interleaved(n: PositiveInt, how: Format, *, flush: bool = False) -> bool:
    """Return whether the interleaved sum in a format is right for all pairs of strings of length ``n``.

    Equal strings give zero at once.  For others it is decided on the ``n`` least continuations, by monotone rounding.
    With ``flush`` what is smaller than the least normal number becomes zero.
    """
    fine = how.least_exponent - how.precision + 1  # of the least subnormal number
    unit = min(1 - n, fine)
    normal = 1 << (how.least_exponent - unit) if flush else 0

    def cast(z: int) -> int:
        z = _nearest(z, how.precision, fine - unit)
        return z if abs(z) >= normal else 0

    weights = [cast(1 << (-i - unit)) for i in range(n)]
    for k in reversed(range(n)):  # the last one fails first
        total = cast(2 * weights[k])
        for w in weights[k + 1 :]:
            total = cast(cast(total - w) - w)
        if total <= 0:
            return False
    return True


def _nearest(z: int, precision: int, least: int) -> int:
    """An integer rounded to ``precision`` bits and to a multiple of ``2**least``, ties to even."""
    drop = max(z.bit_length() - precision, least)
    return (z + (1 << drop >> 1) - 1 + (z >> drop & 1)) >> drop << drop if drop > 0 else z


@checked
@at_most(n=ENTRIES, count=ENTRIES)
def close_pairs(n: PositiveInt, rng: np.random.Generator, count: NonNegativeInt = 64) -> tuple[Integers, Integers]:
    r"""Return pairs of bit strings on which rounding shows: equal, one flip apart, and consecutive as integers.

    Consecutive are the random ones, and those about :math:`\frac342^n`, whose sums over :math:`x` are near
    :math:`2^{n-1}`.
    """
    random = rng.integers(0, 1 << n, count, dtype=np.int64)
    near = np.arange(max(0, 3 * (1 << n) // 4 - 8), min((1 << n) - 1, 3 * (1 << n) // 4 + 8), dtype=np.int64)
    first = np.concatenate([random, near])
    after = np.minimum(first + 1, (1 << n) - 1)
    flips = (random[:, None] ^ equality_weights(n)[None]).ravel()
    x = np.concatenate([first, first, after, after, np.repeat(random, n)])
    y = np.concatenate([first, after, first, after, flips])
    bits = np.arange(n - 1, -1, -1, dtype=np.int64)
    return (x[:, None] >> bits) & 1, (y[:, None] >> bits) & 1
