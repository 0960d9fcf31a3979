"""Texts of others, made fit to be shown: control characters visible, and cells of CSV that no program calculates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

# what a terminal obeys, or what changes how a line reads: controls but tab and line end, marks of direction and of
# other lines, signs without a shape, and halves of signs, which no file can hold
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# what a table calculator takes for a formula, at the beginning of a cell or of what it takes for one
_FORMULA = re.compile(r"(^\s*|[;\t\n]\s*)([=+@＝＋－＠-])")
_NUMBER = re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?(/[0-9]+)?")


def visible(text: str) -> str:
    r"""Return text whose control characters, and others that no terminal shows, are written as Python writes them.

    Parameters
    ----------
    text : anybody's.

    Examples
    --------
    >>> print(visible("a \x1b[31mred\x1b[0m title\u202e"))
    a \x1b[31mred\x1b[0m title\u202e
    """
    return HIDDEN.sub(lambda sign: repr(sign[0])[1:-1], text)


def csv_text(lines: Iterable[Sequence[Any]]) -> str:
    """Return lines of cells as CSV; a text that a table calculator would calculate begins with an apostrophe.

    Parameters
    ----------
    lines : texts, numbers and None; numbers, and texts that are numbers, stay as they are.

    Examples
    --------
    >>> print(csv_text([["lemma", "value"], ["=HYPERLINK(A1)", -0.5], ["-1/3", "-x"]]), end="")
    lemma,value
    '=HYPERLINK(A1),-0.5
    -1/3,'-x
    """
    import csv
    import io

    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(map(_cell, line) for line in lines)
    return out.getvalue()


def _cell(value: Any) -> Any:
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    return _FORMULA.sub(r"\1'\2", visible(value))
