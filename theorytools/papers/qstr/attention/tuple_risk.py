"""The exact error of block attention with a linear readout at one position, Gaussian tokens averaged out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.shapes import in_range, indices
from theorytools.numbers import Enclosure, total
from theorytools.numbers.softmax import boltzmann

if TYPE_CHECKING:
    from theorytools.constructions.attention.block import BlockAttention


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
