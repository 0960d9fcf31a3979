"""Weights of the network that stores one number per position: writer and read-outs, integers for integer links.

Layers are pairs (weights, biases); all but the last one are followed by a ReLU.  Inputs are the encoded tokens
:math:`z=(x,s_i,s_t)` of :class:`~theorytools.constructions.recurrent.position_tracker.PositionTracker`, in the
read-outs behind the two states.
"""

from __future__ import annotations

import numpy as np

from theorytools.constructions.recurrent.position_tracker import Integers, Numbers

Layers = tuple[tuple[Numbers, Numbers | None], ...]


def feed(v: Numbers, layers: Layers) -> Numbers:
    r"""Return :math:`W_L\sigma(W_{L-1}\cdots\sigma(W_1v+b_1)\cdots+b_{L-1})`, shape ``(…, m)`` for ``(…, D)``."""
    for W, b in layers[:-1]:
        v = np.maximum(v @ W.T + (0 if b is None else b), 0)
    return v @ layers[-1][0].T


def writer_layers(signs: Integers, K: int, u: Numbers) -> Layers:
    r"""Rows :math:`\pm u^\top x+K\langle\omega_k,\omega_i\rangle` on ``z``, biases ``-K``, and their differences."""
    N, d_e = signs.shape
    unit, codes = np.eye(N, dtype=np.int64), (K // d_e) * signs
    rows = [np.hstack([np.tile(s * u, (N, 1)), codes, 0 * codes]) for s in (1, -1)]
    return (np.vstack(rows), np.full(2 * N, -K)), (np.hstack([unit, -unit]), None)


def readout_layers(signs: Integers, K: int, u: Numbers, clip: int | None) -> Layers:
    r"""Return the read-out on (forward, backward, z), of three layers, or four with a clip.

    Layer 1: the sums :math:`\pm(h^\to_k+h^\leftarrow_k)`, the writer on the current token, the code :math:`\pm s_t` of
    the index.  With a clip at ``M``: :math:`\sigma(m_k\pm M)` of the sum :math:`m_k` of stored and current payload,
    whose difference is the clipped :math:`m_k` plus ``M``.  Then the gates
    :math:`\sigma(\pm m_k+K\langle\omega_k,\omega_t\rangle-K)`, and the sum of their differences.
    """
    N, d_e = signs.shape
    gates, unit, codes = np.full(2 * N, -K), np.eye(N, dtype=np.int64), (K // d_e) * signs
    asked, last = np.eye(2 * d_e, dtype=np.int64), (np.repeat([1, -1], N)[None], None)
    first = _first(signs, K, u)
    value = np.hstack([unit, -unit, unit, -unit])  # m_k from the first layer
    if clip is None:
        rows = np.vstack([np.hstack([s * value, codes, -codes]) for s in (1, -1)])
        return first, (rows, gates), last
    none = np.zeros((2 * d_e, 4 * N), dtype=np.int64)
    ends = np.vstack([np.hstack([np.vstack([value, value]), none.T[: 2 * N]]), np.hstack([none, asked])])
    levels = np.concatenate([np.full(N, clip), np.full(N, -clip), np.zeros(2 * d_e, dtype=np.int64)])
    rows = np.vstack([np.hstack([s * unit, -s * unit, codes, -codes]) for s in (1, -1)])
    return first, (ends, levels), (rows, gates - np.repeat([clip, -clip], N)), last


def _first(signs: Integers, K: int, u: Numbers) -> tuple[Numbers, Numbers]:
    (rows, bias), _ = writer_layers(signs, K, u)
    N, d_e = signs.shape
    unit = np.eye(N, dtype=np.int64)
    both = np.vstack([np.hstack([unit, unit]), -np.hstack([unit, unit])])
    width = 2 * N + rows.shape[1]
    index = np.eye(d_e, width, width - d_e, dtype=np.int64)
    sums = np.hstack([both, np.zeros((2 * N, rows.shape[1]), dtype=np.int64)])
    start = np.concatenate([np.zeros(2 * N, dtype=np.int64), bias, np.zeros(2 * d_e, dtype=np.int64)])
    return np.vstack([sums, np.hstack([0 * both, rows]), index, -index]), start


def squared_norm_formula(N: int, d_e: int, u2: int | float, K: int, clip: int | None) -> int | float:
    r"""Return the squared norm of two writers and the read-out, with :math:`w=2N(\lVert u\rVert^2+K^2/d_e+K^2)`.

    .. math:: 2(w+2N)+4N+w+2d_e+2N\Bigl(4+\frac{2K^2}{d_e}+K^2\Bigr)+2N,

    and, clipped at ``M``, :math:`8N+2NM^2+2d_e+2N(2+2K^2/d_e+K^2+M^2)` in place of the term in parentheses.
    """
    codes = K * K // d_e  # d_e divides K
    writer = 2 * N * (u2 + codes + K * K)
    gates = 2 * N * (4 + 2 * codes + K * K)
    if clip is not None:
        gates = 8 * N + 2 * N * clip**2 + 2 * d_e + 2 * N * (2 + 2 * codes + K * K + clip**2)
    return 2 * (writer + 2 * N) + 4 * N + writer + 2 * d_e + gates + 2 * N
