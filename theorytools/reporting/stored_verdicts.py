"""The ``verdicts/`` of a report, as all who read it read it: whole, of the schema, and saying no more than their rows.

A file that is none of these costs one line on standard error, which names it and says why, and is shown nowhere.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from theorytools.claims.judging.content_digest import intact
from theorytools.claims.judging.inputs import ImportTable
from theorytools.claims.judging.supported import unsupported
from theorytools.claims.judging.verdict import SCHEMA
from theorytools.closed_folder import ClosedFolder, strict_json
from theorytools.content_cache import Kept, keep
from theorytools.errors import DomainError
from theorytools.reporting import shape
from theorytools.reporting.told import few, shown

Verdict = dict[str, Any]
LARGEST = 1 << 24  # bytes: fifty times the largest verdict of the papers here
MOST = 20  # lines on verdicts that are contradicted
CONTRADICTED = "contradicted: "
NAME = re.compile(r"[^./\\:\0][^/\\:\0]*\.json")
_SCHEMA = Path(__file__).with_name("verdict.schema.json")
_SOUND = Kept("sound", [__file__, shape.__file__, _SCHEMA])


class StoredVerdicts:
    """The stored verdicts of one report folder; nothing is written.

    Parameters
    ----------
    place : the folder that holds ``verdicts/``.
    table : what files import, where the caller has read it already.
    below : the folder in it that holds the verdicts.
    """

    def __init__(self, place: ClosedFolder, table: ImportTable | None = None, below: str = "verdicts") -> None:
        self.place, self.below, self._table, self._judge = place, below, table, ""

    def names(self) -> list[str]:
        """Return the names of the files that may be verdicts, in order; none, and a line, where a link is in place."""
        try:
            found = self.place.names(self.below)
        except (OSError, DomainError) as error:
            said = error.given if isinstance(error, DomainError) else str(error)
            sys.stderr.write(f"no verdict is taken from {self.place.path / self.below}: {shown(said)}\n")
            return []
        return [name for name in found if name.endswith(".json")]

    def read(self, name: str, *, named: bool = True) -> tuple[Verdict | None, str]:
        """Return the verdict in a file, or None and what is wrong with it; nothing is wrong where there is none.

        It is a file of its own, strict JSON of the schema, has its digest, and follows from its rows; of the same
        bytes, by the same code, that is found out once.  With ``named`` it also bears the name that a run gives it.
        """
        try:
            text = self.place.read(f"{self.below}/{name}" if self.below else name, most=LARGEST)
            verdict = strict_json(text)
        except FileNotFoundError:
            return None, ""
        except DomainError as error:
            return None, f"{error.given}; required: {error.required}"
        except (OSError, ValueError) as error:
            return None, str(getattr(error, "strerror", None) or error)
        if not isinstance(verdict, dict) or verdict.get("schema") != SCHEMA:
            return None, f"no {SCHEMA}"
        key = hashlib.sha256(f"{hashlib.sha256(text).hexdigest()} {self._code()}".encode()).hexdigest()
        if said := _SOUND.get(key, lambda: fault(text)):
            return None, str(said)
        if named and name != name_of(verdict):
            return None, f"a copy of {name_of(verdict)}"
        return verdict, ""

    def _code(self) -> str:
        """The digest of all code by which a verdict is found to be sound."""
        if not self._judge:
            table = self._table or ImportTable()
            nodes = [
                n for f in (unsupported, intact) for n in table.reached.named(Path(f.__code__.co_filename), f.__name__)
            ]
            self._judge = hashlib.sha256("\n".join(sorted(table.reached.of(nodes))).encode()).hexdigest()
        return self._judge

    def all(self) -> Iterator[Verdict]:
        """Yield the sound verdicts in the order of their files, and then say which files are none."""
        wrong: list[tuple[str, str]] = []
        for name in self.names():
            verdict, said = self.read(name)
            if verdict is not None:
                yield verdict
            elif said:
                wrong.append((name, said))
        keep()
        say_left(self.place.path / self.below, wrong)


def fault(text: bytes) -> str:
    """Return what is wrong with the text of a verdict, or nothing."""
    try:
        verdict = strict_json(text, once=True)
        if said := _is_verdict()(verdict):
            return f"it is not of the schema: {said.lstrip('/: ')}"
        if verdict["source"]["paper"] != verdict["id"].partition(".")[0]:
            return f"a verdict of {verdict['id']} from the paper {verdict['source']['paper']}"
        if not intact(verdict):
            return "its digest is not that of its content"
        return f"{CONTRADICTED}{said}" if (said := unsupported(verdict)) else ""
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        return f"it cannot be read: {type(error).__name__}: {error}"


@cache
def _is_verdict() -> shape.Test:
    return shape.shape(strict_json(_SCHEMA.read_bytes()))


def name_of(verdict: Mapping[str, Any]) -> str:
    """Return the name of the file that a run writes a verdict to: its id, and its axes where they are a user's."""
    point = ",".join(str(verdict["command"]).split(" --at ")[1:]).replace("/", "over")
    return f"{verdict['id']}{'@' + point if point else ''}.json"


def say_left(folder: Path, wrong: Sequence[tuple[str, str]]) -> None:
    """Say which files are left out and why: a line for each verdict that its rows contradict, one for all others."""
    against = [(name, said) for name, said in wrong if said.startswith(CONTRADICTED)]
    for name, said in against[:MOST]:
        sys.stderr.write(f"not shown, {folder / shown(name)} is {shown(said)}\n")
    if len(against) > MOST:
        sys.stderr.write(f"not shown, {len(against) - MOST} more verdicts in {folder} are contradicted by their rows\n")
    strange = [f"{name} ({said})" for name, said in wrong if not said.startswith(CONTRADICTED)]
    if strange:
        sys.stderr.write(f"left alone in {folder}, no verdicts as a run writes them there: {few(strange)}\n")


def stored_verdicts(folder: Path) -> dict[str, Verdict]:
    """Return the sound verdicts in the folder ``verdicts`` of a report by id; those at a user's points are left out."""
    found = StoredVerdicts(ClosedFolder(folder.parent), below=folder.name)
    return {v["id"]: v for v in found.all() if not v["user_points"]}
