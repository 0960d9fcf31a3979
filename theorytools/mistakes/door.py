"""The one door to what a mistake means: the command line, pytest and notebooks say errors of checks through it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from theorytools.claims.papers.syntax import Entry
from theorytools.errors import CheckError, TheoryError
from theorytools.mistakes import fields, formulas, functions
from theorytools.mistakes.seen import Seen, read_parts, seen
from theorytools.mistakes.source import Source

_SYNTAX = re.compile(r"(?P<file>[^:]+): (?P<why>.*) \(line (?P<line>\d+)\)", re.DOTALL)
_RULES = (*fields.rules(), *formulas.rules(), *functions.rules())


def explained(entry: Entry, error: TheoryError) -> TheoryError:
    """Return what an error of a check means, with the line of the mistake and what to write; else the error itself.

    Parameters
    ----------
    entry : the claim that could not be judged.
    error : what the engine said.
    """
    try:
        found = seen(Source(entry.path), entry.name, error)
    except SyntaxError:
        return _unread(entry, error)
    except (ValueError, OSError):
        return error
    if found.elsewhere or not (isinstance(error, CheckError) or found.line):
        return error
    for rule in _RULES:
        if (told := rule(found)) is not None:
            return found.said(told)
    return _located(found, error)


def _located(found: Seen, error: TheoryError) -> TheoryError:
    """The error with the line of the claim's part that it is about, where it names none."""
    if found.line is not None:
        return found.tidied()
    if not found.given.startswith(("claim ", f"{found.source.path.name}: the claim ")):
        return error
    at = fields.field_of(found)
    return error if at is None else found.located(at)


def _unread(entry: Entry, error: TheoryError) -> TheoryError:
    """The error of a file that Python cannot read, with its line."""
    found = _SYNTAX.fullmatch(error.given)
    if found is None:
        return error
    line = entry.path.read_text(encoding="utf-8", errors="replace").splitlines()[int(found["line"]) - 1].strip()
    return CheckError(
        f"{found['file']}, line {found['line']}: {line}", required="a file that Python can read", why=found["why"],
        advice="mend this line, or the one above it: a bracket or a quote that was not closed is seen later",
    )  # fmt: skip


def explained_text(entry: Entry, text: str) -> str:
    """Return the text of an error with what it means, as :func:`explained` does."""
    parts = read_parts(text)
    if not parts["required"] and not parts["why"] and not parts["try"]:
        return text
    error = CheckError(parts["given"], required=parts["required"], why=parts["why"], advice=parts["try"])
    told = explained(entry, error)
    return text if told is error else str(told)


@contextlib.contextmanager
def explaining(entry: Entry) -> Iterator[None]:
    """Raise in place of an error of this check what it means."""
    try:
        yield
    except CheckError as error:
        told = explained(entry, error)
        if told is error:
            raise
        raise told from error
