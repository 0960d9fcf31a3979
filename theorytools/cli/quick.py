"""``verify --quick``: committed verdicts confirmed, what changed judged, and a drawn sample judged again.

A committed verdict stands for a claim where the digest of its code and data is today's, the compact record says the
same, and :mod:`theorytools.recheck` finds no contradiction in it; it was made elsewhere, under versions and on a
processor that are named where they differ.  Every other claim is judged here.  So is a sample of the former, drawn by a
seed that nobody knew before: whoever commits a verdict that no machine gives is found by a share of all runs.
What is drawn depends on the seed and on the recorded costs, never on the clock.
"""

from __future__ import annotations

import hashlib
import secrets
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from theorytools.claims.judging.archive import Archive, archive_path, read_archive
from theorytools.claims.judging.committed_record import compact, expanded
from theorytools.claims.judging.inputs import code_digest, features
from theorytools.claims.judging.supported import unsupported
from theorytools.claims.judging.versions import versions
from theorytools.claims.language import TIERS
from theorytools.claims.papers.catalogue import Catalogue, Entry
from theorytools.cli.diff import differences
from theorytools.cli.stored import Store, committed
from theorytools.errors import DomainError
from theorytools.recheck import examined

Verdict = Mapping[str, Any]
SECONDS = 15.0  # of recorded processor time: with starting Python and importing checks, about 20 are spent
LEAST = 0.05  # seconds that any claim counts for: its file must be imported
FEW = 32  # verdicts that are rechecked sooner than a process starts
SEEDS = 1 << 32


@dataclass
class Quick:
    """What a quick run takes from the committed record, and what it judges.

    Attributes
    ----------
    seed : draws the sample.
    made : of each paper with a readable archive, what made it.
    same : the committed verdicts of the code and data as they are, by id.
    sample : those of them that are judged again, in the order of drawing.
    before : claims judged in this folder by an earlier run.
    confirmed : the committed verdicts that stand for claims in this run.
    partly : those of them of which the checker could not express everything.
    refused : why other committed verdicts of today's digest count for nothing, by id.
    notes : what kept a paper from having any, and where it was judged if not in such surroundings.
    judged : the claims judged here, by this run or before.
    contradicted : where a claim of the sample came out otherwise: ``a`` committed, ``b`` here.
    """

    seed: int
    made: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    same: dict[str, dict[str, Any]] = field(default_factory=dict)
    sample: list[str] = field(default_factory=list)
    before: set[str] = field(default_factory=set)
    confirmed: dict[str, dict[str, Any]] = field(default_factory=dict)
    partly: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    judged: list[str] = field(default_factory=list)
    contradicted: list[dict[str, str]] = field(default_factory=list)

    @property
    def command(self) -> str:
        """The command that draws the same sample."""
        return f"theorytools verify --quick --seed {self.seed}"

    @property
    def commits(self) -> str:
        """The commits whose records these are, in words."""
        found = [(str(made.get("commit") or "")[:12], made.get("changed_since")) for made in self.made.values()]
        names = dict.fromkeys(f"{name}{' with changes' if dirty else ''}" for name, dirty in found if name)
        return f"commit {', '.join(names)}" if names else "an unknown commit"

    def end(self, verdicts: Mapping[str, Verdict]) -> list[str]:
        """Take down what was judged here, and where it contradicts the committed record; return the sample."""
        self.judged = [id for id in verdicts if id not in self.confirmed]
        self.contradicted = contradicted(self, verdicts)
        return self.sample

    def said(self) -> str:
        """Return the last line of a run."""
        if not self.made:
            return f"{len(self.judged)} judged here, none confirmed: no committed record of these checks can be read"
        part = f" ({len(self.partly)} of them in part)" if self.partly else ""
        return (
            f"{len(self.judged)} judged here, {len(self.confirmed)} confirmed from the committed record of "
            f"{self.commits}{part}; {self.command} draws the same {len(self.sample)}"
        )

    def tell(self) -> None:
        """Print every contradiction with both numbers, and the last line."""
        for one in self.contradicted:
            at = f" of {one['where']}" if one["where"] else ""
            print(f"CONTRADICTED {one['id']}: {one['what']}{at}: committed {one['a']}, judged here {one['b']}")
        print(self.said())

    def to_json(self) -> dict[str, Any]:
        """Return what a program, and a page, is told."""
        return {
            "judged": self.judged, "confirmed": list(self.confirmed), "partly": self.partly, "seed": self.seed,
            "sample": self.sample, "contradicted": self.contradicted, "refused": self.refused, "notes": self.notes,
            "record": self.commits, "said": self.said(),
        }  # fmt: skip

    def on_pages(self, verdicts: Sequence[Verdict]) -> list[Verdict]:
        """Return the verdicts with the whole committed one wherever that stands for its claim, marked as such."""
        return [self.marked(v["id"]) if v["id"] in self.confirmed and not v["user_points"] else v for v in verdicts]

    def marked(self, id: str) -> dict[str, Any]:
        """Return a confirmed verdict with what made it."""
        verdict = self.confirmed[id]
        return {**verdict, "committed": dict(self.made[verdict["source"]["paper"]])}


def asked(quick: bool, seed: int | None, others: Mapping[str, Any], tier: str = TIERS[0]) -> None:
    """Refuse options that make no sense together; ``DomainError``.

    Parameters
    ----------
    quick, seed : as given.
    others : options that ``--quick`` excludes, by name, true where they are given.
    tier : the slowest tier; claims of slower ones than the first are read from their records, as in the committed one.
    """
    if seed is not None and not quick:
        raise DomainError("--seed without --quick", required="both, or none", why="the seed draws what --quick judges",
                          advice=f"theorytools verify --quick --seed {seed}")  # fmt: skip
    given = [name for name, value in {**others, f"--tier {tier}": tier != TIERS[0]}.items() if value]
    if quick and given:
        raise DomainError(
            f"--quick with {', '.join(given)}", required="one of the two",
            why="a quick run takes committed verdicts of the grid, as far as they are confirmed",
            advice="theorytools verify --quick, or the same command without it",
        )  # fmt: skip
    if seed is not None:
        chosen_seed(seed)


def started(
    catalogue: Catalogue, entries: Sequence[Entry], store: Store, seed: int | None, before: set[str], processes: int, *,
    quiet: bool,
) -> Quick:  # fmt: skip
    """Plan a quick run, confirm what can be confirmed, and say on standard error how far that goes.

    Parameters
    ----------
    catalogue, entries, store : of the run.
    seed : the one to repeat; None for a fresh one.
    before : claims whose verdicts this folder already has.
    processes : how many recheck.
    quiet : whether nothing is said.
    """
    plan = planned(catalogue, entries, store, chosen_seed(seed))
    plan.before = before
    if not quiet:
        told = f"{len(plan.same)} of {len(entries)} claims have a committed verdict of the code and data as they are"
        drawing = f"; {len(plan.sample)} of these are judged again, drawn by the seed {plan.seed}" if plan.same else ""
        _say([*plan.notes, told + drawing])
    confirm(plan, processes)
    if not quiet:
        _say(f"{id}: the committed verdict is not taken: {why}" for id, why in plan.refused.items())
    return plan


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def chosen_seed(seed: int | None) -> int:
    """Return the seed asked for, or a fresh one from the system; ``DomainError`` for one that is none."""
    if seed is None:
        return secrets.randbelow(SEEDS)
    if not 0 <= seed < SEEDS:
        raise DomainError(f"--seed {seed}", required=f"an integer from 0 to {SEEDS - 1}", why="it draws the sample",
                          advice="the seed that an earlier run printed")  # fmt: skip
    return seed


def planned(catalogue: Catalogue, entries: Sequence[Entry], store: Store, seed: int) -> Quick:
    """Return what is known of these claims before anything is judged or rechecked."""
    plan = Quick(seed)
    archives = _archives(catalogue, {entry.paper for entry in entries}, plan)
    short = committed(catalogue, archives)
    for entry in entries:
        archive = archives.get(entry.paper)
        verdict = archive.verdicts.get(entry.id) if archive else None
        if archive is None or verdict is None or entry.error:
            continue
        try:
            today = code_digest(entry, store.table, record="record" in verdict)
        except (SyntaxError, ValueError, OSError):  # a neighbour that it imports cannot be read: judging says so
            continue
        if today != archive.code[entry.id]:
            continue
        wrong = _otherwise(verdict, short.get(entry.id))
        if wrong:
            plan.refused[entry.id] = wrong
        else:
            plan.same[entry.id] = verdict
    plan.sample = drawn(seed, {id: cost(verdict) for id, verdict in plan.same.items()}, SECONDS)
    return plan


def _archives(catalogue: Catalogue, keys: set[str], plan: Quick) -> dict[str, Archive]:
    found: dict[str, Archive] = {}
    for paper in (p for p in catalogue.readable if p.key in keys):
        path = archive_path(paper)
        if path is None or not path.is_file():
            plan.notes.append(f"{paper.key}: no committed verdicts beside these checks, all are judged")
            continue
        try:
            found[paper.key] = archive = read_archive(path)
        except DomainError as error:
            plan.notes.append(f"{paper.key}: {error.given}: all are judged")
            continue
        plan.made[paper.key] = archive.made
        if surroundings := elsewhere(archive.made):
            plan.notes.append(f"{paper.key}: {surroundings}")
    return found


def _otherwise(verdict: Verdict, short: Verdict | None) -> str:
    """In what the compact record, which is shown and compared, is not that of the verdict."""
    if short is None:
        return "the compact record does not have it"
    try:
        own = expanded(compact(verdict), {})
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        return f"no verdict: {type(error).__name__}: {error}"
    wrong = [name for name, value in own.items() if name != "committed" and _plain(short.get(name)) != _plain(value)]
    return f"the compact record says otherwise: {', '.join(wrong)}" if wrong else ""


def _plain(value: Any) -> Any:
    """The value as it comes back from JSON."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def elsewhere(made: Mapping[str, Any]) -> str:
    """Return how versions and processor of a record differ from those here, or nothing."""
    there, here = dict(made.get("versions") or {}), versions()
    names = [name for name in (*here, *(n for n in there if n not in here)) if there.get(name) != here.get(name)]
    machines = [" ".join(map(str, (made.get("machine", "?"), *made.get("instructions", ())))), " ".join(features())]
    sides = [[f"{name} {side.get(name, 'not installed')}" for name in names] for side in (there, here)]
    if machines[0] != machines[1]:
        sides = [[*side, f"on {machine}"] for side, machine in zip(sides, machines, strict=True)]
    return f"judged under {', '.join(sides[0])}; here {', '.join(sides[1])}" if sides[0] else ""


def cost(verdict: Verdict) -> float:
    """Return how many seconds of a processor a committed verdict took, and no less than ``LEAST``."""
    try:
        return max(float(verdict["cpu"]["seconds"]), LEAST)
    except (LookupError, TypeError, ValueError):
        return LEAST


def drawn(seed: int, costs: Mapping[str, float], seconds: float) -> list[str]:
    """Return a sample of claims whose recorded costs are together at most ``seconds``, in the order of drawing.

    The order is that of SHA-256 of seed and id, so it is the same whatever other claims there are; of it each claim is
    taken that fits into what is left.  One that is dearer than all of the budget is taken by no seed.
    """
    order = sorted(costs, key=lambda id: hashlib.sha256(f"{seed} {id}".encode()).digest())
    left, taken = seconds, list[str]()
    for id in order:
        if costs[id] <= left:
            left -= costs[id]
            taken.append(id)
    return taken


def confirm(plan: Quick, processes: int) -> None:
    """Recheck the committed verdicts that are not judged here, and sort them into confirmed and refused."""
    waiting = [id for id in plan.same if id not in plan.before and id not in plan.sample]
    found = _rechecked([plan.same[id] for id in waiting], processes)
    for id, answer in zip(waiting, found, strict=True):
        if answer["state"] == "contradicted":
            plan.refused[id] = answer["why"]
            continue
        plan.confirmed[id] = plan.same[id]
        if answer["state"] != "confirmed":
            plan.partly.append(id)


def _rechecked(verdicts: Sequence[Verdict], processes: int) -> Iterator[dict[str, Any]]:
    if processes <= 1 or len(verdicts) <= FEW:
        yield from map(checked_again, verdicts)
        return
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    done = 0
    try:
        for answer in pool.map(checked_again, verdicts, chunksize=8):
            done += 1
            yield answer
    except BrokenProcessPool:  # a process died, of memory perhaps: the rest is done here
        yield from map(checked_again, verdicts[done:])
    finally:
        pool.shutdown(cancel_futures=True)


def checked_again(verdict: Verdict) -> dict[str, Any]:
    """Return what the independent checker finds of a committed verdict, and whether it says more than its rows do."""
    found = examined(verdict)
    try:
        said = "" if found["state"] == "contradicted" else unsupported(verdict)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        said = f"it cannot be read: {type(error).__name__}: {error}"
    return {"state": "contradicted", "why": said} if said else found


def contradicted(plan: Quick, judged: Mapping[str, Verdict]) -> list[dict[str, str]]:
    """Return where a verdict judged here contradicts the committed one of the same code: ``a`` committed, ``b`` here.

    Outcome, evidence, power, controls and exact ends must be equal, enclosures and sampled intervals meet.
    """
    ids = [id for id in plan.sample if id in judged]
    sides = ({id: expanded(compact(side[id]), {}) for id in ids} for side in (plan.same, judged))
    return list(differences(*sides))
