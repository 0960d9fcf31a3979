r"""The least risk of one attention layer on a look-up of two steps, exactly, whatever reads its output.

Position ``i`` points to :math:`a=t_i\ne i`, and ``a`` to ``s``; the label is :math:`\langle u,x_s\rangle`,
:math:`\lVert u\rVert=1`, tokens are independent :math:`N(0,I)`.  In the class considered a head weighs key ``j`` by
:math:`e_h(j,t_j)/Z`: scores see position and index of the key and anything of the query, but not the key's token.

*Bound.*  Fix all pointers but :math:`t_a`.  On the other positions, ``n`` of them besides ``i`` and ``a``, the heads
see :math:`\sum_je_h(j,t_j)x_j/Z`, a space of functionals of rank at most ``H`` that does not depend on ``s``.  Given
these, :math:`x_i`, :math:`x_a` and all pointers, the conditional variance of the label is
:math:`1-\lVert Pe_s\rVert^2`, ``P`` the projection on that space.  So for ``s`` uniform on the ``n`` positions

.. math:: R\ge\frac1n\sum_s\bigl(1-\lVert Pe_s\rVert^2\bigr)=1-\frac{\operatorname{rank}}n\ge1-\frac Hn ,

attained by the conditional mean, and for independent uniform pointers, where :math:`a\ne i` has probability
:math:`1-\frac1N`, :math:`R\ge(1-\frac1N)\frac{N-2-H}N`.

References
----------
Derived here, for the q-sparse token regression of Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), arXiv 2503.11272v1.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Count, Size, checked
from theorytools.constructions.shapes import in_range, rationals, rows_of
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import solve_rational
from theorytools.numbers.linear_algebra import independent_rows

Rows = Sequence[Sequence[Any]]
Weights = Callable[[Sequence[int], int], Rows]
_PROMPTS = 1 << 14


def unexplained(rows: Rows, s: int) -> Fraction:
    r"""Return :math:`1-\lVert Pe_s\rVert^2`, ``P`` the projection on the span of rational rows ``(k, n)``.

    It is the conditional variance of :math:`\langle u,x_s\rangle` given the combinations of tokens in the rows.
    """
    V = [[Fraction(x) for x in row] for row in rows]
    kept = independent_rows(V)[0] if V else []
    if not len(kept):
        return Fraction(1)
    V = [V[k] for k in kept]
    gram = [[sum(a * b for a, b in zip(v, w, strict=True)) for w in V] for v in V]
    column = [v[s] for v in V]
    return 1 - sum(a * b for a, b in zip(column, solve_rational(gram, column), strict=True))


@checked
def table_weights(e: NDArray[np.int64]) -> Weights:
    r"""Return the weights :math:`e_h(j,t_j)/\sum_ke_h(k,t_k)` of heads with positive numerators ``(H, N, N)``.

    The axes are head, position and index of the key; ``DomainError`` for another shape or numerators that are not
    positive integers.
    """
    if e.ndim != 3 or e.shape[1] != e.shape[2] or e.dtype.kind not in "iu" or e.min() < 1:
        raise DomainError(f"numerators {e.dtype} {e.shape}", required="positive integers of shape (H, N, N)")

    def weights(T: Sequence[int], i: int) -> Rows:
        chosen = e[:, np.arange(e.shape[1]), np.asarray(T)]
        return [[Fraction(int(x), int(row.sum())) for x in row] for row in chosen]

    return weights


@checked
def chained_risk(weights: Weights, T: Sequence[int], i: int) -> Fraction:
    """Return the least risk at position ``i``, the pointer of the token it points to uniform on the ``n`` others.

    The readout knows all pointers, the tokens at ``i`` and at ``a = T[i]``, and the heads' combinations of the rest.

    Parameters
    ----------
    weights : ``weights(T, i)`` returns the heads' weights on the positions, rationals of shape ``(H, N)``.
    T : pointers, of which that of ``a`` is replaced by each of the ``n = N - 2`` positions besides ``i`` and ``a``.

    Raises
    ------
    DomainError
        If ``i`` points to itself, or there is no other position; for pointers that name no position, and weights of
        another shape or that are not rational.
    """
    in_range("i", i, len(T))
    for j, t in enumerate(T):
        in_range(f"T[{j}]", t, len(T))
    a, rest = int(T[i]), [j for j in range(len(T)) if j not in (i, int(T[i]))]
    if a == i or not rest:
        raise DomainError(f"position {i} pointing to {a} of {len(T)}", required="another position, and a third one")
    risks = []
    for k, s in enumerate(rest):
        pointers = [s if j == a else int(t) for j, t in enumerate(T)]
        heads = weights(pointers, i)
        rows_of("weights", heads, len(T))
        seen = [rationals("weights", row) for row in heads]
        risks.append(unexplained([[row[j] for j in rest] for row in seen], k))
    return sum(risks, Fraction(0)) / len(rest)


@checked
def two_step_risk(weights: Weights, N: Size) -> Fraction:
    """Return the least risk over all ``N^N`` pointers and all positions, each readout knowing pointers and own token.

    ``BudgetError`` for more than 2^14 prompts and positions.
    """
    if N > _PROMPTS or N ** (N + 1) > _PROMPTS:
        raise BudgetError(f"{N}^{N} pointers, {N} positions", required=f"at most {_PROMPTS}", why="all are enumerated")
    risks = []
    for T in itertools.product(range(N), repeat=N):
        for i in range(N):
            own = [int(j == i) for j in range(N)]
            risks.append(unexplained([*weights(T, i), own], T[T[i]]))
    return sum(risks, Fraction(0)) / len(risks)


@checked
def two_step_floor(N: Size, heads: Count) -> Fraction:
    r"""Return :math:`\max\bigl(0,(1-\frac1N)\frac{N-2-H}N\bigr)`, the floor for independent uniform pointers.

    Examples
    --------
    >>> two_step_floor(8, 2)
    Fraction(7, 16)
    """
    return max(Fraction(0), Fraction(N - 1, N) * Fraction(N - 2 - heads, N))
