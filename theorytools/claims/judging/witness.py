"""Violations kept in a file, ``reports/witnesses/<id>.json``, and judged again from it.

A witness names the hypothesis that is dropped, the point, and the row; everything else is made anew: the object, the
measurement, the bound, the other hypotheses, and that the dropped one fails there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from theorytools.claims.judging.committed_record import number
from theorytools.claims.judging.falsify import SHRINKS, Findings, falsify
from theorytools.claims.judging.searching import Judging
from theorytools.claims.judging.verdict import Row
from theorytools.claims.judging.weaker_hypotheses import Hypothesis, spoiled
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Evidence
from theorytools.claims.papers.catalogue import Catalogue, Entry, fingerprint
from theorytools.claims.papers.loading import load
from theorytools.errors import DomainError, TheoryError
from theorytools.files import canonical, write_text

SCHEMA = "theorytools.witness/1"
FOLDER = Path("reports") / "witnesses"
KEYS = ("hypothesis", "within", "point", "object", "evaluations", "row")
OPTIONAL = {"control", "sample"}


def witness(found: Findings, *, hypothesis: str = "", within: bool = False, control: str = "") -> dict[str, Any]:
    """Return the violation of a search as a file keeps it.

    Parameters
    ----------
    found : a search that found one.
    hypothesis : the hypothesis that was dropped, empty where none was.
    within : whether the point lies within one notch of it.
    control : the control of the claim whose object it is, empty where it is the claim's own.
    """
    if found.row is None:
        raise DomainError(f"a search of {found.id} without a violation", required="one with a violating row")
    return {
        "hypothesis": hypothesis, "within": within, "point": dict(found.row.point), "object": found.thing,
        "evaluations": found.most, "row": _row(found.row), **({"control": control} if control else {}),
        **({"sample": found.sample} if found.sample else {}),
    }  # fmt: skip


def _row(row: Row) -> dict[str, Any]:
    data = row.to_json()
    return {
        "assertion": row.assertion, "relation": row.relation, "evidence": row.evidence.name,
        "measured": number(data["measured"]), "bound": [number(side) for side in data["bound"]],
    }  # fmt: skip


def keep(folder: Path, entry: Entry, found: Iterable[Mapping[str, Any]]) -> Path:
    """Write witnesses of a claim to its file; those of other hypotheses that the file has stay.

    Raises
    ------
    DomainError : the file is there and is no file of witnesses.
    """
    path = folder / f"{entry.id}.json"
    kept = {one["hypothesis"]: one for one in (read_witnesses(path)["witnesses"] if path.is_file() else ())}
    write_witnesses(path, entry, {**kept, **{one["hypothesis"]: one for one in found}}.values())
    return path


def write_witnesses(path: Path, entry: Entry, found: Iterable[Mapping[str, Any]]) -> None:
    """Write the witnesses of a claim, one a line."""
    lines = ",\n".join(json.dumps(dict(one), ensure_ascii=False, separators=(",", ":")) for one in found)
    head = json.dumps({"schema": SCHEMA, "id": entry.id, "check": fingerprint(entry.path)})[:-1]
    write_text(path, f'{head}, "witnesses": [\n{lines}\n]}}\n')


def read_witnesses(path: Path) -> dict[str, Any]:
    """Return what a file of witnesses holds.

    Raises
    ------
    DomainError : another file.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        _this_version(path, str(data["schema"]))
        listed = data["witnesses"]
        if data["schema"] != SCHEMA or not isinstance(data["id"], str) or not listed:
            raise ValueError(f"schema {data['schema']}, {len(listed)} witnesses")
        for one in listed:
            if (
                set(one) - OPTIONAL != set(KEYS)
                or not isinstance(one["point"], dict)
                or not isinstance(one["row"], dict)
            ):
                raise ValueError(f"a witness with {', '.join(one)}")
            if not isinstance(one.get("control", ""), str):
                raise ValueError(f"control = {one['control']!r}")
            if type(one.get("sample", 0)) is not int or one.get("sample", 0) < 0:
                raise ValueError(f"sample = {one['sample']!r}")
            if type(one["evaluations"]) is not int or one["evaluations"] < 1:
                raise ValueError(f"evaluations = {one['evaluations']!r}")
        return dict(data)
    except (OSError, ValueError, LookupError, TypeError) as error:
        if isinstance(error, DomainError):
            raise
        raise DomainError(
            f"{path}: {type(error).__name__}: {error}",
            required=f"a file of witnesses ({SCHEMA})",
            advice="theorytools falsify and theorytools necessity write them, to reports/witnesses",
        ) from None


def _this_version(path: Path, schema: str) -> None:
    """Refuse witnesses of another version by its name: nothing says that their fields mean the same."""
    name, slash, version = schema.partition("/")
    if schema == SCHEMA or not slash or name != SCHEMA.partition("/")[0]:
        return
    newer = version.isdigit() and int(version) > int(SCHEMA.partition("/")[2])
    raise DomainError(
        f"{path}, witnesses of the schema {schema}", required=f"the schema {SCHEMA}, which this version reads",
        why="a field of another version may mean something else",
        advice="a newer theorytools, which reads it; or search again" if newer
        else "search again, or bring its point alone: theorytools falsify ID --from FILE --save FOLDER",
    )  # fmt: skip


def read_point(path: Path, claim: Claim, id: str) -> tuple[dict[str, Any], int]:
    """Return the point that a file brings, and the number of its sample: a file of witnesses, or a point as JSON.

    Raises
    ------
    DomainError : no such file, a witness of another claim, or letters and values that are not those of the claim.
    """
    required = f"a point of {id}: {{{', '.join(f'{chr(34)}{name}{chr(34)}: …' for name in claim.grid.axes)}}}"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DomainError(f"{path}: {type(error).__name__}: {error}", required=required) from None
    sample = 0
    if isinstance(data, dict) and "schema" in data:
        kept = read_witnesses(path)
        if kept["id"] != id:
            raise DomainError(
                f"{path}, a witness against {kept['id']}", required=f"one against {id}",
                why="a point of one claim says nothing of another",
                advice=f"theorytools falsify {kept['id']} --from {path}",
            )  # fmt: skip
        one = next((one for one in kept["witnesses"] if not one["hypothesis"]), kept["witnesses"][0])
        data, sample = one["point"], one.get("sample", 0)
    if not isinstance(data, dict) or set(data) != set(claim.grid.axes):
        letters = ", ".join(map(str, data)) if isinstance(data, dict) else type(data).__name__
        raise DomainError(f"{path} with {letters or 'nothing'}", required=required,
                          why="a point has one value for every axis")  # fmt: skip
    values = {name: _exact(data[name], path, name) for name in claim.grid.axes}
    return {name: claim.value(name, value) for name, value in values.items()}, sample


def _exact(value: Any, path: Path, name: str) -> Any:
    """A value of a file as a point takes it: an object of a kind is written as it stands."""
    if isinstance(value, list | dict):
        return canonical(value)
    if value is None or isinstance(value, bool):
        raise DomainError(f"{path}: {name} = {value}", required="a number, a word or an object of its kind")
    return value


def replay(path: Path, catalogue: Catalogue) -> list[Row]:
    """Judge the witnesses of a file again with the claim's whole budget; return the rows, each of them false.

    Raises
    ------
    DomainError : the claim is not there; it has no such hypothesis, or the point lies elsewhere (stale); or the row
        does not come out as the file says (forged, or stale).
    """
    data = read_witnesses(path)
    entry = next((e for e in catalogue.entries if e.id == data["id"]), None)
    if entry is None:
        raise _unlike(data["id"], "the claim is not there")
    claim = load(entry)
    try:
        return [_replayed(claim, entry, one) for one in data["witnesses"]]
    except DomainError as error:
        if error.given.startswith("a witness against") and changed(data, entry):
            raise DomainError(error.given, required="a witness of the claim as it is now", advice=error.advice,
                              why="stale: the check changed since the file was written") from None  # fmt: skip
        raise


def changed(data: Mapping[str, Any], entry: Entry) -> bool:
    """Return whether the check of a claim is another one than when its file of witnesses was written."""
    return bool(data.get("check") != fingerprint(entry.path))


def _unlike(id: str, why: str) -> DomainError:
    return DomainError(
        f"a witness against {id} that does not replay: {why}",
        required="a file as the search wrote it, of the claim as it is",
        why="forged, or stale: the check changed since",
        advice=f"theorytools falsify {id}, or theorytools necessity {id}",
    )  # fmt: skip


def _replayed(claim: Claim, entry: Entry, one: Mapping[str, Any]) -> Row:
    hypothesis = next((h for h in Hypothesis.of(claim) if h.text == one["hypothesis"]), None)
    if hypothesis is None and one["hypothesis"]:
        raise _unlike(entry.id, f"the claim has no hypothesis '{one['hypothesis']}'")
    place = claim if hypothesis is None else hypothesis.beyond(claim, notch=bool(one["within"]))
    if place is None:
        raise _unlike(entry.id, f"there is nothing beyond one notch of '{one['hypothesis']}'")
    try:
        place = spoiled(place, one["control"]) if "control" in one else place
        row = _searched_again(place, entry, one) if one["object"] else _judged_again(place, entry, one)
    except (TheoryError, ValueError, LookupError, TypeError, AttributeError) as error:
        if isinstance(error, DomainError) and error.given.startswith("a witness against"):
            raise
        raise _unlike(entry.id, " ".join(str(error).split())) from None
    if row.truth is not False or (row.evidence < Evidence.SAMPLED and hypothesis is not None):
        raise _unlike(entry.id, f"the row '{row.assertion}' is not refuted there ({row.evidence.name.lower()})")
    if not _agrees(_row(row), one["row"]):
        raise _unlike(entry.id, f"it comes out as {json.dumps(_row(row))}")
    return row


def _judged_again(place: Claim, entry: Entry, one: Mapping[str, Any]) -> Row:
    place = replace(place, search=None)
    if set(one["point"]) != set(place.grid.axes):
        raise _unlike(entry.id, f"its point has the letters {', '.join(one['point'])}")
    alpha = place.budget.alpha / (int(one["evaluations"]) * len(place.quantities))
    # another order of the letters is the same point, but seeds are keyed in the claim's order
    axes = {name: place.value(name, one["point"][name]) for name in place.grid.axes}
    judging = Judging(place, ".".join(entry.id.split(".")[:2]), alpha, lenient=True)
    result, row = judging.row(axes, int(one.get("sample", 0)), whole=True)
    if result.status not in ("true", "false"):
        raise _unlike(entry.id, f"its point lies elsewhere, {result.note}")
    if row is None:
        raise _unlike(entry.id, "no row is refuted there")
    return row if row.assertion == one["row"]["assertion"] else _other(place, entry, one, axes, alpha)


def _other(place: Claim, entry: Entry, one: Mapping[str, Any], axes: Mapping[str, Any], alpha: float) -> Row:
    """The row of the assertion that the file names, where another one is refuted at its point, too."""
    asserts = [a for a in place.assertions if a.name == one["row"]["assertion"]]
    if not asserts:
        raise _unlike(entry.id, f"the claim does not assert '{one['row']['assertion']}'")
    alone = Judging(replace(place, asserts=asserts), ".".join(entry.id.split(".")[:2]), alpha, lenient=True)
    row = alone.row(axes, int(one.get("sample", 0)), whole=True)[1]
    if row is None:
        raise _unlike(entry.id, f"the row '{one['row']['assertion']}' is not refuted there")
    return row


def _searched_again(place: Claim, entry: Entry, one: Mapping[str, Any]) -> Row:
    """An object cannot be read from a file: the search, which is keyed by the id, finds it again."""
    evaluations, dropped = max(int(one["evaluations"]) - SHRINKS - 1, 1), bool(one["hypothesis"])
    least = Evidence.SAMPLED if dropped else Evidence.FITTED
    found = falsify(place, entry.id, evaluations=evaluations, judged=dropped, elsewhere=dropped, least=least)
    if found.row is None or found.thing != one["object"] or dict(found.row.point) != one["point"]:
        raise _unlike(entry.id, "the search does not find its object again")
    return _named([found.row], entry, one)


def _named(rows: Iterable[Row], entry: Entry, one: Mapping[str, Any]) -> Row:
    row = next((row for row in rows if row.assertion == one["row"]["assertion"]), None)
    if row is None:
        raise _unlike(entry.id, f"the claim does not assert '{one['row']['assertion']}'")
    return row


def _agrees(now: Mapping[str, Any], then: Mapping[str, Any]) -> bool:
    """Whether a row came out as it was kept: exact numbers are equal, intervals meet, all else is the same."""
    plain = all(now[name] == then.get(name) for name in ("assertion", "relation", "evidence"))
    sides = [then.get("measured"), *then.get("bound", ())]
    own = [now["measured"], *now["bound"]]
    return plain and len(sides) == len(own) and all(map(_meets, own, sides))


def _meets(now: Any, then: Any) -> bool:
    if isinstance(now, str) or isinstance(then, str) or now[0] == "#" or then[0] == "#":
        return bool(now == then)
    (low, high), (other_low, other_high) = ((n[1], n[-1]) for n in (now, then))
    below = low is not None and other_high is not None and low > other_high
    above = high is not None and other_low is not None and other_low > high
    return now[0] == then[0] and not below and not above
