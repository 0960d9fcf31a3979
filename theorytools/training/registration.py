"""Whether a sweep's rule came before its first trial: what a record can show of it, and what it cannot."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError
from theorytools.training.sweep import Sweep
from theorytools.training.trials.provenance import DIRTY, described, git
from theorytools.training.trials.trial_row import Row


def registration(one: Sweep, rows: Iterable[Row]) -> dict[str, Any]:
    """Return what a record keeps of the rule and its time.

    ``rule`` and ``file`` are the SHA-256 of the rule and of the sweep's file; ``commit`` and ``committed`` the last
    commit that changed the file and its time, empty where the file as it stands is in no commit; ``first`` when the
    earliest trial was acknowledged less the time it took, empty where a trial came from another record, whose times
    are not kept.
    """
    made = {"rule": hashlib.sha256(one.rule.encode()).hexdigest(), "file": "", "commit": "", "committed": ""}
    if one.file is not None and one.file.is_file():
        made["file"] = hashlib.sha256(one.file.read_bytes()).hexdigest()
        if git(one.file.parent, "status", "--porcelain", "--", one.file.name) == "":
            made["commit"], _, made["committed"] = (
                git(one.file.parent, "log", "-1", "--format=%H %cI", "--", one.file.name) or ""
            ).partition(" ")
    kept = list(rows)
    whole = kept and not any("from" in row.provenance for row in kept)
    first = min((datetime.fromisoformat(row.created).timestamp() - row.seconds for row in kept), default=0.0)
    return {**made, "first": datetime.fromtimestamp(first, UTC).isoformat(timespec="seconds") if whole else ""}


def commit_of(rows: Iterable[Row], folder: Path) -> str:
    """Return the commit whose code computed these trials: a dirty one, if there is any, or the one that all name.

    Where they name several, or some name none, as those of older stores, it is that of the folder of the record.
    """
    named = {str(row.provenance.get("commit", "")) for row in rows}
    dirty = sorted(commit for commit in named if commit.endswith(DIRTY))
    if dirty:
        return dirty[0]
    return named.pop() if len(named) == 1 and "" not in named else described(folder)


def require_committed(one: Sweep, commit: str) -> None:
    """Refuse a record that no commit holds the code of.

    Parameters
    ----------
    one : the sweep, whose file must be in a commit as it stands.
    commit : what :func:`described` or :func:`commit_of` says.

    Raises
    ------
    DomainError : files differ from the commit, the sweep is in none, or there is no repository.
    """
    file = one.file
    loose = file is not None and file.is_file() and git(file.parent, "status", "--porcelain", "--", file.name)
    if not commit or commit.endswith(DIRTY) or loose:
        given = f"files that differ from the commit {commit[:12]}" if commit.endswith(DIRTY) else "no repository"
        raise DomainError(
            f"--record of {one.name} from {f'{file.name}, which is in no commit' if file and loose else given}",
            required="a commit that holds the code and the rule",
            why="nobody could run it again, and no history would show that its rule is older than its trials",
            advice="commit, then run; --allow-dirty writes it all the same, and pages say so",
        )


def came_first(record: Mapping[str, Any]) -> bool | None:
    """Return whether the rule of a record was committed before its first trial, or None if the record cannot show it.

    Parameters
    ----------
    record : the record's data: its ``rule``, and ``registered`` in its ``provenance``.

    Returns
    -------
    bool or None : False also where the rule that is printed is not the one that was registered, and where an earlier
        record of the sweep had been made when the rule was committed: trials that run again are no news.

    Examples
    --------
    >>> came_first({"rule": "the slope is 2", "provenance": {}}) is None
    True
    """
    told = (record.get("provenance") or {}).get("registered")
    if not told:
        return None
    if told["rule"] != hashlib.sha256(str(record["rule"]).encode()).hexdigest():
        return False
    if not told["committed"] or not told["first"]:
        return None if told["committed"] else False
    begun = [told["first"], *([earlier] if (earlier := _earlier(record)) else [])]
    return datetime.fromisoformat(told["committed"]) < min(map(datetime.fromisoformat, begun))


def _earlier(record: Mapping[str, Any]) -> str:
    """When the first record of the sweep was made that this one took the place of; empty if it is the first."""
    return str(((record.get("provenance") or {}).get("earlier") or {}).get("created", ""))


def registration_text(record: Mapping[str, Any]) -> str:
    """Return that in words, for a page."""
    before = came_first(record)
    if before is None:
        return "the record cannot show that its rule came before its trials"
    told = record["provenance"]["registered"]
    if not before and _earlier(record):
        return f"the trials ran again: a first record, of {_earlier(record)[:10]}, is older than the commit of the rule"
    if not before:
        return "the rule as it stands was not committed before the first trial"
    return (
        f"the rule was committed {told['committed'][:16].replace('T', ' ')} in {told['commit'][:12]}, before the first "
        f"trial began, {told['first'][:16].replace('T', ' ')} UTC"
    )
