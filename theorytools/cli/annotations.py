"""Verdicts as annotations of GitHub: what is not as expected, at the line of its file where the claim begins."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from theorytools.claims.papers.catalogue import Entry
from theorytools.claims.papers.lines import line_of
from theorytools.reporting.plain_text import headline

_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _DATA | {":": "%3A", ",": "%2C"}


def marks(
    entries: Iterable[Entry], verdicts: Mapping[str, Mapping[str, Any]], errors: Mapping[str, str]
) -> Iterator[str]:
    """Yield a line of GitHub's for each claim that is not as expected, and one for each remark on a check.

    Parameters
    ----------
    entries : the claims of the run, in order.
    verdicts, errors : by id; a claim that could not be judged has an error.
    """
    for entry in entries:
        if entry.id in errors:
            yield _line("error", entry, line_of(entry), f"{entry.id} could not be judged", errors[entry.id])
        verdict = verdicts.get(entry.id)
        if verdict is None:
            continue
        if not verdict["as_expected"]:
            told = f"{verdict['label']}. Again: {verdict.get('command') or f'theorytools verify {entry.id}'}"
            yield _line("error", entry, line_of(entry), f"{entry.id} {headline(verdict)}", told)
        for remark in verdict.get("remarks") or ():
            line = remark.get("line") or line_of(entry)
            yield _line("warning", entry, line, f"{entry.id}, {remark['instrument']}", str(remark["text"]))


def _line(level: str, entry: Entry, line: int, title: str, text: str) -> str:
    """One command of a workflow; a line break or a comma of the text can neither end it nor begin another one."""
    place = entry.path.resolve()
    file = os.path.relpath(place) if place.is_relative_to(Path.cwd().resolve()) else str(place)
    told = {"file": file.replace(os.sep, "/"), "line": str(line), "title": title}
    return f"::{level} {','.join(f'{name}={_safe(value, _PROPERTY)}' for name, value in told.items())}::{_safe(text)}"


def _safe(text: str, signs: Mapping[str, str] = _DATA) -> str:
    return "".join(signs.get(sign, sign) for sign in text)
