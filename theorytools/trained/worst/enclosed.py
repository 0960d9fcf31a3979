r"""Blocks that act on each position by itself, on intervals: what they write is enclosed.

A function of one number with slopes of at most ``L`` takes an interval of middle ``m`` and radius ``r`` to
:math:`f(m)\pm Lr`, and :math:`f(m)` is enclosed by its own error: the exponential's
(:func:`theorytools.trained.worst.separated.exponential`), or, for the error function, a ball of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from theorytools.blocks.network import Activation, Block, Kind, Map, Norm, Product
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, at_precision, float_lower, float_upper
from theorytools.numbers.boxes import UNIT, Array, Box, exact, times
from theorytools.trained.bends import SLOPES, value
from theorytools.trained.worst.separated import EXP_ERROR, exponential


def of_ends(low: Array, high: Array) -> Box:
    """Return intervals by their ends."""
    mid = low + (high - low) / 2
    return Box(mid, np.nextafter(np.maximum(high - mid, mid - low), np.inf) * (1 + 4 * UNIT))


def affine(of: Map, held: Mapping[str, Box], n: int) -> Box:
    """Return an affine map of fields that are held as rows, shape ``(n, width)``."""
    shift = Box(np.repeat(of.shift.mid[None], n, 0), np.repeat(of.shift.rad[None], n, 0))
    for name, part in of.parts.items():
        if name not in held or held[name].shape[1] != part.shape[1]:
            raise DomainError(
                f"a map that reads {name!r} of width {part.shape[1]}",
                required=", ".join(f"{field} of width {box.shape[1]}" for field, box in held.items()),
                why="these fields are written so far",
            )
        shift = shift + times(held[name], part.T)
    return shift


def enclosed(block: Block, held: Mapping[str, Box], n: int) -> Box:
    """Return what a block writes at ``n`` states, shape ``(n, width)``.

    Raises
    ------
    DomainError : a block that does not act on each position by itself, or an exponential beyond doubles.
    """
    if isinstance(block, Product):
        return affine(block.left, held, n) * affine(block.right, held, n)
    if isinstance(block, Activation):
        return activated(block.kind, affine(block.of, held, n))
    if isinstance(block, Norm):
        return normed(affine(block.of, held, n), block.eps, block.centred)
    raise DomainError(
        f"a {type(block).__name__} before the attention", required="Norm, Activation or Product",
        why="states of one position are enumerated, so each must know its own fields",
    )  # fmt: skip


def activated(kind: Kind, v: Box) -> Box:
    """Return a function of one number, entry by entry, on intervals."""
    m = v.mid
    if kind == "exp":
        if v.high.max(initial=0.0) > 690:
            raise DomainError(f"an exponential of {v.high.max():.3g}", required="at most 690", why="doubles end there")
        low = np.where(v.low < -690, 0.0, exponential(v.low) * (1 - 2 * EXP_ERROR))
        return of_ends(low, exponential(v.high) * (1 + 2 * EXP_ERROR))
    if kind == "relu":
        found, error = np.maximum(m, 0.0), np.zeros_like(m)
    elif kind == "sigmoid":
        found, error = _sigmoid(m), 4 * EXP_ERROR * np.ones_like(m)
    elif kind == "tanh":
        found, error = 2 * _sigmoid(2 * m) - 1, 16 * EXP_ERROR * np.ones_like(m)
    elif kind == "silu":
        found, error = m * _sigmoid(m), 8 * EXP_ERROR * np.abs(m)
    elif kind == "gelu":
        exactly = [_gelu(float(x)) for x in m.reshape(-1)]
        whole = of_ends(*(np.array(end).reshape(m.shape) for end in zip(*exactly, strict=True)))
        found, error = whole.mid, whole.rad
    else:
        whole = _gelu_tanh(exact(m))
        found, error = whole.mid, whole.rad
    return Box(found, (error + SLOPES[kind] * v.rad) * (1 + 8 * UNIT))


def _sigmoid(m: Array) -> Array:
    r"""Sigmoids, off by less than :math:`2\cdot2^{-46}`: :math:`1/(1+e^{-|m|})`, or one minus it."""
    upper = 1 / (1 + exponential(-np.abs(m)))
    return np.where(m >= 0, upper, 1 - upper)


def _gelu(x: float) -> tuple[float, float]:
    """Ends of :math:`x(1+erf(x/sqrt2))/2`, at a precision of its own."""

    def ends() -> tuple[float, float]:
        ball = value("gelu", Enclosure(Fraction(x)))
        return float_lower(ball.lower), float_upper(ball.upper)

    return at_precision(80, ends)


def _gelu_tanh(m: Box) -> Box:
    root = Box(np.array(0.7978845608028654), np.array(2e-16))  # sqrt(2 / pi)
    cubic = Box(np.array(0.044715), np.array(1e-17))  # the decimal number that is meant, and the double of it
    inner = activated("tanh", root * (m + cubic * (m * m * m)))
    return m * (exact(1.0) + inner) * exact(0.5)


def centred(v: Box) -> Box:
    r"""Return :math:`v-\bar v`, row by row."""
    k = v.shape[1]
    return times(v, Box(np.eye(k) - np.full((k, k), 1 / k), np.full((k, k), 2 * UNIT)))


def mean_square(v: Box) -> Box:
    """Return the means of squares, row by row, shape ``(n, 1)``."""
    k = v.shape[1]
    return times(v * v, Box(np.full((k, 1), 1 / k), np.full((k, 1), UNIT)))


def normed(v: Box, eps: float, mean: bool) -> Box:
    r"""Return :math:`(v-\bar v)/\sqrt{\operatorname{mean}(v-\bar v)^2+\epsilon}`, row by row; without ``mean`` of v."""
    middle = centred(v) if mean else v
    variance = mean_square(middle) + exact(np.full((len(v.mid), 1), eps))
    low = np.maximum(variance.low, eps)
    if not (low > 0).all():
        raise DomainError(
            f"a norm with eps = {eps} of a state that may be constant", required="eps > 0, or states that differ",
            why="it is divided by the root of the variance",
        )  # fmt: skip
    inverse = of_ends(
        np.nextafter(1 / np.nextafter(np.sqrt(variance.high), np.inf), 0.0),
        np.nextafter(1 / np.nextafter(np.sqrt(low), 0.0), np.inf),
    )
    return middle * inverse
