"""What the parts of a search know of each other: variables, kinds of objects, one judgement, what was found."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, Protocol

Place = Mapping[str, Any]  # a value for every variable: an int, a Fraction, a word, or an object


class Kind(Protocol):
    """A kind of object: what its members are, which come first, what lies next to one, and what is simpler.

    Members are built of Python integers and fractions, never floats.  A kind without sizes ignores ``n``.  A kind may
    have ``larger(rng, x)`` too, a member of one size more of which ``x`` is a part: then moves change sizes; and
    ``wide``, the size up to which a member is small, sixteen unless given.
    """

    @property
    def name(self) -> str:
        """What one member is called."""

    def first(self, n: int) -> Iterator[Any]:
        """Yield the members of size ``n``, the structured and simplest first, each once; it may be endless."""

    def draw(self, rng: random.Random, n: int) -> Any:
        """Return a random member of size ``n``."""

    def near(self, rng: random.Random, x: Any) -> Any:
        """Return a member one small change away: an edge, a swap, a bit, mass moved."""

    def simpler(self, x: Any) -> Iterator[Any]:
        """Yield simpler members of the same size, the simplest first; it ends at a simplest one."""

    def smaller(self, x: Any) -> Iterator[Any]:
        """Yield members of one size less that are parts of ``x``; nothing where there is none."""

    def size(self, x: Any) -> int:
        """Return the size of a member."""

    def pack(self, x: Any) -> Any:
        """Return a member as JSON data."""

    def unpack(self, data: Any) -> Any:
        """Return the member of JSON data; ``DomainError`` where it is none of this kind."""


@dataclass(frozen=True)
class Variable:
    """One letter of a statement as a search sees it.

    Parameters
    ----------
    name : of the letter.
    kind : whole numbers, rationals, words of a list, or objects.
    values : of the grid: numbers ascending, words, or objects.
    low, high : ends of its own domain, included, where there are any; an open end is a condition of the space.
    thing : the kind of an object.
    size : the variable of whole numbers that gives an object's size, empty where it has none.
    """

    name: str
    kind: Literal["int", "rat", "word", "object"]
    values: tuple[Any, ...] = ()
    low: Fraction | None = None
    high: Fraction | None = None
    thing: Kind | None = None
    size: str = ""


def limited(variables: Sequence[Variable], least: int = 0) -> list[Variable]:
    """Return the variables with the sizes of objects ended at twice the grid: larger ones are too many to draw from.

    Where that is below ``least`` they end there.
    """
    sizes = {v.size for v in variables if v.size}
    made = []
    for variable in variables:
        if variable.name in sizes and variable.values:
            top = max(2 * Fraction(max(variable.values)), Fraction(least))
            variable = replace(variable, high=top if variable.high is None else min(top, variable.high))
        made.append(variable)
    return made


@dataclass(frozen=True)
class Ends:
    """The interval that is left to a variable; None for an end at infinity, ``open_`` for one that is left out."""

    low: Fraction | None = None
    high: Fraction | None = None
    open_low: bool = False
    open_high: bool = False


Choose = Callable[[Variable, Ends, Place], Any]  # a value inside the ends, given those chosen before; None for none


@dataclass(frozen=True)
class Result:
    """One judgement.

    Attributes
    ----------
    status : ``"true"``, ``"false"``; ``"outside"`` a hypothesis, ``"refused"`` by the construction, or ``"open"``.
    margin : how far the statement is from failing, negative where it fails: (bound - measured)/(|bound| + |measured|).
    work : operations spent.
    drawn : whether the point asked for a generator, so that another sample may come out otherwise; of a point outside
        the hypotheses, whether it had done so before one of them failed.
    note : why it was refused or left open.
    floats : whether a number is one machine's own arithmetic, which ends where floating-point numbers do.
    """

    status: Literal["true", "false", "outside", "refused", "open"]
    margin: float | None = None
    work: int = 0
    drawn: bool = False
    note: str = ""
    floats: bool = False


Judge = Callable[[Place, int], Result]  # (point, number of the sample) -> result; sample 0 is the check's own


@dataclass
class Found:
    """What a search did, and the violation it found.

    Attributes
    ----------
    first, first_sample : the point of the first violation, None where none was found.
    point, sample : the same after shrinking.
    track : which order of points met it.
    judged, true, outside, refused, open : counts of the points proposed, by result.
    samples : how many further samples were judged at points that draw.
    proposals : points that were proposed in all, before shrinking.
    shrinking : points judged to shrink.
    reach : for each variable ``(least, largest)`` of the points judged, or the words or how many objects.
    work : operations spent, by the judge's count.
    ended : what ended it: ``"found"``, ``"evaluations"``, ``"work"``, ``"seconds"``, ``"exhausted"`` or ``"barren"``.
    notes : the first reason of each kind of point that was not judged.
    """

    first: Place | None = None
    first_sample: int = 0
    point: Place | None = None
    sample: int = 0
    track: str = ""
    judged: int = 0
    outside: int = 0
    refused: int = 0
    open: int = 0
    samples: int = 0
    proposals: int = 0
    shrinking: int = 0
    reach: dict[str, Any] = field(default_factory=dict)
    work: int = 0
    ended: str = ""
    notes: dict[str, str] = field(default_factory=dict)

    def reached(self, point: Place) -> None:
        """Widen the reach by a point that was judged."""
        for name, value in point.items():
            known = self.reach.get(name)
            if isinstance(known, tuple) and not isinstance(value, int | Fraction):  # numbers and words beside them
                self.reach[name] = {known[0]: None, known[1]: None, value: None}
            elif isinstance(value, int | Fraction) and not isinstance(known, dict):
                self.reach[name] = (value, value) if known is None else (min(known[0], value), max(known[1], value))
            else:
                self.reach[name] = {**(known or {}), value: None}

    def add(self, other: Found) -> None:
        """Add what another search of the same space did, and take over what it found."""
        for name in ("judged", "outside", "refused", "open", "samples", "proposals", "shrinking", "work"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name, part in other.reach.items():
            for value in part:
                self.reached({name: value})
        self.notes = {**other.notes, **self.notes}
        self.ended = other.ended
        if other.first is not None:
            self.first, self.first_sample, self.track = other.first, other.first_sample, other.track
            self.point, self.sample = other.point, other.sample

    def other(self, status: str, note: str) -> None:
        """Count a point that says nothing, and keep the first reason of its kind."""
        setattr(self, status, getattr(self, status) + 1)
        self.notes.setdefault(status, note)


class SpaceFace(Protocol):
    """The points that satisfy the hypotheses; :class:`theorytools.search.space.Space` is one."""

    @property
    def variables(self) -> Sequence[Variable]:
        """The letters of a point."""

    def solve(
        self, choose: Choose, rng: random.Random, order: Sequence[str] | None = None, fixed: Place | None = None
    ) -> dict[str, Any] | None:
        """Return a point inside the hypotheses, or None where this attempt met a dead end.

        Parameters
        ----------
        choose : returns the value of one variable, inside the interval that the hypotheses leave to it.
        rng : for the order of the variables, where none is given.
        order : the variables in the order in which they are chosen; those that are left out come last.
        fixed : values that are kept.
        """

    def holds(self, point: Place) -> bool:
        """Whether the hypotheses hold at a point, by the exact test."""
