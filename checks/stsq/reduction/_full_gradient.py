r"""The gradient in all weights of the selection layer, averaged over sign tokens and sign encodings, in rationals.

Tokens :math:`x_i\in\{\pm1\}^d` and encodings :math:`e_i=w_i/\sqrt{d_e}`, :math:`w_i\in\{\pm1\}^{d_e}`, all
:math:`2^{T(d+d_e)}` of them, the query the sum of the selected ones, :math:`W_{12}\ne0` and :math:`V_2\ne0` allowed:
attention may read the tokens.  With :math:`F_i=2a_i\langle f-s,Vz_i-f\rangle`, the derivative in the score of token
:math:`i`,

.. math:: \nabla_{V_1}=2E(f-s)\bigl(\textstyle\sum a_ix_i\bigr)^\top,\quad \nabla_{V_2}=2E(f-s)(Ea)^\top,\quad
          \nabla_{W_{12}}=E\textstyle\sum_iF_ix_ie_y^\top,\quad \nabla_{W_{22}}=E\textstyle\sum_iF_ie_ie_y^\top .

Signs are symmetric under all signed permutations, as Gaussian tokens are under all rotations; with :math:`W_{12}=0` the
loss depends on the second moments of the tokens alone, so the gradients in :math:`V_1` and :math:`W_{22}` are those of
Gaussian tokens.

References
----------
Wang, Wei, Hsu, Lee (2024), Reduction, arXiv 2406.06893v1 (the statement is derived here).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Numbers, Real, Steps, checked
from theorytools.arguments.values import checked_integer, checked_rational, within_budget
from theorytools.errors import DomainError
from theorytools.numbers import fraction, quick, shortest_fraction
from theorytools.papers.stsq.tasks.sparse_selection import checked_sizes

_PROMPTS = 2**13
Exact = NDArray[np.object_]


@checked
@dataclass(frozen=True)
class BlockGradient:
    r"""Averages of the gradient: ``V_1`` ``(d, d)``, ``W_22``, and :math:`\sqrt{d_e}` times ``V_2`` and ``W_12``."""

    V_1: Exact
    V_2: Exact
    W_12: Exact
    W_22: Exact


@checked
def sign_block_gradient(
    T: Steps, q: int, d: Steps, d_e: Steps, *, alpha: Real, v: Any, V_2: Numbers = None, W_12: Numbers = None
) -> BlockGradient:
    r"""Return the gradient at :math:`V=[\alpha I\ V_2]`, :math:`W_{22}=\beta I`, :math:`e^{\beta/d_e}=v`.

    Parameters
    ----------
    T, q, d, d_e : sizes; :math:`T(d+d_e)\le13`.  The selected tokens are the first, for all sets give one average.
    alpha, v : rational, ``v`` positive.
    V_2 : rational ``(d, d_e)``: the block over :math:`\sqrt{d_e}`; 0 unless given.
    W_12 : integers ``(d, d_e)``: the block over :math:`\sqrt{d_e}\log v`; 0 unless given.

    Raises
    ------
    DomainError
        For other sizes or shapes.
    BudgetError
        For more than ``2**13`` prompts.

    Examples
    --------
    >>> found = sign_block_gradient(3, 2, 1, 2, alpha=1, v=1)
    >>> found.W_22.tolist(), found.W_12.tolist()
    ([[Fraction(-1, 9), Fraction(0, 1)], [Fraction(0, 1), Fraction(-1, 9)]], [[Fraction(0, 1), Fraction(0, 1)]])
    """
    checked_sizes(T, q, d)
    checked_integer("d_e", d_e, least=1, why="encodings are vectors")
    checked_rational("v", v, lambda x: x > 0, required="v > 0", why="v is an exponential")
    within_budget("prompts", 2 ** (T * (d + d_e)), _PROMPTS, why="all are enumerated", advice="smaller sizes")
    N, M = (_block(name, block, d, d_e) for name, block in (("V_2", V_2), ("W_12", W_12)))
    alpha, v, N = quick(shortest_fraction(alpha)), quick(shortest_fraction(v)), _quick(N)
    total = [np.full(shape, quick(0)) for shape in ((d, d), (d, d_e), (d, d_e), (d_e, d_e))]
    tokens = [_rows(signs, T, d) for signs in product((1, -1), repeat=T * d)]
    for signs in product((1, -1), repeat=T * d_e):
        E = _rows(signs, T, d_e)
        query = E[:q].sum(axis=0)
        places, pull = E @ query, M @ query
        for x in tokens:
            weights = [v ** int(s) for s in (places + x @ pull)]
            a = np.array(weights, dtype=object) / sum(weights)
            values = alpha * x + E @ N.T  # V z_i
            f = a @ values
            rest = f - x[:q].sum(axis=0) / quick(q)
            force = 2 * a * ((values - f) @ rest)
            parts = (2 * np.outer(rest, a @ x), 2 * np.outer(rest, a @ E), np.outer(force @ x, query),
                     np.outer(force @ E, query) / quick(d_e))  # fmt: skip
            total = [sum_ + part for sum_, part in zip(total, parts, strict=True)]
    count = quick(2 ** (T * (d + d_e)))
    return BlockGradient(*(_each(fraction, block / count) for block in total))


def _quick(block: Exact) -> Exact:
    return _each(lambda x: quick(Fraction(x)), block)


def _each(change: Any, block: Exact) -> Exact:
    made = np.empty(block.shape, dtype=object)
    made.reshape(-1)[:] = [change(x) for x in block.flat]
    return made


def _rows(signs: tuple[int, ...], T: int, width: int) -> Exact:
    return np.array(signs, dtype=object).reshape(T, width)


def _block(name: str, block: Any, d: int, d_e: int) -> Exact:
    entries = np.full((d, d_e), 0, dtype=object) if block is None else np.array(block, dtype=object)
    if entries.shape != (d, d_e) or (name == "W_12" and any(x != int(x) for x in entries.flat)):
        raise DomainError(f"{name} of shape {entries.shape}", required=f"({d}, {d_e}), of integers for W_12")
    return entries
