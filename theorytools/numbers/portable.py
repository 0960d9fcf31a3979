r"""Exponential, logarithm, cosine and sine of doubles that are the same on every machine.

IEEE 754 rounds ``+ - * /`` and ``sqrt`` correctly, and numpy's elementwise loops keep each of them apart, so what is
made of them in a fixed order has the same bits everywhere.  Nothing else has: ``exp``, ``log``, ``sin`` differ by a
unit in the last place between C libraries and between numpy's loops for AVX2 and AVX-512, and a product of matrices is
added in an order that BLAS chooses by processor and threads.

*What may feed a row.*  A number of an exact or enclosed row is an integer, a rational, an enclosure, or made of doubles
by the operations above, in a fixed order (``np.cumsum``, ``math.fsum``, a loop; never ``@`` or ``einsum`` unless every
partial sum is an integer below :math:`2^{53}`), and by this module.  Draws are those of
:class:`theorytools.numbers.draws.Draws`.  Where doubles only say where to look (candidates with a margin that covers
rounding), any function may be used, since what is found is then computed exactly.  Samples may come from any library:
their intervals are rounded outward to a grid on which last bits do not show (:mod:`theorytools.statistics.sampled`).
A run in a library's own arithmetic is a fact about one machine, and its row is ``OBSERVED``.

*Errors.*  All functions are within three units in the last place (tests compare with enclosures).  The logarithm is
:math:`k\ln2+2(s+\frac{s^3}3+\dots+\frac{s^{23}}{23})`, :math:`s=\frac{m-1}{m+1}`, :math:`m\in[\sqrt{1/2},\sqrt2)`, so
:math:`s^2<0.0295` and what is left out is below :math:`10^{-18}` of it; the exponential is Taylor's sum of degree 13 at
:math:`|r|\le\frac{\ln2}2`; cosine and sine are Taylor's at an eighth of a turn or less.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError

Floats = NDArray[np.float64]
_LN2, _LN2_HIGH, _LN2_LOW = 0.6931471805599453, 0.6931471803691238, 1.9082149292705877e-10  # high has 33 bits
_PART = 2**14  # doubles that fit into the cache of a core
_LOG = [2 / (2 * k + 1) for k in range(12)]
_EXP = [1 / math.factorial(k) for k in range(14)]
_COS = [(-1) ** k / math.factorial(2 * k) for k in range(9)]
_SIN = [(-1) ** k / math.factorial(2 * k + 1) for k in range(9)]


def _horner(coefficients: list[float], x: Floats) -> Floats:
    total = np.full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        total *= x
        total += c
    return total


def _series(s: Floats) -> Floats:
    """Return ``log((1 + s) / (1 - s))`` for small ``s``: the term of largest size is added last."""
    square = s * s
    return 2 * s + s * (square * _horner(_LOG[1:], square))


def log(x: Any) -> Floats:
    """Return the natural logarithms of positive finite doubles; ``DomainError`` for others."""
    x = np.asarray(x, dtype=np.float64)
    if not ((x > 0) & (x < np.inf)).all():
        raise DomainError("a logarithm of a number that is not positive and finite", required="0 < x < inf")
    mantissa, exponent = np.frexp(x)
    low = mantissa < math.sqrt(0.5)
    m, k = np.where(low, 2 * mantissa, mantissa), (exponent - low).astype(np.float64)
    found: Floats = k * _LN2_HIGH + (k * _LN2_LOW + _series((m - 1) / (m + 1)))
    return found


def log1p(x: Any) -> Floats:
    """Return ``log(1 + x)``, accurate near 0 too; ``DomainError`` unless ``-1 < x < inf``."""
    x = np.asarray(x, dtype=np.float64)
    if not ((x > -1) & (x < np.inf)).all():
        raise DomainError("a logarithm of a number that is not positive and finite", required="-1 < x < inf")
    near = (x > -0.25) & (x < 0.375)
    small = np.where(near, x, 0.0)
    return np.where(near, _series(small / (2 + small)), log(np.where(near, 1.0, 1 + x)))


def exp(x: Any) -> Floats:
    """Return the exponentials of doubles, 0 and infinity at the ends of the range; NaN stays NaN."""
    x = np.asarray(x, dtype=np.float64)
    flat, found = x.reshape(-1), np.empty(x.size)
    for start in range(0, x.size, _PART):
        found[start : start + _PART] = _exp(flat[start : start + _PART])
    return found.reshape(x.shape)


def _exp(x: Floats) -> Floats:
    inside = np.clip(x, -746.0, 710.0)  # beyond them the result is 0 or infinity
    k = np.rint(inside * (1 / _LN2))
    r = (inside - k * _LN2_HIGH) - k * _LN2_LOW
    with np.errstate(invalid="ignore"):
        whole = k.astype(np.int64)
    half = whole >> 1  # in two steps: 2^k itself may be outside the range
    with np.errstate(over="ignore", under="ignore"):
        found: Floats = _horner(_EXP, r) * _power(half) * _power(whole - half)
    return found


def _power(k: NDArray[np.int64]) -> Floats:
    """Return ``2^k`` for exponents of normal doubles: the bits of the exponent are written down."""
    return ((np.clip(k, -1022, 1023) + 1023) << 52).view(np.float64)


def turn(j: Any, n: int) -> tuple[Floats, Floats]:
    r"""Return cosine and sine of :math:`2\pi j/n`, for integers :math:`j` of modulus below :math:`2^{53}/8`."""
    eighths = 8 * (np.asarray(j, dtype=np.int64) % n)
    octant = (eighths + n) // (2 * n)  # the nearest multiple of a quarter turn, exactly
    angle = (eighths - 2 * n * octant).astype(np.float64) / n * (math.pi / 4)
    square = angle * angle
    c, s = _horner(_COS, square), angle + angle * (square * _horner(_SIN[1:], square))
    quarter = octant % 4
    cosine = np.choose(quarter, [c, -s, -c, s])
    return cosine, np.choose(quarter, [s, c, -s, -c])


def product(A: Any, B: Any) -> Floats:
    """Return the matrix product of doubles ``(..., m, k)`` and ``(..., k, n)``, its terms added from first to last."""
    A, B = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    total = np.zeros(np.broadcast_shapes(A.shape[:-1], (*B.shape[:-2], A.shape[-2])) + B.shape[-1:])
    for k in range(B.shape[-2]):
        total += A[..., :, k, None] * B[..., None, k, :]
    return total


def coarse(values: Any, bits: int = 24) -> Floats:
    r"""Return doubles rounded to multiples of a power of two, about :math:`2^{-b}` of the largest modulus.

    For proposals that a solver or BLAS made, which something exact is built on: what is built is then the same on every
    machine unless a value lies within rounding of the middle of two multiples.  Whether the power of two changes is not
    decided at a largest modulus of 1, which solvers like to answer, but at 0.73.
    """
    values = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(values).max(initial=0.0))
    unit = 2.0 ** (math.frexp(1.37 * largest)[1] - bits)
    rounded: Floats = np.rint(values / unit) * unit if largest else values
    return rounded
