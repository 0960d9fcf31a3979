r"""Sparse token selection: average the ``q`` tokens that a set names.

A prompt holds tokens :math:`x_1,\dots,x_T\sim N(0,I_d)`, independent, and a uniform set :math:`y\subset[T]` of ``q``
positions, independent of them; its target is

.. math:: s=\frac1q\sum_{i\in y}x_i=\sum_i\tau_ix_i,\qquad\tau_i=\frac{\mathbf 1\{i\in y\}}q .

Arrays: ``X`` has shape ``(n, T, d)``, ``Y`` ``(n, q)`` with increasing positions from 0, ``n`` the number of prompts.
Losses are :math:`E\|f-s\|^2` without a factor ½; the predictor 0 has loss :math:`d/q`.

References
----------
Wang, Wei, Hsu, Lee (2024), sparse token selection, arXiv 2406.06893v1; Sanford, Hsu, Telgarsky (2023), q-sparse
averaging, arXiv 2306.02896.
"""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theorytools.arguments.amounts import amount
from theorytools.arguments.checked import (
    ENTRIES,
    NonNegativeInt,
    Numbers,
    PositiveInt,
    at_most,
    checked,
    ranks,
    unchecked,
)
from theorytools.errors import BudgetError, DomainError

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
SUBSETS = 200_000  # an enumeration of more sets is refused


@checked
def checked_sizes(T: int, q: int, d: int = 1) -> None:
    """Raise ``DomainError`` unless ``1 <= q < T`` and ``d >= 1``, all integers."""
    for name, value in (("T", T), ("q", q), ("d", d)):
        if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 1:
            raise DomainError(f"{name} = {value!r}", required=f"an integer {name} >= 1")
    if q >= T:
        raise DomainError(
            f"q = {q} selected among T = {T} tokens", required="q < T", why="with q = T there is nothing to select"
        )


_checked_sizes = unchecked(checked_sizes)


@checked
@at_most(size=ENTRIES, T=ENTRIES, d=ENTRIES)
def sample(
    rng: np.random.Generator, size: NonNegativeInt, T: PositiveInt, d: PositiveInt, q: int
) -> tuple[Array, Indices]:
    r"""Draw ``size`` prompts: Gaussian tokens ``(size, T, d)`` and uniform ``q``-sets ``(size, q)``.

    Raises
    ------
    DomainError
        If a size is not a positive integer or ``q >= T``.
    """
    if not isinstance(size, numbers.Integral) or isinstance(size, bool) or size < 1:
        raise DomainError(f"size = {size!r}", required="an integer size >= 1")
    return rng.standard_normal((size, T, d)), sample_subsets(rng, size, T, q)


@checked
@at_most(size=ENTRIES, T=ENTRIES)
def sample_subsets(rng: np.random.Generator, size: PositiveInt, T: NonNegativeInt, q: int) -> Indices:
    r"""Draw ``size`` independent uniform ``q``-subsets of :math:`[T]`, shape ``(size, q)``, increasing rows."""
    checked_sizes(T, q)
    # the positions of the q smallest of T exchangeable keys are a uniform set
    return np.sort(np.argpartition(rng.random((size, T)), q - 1, axis=1)[:, :q], axis=1)


@checked
def targets(X: ArrayLike, Y: ArrayLike) -> Array:
    r"""Return the targets :math:`s=\frac1q\sum_{i\in y}x_i`, shape ``(n, d)``."""
    X, Y = checked_prompts(X, Y)
    return X[np.arange(len(X))[:, None], Y].mean(axis=1)


@checked
def subsets(T: int, q: int) -> Iterator[tuple[int, ...]]:
    r"""Return all :math:`\binom Tq` sets in lexicographic order; ``BudgetError`` above 200 000."""
    checked_sizes(T, q)
    if (count := math.comb(T, q)) > SUBSETS:
        given = f"{amount(count)} subsets"
        raise BudgetError(given, required=f"at most {SUBSETS}", advice="smaller T or q, or sampled sets")
    return itertools.combinations(range(T), q)


@checked
@ranks(y=1)
def checked_subset(y: Numbers, T: int) -> tuple[int, ...]:
    r"""Return the set ``y`` as increasing integers; ``DomainError`` unless :math:`\emptyset\ne y\subsetneq[T]`."""
    positions = tuple(sorted(int(i) for i in y))
    if not positions or len(set(positions)) < len(positions) or positions[0] < 0 or positions[-1] >= T:
        raise DomainError(f"the set {positions}", required=f"distinct positions from 0 to T - 1 = {T - 1}")
    _checked_sizes(T, len(positions))
    return positions


@checked
def checked_prompts(X: ArrayLike, Y: ArrayLike) -> tuple[Array, Indices]:
    """Return ``X`` ``(n, T, d)`` in doubles and ``Y`` ``(n, q)``; ``DomainError`` if they do not fit."""
    tokens, sets = np.asarray(X, dtype=np.float64), np.asarray(Y)
    if tokens.ndim != 3 or sets.ndim != 2 or len(tokens) != len(sets):
        raise DomainError(f"X {tokens.shape}, Y {sets.shape}", required="(n, T, d) and (n, q)")
    T = tokens.shape[1]
    checked_sizes(T, sets.shape[1], tokens.shape[2])
    if sets.dtype.kind not in "iu" or (sets.size and not 0 <= sets.min() <= sets.max() < T):
        raise DomainError(f"positions of type {sets.dtype}", required=f"integers from 0 to T - 1 = {T - 1}")
    if (np.diff(np.sort(sets, axis=1), axis=1) == 0).any():
        raise DomainError("a set that names a position twice", required="q distinct positions")
    if not np.isfinite(tokens).all():
        raise DomainError("tokens that are NaN or infinite", required="finite tokens")
    return tokens, sets
