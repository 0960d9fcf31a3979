"""``can``: before anything runs, which evidence claims can reach at a point, how long it takes, what is missing."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.arguments.amounts import duration, memory
from theorytools.claims.judging.forecast import FARTHEST, Expected, Forecast, forecast
from theorytools.claims.papers.catalogue import Catalogue, Entry, find_roots, fingerprint
from theorytools.claims.papers.work import SWITCH
from theorytools.cli.answers import answer, parts_of
from theorytools.cli.claims_asked import asked_claims
from theorytools.cli.formats import INFRASTRUCTURE, UNDECIDED, USAGE, hanging
from theorytools.cli.stored import committed
from theorytools.errors import DomainError, TheoryError
from theorytools.progress import talking
from theorytools.reporting import words
from theorytools.reporting.stored_verdicts import stored_verdicts

_KNOWN = {
    "stored": "as in the stored verdict", "committed": "as in the committed verdict", "judged": "", "unknown": "",
}  # fmt: skip
_WORK = {
    "declared": "declared in work.toml", "kept": "counted before, in counted.json",
    "counted": "counted now on the grid, extrapolated beyond it",
}  # fmt: skip


def can_command(ids: Sequence[str], at: Sequence[str], checks: Path | None, json: bool) -> int:
    """Tell what judging the claims named would give and take; return the exit code.

    4 a check that cannot load, 2 no point lies inside the hypotheses, 3 a point that is too much work, or of which
    evidence or work is not known, a claim that stayed undecided, or a package or record that is missing; else 0.
    """
    from theorytools.claims.judging.run import concerned
    from theorytools.cli.verify import parse_at

    catalogue = Catalogue(find_roots(checks))
    entries, moved = asked_claims(catalogue, ids), parse_at(at)
    groups = {name for name in ids if any(entry.id.startswith(f"{name}.") for entry in entries)}
    found: list[Forecast] = []
    errors: dict[str, TheoryError] = {}
    with talking():
        work = concerned(entries, moved, set(ids) - groups) if moved else [(entry, {}) for entry in entries]
        known = _verdicts(catalogue, [entry for entry, _ in work])
        for entry, mine in work:
            try:
                catalogue.paper(entry.paper)  # what is wrong with its description keeps a claim from being judged, too
                found.append(forecast(entry, mine, known.get(entry.id)))
            except TheoryError as error:
                if isinstance(error, DomainError):  # of the words of the command, and of the environment
                    raise
                errors[entry.id] = error
    code = INFRASTRUCTURE if errors else max(map(_code, found), default=0)
    if json:
        told = {"claims": [one.to_json() for one in found], "errors": {id: parts_of(e) for id, e in errors.items()}}
        answer("can", told, code)
        return code
    for one in found:
        _tell(one, at)
    if errors:
        raise next(iter(errors.values()))
    return code


def _verdicts(catalogue: Catalogue, entries: Sequence[Entry]) -> dict[str, Mapping[str, Any]]:
    """The verdicts of these claims whose check is as it was: the stored ones, else those of the committed record."""
    known = committed(catalogue, {entry.paper for entry in entries}) | stored_verdicts(Path("site/verdicts"))
    same = (entry for entry in entries if entry.id in known and not entry.error)
    return {e.id: known[e.id] for e in same if known[e.id]["source"].get("sha256") == fingerprint(e.path)}


def _code(one: Forecast) -> int:
    inside = [point for point in one.points if not point.outside]
    if not inside:
        return USAGE
    unknown = one.outcome == "UNDECIDED" or any(p.evidence is None or p.fits is not True for p in inside)
    lacking = bool(one.missing) or not all(record["there"] for record in one.records)
    return UNDECIDED if unknown or lacking else 0


def _tell(one: Forecast, at: Sequence[str]) -> None:
    """Print a claim: evidence, scope, the work of its dearest point, the limit, what is needed, and the command."""
    dearest = max(one.points, key=lambda point: point.operations or 0.0)
    command = " ".join([f"theorytools verify {one.id}", *(f"--at {shlex.quote(text)}" for text in at)])
    print(f"{one.id}  {one.label}  ({one.tier})")
    facts = {
        "evidence": _evidence(one, dearest), "scope": words.scope({"scope": one.scope}), "work": _work(one, dearest),
        "limit": _limit(one, dearest), "outside": dearest.outside, "needs": _needs(one), "judge it": command,
    }  # fmt: skip
    for name, text in facts.items():
        if text and text != "–":
            print(hanging(f"    {name:<11}", text))


def _evidence(one: Forecast, point: Expected) -> str:
    if point.evidence is None:
        return f"not known: {one.why}"
    source = ", ".join(filter(None, [_KNOWN[one.known], one.why]))
    return f"{point.evidence.lower()}, {source} ({one.outcome})"


def _work(one: Forecast, point: Expected) -> str:
    if one.work == "unknown":
        return f"not known: {one.why}"
    where = ", ".join(f"{name}={value}" for name, value in point.point.items())
    taken = point.operations
    told = "more operations than a double holds" if taken is None else (
        f"{taken:.1e} operations, {duration(taken / 1e8)}"
    )  # fmt: skip
    held = f", {memory(point.bytes)}" if point.bytes else ""
    several = f", the dearest of {len(one.points)} points" if len(one.points) > 1 else ""
    return f"{told}{held} at {where}{several}; {_WORK[one.work]}"


def _limit(one: Forecast, point: Expected) -> str:
    most = "none" if one.operations is None else f"{one.operations:.1e} operations"
    held = "" if one.bytes is None else f" and {memory(one.bytes)}"
    fits = {True: "fits", False: "does not fit", None: "not known whether it fits"}[point.fits]
    rule = "" if one.enforced else " (not enforced: nothing is declared)"
    sizes = [
        f"{name} {'any size' if size == FARTHEST else 'at most ' + str(size) if size else 'no size'} fits"
        for name, size in one.largest.items() if size is not None
    ]  # fmt: skip
    wait = [f"{SWITCH} waits for more"] if point.fits is False and one.enforced else []
    return f"{most}{held} at a point{rule}: {'; '.join([fits, *sizes, *wait])}"


def _needs(one: Forecast) -> str:
    packages = [f"{each['package']} (pip install 'theorytools[{each['extra']}]')" for each in one.missing]
    records = [f"{each['file']}{'' if each['there'] else ', which is not there'}" for each in one.records]
    return "; ".join([*packages, *records])
