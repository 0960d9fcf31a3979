"""Rows over drawn objects: the worst draw is the row of a claim, a share of them breaks a control."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.draw import certified


def worst(rows: Sequence[Row]) -> tuple[int, list[bool | None]]:
    """Return which of the rows, one for each draw, decides, and the truth of each.

    That is a refuted one, else an open one, else one whose measured interval reaches furthest towards the bound; of an
    equality, which has no such side, the first.
    """
    truths = [row.truth for row in rows]
    for weak in (False, None):
        if weak in truths:
            return truths.index(weak), truths
    numbers = [i for i, row in enumerate(rows) if not row.idle] or list(range(len(rows)))
    if rows[0].relation.startswith("<"):
        return max(numbers, key=lambda i: rows[i].measured.high), truths
    if rows[0].relation.startswith(">"):
        return min(numbers, key=lambda i: rows[i].measured.low), truths
    return numbers[0], truths


def counted(row: Row, number: int, truths: Sequence[bool | None]) -> Row:
    """Return the row of the deciding draw with how many were drawn and failed, and the share that is certified."""
    told: dict[str, Any] = {"draws": len(truths), "failures": truths.count(False), "draw": number}
    if all(truths):
        told["share"] = str(certified(len(truths)))
    return _with(row, told)


def broken(rows: Sequence[Row], share: Any) -> Row:
    """Return one row for all draws of a control: refuted where at least this share of the draws is, counted."""
    truths = [row.truth for row in rows]
    refuted, needed = truths.count(False), Fraction(share) * len(rows)
    truth = False if refuted >= needed else None if refuted + truths.count(None) >= needed else True
    number = truths.index(truth)
    return _with(rows[number], {"draws": len(rows), "broken": refuted, "draw": number})


def _with(row: Row, told: dict[str, Any]) -> Row:
    return replace(row, measured=replace(row.measured, work={**row.measured.work, **told}))
