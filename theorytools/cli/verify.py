"""``verify`` and ``report``: run claims, store each verdict as it is decided, render the report at the end."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.catalogue import Catalogue, Entry, find_root
from theorytools.cli import INFRASTRUCTURE, UNDECIDED, UNEXPECTED, USAGE
from theorytools.errors import DomainError

ALPHA_LIMIT = 1e-4
Job = tuple[Entry, dict[str, Any]]


def verify_claims(
    ids: Sequence[str], *, at: Sequence[str], tier: str, jobs: int, report: Path | None, resume: bool, record: bool,
    checks: Path | None, json: bool,
) -> int:  # fmt: skip
    """Judge the chosen claims; return the exit code."""
    from theorytools.claims.run import TIERS, concerned, run
    from theorytools.cli.display import Display

    if tier not in TIERS:
        raise DomainError(f"--tier {tier}", required=f"one of {', '.join(TIERS)}")
    catalogue = Catalogue(find_root(checks))
    entries = catalogue.select(ids) if ids else catalogue.entries
    moved = parse_at(at)
    work: list[Job] = concerned(entries, moved) if moved else [(entry, {}) for entry in entries]
    folder = report if report is not None else None if moved else Path("reports")
    store = None if folder is None else prepare(folder)
    kept = _reusable(store, work) if resume and store is not None else {}
    todo = [job for job in work if job[0].id not in kept]
    verdicts: dict[str, Mapping[str, Any]] = dict(kept)
    errors: dict[str, str] = {}
    display = Display(quiet=json, total=len(todo))
    try:
        with display:
            for result in run(todo, tier=tier, processes=jobs, progress=display.step):
                if result.verdict is None:
                    errors[result.entry.id] = result.error
                    display.error(result.entry, result.error)
                    continue
                verdicts[result.entry.id] = result.verdict
                _keep(store, result.verdict, moved)
                if record:
                    from theorytools.claims.records import write_record

                    write_record(result.entry, result.verdict)
                display.verdict(result.verdict)
    except KeyboardInterrupt:
        _interrupted(len(verdicts), len(work), store)
        return 130
    ordered = [verdicts[e.id] for e, _ in work if e.id in verdicts]
    spent = sum(v["alpha"]["spent"] for v in ordered)
    written = None if folder is None else _render(folder, catalogue, complete=not errors, spent=spent)
    code = exit_code(ordered, errors, spent)
    if json:
        json_module.dump(
            {"exit": code, "alpha_spent": spent, "verdicts": ordered, "errors": errors,
             "report": str(written) if written else None},
            sys.stdout, ensure_ascii=False, allow_nan=False,
        )  # fmt: skip
        print()
    else:
        display.summary(ordered, errors, spent, written, user=bool(moved))
    return code


def parse_at(at: Sequence[str]) -> dict[str, str]:
    """Return ``{"N": "4096"}`` from ``["N=4096"]``."""
    moved = {}
    for text in at:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier() or not value.strip():
            raise DomainError(
                f"--at {text}", required="NAME=VALUE", advice="theorytools verify ID --at N=4096 --at q=4"
            )
        moved[name.strip()] = value.strip()
    return moved


def exit_code(verdicts: Sequence[Mapping[str, Any]], errors: Mapping[str, str], spent: float) -> int:
    """The first that applies: 2 a user's point outside the hypotheses, 4 errors, 1 unexpected, 3 undecided, 0."""
    if any(v["outcome"] == "INAPPLICABLE" and v["user_points"] for v in verdicts):
        return USAGE
    if errors:
        return INFRASTRUCTURE
    bad = [v for v in verdicts if not v["as_expected"]]
    if spent > ALPHA_LIMIT or any(v["outcome"] != "UNDECIDED" or v.get("stale") for v in bad):
        return UNEXPECTED
    return UNDECIDED if bad else 0


def prepare(folder: Path) -> Path:
    """Return the folder of verdicts, made and writable; ``DomainError`` otherwise, before anything runs."""
    from theorytools.files import write_text

    store = folder / "verdicts"
    write_text(store / ".writable", "")
    (store / ".writable").unlink()
    return store


def _keep(store: Path | None, verdict: Mapping[str, Any], moved: Mapping[str, str]) -> None:
    if store is None:
        return
    from theorytools.files import write_json

    suffix = (
        "@" + ",".join(f"{k}={v}" for k, v in sorted(moved.items())).replace("/", "over") if moved else ""
    )
    write_json(store / f"{verdict['id']}{suffix}.json", verdict)


def _reusable(store: Path, work: Sequence[Job]) -> dict[str, Mapping[str, Any]]:
    from theorytools.claims.catalogue import fingerprint
    from theorytools.claims.document import library_fingerprint

    kept = {}
    for entry, at in work:
        path = store / f"{entry.id}.json"
        if at or not path.is_file() or entry.error:
            continue
        stored = json_module.loads(path.read_text(encoding="utf-8"))
        same = stored["source"]["sha256"] == fingerprint(entry.path)
        if same and stored.get("library_sha256") == library_fingerprint():
            kept[entry.id] = stored
    return kept


def _interrupted(done: int, total: int, store: Path | None) -> None:
    where = (
        f"; the finished verdicts are kept in {store}, --resume does the rest" if store is not None else ""
    )
    sys.stderr.write(f"interrupted: {done} of {total} claims decided{where}; the report was left as it is\n")


def stored_verdicts(folder: Path, catalogue: Catalogue) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the stored verdicts whose check is unchanged, in catalogue order, and the names left out."""
    from theorytools.claims.catalogue import fingerprint

    current = {e.id: e for e in catalogue.entries if not e.error}
    order = {id: k for k, id in enumerate(current)}
    kept, left_out = [], []
    for path in sorted((folder / "verdicts").glob("*.json")):
        verdict = json_module.loads(path.read_text(encoding="utf-8"))
        entry = current.get(verdict["id"])
        if entry is None or fingerprint(entry.path) != verdict["source"]["sha256"]:
            left_out.append(path.name)
        else:
            kept.append(verdict)
    return sorted(kept, key=lambda v: (order[v["id"]], v["user_points"], v["command"])), left_out


def _render(folder: Path, catalogue: Catalogue, *, complete: bool, spent: float) -> Path | None:
    """Write the report; a run with errors never replaces an existing one."""
    import datetime

    from theorytools.claims.document import versions
    from theorytools.reporting import write_report

    if not complete and (folder / "index.html").exists():
        sys.stderr.write(f"some checks could not be judged: the report in {folder} was left as it is\n")
        return None
    verdicts, left_out = stored_verdicts(folder, catalogue)
    if left_out:
        sys.stderr.write(f"left out of the report (their checks changed): {', '.join(left_out)}\n")
    spent = sum(v["alpha"]["spent"] for v in verdicts)
    run = {
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "versions": versions(),
        "alpha_spent": spent, "complete": complete, "command": "theorytools verify",
    }  # fmt: skip
    return write_report(folder, verdicts, catalogue.index(), run=run)


def render_report(folder: Path, checks: Path | None, json: bool) -> int:
    """Render what is stored; return the exit code of the stored verdicts."""
    if not (folder / "verdicts").is_dir():
        raise DomainError(
            f"the folder {folder}", required="a folder with verdicts/*.json",
            why="a report is a function of stored verdicts", advice="theorytools verify writes them",
        )  # fmt: skip
    catalogue = Catalogue(find_root(checks))
    prepare(folder)
    verdicts, _ = stored_verdicts(folder, catalogue)
    written = _render(folder, catalogue, complete=True, spent=0.0)
    code = exit_code(verdicts, {}, sum(v["alpha"]["spent"] for v in verdicts))
    print(
        json_module.dumps({"report": str(written), "verdicts": len(verdicts), "exit": code})
        if json
        else f"report: {written}"
    )
    return code
