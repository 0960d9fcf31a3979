"""The judge as a user has it, put to every statement: a verdict on the claim's own grid, and the search beside it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.run import searched
from theorytools.claims.judging.verdict import Outcome, Verdict
from theorytools.claims.language.claim import Claim
from theorytools.claims.papers.catalogue import Entry
from theorytools.claims.papers.loading import load
from tools.bench.baselines import baselines
from tools.bench.generator import key_of
from tools.bench.mutations import Mutant
from tools.bench.remembered import remembered
from tools.bench.statement import Score, Statement

OFF_THE_GRID = "off the grid"  # how the reason of a verdict ends that the search refuted


def verdict_of(claim: Claim, id: str, *, search: bool = True) -> Verdict:
    """Return the verdict of a claim on its grid, with the short search beside it where it holds there."""
    verdict = judge(claim, id)
    return searched(claim, verdict, own=True) if search and verdict.outcome is Outcome.HOLDS else verdict


def searches(statement: Statement, seed: int) -> bool:
    """Whether the search goes with a statement: with each near miss, and with a quarter of the rewordings."""
    return statement.false or key_of(seed, f"search|{statement.key}") % 4 == 0


def names_horizon(verdict: Verdict, letter: str, start: int) -> bool:
    """Return whether a verdict says that a letter was tested, a step beyond the grid included, to no more than this.

    Of a trap ``start`` is the last size before the first at which it is shown to be false, not N_0: the verdict speaks
    of the sizes that it tested, and at a size beyond N_0 where the statement is still true, as every row found it, a
    test is no overstatement.
    """
    reach = verdict.tested.get(letter)
    return reach is not None and max(Fraction(reach["high"]), furthest(verdict, letter)) <= start


def furthest(verdict: Verdict, letter: str) -> Fraction:
    """Return the largest value of a letter at which the search beside a verdict judged a point; 0 without one."""
    return Fraction(verdict.searched.get("reach", {}).get(letter, "0").split("..")[-1])


def scored(base: Claim, statement: Statement, seed: int) -> Score:
    """Return what the judge and the baselines make of one statement.

    Parameters
    ----------
    base : the claim it was made from, its measurements remembered.
    statement : the statement.
    seed : by which the baseline draws its three points.
    """
    begun = time.process_time()
    try:
        claim = statement.claim_of(base)
        verdict = verdict_of(claim, statement.claim, search=searches(statement, seed))
    except Exception:  # nothing is decided where the judge gives up
        return Score(statement, "ERROR", seconds=time.process_time() - begun)
    seconds = time.process_time() - begun
    name = statement.made.assertion.name
    own = [row for row in verdict.rows if not row.control and row.assertion == name]
    rows = own[:-1] if verdict.reason.endswith(OFF_THE_GRID) and verdict.rows[-1] in own else own
    named = None
    turn = statement.witness.turn if statement.witness else None
    if isinstance(statement.made, Mutant) and statement.made.horizon and verdict.outcome is Outcome.HOLDS:
        named = turn is not None and names_horizon(verdict, statement.made.horizon[0], turn - 1)
    found = verdict.outcome in (Outcome.REFUTED, Outcome.WITNESS_FAILS) and verdict.reason.endswith(OFF_THE_GRID)
    said = baselines(rows, random.Random(key_of(seed, statement.key)))
    return Score(statement, str(verdict.outcome), named, found, said, seconds)


Progress = Callable[[int, int], None] | None


def scores(
    statements: Sequence[Statement], entries: Sequence[Entry], seed: int, progress: Progress = None
) -> list[Score]:
    """Return the score of every statement, claim by claim, so that each claim is measured once."""
    by_claim: dict[str, list[Statement]] = {}
    for statement in statements:
        by_claim.setdefault(statement.claim, []).append(statement)
    of: Mapping[str, Entry] = {entry.id: entry for entry in entries}
    found: list[Score] = []
    for id, own in by_claim.items():
        base = remembered(load(of[id]))
        for statement in own:
            found.append(scored(base, statement, seed))
            if progress is not None:
                progress(len(found), len(statements))
    return found
