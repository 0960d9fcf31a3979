r"""The largest label error of several layers of attention over all prompts of a class.

.. math:: \sup_{X,T,i}\Bigl|f_i(X,T)-\frac1{\sqrt q}\sum_{s=1}^q\langle u,x_{t_{is}}\rangle\Bigr|,

or with :math:`x_{t_{t_i}}` in the label's place; tokens signs :math:`\pm r`, indices any.

A case is a set of prompts: for each position a set of states, its token and its indices, each free of the other
positions'; the query's is one state.  What the first layer writes at a position is enclosed for each of the position's
own states, over all states that the others may have (:mod:`.averaged_sets`); scores and values of the next layer are
then intervals for each state of a key, and so on.  A retrieval that leaks little is so enclosed in what it retrieves.
Cases whose bounds are above the largest error found are cut in two: first the positions that the query's indices lead
to, along the pointers, then the others; single prompts are evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.blocks.network import ONE, Activation, Attention, Block, Head, Map, Network, Norm, Product
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers.boxes import UNIT, Array, Box, exact, joined, times
from theorytools.trained.worst.averaged_sets import Weights, met
from theorytools.trained.worst.cutting import Progress, largest
from theorytools.trained.worst.enclosed import activated, affine, enclosed, normed, of_ends
from theorytools.trained.worst.expected import direction, expected
from theorytools.trained.worst.one_layer import fields_of
from theorytools.trained.worst.prompts import Indices, Prompts
from theorytools.trained.worst.tail import TailBound
from theorytools.trained.worst.worst_prompt import Errors

NUMBERS = 2**21  # scores that are held at once
NOTHING, LARGEST, LEFT_OUT = 1e-250, 1e150, 1e-90  # weights, fields, and what a million of their products are below
SAME = 1e-15  # a part that values of one number may differ by
FIRST = 2**27  # numbers that the first cases may take
Fields = Mapping[str, Box]
Sets = NDArray[np.bool_]  # which states each position may have, (n, N, S)


@dataclass(frozen=True, eq=False)
class Layers:
    """A network on sets of states.

    Attributes
    ----------
    prompts : the class.
    tokens, tuples : the states of a position, ``(S, d)`` and ``(S, q)``.
    own : the fields of each position's states, ``(N S, width)``.
    blocks : those that read what an attention wrote, the first attention first.
    output : what is returned.
    labels : the label's share of the token of each state, ``(S,)``.
    hops : how often an index is followed to the label.
    """

    prompts: Prompts
    tokens: Array
    tuples: Indices
    own: dict[str, Box]
    blocks: tuple[Block, ...]
    output: Map
    labels: Box
    hops: int

    @property
    def S(self) -> int:
        """How many states a position has."""
        return len(self.tokens)

    @cached_property
    def keyed(self) -> frozenset[str]:
        """The fields that some key is asked for, so that they are needed at every position and not at the query's."""
        found: set[str] = set()
        for block in reversed(self.blocks):
            if isinstance(block, Attention):
                for head in block.heads:
                    found |= {b for _, b in head.scores} | set(head.value.parts)
                    found |= {a for a, _ in head.scores} if block.out in found else set()
            elif block.out in found:
                maps = (block.left, block.right) if isinstance(block, Product) else (_of(block),)
                found |= {name for of in maps for name in of.parts}
        return frozenset(found)

    # -- the sets ------------------------------------------------------------------------------------------------------
    def first(self, query: int) -> Sets:
        """Return the cases that hold the query's state alone."""
        cases = np.ones((self.S, self.prompts.N, self.S), dtype=bool)
        cases[:, query] = np.eye(self.S, dtype=bool)
        return cases

    def price(self, query: int, cases: Sets) -> int:
        """How many numbers the bounds of cases take."""
        states = (self.prompts.N * cases.sum(-1).max(-1)).astype(np.int64)
        total = 0
        for block in self.blocks:
            if isinstance(block, Attention):
                widths = sum(2 + head.value.width for head in block.heads)
                total += widths * int((states * (1 + states * (block.out in self.keyed))).sum())
        return total

    def single(self, query: int, cases: Sets) -> NDArray[np.bool_]:
        """Return which cases are single prompts."""
        return np.asarray((cases.sum(-1) == 1).all(-1))

    def halves(self, query: int, cases: Sets) -> Sets:
        """Return cases cut in two at the first position that the pointers lead to and that is not held."""
        two = np.repeat(cases, 2, axis=0)
        for n, case in enumerate(cases):
            place, hops = self._open(query, case)
            states = np.flatnonzero(case[place])
            if hops < self.hops:  # its index leads on; behind the last hop its token is what counts
                states = states[np.lexsort((states, *self.tuples[states].T[::-1]))]
            middle = len(states) // 2
            two[2 * n, place, states[middle:]] = False
            two[2 * n + 1, place, states[:middle]] = False
        return two

    def _open(self, query: int, case: Sets) -> tuple[int, int]:
        """The position to cut, and by how many hops it is reached."""
        counts = case.sum(-1)
        reached, seen = [query], {query}
        for hops in range(1, self.prompts.N):
            after = [int(t) for p in reached for t in self.tuples[case[p].argmax()]]
            reached = [t for t in dict.fromkeys(after) if t not in seen]
            seen |= set(reached)
            for t in reached:
                if counts[t] > 1:
                    return t, hops
        return int(counts.argmax()), self.prompts.N

    def prompts_of(self, query: int, cases: Sets) -> tuple[Array, Indices]:
        """Return two prompts of each case: of first states, and of last ones."""
        first, last = cases.argmax(-1), self.S - 1 - cases[..., ::-1].argmax(-1)
        states = np.concatenate([first, last])
        return self.tokens[states], self.tuples[states]

    # -- their bounds --------------------------------------------------------------------------------------------------
    def bounds(self, query: int, cases: Sets) -> Array:
        """Return upper bounds of the error of cases."""
        found, most = np.zeros(len(cases)), cases.sum(-1).max(-1)
        for m in np.unique(most):
            alike = np.flatnonzero(most == m)
            step = max(1, NUMBERS // (self.prompts.N * int(m)) ** 2)
            for k in range(0, len(alike), step):
                some = alike[k : k + step]
                found[some] = self._bounds(query, cases[some], Listed.of(cases[some], int(m)))
        return found

    def _bounds(self, query: int, cases: Sets, listed: Listed) -> Array:
        held: dict[str, Box] = {}
        mine: dict[str, Box] = {}
        every, asking = listed.rows, Rows(np.full((len(cases), 1), query), cases[:, query].argmax(-1)[:, None])
        for block in self.blocks:
            if block.out in self.keyed:
                held[block.out] = _moderate(block, self._written(block, held, held, listed, every))
                mine[block.out] = held[block.out][:, query * listed.m, None]  # the first state there, the only one
            else:
                mine[block.out] = _moderate(block, self._written(block, mine, held, listed, asking))
        out = self._affine(self.output, mine, asking)[:, 0, 0]
        low, high = self._label(query, cases)
        above = np.maximum(out.high - low, high - out.low)
        return np.asarray(np.nextafter(above + 4 * UNIT * np.abs(above), np.inf))

    def _label(self, query: int, cases: Sets) -> tuple[Array, Array]:
        """Bounds of the label: pointers are followed through all states that a position may have."""
        low = np.where(cases, self.labels.low, np.inf).min(-1)
        high = np.where(cases, self.labels.high, -np.inf).max(-1)
        ends = np.zeros((2, len(cases)))
        for slot in range(self.prompts.q):
            reached: NDArray[np.bool_] = np.zeros(low.shape, dtype=bool)
            reached[:, query] = True
            to = np.eye(self.prompts.N)[self.tuples[:, slot]]
            for _ in range(self.hops):
                reached = np.asarray((reached[:, :, None] * (cases @ to) > 0).any(1))
            ends[0] += np.where(reached, low, np.inf).min(-1)
            ends[1] += np.where(reached, high, -np.inf).max(-1)
        off = 2 * (self.prompts.q + 1) * UNIT * self.prompts.q * float(self.labels.size.max())
        return ends[0] - off, ends[1] + off

    def _written(self, block: Block, mine: Fields, held: Fields, listed: Listed, rows: Rows) -> Box:
        """What a block writes at some states, ``(n, R, width)``: ``mine`` are their fields, ``held`` the keys'."""
        if isinstance(block, Attention):
            return joined([self._average(head, block.mask, mine, held, listed, rows) for head in block.heads], axis=-1)
        if isinstance(block, Product):
            return self._affine(block.left, mine, rows) * self._affine(block.right, mine, rows)
        assert isinstance(block, Activation | Norm)
        v = self._affine(block.of, mine, rows)
        flat = v.reshape(-1, v.shape[-1])
        made = activated(block.kind, flat) if isinstance(block, Activation) else _normed(flat, block)
        return made.reshape(*v.shape)

    def _affine(self, of: Map, mine: Fields, rows: Rows) -> Box:
        known = Map({name: part for name, part in of.parts.items() if name in self.own}, of.shift)
        total = affine(known, self.own, self.prompts.N * self.S)[rows.number(self.S)]
        for name, part in of.parts.items():
            if name not in self.own:
                total = total + met(mine[name], part.T)
        return Box(total.mid, total.rad + LEFT_OUT)

    def _average(
        self, head: Head, mask: Sets | None, mine: Fields, held: Fields, listed: Listed, rows: Rows
    ) -> Box:  # fmt: skip
        (n, R), (N, m) = rows.place.shape, (self.prompts.N, listed.m)
        scores = Box(np.zeros((n, R, N * m)), np.full((n, R, N * m), LEFT_OUT))
        for (a, b), G in head.scores.items():
            if b == ONE:
                continue
            query = met(self.own[a][rows.number(self.S)] if a in self.own else mine[a], G)
            key = self.own[b][listed.rows.number(self.S)] if b in self.own else held[b]
            scores = scores + met(query, Box(key.mid.swapaxes(-1, -2), key.rad.swapaxes(-1, -2)))
        if not (scores.size < LARGEST).all():
            raise DomainError(
                "scores beyond doubles", required=f"scores below {LARGEST:g}", why="a weight is its exponential",
                advice="smaller weights",
            )  # fmt: skip
        weights = Weights.of(scores.reshape(n, R, N, m), listed.seen_by(rows, mask))
        values = self._affine(head.value, held, listed.rows).reshape(n, N, m, head.value.width)
        return _averages(weights, values, (n, R))


@dataclass(frozen=True, eq=False)
class Rows:
    """States of positions, ``(n, R)``: the position, and which of its states."""

    place: Indices
    state: Indices

    def number(self, S: int) -> Indices:
        """Return their numbers among the ``S`` states of each position."""
        return self.place * S + self.state


@dataclass(frozen=True, eq=False)
class Listed:
    """The states that each position may have, ``m`` of each position, some of them for want of more not meant.

    Attributes
    ----------
    m : how many of each position.
    rows : the states, ``(n, N m)``, those that are meant first.
    meant : which are, ``(n, N, m)``.
    """

    m: int
    rows: Rows
    meant: Sets

    @classmethod
    def of(cls, cases: Sets, m: int) -> Listed:
        """Return the states of cases with at most ``m`` states at a position."""
        n, N, _ = cases.shape
        states = np.argsort(~cases, axis=-1, kind="stable")[..., :m]
        places = np.broadcast_to(np.arange(N)[:, None], (n, N, m))
        rows = Rows(places.reshape(n, -1), states.reshape(n, -1))
        return cls(m, rows, np.take_along_axis(cases, states, axis=-1))

    def seen_by(self, rows: Rows, mask: Sets | None) -> NDArray[np.bool_]:
        """Return which states of keys some states see, ``(n, R, N, m)``: at their own position themselves."""
        places = np.arange(self.meant.shape[1])
        away = (places != rows.place[..., None])[..., None]
        states = self.rows.state.reshape(self.meant.shape)
        itself = ~away & (states[:, None] == rows.state[..., None, None])
        seen = (self.meant[:, None] & away) | itself
        return np.asarray(seen if mask is None else seen & mask[rows.place][..., None])


def _averages(weights: Weights, values: Box, shape: tuple[int, int]) -> Box:
    """Averages of values ``(n, N, m, width)``; what is nearly one number everywhere is averaged to it."""
    found = []
    for k in range(values.shape[-1]):
        low, high = float(values.low[..., k].min()), float(values.high[..., k].max())
        if high - low <= SAME * max(-low, high, SAME):
            found.append(of_ends(np.full(shape, low), np.full(shape, high)))
        else:
            found.append(weights.averages(values[..., k]))
    return Box(np.stack([b.mid for b in found], axis=-1), np.stack([b.rad for b in found], axis=-1))


def _normed(v: Box, block: Norm) -> Box:
    r"""A norm of intervals: no entry is above :math:`\sqrt k`, the length of the whole."""
    found, most = normed(v, block.eps, block.centred), float(np.nextafter(np.sqrt(v.shape[-1]), np.inf))
    return of_ends(np.clip(found.low, -most, most), np.clip(found.high, -most, most))


def _moderate(block: Block, box: Box) -> Box:
    if not (box.size < LARGEST).all():
        raise DomainError(
            f"the block {block.out!r} beyond doubles", required=f"fields below {LARGEST:g}",
            why="what a prompt may write there is computed", advice="smaller weights",
        )  # fmt: skip
    return box


def _of(block: Block) -> Map:
    assert isinstance(block, Activation | Norm)
    return block.of


def layers_error(
    network: Network, prompts: Prompts, u: Any, *, hops: int = 1, progress: Progress | None = None
) -> TailBound:
    r"""Return a proved bound of the label error over all prompts, and the worst prompt found.

    Parameters
    ----------
    network : with fields among ``x``, ``slot1`` … ``slotq`` (and the place), one or more attentions, blocks that act on
        each position, and an output of width 1.
    prompts : tokens of signs, any indices.
    u : the direction of the labels, ``(d,)``.
    hops : how often an index is followed: 1 for :math:`x_{t_i}`, 2 for :math:`x_{t_{t_i}}`.
    progress : called with the work done and the most that is done.

    Raises
    ------
    DomainError : a network, a class of prompts or a direction of another form; the block is named.
    BudgetError : states that are too many.
    """
    u = direction(u, prompts)
    expected(network, prompts)
    if hops < 1:
        raise DomainError(f"hops = {hops}", required="1 or more", why="an index is followed at least once")
    if prompts.tokens != "signs":
        raise DomainError(
            f"tokens in a {prompts.tokens} and several layers", required="signs", why="states are enumerated",
            advice='tokens="signs", or a network of one layer',
        )  # fmt: skip
    queries = list(range(network.N)) if network.at is None else [network.at]
    _affordable(network, prompts, len(queries))
    layers = _layers(network, prompts, u, hops)
    grain = float(layers.labels.size.max()) * prompts.q
    return largest(layers, queries, Errors(network, prompts, u, hops), progress, grain)


def _affordable(network: Network, prompts: Prompts, queries: int) -> None:
    p = prompts
    S = 2.0**p.d * float(p.N) ** p.q
    cost = queries * S * (p.N * S) ** 2
    if cost > FIRST:
        raise BudgetError(
            f"{S:.3g} states at each of {p.N} positions, of which {queries} {'is' if queries == 1 else 'are'} asked",
            required=f"at most {FIRST:.2g} scores of the first cases (here {cost:.2g})",
            why="each state of a query is held, and each state of a position scores each of the others",
            advice="fewer positions, or a network that is asked at one position",
        )  # fmt: skip


def _layers(network: Network, prompts: Prompts, u: Array, hops: int) -> Layers:
    tokens, tuples = prompts.states()
    own = fields_of(prompts, tokens, tuples)
    network = _without_zeros(_read_at_once(_without_zeros(network)))
    blocks: list[Block] = []
    for block in network.blocks:
        maps = [block.left, block.right] if isinstance(block, Product) else [getattr(block, "of", None)]
        if not isinstance(block, Attention) and all(set(of.parts) <= set(own) for of in maps if of is not None):
            own[block.out] = _moderate(block, enclosed(block, own, len(own[ONE].mid)))
        else:
            blocks.append(block)
    if not any(isinstance(block, Attention) for block in blocks):
        raise DomainError("a network without attention", required="one or more", why="positions meet there")
    root = float(np.sqrt(prompts.q))
    share = Box(np.array([[1 / root]]), np.array([[4 * UNIT / root]]))
    labels = times(times(exact(tokens), exact(u[:, None])), share)[:, 0]
    return Layers(prompts, tokens, tuples, own, tuple(blocks), network.output, labels, hops)


def _without_zeros(network: Network) -> Network:
    """The same network without terms whose weights are all zero, or what products of zeros are enclosed by.

    With fields below :data:`LARGEST` they are less than :data:`LEFT_OUT` in a score or a map.
    """

    def kept(parts: Mapping[Any, Box]) -> dict[Any, Box]:
        return {name: part for name, part in parts.items() if part.size.max(initial=0.0) > NOTHING}

    blocks: list[Block] = []
    for block in network.blocks:
        if isinstance(block, Attention):
            heads = (Head(kept(h.scores), Map(kept(h.value.parts), h.value.shift)) for h in block.heads)
            blocks.append(replace(block, heads=tuple(heads)))
        elif isinstance(block, Activation | Norm):
            blocks.append(replace(block, of=Map(kept(block.of.parts), block.of.shift)))
        else:
            blocks.append(block)
    output = Map(kept(network.output.parts), network.output.shift)
    return replace(network, blocks=tuple(blocks), output=output)


def _read_at_once(network: Network) -> Network:
    """The same network, in which the last attention averages what is read of its values, where that is all."""
    last = network.blocks[-1]
    if not isinstance(last, Attention) or last.out not in network.output.parts:
        return network
    part, heads, at = network.output.parts[last.out], [], 0
    for head in last.heads:
        read = part[:, at : at + head.value.width]
        shift = times(read, head.value.shift.reshape(-1, 1))[:, 0]
        heads.append(replace(head, value=Map({f: times(read, p) for f, p in head.value.parts.items()}, shift)))
        at += head.value.width
    parts = {**network.output.parts, last.out: exact(np.ones((1, len(heads))))}
    blocks = (*network.blocks[:-1], replace(last, heads=tuple(heads)))
    return replace(network, blocks=blocks, output=Map(parts, network.output.shift))
