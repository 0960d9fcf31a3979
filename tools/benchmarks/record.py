r"""The record of the benchmarks, made from what pytest-benchmark stored.

Run the alternating benchmarks and condense their numbers::

    pytest tools/benchmarks --benchmark-enable --benchmark-json=benchmarks-raw.json
    python -m tools.benchmarks.record benchmarks-raw.json

The second command writes ``reports/benchmarks.json`` below the current folder.  It takes several files of one
environment; with ``--keep`` the rows of benchmarks that were not run again stay, if machine and versions are theirs.
Every row and every line that is printed names the processor: what is wide or cached on one is not on another, and a
ratio of two programs is not a property of the programs alone.

``schema``
    ``theorytools.benchmarks/2``.
``date``
    Day of the run; of the last, where rows were kept.
``machine``
    Processor, number of processors, architecture, operating system.  The processor is its name with family, model and
    the widest instructions for vectors that it has, such as ``AMD EPYC (family 25, model 1; AVX2)``.
``versions``
    Python and the libraries that did the work.
``benchmarks``
    One object for each: ``name``; ``processor`` and ``date`` of its run; ``unit`` of work; ``seconds_per_unit`` and
    ``reference_seconds_per_unit``, medians of processor time; ``ratio``, the median over the rounds of reference over
    candidate, with ``least_ratio`` and ``greatest_ratio``; ``rounds``; ``threads``; ``demand``, the ratio that is asked
    for, or null; ``met``, whether every round met it; ``facts``, whatever else the benchmark recorded (sizes, certified
    errors, bytes), among it the ``baselines`` that ran in the same rounds, each with its own ratios and demand.

Numbers have four significant digits.  Nothing that names a person, a host or a folder is kept.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError
from theorytools.files import write_json
from tools import evidence

SCHEMA = "theorytools.benchmarks/2"
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
        rows = [{**_row(name, note), "date": date[:10]} for name, note in notes]
    except (KeyError, TypeError) as error:
        raise DomainError(
            f"a file without {error}", required="what pytest tools/benchmarks --benchmark-json stored",
            why="each benchmark records its ratio and the versions", advice="run it with --benchmark-enable",
        ) from error  # fmt: skip
    if not rows or any(v != versions[0] for v in versions):
        raise DomainError(f"{len(rows)} benchmarks", required="at least one, all of one environment")
    cpu = machine.get("cpu", {})
    processor = processor_of(machine)
    rows = [{**row, "processor": processor} for row in rows]
    return {
        "schema": SCHEMA,
        "date": date[:10],
        "machine": {
            "processor": processor,
            "processors": cpu.get("count"),
            "architecture": machine.get("machine"),
            "system": machine.get("system"),
        },
        "versions": {"python": machine.get("python_version"), **versions[0]},
        "tree": evidence.tree_of(modules=evidence.imported_by("tools/benchmarks")),
        "benchmarks": sorted(rows, key=lambda row: str(row["name"])),
    }


WIDEST = {  # the flag of a processor, and how its instructions for vectors are called; the first that it has
    "avx512_vpopcntdq": "AVX-512 with population counts", "avx512f": "AVX-512", "avx2": "AVX2", "avx": "AVX",
    "sve": "SVE", "asimd": "NEON", "neon": "NEON",
}  # fmt: skip


def processor_of(machine: Mapping[str, Any]) -> str:
    """Return the processor of a stored run by its name, family and model, and its widest instructions for vectors."""
    cpu = machine.get("cpu", {})
    name = cpu.get("brand_raw") or machine.get("processor") or "unknown processor"
    kind = ", ".join(f"{field} {cpu[field]}" for field in ("family", "model") if cpu.get(field) is not None)
    flags = set(cpu.get("flags", ()))
    wide = next((said for flag, said in WIDEST.items() if flag in flags), "no vector instructions named")
    return f"{name} ({'; '.join(filter(None, (kind, wide)))})"


def merged(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one record of several, the row of a benchmark from the last that holds it.

    Raises
    ------
    DomainError : records of several machines or versions.
    """
    last = dict(records[-1])
    for record in records:
        for field in ("schema", "machine", "versions"):
            if record[field] != last[field]:
                raise DomainError(
                    f"{field} {record[field]} and {last[field]}", required="one environment",
                    why="a record states its machine and versions once", advice="run all benchmarks again",
                )  # fmt: skip
    rows = {row["name"]: {"date": record["date"], **row} for record in records for row in record["benchmarks"]}
    renamed = {name for name in rows if any(other.startswith(f"{name}[") for other in rows)}  # it has cases by now
    last["date"] = max(record["date"] for record in records)
    tree = evidence.common(record.get("tree", {}) for record in records)
    return {**last, "tree": tree, "benchmarks": [rows[name] for name in sorted(rows.keys() - renamed)]}


def _row(name: str, note: dict[str, Any]) -> dict[str, Any]:
    row = {"name": name, **{field: _short(note.pop(field)) for field in _FIELDS}}
    row["met"] = None if row["demand"] is None else row["least_ratio"] >= row["demand"]
    return {**row, "facts": {key: _short(value) for key, value in sorted(note.items())}}


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _short(part) for name, part in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def summary(record: Mapping[str, Any]) -> str:
    """Return the processor, and one line for each benchmark and baseline: name, ratio with its range, demand."""
    lines = []
    for row in record["benchmarks"]:
        lines.append(_line(row["name"], "the reference", row))
        lines += [_line(row["name"], f"the {name}", other) for name, other in row["facts"].get("baselines", {}).items()]
    return "\n".join([f"on {record['machine']['processor']}:", *lines])


def combined(record: Mapping[str, Any], units: Mapping[str, float], baseline: str) -> dict[str, float]:
    r"""Return the ratio of several measured rows taken together, computed from theirs; nothing is run.

    A row of ``u`` units at ``s`` seconds of the baseline and the ratio ``r`` costs the baseline ``us`` and us ``us/r``;
    the ratio of the sums is a harmonic mean, weighted by shares of the baseline's time.

    Parameters
    ----------
    record : with the rows.
    units : of each row, by its name, how many units of work are to be done.
    baseline : the name of the baseline, which all rows have.

    Returns
    -------
    dict : ``ratio`` from the medians, ``least_ratio`` from the least ratios, and the ``share of`` each row.

    Raises
    ------
    DomainError : a row that the record or its baseline lacks, no work, or rows of several units.
    """
    rows = {row["name"]: row for row in record["benchmarks"] if baseline in row["facts"].get("baselines", {})}
    kinds = {rows[name]["unit"] for name in units if name in rows}
    if not units.keys() <= rows.keys() or len(kinds) != 1 or not min(units.values()) > 0:
        raise DomainError(
            f"work {dict(units)} beside the {baseline}", required="positive numbers, for rows with it and one unit",
            advice=f"the record has {sorted(rows)}",
        )  # fmt: skip
    beside = {name: rows[name]["facts"]["baselines"][baseline] for name in units}
    spent = {name: count * beside[name]["seconds_per_unit"] for name, count in units.items()}
    whole = sum(spent.values())
    found = {key: whole / sum(spent[n] / beside[n][key] for n in units) for key in ("ratio", "least_ratio")}
    return {**found, **{f"share of {name}": seconds / whole for name, seconds in spent.items()}}


def _line(name: str, baseline: str, row: Mapping[str, Any]) -> str:
    demand = "no demand" if row["demand"] is None else f"demand {row['demand']}: {'met' if row['met'] else 'missed'}"
    span = f"{row['least_ratio']:.3g} to {row['greatest_ratio']:.3g}"
    return f"{name}: {row['ratio']:.3g} times {baseline} ({span}), {demand}"


def main(words: Sequence[str] | None = None) -> None:
    """Condense the files that are named, write the record and print its summary."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.record", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("files", nargs="+", metavar="FILE", help="what pytest --benchmark-json stored")
    parser.add_argument("--keep", action="store_true", help="keep the rows of benchmarks that were not run again")
    given = parser.parse_args(words)
    records = []
    for name in ([str(TARGET)] if given.keep else []) + given.files:
        try:
            read = json.loads(Path(name).read_text(encoding="utf-8"))
            records.append(read if name == str(TARGET) else condensed(read))
        except (OSError, ValueError, DomainError) as error:
            raise SystemExit(f"{name}: {error}") from None
    try:
        record = merged(records)
    except DomainError as error:
        raise SystemExit(str(error)) from None
    write_json(TARGET, record, indent=2)
    print(summary(record))


if __name__ == "__main__":
    main()
