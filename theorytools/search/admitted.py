"""The members of a kind that a statement speaks of, as a kind: what a search proposes is seldom thrown away."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import Any

from theorytools.search.kinds.entries import once
from theorytools.search.protocols import Kind

_DRAWN = 8  # draws, after which one that is not admitted is returned
_CHANGES = 12  # of each
_GIVEN_UP = 2  # draws of a size that met none, after which no other is tried
_WALK = 8  # changes of a listed member, where none that is drawn is admitted
_PROBES = tuple(Fraction(p, 10) for p in (-100, -20, -10, -5, -1, 0, 1, 5, 10, 20, 100))
_BARREN = 256  # members one after another that are not admitted, after which the list ends


@dataclass(frozen=True)
class Admitted:
    """A kind without the members that a predicate excludes.

    ``draw`` and ``near`` may return one of them still, where all that were tried are excluded: the test of the whole
    point has the last word.

    Parameters
    ----------
    kind : the kind.
    admits : whether the statement speaks of a member.

    Examples
    --------
    >>> from itertools import islice
    >>> from theorytools.search.kinds.words import Words
    >>> list(islice(Admitted(Words("ab"), lambda word: word[0] == "b").first(2), 2))
    ['bb', 'ba']
    """

    kind: Kind
    admits: Callable[[Any], bool]
    _listed: dict[int, list[Any]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _barren: dict[int, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    _narrow: dict[int, Kind] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The kind's own name."""
        return self.kind.name

    def first(self, n: int) -> Iterator[Any]:
        """Yield the first members that are admitted."""
        narrow = self._narrowed(n)
        yield from (
            self._first(self.kind, n)
            if narrow is self.kind
            else once(x for kind in (narrow, self.kind) for x in self._first(kind, n))
        )

    def _first(self, kind: Kind, n: int) -> Iterator[Any]:
        barren = 0
        for x in kind.first(n):
            if self.admits(x):
                barren = 0
                yield x
            elif (barren := barren + 1) >= _BARREN:
                return

    def _narrowed(self, n: int) -> Kind:
        """The kind without the entries that a predicate excludes wherever they stand: as of 0 < v < 1.

        It is asked for vectors of one number; where none of them is admitted they tell nothing.
        """
        if n not in self._narrow:
            self._narrow[n] = self.kind
            within, entries = getattr(self.kind, "within", None), getattr(self.kind, "entries", None)
            if within is not None and entries is not None and not entries.values:
                known = [v for v in _PROBES if entries.admits(v)]
                good = [k for k, v in enumerate(known) if self.admits((entries.made(v),) * n)]
                if len(good) > 1:
                    low = known[good[0] - 1] if good[0] else None
                    high = known[good[-1] + 1] if good[-1] + 1 < len(known) else None
                    self._narrow[n] = within(low, high)
        return self._narrow[n]

    def draw(self, rng: random.Random, n: int) -> Any:
        """Return a drawn member, or one a few changes away from it.

        Drawn anew each time, mostly members whose parts are equal would be left: there one part in order is enough.
        """
        x = None
        for _ in range(_DRAWN if self._barren.get(n, 0) < _GIVEN_UP else 0):
            x = (self._narrowed(n) if rng.randrange(4) else self.kind).draw(rng, n)
            for _ in range(_CHANGES):
                if self.admits(x):
                    return x
                x = self.kind.near(rng, x)
        self._barren[n] = self._barren.get(n, 0) + 1
        for _ in range(rng.randrange(_WALK) if (x := self._known(rng, n, x)) is not None else 0):
            x = self.near(rng, x)
        return x

    def _known(self, rng: random.Random, n: int, other: Any) -> Any:
        """One of the first members that are admitted, or the other one: where draws meet none a walk begins at it."""
        if n not in self._listed:
            self._listed[n] = list(islice(self.first(n), _CHANGES))
        if self._listed[n]:
            return rng.choice(self._listed[n])
        return self.kind.draw(rng, n) if other is None else other

    def near(self, rng: random.Random, x: Any) -> Any:
        """Return a member with one change."""
        for _ in range(_DRAWN):
            if self.admits(found := self.kind.near(rng, x)) and found != x:
                return found
        return x if self.admits(x) else found

    def larger(self, rng: random.Random, x: Any) -> Any:
        """Return a member of one size more, None where the kind tells of none."""
        grow = getattr(self.kind, "larger", None)
        return None if grow is None else next((y for _ in range(_DRAWN) if self.admits(y := grow(rng, x))), None)

    def simpler(self, x: Any) -> Iterator[Any]:
        """Yield simpler members of the same size."""
        return filter(self.admits, self.kind.simpler(x))

    def smaller(self, x: Any) -> Iterator[Any]:
        """Yield members of a smaller size."""
        return filter(self.admits, self.kind.smaller(x))

    def size(self, x: Any) -> int:
        """Return the size of a member."""
        return self.kind.size(x)

    def pack(self, x: Any) -> Any:
        """Return a member as JSON data."""
        return self.kind.pack(x)

    def unpack(self, data: Any) -> Any:
        """Return the member of JSON data."""
        return self.kind.unpack(data)
