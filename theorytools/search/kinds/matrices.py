"""Square matrices of rationals, as tuples of rows: any, symmetric, positive definite, stochastic."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from theorytools.errors import DomainError
from theorytools.search.kinds.entries import Entries, Number, by_rank, fits, once, read_list, replaced, write_number
from theorytools.search.kinds.laws import Laws, uniform

Rows = tuple[tuple[Number, ...], ...]
OF = ("any", "symmetric", "definite", "semidefinite", "stochastic")
_LAWS = Laws()


@dataclass(frozen=True)
class Matrices:
    """The n x n matrices of rationals, as tuples of rows.

    Parameters
    ----------
    of : ``"any"``, ``"symmetric"``; ``"definite"`` and ``"semidefinite"``, which are symmetric, too; or
        ``"stochastic"``, whose rows are laws.
    low, high, values : what the entries are, as for :class:`~theorytools.search.kinds.vectors.Vectors`; of any and of
        symmetric matrices only, for the others it follows from what they are.
    denominator : the largest one of the entries that are listed, those that are drawn go to its square; 1 for whole
        numbers.

    Raises
    ------
    DomainError : another ``of``, or entries of which there are none.

    Examples
    --------
    >>> from itertools import islice
    >>> kind = Matrices("definite", denominator=1)
    >>> list(islice(kind.first(2), 3))
    [((1, 0), (0, 1)), ((1, 0), (0, 2)), ((2, 1), (1, 2))]
    >>> kind.unpack([[1, 2], [2, 1]])
    Traceback (most recent call last):
        ...
    theorytools.errors.DomainError: given:    the matrix [[1, 2], [2, 1]]
    required: a positive definite matrix
    why:      the letter stands for no other
    """

    of: Literal["any", "symmetric", "definite", "semidefinite", "stochastic"] = "any"
    low: Number | None = None
    high: Number | None = None
    denominator: int = 12
    values: tuple[Number, ...] = ()

    def __post_init__(self) -> None:
        if self.of not in OF:
            raise DomainError(f"of = {self.of!r}", required=f"one of {', '.join(OF)}")
        object.__setattr__(self, "values", tuple(self.values))
        given = self.low is not None or self.high is not None or bool(self.values)
        if given and self.of not in ("any", "symmetric"):
            raise DomainError(
                f"entries of {self.of} matrices", required="low=, high= and values= of any or of symmetric matrices",
                why="what is definite or stochastic says itself which entries there are",
            )  # fmt: skip
        if self.of == "stochastic" and self.denominator == 1:
            raise DomainError("stochastic matrices of whole numbers", required="a denominator above 1")
        _ = self.entries

    wide = 6  # 36 entries

    @property
    def name(self) -> str:
        """The kind in words."""
        return {"any": "matrix", "definite": "positive definite matrix",
                "semidefinite": "positive semidefinite matrix"}.get(self.of, f"{self.of} matrix")  # fmt: skip

    @cached_property
    def entries(self) -> Entries:
        """What may be an entry."""
        return Entries(self.low, self.high, self.denominator, self.values)

    def admits(self, x: Rows) -> bool:
        """Whether a square matrix is one of these; decided exactly, by elimination where it is to be definite."""
        if self.of == "stochastic":
            return all(sum(row) == 1 and min(row) >= 0 for row in x)
        if not all(self.entries.admits(v) for row in x for v in row):
            return False
        if self.of == "any":
            return True
        symmetric = all(x[i][j] == x[j][i] for i, j in _below(len(x)))
        return symmetric and (self.of == "symmetric" or _definite(x, self.of == "definite"))

    # -- which there are -----------------------------------------------------------------------------------------------
    def first(self, n: int) -> Iterator[Rows]:
        """Yield identity, ones, zero, diagonal and other matrices with a name, then all by their least simple entry."""
        named = (tuple(tuple(map(Fraction, row)) for row in x) for x in _named(fits(n, "a matrix"), self.of))
        yield from once(self._made(x) for x in itertools.chain(filter(self.admits, named), self._all(n)))

    def _made(self, x: Rows) -> Rows:
        return tuple(tuple(map(self.entries.made, row)) for row in x)

    def _all(self, n: int) -> Iterator[Rows]:
        if self.of == "stochastic":
            yield from by_rank(lambda: _LAWS.first(n), n)
        elif self.of == "any":
            for flat in by_rank(self.entries.simplest, n * n):
                yield tuple(flat[k * n : (k + 1) * n] for k in range(n))
        elif self.of == "symmetric":
            for flat in by_rank(self.entries.simplest, n * (n + 1) // 2):
                yield _symmetric(n, flat)
        else:  # L D L^T with ones on the diagonal of L: each definite matrix once, none that is not
            for flat in by_rank(self._pairs, n * (n + 1) // 2):
                half = dict(zip(_below(n, diagonal=True), flat, strict=True))
                yield _from_pivots([half[k, k][1] for k in range(n)], {place: v for place, (v, _) in half.items()})

    def _pairs(self) -> Iterator[tuple[Number, Number]]:
        """The entries beside those that a pivot may be, in two columns of one endless list.

        Zero is not the first pivot: whatever stands below it, the matrix would be the same.
        """
        positive = (v for v in self.entries.simplest() if v > 0)
        one = next(positive)
        pivots = itertools.chain([one], [self.entries.made(0)] * (self.of == "semidefinite"), positive)
        return zip(self.entries.simplest(), pivots, strict=False)

    def draw(self, rng: random.Random, n: int) -> Rows:
        """Return a matrix with its ties and zeros: dense, sparse, of low rank, or nearly one with a name.

        Definite ones are A A^T and a positive diagonal, semidefinite ones A A^T with few columns.
        """
        fits(n, "a matrix")
        if rng.randrange(4) == 0:
            return self.near(rng, rng.choice(list(itertools.islice(self.first(n), 8))))
        if self.of == "stochastic":
            rows = [_LAWS.draw(rng, n) for _ in range(n)]
            return tuple(rows if rng.randrange(3) else [rows[0]] * n)
        if self.of in ("any", "symmetric"):
            zero, sparse = self.entries.made(0), rng.randrange(3) == 0 and self.entries.admits(0)
            generic = self.entries.generic(rng, n * n) if rng.randrange(3) == 0 else None
            flat = generic or [zero if sparse and rng.randrange(3) else self.entries.draw(rng) for _ in range(n * n)]
            x = tuple(tuple(flat[k * n : (k + 1) * n]) for k in range(n))
            return x if self.of == "any" else _symmetric(n, flat)
        return self._gram(rng, n)

    def _gram(self, rng: random.Random, n: int) -> Rows:
        """A A^T, and a positive diagonal where it is to be definite."""
        columns = 1 + rng.randrange(n if self.of == "semidefinite" and rng.randrange(2) else n + 1)
        few = Entries(-3, 3, min(self.denominator, 3))
        uniform = rng.randrange(3) == 0
        a = [few.generic(rng, columns) if uniform else [few.draw(rng) for _ in range(columns)] for _ in range(n)]
        x = [[Fraction(sum(u * v for u, v in zip(one, other, strict=True))) for other in a] for one in a]
        if self.of == "definite":
            same = Entries(1, None, 1).draw(rng)
            q = rng.randrange(min(self.denominator, 4)) + 1
            for k in range(n):
                x[k][k] += Fraction(same if rng.randrange(2) else 1, q)
        return self._made(tuple(map(tuple, x)))

    # -- beside and before one -----------------------------------------------------------------------------------------
    def near(self, rng: random.Random, x: Rows) -> Rows:
        """Return a matrix beside it: an entry, or mass in a row, moved, two places exchanged, or a congruence."""
        n = len(x)
        i, j = rng.randrange(n), rng.randrange(n)
        if i != j and rng.randrange(4) == 0:
            order = list(range(n))
            order[i], order[j] = j, i
            return tuple(tuple(x[u][v] for v in order) for u in order)
        if self.of == "stochastic":
            return replaced(x, i, x[j] if rng.randrange(4) == 0 else _LAWS.near(rng, tuple(map(Fraction, x[i]))))
        if self.of in ("any", "symmetric"):
            return self._put(x, i, j, self.entries.near(rng, x[i][j]))
        if rng.randrange(3) == 0:
            return self._put(x, i, i, self.entries.made(x[i][i] + rng.choice((1, Fraction(1, self.denominator)))))
        return self._made(_congruent(x, i, j, rng.choice((1, -1, 2)))) if i != j else self._scaled(rng, x, i)

    def _scaled(self, rng: random.Random, x: Rows, i: int) -> Rows:
        factor = rng.choice((-1, 2, 3) if self.denominator == 1 else (-1, 2, 3, Fraction(1, 2)))
        scale = [factor if k == i else 1 for k in range(len(x))]
        return self._made(tuple(tuple(v * scale[k] * scale[m] for m, v in enumerate(row)) for k, row in enumerate(x)))

    def _put(self, x: Rows, i: int, j: int, value: Number) -> Rows:
        """The matrix with one entry changed, and the one across with it where it is symmetric."""
        y = replaced(x, i, replaced(x[i], j, value))
        return y if self.of == "any" else replaced(y, j, replaced(y[j], i, value))

    def simpler(self, x: Rows) -> Iterator[Rows]:
        """Yield the matrices of this kind that have zeros outside the diagonal, and those with one simpler entry.

        Each differs from it in entries, or rows, that are simpler, so that a chain of them ends.
        """
        n = len(x)
        if self.of == "stochastic":
            rows = [tuple(map(Fraction, row)) for row in x]
            yield from (replaced(x, k, row) for k in range(n) for row in _LAWS.simpler(rows[k]))
            return
        tried: list[Rows] = []
        if next(self.entries.simplest()) == 0:
            zero = self.entries.made(0)
            diagonal = tuple(tuple(v if i == j else zero for j, v in enumerate(row)) for i, row in enumerate(x))
            tried = [((zero,) * n,) * n, diagonal] if any(v for row in x for v in row) else []
        places = itertools.product(range(n), repeat=2) if self.of == "any" else _below(n, diagonal=True)
        changed = (self._put(x, i, j, v) for i, j in places for v in self.entries.simpler(x[i][j]))
        yield from once(y for y in itertools.chain(tried, changed) if y != x and self.admits(y))

    def smaller(self, x: Rows) -> Iterator[Rows]:
        """Yield the matrix without one row and its column; what a stochastic one sent there stays in its place."""
        if len(x) > 1:
            yield from once(self._without(x, gone) for gone in range(len(x)))

    def _without(self, x: Rows, gone: int) -> Rows:
        kept = [k for k in range(len(x)) if k != gone]
        spare = {k: x[k][gone] if self.of == "stochastic" else 0 for k in kept}
        return tuple(tuple(x[i][j] + spare[i] if i == j else x[i][j] for j in kept) for i in kept)

    def larger(self, rng: random.Random, x: Rows) -> Rows:
        """Return the matrix with one row and column more: a copy of others, or nothing but a diagonal entry."""
        n, k = len(x), rng.randrange(len(x))
        if self.of == "stochastic":  # the new state is a copy of one, to which half of those on their way turn
            y = [(*row[:k], Fraction(row[k]) / 2, *row[k + 1 :], Fraction(row[k]) / 2) for row in x]
            return (*y, y[k])
        if self.of == "definite" or (rng.randrange(2) and self.entries.admits(0)):
            one, zero = self.entries.made(next(v for v in self.entries.simplest() if v)), self.entries.made(0)
            return (*((*row, zero) for row in x), (*(zero for _ in range(n)), one))
        order = [*range(n), k]
        return tuple(tuple(x[i][j] for j in order) for i in order)

    # -- size and JSON -------------------------------------------------------------------------------------------------
    def size(self, x: Rows) -> int:
        """Return the number of rows."""
        return len(x)

    def pack(self, x: Rows) -> list[list[int | str]]:
        """Return the rows as lists."""
        return [list(map(write_number, row)) for row in x]

    def unpack(self, data: Any) -> Rows:
        """Return the matrix of a list of rows, each of integers and of fractions as texts.

        Raises
        ------
        DomainError : rows of other lengths, an entry that is none, or a matrix of another kind.
        """
        rows = [read_list(row, "a row", "a list of numbers") for row in read_list(data, "a matrix", "a list of rows")]
        if not rows or any(len(row) != len(rows) for row in rows):
            raise DomainError(
                f"rows of {[len(row) for row in rows]} entries", required="as many entries in each as rows"
            )
        x = tuple(tuple(self.entries.read(v, "a matrix") for v in row) for row in rows)
        if not self.admits(x):
            raise DomainError(
                f"the matrix {rows!r:.60}", required=f"a {self.name}", why="the letter stands for no other"
            )
        return x


def _below(n: int, *, diagonal: bool = False) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(i + int(diagonal))]


def _symmetric(n: int, flat: Any) -> Rows:
    """The symmetric matrix whose lower half is the first of these entries."""
    half = dict(zip(_below(n, diagonal=True), flat, strict=False))
    return tuple(tuple(half[max(i, j), min(i, j)] for j in range(n)) for i in range(n))


def _from_pivots(pivots: list[Number], low: dict[tuple[int, int], Number]) -> Rows:
    """L D L^T with these pivots in D and these entries below the ones on the diagonal of L."""
    n = len(pivots)
    rows = [[1 if i == j else low[i, j] if j < i else 0 for j in range(n)] for i in range(n)]
    return tuple(
        tuple(sum((a * d * b for a, d, b in zip(one, pivots, other, strict=True)), Fraction(0)) for other in rows)
        for one in rows
    )


def _congruent(x: Rows, i: int, j: int, factor: int) -> Rows:
    """E x E^T, where E adds a multiple of row j to row i."""
    rows = [
        [u + factor * v for u, v in zip(x[i], x[j], strict=True)] if k == i else list(row) for k, row in enumerate(x)
    ]
    for row in rows:
        row[i] += factor * row[j]
    return tuple(map(tuple, rows))


def _definite(x: Rows, strictly: bool) -> bool:
    """Whether a symmetric matrix is positive definite, or semidefinite: its pivots, by exact elimination.

    A zero pivot of a semidefinite matrix has a row of zeros, for a 2 x 2 minor with a zero on its diagonal is not
    negative only if the entry beside it vanishes.
    """
    rows = [list(map(Fraction, row)) for row in x]
    for k, row in enumerate(rows):
        if row[k] < 0 or (row[k] == 0 and (strictly or any(row[k:]))):
            return False
        for below in rows[k + 1 :]:
            if row[k] and below[k]:
                share = below[k] / row[k]
                for m in range(k, len(row)):
                    below[m] -= share * row[m]
    return True


def _named(n: int, of: str) -> Iterator[list[list[Any]]]:
    """Matrices with a name, of whatever kind; the caller keeps those of its own."""

    def rule(entry: Callable[[int, int], Any]) -> list[list[Any]]:
        return [[entry(i, j) for j in range(n)] for i in range(n)]

    if of == "stochastic":
        yield rule(lambda i, j: uniform(n)[j])
    yield rule(lambda i, j: int(i == j))
    yield rule(lambda i, j: 1)
    yield rule(lambda i, j: 0)
    yield rule(lambda i, j: (i + 1) * (i == j))
    yield rule(lambda i, j: 1 + (i == j))
    yield rule(lambda i, j: 2 * (i == j) - (abs(i - j) == 1))  # the path's, which is definite
    yield rule(lambda i, j: Fraction(1 + (i == j), 2))
    yield rule(lambda i, j: int(abs(i - j) == 1))
    yield rule(lambda i, j: min(i, j) + 1)
    yield rule(lambda i, j: Fraction(1, i + j + 1))
    yield rule(lambda i, j: int(j == (i + 1) % n))
    yield rule(lambda i, j: int(j == 0))
    yield rule(lambda i, j: int(i == j == 0))
    yield rule(lambda i, j: Fraction(int(i == j) + int(j == (i + 1) % n), 2))
    yield rule(lambda i, j: int(j >= i))
    yield rule(lambda i, j: int(j == i + 1))
    yield rule(lambda i, j: (-1) ** (i + j))
    yield rule(lambda i, j: -(i == j))
