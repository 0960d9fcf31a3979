"""Other seeds: does a statement over drawn objects hold by luck, and does the scope say what is drawn?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from theorytools.claims.judging.remark import Remark
from theorytools.claims.judging.trial.variants import Trial
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Evidence
from theorytools.claims.language.grid import Point
from theorytools.meaning import WHOLE
from theorytools.salts import asked, salted

SALTS = 10
DEAR = 1000
FAILING = 3  # so many failing seeds say enough


def seeds(trial: Trial) -> Iterable[Remark]:
    """Remark where an honest row is false under other seeds, and where the scope and the seeds disagree."""
    points = list(trial.points)
    roles = _asked(trial, points)
    if never_draws(trial.claim, roles):
        roles = _asked(trial, _others(trial, points))
    if never_draws(trial.claim, roles):
        yield Remark(
            "scope", "the scope says drawn, and nothing is drawn: the check asks for no seed",
            advice="say points for objects that are listed, recorded for runs that are read",
        )  # fmt: skip
    elif draws_unsaid(trial.claim, roles):
        said = next(part for part, how in trial.claim.scope.items() if how in WHOLE)
        yield Remark(
            "scope", f"the scope covers {said!r} by {trial.claim.scope[said]} and names nothing drawn, but the check "
            f"draws ({', '.join(map(repr, sorted(roles)))})", advice="say what is drawn, or walk all of them",
        )  # fmt: skip
    if roles and _drawn(trial.claim.scope) and not _dear(trial):
        yield from _failing(trial, points[:1])


def never_draws(claim: Claim, roles: Collection[str]) -> bool:
    """Whether the scope says *drawn* although no seed was asked for: ``roles`` are those of the honest points."""
    return bool(_drawn(claim.scope)) and not roles


def draws_unsaid(claim: Claim, roles: Collection[str]) -> bool:
    """Whether all objects are said to be covered whole, none drawn, exhibited or listed, although seeds were asked for.

    A part that stands at points and says more than numbers (``every data set``, ``every code`` of a family) may be what
    was drawn: it claims no more than these.
    """
    if not roles or {"drawn", "exhibited", "recorded", "proof"} & set(claim.scope.values()):
        return False
    worded = {name for name in claim.grid.axes if any(isinstance(point[name], str) for point in claim.grid)}
    letters = {*claim.grid.axes, *claim.all_letters(), "and"} - worded
    covered = [how for said, how in claim.scope.items() if not set(_words(said)) <= letters]
    return bool(covered) and all(how in WHOLE for how in covered)


def _dear(trial: Trial) -> bool:
    """Whether rows rest on a few samples only: such a sample is dear, and its error probability is stated."""
    rows = [row.measured for row in trial.verdict.rows if not row.control]
    return any(m.evidence is Evidence.SAMPLED and m.work.get("samples", DEAR) < DEAR for m in rows)


def _drawn(scope: Mapping[str, str]) -> list[str]:
    return [said for said, how in scope.items() if how == "drawn"]


def _words(said: str) -> list[str]:
    return re.findall(r"\w+", said.partition(" ")[2])


def _others(trial: Trial, points: list[Point]) -> list[Point]:
    """The other points of the grid: a family of objects may be listed at the cheapest ones and drawn elsewhere."""
    known = [dict(point.axes) for point in points]
    return [trial.claim.point(axes, trial.check) for axes in trial.claim.grid if dict(axes) not in known]


def _asked(trial: Trial, points: Iterable[Point]) -> set[str]:
    """The roles that honest rows ask for at the first of these points that asks for some."""
    with salted(""), asked() as roles:
        for point in points:
            trial.numbers(trial.claim, point)
            if roles:
                break
    return set(roles)


def _failing(trial: Trial, points: list[Point]) -> Iterable[Remark]:
    """The first rows that other seeds refute; a point that leaves the hypotheses under a seed says nothing."""
    false: list[str] = []
    tried = 0
    for tried in range(1, SALTS + 1):
        with salted(str(tried)):
            found = _false(trial, points)
        if found:
            false.append(found)
        if len(false) == FAILING:
            break
    if false:
        yield Remark(
            "seeds", f"under {len(false)} of {tried} other seeds the row {false[0]} is false",
            advice="say with which probability it holds (draw=, draws=), or state what every draw obeys",
        )  # fmt: skip


def _false(trial: Trial, points: Iterable[Point]) -> str:
    for point in points:
        for assertion, truth in trial.numbers(trial.claim, point).truths.items():
            if truth is False:
                return f"{assertion} at {point}"
    return ""
