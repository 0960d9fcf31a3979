r"""What the judging of each claim costs in processor time, and how that grows with the size of the point.

Read the stored verdicts of a site and write ``reports/cpu.json`` below the current folder::

    theorytools verify
    python -m theorytools.reporting.cpu site

``schema``
    ``theorytools.cpu/1``.
``machine``, ``versions``
    Architecture, Python and libraries, as the verdicts name them.
``claims``, ``seconds``
    How many claims were judged in this run of the verdicts, and their processor seconds in all.
``parts``
    These seconds apart: ``measured`` for the claims' own rows, ``controls``, ``search`` beside the grids, and ``other``
    for all else: descriptions, conclusions, records read, and verdicts stored by a version that did not tell its parts.
``by_claim``
    Processor seconds of every claim: of its whole judgement, search included, where it was judged, of reading its
    record and running a point of it again where ``recorded`` names it.
``recorded``
    The claims that were judged from their records: their points were not run.
``dearest``
    The ten dearest claims: ``id``, ``seconds``, their ``parts``, ``points``, and ``growth``.  That is the slope of the
    logarithm of a point's seconds against the logarithm of the axis ``axis``, by least squares over the means of its
    ``sizes`` different values: 1 is linear, 2 quadratic.  Where there are fewer than three sizes above the clock's
    step, ``growth`` is null and ``why`` says so.

A point's seconds hold those of its controls, and whatever it made that later points use again.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError
from theorytools.files import read_json, write_json

SCHEMA = "theorytools.cpu/1"
TARGET = Path("reports") / "cpu.json"
DEAREST = 10
LEADING = ("N", "T", "n", "d", "d_e", "m", "L", "q")  # which axis is a size, in the papers' letters
PARTS = ("measured", "controls", "search")
LONGEST = 1e7  # seconds, four months: no time that a run has measured is longer
STEP = 5e-4  # seconds; shorter times are mostly the clock's and the garbage collector's

Verdict = Mapping[str, Any]


def cost(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return the table of processor times of these verdicts.

    Raises
    ------
    DomainError : where no verdict says what it cost.
    """
    timed = [v for v in verdicts if v.get("cpu") and not v.get("user_points")]
    if not timed:
        raise DomainError(
            f"{len(verdicts)} verdicts without processor times", required="verdicts of this version",
            why="each says what its points cost", advice="theorytools verify --fresh",
        )  # fmt: skip
    by_claim = {v["id"]: v["cpu"]["seconds"] for v in sorted(timed, key=lambda v: str(v["id"]))}
    first = sorted(timed, key=lambda v: (-v["cpu"]["seconds"], v["id"]))[:DEAREST]
    return {
        "schema": SCHEMA,
        "machine": timed[0]["machine"],
        "versions": timed[0]["versions"],
        "claims": len(timed),
        "seconds": round(math.fsum(by_claim.values()), 2),
        "parts": {name: round(seconds, 2) for name, seconds in parts(timed).items()},
        "dearest": [_dear(verdict) for verdict in first],
        "recorded": sorted(v["id"] for v in timed if "record" in v),
        "by_claim": by_claim,
    }


def committed_seconds(folders: Iterable[Path]) -> dict[str, float]:
    """Return ``by_claim`` of the committed tables beside these folders of checks; a table that cannot be read is none.

    Parameters
    ----------
    folders : folders of checks; the table of one called ``checks`` is ``reports/cpu.json`` beside it.
    """
    found: dict[str, float] = {}
    for folder in folders:
        if folder.name == "checks":
            found |= seconds_by_claim(folder.parent / TARGET, "by_claim")
    return found


def seconds_by_claim(path: Path, name: str = "") -> dict[str, float]:
    """Return the seconds of claims that a JSON file holds, or the object ``name`` in it; nothing where it holds none.

    What is no number from 0 to ``LONGEST`` is left out: these order work, and a wrong one is worse than none.
    """
    try:
        return seconds_in(read_json(path), name)
    except (OSError, ValueError):
        return {}


def seconds_in(data: Any, name: str = "") -> dict[str, float]:
    """Return the seconds of claims in data of that form, as :func:`seconds_by_claim` reads it from a file."""
    try:
        times = data[name] if name else data
        return {str(id): float(s) for id, s in times.items() if isinstance(s, int | float) and 0 <= s < LONGEST}
    except (TypeError, LookupError, AttributeError):
        return {}


def parts(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """Return the processor seconds of these verdicts by part; the sum is that of their whole judgements."""
    cpus = [v["cpu"] for v in verdicts if v.get("cpu")]
    found = {name: math.fsum(cpu.get(name, 0.0) for cpu in cpus) for name in PARTS}
    # a verdict's parts are rounded each for itself, so that they may exceed the rounded whole
    other = math.fsum(cpu["seconds"] for cpu in cpus) - math.fsum(found.values())
    return {**found, "other": max(other, 0.0)}


def in_words(verdicts: Sequence[Verdict]) -> str:
    """Return in words what judging these verdicts took: the whole, and what of it went into which part."""
    found = parts(verdicts)
    each = ", ".join(f"{name} {seconds:.2f}" for name, seconds in found.items())
    return f"{math.fsum(found.values()):.2f} s of processor time: {each}"


def _dear(verdict: Verdict) -> dict[str, Any]:
    cpu = verdict["cpu"]
    split = {name: round(seconds, 3) for name, seconds in parts([verdict]).items()}
    return {"id": verdict["id"], "seconds": cpu["seconds"], "parts": split, "points": len(cpu["points"]),
            **growth(verdict)}  # fmt: skip


def growth(verdict: Verdict) -> dict[str, Any]:
    """Return ``axis``, ``sizes`` and ``growth`` of one verdict, and ``why`` where there is no slope.

    The axis is the first of the usual sizes (``LEADING``) that takes three values, else the number with most values.
    """
    points, seconds = places(verdict), verdict["cpu"]["points"]
    if not seconds:
        return _without(None, 0, "its points were not run")
    if len(points) != len(seconds):
        return _without(None, 0, "some of its points lie outside the hypotheses and left no row")
    values = {name: [_number(point.get(name)) for point in points] for name in (points[0] if points else {})}
    sizes = {name: len(set(row)) for name, row in values.items() if all(x is not None and x > 0 for x in row)}
    if not sizes:
        return _without(None, 0, "no axis is a positive number")
    wide = [name for name in LEADING if sizes.get(name, 0) >= 3]
    axis = wide[0] if wide else max(sizes, key=lambda name: sizes[name])
    groups: dict[Fraction, list[float]] = {}
    for x, spent in zip(values[axis], seconds, strict=True):
        if x is not None and spent >= STEP:
            groups.setdefault(x, []).append(spent)
    if len(groups) < 3:
        return _without(axis, len(groups), f"{len(groups)} sizes above {STEP} s, three are needed")
    slope = _slope([math.log(x) for x in groups], [math.log(math.fsum(s) / len(s)) for s in groups.values()])
    return {"axis": axis, "sizes": len(groups), "growth": round(slope, 2)}


def _without(axis: str | None, sizes: int, why: str) -> dict[str, Any]:
    return {"axis": axis, "sizes": sizes, "growth": None, "why": why}


def places(verdict: Verdict) -> list[Mapping[str, str]]:
    """Return the points of a verdict that have rows, in the order in which they were judged."""
    found = [row["point"] for row in verdict["rows"] if not row["control"]]
    return list({json.dumps(point, sort_keys=True): point for point in found}.values())


def _number(text: Any) -> Fraction | None:
    try:
        return Fraction(str(text))
    except (ValueError, ZeroDivisionError):
        return None


def _slope(x: Sequence[float], y: Sequence[float]) -> float:
    """The slope of the line of least squares."""
    a, b = math.fsum(x) / len(x), math.fsum(y) / len(y)
    return math.fsum((s - a) * (t - b) for s, t in zip(x, y, strict=True)) / math.fsum((s - a) ** 2 for s in x)


def summary(table: Mapping[str, Any]) -> str:
    """Return the total with its parts and a line for each of the dearest claims."""
    each = ", ".join(f"{name} {seconds}" for name, seconds in table["parts"].items())
    lines = [f"{table['claims']} claims, {table['seconds']} s of processor time: {each}"]
    for row in table["dearest"]:
        grows = f"grows like {row['axis']}^{row['growth']}" if row["growth"] is not None else row["why"]
        lines.append(f"{row['seconds']:8.2f} s  {row['id']}: {row['points']} points, {grows}")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Read the verdicts of the folder that is named, write the table and print its summary."""
    if len(arguments) != 1:
        raise SystemExit("usage: python -m theorytools.reporting.cpu FOLDER, for example site")
    from theorytools.reporting.stored_verdicts import stored_verdicts

    try:
        table = cost(list(stored_verdicts(Path(arguments[0]) / "verdicts").values()))
    except (OSError, ValueError, KeyError, DomainError) as error:
        raise SystemExit(f"{arguments[0]}: {error}") from None
    write_json(TARGET, table, indent=1)
    print(summary(table))


if __name__ == "__main__":
    main(sys.argv[1:])
