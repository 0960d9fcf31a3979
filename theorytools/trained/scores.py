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
from theorytools.trained.forms import (
    NONE,
    Forms,
    Inexpressible,
    Ints,
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
from theorytools.trained.tape import Tape

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
        term, query, key, seen = (a.reshape(shape) for a in (self.term, self.query, self.key, self.seen))
        return Scores(self.terms, term, query, key, self.rest.reshape(*shape), seen)

    def broadcast(self, shape: tuple[int, ...]) -> Scores:
        """Return the entries repeated to a larger shape."""
        parts = (np.broadcast_to(a, shape) for a in (self.term, self.query, self.key))
        return Scores(self.terms, *parts, self.rest.broadcast(shape), np.broadcast_to(self.seen, shape))


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
            "one product for the constant rows and one for the others",
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
    rows = tuple(_row(flat[one]) for one in moved.reshape(-1, m))
    number = np.broadcast_to(np.arange(len(rows), dtype=np.int32)[:, None], (len(rows), m)).reshape(moved.shape)
    column = np.broadcast_to(np.arange(m, dtype=np.int32), moved.shape)
    return Weights(rows, np.moveaxis(number, -1, axis), np.moveaxis(column, -1, axis))


def _row(s: Scores) -> Row:
    if not s.seen.any():
        raise Inexpressible("a query that sees no key: its softmax is 0/0", "let every position see itself")
    if s.term[0] >= 0:
        if (s.term != s.term[0]).any() or (s.query != s.query[0]).any():
            raise Inexpressible(
                "a softmax that does not go over the keys of one query", "softmax over the last axis of Q @ K^T"
            )
        return Row(s.terms[s.term[0]], int(s.query[0]), s.key, s.rest, s.seen)
    at = s.rest.at
    if (s.term >= 0).any():
        raise Inexpressible("a softmax over products and other numbers together", "one array of scores")
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
        for rows, order in _alike(A, p):
            head = _head([A.rows[A.row[p, i, 0]] for i in rows], V[p][order], tape.N)
            heads.append((p, rows, *head))
    form = np.zeros((P, n, V.shape[2]), dtype=np.int32)
    at, tables = np.zeros((P, n), dtype=np.int32), []
    for mask in dict.fromkeys(mask.tobytes() for *_, mask in heads):
        some = [head for head in heads if head[-1].tobytes() == mask]
        seen = some[0][-1]
        out, width = tape.named("attention"), V.shape[2]
        tape.blocks.append(Attention(out, tuple(head for *_, head, _, _ in some), None if seen.all() else seen))
        table = reading(out, np.arange(len(some) * width), np.zeros(len(some) * width), len(some) * width).rows
        begin = sum(count for _, count in tables)
        tables.append((table, len(some) * width))
        for h, (p, rows, _, queries, _) in enumerate(some):
            form[p, rows] = begin + h * width + np.arange(width)
            at[p, rows] = queries
    shift = exact(np.zeros(form.shape))
    return Forms(stacked(tables), form, np.broadcast_to(at[:, :, None], form.shape), shift)


def _alike(A: Weights, p: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The rows of one matrix of weights that one head can give, and the order of values that their keys ask for."""
    found: dict[Any, list[int]] = {}
    orders: dict[Any, NDArray[np.int64]] = {}
    met: dict[Any, int] = {}
    count = A.shape[2]
    for i in range(A.shape[1]):
        row, column = A.rows[A.row[p, i, 0]], A.column[p, i]
        if (A.row[p, i] != A.row[p, i, 0]).any() or len(row.seen) != count or len(np.unique(column)) != count:
            raise Inexpressible("an average by some of the weights of a softmax", "the whole softmax times the values")
        keys = None if row.keys is None else row.keys.tobytes()
        alike = (id(row.term) if row.term else 0, row.rest.form.tobytes(), keys, column.tobytes())
        # a query stands once in a head: its scores may differ from those of the same query elsewhere
        again = met[alike, row.query] = met.get((alike, row.query), 0) + 1
        found.setdefault((alike, again), []).append(i)
        orders[alike, again] = np.argsort(column)
    return [(np.array(rows), orders[name]) for name, rows in found.items()]


def _head(rows: list[Row], V: Forms, N: int) -> tuple[Head, Any, NDArray[np.bool_]]:
    """One head, the positions of its queries, and which keys they see."""
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
    queries = np.array([row.query for row in rows])
    if (queries == N).any():
        raise Inexpressible("a query that is a number of the whole prompt", "a query of one position")
    mask = np.ones((N, N), dtype=bool)
    for row in rows:
        here = slice(None) if row.query < 0 else row.query
        mask[here] = False
        mask[here, keys] = row.seen
    scores = _products(rows[0].term)
    for name, G in _added(rows, keys, N):
        scores[name] = summed(scores[name], G) if name in scores else G
    kept = {name: G for name, G in scores.items() if not zero(G)}
    return Head(kept, maps[0][0]), np.maximum(queries, 0), mask


def _products(term: Term) -> dict[tuple[str, str], Box]:
    found: dict[tuple[str, str], Box] = {}
    for Q, K in term:
        shift = Box(Q.shift.mid[:, None], Q.shift.rad[:, None])
        for a, left in {**Q.parts, ONE: shift}.items():
            for b, right in K.parts.items():  # a constant of the key is one of all keys: no softmax sees it
                G = multiplied(left.T, right)
                found[a, b] = summed(found[a, b], G) if (a, b) in found else G
    return found


def _added(rows: list[Row], keys: Ints, N: int) -> list[tuple[tuple[str, str], Box]]:
    """What is added to the products: forms of the query for each key, one form of the keys, and a table."""
    found = []
    first = rows[0].rest.form
    own = all(((r.rest.at < 0) | (r.rest.at == r.query)).all() for r in rows)
    if not own and not all(((r.rest.at < 0) | (r.rest.at == keys)).all() for r in rows):
        raise Inexpressible("scores with numbers of a third position", "numbers of the query or of the key")
    if not own and len(np.unique(first)) > 1:
        raise Inexpressible("scores that read each key by other weights", "one key map for all positions")
    for name, part in picked(rows[0].rest.rows, first).items():
        if not own:
            found.append(((ONE, name), part[:1]))
        elif len(np.unique(first)) > 1:
            G = Box(np.zeros((part.shape[1], N)), np.zeros((part.shape[1], N)))
            G.mid[:, keys], G.rad[:, keys] = part.mid.T, part.rad.T
            found.append(((name, PLACE), G))
    mid = np.stack([np.where(row.seen, row.rest.shift.mid, 0.0) for row in rows])
    rad = np.stack([np.where(row.seen, row.rest.shift.rad, 0.0) for row in rows])
    if not mid.any() and not rad.any():
        return found
    alone = (mid == mid[0]).all() and (rad == rad[0]).all()
    table = Box(np.zeros((1 if alone else N, N)), np.zeros((1 if alone else N, N)))
    at = np.zeros(1, dtype=int) if alone else np.array([row.query for row in rows])
    for one, i in enumerate(at):
        table.mid[i, keys], table.rad[i, keys] = mid[one], rad[one]
    return [*found, ((ONE if alone else PLACE, PLACE), table)]
