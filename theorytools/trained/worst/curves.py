r"""Functions of one number that networks bend by: enclosed values, and lines above and below on an interval.

* *ReLU.*  It is convex, so a line is above it on :math:`[l,h]` where it is above it at both ends; lines with slopes in
  :math:`[0,1]` through the origin are below it everywhere.
* *Smooth ones.*  Values at multiples of :math:`2^{-9}` are enclosed once by balls.  Between two points at distance
  ``s`` a function with :math:`|f''|\le M` is within :math:`Ms^2/8` of its chord, so ``f`` is read from that table up to
  :data:`OFF`, and a line is above ``f`` on :math:`[l,h]` once it is :math:`Ms^2/8+` :data:`OFF` above it at 17 points.
  :math:`M\le1` for each of them (tests enclose the second derivatives).  Beyond :data:`REACH` they are zero, one, or
  the number itself, up to 1e-7.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from theorytools.blocks.network import Kind
from theorytools.numbers import Enclosure, at_precision
from theorytools.numbers.boxes import UNIT, Array
from theorytools.trained.bends import value

REACH, FINE = 20, 9  # smooth functions are read from tables in steps of 2^-FINE on [-REACH, REACH]
OFF = 6e-7  # above 2^-18/8, which is 4.8e-7, and what is left beyond REACH, which is 1e-7
POINTS = 16  # steps in which an interval is cut to find how far a line must be shifted
SMOOTH = ("gelu", "gelu_tanh", "tanh", "sigmoid", "silu")


@lru_cache(maxsize=len(SMOOTH))
def _table(kind: Kind) -> Array:
    def made() -> list[float]:
        return [float(value(kind, Enclosure(Fraction(k, 2**FINE)))) for k in range(-REACH << FINE, (REACH << FINE) + 1)]

    return np.array(at_precision(64, made))


def read(kind: Kind, x: Array) -> Array:
    """Return values of a smooth function up to :data:`OFF`, and a unit in the last place of ``x`` beyond the table."""
    table = _table(kind)
    place = np.clip((x + REACH) * 2.0**FINE, 0, len(table) - 2)
    at = place.astype(np.int64)
    inside = table[at] + (place - at) * (table[at + 1] - table[at])
    if kind in ("tanh", "sigmoid"):
        low: Array | float = -1.0 if kind == "tanh" else 0.0
        return np.where(np.abs(x) > REACH, np.where(x > 0, 1.0, low), inside)
    return np.where(np.abs(x) > REACH, np.maximum(x, 0.0), inside)


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines above and below a function between two ends, entry by entry.

    Attributes
    ----------
    upper, above : slopes and constants of the lines above.
    lower, below : those of the lines below.
    size : upper bounds of the function's modulus there.
    """

    upper: Array
    above: Array
    lower: Array
    below: Array
    size: Array


def lines(kind: Kind, low: Array, high: Array) -> Lines:
    """Return lines above and below a function on ``[low, high]``."""
    return _relu(low, high) if kind == "relu" else _smooth(kind, low, high)


def _relu(low: Array, high: Array) -> Lines:
    crossing = (low < 0) & (high > 0)
    chord = np.where(crossing, high / np.where(crossing, high - low, 1.0), high > 0)
    # whatever the slope is, a line above a convex function at both ends is above it between them
    ends = np.maximum(-chord * low, high - chord * high)
    above = np.where(crossing, np.nextafter(ends + 4 * UNIT * (np.abs(low) + high), np.inf), 0.0)
    below = np.where(crossing, high > -low, high > 0).astype(np.float64)
    return Lines(chord, above, below, np.zeros_like(low), np.maximum(high, 0.0))


def _smooth(kind: Kind, low: Array, high: Array) -> Lines:
    width = np.maximum(high - low, 0.0)
    share = np.arange(POINTS + 1) / POINTS
    z = low[..., None] + width[..., None] * share
    z[..., -1] = high
    f = read(kind, z)
    slope = np.where(width > 1e-6, (f[..., -1] - f[..., 0]) / np.where(width > 1e-6, width, 1.0), 0.5)
    slope = np.clip(slope, -2.0, 2.0)
    away = f - slope[..., None] * z
    # |f''| <= 1: between points at distance s the function is within s^2/8 of its chord, and so is it less a line;
    # steps differ from width/POINTS by rounding, which the last term covers
    reach = np.maximum(np.abs(low), np.abs(high))
    slack = (width / POINTS) ** 2 / 8 * 1.0001 + OFF + 64 * UNIT * (1 + reach) * (1 + reach)
    above, below = away.max(-1) + slack, away.min(-1) - slack
    return Lines(slope, above, slope, below, np.abs(f).max(-1) + slack)
