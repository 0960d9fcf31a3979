r"""The best of all recurrences whose state takes few values, by exhausting them.

``m`` independent payloads, uniform on a finite set of integers, are read one after another; after each the state is
one of ``S`` values, by a rule that may differ from step to step.  Only then a payload is asked for.  A value of the
state is the set of prefixes that lead to it, and all that matters of the set is how many they are and the sum of each
payload over them.  So a recurrence is a sequence of partitions: of the values times the next payload into the next
values.

To split a set never loses, so each partition has exactly ``S`` parts once there are more pieces; reflecting or
exchanging payloads changes no error, so only one of the images of a partition is followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import lcm

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import BudgetError

Values = tuple[tuple[int, ...], ...]  # of each value: how many prefixes, then the sum of each payload over them
_PARTITIONS = 8000


def least_states(letters: tuple[int, ...], m: int, error: Fraction, known: bool = False) -> int:
    """Return the least ``S`` with which some recurrence has a mean squared error of at most ``error`` a payload.

    Parameters
    ----------
    letters : the values of a payload, symmetric about 0, all equally likely.
    m, error : number of payloads, and what is allowed.
    known : the payload asked for is known from the start, as where every token carries the same index.

    Raises
    ------
    BudgetError : more partitions than can be listed.
    """
    square = Fraction(sum(a * a for a in letters), len(letters))
    S = 1
    while square - most_explained(letters, m, S, known) / m > error:
        S += 1
    return S


def most_explained(letters: tuple[int, ...], m: int, S: int, known: bool = False) -> Fraction:
    r"""Return the largest :math:`\sum_tE(E[a_t\mid h])^2` over all recurrences whose state ``h`` takes ``S`` values."""
    if known:
        return sum((_most(letters, m, S, (t,)) for t in range(m)), Fraction(0))
    return _most(letters, m, S, tuple(range(m)))


@cache
def _most(letters: tuple[int, ...], m: int, S: int, asked: tuple[int, ...]) -> Fraction:
    _affordable(len(letters), m, S)
    common = lcm(*range(1, len(letters) ** m + 1))  # scores are integers below 2**62
    front = {((1, *[0] * len(asked)),)}
    for j in range(m):
        pieces = [_pieces(values, letters, asked.index(j) + 1 if j in asked else 0) for values in front]
        if j == m - 1:
            best = max(_best_score(rows, S, common) for rows in pieces)
            return Fraction(best, common * len(letters) ** m)
        front = {_image(merged) for rows in pieces for merged in _merged(rows, S)}
    return Fraction(0)


def _pieces(values: Values, letters: tuple[int, ...], place: int) -> NDArray[np.int64]:
    """Every value with every next payload, which is added to the sum at ``place``; 0: it is not scored."""
    rows = np.repeat(np.array(values, dtype=np.int64), len(letters), axis=0)
    if place:
        rows[:, place] += rows[:, 0] * np.tile(letters, len(values))
    return rows


def _affordable(size: int, m: int, S: int) -> None:
    if size**m > 27:
        raise BudgetError(f"{size}^{m} prefixes", required="at most 27", why="all recurrences are tried")
    for j in range(m):
        pieces, last = size * min(S, size**j), j == m - 1
        found, limit = _stirling(pieces, S), _PARTITIONS if last else _PARTITIONS // 2
        if pieces > S and found > limit:
            given = f"{found} partitions of {pieces} pieces"
            raise BudgetError(given, required=f"at most {limit}", why="all are tried")


def _stirling(n: int, S: int) -> int:
    """The number of partitions of ``n`` pieces into ``S`` parts."""
    row = [1] + [0] * S
    for _ in range(n):
        row = [0] + [k * row[k] + row[k - 1] for k in range(1, S + 1)]
    return row[S]


@cache
def _partitions(n: int, S: int) -> NDArray[np.int64]:
    """All partitions of ``n`` pieces into ``S`` parts, each part a mask, shape ``(partitions, S)``."""
    return np.array(list(_grown(0, n, S, ())), dtype=np.int64)


def _grown(i: int, n: int, S: int, parts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if n - i < S - len(parts):
        return
    if i == n:
        yield parts
        return
    for k, part in enumerate(parts):
        yield from _grown(i + 1, n, S, (*parts[:k], part | 1 << i, *parts[k + 1 :]))
    if len(parts) < S:
        yield from _grown(i + 1, n, S, (*parts, 1 << i))


def _sums(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sums of the rows over every set of them, by its mask, shape ``(2**n, columns)``."""
    sums = np.zeros((1, rows.shape[1]), dtype=np.int64)
    for row in rows:
        sums = np.concatenate([sums, sums + row])
    return sums


def _best_score(rows: NDArray[np.int64], S: int, common: int) -> int:
    if len(rows) <= S:
        return int((common // rows[:, 0] * (rows[:, 1:] ** 2).sum(axis=1)).sum())
    parts, sums = _partitions(len(rows), S), _sums(rows)
    scores = common // np.maximum(sums[:, 0], 1) * (sums[:, 1:] ** 2).sum(axis=1)
    return int(scores[parts].sum(axis=1).max())


def _merged(rows: NDArray[np.int64], S: int) -> Iterator[Values]:
    if len(rows) <= S:
        yield tuple(map(tuple, rows.tolist()))
        return
    sums = _sums(rows)
    for parts in _partitions(len(rows), S):
        yield tuple(map(tuple, sums[parts].tolist()))


def _image(values: Values) -> Values:
    """The first, in order, of the images under reflections and exchanges of the payloads that were read."""
    rows = np.array(values, dtype=np.int64)
    read = [k for k in range(1, rows.shape[1]) if rows[:, k].any()]
    images = []
    for signs in product((1, -1), repeat=len(read)):
        for order in permutations(read):
            image = rows.copy()
            image[:, read] = rows[:, order] * signs
            images.append(tuple(sorted(map(tuple, image.tolist()))))
    return min(images)
