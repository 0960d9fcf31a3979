r"""The committed record: every verdict with its numbers, small enough to be read in a diff, exact enough to compare.

``reports/<paper>.json`` holds one claim a line.  A row is a list: point, control, assertion (positions in the lists of
the claim), its truth (``T``, ``F``, ``?``, small where it is a tie), then the measured value and the bounds.  A number
is ``p/q`` where it is exact (beyond 120 digits its digest and the doubles around it), else the letter of its evidence
and its interval in doubles, rounded outward; ``=`` is the number before it.  What follows from the rows, and what a
claim would have seen nothing of, is left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from theorytools.content_cache import content
from theorytools.errors import DomainError
from theorytools.files import kept_while_unchanged, read_json

SCHEMA = "theorytools.committed/2"
LONGEST = 120  # characters of an exact number that are written out
KEPT = (
    "id", "label", "note", "role", "scope", "outcome", "expect", "as_expected", "evidence", "power", "reason", "tier",
)  # fmt: skip
TRUTHS = {"T": True, "F": False, "?": None}
BLIND: dict[str, Any] = {"constant": None, "zero": False, "exponents": {}, "logs": [], "shifts": []}  # saw nothing
SAME = "="


def compact(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """Return a verdict without its document: what was decided, and the numbers."""
    points = list(dict.fromkeys(_place(row["point"]) for row in verdict["rows"]))
    controls = [c["name"] for c in verdict["controls"]]
    assertions = list(dict.fromkeys(row["assertion"] for row in verdict["rows"]))
    rows = [
        [points.index(_place(row["point"])), controls.index(row["control"]) if row["control"] else -1,
         assertions.index(row["assertion"]), _letter(row), *_numbers(row)]
        for row in verdict["rows"]
    ]  # fmt: skip
    return {
        **{name: verdict[name] for name in KEPT}, "powers": _by_place(verdict["powers"], assertions),
        **({"remarks": verdict["remarks"]} if verdict.get("remarks") else {}), "searched": verdict["searched"],
        **{name: verdict["source"][name] for name in ("provenance", "where", "seen", "sha256")},
        "horizon": {
            name: {part: seen[part] for part, blind in BLIND.items() if seen[part] != blind}
            for name, seen in verdict["horizon"].items()
        },
        "controls": [[c["name"], c["outcome"], c["applied"], c["broken"]] for c in verdict["controls"]],
        "axes": [name for name, _ in points[0]] if points else [], "points": [[v for _, v in p] for p in points],
        "assertions": assertions, "rows": rows,
    }  # fmt: skip


def _by_place(powers: Mapping[str, Any], assertions: list[str]) -> Any:
    """The powers in the order of the assertions, which stand beside them; by name where there is no row."""
    return list(powers.values()) if list(powers) == assertions[: len(powers)] else dict(powers)


def _place(point: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(point.items())


def _letter(row: Mapping[str, Any]) -> str:
    letter = next(letter for letter, truth in TRUTHS.items() if truth is row["truth"])
    return letter.lower() if row["tied"] else letter


def _numbers(row: Mapping[str, Any]) -> list[Any]:
    numbers = [number(estimate) for estimate in (row["measured"], *row["bound"])]
    return [SAME if k and number == numbers[k - 1] else number for k, number in enumerate(numbers)]


def _read(numbers: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for number in numbers:
        found.append(found[-1] if number == SAME else number)
    return found


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


@kept_while_unchanged
def read_committed(path: Path) -> dict[str, dict[str, Any]]:
    """Return the verdicts of a committed record by id, each marked ``compact`` and with what made it.

    They are shared by all callers, until the file changes.

    Raises
    ------
    DomainError
        For a file that is no committed record.
    """
    try:
        data = read_json(path)
        if data["schema"] != SCHEMA:
            raise ValueError(f"schema {data['schema']}")
        return {v["id"]: expanded(v, data["made"]) for v in data["claims"]}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise DomainError(
            f"{path}: {type(error).__name__}: {error}",
            required=f"a committed record ({SCHEMA})",
            advice="theorytools verify --accept writes it",
        ) from None


def expanded(data: Mapping[str, Any], made: Mapping[str, Any]) -> dict[str, Any]:
    """Return a compact verdict with its rows and controls by name."""
    from theorytools.claims.judging.horizon import tested

    controls = [name for name, *_ in data["controls"]]
    places = [dict(zip(data["axes"], place, strict=True)) for place in data["points"]]  # each shared by its rows
    rows = [
        {"point": places[p], "control": controls[c] if c >= 0 else "",
         "assertion": data["assertions"][a], "truth": TRUTHS[letter.upper()], "tied": letter.islower(),
         "numbers": _read(numbers)}
        for p, c, a, letter, *numbers in data["rows"]
    ]  # fmt: skip
    states = [dict(zip(("name", "outcome", "applied", "broken"), c, strict=True)) for c in data["controls"]]
    paper, stem = data["id"].split(".")[:2]
    own = {name: data[name] for name in ("provenance", "where", "seen", "sha256") if name in data}
    source = {"paper": paper, "statement": stem, **own}
    seen = {name: {**BLIND, **part} for name, part in data["horizon"].items()}
    own_points = [row["point"] for row in rows if not row["control"]]
    return {
        **data, "powers": _powers(data), "searched": data["searched"], "horizon": seen,
        "tested": tested(own_points), "assertions": [], "compact": True, "committed": dict(made),
        "user_points": False, "rows": rows, "controls": states, "source": source,
    }  # fmt: skip


def _powers(data: Mapping[str, Any]) -> dict[str, Any]:
    given = data["powers"]
    return given if isinstance(given, dict) else dict(zip(data["assertions"], given, strict=False))


def checks_digest(folder: Path) -> str:
    """Return the digest of the bytes of all files of a paper's checks."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        digest.update(f"{file.relative_to(folder).as_posix()} {content(file)}\n".encode())
    return digest.hexdigest()
