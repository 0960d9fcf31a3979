"""The one door to what a mistake means: the command line, pytest and notebooks say errors of checks through it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from theorytools.claims.papers.syntax import Entry, read_entries
from theorytools.errors import CheckError, DomainError, TheoryError
from theorytools.mistakes import fields, formulas, functions
from theorytools.mistakes.seen import Seen, read_parts, seen
from theorytools.mistakes.source import Source

_SYNTAX = re.compile(r"(?P<file>[^:]+): (?P<why>.*) \(line (?P<line>\d+)\)", re.DOTALL)
_ID = re.compile(r"the id '(?P<paper>[a-z]\w*)\.(?P<stem>\w+)[\w.]*'")
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
    if found.elsewhere:
        return _beside(entry, found, error)
    if not (isinstance(error, CheckError) or found.line):
        return error
    for rule in _RULES:
        if (told := rule(found)) is not None:
            return found.said(told)
    return _located(found, error)


def _beside(entry: Entry, found: Seen, error: TheoryError) -> TheoryError:
    """What an error means that stands in another file of the paper, such as its notation."""
    for folder in dict.fromkeys((entry.path.parent, entry.folder)):
        file = folder / found.file
        try:
            other = seen(Source(file), entry.name, error) if file.is_file() else None
        except (SyntaxError, ValueError, OSError):
            return error
        told = next((told for rule in _RULES if (told := rule(other)) is not None), None) if other else None
        if other and told:
            return other.said(told)
    return error


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


def unlisted(error: TheoryError) -> TheoryError:
    """Return what an unknown id means where its file is there: no paper beside it, or no claim in it.

    Parameters
    ----------
    error : what was raised; any other error is returned as it is.
    """
    id = _ID.fullmatch(error.given)
    if id is None:
        return error
    roots = ["checks", *error.why.removeprefix("it was looked up in ").split(" and ")]
    for folder in (Path(root) / id["paper"] for root in roots):
        file = next((f for f in (folder / f"{id['stem']}.py", folder / id["stem"] / f"{id['stem']}.py") if f.is_file()),
                    None)  # fmt: skip
        if file is not None and not (folder / "paper.toml").is_file():
            return DomainError(
                f"{file}, and no {folder / 'paper.toml'}", required="a paper.toml in the folder of a paper",
                why="a check is found by its place, and that file says that the folder is a paper",
                advice=f"theorytools new {id['paper']} {id['stem']}_2 writes it, with a notation.py and a check",
            )  # fmt: skip
        if file is not None and not read_entries(file):
            return DomainError(
                f"{file}, which makes no claim", required="claim = Claim(…) at the left margin",
                why="claims are listed without running the file",
                advice=f"theorytools new {id['paper']} {id['stem']}_2 writes one that runs, to compare with",
            )  # fmt: skip
    return error


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
