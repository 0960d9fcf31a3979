"""The archive of a paper: its committed verdicts whole, as they were judged, in one compressed file.

``reports/<paper>.verdicts.xz`` stands beside the compact record and holds lines of text: a sealed head, then one sealed
verdict a line.  The head says what made them, names the digest of each verdict, and the digest of the code and data
that each depends on, which is the same on every machine; versions and processor, which are not, stand in ``made``.
"""

from __future__ import annotations

import datetime
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theorytools.claims.judging.committed_record import checks_digest, write_committed
from theorytools.claims.judging.content_digest import intact, sealed
from theorytools.claims.judging.inputs import ImportTable, code_digest, features, inputs_digest
from theorytools.claims.judging.record import source_commit
from theorytools.claims.judging.versions import versions
from theorytools.claims.papers.catalogue import Entry, Paper
from theorytools.errors import DomainError
from theorytools.files import json_text

SCHEMA = "theorytools.archive/1"
LARGEST = 1 << 29  # bytes of text: more than this is no archive, and might fill the memory
MEMORY = 1 << 27  # bytes that decompressing may take; the preset used here needs half


@dataclass(frozen=True)
class Archive:
    """What a file holds: ``made`` of all, and of each claim its verdict, and the digest of its code and data."""

    made: Mapping[str, Any]
    verdicts: Mapping[str, dict[str, Any]]
    code: Mapping[str, str]


def archive_path(paper: Paper) -> Path | None:
    """Return where the archive of a paper stands, beside its checks; None for checks in a folder of another name."""
    root = paper.folder.parent
    return root.parent / "reports" / f"{paper.key}.verdicts.xz" if root.name == "checks" else None


def committed_files(
    paper: Paper, judged: Sequence[tuple[Entry, Mapping[str, Any]]], table: ImportTable
) -> dict[str, str | bytes]:
    """Return what a project keeps of a paper's verdicts, by file name: the compact record and the archive.

    Parameters
    ----------
    paper : whose claims were judged.
    judged : each claim with its stored verdict.
    table : what files import.

    Raises
    ------
    DomainError
        For a verdict that was judged with other code, data or versions than today's: its digest would be another's.
    """
    commit, dirty = source_commit(paper.folder.parent)
    made = {
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "commit": commit,
        "changed_since": dirty, "checks": checks_digest(paper.folder), "versions": versions(),
        "machine": platform.machine(), "instructions": list(features()[1:]),
    }  # fmt: skip
    code = {}
    for entry, verdict in judged:
        if verdict.get("inputs") != inputs_digest(entry, table, record="record" in verdict):
            raise DomainError(
                f"the verdict of {entry.id}, judged with other code, data or versions",
                required="verdicts of everything as it is", why="the record says by a digest what was judged",
                advice="theorytools verify",
            )  # fmt: skip
        code[entry.id] = code_digest(entry, table, record="record" in verdict)
    verdicts = [verdict for _, verdict in judged]
    return {
        f"{paper.key}.json": write_committed(paper.key, verdicts, made),
        f"{paper.key}.verdicts.xz": write_archive(paper.key, verdicts, made, code),
    }


def write_archive(
    paper: str, verdicts: Sequence[Mapping[str, Any]], made: Mapping[str, Any], code: Mapping[str, str]
) -> bytes:
    """Return the content of an archive; ``DomainError`` where Python was built without its compression."""
    own = sorted(verdicts, key=lambda v: str(v["id"]))
    digests = {str(v["id"]): v["digest"] for v in own}
    head = sealed({"schema": SCHEMA, "paper": paper, "made": dict(made), "code": dict(code), "digests": digests})
    text = "".join(f"{json_text(line)}\n" for line in (head, *own))
    return bytes(_lzma().compress(text.encode(), preset=9))


def read_archive(path: Path) -> Archive:
    """Return the verdicts of an archive, each with the digest that the head names.

    That a verdict has this digest is left to :func:`theorytools.recheck.examined`, which computes it anyway.

    Raises
    ------
    DomainError
        For a file that is missing, truncated, of another version, or not as it was written.
    """
    lzma = _lzma()
    try:
        unpacking = lzma.LZMADecompressor(memlimit=MEMORY)
        text = unpacking.decompress(path.read_bytes(), max_length=LARGEST)
        if not unpacking.eof:
            raise ValueError("truncated")
        first, *lines = text.decode().removesuffix("\n").split("\n")  # JSON text may hold other line ends
        head = json.loads(first)
        if head.get("schema") != SCHEMA:
            raise ValueError(f"schema {head.get('schema')}")
        verdicts = {str(v["id"]): v for v in map(json.loads, lines)}
        digests = {id: v["digest"] for id, v in verdicts.items()}
        if not intact(head) or head["digests"] != digests or head["code"].keys() != digests.keys():
            raise ValueError("not as it was written")
        return Archive(dict(head["made"]), verdicts, dict(head["code"]))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, lzma.LZMAError) as error:
        raise DomainError(
            f"{path}: {getattr(error, 'strerror', None) or error or type(error).__name__}",
            required=f"an archive of verdicts ({SCHEMA})", why="committed verdicts are confirmed from it",
            advice="git checkout it, or theorytools verify --accept writes it",
        ) from None  # fmt: skip


def _lzma() -> Any:
    try:
        import lzma
    except ImportError:
        raise DomainError(
            "a Python without the module lzma", required="one that was built with it",
            why="committed verdicts are kept compressed", advice="a Python of your system, or of python.org, has it",
        ) from None  # fmt: skip
    return lzma
