"""The torch module of a network, named and not imported: the torch side imports the networks, never the other way."""

from __future__ import annotations

import importlib
from typing import Any

from theorytools.optional import require


def twin(place: str) -> Any:
    """Return what makes the torch module of a network.

    Parameters
    ----------
    place : its module and its name, ``"theorytools.constructions.torch.attention:AttentionModule"``.  A verdict depends
        on what such a text names wherever it stands in code that the claim reaches.

    Raises
    ------
    MissingPackageError : torch is not installed.
    """
    require("torch")
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
