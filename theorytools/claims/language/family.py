r"""Growth of a measured family along one letter: the claimed shape, its constant, and the rivals it must exclude.

:math:`f=O(g)` says that a constant exists; finitely many sizes can neither prove that nor refute it.  What they can say
is a comparison of named shapes.  Let :math:`F` be the first half of the sizes of the grid, the other letters equal.

* The constant is declared, or fitted: :math:`C=(1+\rho)\max_{N\in F}f(N)/g(N)` (for a lower bound
  :math:`\min_{N\in F}f/g/(1+\rho)`), with the room :math:`\rho`.  Each row says :math:`f(N)\le Cg(N)`, which is news at
  the later sizes.  A declared constant that fails is refuted; a fitted one that fails says nothing of a larger one.
* A rival :math:`h` is excluded where a family that grows like it would have failed: :math:`c'h(N)>Cg(N)` at the last
  size, with :math:`c'=\min_{N\in F}f/h` (for a lower bound the maximum), the smallest such family that is as large as
  what was measured on the first half.

Else the claim is unresolved, and the reason names the size that failed or the rival that would have passed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from theorytools.claims.language.bound import as_recipe, enclose, expression
from theorytools.claims.language.estimate import Evidence, Recipe, enclosed
from theorytools.claims.language.growth import Growth, leading_term
from theorytools.claims.language.measured import by_quantity
from theorytools.claims.language.symbol import letter
from theorytools.errors import CheckError, DomainError, UndecidedError
from theorytools.numbers import Enclosure, maximum, minimum, union, working_precision

if TYPE_CHECKING:
    from theorytools.claims.language.assertion import Assertion, Quantity
    from theorytools.claims.language.claim import Claim
    from theorytools.claims.language.grid import Point

LEAST_SIZES = 4


@dataclass(frozen=True)
class Family:
    """What a claim about growth says besides its inequality.

    Parameters
    ----------
    variable : the letter that grows.
    shape : the claimed shape.
    rivals : the shapes that must be excluded, named beforehand.
    constant : the letter of a fitted constant; None where the claim declares one.
    room : by which part a fitted constant is larger than the first sizes need.
    """

    variable: sympy.Symbol
    shape: sympy.Expr
    rivals: tuple[sympy.Expr, ...]
    constant: sympy.Symbol | None
    room: Fraction


def family(
    quantity: Quantity, variable: sympy.Symbol, shape: Any, rivals: Sequence[Any], constant: Any, room: Any, *,
    upper: bool,
) -> tuple[Family, sympy.Expr]:  # fmt: skip
    """Return what a claim about growth says, and its right side.

    Raises
    ------
    CheckError : no rivals, one that is not on the other side of the claimed shape, or a room that is no exact part.
    """
    claimed = expression(shape, f"the shape of {quantity.name}")
    named = tuple(expression(rival, f"a rival of {claimed}") for rival in rivals)
    if not named:
        raise CheckError(
            f"that {quantity.name} grows {'at most' if upper else 'at least'} like {claimed}, without rivals",
            required=f"rivals=[…], shapes that grow {'faster' if upper else 'slower'}",
            why="every finite table fits O(anything) with some constant: it says something only where a named "
            "shape would not have fitted",
            advice=f"rivals=[{claimed * sympy.log(variable)}, {claimed * variable ** sympy.Rational(1, 10)}]"
            if upper else f"rivals=[{claimed / sympy.log(variable)}]",
        )  # fmt: skip
    for rival in named:
        if _faster(rival / claimed if upper else claimed / rival, variable) is False:
            raise CheckError(
                f"the rival {rival} of {claimed}", required=f"a shape that grows {'faster' if upper else 'slower'}",
                why="a family that grows like it is within the claim, which cannot exclude it",
                advice=f"{claimed * sympy.log(variable)}" if upper else f"{claimed / sympy.log(variable)}",
            )  # fmt: skip
    if isinstance(room, bool) or not isinstance(room, int | Fraction | sympy.Rational) or not 0 <= room <= 1:
        raise CheckError(f"room = {room!r}", required="an exact part, 0 to 1", advice="Fraction(1, 10)")
    if constant is not None:
        return Family(variable, claimed, named, None, Fraction(0)), expression(constant) * claimed
    name = f"{'C' if upper else 'c'}_{re.sub(r'[^0-9A-Za-z]+', '_', quantity.name).strip('_')}"
    meaning = f"constant of the first sizes: {'largest' if upper else 'least'} {quantity.name}/({claimed}), with room"
    fitted = letter(name, meaning, latex="C" if upper else "c", positive=True)
    return Family(variable, claimed, named, fitted, Fraction(str(room))), fitted * claimed


def _faster(quotient: sympy.Expr, variable: sympy.Symbol) -> bool | None:
    """Whether a quotient of shapes tends to infinity; None where the rules for leading terms do not say."""
    others = {symbol: Growth(symbol) for symbol in quotient.free_symbols - {variable}}
    try:
        return leading_term(sympy.powsimp(quotient), variable, others).direction > 0
    except DomainError:
        return None


@dataclass
class Fitted:
    """What a claim about growth derives: the constants of its first sizes, besides what its author derives."""

    claim: Claim
    inner: Callable[[Any, Point], Mapping[Any, Any]] | None
    names: frozenset[str]
    _known: dict[Any, Recipe] = field(default_factory=dict, repr=False)

    def __call__(self, thing: Any, point: Point) -> dict[Any, Any]:
        """Return the derived letters at a point; a fitted constant is computed at the ambient precision."""
        made: dict[Any, Any] = dict(self.inner(thing, point)) if self.inner else {}
        for assertion in self.claim.assertions:
            if (told := assertion.growth) is not None and told.constant is not None:
                made[told.constant] = lambda a=assertion: self.constant(a, point)
        return made

    def constant(self, assertion: Assertion, point: Point) -> Enclosure:
        """Return the constant of the first sizes, with its room."""
        told, upper = _told(assertion), assertion.relation == "<="
        extreme = self.ratio(assertion, told.shape, point, maximum if upper else minimum)
        return extreme * (1 + told.room) if upper else extreme / (1 + told.room)

    def ratio(self, assertion: Assertion, shape: sympy.Expr, point: Point, extreme: Any) -> Enclosure:
        """Return the largest or least quotient of the quantity and a shape over the first sizes."""
        name = _told(assertion).variable.name
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


def _told(assertion: Assertion) -> Family:
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


def first_sizes(claim: Claim, name: str) -> list[Any]:
    """Return the first half of the sizes at which a claim is judged."""
    sizes = sorted({row[name] for row in claim.grid})
    return sizes[: len(sizes) // 2]


def examine_families(label: str, claim: Claim) -> None:
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
