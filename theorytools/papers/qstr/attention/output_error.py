r"""The error of a whole network with its head, exactly: tokens retrieved in rationals, then the two-layer head.

A head's weights are doubles, hence rationals; so with rational attention weights the label is rational too.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, PositiveInt, Rows, at_most, checked, ranks
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.attention.leakage import checked_radius
from theorytools.constructions.feedforward.readout import ReluHead, exact_label
from theorytools.constructions.shapes import in_range, indices, rows_of
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure

if TYPE_CHECKING:
    from theorytools.constructions.attention.block import BlockAttention


@checked
def head_norms(head: ReluHead) -> tuple[sympy.Expr, sympy.Expr]:
    r"""Return :math:`A=\lVert a\rVert_2` and :math:`B=\lVert(W,b)\rVert_F` of the weights as stored, exactly."""
    A, B = (sum(Fraction(float(x)) ** 2 for x in part) for part in (head.a, [*head.W.flat, *head.b]))
    return tuple(sympy.sqrt(sympy.Rational(x.numerator, x.denominator)) for x in (A, B))


@checked
@at_most(q=ENTRIES, d=ENTRIES)
def sum_head(q: PositiveInt, d: PositiveInt, *, units: int = 1) -> ReluHead:
    r"""Return the head of the link :math:`\sum_h\langle e_1,x_{t_h}\rangle`: linear with two units, its positive
    part with one.

    With one unit :math:`\lVert a\rVert\lVert W\rVert_F=\sqrt q` is the Lipschitz constant; the two units of the linear
    link, :math:`z=\sigma(z)-\sigma(-z)`, have twice that product.
    """
    if units not in (1, 2):
        raise DomainError(f"units = {units}", required="1 (positive part) or 2 (linear)")
    row = np.tile(np.eye(1, d)[0], q)
    return ReluHead(np.array([1.0, -1.0])[:units], np.stack([row, -row])[:units], np.zeros(units))


@checked
@ranks(T=2)
def label_error(net: BlockAttention, link: ReluHead, X: Rows, T: NDArray[np.int64], i: int) -> Enclosure:
    r"""Return :math:`|\hat y_i-y_i|`: the network's label against ``link`` on the indexed tokens themselves.

    Parameters
    ----------
    net : a construction with a head.
    link : the head that defines the labels, :math:`y_i=g(x_{t_{i1}},\dots,x_{t_{iq}})`.
    X, T : one prompt: integers or Fractions, shape ``(N, d)``, and indices, shape ``(N, q)``.
    i : the position of the label.

    Raises
    ------
    DomainError
        If the network has no head, or the prompt another shape than the heads read.
    """
    if net.head is None:
        raise DomainError("a construction without a head", required="head=sum_head(q, d) or another ReluHead")
    rows_of("X", X, net.d, count=net.N)
    T, i = indices("T", T, net.N, net.N, net.q), in_range("i", i, net.N)
    retrieved = [x for h in range(len(net.wiring)) for x in net.exact_token(X, T, i, h)]
    indexed = [x for t in T[i] for x in X[t]]
    return abs(exact_label(net.head, retrieved) - exact_label(link, indexed))


@checked
def extremal_prompt(
    net: BlockAttention, r_x: int | Fraction, t: int
) -> tuple[list[list[int | Fraction]], NDArray[np.int64]]:
    r"""Return the prompt whose error is largest: :math:`x_t=r_xe_1`, all others :math:`-r_xe_1`, all indices ``t``.

    Every head retrieves :math:`(1-2L_t)r_xe_1`.
    """
    checked_radius(r_x)
    t, rest = in_range("t", t, net.N), [0] * (net.d - 1)
    X = [[r_x if j == t else -r_x, *rest] for j in range(net.N)]
    return X, np.full((net.N, net.q), t)
