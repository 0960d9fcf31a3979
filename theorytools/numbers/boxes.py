r"""Arrays of intervals in doubles, by middle and radius, with a-priori bounds of their own rounding.

A checkpoint's weights are doubles, exactly; what is computed from them is not.  With :math:`u=2^{-53}` and
:math:`\gamma_n=nu/(1-nu)`, :math:`|\mathrm{fl}(AB)-AB|\le\gamma_n|A||B|` in any order of summation, with and without
fused multiply-add (Higham 2002, section 3.5); a sum or a product is off by ``u`` times its modulus.  Radii are
inflated by what their own rounding could take away, and by a number that covers what underflows.

References
----------
Higham (2002), Accuracy and Stability of Numerical Algorithms, SIAM.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError
from theorytools.numbers.enclosure import Enclosure
from theorytools.numbers.endpoint import float_lower, float_upper

Array = NDArray[np.float64]
UNIT = 2.0**-53
TINY = 1e-290  # above what a product of doubles loses where it underflows


@dataclass(frozen=True, eq=False)
class Box:
    """An array of intervals, by middle and radius.

    Attributes
    ----------
    mid, rad : arrays of doubles of one shape; radii are at least 0.
    """

    mid: Array
    rad: Array

    @property
    def low(self) -> Array:
        """The lower ends, rounded down."""
        return np.nextafter(self.mid - self.rad, -np.inf)

    @property
    def high(self) -> Array:
        """The upper ends, rounded up."""
        return np.nextafter(self.mid + self.rad, np.inf)

    @property
    def size(self) -> Array:
        """Upper bounds of the moduli."""
        return np.nextafter(np.abs(self.mid) + self.rad, np.inf)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.mid.shape

    @property
    def T(self) -> Box:
        """The transpose."""
        return Box(self.mid.T, self.rad.T)

    def __getitem__(self, at: Any) -> Box:
        return Box(self.mid[at], self.rad[at])

    def reshape(self, *shape: int) -> Box:
        """Return the intervals in another shape."""
        return Box(self.mid.reshape(*shape), self.rad.reshape(*shape))

    def __neg__(self) -> Box:
        return Box(-self.mid, self.rad)

    def __add__(self, other: Box) -> Box:
        mid = self.mid + other.mid
        return Box(mid, (self.rad + other.rad + 2 * UNIT * np.abs(mid)) * (1 + 4 * UNIT))

    def __sub__(self, other: Box) -> Box:
        return self + -other

    def __mul__(self, other: Box) -> Box:
        """The products entry by entry, with numpy's broadcasting."""
        a, b = np.abs(self.mid), np.abs(other.mid)
        rad = a * other.rad + self.rad * (b + other.rad) + 2 * UNIT * (a * b)
        return Box(self.mid * other.mid, rad * (1 + 8 * UNIT) + TINY)

    def __matmul__(self, other: Box) -> Box:
        return times(self, other)


def exact(A: Any) -> Box:
    """Return an array of doubles as intervals of width zero."""
    mid = np.asarray(A, dtype=np.float64)
    return Box(mid, np.zeros_like(mid))


def enclosing(values: Sequence[Enclosure]) -> Box:
    """Return enclosures as intervals in doubles; ``DomainError`` for what doubles cannot hold."""
    low, high = np.array([(float_lower(x.lower), float_upper(x.upper)) for x in values]).reshape(-1, 2).T
    if not (np.isfinite(low) & np.isfinite(high)).all():
        raise DomainError(
            f"a number from {low.min()} to {high.max()}", required="numbers that doubles hold",
            why="intervals have doubles as their ends", advice="a smaller scale, or the exact evaluator",
        )  # fmt: skip
    mid = low / 2 + high / 2  # one double where both are, or a double between or beside them
    off = np.maximum(high - mid, mid - low)
    return Box(mid, np.where(off == 0, 0.0, np.nextafter(off, np.inf)))


def times(A: Box, B: Box) -> Box:
    """Return an enclosure of the product of two matrices of intervals, for any order of summation."""
    n = A.mid.shape[1]
    gamma = 1.01 * (n + 2) * UNIT
    a, b = np.abs(A.mid), np.abs(B.mid)
    rad = a @ B.rad + A.rad @ (b + B.rad) + gamma * (a @ b)
    return Box(A.mid @ B.mid, rad * (1 + 8 * gamma) + TINY)


def length(A: Box, tokens: str) -> Array:
    """Return upper bounds of the rows' norms dual to the tokens': Euclidean for a ball, a sum of moduli for a box."""
    reach = np.abs(A.mid) + A.rad
    found = np.sqrt((reach**2).sum(axis=-1)) if tokens == "ball" else reach.sum(axis=-1)
    return np.asarray(np.nextafter(found * (1 + (A.mid.shape[-1] + 8) * 4 * UNIT), np.inf))


def joined(boxes: Sequence[Box], axis: int = 0) -> Box:
    """Return arrays of intervals one behind the other along an axis."""
    return Box(np.concatenate([b.mid for b in boxes], axis), np.concatenate([b.rad for b in boxes], axis))
