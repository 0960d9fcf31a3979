"""Stored verdicts that speak for themselves: a digest of their content, and an outcome that follows from their ends.

A digest is no signature: who writes a new one over changed numbers is not found by it, but then every outcome must
still follow from the stored intervals, and a record is compared with the claim and its cheapest points run again.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from theorytools.claims.judging.conclude import Stated, conclude
from theorytools.claims.judging.verdict import SCHEMA, row_from_json
from theorytools.files import canonical, json_text, read_json


def digest_of(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of everything but the digest itself."""
    return hashlib.sha256(canonical({k: v for k, v in data.items() if k != "digest"}).encode()).hexdigest()


def sealed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data with its digest; ``DomainError`` for a number that JSON does not have."""
    try:
        return {**data, "digest": digest_of(data)}
    except ValueError:
        json_text(data)  # its error says what is wrong
        raise


def intact(data: Mapping[str, Any]) -> bool:
    """Whether the data carries its own digest."""
    return bool(data.get("digest")) and data["digest"] == digest_of(data)


def contradiction(verdict: Mapping[str, Any]) -> str:
    """Return what in a stored verdict does not follow from its own intervals, or nothing.

    Every row is compared again; outcome, evidence, power and the state of every control are concluded again.
    A verdict without rows says only why there is none.
    """
    if not verdict["rows"]:
        return "" if verdict["outcome"] in ("UNDECIDED", "INAPPLICABLE") else f"{verdict['outcome']} without a row"
    rows = [row_from_json(row) for row in verdict["rows"]]
    for row in rows:
        truth = row.compared
        if truth is not row.truth and not (row.tied and row.truth is True and truth is None):
            at = ", ".join(f"{name}={value}" for name, value in row.point.items())
            return f"the stored ends do not give the stored outcome of '{row.assertion}' at {at}"
    found = conclude(Stated.of(verdict), rows, verdict["skipped"], user=verdict["user_points"])
    told = {
        "outcome": str(found["outcome"]), "as_expected": found["as_expected"], "power": found["power"],
        "evidence": found["evidence"].name if found["evidence"] else None, "powers": found["powers"],
    }  # fmt: skip
    wrong = [name for name, value in told.items() if verdict[name] != value]
    states = [(c.name, c.outcome, c.applied, c.broken) for c in found["controls"]]
    told_of = [(c["name"], c["outcome"], c["applied"], c["broken"]) for c in verdict["controls"]]
    if states != told_of or not {row.control for row in rows} <= {"", *(c["name"] for c in verdict["controls"])}:
        wrong.append("controls")
    return f"its rows do not give its {', '.join(wrong)}" if wrong else ""


FIELDS: tuple[tuple[type | types.UnionType, tuple[str, ...]], ...] = (
    (str, ("id", "label", "outcome", "expect", "reason", "command", "tier", "role")),
    (bool, ("as_expected", "user_points")), (list, ("rows", "controls", "skipped", "assertions")),
    (dict, ("powers", "horizon", "searched", "source")), (int | float, ("spent", "took", "seconds")),
)  # fmt: skip


def read_verdict(path: Path) -> dict[str, Any] | None:
    """Return the verdict in a file, or None where it holds none of this schema with the fields of every verdict."""
    try:
        verdict = read_json(path)
        return verdict if verdict["schema"] == SCHEMA and _shaped(verdict) else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _shaped(verdict: Mapping[str, Any]) -> bool:
    """Whether the fields by which a verdict is found, counted and told are of their kinds."""
    parts = {**verdict, "spent": verdict["alpha"]["spent"], "took": verdict["cpu"]["seconds"]}
    source, id = verdict["source"], verdict["id"]
    return (
        all(isinstance(parts[name], kind) for kind, names in FIELDS for name in names)
        and all(isinstance(part, dict) for name in ("rows", "controls", "skipped") for part in verdict[name])
        and source["paper"] == id.partition(".")[0] and isinstance(source["sha256"], str)
    )  # fmt: skip


def stored_verdicts(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the verdicts in a folder that are as they were written, by id; those at a user's points are left out.

    So is a copy under another name than ``ID.json``, whatever it says.
    """
    found = ((path, read_verdict(path)) for path in sorted(folder.glob("*.json")) if "@" not in path.name)
    return {v["id"]: v for path, v in found if v is not None and path.name == f"{v['id']}.json" and intact(v)}
