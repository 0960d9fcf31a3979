"""``verify`` and ``report``: run claims, store each verdict as it is decided, render the report at the end."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.catalogue import Catalogue, Entry, find_roots
from theorytools.claims.limits import ALPHA_LIMIT, TIERS
from theorytools.cli import INFRASTRUCTURE, UNDECIDED, UNEXPECTED, USAGE, stored, talking
from theorytools.cli.display import Display
from theorytools.errors import DomainError, TheoryError

Job = tuple[Entry, dict[str, Any]]


def verify_claims(
    ids: Sequence[str], *, at: Sequence[str], tier: str, jobs: int, report: Path | None, resume: bool, record: bool,
    checks: Path | None, json: bool,
) -> int:  # fmt: skip
    """Judge the chosen claims; return the exit code."""
    from theorytools.claims.run import concerned, run

    if tier not in TIERS:
        raise DomainError(f"--tier {tier}", required=f"one of {', '.join(TIERS)}")
    moved = parse_at(at)
    if moved and record:
        raise DomainError("--record with --at", required="the claim's own grid", why="a record stands for the claim")
    catalogue = Catalogue(find_roots(checks))
    entries = catalogue.select(ids) if ids else catalogue.own
    with talking(json):
        work: list[Job] = concerned(entries, moved) if moved else [(entry, {}) for entry in entries]
    folder = report if report is not None else None if moved else Path("reports")
    store = None if folder is None else stored.prepare(folder)
    verdicts = stored.reusable(store, work) if resume and store is not None else {}
    todo = [job for job in work if job[0].id not in verdicts]
    display = Display(quiet=json, total=len(todo))
    errors: dict[str, str] = {}
    try:
        with display, talking(json):
            results = run(todo, tier=tier, processes=jobs, progress=display.step)
            _collect(results, verdicts, errors, display, store=store, record=tier if record else "")
    except KeyboardInterrupt:
        _interrupted(len(verdicts), len(work), store)
        return 130
    ordered = [verdicts[e.id] for e, _ in work if e.id in verdicts]
    written = None if folder is None else _render(folder, catalogue, complete=not errors)
    _tell(ordered, errors, written, display if not json else None, user=bool(moved))
    return exit_code(ordered, errors)


def _collect(
    results: Iterable[Any], verdicts: dict[str, Mapping[str, Any]], errors: dict[str, str], display: Display, *,
    store: Path | None, record: str,
) -> None:  # fmt: skip
    """Store every result as it comes; ``record`` is the tier whose claims ran and are to be recorded."""
    for result in results:
        if result.verdict is None:
            errors[result.entry.id] = result.error
            display.error(result.entry, result.error)
            continue
        verdicts[result.entry.id] = result.verdict
        stored.keep(store, result.verdict)
        display.verdict(result.verdict)
        if record and TIERS.index(result.verdict["tier"]) <= TIERS.index(record):
            from theorytools.claims.records import write_record

            try:
                write_record(result.entry, result.verdict)
            except TheoryError as error:
                errors[result.entry.id] = str(error)
                display.error(result.entry, str(error))


def _tell(
    verdicts: Sequence[Mapping[str, Any]], errors: Mapping[str, str], written: Path | None, display: Display | None, *,
    user: bool,
) -> None:  # fmt: skip
    if display is not None:
        display.summary(verdicts, errors, _spent(verdicts), written, user=user)
        return
    answer = {
        "exit": exit_code(verdicts, errors), "alpha_spent": _spent(verdicts), "verdicts": verdicts, "errors": errors,
        "report": str(written) if written else None,
    }  # fmt: skip
    print(json_module.dumps(answer, ensure_ascii=False, allow_nan=False))


def parse_at(at: Sequence[str]) -> dict[str, str]:
    """Return ``{"N": "4096"}`` from ``["N=4096"]``."""
    moved: dict[str, str] = {}
    for text in at:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name.isidentifier() or not value:
            raise DomainError(
                f"--at {text}", required="NAME=VALUE", advice="theorytools verify ID --at N=4096 --at q=4"
            )
        if name in moved:
            raise DomainError(
                f"--at {name}={moved[name]} and --at {text}", required="one value for each letter",
                why="--at replaces an axis of the grid by one value", advice="run verify once for each value",
            )  # fmt: skip
        moved[name] = value
    return moved


def exit_code(verdicts: Sequence[Mapping[str, Any]], errors: Mapping[str, str]) -> int:
    """Return the exit code of a run.

    2 where a claim has no point inside its hypotheses at a user's values and no other claim came out otherwise than
    expected; then the first that applies: 4 errors, 1 not as expected, 3 undecided, or a user's point left open, 0.
    """
    outside = [v for v in verdicts if v["outcome"] == "INAPPLICABLE" and v["user_points"]]
    bad = [v for v in verdicts if not v["as_expected"] and v not in outside]
    decided = [v for v in bad if v["outcome"] != "UNDECIDED" and not _partly_open(v)]
    unexpected = _spent(verdicts) > ALPHA_LIMIT or bool(decided) or any(v.get("stale") for v in bad)
    if outside and not unexpected:
        return USAGE
    if errors:
        return INFRASTRUCTURE
    return UNEXPECTED if unexpected else UNDECIDED if bad else 0


def _partly_open(verdict: Mapping[str, Any]) -> bool:
    """Whether the points of a user that could be judged came out as expected and others stayed open."""
    left = any(s["open"] for s in verdict["skipped"])
    return bool(verdict["user_points"] and left and verdict["outcome"] == verdict["expect"])


def _spent(verdicts: Sequence[Mapping[str, Any]]) -> float:
    return float(sum(v["alpha"]["spent"] for v in verdicts))


def _interrupted(done: int, total: int, store: Path | None) -> None:
    where = f"; the finished verdicts are kept in {store}, --resume does the rest" if store is not None else ""
    sys.stderr.write(f"interrupted: {done} of {total} claims decided{where}; the report was left as it is\n")


def _render(folder: Path, catalogue: Catalogue, *, complete: bool) -> Path | None:
    """Write the report; a run with errors never replaces an existing one."""
    import datetime

    from theorytools.claims.document import versions
    from theorytools.claims.trained_runs import trained_runs
    from theorytools.reporting import write_report

    if not complete and (folder / "index.html").exists():
        sys.stderr.write(f"some checks could not be judged: the report in {folder} was left as it is\n")
        return None
    verdicts, left_out = stored.current(folder, catalogue)
    if left_out:
        sys.stderr.write(f"left out of the report (no verdict, or its check changed): {', '.join(left_out)}\n")
    run = {
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "versions": versions(),
        "alpha_spent": _spent(verdicts), "complete": complete, "command": "theorytools verify",
    }  # fmt: skip
    told = {*catalogue.own_papers, *(v["source"]["paper"] for v in verdicts)}
    papers = [{**p, "sweeps": trained_runs(catalogue.paper(p["key"]).folder)} for p in catalogue.index(told)]
    return write_report(folder, verdicts, papers, run=run)


def render_report(folder: Path, checks: Path | None, json: bool) -> int:
    """Render what is stored; return the exit code of the stored verdicts."""
    catalogue = Catalogue(find_roots(checks))
    verdicts, _ = stored.current(folder, catalogue)
    if not verdicts:
        raise DomainError(
            f"the folder {folder}", required=f"a folder with verdicts/*.json of the checks in {catalogue.places}",
            why="a report is a function of stored verdicts", advice="theorytools verify writes them",
        )  # fmt: skip
    stored.prepare(folder)
    written = _render(folder, catalogue, complete=True)
    code = exit_code(verdicts, {})
    print(
        json_module.dumps({"report": str(written), "verdicts": len(verdicts), "exit": code})
        if json
        else f"report: {written}"
    )
    return code
