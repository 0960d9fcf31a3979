"""What the torch modules of the constructions refuse: symbols, strings and devices that do not fit."""

from __future__ import annotations

from typing import Any

from theorytools.errors import DomainError
from theorytools.optional import require

torch = require("torch")


def placed(dtype: torch.dtype | None, device: str) -> dict[str, Any]:
    """Return the type (float64 unless one is given) and the device of a module's tensors.

    Raises
    ------
    DomainError : a device that torch does not know or that this machine does not have, or integers.
    """
    if dtype is not None and not dtype.is_floating_point:
        raise DomainError(f"dtype = {dtype}", required="a type of floats", why="weights are floats")
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        why = str(error).strip().partition("\n")[0]
        raise DomainError(
            f"device = {device!r}", required="a device of this machine", why=why, advice="'cpu', or 'cuda' with a GPU"
        ) from None
    return {"dtype": torch.float64 if dtype is None else dtype, "device": device}


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
