"""``sweep``: plan, run and resume a sweep, export its trials, make its record."""

from __future__ import annotations

import json as json_module
from functools import partial
from pathlib import Path
from typing import Any

from theorytools.cli import UNEXPECTED
from theorytools.errors import DomainError

EXPORTS = {".csv": "export_csv", ".parquet": "export_parquet"}
PLAN_NOTE = (
    "seconds are of one CPU thread, roughly; the half-width holds if the repeats' logarithms have that deviation"
)


def sweep_command(
    name: str, *, profile: str, protocol: str, device: str, executor: str, store: Path | None, plan: bool,
    export: Path | None, record: bool, retry: bool, stored: bool, from_record: bool, checks: Path | None, json: bool,
) -> int:  # fmt: skip
    """Do what the options ask; return the exit code."""
    from theorytools.training.sweep import sweeps

    if not name:
        return _list(json)
    chosen = sweeps(name)
    for one in chosen:
        one.groups(profile, protocol)  # unknown words are errors before anything is made
    if export is not None and export.suffix not in EXPORTS:
        raise DomainError(f"--export {export}", required=f"a name that ends in {' or '.join(EXPORTS)}")
    if plan:
        return max(_plan(one, profile, protocol, json) for one in chosen)
    options = (profile, protocol, device, executor, store, export, record, retry, stored, from_record, checks, json)
    return max(_run(one, *options) for one in chosen)


def _list(json: bool) -> int:
    from theorytools.training.sweeps import SWEEPS

    rows = [{"sweep": one.name, "title": one.title, "profiles": list(one.profiles)} for one in SWEEPS.values()]
    if json:
        print(json_module.dumps(rows, ensure_ascii=False))
    else:
        for row in rows:
            print(f"{row['sweep']:<16} {row['title']}  ({', '.join(row['profiles'])})")
    return 0


def _plan(one: Any, profile: str, protocol: str, json: bool) -> int:
    from theorytools.training.plan import plan_json

    data = plan_json(one, profile, protocol)
    if json:
        print(json_module.dumps(data, ensure_ascii=False, allow_nan=False))
        return 0
    print(f"{one.name}: {one.title}\nprofile {profile}, protocol {protocol}\n\n{one.question}\n")
    print(f"{'arm':<20} {'trials':>6} {'seconds':>8} {'half-width':>10} {'tells apart':>11}  {one.size or ''}")
    for arm in data["arms"]:
        half, tells = (f"{x:.2f}" if x is not None else "-" for x in (arm["half_width"], arm["tells"]))
        sizes = " ".join(map(str, arm["sizes"]))
        print(f"{arm['arm']:<20} {arm['trials']:>6} {arm['seconds']:>8.0f} {half:>10} {tells:>11}  {sizes}")
    print(f"\nassumed deviation of the logarithm: {one.noise}; {PLAN_NOTE}\nrule, fixed beforehand: {one.rule}")
    return 0


def _run(
    one: Any, profile: str, protocol: str, device: str, executor: str, path: Path | None, export: Path | None,
    record: bool, retry: bool, stored: bool, from_record: bool, checks: Path | None, json: bool,
) -> int:  # fmt: skip
    from theorytools.claims.catalogue import find_root
    from theorytools.training.driver import drive_groups
    from theorytools.training.executors import executor as engine
    from theorytools.training.memory import available, require_memory
    from theorytools.training.store import Store
    from theorytools.training.sweep_record import restore, write_sweep_record
    from theorytools.training.work import resolve

    groups = one.groups(profile, protocol)
    runner = partial(resolve(one.runner), device=_device(device))
    path = Path("sweeps") / f"{one.name}.sqlite" if path is None else path
    with Store(path) as store:
        if from_record:
            restore(find_root(checks) / one.paper, one, protocol, store)
        with engine(executor) as workers:
            if not stored:
                require_memory(groups, device, int(getattr(workers, "width", 1)), available(device))
            summary = drive_groups([] if stored else groups, runner, store, workers, retry_failed=retry)
        if export is not None:
            getattr(store, EXPORTS[export.suffix])(export)
        made = None
        if record:
            made = write_sweep_record(find_root(checks) / one.paper, one, profile, protocol, store, device)
        rows = [store.get(spec) for group in groups for spec in group]
    missing = sum(row is None for row in rows)
    failed = sum(row is not None and row.status == "failed" for row in rows)
    if json:
        print(json_module.dumps(_json(one, profile, protocol, rows, path, made), ensure_ascii=False, allow_nan=False))
    else:
        _tell(one, rows, summary, path, made)
    return UNEXPECTED if failed or (missing and not stored) else 0


def _device(device: str) -> str:
    import torch

    if device not in ("cpu", "cuda"):
        raise DomainError(f"--device {device}", required="cpu or cuda")
    if device == "cuda" and not torch.cuda.is_available():
        raise DomainError("--device cuda", required="a CUDA device that torch sees", advice="--device cpu")
    return device


def _json(one: Any, profile: str, protocol: str, rows: list[Any], path: Path, made: Path | None) -> dict[str, Any]:
    trials = [{"spec": r.spec, "status": r.status, "result": r.result, "reason": r.reason} for r in rows if r]
    return {
        "sweep": one.name, "profile": profile, "protocol": protocol, "store": str(path), "trials": trials,
        "record": None if made is None else str(made),
    }  # fmt: skip


def _tell(one: Any, rows: list[Any], summary: Any, path: Path, made: Path | None) -> None:
    from theorytools.training.sweep import arm

    cells: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        if row is not None:
            cells.setdefault((arm(row.spec), str(row.spec.get(one.size, ""))), []).append(row)
    for (name, size), trials in cells.items():
        values = [str(r.result.get(one.value, r.status)) + ("+" if r.status == "censored" else "") for r in trials]
        print(f"{name:<20} {one.size}{' = ' if size else ''}{size:<6} {' '.join(values)}")
    there = sum(row is not None for row in rows) if not summary.asked else summary.before
    print(f"{there} of {len(rows)} trials were there, {summary.done} done, {summary.censored} censored "
          f"(+), {summary.failed} failed; {path}")  # fmt: skip
    for reason, count in summary.reasons.items():
        print(f"{count} failed: {reason}")
    if made is not None:
        print(f"record {made}")
