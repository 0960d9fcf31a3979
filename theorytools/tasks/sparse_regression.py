r"""The sparse token regression task: prompts, index tuples, labels.

A prompt holds tokens :math:`x_1,\dots,x_N\in\mathbb R^d` and index tuples :math:`t_1,\dots,t_N\in[N]^q`; its
labels are :math:`y_i=g(x_{t_{i1}},\dots,x_{t_{iq}})`.  In the *simple* model one tuple serves all positions.
Arrays: ``X`` has shape ``(n, N, d)``, ``T`` ``(n, N, q)`` with indices from 0, ``y`` ``(n, N)``, ``n`` the
number of prompts, ``N`` the sequence length, ``d`` the token dimension, ``q`` the number of indices.

Links :math:`g(v_1,\dots,v_q)` with unit directions :math:`u_j`; for Gaussian tokens each has mean 0 and, when
the ``q`` indices are distinct, the variance given:

* ``lin``: :math:`q^{-1/2}\sum_j\langle u_j,v_j\rangle`, variance 1;
* ``sq``: :math:`(qd)^{-1/2}\sum_j(\lVert v_j\rVert^2-d)`, variance 2;
* ``he2``: :math:`(2q)^{-1/2}\sum_j(\langle u_j,v_j\rangle^2-1)`, variance 1.

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Definition 2, arXiv 2503.11272v1.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, at_most, checked
from theorytools.errors import DomainError

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Link = Literal["lin", "sq", "he2"]

LINKS: tuple[Link, ...] = ("lin", "sq", "he2")


@checked
@at_most(size=ENTRIES, N=ENTRIES, d=ENTRIES)
def sample(
    rng: np.random.Generator,
    size: NonNegativeInt,
    N: NonNegativeInt,
    d: NonNegativeInt,
    q: int,
    simple: bool,
    *,
    distinct: bool = True,
) -> tuple[Array, Indices]:
    r"""Draw ``size`` prompts with independent :math:`N(0,I_d)` tokens and uniform index tuples.

    Parameters
    ----------
    rng : Generator
        The only source of randomness.
    size, N, d, q : int
        Number of prompts, sequence length, token dimension, indices per position.
    simple : bool
        One tuple per prompt, or one per position, all independent.
    distinct : bool
        Whether the ``q`` indices of a tuple differ: uniform over the ordered tuples without repetition (the
        default, for which the variances above hold), or over all of :math:`[N]^q`, as Definition 2 allows.

    Returns
    -------
    X, T : ndarray
        Shapes ``(size, N, d)``, float64, and ``(size, N, q)``, int64.

    Raises
    ------
    DomainError
        If a size is not a positive integer, or ``distinct`` and ``q > N``.
    """
    for name, value in (("size", size), ("N", N), ("d", d), ("q", q)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise DomainError(f"{name} = {value!r}", required=f"an integer {name} >= 1")
    if distinct and q > N:
        raise DomainError(
            f"q = {q} distinct indices among N = {N} positions",
            required="q <= N",
            advice="distinct=False allows repeated indices",
        )
    X = rng.standard_normal((size, N, d))
    rows = (size, 1 if simple else N)
    T = _distinct(rng, rows, N, q) if distinct else rng.integers(0, N, (*rows, q))
    return X, np.ascontiguousarray(np.broadcast_to(T, (size, N, q)))


def _distinct(rng: np.random.Generator, rows: tuple[int, int], N: int, q: int) -> Indices:
    """Floyd's method, all rows at once: a uniform set of ``q`` indices, then a uniform order."""
    T = np.empty((*rows, q), dtype=np.int64)
    for k, top in enumerate(range(N - q, N)):
        drawn = rng.integers(0, top + 1, rows)
        taken = (T[..., :k] == drawn[..., None]).any(axis=-1)
        T[..., k] = np.where(taken, top, drawn)
    return rng.permuted(T, axis=-1) if q > 1 else T


@checked
def retrieve(X: ArrayLike, T: ArrayLike) -> Array:
    r"""Return the indexed tokens :math:`x_{t_{ij}}`, shape ``(n, N, q, d)``."""
    X, T = checked_prompts(X, T)
    return X[np.arange(len(X))[:, None, None], T]


@checked
def labels(X: ArrayLike, T: ArrayLike, link: Link, u: ArrayLike | None = None) -> Array:
    r"""Return the labels :math:`y_i=g(x_{t_{i1}},\dots,x_{t_{iq}})`, shape ``(n, N)``.

    Parameters
    ----------
    X, T : array_like
        Prompts, shapes ``(n, N, d)`` and ``(n, N, q)``.
    link : str
        ``"lin"``, ``"sq"`` or ``"he2"``.
    u : array_like
        Unit direction, shape ``(d,)``, or one per slot, shape ``(q, d)``; None for ``"sq"``, which has none.

    Raises
    ------
    DomainError
        For an unknown link, a missing, needless or non-unit direction, or prompts whose shapes do not fit.
    """
    if link not in LINKS:
        raise DomainError(f"the link {link!r}", required=f"one of {', '.join(LINKS)}")
    tokens = retrieve(X, T)
    q, d = tokens.shape[2:]
    if link == "sq":
        if u is not None:
            raise DomainError("a direction u for the link 'sq'", required="u=None", why="it sees norms only")
        return (np.square(tokens).sum(axis=-1) - d).sum(axis=-1) / np.sqrt(q * d)
    z = (tokens * _directions(u, q, d)).sum(axis=-1)
    if link == "he2":
        z = (np.square(z) - 1) / np.sqrt(2)
    return z.sum(axis=-1) / np.sqrt(q)


def _directions(u: ArrayLike | None, q: int, d: int) -> Array:
    given = np.asarray(np.nan if u is None else u, dtype=np.float64)
    if given.shape not in ((d,), (q, d)):
        raise DomainError(
            "no direction u" if u is None else f"u of shape {given.shape}", required=f"({d},) or ({q}, {d})"
        )
    norms = np.linalg.norm(np.atleast_2d(given), axis=-1)
    # normalising and measuring the norm in doubles each cost at most (d + 4) 2^-53
    if not (np.abs(norms - 1) <= (d + 4) * 2.0**-52).all():
        raise DomainError(
            f"directions of norms {norms}",
            required="unit vectors",
            why="the label variances",
            advice="u / |u|",
        )
    return given


@checked
def checked_prompts(X: ArrayLike, T: ArrayLike) -> tuple[Array, Indices]:
    """Return ``X`` ``(n, N, d)`` in doubles and ``T`` ``(n, N, q)``; ``DomainError`` if they do not fit."""
    tokens, indices = np.asarray(X, dtype=np.float64), np.asarray(T)
    if tokens.ndim != 3 or indices.ndim != 3 or indices.shape[:2] != tokens.shape[:2]:
        raise DomainError(f"X {tokens.shape}, T {indices.shape}", required="(n, N, d) and (n, N, q)")
    N = tokens.shape[1]
    if indices.dtype.kind not in "iu" or (indices.size and not 0 <= indices.min() <= indices.max() < N):
        raise DomainError(f"indices of type {indices.dtype}", required=f"integers from 0 to N - 1 = {N - 1}")
    if not np.isfinite(tokens).all():
        raise DomainError("tokens that are NaN or infinite", required="finite tokens")
    return tokens, indices


Slope = Callable[[Fraction], Fraction]

# at a kink one of the subgradients
SLOPES: dict[str, Slope] = {
    "squared": lambda r: r,  # r^2/2
    "absolute": lambda r: Fraction((r > 0) - (r < 0)),  # |r|
    "huber": lambda r: max(Fraction(-1), min(Fraction(1), r)),  # r^2/2, linear from |r| = 1 on
    "quantile": lambda r: Fraction(1, 4) if r > 0 else Fraction(-3, 4),  # the pinball loss of the quantile 3/4
    "fair": lambda r: r / (1 + abs(r)),  # |r| - log(1 + |r|): smooth, convex, linear far out, as the logistic loss is
}


def slope_of(loss: str) -> Slope:
    r"""Return the slope :math:`\ell'` of a loss.

    Parameters
    ----------
    loss : ``squared``, ``absolute``, ``huber``, ``quantile`` or ``fair``.

    Returns
    -------
    callable : a rational residual to a rational slope, a subgradient at a kink.

    Raises
    ------
    DomainError : another name.

    Examples
    --------
    >>> [str(slope_of(loss)(Fraction(3))) for loss in SLOPES]
    ['3', '1', '1', '1/4', '3/4']
    """
    if loss not in SLOPES:
        raise DomainError(f"the loss {loss!r}", required=f"one of {', '.join(SLOPES)}", why="slopes are rational")
    return SLOPES[loss]
