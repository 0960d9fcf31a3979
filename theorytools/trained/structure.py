r"""How near trained weights are to the construction's: what is left after its symmetries are taken out.

The construction's heads have :math:`G_h=\alpha I` in the block that compares an index slot of the query with the own
code of the key, and its read-out sees the retrieved tokens alone.  Permuting heads, an invertible map between queries
and keys or between values and read-out, and terms that no softmax sees do not change the function: heads are matched by
the slot that they read, and distances are taken between the products :math:`G_h` and :math:`A_h`, without the columns
of the ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from theorytools.notebook import fields_html
from theorytools.trained.layer import Array, TrainedLayer


@dataclass(frozen=True)
class Structure:
    r"""Shares of squared Frobenius norms, in doubles: a description, no bound.

    Attributes
    ----------
    beta : for each head the inverse temperature whose scores :math:`\beta\langle\omega_t,\omega_j\rangle` are nearest
        to those of its block, up to what no softmax sees.
    fit : for each head what part of the block's scores these explain.
    block : for each head the part of the weights that lies in the construction's block.
    identity : for each head the part that a multiple of the identity there explains.
    readout : the part of the read-out's weights that sees tokens; None without a read-out.
    """

    beta: tuple[float, ...]
    fit: tuple[float, ...]
    block: tuple[float, ...]
    identity: tuple[float, ...]
    readout: float | None

    _repr_html_ = fields_html

    @property
    def distance(self) -> tuple[float, ...]:
        """For each head the distance to the nearest construction over the length of the weights."""
        return tuple(float(np.sqrt(max(0.0, 1 - share))) for share in self.identity)


def structure(layer: TrainedLayer, reads: Sequence[int]) -> Structure:
    """Return how near a layer is to the construction whose heads read these slots, from 1."""
    K = layer.codes @ layer.codes.T
    unit = float(np.diag(K).mean())
    gram = _centred(K / unit)
    rows = [_head(layer, h, slot, gram) for h, slot in enumerate(reads)]
    beta, fit, block, identity = zip(*rows, strict=True)
    if layer.units is None:
        return Structure(beta, fit, block, identity, None)
    weighted = [layer.last[:, None] * A.mid[:, :-1] for A in layer.units]
    whole = sum(float((A**2).sum()) for A in weighted)
    seen = sum(float((A[:, layer.parts[-1]] ** 2).sum()) for A in weighted)
    return Structure(beta, fit, block, identity, seen / whole if whole else 0.0)


def _head(layer: TrainedLayer, h: int, slot: int, gram: Array) -> tuple[float, float, float, float]:
    B, whole = layer.block(h, slot, 0).mid, layer.scores[h].mid[:, :-1]
    scores = _centred(layer.codes @ B @ layer.codes.T)
    inner, size = float((scores * gram).sum()), float((scores**2).sum())
    square, norm = float((gram**2).sum()), float((whole**2).sum())
    if not norm or not size:
        return 0.0, 0.0, 0.0, 0.0
    identity = float(np.trace(B)) ** 2 / len(B)
    return inner / square, inner**2 / (square * size), float((B**2).sum()) / norm, identity / norm


def _centred(scores: Array) -> Array:
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))


def construction_leakage(codes: Array, beta: float) -> float:
    """Return, in doubles, what the construction on these codes leaks at an inverse temperature."""
    K = codes @ codes.T
    gaps = beta * (K - np.diag(K)[:, None]) / float(np.diag(K).mean())
    np.fill_diagonal(gaps, -np.inf)
    S = np.exp(np.minimum(gaps, 700.0)).sum(1).max()
    return float(S / (1 + S))


def coherence(codes: Array) -> float:
    """Return the largest cosine between two codes, in doubles."""
    unit = codes / np.linalg.norm(codes, axis=1, keepdims=True)
    K = unit @ unit.T
    np.fill_diagonal(K, -np.inf)
    return float(K.max())
