r"""Tensors as arrays of linear forms in the fields of one position, and what stays linear.

An entry ``e`` of a tensor is :math:`\sum_f\langle M_{k(e),f},\,r_{p(e),f}\rangle+b_e`: the number ``k(e)`` of a row in
a table of forms, the position ``p(e)`` that it reads, and a constant.  Operators that only move entries act on the
three arrays alike, so that no axis is ever guessed.  The table holds a row once, however many positions use it:
a linear map of all positions costs what it costs at one.  Constants that differ by position stay in ``b`` until a block
is written; there they are a map of the field ``place``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.blocks.network import PLACE, Map
from theorytools.numbers.boxes import TINY, UNIT, Box, exact, times

Ints = NDArray[np.int32]
NONE = np.int32(-1)  # no form, no position: a constant
Rows = dict[str, Box]


class Inexpressible(Exception):
    """An operator that no block expresses: why, and the remedy; who knows the node makes the error of it."""

    def __init__(self, why: str, advice: str = "") -> None:
        super().__init__(why, advice)
        self.why, self.advice = why, advice


@dataclass(frozen=True, eq=False)
class Forms:
    """An array of affine forms.

    Attributes
    ----------
    rows : the table of forms by field, each ``(K, width of the field)``; fields that are left out do not enter.
    form : which row of the table an entry is, -1 for a constant.
    at : which position it reads: -1 for none, N for the fields of the whole prompt.
    shift : its constant.
    """

    rows: Rows
    form: Ints
    at: Ints
    shift: Box

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor."""
        return self.form.shape

    @property
    def constant(self) -> bool:
        """Whether no entry reads a field."""
        return not self.rows or bool((self.form < 0).all())

    def __getitem__(self, at: Any) -> Forms:
        return Forms(self.rows, self.form[at], self.at[at], self.shift[at])

    def reshape(self, *shape: int) -> Forms:
        """Return the entries in another shape."""
        shift = Box(self.shift.mid.reshape(shape), self.shift.rad.reshape(shape))
        return Forms(self.rows, self.form.reshape(shape), self.at.reshape(shape), shift)

    def broadcast(self, shape: tuple[int, ...]) -> Forms:
        """Return the entries repeated to a larger shape."""
        mid, rad = np.broadcast_to(self.shift.mid, shape), np.broadcast_to(self.shift.rad, shape)
        return Forms(self.rows, np.broadcast_to(self.form, shape), np.broadcast_to(self.at, shape), Box(mid, rad))

    def swapped(self) -> Forms:
        """Return the entries with the last two axes exchanged."""
        shift = Box(np.swapaxes(self.shift.mid, -1, -2), np.swapaxes(self.shift.rad, -1, -2))
        return Forms(self.rows, np.swapaxes(self.form, -1, -2), np.swapaxes(self.at, -1, -2), shift)


def constants(values: Box) -> Forms:
    """Return numbers as forms that read nothing."""
    none = np.broadcast_to(NONE, values.shape)
    return Forms({}, none, none, values)


def reading(field: str, form: NDArray[Any], at: NDArray[Any], width: int) -> Forms:
    """Return single numbers of a field: entry ``e`` is coordinate ``form[e]`` at position ``at[e]``."""
    if width > 8192:
        raise Inexpressible(f"a field of {width} numbers would be written", "a smaller layer, at most 8192 wide")
    zero = np.zeros(form.shape)
    return Forms({field: exact(np.eye(width))}, form.astype(np.int32), at.astype(np.int32), Box(zero, zero))


# -- arithmetic that keeps what is exact -------------------------------------------------------------------------------
def plain(a: Box) -> NDArray[np.bool_]:
    """Where an interval is a power of two up to its sign, or zero: products with it are exact."""
    mantissa = np.frexp(a.mid)[0]
    return np.asarray((a.rad == 0) & ((a.mid == 0) | (np.abs(mantissa) == 0.5)))


def product(a: Box, b: Box) -> Box:
    """Return products entry by entry; a factor zero or a power of two rounds nothing."""
    found = a * b
    size = np.abs(found.mid)
    left, right = plain(a), plain(b)
    # no bit is lost above the subnormal numbers, of the middle or of the radius
    kept = np.where(left, np.abs(a.mid) * b.rad, np.abs(b.mid) * a.rad)
    large = ((size > TINY) | (a.mid == 0) | (b.mid == 0)) & ((kept > TINY) | (kept == 0))
    return Box(found.mid, np.where((left | right) & large, kept, found.rad))


def summed(a: Box, b: Box) -> Box:
    """Return sums entry by entry; adding zero changes nothing."""
    found = a + b
    left, right = (b.mid == 0) & (b.rad == 0), (a.mid == 0) & (a.rad == 0)
    return Box(found.mid, np.where(left, a.rad, np.where(right, b.rad, found.rad)))


def multiplied(A: Box, B: Box) -> Box:
    """Return a product of matrices; rows and columns with one entry are not summed, and so may stay exact."""
    rows = (A.mid != 0) | (A.rad != 0)
    if (rows.sum(1) <= 1).all():
        k = rows.argmax(1)
        return product(A[np.arange(len(k)), k].reshape(-1, 1), B[k])
    held = (B.mid != 0) | (B.rad != 0)
    single = held.sum(0) <= 1
    mid, rad = np.zeros((A.shape[0], B.shape[1])), np.zeros((A.shape[0], B.shape[1]))
    if single.any():
        k = held[:, single].argmax(0)
        one = product(A[:, k], B[k, np.flatnonzero(single)])
        mid[:, single], rad[:, single] = one.mid, one.rad
    if not single.all():
        many = times(A, B[:, ~single])
        mid[:, ~single], rad[:, ~single] = many.mid, many.rad
    return Box(mid, rad)


def inverse(c: Box) -> Box:
    """Return reciprocals of intervals that do not hold zero."""
    if not ((c.low > 0) | (c.high < 0)).all():
        raise Inexpressible("a division by numbers that may be zero")
    mid = 1 / c.mid
    # |1/x - 1/m| <= r/(|m|(|m|-r)), and the division is off by u/|m|
    size = np.abs(c.mid)
    if not np.isfinite(mid).all():
        raise Inexpressible("a division by numbers that are nearly zero")
    rad = c.rad / (size * (size - c.rad)) * (1 + 16 * UNIT) + 2 * UNIT * np.abs(mid)
    return Box(mid, np.where(plain(c), 0.0, rad + TINY))


def zero(a: Box) -> bool:
    """Whether an array is zero, exactly."""
    return not a.mid.any() and not a.rad.any()


# -- tables ------------------------------------------------------------------------------------------------------------
def picked(rows: Rows, index: NDArray[Any]) -> Rows:
    """Return rows of a table by number, a row of zeros for -1; fields that are zero in all of them are left out."""
    found = {}
    for name, table in rows.items():
        keep = (index >= 0)[:, None]
        part = Box(np.where(keep, table.mid[index], 0.0), np.where(keep, table.rad[index], 0.0))
        if not zero(part):
            found[name] = part
    return found


def stacked(tables: Sequence[tuple[Rows, int]]) -> Rows:
    """Return tables one below the other, each with its number of rows."""
    names = list(dict.fromkeys(name for rows, _ in tables for name in rows))
    found = {}
    for name in names:
        width = next(rows[name].shape[1] for rows, _ in tables if name in rows)
        parts = [rows.get(name, Box(np.zeros((n, width)), np.zeros((n, width)))) for rows, n in tables]
        found[name] = Box(np.concatenate([p.mid for p in parts]), np.concatenate([p.rad for p in parts]))
    return found


def size(rows: Rows) -> int:
    """The number of rows of a table."""
    return len(next(iter(rows.values())).mid) if rows else 0


def compact(f: Forms) -> Forms:
    """Return the same forms with a table that holds each row once, and none that is not used."""
    read = f.form >= 0
    used, back = np.unique(f.form[read], return_inverse=True)
    if not len(used) or not f.rows:
        return constants(f.shift)
    whole = np.concatenate([np.concatenate([b.mid[used], b.rad[used]], 1) for b in f.rows.values()], 1) + 0.0
    text = np.ascontiguousarray(whole).view(np.dtype((np.void, whole.shape[1] * 8)))[:, 0]
    _, first, same = np.unique(text, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))  # in the order in which rows are met, not of their bytes
    form = np.full(f.shape, NONE, dtype=np.int32)
    form[read] = order[same.reshape(-1)][back.reshape(-1)]
    return Forms({name: b[used[np.sort(first)]] for name, b in f.rows.items()}, form, f.at, f.shift)


# -- linear operations -------------------------------------------------------------------------------------------------
def together(a: Ints, b: Ints) -> Ints:
    """Return the positions that sums or products of entries read: that of either, which must agree."""
    both = (a >= 0) & (b >= 0) & (a != b)
    if both.any():
        raise Inexpressible(
            "numbers of different positions are combined, other than by an average or a layer on the whole prompt",
            "attention, a mean over positions, or Flatten and a linear map",
        )
    return np.maximum(a, b)


def added(a: Forms, b: Forms) -> Forms:
    """Return sums entry by entry."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    shift = summed(a.shift, b.shift)
    if a.constant or b.constant:
        some = (b if a.constant else a).broadcast(shape)
        return Forms(some.rows, some.form, some.at, shift)
    a, b = a.broadcast(shape), b.broadcast(shape)
    at = together(a.at, b.at)
    code, back = np.unique((a.form + 1).astype(np.int64) * (size(b.rows) + 1) + b.form + 1, return_inverse=True)
    one, two = code // (size(b.rows) + 1) - 1, code % (size(b.rows) + 1) - 1
    left, right = picked(a.rows, one), picked(b.rows, two)
    rows = {name: summed(left[name], right[name]) if name in right else left[name] for name in left}
    rows |= {name: right[name] for name in right if name not in left}
    number = np.where(code == 0, NONE, np.arange(len(code)))
    return Forms(rows, number[back.reshape(-1)].reshape(shape).astype(np.int32), at, shift)


def scaled(f: Forms, c: Box) -> Forms:
    """Return products entry by entry with constants."""
    shape = np.broadcast_shapes(f.shape, c.shape)
    shift = product(f.shift, c)
    shift = Box(np.broadcast_to(shift.mid, shape), np.broadcast_to(shift.rad, shape))
    if f.constant:
        return constants(shift)
    f = f.broadcast(shape)
    if c.mid.size == 1:
        one = Box(c.mid.reshape(1, 1), c.rad.reshape(1, 1))
        return Forms({name: product(b, one) for name, b in f.rows.items()}, f.form, f.at, shift)
    number, values = numbered(c, shape)
    code, back = np.unique((f.form + 1).astype(np.int64) * len(values.mid) + number, return_inverse=True)
    row, factor = code // len(values.mid) - 1, values[code % len(values.mid)]
    rows = {name: product(b, factor.reshape(-1, 1)) for name, b in picked(f.rows, row).items()}
    form = np.where(row < 0, NONE, np.arange(len(code)))[back.reshape(-1)]
    return Forms(rows, form.reshape(shape).astype(np.int32), f.at, shift)


def numbered(c: Box, shape: tuple[int, ...]) -> tuple[NDArray[np.int64], Box]:
    """Return the number of each entry's value among the different ones of an array, and these."""
    pairs = np.stack([c.mid.ravel() + 0.0, c.rad.ravel()], 1)
    values, back = np.unique(pairs, axis=0, return_inverse=True)
    return np.broadcast_to(back.reshape(c.shape), shape), Box(values[:, 0], values[:, 1])


def contracted(f: Forms, B: Box) -> Forms:
    """Return the products of stacks of matrices: forms ``(P, n, k)``, of one position in each row, and numbers.

    Parameters
    ----------
    f : the forms.
    B : the numbers, shape ``(P, k, m)``.
    """
    P, n, m = f.shape[0], f.shape[1], B.shape[2]
    at = rows_at(f)
    tables: list[tuple[Rows, int]] = []
    form = np.full((P, n, m), NONE, dtype=np.int32)
    mid, rad = np.zeros((P, n, m)), np.zeros((P, n, m))
    for p in range(P):
        patterns, back = np.unique(f.form[p], axis=0, return_inverse=True)
        for u, pattern in enumerate(patterns):
            if (pattern < 0).all():
                continue
            T = picked(f.rows, pattern)
            begin = sum(count for _, count in tables)
            tables.append(({name: multiplied(B[p].T, part) for name, part in T.items()}, m))
            form[p, back.reshape(-1) == u] = begin + np.arange(m)
        if not zero(f.shift[p]):
            # rows of the transpose: columns with one entry stay exact here too
            part = multiplied(f.shift[p], B[p])
            mid[p], rad[p] = part.mid, part.rad
    found = Forms(stacked(tables), form, np.broadcast_to(at[..., None], form.shape), Box(mid, rad))
    return compact(found) if len(tables) > 1 else found


def mixed(f: Forms) -> bool:
    """Whether a row, along the last axis, reads more than one position."""
    most = f.at.max(-1, keepdims=True)
    return bool(((f.at >= 0) & (f.at != most)).any())


def rows_at(f: Forms) -> Ints:
    """Return the position that each row, along the last axis, reads."""
    if mixed(f):
        raise Inexpressible(
            "numbers of different positions are combined here", "attention, a mean, or Flatten and a linear map"
        )
    return np.asarray(f.at.max(-1), dtype=np.int32)


# -- maps of one position ----------------------------------------------------------------------------------------------
def columns(at: Ints, code: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the column of each entry in a map of one position, and an entry that stands for each column.

    Entries of one code at one position are told apart by their order; so positions with the same codes share columns.
    """
    whole = np.stack([np.asarray(at, np.int64).ravel(), np.asarray(code, np.int64).ravel()])
    order = np.lexsort((whole[1], whole[0]))  # stable
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(whole[:, order]) != 0).any(0)
    begin = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - begin
    pair = whole[1] * (rank.max(initial=0) + 1) + rank
    _, first, back = np.unique(pair, return_index=True, return_inverse=True)
    # in the order in which they are met
    number = np.argsort(np.argsort(first))
    return number[back.reshape(-1)], np.sort(first)


def map_of(f: Forms, at: Ints, column: NDArray[Any], first: NDArray[Any], N: int) -> Map:
    """Return the map whose column ``column[e]``, at position ``at[e]``, is the form of entry ``e``; all arrays flat."""
    parts = picked(f.rows, f.form[first])
    if (at == N).all():
        return Map(parts, f.shift[first])
    mid, rad = f.shift.mid, f.shift.rad
    base = f.shift[first]
    if (mid == base.mid[column]).all() and (rad == base.rad[column]).all():
        return Map(parts, base)
    place = Box(np.zeros((len(first), N)), np.zeros((len(first), N)))
    place.mid[column, at], place.rad[column, at] = mid, rad
    if PLACE in parts:
        place = summed(place, parts[PLACE])
    return Map({**parts, PLACE: place}, exact(np.zeros(len(first))))


def grouped(f: Forms, at: Ints, N: int) -> list[tuple[Map, NDArray[np.int64]]]:
    """Return maps of one position that give the rows of a matrix of forms, and which rows each gives.

    Parameters
    ----------
    f : the forms, shape ``(n, k)``.
    at : the position of each row, which its entries read if they read any.
    N : the number of positions.
    """
    if (at == N).any() and (at != N).any():
        raise Inexpressible(
            "numbers of the whole prompt are combined with those of a position", "one map of Z.flatten(1) for both"
        )
    _, pattern = np.unique(f.form, axis=0, return_inverse=True)
    number, _ = columns(at, pattern.reshape(-1))
    found = []
    for g in range(int(number.max()) + 1):
        here = np.flatnonzero(number == g)
        k = f.shape[1]
        column, first = np.tile(np.arange(k), len(here)), np.arange(k)
        part = f[here].reshape(-1)
        found.append((map_of(part, np.repeat(at[here], k), column, first, N), here))
    return found


def scaled_map(of: Map, c: Box) -> Map:
    """Return a map times a number."""
    one = c.reshape(1, 1)
    return Map({name: product(b, one) for name, b in of.parts.items()}, product(of.shift, c.reshape(1)))


def summed_boxes(boxes: Sequence[Box]) -> Box:
    """Return the sum of arrays."""
    return reduce(summed, boxes)
