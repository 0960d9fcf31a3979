"""``verify`` and ``report``: run claims, store each verdict as it is decided, render the report at the end."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theorytools.claims.judging.pool import Said, cores
from theorytools.claims.judging.versions import versions
from theorytools.claims.language import ALPHA_LIMIT, TIERS
from theorytools.claims.papers.catalogue import Catalogue, Entry, Paper, find_roots, library_root
from theorytools.cli import golden
from theorytools.cli.annotations import marks
from theorytools.cli.answers import answer
from theorytools.cli.claims_asked import asked_claims
from theorytools.cli.display import Display, partly_open
from theorytools.cli.formats import INFRASTRUCTURE, INTERRUPTED, UNDECIDED, UNEXPECTED, USAGE
from theorytools.cli.quick import Quick, asked, started
from theorytools.cli.row_table import rows_asked
from theorytools.cli.stored import FRONT, Store, committed
from theorytools.errors import CheckError, DomainError, FolderError, TheoryError
from theorytools.files import unreadable
from theorytools.interrupts import tell
from theorytools.mistakes.seen import read_parts
from theorytools.progress import talking
from theorytools.reporting.messages import readable

if TYPE_CHECKING:
    from theorytools.reporting.growing import Growing
from theorytools.cli.at_files import from_file

Job = tuple[Entry, dict[str, Any]]
FOLDER = Path("site")


def verify_claims(
    ids: Sequence[str], *, at: Sequence[str], tier: str, jobs: int, report: Path | None, no_report: bool, fresh: bool,
    record: bool, checks: Path | None, format: str = "text", verbose: bool = False, accept: bool = False,
    quick: bool = False, seed: int | None = None, limit: float | None = None, rows: str = "12",
    annotated: bool = False,
) -> int:  # fmt: skip
    """Judge the chosen claims; return the exit code."""
    quiet, begun, most = format != "text", _processor_seconds(), rows_asked(rows)
    asked(quick, seed, {"--at": at, "--fresh": fresh, "--record": record, "--accept": accept}, tier)
    moved = _asked(tier, at, record, report, no_report, accept, limit)
    catalogue = Catalogue(find_roots(checks))
    entries = asked_claims(catalogue, ids)
    work, store = _jobs(entries, moved, ids), Store(report or FOLDER)
    left_out = _left_out(entries, work, moved)
    writes = not no_report and (report is not None or not moved) and _prepared(store, catalogue, named=bool(report))
    known = {} if fresh or record or moved else store.reusable(work, tier)
    plan, growing, verdicts, errors = None, None, dict(known), dict[str, str]()
    try:
        if quick:
            plan = started(catalogue, entries, store, seed, set(known), jobs or cores(), quiet=quiet)
            verdicts |= plan.confirmed
        todo = [job for job in work if job[0].id not in verdicts or (plan and job[0].id in plan.sample)]
        if writes:
            store.look(todo)
            growing = _growing(store, catalogue, verdicts.values(), todo, plan)
        with Display(quiet=quiet, total=len(todo)) as display, talking():
            results = _judged(todo, tier, jobs or None, display, store.hints(catalogue), limit) if todo else ()
            _collect(results, verdicts, errors, display, store=store if writes else None, growing=growing,
                     record=tier if record else "")  # fmt: skip
    except KeyboardInterrupt:
        return _interrupted(len(verdicts), len(work), store if writes else None, growing)
    again = plan.end(verdicts) if plan else ()  # of these what differs is a contradiction, and told as one
    written = store.folder / "index.html" if writes else None
    if writes and (todo or plan or not store.rendered or store.gone(catalogue)):
        written = _rendered(store, catalogue, jobs or cores(), complete=not errors, plan=plan)
    judged = [verdicts[entry.id] for entry, _ in todo if entry.id in verdicts]
    changes = golden.changed([verdict for verdict in judged if verdict["id"] not in again], catalogue)
    ordered = [verdicts[e.id] for e, _ in work if e.id in verdicts]
    code = _code(ordered, errors, plan, kept=not store.unkept)
    if quiet:
        _tell(ordered, errors, written, format, changes, plan, code, left_out)
    else:
        display.summary(ordered, errors, _spent(ordered), written, user=bool(moved), known=len(known), verbose=verbose,
                        judged=judged, command=_processor_seconds() - begun, rows=most)  # fmt: skip
    said = marks((entry for entry, _ in work), verdicts, errors) if annotated else ()
    _end(plan, golden.accept(catalogue, store.path) if accept else (), said, changes, store.folder, quiet=quiet)
    return code


def _end(
    plan: Quick | None, accepted: Iterable[Path], said: Iterable[str], changes: Sequence[Mapping[str, str]],
    folder: Path, *, quiet: bool,
) -> None:  # fmt: skip
    """Say what changed, the annotations, which GitHub reads on both streams, then which files of the committed record
    were written, and what a quick run confirmed.
    """
    if not quiet:
        golden.tell(changes, folder)
    for line in said:
        (sys.stderr if quiet else sys.stdout).write(f"{line}\n")
    for path in accepted:
        (sys.stderr if quiet else sys.stdout).write(f"wrote {path}\n")
    if plan and not quiet:
        plan.tell()


def _code(
    verdicts: Sequence[Mapping[str, Any]], errors: Mapping[str, str], plan: Quick | None, *, kept: bool
) -> int:  # fmt: skip
    """The exit code; a committed verdict that is contradicted here is one more that is not as expected."""
    code = exit_code(verdicts, errors, kept=kept)
    return UNEXPECTED if plan and plan.contradicted and code in (0, UNDECIDED) else code


def _prepared(store: Store, catalogue: Catalogue, *, named: bool) -> bool:
    """Whether the report's folder can be written to; a folder that the user named must be."""
    try:
        store.prepare(catalogue)
    except FolderError as error:
        if named:
            raise
        store.not_kept(error)
    return not store.unkept


def _rendered(
    store: Store, catalogue: Catalogue, processes: int, *, complete: bool, plan: Quick | None
) -> Path | None:  # fmt: skip
    """Write the report after a run; where that cannot be, its verdicts are told all the same."""
    try:
        if not store.unkept:
            return render(store, catalogue, processes, complete=complete, plan=plan)
    except TheoryError as error:
        store.not_kept(error)
    sys.stderr.write(f"the report in {store.folder} was left as it is\n")
    return None


def _asked(
    tier: str, at: Sequence[str], record: bool, report: Path | None, no_report: bool, accept: bool,
    limit: float | None,
) -> dict[str, Any]:  # fmt: skip
    """Return the axes that are moved; ``DomainError`` for options that contradict each other."""
    if limit is not None and not 0 < limit < math.inf:
        raise DomainError(f"--limit {limit:g}", required="a positive number of seconds", why="each point has so many")
    if accept and (at or no_report):
        raise DomainError("--accept with --at or --no-report", required="the grid, and its stored verdicts")
    if tier not in TIERS:
        raise DomainError(f"--tier {tier}", required=f"one of {', '.join(TIERS)}")
    if no_report and report is not None:
        raise DomainError(f"--report {report} with --no-report", required="one of the two")
    moved = parse_at(at)
    if moved and record:
        raise DomainError("--record with --at", required="the claim's own grid", why="a record stands for the claim")
    return moved


def _jobs(entries: Sequence[Entry], at: Mapping[str, Any], ids: Sequence[str]) -> list[Job]:
    """The claims to be judged, each with what replaces axes of its grid: of moved letters the claims that have them."""
    if not at:
        return [(entry, {}) for entry in entries]
    from theorytools.claims.judging.run import concerned

    chosen = [entry.id for entry in entries]
    groups = {name for name in ids if any(id.startswith(f"{name}.") for id in chosen)}  # one claim, and others too
    with talking():
        return concerned(entries, at, set(ids) - groups)


def _left_out(entries: Sequence[Entry], work: Sequence[Job], at: Mapping[str, Any]) -> list[str]:
    """The claims that have none of the moved letters, said on stderr; so is which are moved at some of them only."""
    judged = {entry.id for entry, _ in work}
    if not entries:
        sys.stderr.write("note: no file of these papers makes a claim; theorytools list says what is open\n")
    left_out = [entry.id for entry in entries if entry.id not in judged]
    if left_out:
        sys.stderr.write(f"not judged, without an axis {' or '.join(at)}: {_few(left_out)}\n")
    for name in at if len(at) > 1 else ():
        if without := [entry.id for entry, mine in work if name not in mine]:
            sys.stderr.write(f"judged without {name}, which they have no axis for: {_few(without)}\n")
    return left_out


def _few(ids: Sequence[str]) -> str:
    return ", ".join(ids[:4]) + (f" and {len(ids) - 4} more" if len(ids) > 4 else "")


def _judged(
    todo: Sequence[Job], tier: str, processes: int | None, display: Display, hints: Mapping[str, float],
    limit: float | None,
) -> Iterable[Any]:  # fmt: skip
    from theorytools.claims.judging.run import run
    from theorytools.mistakes.door import explained_text
    from theorytools.mistakes.slips import slips

    for text in dict.fromkeys(text for entry, _ in todo if entry.root != library_root() for text in slips(entry)):
        sys.stderr.write(f"note: {text}\n")
    said = Said(display.begun, display.where)
    for result in run(todo, tier=tier, processes=processes, progress=display.step, hints=hints, said=said, limit=limit):
        yield replace(result, error=explained_text(result.entry, result.error)) if result.error else result


def _collect(
    results: Iterable[Any], verdicts: dict[str, Mapping[str, Any]], errors: dict[str, str], display: Display, *,
    store: Store | None, growing: Growing | None, record: str,
) -> None:  # fmt: skip
    """Store every result as it comes, and write the pages that are due.

    ``record`` is the tier whose claims ran and are to be recorded.
    """
    for result in results:
        if result.verdict is None:
            errors[result.entry.id] = result.error
            display.error(result.entry, result.error)
            if growing:
                growing.lose(result.entry.id)
            continue
        verdict = result.verdict if store is None else store.keep(result.entry, result.verdict)
        verdicts[result.entry.id] = verdict
        display.verdict(verdict)
        if growing:
            growing.add(verdict)
        if record and TIERS.index(result.verdict["tier"]) <= TIERS.index(record):
            from theorytools.claims.judging.record import write_record

            try:
                display.wrote(write_record(result.entry, result.verdict))
            except TheoryError as error:
                errors[result.entry.id] = str(error)
                display.error(result.entry, str(error))


def _tell(
    verdicts: Sequence[Mapping[str, Any]], errors: Mapping[str, str], written: Path | None, format: str,
    changes: Sequence[Mapping[str, str]], plan: Quick | None, code: int, left_out: Sequence[str],
) -> None:  # fmt: skip
    if format == "markdown":
        from theorytools.reporting.tables import markdown_table

        print(markdown_table(verdicts))
        if plan:
            plan.tell()
        return
    told = {
        "alpha_spent": _spent(verdicts), "verdicts": verdicts, "open": [one for v in verdicts for one in left_open(v)],
        "errors": {id: read_parts(text) for id, text in errors.items()}, "left_out": left_out,
        "report": str(written) if written else None, "changed": changes, **(plan.to_json() if plan else {}),
    }  # fmt: skip
    answer("verify", told, code)


def left_open(verdict: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return which budgets left a verdict open: what was spent, and what to raise; nothing where it is decided.

    The budgets are ``bits`` and ``samples`` of the claim's ``Budget``, ``operations`` of a point, ``record`` of a claim
    of a slower tier, and ``other``, of which the reason tells.
    """
    from theorytools.claims.papers.work import SWITCH

    if verdict["outcome"] != "UNDECIDED" and not partly_open(verdict):
        return []
    found: dict[str, dict[str, Any]] = {}
    for row in (row for row in verdict["rows"] if row["truth"] is None):
        work: dict[str, int] = {}
        for side in (row["measured"], *row.get("bound", ())):
            work |= {name: max(work.get(name, 0), side["work"].get(name, 0)) for name in ("bits", "samples")}
        name = "samples" if row["evidence"] == "SAMPLED" else "bits"
        if work[name] and work[name] > found.get(name, {"spent": 0})["spent"]:
            at = ", ".join(f"{letter}={value}" for letter, value in row["point"].items())
            found[name] = {"spent": work[name], "reason": f"{row['assertion']} stays open at {at}",
                           "raise": f"Budget({name}={2 * work[name]}) of the claim, in its check"}  # fmt: skip
    for skipped in (one for one in verdict["skipped"] if one["open"]):
        name = "operations" if SWITCH in skipped["reason"] else "other"
        reason, _, advice = skipped["reason"].partition("; try: ")
        found.setdefault(name, {"spent": None, "reason": reason, "raise": advice})
    if verdict["tier"] != TIERS[0] and "record" not in verdict and not verdict["rows"]:
        advice = f"theorytools verify {verdict['id']} --tier {verdict['tier']}"
        found.setdefault("record", {"spent": None, "reason": verdict["reason"], "raise": advice})
    if not found:
        found["other"] = {"spent": None, "reason": verdict["reason"], "raise": ""}
    return [{"id": verdict["id"], "budget": name, **told} for name, told in found.items()]


def parse_at(at: Sequence[str]) -> dict[str, Any]:
    """Return ``{"N": "4096"}`` from ``["N=4096"]``; ``N=@file`` gives the list that the file holds."""
    moved: dict[str, Any] = {}
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
        moved[name] = from_file(name, Path(value[1:])) if value.startswith("@") else value
    return moved


def exit_code(verdicts: Sequence[Mapping[str, Any]], errors: Mapping[str, str], *, kept: bool = True) -> int:
    """Return the exit code of a run.

    2 where a claim has no point inside its hypotheses at a user's values and no other claim came out otherwise than
    expected; then the first that applies: 4 errors or verdicts that could not be ``kept``, 1 not as expected, 3
    undecided, or a user's point left open, 0.
    """
    outside = [v for v in verdicts if v["outcome"] == "INAPPLICABLE" and v["user_points"]]
    bad = [v for v in verdicts if not v["as_expected"] and v not in outside]
    decided = [v for v in bad if v["outcome"] != "UNDECIDED" and not partly_open(v)]
    unexpected = _spent(verdicts) > ALPHA_LIMIT or bool(decided) or any(v.get("stale") for v in bad)
    if outside and not unexpected:
        return USAGE
    if errors or not kept:
        return INFRASTRUCTURE
    return UNEXPECTED if unexpected else UNDECIDED if bad else 0


def _processor_seconds() -> float:
    """Processor seconds of this process, and of those it started that have ended."""
    return float(sum(os.times()[:4]))


def _spent(verdicts: Sequence[Mapping[str, Any]]) -> float:
    return float(sum(v["alpha"]["spent"] for v in verdicts))


def _growing(
    store: Store, catalogue: Catalogue, known: Iterable[Mapping[str, Any]], todo: Sequence[Job], plan: Quick | None
) -> Growing | None:
    """The pages that are written while claims are judged; none where a finished report stands, which is left alone."""
    from theorytools.reporting.growing import Growing, finished
    from theorytools.reporting.sweep_records import trained_runs

    if finished(store.folder) or any(at for _, at in todo):
        return None

    def papers() -> list[dict[str, Any]]:
        told = catalogue.index({entry.paper for entry, _ in todo})
        return [{**p, "sweeps": trained_runs(catalogue.paper(p["key"]).folder)} for p in told]

    shown = [plan.marked(v["id"]) if plan and v["id"] in plan.confirmed else v for v in known]
    command = plan.command if plan else "theorytools verify"
    run = {"versions": versions(), "origin": str(catalogue.roots[0]), "command": command}
    return Growing(store.folder, papers, shown, [entry.id for entry, _ in todo], run)


def _interrupted(done: int, total: int, store: Store | None, growing: Growing | None) -> int:
    where = f"; the finished verdicts are kept in {store.path}, the same command does the rest" if store else ""
    shown = growing is not None and growing.index()
    left = "the report says that it is not finished" if shown else "the report was left as it is"
    tell(f"interrupted: {done} of {total} claims decided{where}; {left}\n")
    return INTERRUPTED


def render(
    store: Store, catalogue: Catalogue, processes: int, *, complete: bool, plan: Quick | None = None,
    found: tuple[Sequence[Mapping[str, Any]], Sequence[str]] | None = None,
) -> Path | None:  # fmt: skip
    """Write the report; a run with errors never replaces an existing one.

    ``found`` is what :meth:`.Store.current` gave, where that was asked before.
    """
    from theorytools.reporting.folder import write_report
    from theorytools.reporting.growing import finished

    store.finish(catalogue)
    if not complete and finished(store.folder):
        sys.stderr.write(f"some checks could not be judged: the report in {store.folder} was left as it is\n")
        return None
    verdicts, papers, run = contents(store, catalogue, complete=complete, plan=plan, found=found)
    written = write_report(store.folder, verdicts, papers, run=run, processes=processes)
    if plan:  # what it shows beside the stored verdicts was confirmed by this run: the next one shows its own
        store.place.remove("rendered")
    else:
        store.mark_rendered(catalogue)
    return written


def contents(
    store: Store, catalogue: Catalogue, *, complete: bool, plan: Quick | None = None,
    found: tuple[Sequence[Mapping[str, Any]], Sequence[str]] | None = None,
) -> tuple[Sequence[Mapping[str, Any]], list[dict[str, Any]], dict[str, Any]]:  # fmt: skip
    """Return what the pages of a report show: verdicts, papers, and what is known of the run."""
    import datetime

    verdicts, outdated = store.current(catalogue) if found is None else found
    if outdated:
        few = ", ".join(outdated[:4]) + (", …" if len(outdated) > 4 else "")
        many = "claims changed since they were" if len(outdated) > 1 else "claim changed since it was"
        sys.stderr.write(f"{len(outdated)} {many} judged; left out: {few}\n")
    verdicts = plan.on_pages(verdicts) if plan else verdicts
    run: dict[str, Any] = {
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "versions": versions(),
        "alpha_spent": _spent([v for v in verdicts if not v.get("compact")]), "complete": complete,
        "command": "theorytools verify", "origin": str(catalogue.roots[0]),
    }  # fmt: skip
    run |= {"command": plan.command, "quick": plan.to_json()} if plan else {}
    told = {*catalogue.own_papers, *(v["source"]["paper"] for v in verdicts)}
    run["before"] = committed(catalogue, told)
    run |= _recorded(catalogue)
    papers = [
        {**p, **_told(store, catalogue, catalogue.paper(p["key"]), verdicts, run["before"])}
        for p in catalogue.index(told)
    ]
    return verdicts, papers, run


def _recorded(catalogue: Catalogue) -> dict[str, Any]:
    """What the pages show of the records beside the checks, besides verdicts."""
    from theorytools.claims.judging.disputed import told_disputes
    from theorytools.phase.stored import read_record

    root = catalogue.roots[0]
    return {"phase": read_record(root.parent, root), "finds": told_disputes(root), "front": _front(root.parent)}


def _front(project: Path) -> dict[str, Any]:
    """What the front page opens with, ``reports/front.toml`` beside the checks; a wrong one is told of and left out."""
    from theorytools.reporting.pages.opening import front_text

    path = project / FRONT
    try:
        return front_text(path.read_text(encoding="utf-8"), FRONT) if path.is_file() else {}
    except DomainError as error:
        sys.stderr.write(f"the front page opens without what {path} has for it\n{error}\n")
    except (OSError, ValueError) as error:
        unreadable(path, error)
    return {}


def _told(
    store: Store, catalogue: Catalogue, paper: Paper, verdicts: Sequence[Mapping[str, Any]],
    known: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:  # fmt: skip
    """What the pages say of a paper besides its index: trained runs, the map of its statements, its findings, and
    what is printed beside what is judged.

    ``known`` are the verdicts of the committed records.
    """
    from dataclasses import asdict

    from theorytools.claims.judging.description import findings
    from theorytools.claims.judging.uses import statement_uses
    from theorytools.reporting.pages.gallery import pictures_in
    from theorytools.reporting.sweep_records import trained_runs

    named = {str(v["id"]): v.get("uses") or () for v in verdicts}
    edges = [asdict(use) for use in statement_uses(catalogue, paper, store.table, named)]
    return {
        "relations": _related(store, catalogue, paper),
        "sweeps": trained_runs(paper.folder), "edges": edges, "findings": findings(catalogue, paper),
        "necessity": _necessity(store, catalogue, paper, known), "pictures": pictures_in(paper.folder),
    }  # fmt: skip


def _related(store: Store, catalogue: Catalogue, paper: Paper) -> dict[str, Any]:
    """How each statement stands to its print; one that is said wrongly is told whole, and no page is written."""
    from theorytools.claims.judging.as_printed import relations

    try:
        return relations(catalogue, paper, store.table)
    except CheckError as error:
        sys.stderr.write(f"{readable(str(error))}\n")
        raise


def _necessity(
    store: Store, catalogue: Catalogue, paper: Paper, known: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """What is recorded of the hypotheses of each claim whose check is as it was.

    The committed record of a claim holds its fingerprint; where all files that this covers lie in papers whose files
    are as they were at that time, it is today's.
    """
    from theorytools.claims.judging.necessity_record import recorded

    found = recorded(catalogue, [paper.key])
    keys = {id.partition(".")[0] for id, verdict in known.items() if verdict["committed"]["unchanged"]}
    places = tuple(f"{catalogue.paper(key).folder}{os.sep}" for key in keys)

    def same(entry: Entry) -> bool:
        if entry.id in known and all(str(file).startswith(places) for file in store.table.checks(entry.path)):
            return bool(found[entry.id]["check"] == known[entry.id]["source"]["sha256"])
        return bool(found[entry.id]["check"] == store.table.fingerprint(entry.path))

    return {entry.id: found[entry.id]["cells"] for entry in catalogue.entries if entry.id in found and same(entry)}


def render_report(folder: Path, checks: Path | None, json: bool) -> int:
    """Render what is stored, and list what only the committed record knows; return the exit code of these verdicts."""
    catalogue, store = Catalogue(find_roots(checks)), Store(folder)
    found = store.current(catalogue)
    if not (verdicts := found[0]):
        raise DomainError(
            f"the folder {folder}", required=f"a folder with verdicts/*.json of the checks in {catalogue.places}",
            why="a report is a function of stored verdicts", advice="theorytools verify writes them",
        )  # fmt: skip
    store.prepare(catalogue)
    written = render(store, catalogue, cores(), complete=True, found=found)
    whole = [v for v in verdicts if not v.get("compact")]
    unexpected = any(not v["as_expected"] for v in verdicts if v.get("compact"))
    code = exit_code(whole, {}) or (UNEXPECTED if unexpected else 0)
    if json:
        answer("report", {"report": str(written), "verdicts": len(verdicts)}, code)
    else:
        print(f"report: {written}")
    return code
