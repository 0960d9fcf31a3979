"""What the torch modules of this paper refuse: symbols and strings that do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorytools.errors import DomainError
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

else:
    torch = require("torch")


def checked_symbols(words: torch.Tensor, length: int, symbols: int = 2) -> torch.Tensor:
    """Return words ``(n, length)`` of symbols ``0 .. symbols - 1``; ``DomainError`` for any other."""
    if words.ndim != 2 or words.shape[1] != length:
        raise DomainError(
            f"words of shape {tuple(words.shape)}", required=f"shape (n, {length})", why="weights are made for a length"
        )
    whole = not words.is_floating_point() and words.dtype != torch.bool
    if not whole or (words.numel() and not 0 <= int(words.min()) <= int(words.max()) < symbols):
        raise DomainError(f"words of {words.dtype}", required=f"integers from 0 to {symbols - 1}", why="the alphabet")
    return words
