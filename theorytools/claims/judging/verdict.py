"""Rows and verdicts: what was compared at which point, and what follows for the claim."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, Literal

from theorytools.arguments.checked import checked
from theorytools.claims.judging.picture import numbers, plot_verdict
from theorytools.claims.judging.remark import Remark
from theorytools.claims.language.estimate import Estimate, Evidence
from theorytools.claims.language.relation import LOWER, UPPER, related
from theorytools.errors import TruthValueError, UnexpectedVerdictError
from theorytools.notebook import table_html
from theorytools.numbers import End, float_lower, float_upper
from theorytools.optional import require

SCHEMA = "theorytools.verdict/1"


class Outcome(StrEnum):
    """What a claim came to.

    Attributes
    ----------
    HOLDS : every row is decided true, and every control breaks what it must.
    REFUTED : a row of the claim is decided false.
    WITNESS FAILS : as REFUTED, of a statement that something exists: what was exhibited for it fails there, and that
        says nothing of another.
    UNDECIDED : a row or a control stays open after the whole budget.
    POWERLESS : a control that must break decidedly does not: the check could not have failed.
    INAPPLICABLE : no point lies within the hypotheses.

    Examples
    --------
    >>> Outcome("HOLDS") == "HOLDS", str(Outcome.REFUTED)
    (True, 'REFUTED')
    """

    HOLDS = "HOLDS"
    REFUTED = "REFUTED"
    WITNESS_FAILS = "WITNESS FAILS"
    UNDECIDED = "UNDECIDED"
    POWERLESS = "POWERLESS"
    INAPPLICABLE = "INAPPLICABLE"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Row:
    """One assertion at one point, for the claim itself (``control=""``) or for one of its controls."""

    point: Mapping[str, str]
    control: str
    assertion: str
    quantity: str
    relation: str
    truth: bool | None
    measured: Estimate
    bound: tuple[Estimate, ...]
    vacuous: bool | None = None
    tied: bool = False
    steps: int = 1
    power: float | None = None
    must_break: bool = False
    shifts: tuple[str, ...] = ()  # letters x for which the claim with x + 1, or with x - 1, is refuted here
    premise: Row | None = None  # of an implication: what it is stated under; the other fields are of its conclusion

    @property
    def at(self) -> dict[str, int | Fraction | str]:
        """The point with its numbers as exact numbers: ``row.at["N"] + 1``."""
        return numbers(self.point)

    @property
    def place(self) -> str:
        """The point in words, of a run with the step that decides: ``"b=9/10, T=64, t=2"``."""
        at = {**self.point, **({"t": self.measured.work["t"]} if "t" in self.measured.work else {})}
        return ", ".join(f"{name}={value}" for name, value in at.items())

    @property
    def evidence(self) -> Evidence:
        """The weakest of both sides, and of those of the premise."""
        own = min([self.measured.evidence, *(b.evidence for b in self.bound)])
        return own if self.premise is None else min(own, self.premise.evidence)

    @property
    def idle(self) -> bool:
        """Whether the premise is false here, so that nothing is said."""
        return self.premise is not None and self.premise.truth is False

    @property
    def slack(self) -> float | None:
        """At least 1 iff the assertion is proved: bound/measured from above, measured/bound from below."""
        return _slack(self)

    @property
    def compared(self) -> bool | None:
        """What the stored intervals prove: true, false, or nothing."""
        found = related(self.relation, self.measured, self.bound)
        return found if self.premise is None else implied(self.premise.compared, found)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form of this row."""
        return {
            "point": dict(self.point), "control": self.control, "assertion": self.assertion,
            "quantity": self.quantity, "relation": self.relation, "truth": self.truth,
            "measured": estimate_json(self.measured), "bound": [estimate_json(b) for b in self.bound],
            "evidence": self.evidence.name, "slack": self.slack, "vacuous": self.vacuous, "tied": self.tied,
            "steps": self.steps, "power": self.power, "must_break": self.must_break,
            **({"shifts": list(self.shifts)} if self.shifts else {}),
            **({"premise": _premise_json(self.premise)} if self.premise is not None else {}),
        }  # fmt: skip


def implied(premise: bool | None, conclusion: bool | None) -> bool | None:
    """Return the truth of an implication: true of a false premise, and open where that is what decides it."""
    return True if premise is False or conclusion is True else conclusion if premise else None


def _premise_json(row: Row) -> dict[str, Any]:
    """The premise at the place of its row: what was compared, and what came out."""
    return {
        "assertion": row.assertion, "quantity": row.quantity, "relation": row.relation, "truth": row.truth,
        "measured": estimate_json(row.measured), "bound": [estimate_json(b) for b in row.bound],
    }  # fmt: skip


def _slack(row: Row) -> float | None:
    if row.idle:
        return None
    if row.relation not in UPPER + LOWER or row.truth is None:
        return None
    small, large = (row.measured, row.bound[-1]) if row.relation in UPPER else (row.bound[0], row.measured)
    numerator, denominator = (large.low, small.high) if row.truth else (large.high, small.low)
    if not (numerator.finite and denominator.finite and numerator > 0 and denominator > 0):
        return None
    ratio = _quotient(numerator, denominator)
    if ratio is None or not math.isfinite(ratio):
        return None
    return max(ratio, 1.0) if row.truth else min(ratio, math.nextafter(1.0, 0.0))


def _quotient(numerator: End, denominator: End) -> float | None:
    from theorytools.numbers import Enclosure

    value = float(Enclosure(numerator.value) / Enclosure(denominator.value))
    return value if math.isfinite(value) else None


def strongest(rows: Sequence[Row]) -> Row | None:
    """Return the false row with the strongest evidence, and of those the one that misses its bound by the most."""
    return max((row for row in rows if row.truth is False), key=lambda row: (row.evidence, _miss(row)), default=None)


def _miss(row: Row) -> float:
    """The factor, at least 1, by which a false row misses its bound; of an equality one plus the relative distance."""
    if row.slack is not None:
        return 1 / row.slack if row.slack > 0 else math.inf
    ends = [float_upper(row.measured.low), float_upper(row.bound[0].low), float_upper(row.bound[-1].high)]
    measured, low, high = ends
    scale = max(map(abs, ends))
    return 1 + max(measured - high, low - measured, 0.0) / scale if math.isfinite(scale) and scale else 1.0


def finite(value: float) -> float | None:
    """Return the float, or None where JSON has no number for it."""
    return value if math.isfinite(value) else None


def estimate_json(estimate: Estimate) -> dict[str, Any]:
    """Return the JSON form of an estimate: exact ends, and ``show`` rounded outward."""
    return {
        "low": estimate.low.to_json(), "high": estimate.high.to_json(), "evidence": estimate.evidence.name,
        "alpha": estimate.alpha, "work": dict(estimate.work),
        "show": [finite(float_lower(estimate.low)), finite(float_upper(estimate.high))],
    }  # fmt: skip


def estimate_from_json(data: Mapping[str, Any]) -> Estimate:
    """Rebuild an estimate from its JSON form."""
    return Estimate(
        End.from_json(data["low"]),
        End.from_json(data["high"]),
        Evidence[data["evidence"]],
        data["alpha"],
        data["work"],
    )


def row_from_json(data: Mapping[str, Any]) -> Row:
    """Rebuild a row from its JSON form."""
    return Row(
        data["point"], data["control"], data["assertion"], data["quantity"], data["relation"], data["truth"],
        estimate_from_json(data["measured"]), tuple(estimate_from_json(b) for b in data["bound"]),
        data["vacuous"], data["tied"], data["steps"], data["power"], data["must_break"], tuple(data.get("shifts", ())),
        _premise_from_json(data) if "premise" in data else None,
    )  # fmt: skip


def _premise_from_json(data: Mapping[str, Any]) -> Row:
    said = data["premise"]
    return Row(
        data["point"], data["control"], said["assertion"], said["quantity"], said["relation"], said["truth"],
        estimate_from_json(said["measured"]), tuple(estimate_from_json(b) for b in said["bound"]),
    )  # fmt: skip


@dataclass(frozen=True)
class ControlResult:
    """What one control came to."""

    name: str
    breaks: tuple[str, ...]
    repair: bool
    applied: int
    broken: int
    outcome: str  # "breaks", "holds" (a repair), "fails", "open", "never applies"
    detail: str = ""
    rival: bool = False  # made for a claim about growth

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        told = {**vars(self), "breaks": list(self.breaks)}
        return told if self.rival else {name: value for name, value in told.items() if name != "rival"}


@checked
@dataclass(frozen=True)
class Verdict:
    """The judgement of one claim: outcome, evidence, rows, controls; everything a report shows.

    It has no truth value: ``if verify(…)`` could mean that the statement holds or that it came out as expected, and
    would be true of a refuted one.  ``verdict.ok`` and ``verdict.raise_unless_expected()`` say which.

    Parameters
    ----------
    id, label : the claim's id ``paper.stem[.name]``, and its statement as the paper numbers it.
    outcome, expect, as_expected : what the claim came to, what it should come to on its grid, and whether these agree;
        at a user's points, whether the statement holds at all of them, whatever the grid expects.
    evidence : the weakest evidence among its rows; None without rows.
    reason : the outcome in words.
    rows, controls, skipped : every comparison made, what each control came to, and the points left out with the reason.
    power, powers : the least factor by which a bound moved towards falsehood is refuted: the largest over the
        assertions, and for each of them; None where there is none.
    horizon, tested, searched : which wrong constants and exponents the rows would have rejected, the range of each
        axis, and what a search off the grid found, with how far beyond it went in each letter.
    trend : of each inequality along each size how its slack moves, and where it would end if it points to an end.
    alpha_claim, alpha_spent : error probability allowed and spent; 0 where nothing was sampled.
    user_points : whether the points were a user's rather than the claim's grid.
    seconds, cpu : wall-clock time and processor time of the whole judgement, in seconds, its search included.
    cpu_points : processor seconds of each point of the grid with its controls.
    cpu_parts : of the processor time, what the claim's own rows (``measured``), its ``controls`` and its ``search``
        took; their sum is at most ``cpu``, which also holds the description and the conclusion.  Empty of a verdict
        that was read from a record.
    document : what a report shows besides numbers.
    derived : at each point the letters that the honest construction fixed.
    limit : how far a HOLDS reaches, ``"at 4 points to N = 1024"``; empty where every universal quantifier is covered.
    remarks : what the trial of the check found, beside what its rows say.

    Examples
    --------
    >>> made = Verdict("qstr.lemma_11", "Lemma 11", Outcome.HOLDS, "HOLDS", True, Evidence.EXACT, "1 point")
    >>> print(made)
    qstr.lemma_11: HOLDS (exact): 1 point
    >>> made.ok, made.raise_unless_expected() is made
    (True, True)
    """

    id: str
    label: str
    outcome: Outcome
    expect: str
    as_expected: bool
    evidence: Evidence | None
    reason: str
    rows: tuple[Row, ...] = ()
    controls: tuple[ControlResult, ...] = ()
    skipped: tuple[Mapping[str, Any], ...] = ()
    power: float | None = None
    powers: Mapping[str, float | None] = field(default_factory=dict)
    horizon: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tested: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    trend: tuple[Mapping[str, Any], ...] = ()
    searched: Mapping[str, Any] = field(default_factory=dict)
    alpha_claim: float = 0.0
    alpha_spent: float = 0.0
    user_points: bool = False
    seconds: float = 0.0
    cpu: float = 0.0
    cpu_points: tuple[float, ...] = ()
    cpu_parts: Mapping[str, float] = field(default_factory=dict)
    document: Mapping[str, Any] = field(default_factory=dict)
    derived: tuple[Mapping[str, Any], ...] = ()
    remarks: tuple[Remark, ...] = ()
    limit: str = ""

    def __bool__(self) -> bool:
        raise TruthValueError(
            f"the verdict of {self.id} ({self.outcome}) as a truth value",
            required="a question with one answer",
            why="HOLDS and 'as expected' differ: a reading known to fail is expected to be REFUTED",
            advice="verdict.ok, verdict.raise_unless_expected(), or verdict.outcome == 'HOLDS'",
        )

    @property
    def ok(self) -> bool:
        """Whether the outcome is the one that the claim expects of its grid; at a user's points, whether it HOLDS at
        every point that was asked for.
        """
        return self.as_expected

    def raise_unless_expected(self) -> Verdict:
        """Return this verdict where it is as expected.

        Returns
        -------
        Verdict : itself, so that the call can be chained.

        Raises
        ------
        UnexpectedVerdictError
            Otherwise; the message is the verdict's own text, with the command that shows the rows.
        """
        if self.ok:
            return self
        expected = "HOLDS" if self.user_points else self.expect
        raise UnexpectedVerdictError(
            str(self), required=f"{expected} at every point judged", why=self.label,
            advice=str(self.document.get("command", f"theorytools verify {self.id}")),
        )  # fmt: skip

    @property
    def witness(self) -> Row | None:
        """The refuting row with the strongest evidence and, among those, the largest violation."""
        return strongest([row for row in self.rows if not row.control])

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form (``theorytools.verdict/1``); no NaN, no Infinity."""
        document = {**self.document}
        document["assertions"] = [{**a, "power": self.powers.get(a["name"])} for a in document.get("assertions", [])]
        return {
            "schema": SCHEMA, "id": self.id, "label": self.label, "outcome": str(self.outcome), "expect": self.expect,
            "as_expected": self.as_expected, "evidence": self.evidence.name if self.evidence else None,
            "reason": self.reason, "alpha": {"claim": self.alpha_claim, "spent": self.alpha_spent},
            "power": self.power, "powers": dict(self.powers), "horizon": dict(self.horizon),
            "tested": dict(self.tested), "searched": dict(self.searched), "user_points": self.user_points,
            "seconds": round(self.seconds, 3),
            "cpu": {"seconds": round(self.cpu, 3), **{name: round(s, 4) for name, s in self.cpu_parts.items()},
                    "points": [round(s, 4) for s in self.cpu_points]}, **document,
            **({"derived": [dict(d) for d in self.derived]} if self.derived else {}),
            **({"trend": [dict(t) for t in self.trend]} if self.trend else {}),
            **({"limit": self.limit} if self.limit else {}),
            **({"remarks": [remark.to_json() for remark in self.remarks]} if self.remarks else {}),
            "controls": [control.to_json() for control in self.controls],
            "skipped": [dict(s) for s in self.skipped], "rows": [row.to_json() for row in self.rows],
        }  # fmt: skip

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return the rows as a data frame: the letters as numbers where they are, both sides as intervals.

        Parameters
        ----------
        library : whose frame it is.

        Returns
        -------
        DataFrame : one line for each row, those of controls too.

        Raises
        ------
        MissingPackageError : without that library.
        """
        lines = []
        for row in self.rows:
            (low, high), ends = row.measured.floats, [bound.floats for bound in row.bound]
            lines.append({
                **{name: float(x) if isinstance(x, Fraction) else x for name, x in row.at.items()},
                "control": row.control,
                "quantity": row.quantity, "measured_low": low, "measured_high": high, "relation": row.relation,
                "bound_low": ends[0][0], "bound_high": ends[-1][1], "slack": row.slack, "truth": row.truth,
                "evidence": row.evidence.name.lower(),
            })  # fmt: skip
        frames = require("polars") if library == "polars" else require("pandas")
        return frames.DataFrame(lines)

    def plot(self, letter: str = "") -> Any:
        """Return a matplotlib figure: every quantity with its bound and its controls, along a letter.

        Parameters
        ----------
        letter : what runs along the x-axis; the one that varies most unless given.

        Raises
        ------
        DomainError : no letter varies, or the one asked for does not.
        MissingPackageError : without matplotlib.
        """
        return plot_verdict(self.rows, f"{self.id}: {self.outcome}", letter)

    def _repr_html_(self) -> str:
        """The verdict for a notebook: its line, and its first rows as a table."""
        own = [row for row in self.rows if not row.control][:12]
        names = list(dict.fromkeys(name for row in own for name in row.point))
        lines = [[*names, "quantity", "measured", "", "bound"]]
        for row in own:
            bound = " … ".join(dict.fromkeys(map(str, row.bound)))
            at = [row.point.get(name, "") for name in names]
            lines.append([*at, row.quantity, str(row.measured), row.relation, bound])
        return table_html(str(self), lines)

    def __repr__(self) -> str:
        """The verdict with its first rows: a table to be read, not to be parsed."""
        own = [row for row in self.rows if not row.control]
        lines = [str(self)]
        for row in own[:12]:
            at = ", ".join(f"{name}={value}" for name, value in row.point.items())
            bound = " … ".join(dict.fromkeys(map(str, row.bound)))
            truth = "  premise false" if row.idle else {True: "", False: "  fails", None: "  open"}[row.truth]
            lines.append(f"  {at}: {row.quantity} {row.measured} {row.relation} {bound}{truth}")
        more = [f"  and {len(own) - 12} rows more in .rows"] if len(own) > 12 else []
        return "\n".join([*lines, *more])

    def __str__(self) -> str:
        strength = self.evidence.name.lower() if self.evidence else "no evidence"
        word = f"{self.outcome} {self.limit}".strip()
        return f"{self.id}: {word} ({strength}): {self.reason}"
