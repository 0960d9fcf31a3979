"""The numbers of a check on trial: where they come from, and whether other arithmetic gives the same.

A double that enters exact arithmetic makes the row an observation.  The check's own float code is run again at 250
bits, its integer arrays in Python integers, its float arrays in single precision; what then differs was no proof, and
the row is an observation of what this machine's arithmetic gave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from theorytools.claims.judging.conclude import conclude
from theorytools.claims.judging.remark import Remark
from theorytools.claims.judging.trial.arrays import Arithmetic, Computed, single, whole, within
from theorytools.claims.judging.trial.at_bits import AtBits
from theorytools.claims.judging.trial.entries import INTEGER, INTEGERS, RATIONALS, entered
from theorytools.claims.judging.trial.precise import BITS, limited
from theorytools.claims.judging.trial.rewritten import Own
from theorytools.claims.judging.trial.variants import Numbers, Trial
from theorytools.claims.judging.verdict import Row, Verdict
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Estimate, Evidence
from theorytools.claims.language.grid import Point
from theorytools.claims.language.machine import machine
from theorytools.numbers import Enclosure, End, maximum

ROUNDING = Fraction(1, 10**9)  # what a run in doubles may differ by, relatively, without having lost the number
EXACTLY = "compute it with enclosed(lambda: …) from exact inputs"


@dataclass(frozen=True)
class Finding:
    """A remark, and the quantities whose numbers it makes observations."""

    remark: Remark
    quantities: tuple[str, ...]


def floats(trial: Trial) -> Iterator[Remark]:
    """Doubles that enter exact arithmetic, and float code that gives something else at 250 bits."""
    return (f.remark for f in findings(trial) if f.remark.instrument == "floats")


def integers(trial: Trial) -> Iterator[Remark]:
    """Integer arrays that wrapped around."""
    return (f.remark for f in findings(trial) if f.remark.instrument == "integers")


def single_precision(trial: Trial) -> Iterator[Remark]:
    """Integers that were read off a computation in floats and depend on its rounding."""
    return (f.remark for f in findings(trial) if f.remark.instrument == "single precision")


@lru_cache(maxsize=1)
def findings(trial: Trial) -> tuple[Finding, ...]:
    """Return what was found of the numbers of a claim, one finding at most for each kind of arithmetic."""
    points = [point for point in trial.points if _proved(trial.honest(point))]
    if not points:
        return ()
    own = Own.of(trial)
    lost = _at_bits(trial, own, points) or _doubles(trial, own, points)
    found = (lost, _wrapped(trial, own, points), _rounded_off(trial, own, points))
    return tuple(finding for finding in found if finding is not None)


def observed_only(trial: Trial) -> Verdict:
    """Return the verdict with the rows that were no proof called observations; ``work`` names the machine.

    A control's rows are judged by the honest ones and stay as they are.
    """
    verdict, named = trial.verdict, {name for finding in findings(trial) for name in finding.quantities}
    if not named:
        return verdict

    def lowered(estimate: Estimate) -> Estimate:
        if estimate.evidence <= Evidence.SAMPLED:
            return estimate
        return replace(estimate, evidence=Evidence.OBSERVED, work={**estimate.work, **machine("numpy")})

    def told(row: Row) -> Row:
        """The row, and its premise, with what was found of their quantities."""
        own = row if row.quantity not in named else replace(row, measured=lowered(row.measured))
        return own if own.premise is None else replace(own, premise=told(own.premise))

    rows = [row if row.control else told(row) for row in verdict.rows]
    return replace(verdict, **conclude(trial.claim, rows, verdict.skipped, user=verdict.user_points))


# -- the four instruments --------------------------------------------------------------------------------------------
def _doubles(trial: Trial, own: Own, points: Sequence[Point]) -> Finding | None:
    """The first double that enters."""
    if not any(own.means(node, (*RATIONALS, *INTEGERS, Enclosure)) for node in own.walk()):
        return None
    for point in points:
        measured = trial.honest(point).measured
        if len(_proved(trial.honest(point))) < len(measured):
            continue  # what is called an observation, or is drawn, may be what the double is part of
        for line, became in entered(trial, own, point)[0].found.items():
            fine = tuple(name for name in measured if not _wide(measured[name]))
            if names := _moved_by_one(trial, own, point) if became == INTEGER else fine:
                text = f"a double made by rounding becomes {became}: the row is an observation"
                return Finding(Remark("floats", text, line, EXACTLY), names)
    return None


def _moved_by_one(trial: Trial, own: Own, point: Point) -> tuple[str, ...]:
    """The counts that change where the integers that doubles became are larger by one.

    Others decide a size or a precision, or are a guess that the check certifies.
    """
    _, other = entered(trial, own, point, shift=1)
    honest = trial.honest(point).measured
    return tuple(name for name in _changed(trial, point, other) if _integer(honest[name]))


def _at_bits(trial: Trial, own: Own, points: Sequence[Point]) -> Finding | None:
    """What the check's own float code gives at 250 bits, where that is another number or a false row."""
    rewriter = AtBits(own)
    tree = rewriter(deepcopy(trial.tree))
    claim = trial.variant(lambda _: tree) if rewriter.first else None
    if claim is None:
        return None
    for point in points:
        with limited():
            other = trial.numbers(claim, point)
        if names := _changed(trial, point, other):
            text = f"at {BITS} bits {_told(names[0], other, trial.honest(point))}"
            return Finding(Remark("floats", f"{text}, at {_at(point)}", _line(trial, rewriter.first), EXACTLY), names)
    return None


def _wrapped(trial: Trial, own: Own, points: Sequence[Point]) -> Finding | None:
    """What integer arrays give in Python integers, where that is another number, or one that fits no array."""
    for point in points:
        honest, other = trial.honest(point), _in_other(trial, own, point, whole)
        if other is None:
            continue
        if _fits_nowhere(other):
            text, names = "in Python integers a number does not fit its array", _proved(honest)
        elif names := _changed(trial, point, other):
            text = f"in Python integers {_told(names[0], other, honest)}"
        if names:
            remark = Remark(
                "integers", f"{text}, at {_at(point)}: numpy wrapped around", _line(trial),
                "compute with Python integers, or with arrays of dtype=object",
            )  # fmt: skip
            return Finding(remark, names)
    return None


def _rounded_off(trial: Trial, own: Own, points: Sequence[Point]) -> Finding | None:
    """Which integers change where the float arrays that they were read off are in single precision."""
    for point in points:
        honest = trial.honest(point)
        counts = {name for name in _proved(honest) if _integer(honest.measured[name])}
        other = _in_other(trial, own, point, single) if counts else None
        names = tuple(n for n in _changed(trial, point, other) if n in counts) if other is not None else ()
        if names and other is not None:
            text = f"in single precision {_told(names[0], other, honest, 'not')}, at {_at(point)}"
            advice = "compute it with Fractions or theorytools.numbers, or call it observed(…)"
            return Finding(Remark("single precision", f"{text}: it depends on rounding", _line(trial), advice), names)
    return None


@lru_cache(maxsize=2)
def _computed(trial: Trial, own: Own, change: Arithmetic) -> Claim | None:
    return trial.variant(Computed(own, change))


def _in_other(trial: Trial, own: Own, point: Point, change: Arithmetic) -> Numbers | None:
    """What a claim gives with its arrays in other arithmetic, None where it has none or the code does not run so.

    Arrays are changed wherever the check makes them; where its code does not run on such ones, in its object alone.
    """
    claim = _computed(trial, own, change) if own.numeric else None
    if claim is not None:
        given = trial.numbers(_within(claim, change), point)
        if given.judged or _fits_nowhere(given):
            return given
    thing = trial.claim.construct(point)
    return None if within(thing, change) is thing else trial.numbers(_within(trial.claim, change), point)


def _within(claim: Claim, change: Arithmetic) -> Claim:
    """The claim with its object in other arithmetic; of a claim that draws every object, for the worst one decides."""
    draw = claim.draw
    if draw is not None and claim.drawn:
        return replace(claim, draw=lambda rng, p: within(draw(rng, p), change))
    return replace(claim, construct=lambda p: within(claim.construct(p), change))


# -- comparison ------------------------------------------------------------------------------------------------------
def _proved(numbers: Numbers) -> tuple[str, ...]:
    """The quantities that are called exact or enclosed."""
    return tuple(name for name, estimate in numbers.measured.items() if estimate.evidence > Evidence.SAMPLED)


def _changed(trial: Trial, point: Point, other: Numbers) -> tuple[str, ...]:
    """The quantities, called proved both times, whose numbers differ by more than rounding or whose rows are false."""
    honest = trial.honest(point)
    if not other.judged:
        return ()
    true, then = honest.truths, other.truths
    false = {a.quantity.name for a in trial.claim.assertions if true.get(a.name) and then.get(a.name) is False}
    both = [name for name in _proved(honest) if name in _proved(other)]
    return tuple(n for n in both if n in false or _apart(honest.measured[n], other.measured[n]))


def _apart(a: Estimate, b: Estimate) -> bool:
    """Whether two intervals are further apart than rounding; of two integers, whether they differ."""
    if a.low <= b.high and b.low <= a.high:
        return False
    if not all(end.finite for end in (a.low, a.high, b.low, b.high)):
        return False
    if _integer(a) and _integer(b):
        return True
    low, high = (a.high, b.low) if a.high < b.low else (b.high, a.low)
    size = maximum([abs(_number(end)) for end in (a.low, a.high, b.low, b.high)])
    return (_number(high) - _number(low)).certainly_lt(size * ROUNDING) is False


def _number(end: End) -> Enclosure:
    return Enclosure(end.value)


def _fits_nowhere(numbers: Numbers) -> bool:
    """Whether a Python integer was to become a machine integer that is too short for it, in numpy's words."""
    return any(words in numbers.error for words in ("out of bounds for", "too large to convert to C"))


def _wide(estimate: Estimate) -> bool:
    """Whether an interval is wider than the distance of doubles there: its ends may be some, rounded outward."""
    if not (estimate.low.finite and estimate.high.finite):
        return True
    low, high = _number(estimate.low), _number(estimate.high)
    return (high - low).certainly_lt(maximum([abs(low), abs(high)]) / 2**52) is False and low.certainly_lt(high) is True


def _integer(estimate: Estimate) -> bool:
    number = _number(estimate.low)
    return estimate.low == estimate.high and estimate.low.finite and number.floor().same(number)


def _told(name: str, other: Numbers, honest: Numbers, word: str = "here") -> str:
    """Both numbers, in as many digits as tell them apart."""
    a, b = other.measured[name], honest.measured[name]
    if str(a) != str(b):
        return f"the {name} is {a}, {word} {b}"
    apart = abs(_number(a.low) - _number(b.low))
    return f"the {name} is {a}, {word} another number, {float(apart):.3g} away"


def _at(point: Point) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.text().items())


def _line(trial: Trial, line: int = 0) -> str:
    """Where a finding belongs: the line given, else that of the measurement."""
    node = trial.node(trial.claim.measure)
    return f"{trial.entry.path.name}, line {line or getattr(node, 'lineno', 1)}"
