"""What a command writes, made visible: no control character of a title, an id or a message reaches a terminal.

Everything that a command prints goes through the two streams that :func:`escaping` puts in place.  What rich paints by
itself (colours, a bar, help) goes past them, so whoever hands it a text of a check makes that visible first.
"""

from __future__ import annotations

import codecs
import contextlib
import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from theorytools.errors import DomainError
from theorytools.shown import HIDDEN, visible

_PLAIN = {
    "×": "x", "…": "...", "–": "-", "—": "-", "≤": "<=", "≥": ">=", "≠": "!=", "−": "-", "±": "+-", "∞": "inf",
    "·": "*", "√": "sqrt ", "∈": "in", "→": "->", "↦": "->", "⇒": "=>", "⇔": "<=>", "≈": "~", "∼": "~", "∑": "sum",
    "∏": "prod", "‖": "||", "⟨": "<", "⟩": ">", "⌈": "ceil(", "⌉": ")", "⌊": "floor(", "⌋": ")", "⊤": "T", "′": "'",
    "’": "'", "‘": "'", "“": '"', "”": '"', "∀": "for all ", "∃": "there is ", "∪": "or", "∩": "and", "∧": "and",
    "∨": "or", "¬": "not ", "≪": "<<", "≫": ">>", "≲": "<~", "≳": ">~", "≍": "~", "ϵ": "epsilon", "ϕ": "phi",
    "ϑ": "theta", "ϱ": "rho", "𝟙": "1", "𐞥": "^q", "∘": "o", "⋆": "*", "⋯": "...",
}  # fmt: skip


def ascii_sign(sign: str) -> str:
    """Return a sign in signs of ASCII: ``beta`` for a Greek letter, ``_2`` and ``^2`` for small numbers, else ``?``.

    Parameters
    ----------
    sign : one sign.
    """
    if sign in _PLAIN:
        return _PLAIN[sign]
    name = unicodedata.name(sign, "")
    if greek := re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", name):
        return greek[2].lower() if greek[1] == "SMALL" else greek[2].capitalize()
    kind = unicodedata.decomposition(sign).partition(" ")[0]
    parts = unicodedata.normalize("NFKD", sign)
    plain = "".join(part if part.isascii() else _PLAIN.get(part, "") for part in parts)
    mark = {"<super>": "^", "<sub>": "_"}.get(kind, "")
    return mark + plain if plain else "" if name.startswith("COMBINING") else "?"


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Write what a terminal's encoding lacks in signs that it has."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(ascii_sign, error.object[error.start : error.end])), error.end


codecs.register_error("plain", _plain)


def encodable(text: str) -> str:
    """Return a text in signs that standard output has, so that it is as wide as it will be."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return "".join(sign if sign.isascii() else ascii_sign(sign) for sign in text)
    return text


class Shown:
    """A stream of text that shows control characters in place of sending them.

    Parameters
    ----------
    stream : where the text goes.
    """

    def __init__(self, stream: Any) -> None:
        self.rich_proxied_file = stream  # the name by which rich finds the stream that it may paint on

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)

    def write(self, text: str) -> int:
        """Write a text, made visible; return its length."""
        self.rich_proxied_file.write(visible(text))
        return len(text)

    def writelines(self, lines: Sequence[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Write out what is buffered."""
        self.rich_proxied_file.flush()


def _shown(stream: Any) -> Any:
    """The stream, made visible; on a terminal of a kind that a bar of rich leaves in its place."""
    if stream is None or not stream.isatty():
        return stream and Shown(stream)
    from rich.file_proxy import FileProxy

    return type("ShownOnTerminal", (Shown, FileProxy), {})(stream)


@contextlib.contextmanager
def escaping() -> Iterator[None]:
    """Let nothing that is printed inside reach standard output or standard error but visible."""
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(_shown, kept)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = kept


def refuse_hidden(words: Sequence[str]) -> None:
    """Refuse a word of a command that holds a character which no terminal shows; ``DomainError``."""
    for word in words:
        if (found := HIDDEN.search(word)) is not None:
            raise DomainError(
                f"the word {word!r}", required="words of characters that are shown", advice="rename that file or id",
                why=f"{found[0]!r} is obeyed by a terminal, or changes how a line reads",
            )  # fmt: skip
