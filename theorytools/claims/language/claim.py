r"""A theorem as a claim: assertions, hypotheses, a grid, a construction, a measurement, and controls.

A claim without a control is refused: a check that nothing can fail says nothing.  The fields are kept exactly
as typed (the paper's letters), so ``dataclasses.replace`` makes a variant by changing one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import sympy
from sympy.logic.boolalg import Boolean

from theorytools.arguments.checked import Count, checked
from theorytools.claims.language.assertion import Assertion, Quantity
from theorytools.claims.language.bound import expression
from theorytools.claims.language.estimate import Budget
from theorytools.claims.language.grid import Grid, Point
from theorytools.errors import CheckError, DomainError

Construct = Callable[[Point], Any]
Measure = Callable[[Any, Point], Mapping[Quantity, Any]]


@checked
@dataclass(frozen=True)
class Control:
    """The same claim with one ingredient spoiled; it must be rejected.

    Parameters
    ----------
    name : what is spoiled, in words.
    breaks : the quantities or assertions that must be decided REFUTED; every other must stay proved.  An empty
        tuple makes the control a *repair*: all of its assertions must hold at every point.
    construct, measure, asserts : the spoiled ingredient; what is None stays as in the claim.
    where : a condition on the letters; the control is applied only where it certainly holds.
    """

    name: str
    breaks: Quantity | Assertion | str | Sequence[Quantity | Assertion | str] = ()
    construct: Construct | None = None
    measure: Measure | None = None
    asserts: Sequence[Assertion] | None = None
    where: Any = sympy.true

    def __post_init__(self) -> None:
        if isinstance(self.where, bool) or not isinstance(self.where, Boolean):
            required = "a condition such as N >= 4 or Eq(q, 1)"
            raise DomainError(f"where = {self.where!r:.60} of the control {self.name!r}", required=required)

    @property
    def repair(self) -> bool:
        """Whether this control is a repaired statement rather than a spoiled one."""
        return not self.targets

    @property
    def targets(self) -> tuple[Any, ...]:
        """What must break, as a tuple."""
        return (self.breaks,) if isinstance(self.breaks, Quantity | Assertion | str) else tuple(self.breaks)

    def must_break(self, assertion: Assertion) -> bool:
        """Whether this assertion is one of those that must be REFUTED."""
        return any(
            target == assertion.quantity
            if isinstance(target, Quantity)
            else target == assertion
            if isinstance(target, Assertion)
            else target in (assertion.name, assertion.quantity.name)
            for target in self.targets
        )


@dataclass(frozen=True)
class Claim:
    """A statement of a paper in executable form.

    Parameters
    ----------
    label : the statement as the paper numbers it ("Lemma 11", "Lemma 41, operator-norm reading").
    asserts : one assertion or several.
    grid : the points where it is tested.
    construct : point -> object (a network, a code, a data set).
    measure : (object, point) -> {Quantity: recipe, exact number, or callable at the ambient precision}.
    controls : at least one :class:`Control`.
    requires : hypotheses on the letters, sympy relations; they validate points, generate random ones and are
        printed.
    lets : letters defined by others, ``{beta: s*d_e*log(2)/2}``.
    derive, derived : values the honest construction fixes (exact, or callables at the ambient precision) and the
        letters they are bound to; controls keep the honest values.
    force : ``"witness"`` for an existence statement, ``"corroborates"`` for one over all objects that a grid can
        only fail to refute.
    tier : ``"seconds"``, ``"minutes"`` or ``"hours"``.
    expect : ``"HOLDS"`` or ``"REFUTED"`` (a reading known to fail, with its repair among the controls).
    budget : bits, samples and error probability.
    note : what distinguishes this claim from others in its file.
    uses : ids of the claims this one rests on, ``("qstr.lemma_11",)``; they must exist, hold and not use it in turn.
    tabulated : axes whose values were read or computed for the points of the grid (a number printed in a table); at
        another point such a value states nothing, so a user who moves the other axes gives it too.
    listed : axes whose values the statement names together (the sizes of a table, the runs of a record, a curve); at
        any other combination of them it says nothing.
    search : for statements over all objects, ``search(draw, point)`` draws a random object for ``falsify``.
    """

    label: str
    asserts: Assertion | Sequence[Assertion]
    grid: Grid
    construct: Construct
    measure: Measure
    controls: Sequence[Control]
    requires: Sequence[Any] = ()
    lets: Mapping[sympy.Symbol, Any] = field(default_factory=dict)
    derive: Callable[[Any, Point], Mapping[Any, Any]] | None = None
    derived: Sequence[sympy.Symbol] = ()
    force: Literal["witness", "corroborates"] = "witness"
    tier: Literal["seconds", "minutes", "hours"] = "seconds"
    expect: Literal["HOLDS", "REFUTED"] = "HOLDS"
    budget: Budget = field(default_factory=Budget)
    note: str = ""
    tabulated: Sequence[Any] = ()
    listed: Sequence[Any] = ()
    search: Callable[[Any, Point], Any] | None = None
    uses: Sequence[str] = ()

    def __post_init__(self) -> None:
        from theorytools.claims.language.wellformed import examine

        examine(self)

    @property
    def assertions(self) -> tuple[Assertion, ...]:
        """The assertions as a tuple."""
        return (self.asserts,) if isinstance(self.asserts, Assertion) else tuple(self.asserts)

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """The distinct quantities, in the order of the assertions."""
        return tuple(dict.fromkeys(assertion.quantity for assertion in self.assertions))

    @property
    def fixed(self) -> bool:
        """Whether the points of the grid are all that the statement speaks of."""
        names = {getattr(letter, "name", letter) for letter in self.listed}
        return bool(self.tabulated) or names == set(self.grid.axes)

    @property
    def definitions(self) -> dict[str, sympy.Expr]:
        """The ``lets`` by name, as expressions in axes only."""
        return {symbol.name: expression(value, f"the let {symbol}") for symbol, value in self.lets.items()}

    def all_letters(self) -> dict[str, sympy.Symbol]:
        """Every letter that occurs in the statement, by name."""
        found: set[sympy.Symbol] = set(self.lets) | set(self.derived)
        for value in self.definitions.values():
            found |= value.free_symbols
        for assertion in self.assertions:
            for side in assertion.sides():
                found |= side.free_symbols
        for condition in self.requires:
            found |= getattr(condition, "free_symbols", set())
        return {symbol.name: symbol for symbol in sorted(found, key=lambda s: s.name)}

    @checked
    def point(self, axes: Mapping[str, Any], check: str) -> Point:
        """Return the point with these axes, its seeds keyed by the check file ``check``."""
        return Point(check, dict(axes), self.definitions)

    @checked
    def row_alpha(self, count: Count = 0) -> float:
        """The error probability of one quantity at one point: fixed before anything is sampled.

        Each control counts as much as whichever measures the most quantities, so the parts never exceed the whole.
        """
        asserted = [self.assertions, *(c.asserts for c in self.controls if c.asserts is not None)]
        most = max(len({assertion.quantity for assertion in asserts}) for asserts in asserted)
        return self.budget.alpha / (max(len(self.grid), count) * (1 + len(self.controls)) * most)


def refuse(label: str, given: str, required: str, why: str = "", advice: str = "") -> CheckError:
    """Return the error of a claim that is not well formed."""
    return CheckError(f"claim {label!r}: {given}", required=required, why=why, advice=advice)
