"""The constants of a claim about growth: fitted to the first half of its sizes, and held against the later ones.

They are letters that the claim derives, :class:`Fitted` beside what its author derives; each rival is a control, a
family that grows like it from the first sizes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import sympy

from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.bound import as_recipe, enclose
from theorytools.claims.language.control import Construct, Control, Measure
from theorytools.claims.language.estimate import Budget, Evidence, Recipe, enclosed
from theorytools.claims.language.family import Family
from theorytools.claims.language.grid import Grid, Point
from theorytools.claims.language.measured import by_quantity
from theorytools.claims.language.quantity import Quantity
from theorytools.errors import CheckError, UndecidedError
from theorytools.numbers import Enclosure, maximum, minimum, union, working_precision

LEAST_SIZES = 4


class Measured(Protocol):
    """What a fitted constant asks of its claim: how its quantities are measured at the sizes of its grid."""

    @property
    def label(self) -> str: ...  # noqa: D102

    @property
    def assertions(self) -> tuple[Assertion, ...]: ...  # noqa: D102

    @property
    def grid(self) -> Grid: ...  # noqa: D102

    @property
    def construct(self) -> Construct: ...  # noqa: D102

    @property
    def measure(self) -> Measure: ...  # noqa: D102

    @property
    def budget(self) -> Budget: ...  # noqa: D102

    def seen(self, point: Point) -> Point: ...  # noqa: D102


@dataclass
class Fitted:
    """What a claim about growth derives: the constants of its first sizes, besides what its author derives."""

    claim: Measured
    inner: Callable[[Any, Point], Mapping[Any, Any]] | None
    names: frozenset[str]
    _known: dict[Any, Recipe] = field(default_factory=dict, repr=False)

    def __call__(self, thing: Any, point: Point) -> dict[Any, Any]:
        """Return the derived letters at a point; a fitted constant is computed at the ambient precision."""
        made: dict[Any, Any] = dict(self.inner(thing, point)) if self.inner else {}
        for assertion in self.claim.assertions:
            if (growth := assertion.growth) is not None and growth.constant is not None:
                made[growth.constant] = lambda a=assertion: self.constant(a, point)
        return made

    def constant(self, assertion: Assertion, point: Point) -> Enclosure:
        """Return the constant of the first sizes, with its room."""
        growth, upper = _growth(assertion), assertion.relation == "<="
        extreme = self.ratio(assertion, growth.shape, point, maximum if upper else minimum)
        return extreme * (1 + growth.room) if upper else extreme / (1 + growth.room)

    def ratio(self, assertion: Assertion, shape: sympy.Expr, point: Point, extreme: Any) -> Enclosure:
        """Return the largest or least quotient of the quantity and a shape over the first sizes."""
        name = _growth(assertion).variable.name
        places = [replace(point, axes={**point.axes, name: size}) for size in first_sizes(self.claim, name)]
        quotients = [self.measured(assertion.parts[0], p) / enclose(shape, values(p)) for p in places]
        return Enclosure(extreme(quotients))

    def measured(self, quantity: Quantity, point: Point) -> Enclosure:
        """Return what is measured at one of the first sizes, at the ambient precision."""
        key = (quantity, tuple(sorted(point.axes.items())))
        if key not in self._known:
            claim = self.claim
            given = claim.measure(claim.construct(claim.seen(point)), point)
            self._known[key] = as_recipe(by_quantity(given, [quantity], claim.label)[quantity], quantity.name)
        recipe, bits = self._known[key], working_precision()
        if recipe.evidence in (Evidence.SAMPLED, Evidence.FITTED):
            raise CheckError(
                f"{quantity.name} at {point} is {recipe.evidence.name.lower()}, and its constant is to be fitted",
                required="a number, enclosed or exact", why="the constant would carry the error of the draws",
                advice="declare constant=…, an ordinary inequality",
            )  # fmt: skip
        last = None
        for last in recipe.steps(0.0, replace(self.claim.budget, bits=max(bits, self.claim.budget.bits))):
            if last.work.get("bits", bits) >= bits:
                break
        return union([Enclosure(last.low.value), Enclosure(last.high.value)]) if last else Enclosure(0).log()

    def rival(self, assertion: Assertion, shape: sympy.Expr, point: Point) -> Recipe:
        """Return the number that a family which grows like a rival would have at a point."""
        extreme = minimum if assertion.relation == "<=" else maximum

        def compute() -> Enclosure:
            return self.ratio(assertion, shape, point, extreme) * enclose(shape, values(point))

        return enclosed(compute)

    def rivals(self, assertion: Assertion) -> list[Control]:
        """Return a control for each rival: a family that grows like it must fail at the last size."""
        growth = _growth(assertion)
        last = max(row[growth.variable.name] for row in self.claim.grid)
        where = sympy.Ge(growth.variable, sympy.Rational(str(last)))

        def control(shape: sympy.Expr) -> Control:
            return Control(
                f"{assertion.quantity.name} that grows like {shape}", breaks=[assertion], asserts=[assertion],
                where=where, construct=lambda p: None,
                measure=lambda _, p: {assertion.parts[0]: self.rival(assertion, shape, p)}, rival=True,
            )  # fmt: skip

        return [control(shape) for shape in growth.rivals]


def _growth(assertion: Assertion) -> Family:
    assert assertion.growth is not None
    return assertion.growth


def values(point: Point) -> dict[str, Any]:
    """Return the letters of a point that are numbers, axes and lets."""
    found: dict[str, Any] = {name: value for name, value in point.axes.items() if not isinstance(value, str)}
    for name in point.lets:
        try:
            found[name] = getattr(point, name)
        except UndecidedError:
            found[name] = lambda: Enclosure(0).log()  # the whole line
    return found


def first_sizes(claim: Measured, name: str) -> list[Any]:
    """Return the first half of the sizes at which a claim is judged."""
    sizes = sorted({row[name] for row in claim.grid})
    return sizes[: len(sizes) // 2]


def examine_families(label: str, claim: Measured) -> None:
    """Refuse a claim about growth along a letter that does not grow on its grid."""
    for assertion in claim.assertions:
        if assertion.growth is None:
            continue
        name = assertion.growth.variable.name
        sizes = {row.get(name) for row in claim.grid}
        if any(isinstance(size, str | None) for size in sizes) or len(sizes) < LEAST_SIZES:
            raise CheckError(
                f"claim {label!r}: {assertion.name} on {len(sizes - {None})} sizes of {name}",
                required=f"an axis {name} of numbers with at least {LEAST_SIZES} sizes",
                why="the first half gives the constant, and the others are what it is held against",
                advice=f"grid({name}=[16, 32, 64, 128, …])",
            )
