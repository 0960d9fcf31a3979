"""What the judge says of drafts and twins as a user has it, and what less would have said of the same files.

*With two anchors* adds a careful author to the judge, who first measures two small objects whose values are known.
Four columns do less.  *Comparison alone* is the verdict on the grid with its controls, without a search and without a
trial.  *Three points* is ``numpy.allclose`` at three rows that the seed draws.  *Without remarks* is the judge with its
search, and *two anchors, no remarks* that with the careful author.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.point import Judgement, measure_point
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.judging.verdict import Verdict
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.control import Control
from theorytools.claims.papers.catalogue import Entry
from theorytools.claims.papers.loading import load
from theorytools.errors import TheoryError
from tools.bench.baselines import baselines
from tools.bench.evaluation import Value, end, less
from tools.bench.generator import key_of
from tools.bench.left.draft import Draft
from tools.bench.left.generator import Pair, value_of
from tools.bench.left.project import project

JUDGE, BOTH, ALONE, POINTS, PLAIN, ANCHORS = (
    "the judge", "with two anchors", "comparison alone", "allclose at three points", "without remarks",
    "two anchors, no remarks",
)  # fmt: skip
COLUMNS = (JUDGE, BOTH, ALONE, POINTS, PLAIN, ANCHORS)
OPEN = ("UNDECIDED", "INAPPLICABLE")


@dataclass(frozen=True)
class Found:
    """What became of one file.

    Parameters
    ----------
    outcome : the verdict's outcome, or ERROR where the check or its claim is refused.
    said : the instruments that remarked, or what the error says.
    caught : by column whether the file was caught: not accepted, and not left open.
    left_open : whether the judge left it open.
    seconds : processor time of the judge.
    """

    outcome: str
    said: Sequence[str]
    caught: Mapping[str, bool]
    left_open: bool
    seconds: float


@dataclass(frozen=True)
class PairScore:
    """A pair, and what became of both of its files."""

    pair: Pair
    wrong: Found
    twin: Found


def rejects(outcome: str) -> bool:
    """Whether an outcome rejects a draft: anything but HOLDS and what is left open, words that may come included."""
    return outcome != "HOLDS" and outcome not in OPEN


def scored(pair: Pair, seed: int, folder: Path) -> PairScore:
    """Return what becomes of a pair, both files judged in projects below ``folder``."""
    found = [
        _found(pair, draft, project(folder / f"{pair.index}{part}", f"p{pair.index:03}", draft), seed)
        for part, draft in (("a", pair.wrong), ("b", pair.twin))
    ]
    return PairScore(pair, *found)


def _found(pair: Pair, draft: Draft, entry: Entry, seed: int) -> Found:
    begun = time.process_time()
    verdict, error = _judged(entry)
    seconds = time.process_time() - begun
    remarks = [] if verdict is None else list(verdict.remarks)
    outcome = "ERROR" if verdict is None else str(verdict.outcome)
    plain = rejects(outcome)
    try:
        claim = load(entry)
        alone = judge(claim, entry.id)
    except Exception:  # the file has no verdict: nothing is compared, and no anchor is measured
        caught = dict.fromkeys(COLUMNS, plain)
    else:
        rows = [row for row in alone.rows if not row.control]
        near = baselines(rows, random.Random(key_of(seed, draft.text))).get(POINT_NAME, False)
        judged, missed = plain or bool(remarks), not anchored(claim, pair)
        caught = {
            JUDGE: judged, BOTH: judged or missed, ALONE: rejects(str(alone.outcome)), POINTS: not near, PLAIN: plain,
            ANCHORS: plain or missed,
        }  # fmt: skip
    said = [error] if error else sorted({remark.instrument for remark in remarks})
    return Found(outcome, said, caught, outcome in OPEN, seconds)


POINT_NAME = "allclose at three random points"


def _judged(entry: Entry) -> tuple[Verdict | None, str]:
    """The verdict of a file as ``theorytools verify`` gives it, or what the error says."""
    try:
        return judge_entry(entry, own=True), ""
    except TheoryError as error:
        return None, f"{error.given}: {error.why}" if error.why else str(error.given)


def anchored(claim: Claim, pair: Pair) -> bool:
    """Return whether the draft's own ``measure`` gives two small objects the values that are known of them.

    A measured interval must contain the value; an exact number must be it; what cannot be measured is not given it.
    """
    names = pair.cast.names
    for text, letters, known in pair.base.anchors:
        axes = {names[role]: letters[role] for role in pair.base.letters}
        if not _measures(claim, pair, _object(text), axes, value_of(known)):
            return False
    return True


def _object(text: str) -> Any:
    from fractions import Fraction

    import numpy as np

    return eval(text, {"Fraction": Fraction, "np": np})  # of this package: an object of a base, as a check writes it


def _measures(claim: Claim, pair: Pair, thing: Any, axes: Mapping[str, Any], known: Value) -> bool:
    quantity = claim.quantities[0]
    asked = replace(
        claim, construct=lambda p: thing, requires=(), derive=None, derived=(), lets={}, asserts=[quantity >= 0],
        controls=[Control("none", asserts=[quantity <= -1], breaks=quantity)],
    )  # fmt: skip
    try:
        found = measure_point(
            Judgement(asked, asked.row_alpha(), user=True, brief=True), asked.point(axes, "anchors.of")
        )
    except Exception:
        return False
    if not found.rows:
        return False
    measured = found.rows[0].measured
    low, high = end(measured.low.to_json()), end(measured.high.to_json())
    return not (low is not None and less(known, Value(low))) and not (high is not None and less(Value(high), known))


Progress = Callable[[int, int], None] | None


def scores(pairs: Sequence[Pair], seed: int, progress: Progress = None) -> list[PairScore]:
    """Return what becomes of every pair, in projects that are removed again."""
    found = []
    with tempfile.TemporaryDirectory(prefix="theorytools-left-") as folder:
        for pair in pairs:
            found.append(scored(pair, seed, Path(folder)))
            if progress is not None:
                progress(len(found), len(pairs))
    return found
