"""Run claims: one after another or in processes; each verdict is handed over as soon as it is decided."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from theorytools.claims.judging.conclude import conclude, failed, unresolved
from theorytools.claims.judging.controls import run_control
from theorytools.claims.judging.description import document
from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.point import Judgement, measure_point
from theorytools.claims.judging.pool import pooled, worth
from theorytools.claims.judging.price import Price, known
from theorytools.claims.judging.remark import Remark
from theorytools.claims.judging.trend import trend_ends
from theorytools.claims.judging.trial.instruments import tried
from theorytools.claims.judging.unfinished import refuse_stub
from theorytools.claims.judging.user_points import choices, move, share
from theorytools.claims.judging.verdict import Outcome, Row, Verdict
from theorytools.claims.language import TIERS
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Evidence
from theorytools.claims.language.grid import axis_text
from theorytools.claims.papers.catalogue import Catalogue, Entry, library_root
from theorytools.claims.papers.counted import read_counted
from theorytools.claims.papers.loading import broken, load, located
from theorytools.claims.papers.work import RATE, Work, declared
from theorytools.errors import CheckError, DomainError, MissingPackageError, TheoryError, did_you_mean
from theorytools.optional import lacking
from theorytools.places import reading

if TYPE_CHECKING:
    from theorytools.claims.judging.falsify import Findings

EVALUATIONS, SECONDS = 500, 5  # of the search that goes with a verdict: points, and operations as of so many seconds
OWN = 40  # points of the library's own claims, which are searched more widely where they are changed


@dataclass(frozen=True)
class Result:
    """What came of one entry: the verdict as JSON data, or the error that kept it from having one."""

    entry: Entry
    verdict: Mapping[str, Any] | None = None
    error: str = ""


def judge_entry(
    entry: Entry, at: Mapping[str, Any] | None = None, *, tier: str = "hours", progress: Any = None,
    search: bool = True, own: bool | None = None,
) -> Verdict:  # fmt: skip
    """Return the verdict of one entry; a claim of a slower tier than ``tier`` is judged from its record.

    ``at`` replaces the axes it names in every point of the grid, by one value or by each of a list.  A mistake in
    the check file is a ``CheckError``, whatever it raises, and so is a stub; a certificate that could not be made
    leaves the claim UNDECIDED.  Without ``search`` the points of the grid are judged and nothing beside them.  The
    verdict's times are those of all of this but the loading of the check's module, which serves every claim of its
    file.  ``own`` says that the search beside the grid is as short as that of the library's claims; by where it stands.
    """
    catalogue = Catalogue(entry.root)
    claim = load(entry)
    refuse_stub(claim, entry)
    started, begun = time.perf_counter(), time.process_time()
    shown = {name: ",".join(map(axis_text, choices(claim, name, value))) for name, value in (at or {}).items()}
    described = document(claim, entry, catalogue, shown)
    points = None if not at else move(claim, entry.id, at)
    work = declared(entry, claim, share=1.0 if points is None or not at else share(claim, at, len(points)))
    try:
        if TIERS.index(claim.tier) > TIERS.index(tier) and not at:
            from theorytools.claims.judging.record import judge_record

            verdict = judge_record(claim, entry, described)
            return replace(verdict, cpu=time.process_time() - begun)
        with one_thread(), reading() as trained:
            verdict = judge(claim, entry.id, points, document=described, progress=progress, work=work if at else ())
            if verdict.outcome is Outcome.INAPPLICABLE:
                refuse_contradiction(claim, entry.id)
            if search and not at and verdict.outcome is Outcome.HOLDS:
                verdict = _beside(claim, entry, verdict, work, own)
        whole = replace(verdict, seconds=time.perf_counter() - started, cpu=time.process_time() - begun)
        return replace(whole, document={**described, "trained": trained}) if trained else whole
    except CheckError as error:
        raise located(entry.path, error) from error
    except TheoryError as error:
        own = isinstance(error, DomainError) and not at  # the claim's own grid: nobody else chose these values
        if own or isinstance(error, MissingPackageError):
            raise broken(entry.path, error) from error
        reason = f"{type(error).__name__}: {'; '.join(str(error).splitlines())}"
        return Verdict(entry.id, claim.label, Outcome.UNDECIDED, claim.expect, False, None, reason,
                       user_points=bool(at), alpha_claim=claim.budget.alpha, document=described)  # fmt: skip
    except (Exception, SystemExit) as error:
        raise broken(entry.path, error, shown) from error


def _beside(claim: Claim, entry: Entry, verdict: Verdict, work: Sequence[Work], own: bool | None) -> Verdict:
    """The verdict after the search beside the grid, and after the instruments on its left side."""
    own = entry.root == library_root() if own is None else own
    counted = read_counted(entry.folder).get(entry.id)
    return tried(claim, entry, searched(claim, verdict, work, own=own, counted=counted))


def refuse_contradiction(claim: Claim, id: str) -> None:
    """Refuse hypotheses that no point satisfies: then every statement would hold, and none is judged.

    Raises
    ------
    CheckError : the hypotheses that contradict each other, in words.
    """
    from theorytools.claims.judging.searching import ClaimSpace

    if text := ClaimSpace(claim).space.contradiction():
        raise CheckError(
            f"the hypotheses of {id}: {text}", required="at least one point that satisfies all of them",
            why="of no point at all every statement is true", advice="turn one of the relations round",
        )  # fmt: skip


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Judge in one thread of torch: processes that judge side by side would wait for each other's threads.

    The small networks of a check train ten times slower where two processes have two threads each on two cores.
    """
    unset = "OMP_NUM_THREADS" not in os.environ
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # read if the check is the first to import torch
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch else 0
    if torch:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if unset:
            del os.environ["OMP_NUM_THREADS"]
        if "torch" in sys.modules and (before or unset):
            sys.modules["torch"].set_num_threads(before or os.cpu_count() or 1)


def searched(
    claim: Claim, verdict: Verdict, work: Sequence[Work] = (), *, own: bool = False,
    counted: tuple[float, float, float] | None = None,
) -> Verdict:  # fmt: skip
    """Return the verdict after a search beside the grid, so that no statement is kept by the grid alone.

    ``EVALUATIONS`` points are tried, as long as the operations of ``SECONDS`` suffice; of the library's ``own`` claims
    at most ``OWN``, and two fifths of what the grid and its controls take.  A violation refutes the claim.  Where the
    points of the grid are all that the statement speaks of no others are tried.  Of a claim whose objects the engine
    draws, others are drawn at the grid.  What the search drew is added to the claim's error probability; a search that
    draws nothing spends none.  Its time is added to the verdict's.

    Parameters
    ----------
    claim, verdict : the claim and its verdict on the grid, which holds.
    work : what the claim declares of the work of a point.
    own : whether it is one of the library's claims.
    counted : what was counted of the work of a point, where nothing is declared.
    """
    if (claim.fixed and not claim.drawn) or claim.tier != "seconds":
        return verdict
    from theorytools.claims.judging.falsify import falsify

    begun = time.process_time()
    found = falsify(
        claim, verdict.id, evaluations=OWN if own else EVALUATIONS, judged=True, work=work,
        first=_first(claim, verdict),
        operations=Price.share if own else float(SECONDS * RATE), price=None if work else known(claim, counted),
    )  # fmt: skip
    spent = time.process_time() - begun
    allowed = claim.budget.alpha if found.spent else 0.0
    verdict = replace(
        verdict, searched=_search(found), alpha_claim=verdict.alpha_claim + allowed,
        alpha_spent=verdict.alpha_spent + found.spent, seconds=verdict.seconds + found.seconds,
        cpu=verdict.cpu + spent, cpu_parts={**verdict.cpu_parts, "search": spent},
        remarks=(*verdict.remarks, *_unnumbered(verdict, found)),
    )  # fmt: skip
    return verdict if found.row is None else _violated(claim, verdict, found, found.row)


def _unnumbered(verdict: Verdict, found: Findings) -> Iterator[Remark]:
    """A remark where an observation holds on its grid, and its doubles are no numbers at a point that was searched."""
    if found.unnumbered and verdict.evidence is Evidence.OBSERVED:
        yield Remark(
            "doubles", f"{found.unnumbered}, within the hypotheses",
            advice="a comparison with what is no number is false both ways: ask what the program says there, or bound "
                   "the letter",
        )  # fmt: skip


def _first(claim: Claim, verdict: Verdict) -> list[dict[str, Any]]:
    """Where the slack of a bound would end, by its trend."""
    return [{**axes} for axes in trend_ends(verdict.trend) if set(axes) == set(claim.grid.axes)]


def _search(found: Findings) -> dict[str, Any]:
    """What a search did, as a verdict keeps it; what is 0 is left out."""
    told = {"refused": found.refused, "samples": found.samples, "left_out": found.left_out}
    reach = {name: f"{part['low']}..{part['high']}" for name, part in found.region.items() if "low" in part}
    return {"evaluations": found.evaluations, "inside": found.judged, "open": found.open, "most": found.most,
            "reach": reach, **{name: count for name, count in told.items() if count}, "ended": found.ended}  # fmt: skip


def _violated(claim: Claim, verdict: Verdict, found: Findings, row: Row) -> Verdict:
    """Return the verdict with a violation that was found off the grid, or by a fresh draw.

    Where the constant of a growth was fitted, another one may hold: then it is unresolved.  A claim that expects to
    fail has what it expects where its repairs hold at that point, too.
    """
    if row.assertion in claim.fitted:
        return replace(verdict, outcome=Outcome.UNDECIDED, as_expected=claim.expect == "UNDECIDED", limit="",
                       reason=unresolved(row), rows=(*verdict.rows, row))  # fmt: skip
    where = f"by a fresh draw, sample {found.sample}" if found.sample else "off the grid"
    where += f", with {' '.join(found.thing.split()):.200}" if found.thing else ""
    reason = f"{row.assertion} fails at {row.place}: measured {row.measured}, within the hypotheses, {where}"
    repaired = () if found.sample or found.thing or found.spent else _repaired(claim, verdict.id, row)
    rows = (*verdict.rows, *repaired, row)
    told = conclude(claim, rows, verdict.skipped)
    return replace(
        verdict, outcome=failed(Outcome.REFUTED, claim.witnessed), as_expected=told["as_expected"],
        evidence=row.evidence, controls=told["controls"], reason=reason, limit="", rows=rows,
    )  # fmt: skip


def _repaired(claim: Claim, id: str, row: Row) -> list[Row]:
    """The rows of the repairs at the point of a violation; none of one that cannot be judged there.

    Nothing is drawn: of a claim that draws a repair would be one more look, for which no error probability is left.
    """
    axes = {name: claim.value(name, text) for name, text in row.point.items()}
    point, bench = claim.point(axes, ".".join(id.split(".")[:2])), Judgement(claim, claim.row_alpha(1), brief=True)
    rows: list[Row] = []
    with contextlib.suppress(Exception):
        honest = measure_point(bench, point)
        for control in claim.controls:
            rows += (run_control(bench, control, point, honest) or []) if control.repair else []
    return [] if bench.spent else rows


def concerned(
    entries: Sequence[Entry], at: Mapping[str, Any], named: Collection[str] = ()
) -> list[tuple[Entry, dict[str, Any]]]:
    """Return the entries that have some of the given axes, each with its part.

    An entry that does not load is returned too, so that its error is reported beside the other verdicts.

    Parameters
    ----------
    entries : the claims that were chosen.
    at : a value for each letter.
    named : the ids among them that were asked for one by one, each of which must have all the letters.

    Raises
    ------
    DomainError
        For a letter that no claim has or a named one lacks, and for a value that its axis cannot take.
    """
    parts = []
    unused, names = set(at), set()
    for entry in entries:
        try:
            claim = load(entry)
        except CheckError:
            parts.append((entry, dict(at)))
            continue
        if entry.id in named:
            _has_letters(entry.id, claim.grid.axes, at)
        names |= set(claim.grid.axes)
        mine = {name: value for name, value in at.items() if name in claim.grid.axes}
        unused -= set(mine)
        if mine:
            move(claim, entry.id, mine)
            parts.append((entry, mine))
    if unused and names:
        raise DomainError(
            f"the letter {', '.join(sorted(unused))}",
            required=f"an axis of the chosen claims: {', '.join(sorted(names))}",
            why="no chosen claim has it",
            advice=did_you_mean(min(unused), names, "theorytools show ID lists the axes of a claim"),
        )
    return parts


def _has_letters(id: str, axes: Collection[str], at: Mapping[str, Any]) -> None:
    """Refuse letters that a claim asked for by its id does not have: leaving it out would pass for judging it."""
    if lacking := sorted(set(at) - set(axes)):
        letters = f"the letter {lacking[0]}" if len(lacking) == 1 else f"the letters {', '.join(lacking)}"
        raise DomainError(
            f"{letters} for {id}", required=f"axes of that claim: {', '.join(axes)}" if axes else "a claim with axes",
            why="it was asked for by its id and has no such axis, so it would not be judged there",
            advice=did_you_mean(lacking[0], axes, "leave it out, or move its own letters in a run of its own"),
        )  # fmt: skip


def _judged(
    tier: str, entry: Entry, at: Mapping[str, Any], progress: Callable[[int, int], None] | None
) -> tuple[Mapping[str, Any] | None, str]:
    """The verdict as JSON data, or the text of the error that kept the claim from one."""
    try:
        return judge_entry(entry, at, tier=tier, progress=progress).to_json(), ""
    except TheoryError as error:
        return None, str(error)


def run(
    jobs: Sequence[tuple[Entry, Mapping[str, Any]]], *, tier: str = "seconds", processes: int | None = None,
    progress: Callable[[Entry, int, int], None] | None = None, hints: Mapping[str, float] | None = None,
) -> Iterator[Result]:  # fmt: skip
    """Yield a result per job as it is decided; the verdicts do not depend on order or processes.

    Parameters
    ----------
    jobs : entries, each with the axes that replace the grid's.
    tier : the slowest tier that is run; slower claims are judged from their records.
    processes : how many processes judge; default: as many as there are cores, and fewer where the work is little.
    progress : called with (entry, done, total) after every point.
    hints : seconds that claims took before, by id, for several processes to begin with the longest.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # for the processes, too
    judge = partial(_judged, tier)
    count = worth(jobs, hints or {}) if processes is None else min(processes, len(jobs))
    if count > 1:
        for entry, answer in pooled(judge, jobs, count, hints=hints, progress=progress):
            yield _died(entry) if answer is None else _result(entry, *answer)
        return
    for entry, at in jobs:
        step = None if progress is None else partial(progress, entry)
        yield _result(entry, *judge(entry, at, step))


def _result(entry: Entry, verdict: Mapping[str, Any] | None, error: str) -> Result:
    return Result(entry, verdict, str(lacking(error) or error))


def _died(entry: Entry) -> Result:
    error = CheckError(
        f"{entry.id}, whose process died twice", required="a check that fits into memory and does not end Python",
        why="the verdict is made by that process", advice=f"theorytools verify {entry.id} runs it alone",
    )  # fmt: skip
    return Result(entry, error=str(error))
