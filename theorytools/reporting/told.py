"""Names from files that may be somebody else's, as they are told on a terminal: in one line, and nothing is obeyed."""

from __future__ import annotations

from collections.abc import Sequence

LONGEST = 300  # signs of one thing that is told


def shown(text: str) -> str:
    r"""Return a text in one line, with every sign that a terminal might obey, or not show, as its escape.

    Examples
    --------
    >>> print(shown("a\x1b[2Jb\nc"))
    a\x1b[2Jb\nc
    """
    told = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
    return told if len(told) <= LONGEST else f"{told[: LONGEST - 1]}…"


def few(names: Sequence[str]) -> str:
    """Return the first three names, and how many more there are."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(map(shown, names[:3]))}{more}"
