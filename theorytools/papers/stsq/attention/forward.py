"""The forward pass of sparse token selection in doubles, for any weights and any encodings of a batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from theorytools.constructions.attention.layer import softmax


def forward(X: Array, E: Array, e_y: Array, V: Array, W: Array, *, attends_query: bool = False) -> Array:
    r"""Return :math:`f=V\sum_ia_iz_i` in doubles, shape ``(n, d)``, for any ``V`` and ``W``.

    Parameters
    ----------
    X, E, e_y : tokens ``(n, T, d)``, encodings ``(T, d_e)`` or one per prompt ``(n, T, d_e)``, queries ``(n, d_e)``.
    V, W : shapes ``(d, d + d_e)`` and ``(d + d_e, d + d_e)``, the rows of ``W`` on the key side.
    attends_query : add the query column :math:`[0_d;e_y]` to the keys.
    """
    Z = np.concatenate([X, np.broadcast_to(E, (*X.shape[:2], E.shape[-1]))], axis=2)
    z_q = np.concatenate([np.zeros((len(X), X.shape[2])), e_y], axis=1)
    if attends_query:
        Z = np.concatenate([Z, z_q[:, None]], axis=1)
    sigma = np.einsum("nik,kl,nl->ni", Z, W, z_q, optimize=True)
    return np.einsum("ni,nik->nk", softmax(sigma), Z) @ V.T


Array = NDArray[np.float64]
