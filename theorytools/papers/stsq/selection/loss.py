r"""The population loss of position-only attention on sparse token selection, exactly.

Averages run over all :math:`\binom Tq` sets.  With :math:`A=E\|a\|^2` and :math:`B=E\,a(y)`,

.. math:: L=A\|V_1\|_F^2-\tfrac{2B}q\operatorname{tr}V_1+\tfrac dq+E\|V_2Ea\|^2,

and for orthonormal encodings, :math:`V=[\alpha I\ 0]`, :math:`u=e^\beta`, :math:`n=T-q`, :math:`p=\frac{qu}{qu+n}`,

.. math:: L=d\Bigl[\frac{(\alpha p-1)^2}q+\frac{\alpha^2(1-p)^2}n\Bigr].

These hold where attention does not depend on the tokens (:math:`W_{12}=0`); they must not be applied to trained
weights without looking at :math:`W_{12}`.

References
----------
Wang, Wei, Hsu, Lee (2024), Population loss, arXiv 2406.06893v1; both formulas are derived here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from theorytools.arguments.checked import Numbers, PositiveInt, Real, checked
from theorytools.arguments.values import checked_entries
from theorytools.errors import DomainError
from theorytools.numbers import (
    Enclosure,
    maximum,
    shortest_fraction,
    total,
)
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.tasks.sparse_selection import checked_sizes, subsets


@checked
def population_loss(net: SparseSelector, sets: Iterable[tuple[int, ...]] | None = None) -> Enclosure:
    r"""Return :math:`E_{X,y}\|f-s\|^2` by the sum over all sets (or the given ones), at the ambient precision.

    Parameters
    ----------
    net : the selector; its tokens are standard Gaussian.
    sets : the selected subsets to sum over, each of ``q`` places; all of them unless given.

    Returns
    -------
    Enclosure : the mean over the sets.

    Raises
    ------
    DomainError : a set of another size, or one without a query.

    References
    ----------
    Wang, Wei, Hsu, Lee (2024), Population loss, arXiv 2406.06893v1; the formulas are derived here.

    Examples
    --------
    >>> import sympy
    >>> from theorytools.codes.encodings import orthonormal_encodings
    >>> net = SparseSelector(orthonormal_encodings(4), beta=sympy.log(3), q=2, d=5)
    >>> population_loss(net).fraction()
    Fraction(5, 16)
    """
    losses = [net.loss(y) for y in (subsets(net.T, net.q) if sets is None else sets)]
    return total(losses) / len(losses)


@checked
def worst_loss(net: SparseSelector, sets: Iterable[tuple[int, ...]] | None = None) -> Enclosure:
    r"""Return :math:`\max_yE_X\|f-s\|^2` over all sets (or the given ones), at the ambient precision."""
    return maximum(net.loss(y) for y in (subsets(net.T, net.q) if sets is None else sets))


@checked
def attention_moments(net: SparseSelector) -> tuple[Enclosure, Enclosure]:
    r"""Return :math:`A=E\|a\|_2^2` (over the tokens) and :math:`B=E\,a(y)` over all sets, at the ambient precision."""
    A, B = [], []
    for y in subsets(net.T, net.q):
        a = net.attention(y)[: net.T]
        A.append(total(x * x for x in a))
        B.append(total(a[i] for i in y))
    count = math.comb(net.T, net.q)
    return total(A) / count, total(B) / count


@checked
def forward_loss(net: SparseSelector, y: tuple[int, ...], *, mean: bool = True) -> Enclosure:
    r"""Return the same loss of one set from forward passes alone, at the ambient precision.

    With attention fixed by ``y``, ``f - s`` is affine in the tokens; for Gaussian tokens its mean square is the sum
    over the :math:`Td` unit prompts of :math:`\|(f-s)(x)-(f-s)(0)\|^2`, plus :math:`\|(f-s)(0)\|^2`.
    With ``mean=False`` the target is the sum of the selected tokens, a misreading for a negative control.
    """
    zero = [[0] * net.d for _ in range(net.T)]
    units = [(i, k) for i in range(net.T) for k in range(net.d)]
    batch = [[[int((i, k) == unit) for k in range(net.d)] for i in range(net.T)] for unit in units]
    offset, *outputs = net.outputs([zero, *batch], y)
    weight = Fraction(1, net.q) if mean else Fraction(1)
    parts = [x * x for x in offset]
    for (i, k), f in zip(units, outputs, strict=True):
        s = [weight * int(i in y and j == k) for j in range(net.d)]
        parts += [(f[j] - offset[j] - s[j]) ** 2 for j in range(net.d)]
    return total(parts)


@checked
def orthonormal_loss(T: int, q: int, d: int, u: Fraction, alpha: Real = 1) -> Fraction:
    r"""Return (1) for rational :math:`u=e^\beta>0` and :math:`\alpha`."""
    checked_sizes(T, q, d)
    u, alpha = Fraction(u), shortest_fraction(alpha)
    if u <= 0:
        raise DomainError(f"u = {u}", required="u = exp(beta) > 0")
    n = T - q
    p = q * u / (q * u + n)
    return d * ((alpha * p - 1) ** 2 / q + alpha**2 * (1 - p) ** 2 / n)


@checked
def best_scale(A: Numbers, B: Real, q: PositiveInt) -> Any:
    r"""Return :math:`\alpha^*=B/(qA)`, where :math:`L=\frac dq(1-\frac{B^2}{qA})`."""
    checked_entries("A", A, lambda x: x > 0, required="A > 0", why="it is the mean of a squared norm")
    return Fraction(B, q * A) if isinstance(A, int) and isinstance(B, int) else B / (q * A)
