"""Prompts and orders of summation in which rounding does much: where to look for the worst error of a machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.constructions.attention.formats import Format

Order = tuple[NDArray[np.int64], tuple[int, ...]]


_LONG = 2**12  # longer sums are run in 256 lanes, not one term after the other


def fold(terms: Any, lanes: int) -> Any:
    """Return ``lanes`` partial sums of the rows: lane ``i`` adds rows ``i, i + lanes, …`` one after the other."""
    partial = terms[:lanes] * 1  # a copy, for numpy and torch alike
    for start in range(lanes, len(terms), lanes):
        block = terms[start : start + lanes]
        partial[: len(block)] += block
    return partial


def total_in_order(terms: Any, order: Order) -> Any:
    """Return the sum of the rows of a numpy array or torch tensor, every addition rounded to its format.

    Parameters
    ----------
    terms : shape ``(N, …)``.
    order : a permutation of the rows and the lanes of each pass of :func:`fold`, the last of them 1: ``(1,)`` is one
        after the other, ``(N/2, N/4, …, 1)`` pairwise.
    """
    permutation, passes = order
    terms = terms[permutation]
    for lanes in passes:
        terms = fold(terms, lanes)
    return terms[0]


def some_orders(weights: Array, t: int, rng: np.random.Generator) -> Iterator[Order]:
    """Yield orders: as positions stand, the heavy term ``t`` last or first, pairwise and in 16 lanes when shuffled."""
    N = len(weights)
    one_by_one = (1,) if N <= _LONG else (256, 1)
    rising = np.argsort(weights, kind="stable")
    rising = np.append(rising[rising != t], t)
    halves, left = [], N
    while left > 1:
        left = -(-left // 2)
        halves.append(left)
    yield np.arange(N), one_by_one
    yield rising, one_by_one
    yield rising[::-1].copy(), one_by_one
    yield rng.permutation(N), tuple(halves)
    yield rng.permutation(N), (min(16, N), 1)


def line_prompts(N: int, t: int, r: float, stored: Format, rng: np.random.Generator) -> Array:
    r"""Return prompts of tokens on one line, one in each column, shape ``(N, 24)``, all of modulus at most ``r``.

    Token ``t`` is :math:`r` against :math:`-r`, :math:`r` or 0 elsewhere, or 0 against :math:`r`; or it lies halfway
    between two numbers of the stored format next to :math:`r`, or anywhere in the last sixteenth before :math:`r`;
    or the others have random signs.
    """
    unit = 2.0 ** (np.frexp(r)[1] - stored.precision)  # spacing of the format just below r
    halfway = (np.floor(r / unit - 0.5) + 0.5 - np.arange(8)) * unit
    near = r * (1 - rng.random(8) / 16)
    own = np.array([r, r, r, 0.0, *np.clip(halfway, 0, r), *near, *([r] * 4)])
    X = np.full((N, len(own)), -r)
    X[:, 1], X[:, 2], X[:, 3] = r, 0.0, r
    X[:, -4:] = r * rng.choice([-1.0, 1.0], size=(N, 4))
    X[t] = own
    return X


def random_prompts(N: int, d: int, r: float, draws: int, rng: np.random.Generator) -> Array:
    """Return prompts of random tokens of norm just below ``r``, shape ``(draws, N, d)``."""
    tokens: Array = rng.standard_normal((draws, N, d))
    # 1e-12 is more than doubles lose in a norm and a quotient, so the norms are at most r
    tokens *= r * (1 - 1e-12) / np.linalg.norm(tokens, axis=2, keepdims=True)
    return tokens


Array = NDArray[np.float64]
