"""``--at N=@file``: the values of one letter from a file, a table or an array."""

from __future__ import annotations

import io
import json as json_module
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError
from theorytools.files import read_regular

MOST_VALUES = 10_000
LARGEST = 4_000_000  # bytes of a file, ten thousand values of 400 digits
LONGEST = 4000  # characters of a value: a number has no more
_NUMBERS = {f"{kind}{size}" for kind in "iuf" for size in (1, 2, 4, 8)}


def from_file(name: str, path: Path) -> list[Any]:
    """Return the values that a file holds for one letter: ``--at rho=@rho.txt``, one point after the other.

    A text or ``.csv`` has numbers or words between commas, blanks or line ends, ``#`` beginning a comment; ``.json`` a
    list, its numbers by their digits; ``.npy`` an array of integers, or of floats of at most 8 bytes, each of which is
    the binary fraction that it is.

    Parameters
    ----------
    name : the letter.
    path : the file; no pipe, no device.

    Raises
    ------
    DomainError : a file that cannot be read, that has more than 4 MB, that holds no value, more than 10 000 or one of
        more than 4000 characters, or no finite numbers.
    """
    try:
        values = _values(path)
        if any(isinstance(value, str) and len(value) > LONGEST for value in values):
            raise ValueError(f"a value of more than {LONGEST} characters")
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
    data = read_regular(path, LARGEST)
    if path.suffix == ".npy":
        return _numbers(data)
    text = data.decode("utf-8")
    if path.suffix == ".json":
        try:
            found = json_module.loads(text, parse_float=str, parse_int=str)
        except RecursionError:
            raise ValueError("nested too deeply") from None
        if not isinstance(found, list) or not all(isinstance(value, str) for value in found):
            raise ValueError("not a list of numbers or words")
        return found
    lines = (line.partition("#")[0] for line in text.splitlines())
    return [value for line in lines for value in line.replace(",", " ").split()]


def _numbers(data: bytes) -> list[Fraction]:
    """The numbers of an array, whose header is held against what follows it before room is made for anything."""
    import numpy as np
    from numpy.lib import format as layout

    file = io.BytesIO(data)
    read = {(1, 0): layout.read_array_header_1_0, (2, 0): layout.read_array_header_2_0}.get(layout.read_magic(file))
    if read is None:
        raise ValueError("an array file of a version other than 1.0 and 2.0")
    shape, _, dtype = read(file)
    count = math.prod(shape)
    if dtype.str[1:] not in _NUMBERS:
        raise ValueError(f"an array of type {str(dtype)[:80]}, where integers or floats of at most 8 bytes are read")
    if not 0 <= count <= MOST_VALUES or min(shape, default=0) < 0 or count * dtype.itemsize != len(data) - file.tell():
        raise ValueError(f"an array of shape {shape} in {len(data) - file.tell()} bytes; at most {MOST_VALUES} values")
    array = np.frombuffer(data, dtype, count, offset=file.tell())
    if dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError("an array with a number that is not finite")
    return [Fraction(value) for value in array.tolist()]
