r"""Query vectors of sparse token selection, in rational numbers and in doubles.

For a set ``y`` of positions with encodings :math:`E_y\in\mathbb R^{d_e\times q}`:

* ``sum``: :math:`e_y=E_y\mathbf 1`;
* ``dual``: :math:`e_y=E_y(E_y^\top E_y)^{-1}\mathbf 1`, the shortest vector with score 1 on all of ``y``;
* ``lp``: score 1 on ``y`` and smallest cross-talk :math:`\max(0,\max_{i\notin y}\langle w,e_i\rangle)`, then shortest;
* ``polynomial``: on the moment curve, minus the coefficients of :math:`\prod_{j\in y}(X-j)^2`, so that the score of
  token :math:`t` is :math:`-\prod_{j\in y}(t-j)^2` up to a constant that the softmax ignores.

With :math:`e_i=\sqrt c\,v_i` a query is :math:`\sqrt c\,u`, ``u`` rational; scores are :math:`c\langle v_i,u\rangle`.

References
----------
Wang, Wei, Hsu, Lee (2024), Expressivity, arXiv 2406.06893v1.  Which query the paper uses is not known to us.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theorytools.arguments.checked import checked, ranks
from theorytools.codes.encodings import Encodings
from theorytools.errors import DomainError
from theorytools.numbers.separation import min_norm_weights, separation
from theorytools.papers.stsq.tasks.sparse_selection import checked_subset

Vector = NDArray[np.object_]
Query = str | Callable[[Encodings, tuple[int, ...]], Sequence[Any]]
QUERIES = ("sum", "dual", "lp", "polynomial")


def query(E: Encodings, y: Sequence[int], kind: Query) -> Vector:
    r"""Return ``u`` with :math:`e_y=\sqrt c\,u`, shape ``(d_e,)``, in integers or Fractions.

    Parameters
    ----------
    E, y : encodings and a set of positions from 0.
    kind : one of ``QUERIES``, or a function ``(E, y) -> u``.

    Raises
    ------
    DomainError
        For an unknown kind; for ``dual`` and ``lp`` if ``E_y`` is singular; for ``polynomial`` off the moment curve.
    """
    y = checked_subset(y, E.T)
    if callable(kind):
        u = np.array([Fraction(x) for x in kind(E, y)], dtype=object)
        if u.shape != (E.d_e,):
            raise DomainError(f"a query of shape {u.shape}", required=f"({E.d_e},)", why="it is compared with e_i")
        return u
    if kind == "polynomial":
        return polynomial_query(E, y)
    checked_query(kind)
    if kind == "sum":
        return _combined(E, dict.fromkeys(y, Fraction(1)))
    if E.d_e < len(y):
        raise DomainError(
            f"d_e = {E.d_e} below q = {len(y)}", required="d_e >= q", why=f"the {kind} query needs independent e_i"
        )
    if kind == "dual":
        weights = dict(zip(y, min_norm_weights(E.products, y), strict=True))
    else:
        weights = separation(E.products, y).weights
    return _combined(E, weights) / E.squared_scale


def checked_query(kind: Query) -> None:
    """Refuse a query that is neither one of ``QUERIES`` nor a function."""
    if not callable(kind) and kind not in QUERIES:
        raise DomainError(f"the query {kind!r}", required=f"one of {', '.join(QUERIES)}, or a function (E, y) -> u")


def _combined(E: Encodings, weights: dict[int, Fraction]) -> Vector:
    chosen = list(weights)
    common = math.lcm(*(Fraction(w).denominator for w in weights.values()))
    raw = np.array([int(w * common) for w in weights.values()], dtype=object) @ E.vectors[chosen]  # integers: faster
    return raw * Fraction(1, common)


@checked
def polynomial_query(E: Encodings, y: Sequence[int], *, partial: bool = False) -> Vector:
    r"""Return minus the coefficients of :math:`\prod_{j\in y}(X-j)^2` on the exponents of the curve.

    Position ``i`` is the token :math:`t=i+1`.  With ``partial`` a curve without some exponent is accepted, and the
    coefficient is lost: only to study what goes wrong then.

    Raises
    ------
    DomainError
        If the exponents :math:`1,\dots,2q` are not all coordinates of ``E``.
    """
    y = checked_subset(y, E.T)
    wanted = range(1, 2 * len(y) + 1)
    if E.powers is None or not (partial or set(wanted) <= set(E.powers)):
        raise DomainError(
            f"encodings with the exponents {E.powers}", required=f"a moment curve with d_e >= 2q = {2 * len(y)}",
            why="the query is a polynomial of degree 2q", advice="moment_curve(T, 2 * q)",
        )  # fmt: skip
    coefficients = [1]  # of the product, constant first
    for root in [i + 1 for i in y for _ in range(2)]:
        shifted = [0, *coefficients]
        coefficients = [a - root * b for a, b in zip(shifted, [*coefficients, 0], strict=True)]
    known = dict(enumerate(coefficients))
    return np.array([-known.get(k, 0) for k in E.powers], dtype=object)


def scores(E: Encodings, u: Vector) -> Vector:
    r"""Return :math:`\langle e_i,e_y\rangle=c\langle v_i,u\rangle` for all positions, shape ``(T,)``, rational."""
    common = math.lcm(*(Fraction(x).denominator for x in u))
    raw = E.vectors @ np.array([int(x * common) for x in u], dtype=object)  # integers: much faster than Fractions
    factor = E.squared_scale / common
    return raw if factor == 1 else raw * factor


def squared_length(E: Encodings, u: Vector) -> Fraction:
    r"""Return :math:`\|e_y\|^2=c\|u\|^2`."""
    return Fraction(E.squared_scale * sum(x * x for x in u))


@checked
def cross_talk(E: Encodings, y: Sequence[int], kind: Query = "dual") -> Fraction:
    r"""Return :math:`\kappa=\max_{i\notin y}\langle e_y,e_i\rangle`, exactly; separation means :math:`\kappa<1`.

    Meant for queries with score 1 on ``y`` (``dual``, ``lp``); for others see ``SparseSelector.margin``.
    """
    sigma = scores(E, query(E, y, kind))
    return max(Fraction(sigma[i]) for i in range(E.T) if i not in set(y))


@checked
@ranks(Y=2)
def float_queries(E: ArrayLike | Encodings, Y: ArrayLike, kind: Query = "dual") -> NDArray[np.float64]:
    r"""Return the query vectors of a batch in doubles, shape ``(n, d_e)``.

    Parameters
    ----------
    E : doubles of shape ``(T, d_e)`` or ``(n, T, d_e)`` for ``sum`` and ``dual``; ``Encodings`` for every kind.
    Y : sets as rows, shape ``(n, q)``.

    Raises
    ------
    DomainError
        For a kind that is not computed in doubles on arrays, or a Gram matrix that is singular in doubles.
    """
    Y = np.asarray(Y)
    if isinstance(E, Encodings):
        known: dict[tuple[int, ...], NDArray[np.float64]] = {}
        keys = [tuple(sorted(row)) for row in Y.tolist()]
        for key in dict.fromkeys(keys):
            known[key] = query(E, key, kind).astype(np.float64) * float(E.squared_scale) ** 0.5
        return np.stack([known[key] for key in keys])
    if kind not in ("sum", "dual"):
        raise DomainError(f"the query {kind!r} in doubles", required="sum or dual", advice="pass Encodings")
    vectors = np.asarray(E, dtype=np.float64)
    vectors = vectors[Y] if vectors.ndim == 2 else vectors[np.arange(len(Y))[:, None], Y]  # (n, q, d_e)
    if kind == "sum":
        return vectors.sum(axis=1)
    G = vectors @ vectors.transpose(0, 2, 1)
    rank = np.linalg.matrix_rank(G, hermitian=True)
    if (rank < G.shape[-1]).any():
        raise DomainError(
            f"{int((rank < G.shape[-1]).sum())} of {len(G)} Gram matrices singular", required="E_y of full column rank",
            why="the dual query gives each selected token the score 1", advice="count these draws as failures",
        )  # fmt: skip
    return (np.linalg.solve(G, np.ones((*G.shape[:2], 1))) * vectors).sum(axis=1)
