"""Files of TOML beside checks, which anybody may have written: bounded in size, depth and numbers, and typed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from theorytools.files import read_regular

LARGEST = 1_000_000  # bytes; the largest of the library's papers has 54 000
DEEPEST = 16  # tables and lists inside one another
KINDS = {str: "a text", int: "an integer", dict: "a table"}


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a TOML file and what it says.

    Raises
    ------
    OSError : if it cannot be read.
    ValueError : if it is no file, larger than 1 MB, no UTF-8, no TOML, nested more than 16 deep, or holds an integer
        of more than 64 bits, which TOML does not have and which Python may refuse to print.
    """
    text = read_regular(path, LARGEST).decode("utf-8").replace("\r\n", "\n")
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    waiting: list[tuple[Any, int]] = [(data, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} deep")
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError("an integer of more than 64 bits")
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        waiting += [(one, depth + 1) for one in inner]
    return text, data


def require_types(data: Any, shape: Any) -> None:
    """Refuse what is of another type than a file's tables have; keys that the shape does not name may be anything.

    Parameters
    ----------
    data : a file's value.
    shape : ``str``, ``int`` or ``dict``; a list of one shape; or a mapping of keys to shapes, ``*`` for all keys.

    Raises
    ------
    ValueError : with the place of the first value of another type.
    """
    for place, value, wanted in _unlike(data, shape, ""):
        raise ValueError(f"{place or 'the file'} = {str(value)[:80]}, which is not {wanted}")


def _unlike(data: Any, shape: Any, place: str) -> Iterator[tuple[str, Any, str]]:
    if isinstance(shape, list):
        if not isinstance(data, list):
            yield place, data, "a list"
            return
        for number, one in enumerate(data, 1):
            yield from _unlike(one, shape[0], f"{place}[{number}]")
    elif isinstance(shape, Mapping):
        if not isinstance(data, dict):
            yield place, data, "a table"
            return
        for key, one in data.items():
            if (inner := shape.get(key, shape.get("*"))) is not None:
                yield from _unlike(one, inner, f"{place}.{key}".lstrip("."))
    elif not isinstance(data, shape) or isinstance(data, bool):
        yield place, data, KINDS[shape]
