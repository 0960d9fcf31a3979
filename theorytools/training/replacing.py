"""A record is replaced only by one that holds at least its trials; anything else would lose what was computed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError
from theorytools.training.sweep import Sweep, arm
from theorytools.training.trials.trial import trial_key

Specs = Iterable[Mapping[str, Any]]


def require_no_loss(path: Path, one: Sweep, profile: str, complete: Specs, unfinished: Specs = ()) -> None:
    """Refuse to replace the record at ``path``, if there is one, by one with these trials, where some would be lost.

    A trial is its whole specification: arm, size, repeat, protocol and every setting.  A trial of a complete arm is
    lost also where it would only be among the unfinished, which no claim reads.

    Raises
    ------
    DomainError : what would be lost, and how to keep it.
    """
    if not path.is_file():
        return
    try:
        old = json.loads(path.read_text(encoding="utf-8"))
        before, loose = ([t["spec"] for t in old.get(name, ())] for name in ("trials", "unfinished"))
        lost = _lost(before, loose, {trial_key(spec) for spec in complete}, {trial_key(spec) for spec in unfinished})
        was = f"{len(before) + len(loose)} trials, profile {old['profile']}"
    except (ValueError, LookupError, TypeError, AttributeError):
        raise DomainError(
            f"{path} in place of which a record would be written, and which cannot be read",
            required="a record",
            advice="look at it; --replace writes over it",
        ) from None
    if lost:
        raise DomainError(
            f"--record with profile {profile} over {path}, {was}",
            required="at least the trials of the record that is there",
            why=f"{sum(map(len, lost.values()))} of them would be lost: {_told(one, lost)}",
            advice="--from-record with the profile that holds them, --checks DIR for another place, "
            "or --replace to lose them",
        )


def _lost(before: Specs, loose: Specs, complete: set[str], unfinished: set[str]) -> dict[str, list[Mapping[str, Any]]]:
    """The trials that are there and would not be, by arm."""
    lost: dict[str, list[Mapping[str, Any]]] = {}
    for specs, kept in ((before, complete), (loose, complete | unfinished)):
        for spec in specs:
            if trial_key(spec) not in kept:
                lost.setdefault(arm(spec), []).append(spec)
    return lost


def _told(one: Sweep, lost: Mapping[str, list[Mapping[str, Any]]]) -> str:
    parts = []
    for name, specs in lost.items():
        cells = Counter(spec.get(one.size) if one.size else None for spec in specs)
        sizes = f" at {one.size} = {', '.join(map(str, cells))}" if set(cells) != {None} else ""
        parts.append(f"{len(specs)} of {name}{sizes}")
    return "; ".join(parts)
