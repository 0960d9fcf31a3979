"""``sweep``: plan, run and resume a sweep, export its trials, make its record."""

from __future__ import annotations

import json as json_module
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from theorytools.cli.answers import answer
from theorytools.cli.formats import UNEXPECTED, hanging
from theorytools.errors import DomainError
from theorytools.interrupts import tell
from theorytools.progress import talking
from theorytools.shown import visible

EXPORTS = {".csv": "export_csv", ".parquet": "export_parquet"}


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the command line asks for."""

    profile: str
    protocol: str
    device: str
    executor: str
    block: str
    store: Path | None
    plan: bool
    status: bool
    export: Path | None
    record: bool
    replace: bool
    allow_dirty: bool
    retry: bool
    stored: bool
    from_record: bool
    take: tuple[Path, ...]
    checks: Path | None
    json: bool


def sweep_command(name: str, options: Options) -> int:
    """Do what the options ask; return the exit code."""
    from theorytools.training.sweep import ANY, sweeps

    if not name:
        return _list(options)
    with talking():
        chosen, export = sweeps(name, options.checks), options.export
    if options.device not in ANY:  # unknown words are errors before anything is made
        raise DomainError(f"--device {options.device}", required=" or ".join(ANY))
    for one in chosen:
        with talking():
            one.block(options.profile, options.protocol, options.block)
            one.on(options.device)
    if export is not None and export.suffix not in EXPORTS:
        raise DomainError(f"--export {export}", required=f"a name that ends in {' or '.join(EXPORTS)}")
    if len(chosen) > 1 and export is not None and options.store is None and not options.plan:
        raise DomainError(
            f"--export {export} for {len(chosen)} sweeps, each with its own store",
            required="one table, one store",
            advice=f"--store FILE for all of them, or one sweep: {', '.join(one.name for one in chosen)}",
        )
    do = _plan if options.plan else _status if options.status else _run
    return max(do(one, options) for one in chosen)


def _list(options: Options) -> int:
    from theorytools.training.sweep import all_sweeps, load_sweep

    with talking():
        found = [load_sweep(path) for path in all_sweeps(options.checks).values()]
    rows = [{"sweep": s.name, "paper": s.paper, "title": s.title, "profiles": list(s.profiles)} for s in found]
    if options.json:
        answer("sweeps", {"sweeps": rows})
    else:
        for row in rows:
            print(hanging(f"{row['sweep']:<16} ", f"{row['title']}  ({', '.join(row['profiles'])})", 4))
    return 0


def _plan(one: Any, options: Options) -> int:
    """Print question, rule, power and cells; a step of the cells that are not there is timed, and nothing is kept."""
    from theorytools.cli.sweep_plan import plan_text
    from theorytools.training.memory import available
    from theorytools.training.plan import cells, plan_json

    groups, known, there = _groups(one, options), _known(one, options), _there(one, options)
    _require_device(options.device)
    with talking():
        found = cells(one, groups, known, options.device, free=available(options.device))
        data = plan_json(one, options.profile, options.protocol, options.device, found) | {"record": there}
    if options.json:
        answer("plan", data)
        return 0
    print(plan_text(data))
    if there:
        _print_record(f"record there: profile {there['profile']}, {there['trials']} trials, {there['created'][:10]}, "
                      f"{there['file']}", there["uncommitted"])  # fmt: skip
    return 0


def _known(one: Any, options: Options) -> dict[str, Any]:
    """Return the trials that the record or the store has, by key; the store's stand before the record's."""
    from theorytools.training.plan import Known
    from theorytools.training.trials.store import Store
    from theorytools.training.trials.trial import trial_key

    path, found = _record_path(one, options), dict[str, Any]()
    if _there(one, options) is not None:
        data = json_module.loads(path.read_text(encoding="utf-8"))
        for trial in [*data["trials"], *data.get("unfinished", ())]:
            found[trial_key(trial["spec"])] = Known(trial["status"], trial["result"], trial["seconds"], stored=False)
    if _store(one, options).is_file():
        with Store(_store(one, options), read_only=True) as store:
            found |= {row.key: Known(row.status, row.result, row.seconds, stored=True) for row in store.rows()}
    return found


def _status(one: Any, options: Options) -> int:
    from theorytools.training.status import status, status_text
    from theorytools.training.trials.store import Store

    with Store(_store(one, options), read_only=True) as store:
        data = status(_groups(one, options), store)
    if options.json:
        answer("status", {"sweep": one.name, "store": str(store.path), **data}, UNEXPECTED if data["reasons"] else 0)
    else:
        print(f"{one.name}, profile {options.profile}, protocol {options.protocol}: {store.path}\n{status_text(data)}")
    return UNEXPECTED if data["reasons"] else 0


def _store(one: Any, options: Options) -> Path:
    return Path("sweeps") / f"{one.name}.sqlite" if options.store is None else options.store


def _record_path(one: Any, options: Options) -> Path:
    from theorytools.places import record_file

    folder = one.file.parents[1] if options.checks is None else options.checks / one.paper
    return record_file(folder, f"sweeps/{one.name}.{options.protocol}.json")


def _there(one: Any, options: Options) -> dict[str, Any] | None:
    """Return what the record that claims read says of itself, or None where there is none that can be read."""
    path = _record_path(one, options)
    try:
        data = json_module.loads(path.read_text(encoding="utf-8"))
        return {
            "file": str(path), "profile": str(data["profile"]), "trials": len(data["trials"]),
            "created": str(data["provenance"]["created"]), "uncommitted": _uncommitted(path),
        }  # fmt: skip
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _print_record(text: str, uncommitted: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    dirty = Text(", from uncommitted code", "red") if uncommitted else Text()
    Console().print(Text(visible(text)) + dirty, soft_wrap=True)


def _groups(one: Any, options: Options) -> list[Any]:
    with talking():
        return list(one.block(options.profile, options.protocol, options.block))


def _run(one: Any, options: Options) -> int:
    from theorytools.cli.sweep_plan import plan_text
    from theorytools.training.plan import plan_json
    from theorytools.training.record import restore, write_sweep_record
    from theorytools.training.trials.store import Store

    groups = _groups(one, options)
    path = _store(one, options)
    folder, target = _record_folders(one, options)
    with ExitStack() as stack:
        with talking():  # processes that are started here keep to it
            engine = None if options.stored else _engine(stack, one, groups, options)
        others = [stack.enter_context(Store(other, read_only=True)) for other in options.take]
        reading = options.stored and not (options.from_record or others)
        store = stack.enter_context(Store(path, read_only=reading))
        for other in others:
            store.take(other)
        if options.from_record:
            restore(folder, one, options.protocol, store)
        waiting = any(spec not in store for group in groups for spec in group)
        if engine is not None and waiting and not options.json:
            print(f"{plan_text(plan_json(one, options.profile, options.protocol))}\n", flush=True)
        with talking():
            summary = _driven(one, groups, store, engine, path, options)
        if options.export is not None:
            getattr(store, EXPORTS[options.export.suffix])(options.export)
        made = None
        if options.record:
            made = write_sweep_record(
                target, one, options.profile, options.protocol, store, options.device, replace=options.replace,
                allow_dirty=options.allow_dirty,
            )  # fmt: skip
        rows = [store.get(spec) for group in groups for spec in group]
    missing = sum(row is None for row in rows)
    failed = sum(row is not None and row.status == "failed" for row in rows)
    code = UNEXPECTED if failed or (missing and not options.stored) else 0
    if options.json:
        answer("sweep.answer", _json(one, options, rows, path, made), code)
    else:
        _tell(one, rows, summary, path, made, options.checks)
    return code


def _record_folders(one: Any, options: Options) -> tuple[Path, Path]:
    """Return the folders of checks where a record is read and written; refuse one that would lose trials."""
    from theorytools.places import named_for_records, record_target
    from theorytools.training.record import require_no_loss
    from theorytools.training.registration import require_committed
    from theorytools.training.trials.provenance import described

    if not (options.record or options.from_record):
        return Path(), Path()
    if options.record and options.checks is not None:
        named_for_records(options.checks)
    # a given folder holds records of the library's papers, too, and need hold nothing else
    folder = options.checks.resolve() / one.paper if options.checks else one.file.parents[1]
    path = record_target(folder, f"sweeps/{one.name}.{options.protocol}.json")
    if options.record and not (options.allow_dirty or options.stored):  # before anything runs
        require_committed(one, described(path.parent))
    if options.record and not options.replace:
        specs = [spec for group in one.groups(options.profile, options.protocol) for spec in group]
        require_no_loss(path, one, options.profile, specs)
    return folder, path.parent.parent.parent


def _engine(stack: ExitStack, one: Any, groups: list[Any], options: Options) -> Any:
    """Return the engine; refuse a device that is not there and a grid that cannot fit before anything is made."""
    from theorytools.claims.papers.location import library_root
    from theorytools.optional import require
    from theorytools.training.memory import available, require_memory
    from theorytools.training.trials.executors import executor
    from theorytools.training.trials.work import resolve

    if library_root() in one.file.parents:  # the library's own train with it
        require("torch")
    resolve(one.running)  # what is wrong with it is said before a worker starts
    if options.executor.startswith("dask://"):  # the device and the memory are those of other machines
        return stack.enter_context(executor(options.executor))
    _require_device(options.device)
    require_memory(one, groups, options.device, 1, available(options.device))
    engine = stack.enter_context(executor(options.executor))
    require_memory(one, groups, options.device, int(getattr(engine, "processes", 1)), available(options.device))
    return engine


def _driven(one: Any, groups: list[Any], store: Any, engine: Any, path: Path, options: Options) -> Any:
    from theorytools.training.sweep import run_group
    from theorytools.training.trials.driver import drive_groups

    elsewhere = options.executor.startswith("dask://")  # on machines that need not see this folder
    pauses = None if elsewhere else path.absolute().with_suffix(".cells")
    runner = partial(run_group, one.running, device=options.device, pauses=pauses)
    if engine is None:
        return drive_groups([], runner, store)
    try:
        return drive_groups(groups, runner, store, engine, retry_failed=options.retry)
    except KeyboardInterrupt:
        specs = [spec for group in groups for spec in group]
        there = sum(spec in store for spec in specs)
        tell(f"interrupted: {there} of {len(specs)} trials are in {path}; the same command goes on\n")
        raise


def _require_device(device: str) -> None:
    if device == "cuda":
        import torch

        if not torch.cuda.is_available():
            raise DomainError("--device cuda", required="a CUDA device that torch sees", advice="--device cpu")


def _json(one: Any, options: Options, rows: list[Any], path: Path, made: Path | None) -> dict[str, Any]:
    trials = [{"spec": r.spec, "status": r.status, "result": r.result, "reason": r.reason} for r in rows if r]
    return {
        "sweep": one.name, "profile": options.profile, "protocol": options.protocol, "store": str(path),
        "trials": trials, "record": None if made is None else str(made),
        "uncommitted": made is not None and _uncommitted(made),
    }  # fmt: skip


def _tell(one: Any, rows: list[Any], summary: Any, path: Path, made: Path | None, checks: Path | None) -> None:
    from theorytools.cli.sweep_end import tell_end

    tell_end(one, rows, path, made, checks)
    there = sum(row is not None for row in rows) if not summary.asked else summary.before
    print(f"{there} of {len(rows)} trials were there, {summary.done} done, {summary.censored} censored "
          f"(+), {summary.failed} failed; {path}")  # fmt: skip
    for reason, count in summary.reasons.items():
        print(f"{count} failed: {reason}")
    if made is not None:
        _print_record(f"record {made}", _uncommitted(made))


def _uncommitted(made: Path) -> bool:
    """Whether the record that was written is of code that no commit holds."""
    from theorytools.training.sweep import from_uncommitted

    return from_uncommitted(json_module.loads(made.read_text(encoding="utf-8"))["provenance"])
