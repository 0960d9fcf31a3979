"""Disputed statements of a paper's folder: ``checks/<paper>/disputes.toml``, who says what, and what is judged of it.

::

    [[dispute]]
    claim = "adam_monotone"                 # the disputed statement, a claim of this folder
    repaired = ["adam_monotone.repaired"]   # its twins that hold
    floats = "adam_monotone.doubles"        # where doubles mislead: the same in doubles, or the claim itself where that
                                            # is about doubles and its twin about exact numbers; may be left out
    statement = "what is said, in one line; may hold $…$"
    by = "who says it: a paper with year and statement, or a project"
    address = "https://…"                   # where it is said or disputed
    read = 2026-11-26                       # the day it was read
    as = "stored copy"                      # what was read
    grid = "before"                         # what was known of a failing point when the grid was chosen
    finding = "what fails and why, one sentence for a reader who knows no theorytools"
    repair = "proof"                        # or "source: …"
    [[unsaid]]                              # a statement that cannot be said with the tool
    statement = "…"                         # by, address, read and as like above
    reason = "why"
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from theorytools.claims.papers.location import check_paths
from theorytools.claims.papers.printed import Place, claim_id, one_word, only_keys, refused
from theorytools.claims.papers.syntax import Entry, read_entries
from theorytools.claims.papers.toml_files import read_toml
from theorytools.errors import CheckError, did_you_mean
from theorytools.files import kept_while_unchanged
from theorytools.meaning import GRIDS, PROVED, READ_AS, SOURCE

FILE = "disputes.toml"
_SAID = ("statement", "by", "address", "read", "as")
_DISPUTE = ("claim", "repaired", "floats", *_SAID, "grid", "finding", "repair")
_UNSAID = (*_SAID, "reason")
_QUOTED = re.compile(r"[“„«\"][^”“»\"]{8,}[”“»\"]")
_EVERYWHERE = timedelta(hours=14)  # where a day begins first


@dataclass(frozen=True)
class Source:
    """A statement with who says it: where it was read, on which day, and as what, a word of ``meaning.READ_AS``."""

    statement: str
    by: str
    address: str
    read: date
    read_as: str


@dataclass(frozen=True)
class Dispute(Source):
    """A disputed statement, the claim that judges it, and its repaired twins.

    ``claim``, ``repaired`` and ``floats`` are ids of claims, ``floats`` empty where there is none; ``grid`` is a word
    of ``meaning.GRIDS``; ``repair`` says where the repaired twins come from.
    """

    claim: str
    repaired: tuple[str, ...]
    floats: str
    grid: str
    finding: str
    repair: str


@dataclass(frozen=True)
class Unsaid(Source):
    """A statement that cannot be said with the tool, and why."""

    reason: str


@dataclass(frozen=True)
class Disputes:
    """What a paper's folder disputes, in the order of its file."""

    disputes: tuple[Dispute, ...] = ()
    unsaid: tuple[Unsaid, ...] = ()


def read_disputes(folder: Path) -> Disputes | None:
    """Return what the folder of a paper disputes, or None where it has no such file.

    Parameters
    ----------
    folder : of the paper, ``checks/<paper>``.

    Raises
    ------
    CheckError : with file and line: a key or word that is not known, a claim that is not there or is named twice, a
        date in the future, a vanished source without a quotation, a statement left out without a reason.
    """
    path = folder / FILE
    if not path.is_file():
        return None
    lines, data = _read(path)
    strange = sorted(data.keys() - {"dispute", "unsaid"})
    if strange:
        raise refused(Place(path, lines, 0), strange[0], data[strange[0]], required="only [[dispute]] and [[unsaid]]",
                      advice=did_you_mean(strange[0], ("dispute", "unsaid")))  # fmt: skip
    claims = _claims(folder)
    disputes = [_dispute(one, place, folder.name, claims) for one, place in _tables(data, "dispute", path, lines)]
    seen = set[str]()
    for found, place in disputes:
        if found.claim in seen:
            raise refused(place, "claim", found.claim, required="a claim that no other table disputes",
                          why="a row of the table is a claim")  # fmt: skip
        seen.add(found.claim)
    unsaid = [_unsaid(one, place) for one, place in _tables(data, "unsaid", path, lines)]
    return Disputes(tuple(found for found, _ in disputes), tuple(unsaid))


@kept_while_unchanged
def _read(path: Path) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    try:
        text, data = read_toml(path)
    except (OSError, ValueError) as error:
        raise CheckError(f"{path}: {error}", required="a TOML file with [[dispute]] and [[unsaid]] tables") from None
    return tuple(text.split("\n")), data


def _tables(
    data: Mapping[str, Any], name: str, path: Path, lines: tuple[str, ...]
) -> list[tuple[Mapping[str, Any], Place]]:
    """The tables of a name, each with its place: that of its heading, the first line where it is written otherwise."""
    listed = data.get(name, [])
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise refused(Place(path, lines, 0), name, listed, required=f"tables [[{name}]]")
    heads = [at for at, line in enumerate(lines) if re.match(rf"\s*\[\[\s*{name}\s*\]\]", line)]
    starts = heads if len(heads) == len(listed) else [0] * len(listed)
    return [(one, Place(path, lines, at)) for one, at in zip(listed, starts, strict=True)]


def _claims(folder: Path) -> dict[str, Entry]:
    """The claims of a folder by id, as their files say without being run."""
    return {entry.id: entry for _, path in check_paths(folder) for entry in read_entries(path)}


def _text(one: Mapping[str, Any], name: str, place: Place, why: str) -> str:
    text = one.get(name)
    if not isinstance(text, str) or not text.strip() or "\n" in text.strip():
        raise refused(place, name, text, required=f'{name} = "…", one line of text', why=why)
    return text.strip()


def _source(one: Mapping[str, Any], place: Place) -> dict[str, Any]:
    said = _text(one, "statement", place, "a reader wants to know what is said")
    by = _text(one, "by", place, "a reader of a dispute asks first who says it")
    address = _text(one, "address", place, "whoever doubts it looks there")
    if not re.fullmatch(r"https?://\S+", address):
        raise refused(place, "address", address, required="an address that begins with https://",
                      why="whoever doubts it looks there")  # fmt: skip
    day, latest = one.get("read"), (datetime.now(UTC) + _EVERYWHERE).date()
    if not isinstance(day, date) or isinstance(day, datetime):
        raise refused(place, "read", day, required="a day, such as 2026-11-26 without quotation marks",
                      why="sources change")  # fmt: skip
    if day > latest:
        raise refused(place, "read", day.isoformat(), required=f"a day until today, {latest}",
                      why="nobody has read it then")  # fmt: skip
    word = _text(one, "as", place, f"what was read: {', '.join(READ_AS)}")
    one_word(one, "as", READ_AS, place)
    if word == "vanished" and not _QUOTED.search(said):
        raise refused(place, "statement", said, required="a quotation in quotation marks",
                      why="the source has vanished, and the statement stands on what is quoted of it",
                      advice="statement = 'it says “…”'")  # fmt: skip
    return {"statement": said, "by": by, "address": address, "read": day, "read_as": word}


def _dispute(one: Mapping[str, Any], place: Place, key: str, claims: Mapping[str, Entry]) -> tuple[Dispute, Place]:
    only_keys(one, _DISPUTE, place)
    claim = _known(_text(one, "claim", place, "a dispute is judged by a claim"), "claim", place, key, claims)
    named = one.get("repaired")
    if not isinstance(named, list) or not named or not all(isinstance(name, str) for name in named):
        raise refused(place, "repaired", named, required='repaired = ["claim.name"], the twins that hold',
                      why="what is wrong is told with what is right")  # fmt: skip
    repaired = tuple(_known(name, "repaired", place, key, claims) for name in named)
    if claim in repaired or len(set(repaired)) < len(repaired):
        raise refused(place, "repaired", named, required="other claims than the disputed one, each once",
                      why="no statement is its own repair")  # fmt: skip
    floats = _known(_text(one, "floats", place, ""), "floats", place, key, claims) if "floats" in one else ""
    grid = _text(one, "grid", place, f"what was known when the grid was chosen: {', '.join(GRIDS)}")
    one_word(one, "grid", GRIDS, place)
    finding = _text(one, "finding", place, "a reader wants to know what fails, and why")
    repair = _text(one, "repair", place, "a repair that nobody proves is a guess")
    if not _repairs(repair):
        raise refused(place, "repair", repair, required='"proof" or "source: …"',
                      why="a repair that nobody proves is a guess")  # fmt: skip
    made = Dispute(**_source(one, place), claim=claim, repaired=repaired, floats=floats, grid=grid, finding=finding,
                   repair=repair)  # fmt: skip
    return made, place


def _repairs(text: str) -> bool:
    """Whether a text says where a repair comes from."""
    return text == PROVED or (text.startswith(SOURCE) and bool(text.removeprefix(SOURCE).strip()))


def _known(name: str, word: str, place: Place, key: str, claims: Mapping[str, Entry]) -> str:
    """The id of a claim of the folder; of a file that cannot be read any claim may be meant."""
    id = claim_id(name, key)
    if id not in claims and not any(one.error and id.startswith(f"{one.id}.") for one in claims.values()):
        short = [one.removeprefix(f"{key}.") for one in claims]
        raise refused(place, word, name, required="a claim of this folder, such as lemma_1 or lemma_1.sharp",
                      why="its verdict is shown", advice=did_you_mean(name, short))  # fmt: skip
    return id


def _unsaid(one: Mapping[str, Any], place: Place) -> Unsaid:
    only_keys(one, _UNSAID, place)
    reason = _text(one, "reason", place, "a statement that is left out without a reason looks forgotten")
    return Unsaid(**_source(one, place), reason=reason)


def disputing(folders: Sequence[Path]) -> dict[str, Disputes]:
    """Return what the papers of these folders dispute by their keys, those without such a file left out.

    Raises
    ------
    CheckError : as :func:`read_disputes` does.
    """
    found = {folder.name: read_disputes(folder) for folder in folders}
    return {key: one for key, one in found.items() if one is not None}
