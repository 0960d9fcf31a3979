"""Verdicts as they are handed to a user: rows of numbers, a table in colour, the figure of the site.

The engine's verdicts are made to be stored and judged again; these are the same records, of classes that also know how
they are shown.  ``isinstance(verdict, Verdict)`` holds of them, and what they write as JSON is the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields
from fractions import Fraction
from typing import Any, Literal

from theorytools.arguments.checked import checked
from theorytools.claims.judging.verdict import Row, Verdict
from theorytools.claims.language.estimate import Estimate
from theorytools.errors import DomainError, NumberError
from theorytools.numbers import Enclosure
from theorytools.optional import require
from theorytools.questions.html import list_html, verdict_html
from theorytools.questions.picture import Picture, picture_of


class ShownNumber(Estimate):
    """An interval with its evidence that can also be read as one number: ``float(row.measured)``.

    Parameters
    ----------
    low, high, evidence, alpha, work : those of an :class:`~theorytools.Estimate`.

    Examples
    --------
    >>> from theorytools import verify
    >>> row = verify("qstr.lemma_11", N=[8], q=1).rows[0]
    >>> float(row.measured) <= float(row.bound[0])
    True
    """

    def __eq__(self, other: object) -> bool:
        """Whether another record, shown or the engine's, has the same fields."""
        return isinstance(other, Estimate) and _fields(self) == _fields(other)

    __hash__ = Estimate.__hash__

    def __float__(self) -> float:
        """The middle of the interval, rounded to the nearest double: for reading and plotting, never for a proof.

        Raises
        ------
        NumberError : an end is infinite or beyond doubles: the interval has no middle.
        """
        low, high = self.floats
        if not (math.isfinite(low) and math.isfinite(high)):
            raise NumberError(
                f"float() of {self}", required="two ends that doubles hold", why="float() is the middle between them",
                advice=".low and .high are the ends themselves, .floats two doubles around the number",
            )  # fmt: skip
        return float(Enclosure(self.low.value)) if self.low == self.high else low / 2 + high / 2


class ShownRow(Row):
    """One comparison, printed as one line; ``row.at["N"]``, ``float(row.measured)`` and ``float(row.bound[0])``.

    Parameters
    ----------
    point, control, assertion, quantity, relation, truth, measured, bound, vacuous, tied, steps, power : as the engine
        judged them.
    must_break, shifts, premise : the same.

    Examples
    --------
    >>> from theorytools import verify
    >>> row = verify("qstr.lemma_11", N=[8], q=1).rows[0]
    >>> row.at["N"] + 1, row.truth
    (9, True)
    """

    def __eq__(self, other: object) -> bool:
        """Whether another record, shown or the engine's, has the same fields."""
        return isinstance(other, Row) and _fields(self) == _fields(other)

    __hash__ = Row.__hash__

    def __repr__(self) -> str:
        """The comparison in one line, to be read."""
        truth = "premise false" if self.idle else {True: "holds", False: "fails", None: "open"}[self.truth]
        bound = " … ".join(dict.fromkeys(map(str, self.bound)))
        control = f"control '{self.control}', " if self.control else ""
        return f"{control}{self.place}: {self.quantity} {self.measured} {self.relation} {bound}: {truth}"


@checked
class ShownVerdict(Verdict):
    """The verdict of one claim, as a user sees it: text, a table in colour, a figure, a data frame.

    Parameters
    ----------
    id, label, outcome, expect, as_expected, evidence, reason, rows, controls, skipped, power, powers, horizon, tested :
        those of a :class:`~theorytools.Verdict`.
    trend, searched, alpha_claim, alpha_spent, user_points, seconds, cpu, cpu_points, cpu_parts, document, derived :
        the same.
    remarks, limit : the same.

    Examples
    --------
    >>> from theorytools import verify
    >>> verdict = verify("qstr.lemma_11", N=[8, 16], q=1)
    >>> str(verdict.plot())
    'qstr.lemma_11: a picture as SVG; .save("file.svg") writes it'
    """

    def __eq__(self, other: object) -> bool:
        """Whether another record, shown or the engine's, has the same fields."""
        return isinstance(other, Verdict) and _fields(self) == _fields(other)

    __hash__ = Verdict.__hash__

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries of plain Python numbers and words, those of controls too.

        Returns
        -------
        list of dict
            Of each row the letters of its point, ``control``, ``quantity``, ``measured`` and ``bound`` as doubles (the
            middle of an interval, None where it has none) with their ends as ``measured_low``, ``measured_high``,
            ``bound_low`` and ``bound_high``, ``relation``, ``slack``, ``truth`` and ``evidence``.

        Examples
        --------
        >>> from theorytools import verify
        >>> first = verify("qstr.lemma_11", N=[8], q=1).to_dicts()[0]
        >>> first["N"], first["truth"], first["measured_low"] <= first["measured"] <= first["measured_high"]
        (8, True, True)
        """
        return [_plain(row) for row in self.rows]

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return the rows as a data frame, with the columns of :meth:`to_dicts`.

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
        frames = require("polars") if library == "polars" else require("pandas")
        return frames.DataFrame(self.to_dicts())

    def plot(self, letter: str = "") -> Picture:
        """Return the figure of the report: measured values, bound and controls; a notebook shows it as a picture.

        Parameters
        ----------
        letter : what runs along the axis; the one that the report takes unless given.

        Returns
        -------
        Picture : an SVG, made without matplotlib; ``theorytools figure ID`` writes one for a paper.

        Raises
        ------
        DomainError : no letter varies, or the one asked for does not.
        """
        return picture_of(self.to_json(), letter)

    def _repr_html_(self) -> str:
        """The verdict for a notebook: outcome, rows and controls, in colour and in words."""
        return verdict_html(self.to_json())


class Verdicts(tuple[ShownVerdict, ...]):
    """Several verdicts, shown as one table with a line for each.

    Parameters
    ----------
    verdicts : what :func:`theorytools.verify` or :func:`theorytools.judge` returned.

    Examples
    --------
    >>> from theorytools import verify
    >>> print(Verdicts([verify("qstr.lemma_11", N=[8], q=1)]))
    qstr.lemma_11: HOLDS (exact)
    """

    __slots__ = ()

    def __new__(cls, verdicts: Iterable[Verdict] = ()) -> Verdicts:
        """Take verdicts of any kind."""
        made = [shown(verdict) if isinstance(verdict, Verdict) else verdict for verdict in _listed(verdicts)]
        for one in made:
            if not isinstance(one, ShownVerdict):
                raise DomainError(
                    f"{one!r:.60} of type {type(one).__name__} among verdicts", required="verdicts",
                    why="each has a line of the table", advice='Verdicts([verify("qstr.lemma_11")])',
                )  # fmt: skip
        return super().__new__(cls, made)

    @property
    def ok(self) -> bool:
        """Whether each is as expected."""
        return all(verdict.ok for verdict in self)

    def _repr_html_(self) -> str:
        """The verdicts for a notebook, a line each."""
        return list_html([verdict.to_json() for verdict in self])

    def __repr__(self) -> str:
        """A line for each: its claim, the outcome and the evidence."""
        return (
            "\n".join(str(verdict).partition(": ")[0] + ": " + _outcome(verdict) for verdict in self) or "no verdicts"
        )

    __str__ = __repr__


def shown(verdict: Verdict) -> ShownVerdict:
    """Return a verdict of the engine as one that is shown.

    Examples
    --------
    >>> from theorytools import Evidence, Outcome
    >>> shown(Verdict("a.b", "L", Outcome.HOLDS, "HOLDS", True, Evidence.EXACT, "1 row"))
    a.b: HOLDS (exact): 1 row
    """
    if isinstance(verdict, ShownVerdict):
        return verdict
    return ShownVerdict(**{**_fields(verdict), "rows": tuple(map(shown_row, verdict.rows))})


def shown_row(row: Row) -> ShownRow:
    """Return a row of the engine as one that is shown, with both its sides and its premise."""
    sides = {"measured": _number(row.measured), "bound": tuple(map(_number, row.bound))}
    premise = None if row.premise is None else shown_row(row.premise)
    return ShownRow(**{**_fields(row), **sides, "premise": premise})


def _number(estimate: Estimate) -> ShownNumber:
    return ShownNumber(**_fields(estimate))


def _fields(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _plain(row: Row) -> dict[str, Any]:
    """A row as numbers and words."""
    (low, high), ends = row.measured.floats, [bound.floats for bound in row.bound]
    band = Estimate(row.bound[0].low, row.bound[-1].high, row.bound[0].evidence)
    return {
        **{name: float(x) if isinstance(x, Fraction) else x for name, x in row.at.items()},
        "control": row.control, "quantity": row.quantity,
        "measured": _middle(row.measured), "measured_low": low, "measured_high": high, "relation": row.relation,
        "bound": _middle(band), "bound_low": ends[0][0], "bound_high": ends[-1][1],
        "slack": row.slack, "truth": row.truth, "evidence": row.evidence.name.lower(),
    }  # fmt: skip


def _middle(estimate: Estimate) -> float | None:
    """The number as a double, None where the interval has no middle."""
    return float(_number(estimate)) if all(map(math.isfinite, estimate.floats)) else None


def _listed(verdicts: Any) -> list[Any]:
    try:
        return list(verdicts)
    except TypeError:
        raise DomainError(
            f"{verdicts!r:.60} of type {type(verdicts).__name__}", required="several verdicts",
            why="each has a line of the table", advice='Verdicts([verify("qstr.lemma_11")])',
        ) from None  # fmt: skip


def _outcome(verdict: Verdict) -> str:
    strength = verdict.evidence.name.lower() if verdict.evidence else "no evidence"
    told = f"{verdict.outcome} {verdict.limit}".strip()
    return f"{told} ({strength})" + ("" if verdict.ok else ", not as expected")
