r"""The record of the benchmarks, made from what pytest-benchmark stored.

Run the alternating benchmarks and condense their numbers::

    pytest tests/benchmarks --benchmark-enable --benchmark-json=benchmarks-raw.json
    python -m theorytools.reporting.benchmarks benchmarks-raw.json

The second command writes ``reports/benchmarks.json`` below the current folder:

``schema``
    ``theorytools.benchmarks/1``.
``date``
    Day of the run.
``machine``
    Processor, number of processors, architecture, operating system.
``versions``
    Python and the libraries that did the work.
``benchmarks``
    One object for each: ``name``; ``unit`` of work; ``seconds_per_unit`` and ``reference_seconds_per_unit``, medians
    of processor time; ``ratio``, the median over the rounds of reference over candidate, with ``least_ratio`` and
    ``greatest_ratio``; ``rounds``; ``threads``; ``demand``, the ratio that is asked for, or null; ``met``, whether
    every round met it; ``facts``, whatever else the benchmark recorded (sizes, certified errors, bytes).

Numbers have four significant digits.  Nothing that names a person, a host or a folder is kept.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError
from theorytools.files import write_json

SCHEMA = "theorytools.benchmarks/1"
TARGET = Path("reports") / "benchmarks.json"
_TIMES = ("seconds_per_unit", "reference_seconds_per_unit", "ratio", "least_ratio", "greatest_ratio")
_FIELDS = ("unit", *_TIMES, "rounds", "threads", "demand")


def condensed(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a stored run of the alternating benchmarks.

    Raises
    ------
    DomainError : a file that pytest-benchmark did not write, benchmarks that do not alternate, or of several runs.
    """
    try:
        found, machine, date = raw["benchmarks"], raw["machine_info"], raw["datetime"]
        notes = [(b["name"], dict(b["extra_info"])) for b in found]
        versions = [note.pop("versions") for _, note in notes]
        rows = [_row(name, note) for name, note in notes]
    except (KeyError, TypeError) as error:
        raise DomainError(
            f"a file without {error}", required="what pytest tests/benchmarks --benchmark-json stored",
            why="each benchmark records its ratio and the versions", advice="run it with --benchmark-enable",
        ) from error  # fmt: skip
    if not rows or any(v != versions[0] for v in versions):
        raise DomainError(f"{len(rows)} benchmarks", required="at least one, all of one environment")
    cpu = machine.get("cpu", {})
    return {
        "schema": SCHEMA,
        "date": date[:10],
        "machine": {
            "processor": cpu.get("brand_raw") or machine.get("processor") or "unknown",
            "processors": cpu.get("count"),
            "architecture": machine.get("machine"),
            "system": machine.get("system"),
        },
        "versions": {"python": machine.get("python_version"), **versions[0]},
        "benchmarks": sorted(rows, key=lambda row: str(row["name"])),
    }


def _row(name: str, note: dict[str, Any]) -> dict[str, Any]:
    row = {"name": name, **{field: _short(note.pop(field)) for field in _FIELDS}}
    row["met"] = None if row["demand"] is None else row["least_ratio"] >= row["demand"]
    return {**row, "facts": {key: _short(value) for key, value in sorted(note.items())}}


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _short(part) for name, part in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def summary(record: Mapping[str, Any]) -> str:
    """Return one line for each benchmark: name, ratio with its range, demand."""
    lines = []
    for row in record["benchmarks"]:
        demand = (
            "no demand" if row["demand"] is None else f"demand {row['demand']}: {'met' if row['met'] else 'missed'}"
        )
        span = f"{row['least_ratio']:.3g} to {row['greatest_ratio']:.3g}"
        lines.append(f"{row['name']}: {row['ratio']:.3g} times the reference ({span}), {demand}")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Condense the file that is named, write the record and print its summary."""
    if len(arguments) != 1:
        raise SystemExit("usage: python -m theorytools.reporting.benchmarks FILE")
    try:
        raw = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        record = condensed(raw)
    except (OSError, ValueError, DomainError) as error:
        raise SystemExit(f"{arguments[0]}: {error}") from None
    write_json(TARGET, record, indent=2)
    print(summary(record))


if __name__ == "__main__":
    main(sys.argv[1:])
