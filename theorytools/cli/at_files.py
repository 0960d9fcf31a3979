"""``--at N=@file``: the values of one letter from a file, a table or an array."""

from __future__ import annotations

import json as json_module
from fractions import Fraction
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError

MOST_VALUES = 10_000


def from_file(name: str, path: Path) -> list[Any]:
    """Return the values that a file holds for one letter: ``--at rho=@rho.txt``, one point after the other.

    A text or ``.csv`` has numbers or words between commas, blanks or line ends, ``#`` beginning a comment; ``.json`` a
    list, its numbers by their digits; ``.npy`` an array of integers, or of floats, each of which is the binary
    fraction that it is.

    Parameters
    ----------
    name : the letter.
    path : the file.

    Raises
    ------
    DomainError : a file that cannot be read, that holds no value or more than 10 000, or no finite numbers.
    """
    try:
        values = _values(path)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise DomainError(
            f"--at {name}=@{path}: {said}", required="a file of numbers or words: text, .csv, .json or .npy",
            why="each of them is one value of the letter", advice=f"one on a line, such as 1/3; or --at {name}=1/3,1/2",
        ) from None  # fmt: skip
    if not 0 < len(values) <= MOST_VALUES:
        raise DomainError(f"--at {name}=@{path} with {len(values)} values", required=f"1 to {MOST_VALUES} of them")
    return values


def _values(path: Path) -> list[Any]:
    if path.suffix == ".npy":
        import numpy as np

        array = np.load(path, allow_pickle=False)
        if array.dtype.kind not in "iuf" or (array.dtype.kind == "f" and not np.isfinite(array).all()):
            raise ValueError(f"an array of type {array.dtype}, or with a number that is not finite")
        return [Fraction(value) for value in array.ravel().tolist()]
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        data = json_module.loads(text, parse_float=str, parse_int=str)
        if not isinstance(data, list) or not all(isinstance(value, str) for value in data):
            raise ValueError("not a list of numbers or words")
        return data
    lines = (line.partition("#")[0] for line in text.splitlines())
    return [value for line in lines for value in line.replace(",", " ").split()]
