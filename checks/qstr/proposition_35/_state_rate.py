r"""The rate-distortion inequality of a concrete recurrent network: what its states carry, what its answers need.

At every position the answer is a function of the two states before it, :math:`v\in\mathbb R^D`, that is
:math:`\Lambda`-Lipschitz.  With the mean squared error :math:`c` on general 1STR, :math:`c'=cN/(N-1)`, and
:math:`\lambda_i=E\langle e_i,v\rangle^2` in *any* orthonormal basis,

.. math:: (N-1)\log\frac1{\sqrt{c'}+\Lambda\eta}\le R(\lambda,\eta^2)=\sum_i\tfrac12\log^+\frac{\lambda_i}\theta,
          \qquad\sum_i\min(\lambda_i,\theta)=\eta^2,\qquad\eta>0.

*Proof.*  That of :mod:`theorytools.papers.qstr.memory.rate_distortion`, with the channel that adds Gaussian noise of
variance
:math:`\min(\lambda_i,\theta)` to coordinate :math:`i`; its rate is at most :math:`\sum\frac12\log^+(\lambda_i/\theta)`
because a Gaussian has the largest entropy for its second moment.  Position is side information: both sides may be
averaged over it, :math:`-\log` being convex.  ∎

:math:`R` grows with each :math:`\lambda_i`, so limits of the moments and of the error give limits of the slack.

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Propositions 8 and 35, arXiv 2503.11272v1 (this form is derived here).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, minimum
from theorytools.papers.qstr.memory.rate_distortion import water_filling

Floats = NDArray[np.float64]
_U = 2.0**-53


def spectral_norm(W: Any) -> float:
    r"""Return an upper bound of the spectral norm of ``W`` ``(a, b)``, tight to rounding.

    With the computed :math:`W\approx USV^\top`: :math:`\|W\|\le\|U\|\,\|S\|\,\|V\|+\|W-USV^\top\|_F` and
    :math:`\|U\|^2\le1+\|U^\top U-I\|_F`.  Each computed residual is off by at most
    :math:`(k+2)\,u\,\||U||S||V^\top|\|_F` with inner dimension :math:`k` (Higham (2002), section 3.5), added here.

    Raises
    ------
    DomainError : entries that are not finite, or not a matrix.
    """
    A = np.asarray(W, dtype=np.float64)
    if A.ndim != 2 or not A.size or not np.isfinite(A).all():
        raise DomainError(f"W of shape {A.shape}", required="a non-empty matrix of finite entries")
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    k = len(s)
    slop = 4 * (k + max(A.shape) + 4) * _U
    lost = np.linalg.norm(A - (U * s) @ Vt) + slop * np.linalg.norm(np.abs(U * s) @ np.abs(Vt))
    skew = [np.linalg.norm(Q.T @ Q - np.eye(k)) + slop * np.linalg.norm(np.abs(Q.T) @ np.abs(Q)) for Q in (U, Vt.T)]
    return float((s[0] * math.sqrt((1 + skew[0]) * (1 + skew[1])) + lost) * (1 + 16 * _U))


def gru_lipschitz(w: Any, W_hh: Any, b_hh: Any) -> float:
    r"""Return a Lipschitz constant of :math:`h\mapsto\langle w,\operatorname{GRU}(h,z)\rangle` on the unit cube.

    .. math:: \|w\|\Bigl(1+\tfrac12\|W_{hz}\|+\|W_{hn}\|
              +\tfrac14\max_k(\|W_{hn,k}\|_1+|b_{hn,k}|)\,\|W_{hr}\|\Bigr)

    by the product rule for :math:`h'=(1-z)\odot n+z\odot h`: the gates lie in :math:`(0,1)` with slope at most
    :math:`\frac14`, :math:`|h-n|\le2`, and :math:`\tanh` has slope at most 1.

    Parameters
    ----------
    w, W_hh, b_hh : the read-out ``(h,)`` and PyTorch's stacked recurrent weights ``(3h, h)`` and biases ``(3h,)``, in
        the order reset, update, new.
    """
    W, b = np.asarray(W_hh, dtype=np.float64), np.asarray(b_hh, dtype=np.float64)
    reset, update, new = np.split(W, 3)
    reach = float(np.max(np.abs(new).sum(1) + np.abs(np.split(b, 3)[2])))
    slope = 1 + spectral_norm(update) / 2 + spectral_norm(new) + reach / 4 * spectral_norm(reset)
    return _scaled(w, slope)


def lstm_lipschitz(w: Any, W_hh: Any, steps: int) -> float:
    r"""Return a Lipschitz constant of :math:`(h,c)\mapsto\langle w,h'\rangle`, ``h'`` the output of an LSTM cell.

    .. math:: \|w\|\sqrt{1+\bigl(\tfrac14\|W_{ho}\|+\tfrac C4\|W_{hf}\|+\tfrac14\|W_{hi}\|+\|W_{hg}\|\bigr)^2}

    for :math:`h'=o\odot\tanh(f\odot c+i\odot g)`; after ``C`` steps from 0 the cell has :math:`\|c\|_\infty\le C`.

    Parameters
    ----------
    w, W_hh : the read-out ``(h,)`` and PyTorch's stacked recurrent weights ``(4h, h)``: input, forget, cell, output.
    steps : ``C``, the largest number of tokens a state has seen.
    """
    entry, forget, cell, out = (spectral_norm(part) for part in np.split(np.asarray(W_hh, dtype=np.float64), 4))
    return _scaled(w, math.hypot(1.0, out / 4 + steps * forget / 4 + entry / 4 + cell))


def _scaled(w: Any, slope: float) -> float:
    # a norm of k doubles is off by a factor of at most 1 + (k + 4) u
    w = np.asarray(w, dtype=np.float64)
    return float(np.linalg.norm(w) * slope * (1 + (w.size + 16) * _U))


def slack(
    moments: Sequence[Any], error: Any, *, N: int, lipschitz: Any, eta: Any, payloads: int | None = None
) -> Enclosure:
    r"""Return :math:`R(\lambda,\eta^2)-(N-1)\log^+\frac1{\sqrt{c'}+\Lambda\eta}` at the ambient precision, in nats.

    Where :math:`\sqrt{c'}+\Lambda\eta\ge1` nothing is asked for and the slack is the rate itself.

    Parameters
    ----------
    moments, error : :math:`\lambda_i\ge0` and :math:`c\ge0`, exact.
    N, lipschitz, eta : length, :math:`\Lambda` and the resolution :math:`\eta>0`, exact.
    payloads : in place of ``N - 1``.
    """
    m = N - 1 if payloads is None else payloads
    rest = Enclosure(Fraction(error) * N / (N - 1)).sqrt() + Fraction(lipschitz) * Fraction(eta)
    return water_filling(moments, Fraction(eta) ** 2) + minimum([rest, Enclosure(1)]).log() * m


def least_slack(moments: Sequence[Any], error: Any, etas: Sequence[Any], **network: Any) -> Enclosure:
    """Return the least :func:`slack` over the resolutions, at the ambient precision."""
    return minimum([slack(moments, error, eta=eta, **network) for eta in etas])


SHARES = tuple(Fraction(k, 20) for k in (1, 2, 4, 8, 12, 16))


def resolutions(lipschitz: Fraction) -> list[Fraction]:
    r"""Return resolutions :math:`\eta` with :math:`\Lambda\eta\in\{0.05,0.1,0.2,0.4,0.6,0.8\}`.

    The inequality holds for every resolution; a grid fixed before anything is drawn is enough to refute it.
    """
    return [share / lipschitz for share in SHARES]
