"""Where a statement is tested: exact points of a parameter grid.

Axis values are integers, rationals, words (a code family, a link function) or objects of a kind (a graph, a law).  A
float means its shortest decimal, so ``grid(beta=[21.3])`` and ``--at beta=21.3`` are one point with one seed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError, UndecidedError
from theorytools.numbers.rational import shortest_fraction

if TYPE_CHECKING:
    import numpy as np
from theorytools.claims.language.seeds import seed_sequence

Value = int | Fraction | str
Axes = Mapping[str, Value]


class Thing(str):
    """An object as the value of an axis: its canonical JSON as a text, with the object itself.

    Whatever treats words treats it: seeds, rows, files.  ``p.G`` at a point is the object.
    """

    __slots__ = ("member",)
    member: Any

    def __new__(cls, text: str, member: Any) -> Thing:  # noqa: D102
        self = super().__new__(cls, text)
        self.member = member
        return self

    def __getnewargs__(self) -> tuple[str, Any]:  # type: ignore[override]  # a text of its own would lose the object
        return str(self), self.member


def axis_value(value: Any, name: str = "an axis") -> Value:
    """Return the exact value of one axis: an int, a Fraction, or a word; a :class:`Thing` is one already.

    Raises
    ------
    DomainError
        For NaN, infinities, booleans and anything that is neither a number nor an identifier.
    """
    if isinstance(value, str):
        if isinstance(value, Thing) or value.isidentifier():
            return value
        try:
            value = shortest_fraction(value)
        except DomainError:
            raise DomainError(
                f"{name} = {value!r}",
                required="a number (4096, 21.3, 1/10, 1e-3) or a word made of letters, digits and _",
                why="points are exact, so that a verdict can be repeated",
            ) from None
    exact = shortest_fraction(value)
    return int(exact) if exact.denominator == 1 else exact


def axis_text(value: Value) -> str:
    """Return the canonical text of an axis value (``64``, ``213/10``, ``simplex``)."""
    return str(value)


class Grid(Sequence[dict[str, Value]]):
    """A finite list of points; ``a + b`` joins two grids, duplicates are kept once."""

    def __init__(self, points: Iterable[Mapping[str, Any]]) -> None:
        seen: dict[tuple[tuple[str, Value], ...], dict[str, Value]] = {}
        for point in points:
            exact = {name: axis_value(value, name) for name, value in point.items()}
            seen.setdefault(tuple(sorted(exact.items())), exact)
        self.points = list(seen.values())
        if len({tuple(sorted(point)) for point in self.points}) > 1:
            raise DomainError("grid points with different axes", required="every point has the same axes")

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the axes, in the order written."""
        return tuple(self.points[0]) if self.points else ()

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, index: Any) -> Any:
        return self.points[index]

    def __iter__(self) -> Iterator[dict[str, Value]]:
        return iter(self.points)

    def __add__(self, other: Grid) -> Grid:
        return Grid([*self.points, *other.points])

    def __repr__(self) -> str:
        return f"Grid({len(self)} points over {', '.join(self.axes)})"


def grid(**axes: Iterable[Any]) -> Grid:
    """Return the product of the axes, the last one varying fastest: ``grid(N=[64, 256], s=[1, 2])``.

    Parameters
    ----------
    axes : the values of each letter, by its name.

    Returns
    -------
    Grid : all combinations.

    Raises
    ------
    DomainError : an axis that is no list, or a value that is no integer, rational or word.

    Examples
    --------
    >>> list(grid(N=[4, 8], q=[1])), len(grid(N=[4, 8], code=["bch", "simplex"]))
    ([{'N': 4, 'q': 1}, {'N': 8, 'q': 1}], 4)
    """
    for name, values in axes.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise DomainError(f"axis {name} = {values!r}", required="a list of values", advice=f"{name}=[{values!r}]")
    columns = {name: list(values) for name, values in axes.items()}
    return Grid(dict(zip(columns, row, strict=True)) for row in itertools.product(*columns.values()))


@checked
def points(names: str, *rows: Sequence[Any]) -> Grid:
    """Return the listed points: ``points("N d_e", (64, 67), (100, 23))``.

    Parameters
    ----------
    names : the letters, separated by spaces.
    rows : one value for each letter, for each point.

    Returns
    -------
    Grid : the points in this order.

    Raises
    ------
    DomainError : a point with more or fewer values than letters.

    Examples
    --------
    >>> list(points("N d_e", (64, 67), (100, 23)))
    [{'N': 64, 'd_e': 67}, {'N': 100, 'd_e': 23}]
    """
    axes = names.replace(",", " ").split()
    for row in rows:
        if len(row) != len(axes):
            raise DomainError(f"the point {tuple(row)}", required=f"{len(axes)} values, for {', '.join(axes)}")
    return Grid(dict(zip(axes, row, strict=True)) for row in rows)


@dataclass(frozen=True)
class Point:
    """One parameter point as a check sees it.

    ``p.N`` is the exact value of an axis (an int, a Fraction, a word or an object) or, for a letter defined by others
    (``lets``), the exact sympy number.  ``p.rng("codes")`` makes a generator keyed by (check, axes, role); equal
    keys give equal streams, whatever ran before.
    """

    id: str
    axes: Axes
    lets: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("id", "axes", "lets"):
            raise AttributeError(name)
        if name in self.axes:
            value = self.axes[name]
            return value.member if isinstance(value, Thing) else value
        if name in self.lets:
            return self._let(name)
        known = ", ".join([*self.axes, *self.lets])
        raise AttributeError(f"the point has no letter {name!r}; it has {known}")

    def _let(self, name: str) -> Any:
        import sympy

        from theorytools.claims.language.bound import exact_value

        expr = self.lets[name]
        exact = {
            symbol: sympy.Rational(Fraction(value).numerator, Fraction(value).denominator)
            for symbol in expr.free_symbols
            if not isinstance(value := self.axes[symbol.name], str)
        }
        number = exact_value(expr, exact)
        if number is None:
            raise UndecidedError(
                f"the letter {name} = {expr} at {self}",
                required="a point where it is defined",
                why="a part of the formula has no real value there, or one of millions of digits",
            )
        return int(number) if number.is_Integer else Fraction(number.p, number.q) if number.is_Rational else number

    def seed(self, role: str) -> np.random.SeedSequence:
        """Return the seed of ``role`` at this point, for a recipe that makes its generator inside."""
        return seed_sequence(self.id, self.axes, role)

    def rng(self, role: str) -> np.random.Generator:
        """Return a fresh generator of ``role`` at this point, whose draws are the same on every machine."""
        from theorytools.numbers.draws import Draws

        return Draws(self.seed(role))

    def text(self) -> dict[str, str]:
        """The axes as canonical texts, for JSON."""
        return {name: axis_text(value) for name, value in self.axes.items()}

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.text().items())
