r"""Scores of two positions, their softmax, and the averages that it weighs: attention, wherever it stands in a program.

A score of the asking position ``i`` and the asked position ``j`` is
:math:`\langle Q(r_i),K(r_j)\rangle+\ell_j(r_i)+c_{ij}`; queries and keys stay apart until a head is written, so that an
array of N·N scores holds N·N numbers of terms and not N·N forms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.blocks.network import ONE, PLACE, Attention, Head, Map
from theorytools.numbers.boxes import Box, exact
from theorytools.trained.traced.forms import (
    NONE,
    Forms,
    Inexpressible,
    Ints,
    Rows,
    added,
    constants,
    grouped,
    multiplied,
    numbered,
    picked,
    reading,
    rows_at,
    scaled,
    scaled_map,
    stacked,
    summed,
    zero,
)
from theorytools.trained.traced.tape import Tape

Term = tuple[tuple[Map, Map], ...]


@dataclass(frozen=True, eq=False)
class Scores:
    """An array of scores.

    Attributes
    ----------
    terms : sums of products of a map of the query and one of the key.
    term, query, key : of each entry its number among them and its positions; -1 where there is none.
    rest : what is added, forms of the query or the key.
    seen : whether it is a number; else it is minus infinity.
    """

    terms: tuple[Term, ...]
    term: Ints
    query: Ints
    key: Ints
    rest: Forms
    seen: NDArray[np.bool_]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor."""
        return self.term.shape

    def __getitem__(self, at: Any) -> Scores:
        return Scores(self.terms, self.term[at], self.query[at], self.key[at], self.rest[at], self.seen[at])

    def reshape(self, *shape: int) -> Scores:
        """Return the entries in another shape."""
        term, query, key = self.term.reshape(shape), self.query.reshape(shape), self.key.reshape(shape)
        return Scores(self.terms, term, query, key, self.rest.reshape(*shape), self.seen.reshape(shape))

    def broadcast(self, shape: tuple[int, ...]) -> Scores:
        """Return the entries repeated to a larger shape."""
        term, query, key = (np.broadcast_to(a, shape) for a in (self.term, self.query, self.key))
        return Scores(self.terms, term, query, key, self.rest.broadcast(shape), np.broadcast_to(self.seen, shape))


def scores_of(f: Forms, seen: NDArray[np.bool_] | None = None) -> Scores:
    """Return forms as scores without a product."""
    none = np.broadcast_to(NONE, f.shape)
    seen = np.isfinite(f.shift.mid) if seen is None else seen
    if not seen.all():
        shift = Box(np.where(seen, f.shift.mid, 0.0), np.where(seen, f.shift.rad, 0.0))
        f = Forms(f.rows, f.form, f.at, shift)
    return Scores((), none, none, none, f, seen)


def bilinear(A: Forms, B: Forms, N: int) -> Scores:
    """Return the products of stacks of matrices of forms ``(P, n, k)`` and ``(P, k, m)`` as scores."""
    P, n, m = A.shape[0], A.shape[1], B.shape[2]
    B = B.swapped()
    query, key = rows_at(A), rows_at(B)
    if (query < 0).any() or (key < 0).any() or (query == N).any() or (key == N).any():
        raise Inexpressible(
            "a product of arrays of which some rows are constants, or numbers of the whole prompt",
            "one product for the constant rows and one for the others; a class token in the place of a position's own: "
            "Z * mask + token * (1 - mask), a mask of shape (N, 1)",
        )
    terms: list[Term] = []
    term = np.zeros((P, n, m), dtype=np.int32)
    for p in range(P):
        for Q, some in grouped(A[p], query[p], N):
            for K, others in grouped(B[p], key[p], N):
                term[p][np.ix_(some, others)] = len(terms)
                terms.append(((Q, K),))
        if len(terms) > 4096:
            raise Inexpressible("queries or keys whose weights differ by position", "position embeddings, or heads")
    nothing = constants(exact(np.broadcast_to(0.0, term.shape)))
    both = (np.broadcast_to(query[:, :, None], term.shape), np.broadcast_to(key[:, None, :], term.shape))
    return Scores(tuple(terms), term, *both, nothing, np.broadcast_to(True, term.shape))


def scaled_scores(s: Scores, c: Box) -> Scores:
    """Return scores times constants, entry by entry."""
    shape = np.broadcast_shapes(s.shape, c.shape)
    s = s.broadcast(shape)
    if not s.seen.all() and not (c.low > 0).all():
        raise Inexpressible("minus infinity times a number that is not positive", "the mask behind the scale")
    number, values = numbered(c, shape)
    code, back = np.unique((s.term + 1).astype(np.int64) * len(values.mid) + number, return_inverse=True)
    terms = []
    for one in code:
        term, by = one // len(values.mid) - 1, values[one % len(values.mid)]
        terms.append(() if term < 0 else tuple((scaled_map(Q, by), K) for Q, K in s.terms[term]))
    found = np.where(s.term < 0, NONE, back.reshape(shape)).astype(np.int32)
    return replace(s, terms=tuple(terms), term=found, rest=scaled(s.rest, c))


def added_scores(s: Scores, t: Scores) -> Scores:
    """Return sums of scores, entry by entry; minus infinity stays so."""
    shape = np.broadcast_shapes(s.shape, t.shape)
    s, t = s.broadcast(shape), t.broadcast(shape)
    rest, seen = added(s.rest, t.rest), s.seen & t.seen
    if (s.term < 0).all() or (t.term < 0).all():
        return replace(t if (s.term < 0).all() else s, rest=rest, seen=seen)
    if (s.query != t.query).any() or (s.key != t.key).any():
        raise Inexpressible("scores of different pairs of positions are added", "queries and keys in one order")
    code, back = np.unique(s.term.astype(np.int64) * len(t.terms) + t.term, return_inverse=True)
    terms = tuple(s.terms[one // len(t.terms)] + t.terms[one % len(t.terms)] for one in code)
    return replace(s, terms=terms, term=back.reshape(shape).astype(np.int32), rest=rest, seen=seen)


# -- softmax -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Row:
    """One softmax: the scores of one query.

    Attributes
    ----------
    term : the products of which they are the sum.
    query : the asking position, -1 if any asks alike.
    keys : the asked ones; None where only the values will say.
    rest, seen : as in :class:`Scores`, one entry for each key.
    """

    term: Term
    query: int
    keys: Ints | None
    rest: Forms
    seen: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Weights:
    """What softmax returns: of each entry the number of its softmax, and which of its weights it is."""

    rows: tuple[Row, ...]
    row: Ints
    column: Ints

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor."""
        return self.row.shape

    def __getitem__(self, at: Any) -> Weights:
        return Weights(self.rows, self.row[at], self.column[at])

    def reshape(self, *shape: int) -> Weights:
        """Return the entries in another shape."""
        return Weights(self.rows, self.row.reshape(shape), self.column.reshape(shape))


def softmax(s: Scores, axis: int) -> Weights:
    """Return the softmax of scores along an axis."""
    moved = np.moveaxis(np.arange(s.term.size).reshape(s.shape), axis, -1)
    m = moved.shape[-1]
    flat = s.reshape(-1)
    # along the axis of what was called queries, queries and keys change their names
    turned = tuple(tuple((K, Q) for Q, K in term) for term in s.terms)
    rows = tuple(_row(flat[one], turned) for one in moved.reshape(-1, m))
    number = np.broadcast_to(np.arange(len(rows), dtype=np.int32)[:, None], (len(rows), m)).reshape(moved.shape)
    column = np.broadcast_to(np.arange(m, dtype=np.int32), moved.shape)
    return Weights(rows, np.moveaxis(number, -1, axis), np.moveaxis(column, -1, axis))


def _row(s: Scores, turned: tuple[Term, ...]) -> Row:
    if not s.seen.any():
        raise Inexpressible("a query that sees no key: its softmax is 0/0", "let every position see itself")
    if (s.term >= 0).any():
        term = s.term[0]
        if (s.term == term).all() and (s.query == s.query[0]).all():
            return Row(s.terms[term], int(s.query[0]), s.key, s.rest, s.seen)
        if (s.term == term).all() and (s.key == s.key[0]).all():
            return Row(turned[term], int(s.key[0]), s.query, s.rest, s.seen)
        raise Inexpressible(
            "a softmax that does not go over the keys of one query", "softmax over the last axis of Q @ K^T"
        )
    at = s.rest.at
    if len(np.unique(at)) == len(at) > 1 and at.min() >= 0:
        return Row((), -1, at, s.rest, s.seen)
    if len(np.unique(at[at >= 0])) > 1:
        raise Inexpressible("a softmax over numbers of some positions", "softmax over all keys of one query")
    return Row((), int(at.max()), None, s.rest, s.seen)


# -- averages ----------------------------------------------------------------------------------------------------------
def weighted(tape: Tape, A: Weights, V: Forms) -> Forms:
    """Write the averages of values ``(P, m, v)`` by weights ``(P, n, m)``; returns them as forms ``(P, n, v)``."""
    P, n = A.shape[:2]
    heads = []
    for p in range(P):
        for rows, order, queries in _alike(A, p, tape.N):
            head, mask = _head([A.rows[A.row[p, i, 0]] for i in rows], queries, V[p][order], tape.N)
            heads.append((p, rows, head, queries, mask))
    form = np.zeros((P, n, V.shape[2]), dtype=np.int32)
    at = np.zeros((P, n), dtype=np.int32)
    tables: list[tuple[Rows, int]] = []
    for code in dict.fromkeys(mask.tobytes() for *_, mask in heads):
        some = [head for head in heads if head[-1].tobytes() == code]
        seen = some[0][-1]
        out, width = tape.named("attention"), V.shape[2]
        tape.blocks.append(Attention(out, tuple(head for *_, head, _, _ in some), None if seen.all() else seen))
        table = reading(out, np.arange(len(some) * width), np.zeros(len(some) * width), len(some) * width).rows
        begin = sum(count for _, count in tables)
        tables.append((table, len(some) * width))
        for h, (p, rows, _, queries, _) in enumerate(some):
            form[p, rows] = begin + h * width + np.arange(width)
            at[p, rows] = np.maximum(queries, 0)
    shift = exact(np.zeros(form.shape))
    return Forms(stacked(tables), form, np.broadcast_to(at[:, :, None], form.shape), shift)


def _alike(A: Weights, p: int, N: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Which rows of a matrix of weights one head gives, the order of values that their keys ask for, their queries.

    N rows that any query asks alike are given to the positions in their order: which row is read is said by the place.
    """
    query = np.array([A.rows[k].query for k in A.row[p, :, 0]])
    if (query < 0).all() and len(query) == N:
        query = np.arange(N)
    found: dict[Any, list[int]] = {}
    orders: dict[Any, NDArray[np.int64]] = {}
    met: dict[Any, int] = {}
    count = A.shape[2]
    for i in range(A.shape[1]):
        row, column = A.rows[A.row[p, i, 0]], A.column[p, i]
        if (A.row[p, i] != A.row[p, i, 0]).any() or len(row.seen) != count or len(np.unique(column)) != count:
            raise Inexpressible("an average by some of the weights of a softmax", "the whole softmax times the values")
        keys = None if row.keys is None else row.keys.tobytes()
        form = row.rest.form
        one = not row.term and row.keys is not None and bool((form == form[0]).all())
        alike = (id(row.term) if row.term else 0, one or form.tobytes(), keys, column.tobytes())
        # a query stands once in a head: its scores may differ from those of the same query elsewhere
        again = met[alike, query[i]] = met.get((alike, query[i]), 0) + 1
        found.setdefault((alike, again), []).append(i)
        orders[alike, again] = np.argsort(column)
    return [(np.array(rows), orders[name], query[rows]) for name, rows in found.items()]


def _head(rows: list[Row], queries: NDArray[np.int64], V: Forms, N: int) -> tuple[Head, NDArray[np.bool_]]:
    """One head, and which keys its queries see."""
    keys = rows[0].keys
    if keys is None:
        keys = rows_at(V) if (rows_at(V) >= 0).any() else np.arange(len(V.form), dtype=np.int32)
    read = rows_at(V)
    if (
        (keys < 0).any()
        or (keys >= N).any()
        or len(np.unique(keys)) < len(keys)
        or ((read >= 0) & (read != keys)).any()
    ):
        raise Inexpressible(
            "keys and values that are not those of the same positions, once each",
            "values of the tokens that have the keys",
        )
    maps = grouped(V, keys, N)
    if len(maps) != 1:
        raise Inexpressible("values whose weights differ by position", "one value map for all positions")
    if (queries == N).any():
        raise Inexpressible("a query that is a number of the whole prompt", "a query of one position")
    mask = np.ones((N, N), dtype=bool)
    for row, i in zip(rows, queries, strict=True):
        here = slice(None) if i < 0 else i
        mask[here] = False
        mask[here, keys] = row.seen
    scores = _products(rows[0].term)
    for name, G in (*_linear(rows, queries, keys, N), *_table(rows, queries, keys, N)):
        scores[name] = summed(scores[name], G) if name in scores else G
    return Head({name: G for name, G in scores.items() if not zero(G)}, maps[0][0]), mask


def _products(term: Term) -> dict[tuple[str, str], Box]:
    found: dict[tuple[str, str], Box] = {}
    for Q, K in term:
        shift = Box(Q.shift.mid[:, None], Q.shift.rad[:, None])
        for a, left in {**Q.parts, ONE: shift}.items():
            for b, right in K.parts.items():  # a constant of the key is one of all keys: no softmax sees it
                G = multiplied(left.T, right)
                found[a, b] = summed(found[a, b], G) if (a, b) in found else G
    return found


def _linear(rows: list[Row], queries: NDArray[np.int64], keys: Ints, N: int) -> list[tuple[tuple[str, str], Box]]:
    """What is added to the products: forms of the query, one for each key, or forms of the keys, one for each query."""
    form = np.stack([row.rest.form for row in rows])
    if all(((row.rest.at < 0) | (row.rest.at == row.query)).all() for row in rows):
        if (form == form[:, :1]).all():  # no key enters
            return []
        G = {name: part.T for name, part in picked(rows[0].rest.rows, form[0]).items()}
        return [((name, PLACE), _put(part, keys, N)) for name, part in G.items()]
    if not all(((row.rest.at < 0) | (row.rest.at == keys)).all() for row in rows):
        raise Inexpressible("scores with numbers of a third position", "numbers of the query or of the key")
    if (form != form[:, :1]).any():
        raise Inexpressible("scores that read each key by other weights", "one key map for all positions")
    parts = picked(rows[0].rest.rows, form[:, 0])
    if (form == form[0]).all():
        return [((ONE, name), part[:1]) for name, part in parts.items()]
    return [((PLACE, name), _put(part.T, queries, N).T) for name, part in parts.items()]


def _put(part: Box, columns: NDArray[Any], N: int) -> Box:
    """Columns of a matrix at their places among N."""
    found = Box(np.zeros((part.shape[0], N)), np.zeros((part.shape[0], N)))
    found.mid[:, columns], found.rad[:, columns] = part.mid, part.rad
    return found


def _table(rows: list[Row], queries: NDArray[np.int64], keys: Ints, N: int) -> list[tuple[tuple[str, str], Box]]:
    """Constants that are added: a table by positions, or by the key's alone."""
    mid = np.stack([np.where(row.seen, row.rest.shift.mid, 0.0) for row in rows])
    rad = np.stack([np.where(row.seen, row.rest.shift.rad, 0.0) for row in rows])
    if (mid == mid[:, :1]).all() and not rad.any():  # no key enters
        return []
    by_key = _put(Box(mid, rad), keys, N)
    if (mid == mid[0]).all() and (rad == rad[0]).all():
        return [((ONE, PLACE), by_key[:1])]
    return [((PLACE, PLACE), _put(by_key.T, queries, N).T)]
