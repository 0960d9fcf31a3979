"""Whether a stored verdict says no more than its rows: everything that ``verify`` concludes is concluded again.

A page shows more of a verdict than its outcome: evidence, slack and ends in doubles of every row, which wrong constants
and exponents the rows reject, which sizes were tested, the probability of error, the reason in words.  Each of these
follows from the rows by the functions that made it, so that one that does not was written by somebody else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from theorytools.claims.judging.conclude import Stated, conclude
from theorytools.claims.judging.content_digest import contradiction
from theorytools.claims.judging.verdict import Outcome, Row, row_from_json
from theorytools.claims.language.estimate import Estimate, Evidence
from theorytools.files import canonical

BESIDE = ("off the grid", "by a fresh draw")  # how the reason of a violation that was searched for ends
ROUNDING = 1e-9  # relative, of sums of probabilities


def unsupported(verdict: Mapping[str, Any]) -> str:
    """Return what in a stored verdict does not follow from its own rows, or nothing.

    Beyond :func:`.contradiction`, which is what a run asks of what it takes over: each row is written as its ends give
    it, and so are the details of every control, the horizon, the range of the axes, the beginning of the reason, and
    the probability of error, which is at least that of the rows and at most what the claim allows itself.

    Parameters
    ----------
    verdict : as :func:`~theorytools.claims.judging.verdict.Verdict.to_json` gives it.

    Raises
    ------
    ValueError, LookupError, TypeError, AttributeError : it is not of that shape.
    """
    if found := contradiction(verdict):
        return found
    rows = [row_from_json(row) for row in verdict["rows"]]
    for row, written in zip(rows, verdict["rows"], strict=True):
        told = row.to_json()
        if wrong := [name for name in told.keys() | written.keys() if told.get(name, row) != written.get(name)]:
            return f"the ends of '{row.assertion}' at {row.place} do not give its {', '.join(sorted(wrong))}"
        if wrong_side := next((said for side in _sides(row) if (said := _impossible(side))), ""):
            return f"'{row.assertion}' at {row.place} {wrong_side}"
    drawn = () if "record" in verdict else rows  # reading a record draws nothing
    return _improbable(verdict["alpha"], drawn) or (_concluded(verdict, rows) if rows else _silent(verdict))


def _sides(row: Row) -> Iterator[Estimate]:
    for one in (row, row.premise):
        if one is not None:
            yield from (one.measured, *one.bound)


def _impossible(side: Estimate) -> str:
    """What no measurement gives: an exact number that is an interval, a probability where nothing was sampled."""
    if side.evidence is Evidence.EXACT and side.low != side.high:
        return "has an exact side with two ends"
    if not 0 <= side.alpha < 1 or (side.alpha > 0) is not (side.evidence is Evidence.SAMPLED):
        return f"has a side that is {side.evidence.name.lower()} with probability of error {side.alpha}"
    return ""


def _improbable(alpha: Mapping[str, float], rows: Sequence[Row]) -> str:
    largest: dict[str, float] = {}  # at each point, where assertions and controls may share what was drawn once
    for row in rows:
        at = canonical(dict(row.point))
        largest[at] = max(largest.get(at, 0.0), *(side.alpha for side in _sides(row)))
    spent, least = alpha["spent"], math.fsum(largest.values())
    if spent < least * (1 - ROUNDING):
        return f"its rows may err with probability {least:.3g}, and it says {spent:.3g}"
    if spent > alpha["claim"] * (1 + ROUNDING):
        return f"it errs with probability {spent:.3g}, of {alpha['claim']:.3g} that it allows itself"
    return ""


def _silent(verdict: Mapping[str, Any]) -> str:
    """What a verdict without a row says although nothing was compared."""
    loud = [name for name in ("evidence", "power") if verdict[name] is not None]
    loud += [name for name in ("horizon", "tested") if verdict[name]]
    loud += ["powers"] if any(power is not None for power in verdict["powers"].values()) else []
    loud += ["controls"] if any(control["applied"] for control in verdict["controls"]) else []
    loud += ["as_expected"] if verdict["as_expected"] and verdict["outcome"] != verdict["expect"] else []
    return f"without a row it has {', '.join(loud)}" if loud else ""


def _concluded(verdict: Mapping[str, Any], rows: Sequence[Row]) -> str:
    found = conclude(Stated.of(verdict), rows, verdict["skipped"], user=verdict["user_points"])
    given = (found, conclude(Stated.of(verdict), _of_the_grid(verdict, rows), verdict["skipped"]))
    wrong = [
        name for name in ("horizon", "tested")
        if canonical(verdict[name]) not in {canonical(_plain(one[name])) for one in given}
    ]  # fmt: skip
    wrong += ["controls"] if [c.to_json() for c in found["controls"]] != verdict["controls"] else []
    wrong += ["reason"] if not verdict["reason"].startswith(found["reason"]) else []
    return f"its rows do not give its {', '.join(wrong)}" if wrong else ""


def _of_the_grid(verdict: Mapping[str, Any], rows: Sequence[Row]) -> Sequence[Row]:
    """The rows without the last one, where that was searched for: it was added when sizes and horizon were known.

    Rows of repairs at its point stand before it; they are of controls, on which neither depends.
    """
    searched = verdict["outcome"] != Outcome.HOLDS and any(f", {place}" in verdict["reason"] for place in BESIDE)
    return rows[:-1] if searched else rows


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value
