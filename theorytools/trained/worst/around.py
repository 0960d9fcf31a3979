r"""A network of one attention whose tokens are in a box or a ball, and what blocks behind it return for cells.

What is behind the attention is carried backward to it as for signs (:mod:`.carried`): at last a functional is affine in
the averages, the query's token and the asked ones.  The average of a head is the asked key's value and what the other
keys move it by (:mod:`.rivals`): so a functional is affine in tokens in their cells, and a bound of the move is added.
What is averaged are tokens and words themselves: the maps of values are multiplied into what reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.blocks.network import ONE, PLACE, Activation, Attention, Map, Network, Norm
from theorytools.errors import BudgetError
from theorytools.numbers.boxes import TINY, UNIT, Array, Box, exact, joined, times
from theorytools.trained.worst.carried import FINE, Affine, Behind, Bend, Form, Normed, Scale, up
from theorytools.trained.worst.curves import Lines
from theorytools.trained.worst.expected import first_of_all
from theorytools.trained.worst.one_layer import parted, share, step_behind
from theorytools.trained.worst.prompts import Indices, Prompts
from theorytools.trained.worst.rivals import Cells, Rivals, chosen, corners, moved_at_most
from theorytools.trained.worst.worst_prompt import Errors

TABLES = 2**24  # numbers of the scores' tables


def asked(s: int) -> str:
    """Return the name of the token at the position that slot ``s``, from 0, names; no block has such a name."""
    return f"\0{s}"


@dataclass(frozen=True, eq=False)
class Judged:
    """What is found of cells.

    Attributes
    ----------
    bounds, axis : upper bounds of the error, and what to cut each along: a coordinate of its tokens, or, behind them,
        a position that is to hold its indices.
    far : tokens where the last functional is largest, ``(C, 1 + q, d)``.
    average : that functional on what is averaged, summed over heads, ``(C, width)``.
    """

    bounds: Array
    axis: Indices
    far: Array
    average: Array

    def __getitem__(self, rows: Any) -> Judged:
        return Judged(*(getattr(self, field.name)[rows] for field in fields(self)))

    @classmethod
    def joined(cls, some: Sequence[Judged]) -> Judged:
        """Return them one behind the other."""
        return cls(*(np.concatenate([getattr(one, field.name) for one in some]) for field in fields(cls)))


class Around(Behind):
    """The blocks behind one attention, for a batch of cells.

    Parameters
    ----------
    layer, cells : the network, and what is held of its prompts.

    Attributes
    ----------
    loose, free : about how much of the bound is owed to each coordinate, per width, ``(C, 1 + q, d)``, and to the
        indices of each position, ``(C, 1 + q)``; no bound rests on it.
    tokens, average : the last functionals of tokens, ``(C or 1, m, d)`` each, and of what is averaged.
    """

    def __init__(self, layer: Spacious, cells: Cells) -> None:
        self.layer, self.cells, self.steps, self.averages = layer, cells, layer.steps, layer.averages
        self.cases: Any = cells  # what is known is read by the queries' numbers
        self.odds = [head.odds(cells) for head in layer.heads]
        p = layer.prompts
        token, one = np.full(p.d, p.radius), np.ones(p.N * (1 + p.q))
        self.sizes = {layer.averages: np.tile(np.append(token, one), len(layer.heads))[None], "x": token[None]}
        self.sizes |= {asked(s): token[None] for s in range(p.q)}
        self.loose, self.free = np.zeros((len(cells), 1 + p.q, p.d)), np.zeros((len(cells), 1 + p.q))
        self._bound()

    def _ranges(self, step: Bend | Normed, index: int) -> tuple[Array, Array]:
        return self.range(self.written(step.of), index)

    def _unbent(self, form: Form, c: Array, of: Affine, bound: Lines) -> Form:
        self._widened(np.abs(c).sum(1) * (bound.above - bound.below), of)
        return super()._unbent(form, c, of, bound)

    def _unnormed(self, form: Form, c: Array, index: int, mirrored: bool, flat: bool) -> Form:
        bound = self.bounds[index]
        assert isinstance(bound, Scale)
        self._widened(np.abs(c).sum(1) * (bound.most - bound.least)[:, None], self.steps[index].of)
        return super()._unnormed(form, c, index, mirrored, flat)

    def _widened(self, width: Array, of: Affine) -> None:
        """Add what lines of these widths owe to each token and index."""
        p, size = self.layer.prompts, self.layer.width
        if "x" in of.parts:
            self.loose[:, 0] += width @ np.abs(of.parts["x"].mid)
        if self.averages in of.parts:
            for h, head in enumerate(self.layer.heads):
                part = of.parts[self.averages].mid[:, h * size : (h + 1) * size]
                self.loose[:, 1 + head.slot] += width @ np.abs(part[:, : p.d])
                self.free[:, 1 + head.slot] += width @ np.ptp(part[:, p.d + p.N :].reshape(-1, p.q, p.N), axis=-1).sum(
                    -1
                )

    def _at_attention(self, form: Form, near: float) -> tuple[Array, Indices | None]:
        p, total, taken = self.layer.prompts, np.zeros(form.above.shape), []
        for name in (self.averages, "x", *(asked(s) for s in range(p.q))):
            c: Array = np.zeros((1, len(form.above[0]), len(self.sizes[name][0])))
            if name in form.parts:
                form, c = self._taken(form, name)
            taken.append(c)
        average, *tokens = taken
        modulus: Any = sum(p.radius * np.abs(c).sum(-1) for c in tokens)
        parts = np.split(average, len(self.layer.heads), axis=-1)
        for h, part in enumerate(parts):
            found, more = self._of_head(h, part, near)
            total, modulus = total + found, modulus + more
            slot = 1 + self.layer.heads[h].slot
            tokens[slot] = tokens[slot] + part[..., : p.d]
        if (self.cells.twin != np.arange(1 + p.q)).any():
            whole = [np.broadcast_to(c, (len(total), *c.shape[1:])) for c in tokens]
            tokens = list(np.moveaxis(self.cells.gathered(np.stack(whole, axis=1)), 1, 0))
        for k, c in enumerate(tokens):
            total = total + self._within(c, k)
        self.tokens, self.average = tokens, np.asarray(sum(parts))
        n = len(parts) * (p.d + 4 * p.N + 2 * p.q + 8) + (1 + p.q) * (p.d + 4) + 32
        return up(up(form.above + total) + 16 * n * UNIT * modulus + TINY), None

    def _of_head(self, h: int, c: Array, near: float) -> tuple[Array, Array]:
        """What one head adds but for its asked token, in doubles, and a bound of the modulus of all terms."""
        head, (S, E), cells, p = self.layer.heads[h], self.odds[h], self.cells, self.layer.prompts
        at, place, *words = np.split(c, np.cumsum([p.d, *[p.N] * p.q]), axis=-1)
        reach = p.radius * (np.sqrt((at**2).sum(-1)) if p.tokens == "ball" else np.abs(at).sum(-1))
        G = reach[..., None] + place + sum(w.max(-1) for w in words)[..., None]
        tuples = head.tuples
        most = chosen(place, cells.query % len(tuples), tuples[:, head.slot], np.max)
        least = most - self._within(-at, 1 + head.slot)
        for b, w in enumerate(words):
            held = w, cells.at(1 + head.slot)[0], tuples[:, b]
            most, least = most + chosen(*held, np.max), least + chosen(*held, np.min)
        # three roundings of numbers of at most 1, each by 2^-53
        outside = (1 - 1 / (1 + S))[:, None] * (1 + 1e-15) + 1e-15
        if near == FINE:
            added = moved_at_most(G, least, S, E)
            weighed = (outside * np.maximum(G.max(-1) - least, 0.0)).max(1)[:, None]
            self.loose[:, 1 + head.slot] += outside * np.abs(at).max(1) + weighed * head.reach[cells.query]
            wide = sum(np.ptp(w, axis=-1).max(1) for w in words)
            self.free[:, 1 + head.slot] += wide + weighed[:, 0] * head.wide[cells.query]
        else:
            added = outside * np.maximum(G.max(-1) - least, 0.0)
        found = most + np.where(head.blind[cells.query][:, None], G.max(-1) - least, added)
        return found, reach + np.abs(place).max(-1) + sum(np.abs(w).max(-1) for w in words)

    def _within(self, c: Array, k: int) -> Array:
        r"""The most of :math:`\langle c,x\rangle` over a token in its cell, in doubles."""
        p, (_, centre, half) = self.layer.prompts, self.cells.at(k)
        found = (c @ centre[..., None])[..., 0] + (np.abs(c) @ half[..., None])[..., 0]
        return np.minimum(found, p.radius * np.sqrt((c**2).sum(-1))) if p.tokens == "ball" else np.asarray(found)


@dataclass(frozen=True, eq=False)
class Spacious:
    """A network of one attention whose tokens are in a box or a ball.

    Attributes
    ----------
    prompts, errors : the class, and the label error in doubles.
    groups : places of queries that are bounded together, of one size each.
    heads : the scores.
    averages, steps, output : the field that the attention writes, of which the averages of token, place and indices
        are read, head by head; the blocks behind it; the read-out.
    label : minus what a token of an asked position adds to the label, ``(1, d)``.
    """

    prompts: Prompts
    errors: Errors
    groups: tuple[tuple[int, ...], ...]
    heads: tuple[Rivals, ...]
    averages: str
    steps: tuple[Bend | Normed, ...]
    output: Affine
    label: Box

    @classmethod
    def of(cls, network: Network, prompts: Prompts, u: Array, place: int) -> Spacious:
        """Return a network in this form, or say which block is in the way."""
        first_of_all(network, place)
        attention, behind, p = network.blocks[place], network.blocks[place + 1 :], prompts
        assert isinstance(attention, Attention)
        places = tuple(range(p.N)) if network.at is None else (network.at,)
        maps = [network.output, *(block.of for block in behind if isinstance(block, Activation | Norm))]
        alike = attention.mask is None and not any(PLACE in of.parts for of in maps)
        groups = (places,) if alike else tuple((i,) for i in places)
        _fits(p, len(places) * len(attention.heads))
        heads = tuple(Rivals.of(head, _slot(head.scores, p), p, groups, attention.mask) for head in attention.heads)
        tuples = p.tuples
        held = {PLACE: exact(np.repeat(np.eye(p.N)[[group[0] for group in groups]], len(tuples), axis=0))}
        held |= {name: exact(np.tile(np.eye(p.N)[tuples[:, s]], (len(groups), 1))) for s, name in enumerate(p.slots)}
        held[ONE] = exact(np.ones((len(groups) * len(tuples), 1)))
        values = [_columns(head.value, p) for head in attention.heads]
        steps = [step_behind(block, held) for block in behind]
        label = exact(-u[None]) * share(p.q)
        return cls(
            p, Errors(network, p, u), groups, heads, attention.out,
            tuple(replace(step, of=_read(step.of, attention.out, values)) for step in steps),
            _read(parted(network.output, held), attention.out, values), label,
        )  # fmt: skip

    @property
    def tuples(self) -> Indices:
        """All tuples of indices."""
        return self.heads[0].tuples

    @property
    def width(self) -> int:
        """How many numbers one head averages."""
        return self.prompts.d + self.prompts.N * (1 + self.prompts.q)

    @property
    def price(self) -> int:
        """About how many numbers one cell takes."""
        units = 2 * sum(step.of.known.shape[1] for step in self.steps) + 2
        terms = self.prompts.d + 4 if len(self.steps) == 1 else self.width
        rivals = sum(4 * head.base.shape[1] * (self.prompts.d + 8) for head in self.heads)
        return int(rivals + 8 * units * len(self.heads) * terms)

    def roots(self) -> Cells:
        """Return one cell for each query: all tokens, any indices at the asked positions."""
        p, n, tuples = self.prompts, len(self.groups) * len(self.tuples), self.tuples
        index = np.full((n, 1 + p.q), -1)
        index[:, 0] = np.arange(n) % len(tuples)
        held = np.concatenate([np.full((n, 1), -1), np.tile(tuples, (len(self.groups), 1))], axis=1)
        if len(self.groups[0]) == 1:
            held[:, 0] = np.repeat([group[0] for group in self.groups], len(tuples))
        twin = (held[:, :, None] == held[:, None]).argmax(-1)
        centre = np.zeros((n, 1 + p.q, p.d))
        return Cells(np.arange(n), index, centre, np.full_like(centre, p.radius), twin)

    def points(self, cells: Cells, found: Judged) -> Cells:
        """Return one prompt's tokens and indices at the asked positions for each cell, where it may be largest."""
        p = self.prompts
        digits = found.average[:, p.d + p.N :].reshape(-1, p.q, p.N).argmax(-1)
        number = np.ravel_multi_index(tuple(digits.T), (p.N,) * p.q)[:, None]
        index = np.where(cells.index < 0, number, cells.index)
        return replace(cells, index=index, centre=found.far, half=np.zeros_like(found.far))

    def meets(self, cells: Cells) -> NDArray[np.bool_]:
        """Return whether cells hold tokens of the class, as far as doubles tell."""
        if self.prompts.tokens == "box":
            return np.ones(len(cells), dtype=np.bool_)
        nearest = np.maximum(np.abs(cells.centre) - cells.half, 0.0)
        return np.asarray((np.sqrt((nearest**2).sum(-1)) <= self.prompts.radius * (1 + 1e-9)).all(1))

    def bounded(self, cells: Cells) -> Judged:
        """Return upper bounds of the error on cells, and how to go on."""
        around = Around(self, cells)
        form = around.written(self.output)
        labels = {asked(s): self.label[None] for s in range(self.prompts.q)}
        form = Form({**form.parts, **labels}, form.above, form.below).both()
        found, _ = around.at_last(form)
        side, rows = found.argmax(1), np.arange(len(cells))
        last = [np.broadcast_to(c, (len(cells), *c.shape[1:]))[rows, side] for c in (*around.tokens, around.average)]
        far = self.prompts.inside(cells.centre + np.sign(np.stack(last[:-1], axis=1)) * cells.half)
        return Judged(found[rows, side], self._axis(cells, around), far, last[-1])

    def _axis(self, cells: Cells, around: Around) -> Indices:
        """What most of the bound is owed to."""
        reads = [any("x" in step.of.parts for step in self.steps), *[True] * self.prompts.q]
        least = 1e-9 * around.loose.max((1, 2))[:, None, None] + 1e-30
        loose = cells.gathered(around.loose + least * np.array(reads)[:, None])
        free = cells.gathered(around.free) * (cells.index < 0)
        owed = np.concatenate([(loose * cells.half).reshape(len(cells), -1), free], axis=1)
        return np.asarray(owed.argmax(1))

    def prompts_at(self, cells: Cells, average: Array) -> tuple[Array, Indices]:
        """Return a prompt with the tokens in the middle of each cell, and others where what is averaged is largest."""
        p, tuples = self.prompts, self.tuples
        at, _, *words = np.split(average, np.cumsum([p.d, *[p.N] * p.q]), axis=-1)
        rivals = p.inside(p.radius * (np.sign(at) if p.tokens == "box" else at * 1e6))
        X = np.repeat(rivals[:, None], p.N, axis=1)
        T = np.repeat(np.stack([w.argmax(-1) for w in words], axis=-1)[:, None], p.N, axis=1)
        for n in range(len(cells)):
            group, number = divmod(int(cells.query[n]), len(tuples))
            free = [i for i in self.groups[group] if i not in tuples[number]] or self.groups[group]
            i = free[n % len(free)]
            for k, t in enumerate([i, *tuples[number]]):
                X[n, t] = cells.centre[n, cells.twin[n, k]]
                T[n, t] = tuples[number if t == i else cells.index[n, cells.twin[n, k]]]
        return X, T


def _fits(p: Prompts, rows: int) -> None:
    points = corners(p)
    count = rows * p.N**p.q * (1 if points is None else len(points)) * p.N * (1 + p.q)
    if count > TABLES:
        raise BudgetError(
            f"tables of {count:.1e} scores for N = {p.N}, q = {p.q}, d = {p.d}", required=f"at most {TABLES:.1e}",
            why="each query is held with its indices", advice="fewer positions, or one that is asked",
        )  # fmt: skip


def _slot(scores: Any, p: Prompts) -> int:
    """The slot, from 0, whose position a head's scores single out; a guess that no bound rests on."""
    found = []
    for name in p.slots:
        G = scores[name, PLACE].mid if (name, PLACE) in scores else np.zeros((p.N, p.N))
        found.append(float(np.mean(np.diag(G) - G.mean(axis=1))))
    return int(np.argmax(found))


def _columns(value: Map, p: Prompts) -> Box:
    """The matrix of a head's values on token, place and indices, the shift at the places."""
    made = {name: exact(np.zeros((value.width, width))) for name, width in p.widths.items()} | dict(value.parts)
    shift = value.shift.reshape(-1, 1)
    shift = shift + made[ONE] if ONE in made else shift
    return joined([made["x"], made[PLACE] + shift, *(made[name] for name in p.slots)], 1)


def _read(of: Affine, averages: str, values: Sequence[Box]) -> Affine:
    """A map of the heads' averages as one of what they average."""
    if averages not in of.parts:
        return of
    ends = np.cumsum([len(V.mid) for V in values])
    parts = [times(of.parts[averages][:, end - len(V.mid) : end], V) for V, end in zip(values, ends, strict=True)]
    return Affine({**of.parts, averages: joined(parts, 1)}, of.known)
