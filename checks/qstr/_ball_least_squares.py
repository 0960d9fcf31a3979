"""Least squares over a ball of read-outs, for many samples and many settings of an attention or a gate at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
HALVINGS = 45  # of the multiplier: then it is known to 13 digits


def in_ball(B: Floats, a: Floats, V: float) -> tuple[Floats, Floats]:
    r"""Return the least :math:`\langle v,Bv\rangle-2\langle a,v\rangle` over ``|v| <= V``, and where it is attained.

    The minimum is at :math:`(B+\mu I)^{-1}a` with the least :math:`\mu\ge0` for which that lies in the ball; its norm
    decreases in :math:`\mu` and is at most ``V`` from :math:`\mu=\|a\|/V` on.

    Parameters
    ----------
    B : positive definite matrices, shape ``(…, k, k)``.
    a : right sides, shape ``(…, k)``.
    V : radius of the ball.
    """
    lam, Q = np.linalg.eigh(B)
    c = np.einsum("...kl,...k->...l", Q, a)
    low, high = np.zeros(c.shape[:-1]), np.linalg.norm(c, axis=-1) / V

    def outside(mu: Floats) -> NDArray[np.bool_]:
        return np.square(c / (lam + mu[..., None])).sum(-1) > V**2

    free = ~outside(low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        out = outside(middle)
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    v = c / (lam + np.where(free, 0, high)[..., None])
    return (lam * v * v - 2 * c * v).sum(-1), np.einsum("...kl,...l->...k", Q, v)
