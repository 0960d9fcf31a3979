"""How far a HOLDS reaches: what was walked, compared or drawn, and never what was typed.

A universal quantifier is covered in full by a space that was walked, by a closed form that a second route confirmed, or
by a statement that speaks of its listed points alone.  Everything else is a limit, and the word HOLDS carries it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from theorytools.claims.judging.rows_of_a_run import reached
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.draw import percent


def limit(claim: Claim, rows: Sequence[Row], covered: Mapping[str, int] | None = None) -> str:
    """Return the limit of a HOLDS in a few words; empty where it has none.

    Parameters
    ----------
    claim, rows : the claim and its own rows.
    covered : at how many points a space was walked to its end (``enumeration``), and a second route gave the same
        numbers (``closed form``).

    Examples
    --------
    >>> from theorytools import Control, Quantity, grid, judge, letter
    >>> N, total = letter("N", "number of terms", integer=True, positive=True), Quantity("total", "S", "the sum")
    >>> claim = Claim(
    ...     "Gauss", asserts=total.equals(N * (N + 1) / 2), grid=grid(N=[1, 10, 100]),
    ...     construct=lambda p: range(p.N + 1), measure=lambda terms, p: {total: sum(terms)},
    ...     controls=[Control("the last term left out", breaks=total, construct=lambda p: range(p.N))],
    ... )
    >>> judge(claim, "sums.gauss").limit
    'at 3 points to N = 100'
    """
    rows = [row for row in rows if not row.idle] or rows
    parts = [*_points(claim, rows), *_steps(claim, rows), *_objects(claim, rows, covered or {})]
    return ", ".join(parts)


def _points(claim: Claim, rows: Sequence[Row]) -> list[str]:
    axes = [name for name in claim.grid.axes if claim.run is None or name != claim.run.horizon]
    if claim.fixed or not axes:
        return []
    places = {tuple((name, row.point[name]) for name in axes) for row in rows}
    said = f"at {len(places)} point{'s' * (len(places) != 1)}"
    names = [name for name in axes if len({row.point[name] for row in rows}) > 1]
    largest = [max(value for row in rows if not isinstance(value := row.at[name], str)) for name in names[:1]
               if not any(isinstance(row.at[name], str) for row in rows)]  # fmt: skip
    return [f"{said} to {names[0]} = {largest[0]}" if len(names) == 1 and largest else said]


def _steps(claim: Claim, rows: Sequence[Row]) -> list[str]:
    """How far every step of a run was judged, whatever the other letters are."""
    if claim.run is None or claim.fixed:
        return []
    longest: dict[tuple[str, ...], int] = {}
    for row in rows:
        key = tuple(text for name, text in row.point.items() if name != claim.run.horizon)
        longest[key] = max(longest.get(key, 0), *(steps for _, steps in reached([row])))
    every = all(judged == steps for judged, steps in reached(rows))
    return [f"{'' if every else 'at doublings '}to {claim.run.horizon} = {min(longest.values())}"]


def _objects(claim: Claim, rows: Sequence[Row], covered: Mapping[str, int]) -> list[str]:
    """What limits all that is quantified over: a part that binds a letter may speak of objects, too."""
    every = [binder.how for binder in claim.binders if binder.quantifier == "every"]
    if claim.drawn and (shares := [Fraction(share) for row in rows if (share := row.measured.work.get("share"))]):
        return [f"on at least {percent(min(shares))} of draws (95 %)"]
    if "drawn" in every:
        return ["on what was drawn"]
    if "recorded" in every:
        return ["on recorded runs"]
    places = len({tuple(sorted(row.point.items())) for row in rows})
    least = {"enumeration": places, "closed form": 1}  # a closed form is compared where that is little work
    typed = [
        how for how in every if how not in ("points", "every step") and covered.get(how, 0) < least.get(how, places + 1)
    ]
    return ["as its author covers it"] if typed and claim.fixed else []
