"""Functions of constants that a module computes in ``forward``, such as sines of positions, as intervals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from theorytools.numbers import Enclosure, float_lower, float_upper
from theorytools.numbers.boxes import TINY, UNIT, Array, Box
from theorytools.trained.bends import SLOPES, value
from theorytools.trained.traced.forms import Inexpressible


def _steepest(slope: float, a: Array, b: Array) -> Array:
    return np.full_like(a, slope)


# each with a bound of its slope between two numbers
_OF: dict[str, tuple[Callable[[Enclosure], Enclosure], Callable[[Array, Array], Array]]] = {
    **{name: (partial(value, name), partial(_steepest, SLOPES[name]))
       for name in ("sin", "cos", "tanh", "sigmoid", "gelu", "gelu_tanh", "silu")},
    "exp": (lambda x: x.exp(), lambda a, b: 1.001 * np.exp(b)),
    "log": (lambda x: x.log(), lambda a, b: 1 / a * (1 + 4 * UNIT)),
    "sqrt": (lambda x: x.sqrt(), lambda a, b: 0.5 / np.sqrt(a) * (1 + 8 * UNIT)),
    "rsqrt": (lambda x: 1 / x.sqrt(), lambda a, b: 0.5 / (a * np.sqrt(a)) * (1 + 16 * UNIT)),
}  # fmt: skip
KNOWN = tuple(_OF)


def function_of(name: str, values: Box) -> Box:
    """Return an enclosure of a function of numbers, entry by entry; the relu is exact.

    Raises
    ------
    Inexpressible : numbers at which it is not defined, or more than 2^18 different ones.
    """
    if name == "relu":
        low, high = np.maximum(values.low, 0), np.maximum(values.high, 0)
        exactly = (values.rad == 0) | (values.low >= 0)
        mid = np.where(exactly, np.maximum(values.mid, 0), (low + high) / 2)
        rad = np.where(exactly, values.rad, np.nextafter((high - low) / 2, np.inf) * (1 + 4 * UNIT))
        return Box(mid, rad)
    if name in ("log", "sqrt", "rsqrt") and not (np.where(values.rad > 0, values.low, values.mid) > 0).all():
        raise Inexpressible(f"{name} of constants that are not positive")
    different, back = np.unique(values.mid, return_inverse=True)
    if len(different) > 2**18:
        raise Inexpressible(
            f"{name} of {len(different)} constants in forward", "compute them once, and store them in a buffer"
        )
    at, slope = _OF[name]
    found = [at(Enclosure(x)) for x in different.tolist()]
    low, high = (np.array([end(side) for side in sides]) for end, sides in (
        (float_lower, [e.lower for e in found]), (float_upper, [e.upper for e in found]),
    ))  # fmt: skip
    if not (np.isfinite(low) & np.isfinite(high)).all():
        raise Inexpressible(f"{name} of constants at which it is not a finite number")
    mid = low + (high - low) / 2
    rad = np.nextafter(np.maximum(high - mid, mid - low), np.inf) * (low < high)
    mid, rad = mid[back].reshape(values.shape), rad[back].reshape(values.shape)
    wide = values.rad > 0
    if wide.any():
        rad[wide] += (slope(values.low[wide], values.high[wide]) * values.rad[wide]) * (1 + 8 * UNIT) + TINY
        rad[wide] *= 1 + 8 * UNIT
    return Box(mid, rad)
