"""A kind at one size: for an object whose size is no letter of its statement."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from theorytools.errors import DomainError
from theorytools.search.protocols import Kind


@dataclass(frozen=True)
class Fixed:
    """The members of one size of a kind, as a kind without sizes.

    Parameters
    ----------
    kind : whose members they are.
    length : their size.

    Examples
    --------
    >>> from theorytools.search.kinds import Permutations
    >>> kind = Fixed(Permutations(), 2)
    >>> list(kind.first(0)), list(kind.smaller((1, 0)))
    ([(0, 1), (1, 0)], [])
    """

    kind: Kind
    length: int
    sized = False

    @property
    def name(self) -> str:
        """The kind in words."""
        return f"{self.kind.name} of size {self.length}"

    def first(self, n: int) -> Iterator[Any]:
        """Yield the members of this size, whatever ``n`` is."""
        return self.kind.first(self.length)

    def draw(self, rng: random.Random, n: int) -> Any:
        """Return a random member of this size."""
        return self.kind.draw(rng, self.length)

    def near(self, rng: random.Random, x: Any) -> Any:
        """Return a member beside it."""
        return self.kind.near(rng, x)

    def simpler(self, x: Any) -> Iterator[Any]:
        """Yield simpler members of this size."""
        return self.kind.simpler(x)

    def smaller(self, x: Any) -> Iterator[Any]:
        """Yield nothing: there is no other size."""
        return iter(())

    def size(self, x: Any) -> int:
        """Return the size of a member."""
        return self.kind.size(x)

    def pack(self, x: Any) -> Any:
        """Return a member as JSON data."""
        return self.kind.pack(x)

    def unpack(self, data: Any) -> Any:
        """Return the member of JSON data; one of another size is refused."""
        found = self.kind.unpack(data)
        if self.kind.size(found) != self.length:
            raise DomainError(
                f"a {self.kind.name} of size {self.kind.size(found)}", required=f"size {self.length}",
                why="the letter stands for objects of this size",
            )  # fmt: skip
        return found
