r"""Look-ups as blocks: attention between words, whose scores are a table and whose values are handed on unchanged.

Words are unit vectors, so a table of scores is the matrix of a bilinear form, :math:`G_{ab}` the score of the words
``a`` and ``b``, and the mean of words that positions hold is the vector of their shares.  The codes of a construction
are a gauge: they enter by their products alone.

A construction keeps its exact numbers and has a network of these blocks beside them, in the form that traced modules
have: what bounds a traced network bounds a constructed one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theorytools.blocks.network import Activation, Attention, Head, Map
from theorytools.numbers.boxes import Box, exact


def copied(name: str, width: int) -> Map:
    """Return the map that hands a field on as it is; ``width`` is the field's."""
    return Map({name: exact(np.eye(width))}, exact(np.zeros(width)))


def looked_up(out: str, table: Box, value: Map, *slots: tuple[str, str]) -> Attention:
    """Return attention with a head for each pair of slots, the query's and the key's, all with one table of scores.

    Parameters
    ----------
    out : the field that is written, the heads one behind the other.
    table : scores with their scale, shape ``(words of the query, words of the key)``.
    value : what is averaged.
    slots : for each head the names of the fields of words that are compared.
    """
    return Attention(out, tuple(Head({pair: table}, value) for pair in slots))


def relu_head(of: str, a: Any, W: Any, b: Any) -> tuple[Activation, Map]:
    r"""Return the units of :math:`a^\top\sigma(Wv+b)`, ``v`` the field ``of``, and the map that reads them out."""
    return Activation("units", "relu", Map({of: exact(W)}, exact(b))), Map({"units": exact([a])}, exact([0.0]))
