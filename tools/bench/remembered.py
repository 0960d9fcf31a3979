"""A claim that measures each point once: thousands of statements about it then cost a comparison each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from theorytools.claims.language.bound import as_recipe
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Budget, Estimate, Recipe
from theorytools.claims.language.grid import Point
from theorytools.errors import DomainError


def replayed(recipe: Recipe) -> Recipe:
    """Return a recipe with the same steps, each computed once for an error probability and a budget.

    Examples
    --------
    >>> from theorytools import exactly
    >>> made = replayed(exactly(3))
    >>> [list(made.steps(0.0, Budget())) for _ in range(2)][1][0].low
    3
    """
    known: dict[tuple[float, Budget], tuple[Iterator[Estimate], list[Estimate]]] = {}

    def steps(alpha: float, budget: Budget) -> Iterator[Estimate]:
        index = 0
        while True:
            source, seen = known.setdefault((alpha, budget), (recipe.steps(alpha, budget), []))
            if index == len(seen):
                try:
                    step = next(source, None)
                except BaseException:
                    del known[alpha, budget]  # a generator that has raised is empty: the next reader begins again
                    raise
                if step is None:
                    return
                seen.append(step)
            yield seen[index]
            index += 1

    return Recipe(recipe.evidence, steps)


class _Memory:
    """What one construction and one measurement gave, by point; errors too."""

    def __init__(self) -> None:
        self.known: dict[Any, tuple[Any, Exception | None]] = {}

    def of(self, key: Any, make: Callable[[], Any]) -> Any:
        if key not in self.known:
            try:
                self.known[key] = make(), None
            except Exception as error:  # kept, to be raised at every reader of this point
                self.known[key] = None, error
        made, failure = self.known[key]
        if failure is not None:
            raise failure.with_traceback(None)
        return made


def _key(point: Point) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(point.text().items()))


def remembered(claim: Claim) -> Claim:
    """Return the claim with its construction, its measurement and those of its controls remembered by point.

    Examples
    --------
    >>> from theorytools import Control, Quantity, grid
    >>> calls, one = [], Quantity("one", "1")
    >>> claim = Claim("One", one.equals(1), grid(N=[1]), lambda p: calls.append(p) or 1, lambda x, p: {one: x},
    ...               [Control("none", breaks=one, construct=lambda p: 0)])
    >>> known = remembered(claim)
    >>> [known.construct(known.point({"N": 1}, "a.b")) for _ in range(3)], len(calls)
    ([1, 1, 1], 1)
    """
    if claim.drawn or claim.run is not None:
        return claim  # its objects are many at a point, and each is made where it is measured; a run keeps its own
    construct = _constructed(claim.construct)
    measure = _measured(claim.measure)
    derive = None if claim.derive is None else _measured(claim.derive, lambda value: value)
    controls = []
    for control in claim.controls:
        own = construct if control.construct is None else _constructed(control.construct)
        if control.construct is not None or control.measure is not None:
            control = replace(control, construct=own, measure=_measured(control.measure or claim.measure))
        controls.append(control)
    return replace(claim, construct=construct, measure=measure, derive=derive, controls=controls)


def _constructed(construct: Callable[[Point], Any]) -> Callable[[Point], Any]:
    memory = _Memory()
    return lambda point: memory.of(_key(point), lambda: construct(point))


def _recipe(value: Any) -> Any:
    try:
        return replayed(as_recipe(value))
    except DomainError:  # no recipe: the judge says so in its own words
        return value


def _measured(
    measure: Callable[[Any, Point], Mapping[Any, Any]], kept: Callable[[Any], Any] = _recipe
) -> Callable[[Any, Point], Mapping[Any, Any]]:
    """Return the measurement remembered by object and point; the object is held, so that its id is its own."""
    memory = _Memory()
    held: dict[int, Any] = {}

    def measured(thing: Any, point: Point) -> Mapping[Any, Any]:
        held[id(thing)] = thing
        return memory.of(  # type: ignore[no-any-return]
            (id(thing), _key(point)), lambda: {name: kept(value) for name, value in measure(thing, point).items()}
        )

    return measured
