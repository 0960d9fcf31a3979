"""How a sweep ends: intervals at each size, exponents, which of them differ, and the claims that decide by its rule."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from theorytools.cli.formats import hanging


def tell_end(one: Any, rows: Sequence[Any], path: Path, made: Path | None, checks: Path | None) -> None:
    """Print what the trials show: intervals, exponents, the rule, and what the claims that read the record say.

    Parameters
    ----------
    one : the sweep.
    rows : its trials in the store, None where one is missing.
    path : the store; the figure goes beside it.
    made : the record that was written, if one was.
    checks : the folder of checks that was given, if one was.
    """
    from theorytools.reporting.sweep_records import arms_of

    there = [row for row in rows if row is not None]
    trials = [{"spec": row.spec, "status": row.status, "result": row.result} for row in there]
    arms = arms_of(trials, one.size, one.value)
    for arm in arms:
        for line in _sizes(one, arm) if arm["sizes"] else _values(one, [r for r in there if arm["arm"] == _arm(r)]):
            print(line)
    for line in _exponents(one, [arm for arm in arms if arm["exponent"] is not None]):
        print(line)
    grown = [arm for arm in arms if arm["sizes"]]
    if grown and find_spec("matplotlib") is not None:
        from theorytools.reporting.paper_figure import write_run

        drawn = path.with_suffix(".svg")
        write_run({"title": one.title, "size": one.size, "value": one.value, "arms": grown}, drawn, "svg")
        print(f"figure: {drawn}")
    if there:
        print(hanging("rule, fixed beforehand: ", one.rule, 4))
        _decided(one, made, checks)


def _arm(row: Any) -> str:
    return str(row.spec.get("arm") or row.spec.get("architecture", ""))


def _sizes(one: Any, arm: Mapping[str, Any]) -> Iterator[str]:
    for cell in arm["sizes"]:
        stopped = f", {cell['censored']} stopped (a lower limit)" if cell["censored"] else ""
        yield f"{arm['arm']:<20} {one.size} = {cell['size']:<6} {cell['low']:.4g} to {cell['high']:.4g}{stopped}"


def _values(one: Any, rows: Sequence[Any]) -> Iterator[str]:
    """What single trials measured, where there are too few for an interval."""
    cells: dict[str, list[Any]] = {}
    for row in rows:
        cells.setdefault(str(row.spec.get(one.size, "")), []).append(row)
    for size, trials in cells.items():
        name = f"{_arm(trials[0]):<20} {one.size}{' = ' if size else ''}{size:<6}"
        yield f"{name} {' '.join(value_text(one, row) for row in trials)}"


def value_text(one: Any, row: Any) -> str:
    """Return the number that a trial measured, with a plus sign where it was stopped at its cap."""
    if row.result.get("diverged"):
        return "diverged"
    return str(row.result.get(one.value, row.status)) + ("+" if row.status == "censored" else "")


def _exponents(one: Any, arms: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for arm in arms:
        low, high = arm["exponent"]
        yield f"{arm['arm']}: grows as {one.size} to the power {low:.2f} to {high:.2f} (95 %)"
    for a, b in itertools.combinations(arms, 2):
        (low, high), (least, most) = a["exponent"], b["exponent"]
        if high < least or most < low:
            slow, fast = (a, b) if high < least else (b, a)
            yield f"{slow['arm']} grows more slowly than {fast['arm']}: the intervals are disjoint"
        else:
            yield f"{a['arm']} and {b['arm']} are not told apart: the intervals overlap"


def reading(one: Any, checks: Path | None) -> list[Any]:
    """Return the entries of the claims whose files name a sweep and read records, themselves or by an import."""
    from theorytools.claims.papers.catalogue import Catalogue, find_roots
    from theorytools.claims.papers.syntax import imported_files

    named = (f'"{one.name}"', f"'{one.name}'")
    found = []
    for entry in Catalogue(find_roots(checks)).entries:
        if entry.paper == one.paper and not entry.error:
            own, *others = (path.read_text(encoding="utf-8") for path in imported_files(entry.path))
            if any(name in own for name in named) and any("recorded" in text for text in (own, *others)):
                found.append(entry)
    return found


def _decided(one: Any, made: Path | None, checks: Path | None) -> None:
    if checks is not None and not any(checks.glob("*/paper.toml")):
        print(hanging("decided by ", f"no claim: {checks} holds no checks, and those elsewhere read other records", 4))
        return
    entries = reading(one, checks)
    if not entries:
        return
    ids = ", ".join(entry.id for entry in entries)
    if made is None:
        print(hanging("decided by ", f"{ids}, from the record: --record writes it, theorytools verify judges them", 4))
        return
    from theorytools.claims.judging.run import run
    from theorytools.progress import talking

    with talking():
        judged = list(run([(entry, {}) for entry in entries], processes=1))
    for result in judged:
        if result.verdict is None:
            print(f"{result.entry.id} could not be judged: {result.error.strip().splitlines()[-1]}")
            continue
        v = result.verdict
        kept = "as expected" if v["as_expected"] else "not as expected"
        print(hanging(f"{v['id']}  {v['outcome']}, {kept}: ", v["label"], 4))
