r"""The committed record: every verdict with its numbers, small enough to be read in a diff, exact enough to compare.

``reports/<paper>.json`` holds one claim a line.  A row is a list: point, control, assertion (positions in the lists of
the claim), truth, tied, then the measured value and the bounds.  A number is ``p/q`` where it is exact (beyond 120
digits its digest and the doubles around it), else the letter of its evidence and its interval in doubles, rounded
outward.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError

SCHEMA = "theorytools.committed/1"
LONGEST = 120  # characters of an exact number that are written out
KEPT = (
    "id", "label", "note", "role", "scope", "outcome", "expect", "as_expected", "evidence", "power", "powers",
    "horizon", "tested", "searched", "reason", "tier",
)  # fmt: skip


def compact(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """Return a verdict without its document: what was decided, and the numbers."""
    points = list(dict.fromkeys(_place(row["point"]) for row in verdict["rows"]))
    controls = [c["name"] for c in verdict["controls"]]
    assertions = list(dict.fromkeys(row["assertion"] for row in verdict["rows"]))
    rows = [
        [points.index(_place(row["point"])), controls.index(row["control"]) if row["control"] else -1,
         assertions.index(row["assertion"]), row["truth"], row["tied"], *map(number, [row["measured"], *row["bound"]])]
        for row in verdict["rows"]
    ]  # fmt: skip
    return {
        **{name: verdict[name] for name in KEPT},
        **{name: verdict["source"][name] for name in ("provenance", "where", "seen", "sha256")},
        "controls": [[c["name"], c["outcome"], c["applied"], c["broken"]] for c in verdict["controls"]],
        "axes": [name for name, _ in points[0]] if points else [], "points": [[v for _, v in p] for p in points],
        "assertions": assertions, "rows": rows,
    }  # fmt: skip


def _place(point: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(point.items())


def number(estimate: Mapping[str, Any]) -> str | list[Any]:
    """Return an estimate in its JSON form as the record writes it: exact text or digest, else evidence and interval."""
    low, high = estimate["show"]
    if estimate["evidence"] != "EXACT":
        return [estimate["evidence"][0], low, high] if low != high else [estimate["evidence"][0], low]
    text = exact_text(estimate["low"])
    if len(text) <= LONGEST:
        return text
    return ["#", hashlib.sha256(text.encode()).hexdigest()[:32], low, high]


def exact_text(end: Mapping[str, Any]) -> str:
    """Return an exact end as ``p/q`` in lowest terms; hexadecimal, since Python stops long decimal numbers."""
    from theorytools.numbers import End

    value = End.from_json(dict(end)).value
    p, q = int(value.p), int(value.q)
    if max(abs(p), q).bit_length() > 4 * LONGEST:
        return f"{p:#x}/{q:#x}"
    return str(p) if q == 1 else f"{p}/{q}"


def write_committed(paper: str, verdicts: Iterable[Mapping[str, Any]], made: Mapping[str, Any]) -> str:
    """Return the text of ``reports/<paper>.json``: a head, then a line for each claim."""
    own = sorted((compact(v) for v in verdicts), key=lambda v: str(v["id"]))
    lines = ",\n".join(json.dumps(v, ensure_ascii=False, allow_nan=False, separators=(",", ":")) for v in own)
    head = json.dumps({"schema": SCHEMA, "paper": paper, "made": dict(made)}, ensure_ascii=False)[:-1]
    return f'{head}, "claims": [\n{lines}\n]}}\n'


def read_committed(path: Path) -> dict[str, dict[str, Any]]:
    """Return the verdicts of a committed record by id, each marked ``compact`` and with what made it.

    Raises
    ------
    DomainError
        For a file that is no committed record.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise ValueError(f"schema {data['schema']}")
        return {v["id"]: expanded(v, data["made"]) for v in data["claims"]}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise DomainError(
            f"{path}: {type(error).__name__}: {error}",
            required=f"a committed record ({SCHEMA})",
            advice="python -m theorytools.cli.committed writes it",
        ) from None


def expanded(data: Mapping[str, Any], made: Mapping[str, Any]) -> dict[str, Any]:
    """Return a compact verdict with its rows and controls by name."""
    controls = [name for name, *_ in data["controls"]]
    rows = [
        {"point": dict(zip(data["axes"], data["points"][p], strict=True)), "control": controls[c] if c >= 0 else "",
         "assertion": data["assertions"][a], "truth": truth, "tied": tied, "numbers": numbers}
        for p, c, a, truth, tied, *numbers in data["rows"]
    ]  # fmt: skip
    states = [dict(zip(("name", "outcome", "applied", "broken"), c, strict=True)) for c in data["controls"]]
    paper, stem = data["id"].split(".")[:2]
    own = {name: data[name] for name in ("provenance", "where", "seen", "sha256") if name in data}
    source = {"paper": paper, "statement": stem, **own}
    return {
        **data, "assertions": [], "compact": True, "committed": dict(made), "user_points": False, "rows": rows,
        "controls": states, "source": source,
    }  # fmt: skip


def checks_digest(folder: Path) -> str:
    """Return the digest of the bytes of all files of a paper's checks."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        digest.update(
            f"{file.relative_to(folder).as_posix()} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode()
        )
    return digest.hexdigest()
