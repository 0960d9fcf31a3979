"""Letters that stand for objects: their kinds, their members as values of an axis, and predicates as hypotheses.

An object letter is an axis like another.  Its value at a point is a :class:`~theorytools.claims.language.grid.Thing`,
the member's canonical JSON as a text, so that seeds, rows and files treat it as they treat a word; ``p.G`` is the
member itself.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from theorytools.claims.language.grid import Grid, Point, Thing, Value
from theorytools.errors import CheckError, DomainError, TheoryError
from theorytools.files import canonical
from theorytools.search.kinds.fixed import Fixed
from theorytools.search.protocols import Kind

COUNT = 4  # members of each size, where the claim does not say how many
_TRIED = 240  # combinations of first members that predicates may leave out before a size is said to have none
_FACE = ("first", "draw", "near", "simpler", "smaller", "size", "pack", "unpack")

Objects = Mapping[str, Any]
Predicates = Mapping[str, Callable[[Point], Any]]


@dataclass(frozen=True)
class Stands:
    """What a letter stands for.

    Parameters
    ----------
    letter : its name.
    kind : the members that it may be.
    size : the letter that gives their size, empty where none does.
    members : those that the grid has, where the author names them.
    count : how many of the first members of each size the grid has otherwise.
    """

    letter: str
    kind: Kind
    size: str = ""
    members: tuple[Any, ...] = ()
    count: int = COUNT

    @property
    def words(self) -> str:
        """In words: ``G is a graph of size n``."""
        return f"{self.letter} is a {self.kind.name}{f' of size {self.size}' if self.size else ''}"

    def thing(self, value: Any) -> Thing:
        """Return the value of an axis for a member, or for its text.

        Raises
        ------
        DomainError : what is no member of the kind, or no JSON of one.
        """
        try:
            return self._read(value)
        except DomainError as error:
            why = "; ".join(filter(None, [self.words, error.why]))
            given = f"{self.letter} = {value!s:.60}: {error.given}"
            raise DomainError(given, required=error.required, why=why, advice=error.advice) from None
        except (AttributeError, TypeError, ValueError, LookupError, RecursionError):
            raise DomainError(
                f"{self.letter} = {value!r:.80}", required=f"a {self.kind.name}, or its JSON as a text",
                why=self.words, advice=f"{self.letter}={canonical(self.kind.pack(next(self._some())))}",
            ) from None  # fmt: skip

    def _some(self) -> Iterator[Any]:
        return self.kind.first(2)

    def _read(self, value: Any) -> Thing:
        """A text is JSON, else, as a word or a table of bits is typed, the member's own text."""
        if isinstance(value, str):
            try:
                member = self.kind.unpack(json.loads(value))
            except (ValueError, RecursionError) as error:  # which a DomainError is, too
                try:
                    member = self.kind.unpack(str(value))
                except DomainError:
                    raise error from None
        else:
            member = self.kind.unpack(json.loads(canonical(self.kind.pack(value))))
        return Thing(canonical(self.kind.pack(member)), member)

    def things(self, given: Any) -> list[Value]:
        """Return the values that a user gives: one member or text, or a list of them."""
        values = given if isinstance(given, list) else [given]
        if not values:
            raise DomainError(f"{self.letter} = []", required=f"a {self.kind.name}, or a list of some", why=self.words)
        return [self.thing(value) for value in values]

    def misfit(self, axes: Mapping[str, Any]) -> str:
        """Return in words that a member has not the size that its letter says; empty where it has."""
        size = self.kind.size(axes[self.letter].member)
        if not self.size or size == axes[self.size]:
            return ""
        return f"the hypothesis '{self.words}' fails: it is of size {size}, and {self.size} = {axes[self.size]}"

    def at(self, axes: Mapping[str, Any]) -> Iterator[Thing]:
        """Yield the members that the grid tries at the sizes of a row, the first of the kind first."""
        size = axes[self.size] if self.size else 0
        if self.members:
            known = map(self.thing, self.members)
            return (thing for thing in known if not self.size or self.kind.size(thing.member) == size)
        return map(self.thing, self.kind.first(size))


def stands(objects: Objects) -> dict[str, Stands]:
    """Return what the letters of a claim stand for.

    Parameters
    ----------
    objects : for each letter its kind; or a tuple of the kind, its size, as a letter or a number, and how many of the
        first members of each size the grid has, or which.

    Raises
    ------
    DomainError : something that is no kind, one that cannot shrink, or a kind with sizes and none given.
    """
    return {name: _stands(name, given) for name, given in objects.items()}


def _stands(name: Any, given: Any) -> Stands:
    kind, *rest = given if isinstance(given, tuple) and given else (given,)
    lacking = [part for part in _FACE if not callable(getattr(kind, part, None))]
    if not isinstance(name, str) or not name.isidentifier():
        raise DomainError(f"the object letter {name!r}", required="a Python identifier", why="p.G is read by its name")
    if lacking or isinstance(kind, type) or len(rest) > 2:
        what = f"without {', '.join(lacking)}" if lacking else "which is no instance" if isinstance(kind, type) else ""
        raise DomainError(
            f"{name} = {given!r:.60} {what}".rstrip(), required=f"a kind of object, which has {', '.join(_FACE)}",
            why="a search begins with the simplest members and makes what it finds smaller",
            advice="objects={'G': (Graphs(), n)}, with kinds of theorytools.search.kinds; search= for others",
        )  # fmt: skip
    size = rest[0] if rest else None
    if isinstance(size, int) and not isinstance(size, bool):
        kind, size = Fixed(kind, size), ""
    size = "" if size is None and not getattr(kind, "sized", True) else getattr(size, "name", size)
    if not isinstance(size, str) or (getattr(kind, "sized", True) and not size):
        raise DomainError(
            f"{name} = {given!r:.60}", required="a size: a letter of the claim, or a number",
            why=f"a {kind.name} has a size", advice=f"objects={{{name!r}: ({type(kind).__name__}(…), n)}}",
        )  # fmt: skip
    return _with_members(Stands(name, kind, size), rest[1] if len(rest) > 1 else COUNT)


def _with_members(stand: Stands, wanted: Any) -> Stands:
    """What a letter stands for, with how many of its members the grid has, or which."""
    if isinstance(wanted, list | tuple) and wanted:
        return Stands(stand.letter, stand.kind, stand.size, tuple(stand.thing(x).member for x in wanted))
    if isinstance(wanted, int) and not isinstance(wanted, bool) and wanted >= 1:
        return Stands(stand.letter, stand.kind, stand.size, (), wanted)
    raise DomainError(
        f"{stand.letter}: {wanted!r:.60}", required="how many members of each size the grid has, or a list of them",
        advice=f"({type(stand.kind).__name__}(…), n, 8)",
    )  # fmt: skip


def failing_predicate(such_that: Predicates, point: Point) -> str:
    """Return the first predicate that is false at a point, in its own words; empty where all hold.

    Raises
    ------
    CheckError : a predicate that raises, or that returns something else than True or False.
    """
    for text, holds in such_that.items():
        try:
            truth = holds(point)
        except Exception as error:
            inner = error.given if isinstance(error, TheoryError) else f"{type(error).__name__}: {error}"
            raise _unusable(text, point, f"raises {inner}") from error
        if not isinstance(truth, bool):
            raise _unusable(text, point, f"returns {truth!r:.60}")
        if not truth:
            return text
    return ""


def _unusable(text: str, point: Point, what: str) -> CheckError:
    return CheckError(
        f"the hypothesis '{text}' at {str(point)[:80]} {what}", required="True or False at every point",
        why="a predicate that is neither says nothing of a point", advice="lambda p: bool(…)",
    )  # fmt: skip


def with_members(
    rows: Iterable[Mapping[str, Any]], letters: Iterable[Stands], such_that: Predicates, lets: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the rows of a grid with members for those object letters that they lack.

    Each row meets the first members of its sizes, all combinations of them, of which as many are kept as the claims
    asks for at which the predicates hold.

    Raises
    ------
    DomainError : a size at which no member is found.
    """
    found = []
    for row in map(dict, rows):
        lacking = [stand for stand in letters if stand.letter not in row]
        each = [_first(stand, row, _TRIED if len(lacking) == 1 else 4 * stand.count) for stand in lacking]
        names, most = [stand.letter for stand in lacking], 1
        for stand in lacking:
            most *= len(stand.members) or stand.count
        tried = ({**row, **dict(zip(names, things, strict=True))} for things in itertools.product(*each))
        held = (r for r in itertools.islice(tried, _TRIED) if not failing_predicate(such_that, Point("", r, lets)))
        kept = list(itertools.islice(held, most))
        if not kept:
            words = " and ".join(stand.words for stand in lacking)
            raise DomainError(
                f"no object at {', '.join(f'{n} = {v}' for n, v in row.items())}", required=f"{words} with "
                f"{', '.join(such_that) or 'such a size'}", why="a grid has points", advice="other sizes, or members",
            )  # fmt: skip
        found += kept
    return found


def fitted(
    rows: Iterable[Mapping[str, Any]], letters: Iterable[Stands], given: Iterable[str], such_that: Predicates,
    lets: Mapping[str, Any],
) -> list[dict[str, Any]]:  # fmt: skip
    """Return a user's rows with sizes and objects that fit: a given object says its size, a given size needs others.

    Raises
    ------
    DomainError : a size at which no member is found.
    """
    fixed, letters, found = set(given), list(letters), []
    for row in map(dict, rows):
        row |= {s.size: s.kind.size(row[s.letter].member) for s in letters
                if s.letter in fixed and s.size and s.size not in fixed}  # fmt: skip
        off = {s.letter for s in letters if s.letter not in fixed and s.misfit(row)}
        found.append({name: value for name, value in row.items() if name not in off})
    return with_members(found, letters, such_that, lets)


def _first(stand: Stands, row: Mapping[str, Any], most: int) -> list[Thing]:
    if stand.size and stand.size not in row:
        raise DomainError(
            f"the size {stand.size} of {stand.letter}", required=f"an axis: {', '.join(row) or 'none'}",
            why=stand.words, advice=f"grid(…, {stand.size}=[3, 4, 5])",
        )  # fmt: skip
    return list(itertools.islice(stand.at(row), most))


def read_grid(rows: Grid, letters: Mapping[str, Stands]) -> list[dict[str, Any]]:
    """Return the rows of a grid with the values of its object letters as things."""
    return [{n: letters[n].thing(v) if n in letters else v for n, v in row.items()} for row in rows]
