"""Stored verdicts that speak for themselves: a digest of their content, and an outcome that follows from their ends.

A digest is no signature: who writes a new one over changed numbers is not found by it, but then every outcome must
still follow from the stored intervals, and a record is compared with the claim and its cheapest points run again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from theorytools.claims.judging.conclude import Stated, conclude
from theorytools.claims.judging.verdict import row_from_json
from theorytools.files import canonical, json_text


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
