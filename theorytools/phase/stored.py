"""Phase diagrams as plain data, and their record ``reports/phase.json``: what pictures and pages are made of."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from theorytools.files import json_text, read_json, write_text
from theorytools.phase.declaration import Axis, Phase, load_phase, phases
from theorytools.phase.diagram import Diagram, PanelCells, decide
from theorytools.places import paper_folder

SCHEMA, RECORD = "theorytools.phase/1", Path("reports") / "phase.json"
OUTSIDE, OPEN, TRAINED = " ", ".", "t"
DIGITS = "0123456789abcdefghijklm"  # the number of a rule; "t" is a cell that training alone reaches
Data = Mapping[str, Any]


def plain(diagram: Diagram) -> dict[str, Any]:
    """Return a diagram as JSON data.

    ``cells`` of a panel is a text for each row, the lowest first, with a letter for each cell: the number of the rule
    that decides it, ``t`` for trained, ``.`` for open, a space where no cell is.  ``judged`` has 1 where the claim was
    judged at this very cell, ``evidence`` the first letter of exact or enclosed.
    """
    phase = diagram.phase
    return {
        "name": phase.name, "title": phase.title, "task": phase.task, "goal": phase.goal, "agenda": phase.agenda,
        "across": _axis(phase.across), "up": _axis(phase.up), "counts": diagram.counts(),
        "digest": digest(phase.file, {rule.claim for panel in phase.panels for rule in panel.rules}),
        "panels": [_panel(phase, panel) for panel in diagram.panels],
    }  # fmt: skip


def _axis(axis: Axis) -> dict[str, Any]:
    return {
        "letter": axis.label or axis.name,
        "means": axis.means,
        "values": list(axis.values),
        "logarithmic": axis.logarithmic,
    }


def _panel(phase: Phase, found: PanelCells) -> dict[str, Any]:
    inside, ups, acrosses = set(found.places), range(len(phase.up.values)), range(len(phase.across.values))

    def rows(letter: Any) -> list[str]:
        return ["".join(letter((i, j)) if (i, j) in inside else OUTSIDE for j in acrosses) for i in ups]

    decided, panel, reached = found.decided, found.panel, found.trained
    rules = []
    for number, rule in enumerate(panel.rules):
        own = [one for one in decided.values() if one.rule == number]
        rules.append({
            "kind": rule.kind, "claim": rule.claim, "quantity": rule.quantity, "says": rule.says,
            "over": list(rule.over), "spreads": [f"{s.letter} {s.direction}: {s.reason}" for s in rule.spreads],
            "cells": len(own), "evidence": dict(Counter(one.evidence.name.lower() for one in own)),
            "edge": [[[_short(x), _short(y)] for x, y in line] for line in found.edges[number]],
        })  # fmt: skip
    return {
        "title": panel.title, "counts": found.counts(), "rules": rules,
        "cells": rows(lambda at: DIGITS[decided[at].rule] if at in decided else TRAINED if at in reached else OPEN),
        "judged": rows(lambda at: str(int(at in decided and decided[at].judged == at))),
        "evidence": rows(lambda at: decided[at].evidence.name[:2].lower()[-1] if at in decided else "-"),
        "trained": None if panel.trained is None else {
            "sweep": panel.trained.sweep, "says": panel.trained.says,
            "cells": [[i, j, said] for (i, j), said in sorted(_first(found.trained).items())],
            "all": rows(lambda at: str(int(at in found.trained))),
        },
    }  # fmt: skip


def _first(trained: Mapping[tuple[int, int], str]) -> dict[tuple[int, int], str]:
    """What was measured, at the lowest cell of a column that says so."""
    found: dict[tuple[int, str], int] = {}
    for (i, j), said in trained.items():
        found[j, said] = min(i, found.get((j, said), i))
    return {(i, j): said for (j, said), i in found.items()}


def _short(number: float) -> float:
    return float(f"{number:.5g}")


def digest(file: Path | None, claims: Iterable[str]) -> str:
    """Return the digest of a declaration and of the check files of its claims, as their text stands."""
    found = hashlib.sha256()
    if file is not None:
        folder, stems = paper_folder(file), {id.split(".")[1] for id in claims}
        for path in sorted({file, *(path for path in folder.rglob("*.py") if _stem(path, folder) in stems)}):
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _stem(file: Path, folder: Path) -> str:
    parts = file.relative_to(folder).with_suffix("").parts
    return parts[-1] if len(parts) == 1 or parts[0] == parts[-1] else "_".join(parts)


def made(names: Iterable[str] | None = None, checks: str | Path | None = None) -> list[dict[str, Any]]:
    """Return diagrams as plain data, cells judged anew.

    Parameters
    ----------
    names : of ``paper.name``; all unless given.
    checks : a folder of checks.
    """
    every = phases(checks)
    return [plain(decide(load_phase(every[name]))) for name in (every if names is None else names)]


def write_record(diagrams: Iterable[Data], path: Path = RECORD) -> None:
    """Write the record, a diagram a line, whole or not at all."""
    lines = ",\n".join(json_text(one) for one in diagrams)
    write_text(path, f'{{"schema":"{SCHEMA}","diagrams":[\n{lines}\n]}}\n')


def read_record(project: Path, checks: str | Path | None = None) -> list[dict[str, Any]]:
    """Return the recorded diagrams of a project's folder, each with ``current``: its files are as they were.

    Parameters
    ----------
    project : the folder that holds ``reports``.
    checks : its folder of checks, unless it is ``checks`` there.

    Returns
    -------
    list of dict : none where there is no record, or one of another version.
    """
    try:
        record = read_json(project / RECORD)
        diagrams = list(record["diagrams"]) if record["schema"] == SCHEMA else []
        files = phases(checks or project / "checks") if diagrams else {}
        return [{**one, "current": digest(files.get(one["name"]), _claims(one)) == one["digest"]} for one in diagrams]
    except (OSError, ValueError, LookupError, TypeError):
        return []


def _claims(data: Data) -> set[str]:
    return {rule["claim"] for panel in data["panels"] for rule in panel["rules"]}
