r"""Averages of a softmax where each key has a set of states, and scores and values are intervals.

The states of the positions are free of each other, so with weights :math:`w\in[w^-,w^+]` and values below
:math:`g^+` an average over any choice of states, weights and values is at most ``c`` if

.. math:: F(c)=\sum_j\max_{\text{states of }j}\max_{w\in[w^-,w^+]}w\,(g^+-c)\le0,\qquad
          \max_ww\,(g^+-c)=\begin{cases}w^+(g^+-c)&g^+\ge c\\w^-(g^+-c)&\text{else}\end{cases}.

``F`` is convex and falls; Dinkelbach's iteration climbs to its root, and a number a hair above is proved by one
evaluation in which every term is rounded up.  Where that fails :math:`c+F(c)/W` is taken, with ``W`` below the sum of
any weights, since no slope of ``F`` is flatter; and no average is above the largest value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorytools.numbers.boxes import UNIT, Array, Box
from theorytools.trained.worst.enclosed import of_ends
from theorytools.trained.worst.separated import EXP_ERROR, exponential

ROUNDS = 6  # of Dinkelbach's iteration
HAIR = 1e-13  # of the values: how far above the root a number is tried
LEAST = 1e-280  # above what a product loses where it underflows


def met(A: Box, B: Box) -> Box:
    """Return an enclosure of products ``(…, m, k)`` with ``(…, k, n)``, for any order of summation."""
    gamma = 1.01 * (A.mid.shape[-1] + 2) * UNIT
    a, b = np.abs(A.mid), np.abs(B.mid)
    rad = a @ B.rad + A.rad @ (b + B.rad) + gamma * (a @ b)
    return Box(A.mid @ B.mid, rad * (1 + 8 * gamma) + LEAST)


@dataclass(frozen=True, eq=False)
class Weights:
    """Softmax weights of ``R`` queries and the states of ``N`` keys, up to one factor for each query.

    Attributes
    ----------
    low, high : bounds, ``(…, R, N, S)``; 0 where a key does not have a state.
    there : where it has.
    """

    low: Array
    high: Array
    there: NDArray[np.bool_]

    @classmethod
    def of(cls, scores: Box, there: NDArray[np.bool_]) -> Weights:
        """Return the weights of scores ``(…, R, N, S)``."""
        # of the upper ends: no exponential is above its range, where it would be cut to one below a weight
        top = np.where(there, scores.high, -np.inf).max(axis=(-2, -1), keepdims=True)
        apart = np.where(there, scores.mid - top, 0.0)
        off = np.where(there, scores.rad, 0.0) + 2 * UNIT * np.abs(apart)
        # exponentials beyond their range are cut at e^-690, which is above a weight; below it there is 0
        high = exponential(np.nextafter(apart + off, np.inf)) * (1 + 2 * EXP_ERROR)
        down = np.nextafter(apart - off, -np.inf)
        low = np.where(down < -690, 0.0, exponential(down) * (1 - 2 * EXP_ERROR))
        return cls(low * there, high * there, there)

    def averages(self, values: Box) -> Box:
        """Return an enclosure of averages ``(…, R)`` of values ``(…, N, S)``, the same for each query."""
        values = Box(values.mid[..., None, :, :], values.rad[..., None, :, :])
        return of_ends(-self._above(-values), self._above(values))

    def _above(self, values: Box) -> Array:
        """Upper bounds of averages."""
        g = np.where(self.there, values.high, 0.0)
        largest = np.where(self.there, g, -np.inf).max(axis=(-2, -1))
        size = np.abs(g).max(axis=(-2, -1))
        # below all values, so that each term tells its weight
        c = np.where(self.there, g, np.inf).min(axis=(-2, -1)) - 2.0**-10 * size
        for _ in range(ROUNDS):
            # a little more: at a state's own value rounding would hide those of far smaller weights
            c = self._climbed(g, c) + 4 * UNIT * size
        near = c + HAIR * size
        proved = self._excess(g, near, size) <= 0
        least = np.where(self.there.any(-1), np.where(self.there, self.low, np.inf).min(-1), 0.0).sum(-1)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            far = c + np.maximum(self._excess(g, c, size), 0.0) / (least * (1 - 1e-12))
        far = np.nextafter(far + 8 * UNIT * (np.abs(far) + size), np.inf)
        return np.asarray(np.minimum(np.where(proved, near, np.where(np.isnan(far), np.inf, far)), largest))

    def _climbed(self, g: Array, c: Array) -> Array:
        """The average of the states and weights that are largest for ``c``: no smaller, but for rounding."""
        apart = g - c[..., None, None]
        w = np.where(apart >= 0, self.high, self.low)
        terms = np.where(self.there, w * apart, -np.inf)
        best = terms.argmax(-1)[..., None]
        w = np.take_along_axis(w, best, -1)[..., 0]
        total = w.sum(-1)
        found = (w * np.take_along_axis(np.broadcast_to(g, terms.shape), best, -1)[..., 0]).sum(-1)
        return np.asarray(np.where(total > 0, np.maximum(c, found / np.where(total > 0, total, 1.0)), c))

    def _excess(self, g: Array, c: Array, size: Array) -> Array:
        """``F(c)``, rounded up."""
        # the difference is off by a unit of each; then a product, and a sum of N terms
        apart = g - c[..., None, None] + (4 * UNIT * (size + np.abs(c)))[..., None, None]
        terms = np.where(apart >= 0, self.high, self.low) * apart
        terms = np.where(self.there, terms + 2 * UNIT * np.abs(terms), -np.inf).max(-1)
        terms = np.where(np.isneginf(terms), 0.0, terms)
        N = terms.shape[-1]
        return np.asarray(terms.sum(-1) + 2 * (N + 2) * UNIT * np.abs(terms).sum(-1) + LEAST)
