r"""The error of a whole network with its head, exactly: tokens retrieved in rationals, then the two-layer head.

A head's weights are doubles, hence rationals; so with rational attention weights the label is rational too.

The exact error of block attention with a linear readout at one position, Gaussian tokens averaged out.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.arguments.checked import Entries, Rows, checked, ranks
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.attention.leakage import checked_radius
from theorytools.constructions.feedforward.readout import ReluHead, exact_label
from theorytools.constructions.network import in_range, indices, rows_of
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, total
from theorytools.numbers.softmax import boltzmann

if TYPE_CHECKING:
    from theorytools.constructions.attention.block import BlockAttention


@checked
def head_norms(head: ReluHead) -> tuple[sympy.Expr, sympy.Expr]:
    r"""Return :math:`A=\lVert a\rVert_2` and :math:`B=\lVert(W,b)\rVert_F` of the weights as stored, exactly."""
    A, B = (sum(Fraction(float(x)) ** 2 for x in part) for part in (head.a, [*head.W.flat, *head.b]))
    return tuple(sympy.sqrt(sympy.Rational(x.numerator, x.denominator)) for x in (A, B))


@checked
def sum_head(q: Entries, d: Entries, *, units: int = 1) -> ReluHead:
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


@checked
def tuple_risk(net: BlockAttention, T: NDArray[np.int64], i: int) -> Enclosure:
    r"""Return :math:`E(y_i-\hat y_i)^2` for the link ``lin`` and the index tuples ``T``, at the ambient precision.

    With attention weights :math:`\pi^{(h)}_{ij}`, which see no token, and independent tokens of covariance ``I``,

    .. math:: y_i-\hat y_i=q^{-1/2}\sum_j\Bigl(\#\{h:t_{ih}=j\}-\sum_h\pi^{(h)}_{ij}\Bigr)\langle u,x_j\rangle,\qquad
              E(y_i-\hat y_i)^2=\frac1q\sum_j\Bigl(\#\{h:t_{ih}=j\}-\sum_h\pi^{(h)}_{ij}\Bigr)^2 .

    The forward pass is run with the wiring of the network.  Positions with equal scores in every head and equal
    numbers of indices are computed once.

    Parameters
    ----------
    net : the attention layer; its head is taken to be the exact one of the link.
    T : index tuples, shape ``(N, q)``.
    i : the position.

    Raises
    ------
    DomainError
        For index tuples of another shape.

    Examples
    --------
    >>> import sympy
    >>> from theorytools import orthonormal
    >>> net = BlockAttention(orthonormal(3), beta=sympy.log(8))  # weights 8/10, 1/10, 1/10
    >>> tuple_risk(net, np.full((3, 1), 2), 0).fraction()
    Fraction(3, 50)
    """
    T, i = indices("T", T, net.N, net.N, net.q), in_range("i", i, net.N)
    asked = np.bincount(T[i], minlength=net.N)
    gram = net.codes.gram_numerators()
    products = np.stack([_products(gram, T, i, slots) for slots in net.wiring])
    weights = [_weights(net, row) for row in products]
    groups = Counter(zip(asked.tolist(), *products.tolist(), strict=True))
    return (
        total(
            (total(w[k] for w, k in zip(weights, seen, strict=True)) - wanted) ** 2 * count
            for (wanted, *seen), count in groups.items()
        )
        / net.q
    )


def _products(gram: NDArray[np.int64], T: NDArray[np.int64], i: int, slots: tuple[int, int]) -> NDArray[np.int64]:
    """Integer products of the query's code with the code of every key."""
    query, key = slots
    asking = i if query == 0 else int(T[i, query - 1])
    return gram[asking][np.arange(len(T)) if key == 0 else T[:, key - 1]]


def _weights(net: BlockAttention, products: NDArray[np.int64]) -> dict[int, Enclosure]:
    """The attention weight of a key by its product."""
    s, counts = net.codes.gram_denominator, Counter(products.tolist())
    unscaled = {k: boltzmann(net.temperature, s - k, s) for k in counts}
    normaliser = total(w * counts[k] for k, w in unscaled.items())
    return {k: w / normaliser for k, w in unscaled.items()}
