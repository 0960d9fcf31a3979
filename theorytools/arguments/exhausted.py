"""Errors of Python and of packages that mean "too large for this machine", as the error that says so."""

from __future__ import annotations

import re

from theorytools.arguments.amounts import memory
from theorytools.errors import BudgetError

# of numpy, "Unable to allocate 7.28 TiB for an array …", and of torch, "you tried to allocate 2400000000000 bytes"
_SIZE = re.compile(r"allocate (\d[\d.]*) (bytes|[KMGTPE]i?B)")
_TOO_LARGE = re.compile(
    r"can't allocate memory|array is too big|Maximum allowed (?:dimension|size) exceeded|"
    r"Storage size calculation overflowed|negative dimensions are not allowed"
)
_TOO_LONG = re.compile(r"Exceeds the limit \(\d+ digits\)")
_NO_INDEX = re.compile(r"cannot fit 'int' into an index-sized integer|Python int too large to convert to C")


def exhausted(error: BaseException) -> BudgetError | None:
    """Return the ``BudgetError`` that says what gave out, None for an error of another kind.

    Memory that numpy or torch was refused, with its size; integers too long for Python to print or to index with;
    recursion too deep.

    Parameters
    ----------
    error : what was raised.

    Examples
    --------
    >>> print(exhausted(MemoryError("Unable to allocate 7.28 TiB for an array with shape (1000000, 1000000)")))
    given:    an array of 7.28 TiB
    required: arrays that memory holds
    try:      a smaller size
    >>> exhausted(ValueError("no root in this interval"))
    """
    if isinstance(error, BudgetError):
        return error
    text, given = str(error), ""
    size = _SIZE.search(text)
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError | ValueError) and _TOO_LARGE.search(text)):
        given = f"an array of {_bytes(size)}" if size else "an array of unknown size"
        return BudgetError(given, required="arrays that memory holds", advice="a smaller size")
    if isinstance(error, ValueError) and _TOO_LONG.search(text):
        given = "a number of more digits than Python prints"
    elif isinstance(error, OverflowError) and _NO_INDEX.search(text):
        given = "a size of more than 64 bits"
    elif isinstance(error, RecursionError):
        given = "steps inside one another, more than Python follows"
    return BudgetError(given, required="a size that can be computed", advice="a smaller size") if given else None


def _bytes(size: re.Match[str]) -> str:
    return memory(float(size[1])) if size[2] == "bytes" else f"{size[1].rstrip('.')} {size[2]}"
