r"""One softmax over rational scores at an exact temperature, in doubles and exactly, for all attention layers.

Scores are integers :math:`K_j` over a common ``s``; the weights are :math:`w_j\propto e^{\beta K_j/s}`.  Exact ones are
taken relative to the largest score, :math:`e^{-\beta(\max K-K_j)/s}`, rational where
:math:`\beta\in\mathbb Q\log2`, one exponential for each score that occurs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.numbers import Enclosure, ball_matmul, total
from theorytools.numbers.softmax import boltzmann

Array = NDArray[np.float64]


def softmax(scores: Array) -> Array:
    """Return the softmax along the last axis in doubles."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def excess(beta: sympy.Expr, products: NDArray[np.int64], s: int, top: int) -> list[Enclosure]:
    r"""Return :math:`e^{-\beta(top-K_j)/s}` for each product, at the ambient precision; not normalised."""
    powers = {k: boltzmann(beta, top - k, s) for k in np.unique(products).tolist()}
    return [powers[k] for k in products.tolist()]


def shares(weights: Sequence[Enclosure]) -> list[Enclosure]:
    """Return weights divided by their sum."""
    normaliser = total(weights)
    return [w / normaliser for w in weights]


def mean(beta: sympy.Expr, products: NDArray[np.int64], s: int, values: Sequence[Sequence[Any]]) -> list[Enclosure]:
    r"""Return :math:`\sum_jw_jv_j/\sum_jw_j` with weights relative to ``s``, the product of a unit code with itself.

    Values of equal products are summed first, in integers or fractions, and divided once.
    """
    sums: dict[int, list[Any]] = {}
    for product, v in zip(products.tolist(), values, strict=True):
        known = sums.setdefault(product, [0] * (len(v) + 1))
        sums[product] = [a + b for a, b in zip(known, [*v, 1], strict=True)]
    weights = [[boltzmann(beta, s - product, s) for product in sums]]
    *parts, normaliser = ball_matmul(weights, list(sums.values()))[0]
    return [part / normaliser for part in parts]
