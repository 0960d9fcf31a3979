r"""A network of one attention as the states of its prompts: keys, values, and the blocks behind as affine steps.

A position's state is its token and its indices; what blocks before the attention write is enclosed once for each state.
Behind the attention every map is split into what is known of the query's state, a table, and its part on what the
attention and later blocks write.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorytools.blocks.network import ONE, PLACE, Activation, Attention, Block, Map, Network, Norm
from theorytools.numbers.boxes import Array, Box, exact, times
from theorytools.trained.worst.carried import Affine, Behind, Bend, Form, Normed, up
from theorytools.trained.worst.enclosed import affine, enclosed
from theorytools.trained.worst.expected import direction, expected, one_attention
from theorytools.trained.worst.held import Cases, Keys
from theorytools.trained.worst.prompts import Indices, Prompts
from theorytools.trained.worst.worst_prompt import Errors


@dataclass(frozen=True, eq=False)
class Layer:
    """A network as the states of its prompts, one attention and what is behind it.

    Attributes
    ----------
    prompts, errors : the class, and the label error in doubles.
    tokens, tuples : the states of a position, ``(S, d)`` and ``(S, q)``.
    keys, averages, steps, output : the attention, the field that it writes, the blocks behind it, the read-out.
    label : the share of the label of a token of each number.
    """

    prompts: Prompts
    errors: Errors
    tokens: Array
    tuples: Indices
    keys: Keys
    averages: str
    steps: tuple[Bend | Normed, ...]
    output: Affine
    label: Box

    @classmethod
    def of(cls, network: Network, prompts: Prompts, u: Any) -> Layer:
        """Return a network in this form, or say which block is in the way."""
        place, u = one_attention(network), direction(u, prompts)
        expected(network, prompts)
        tokens, tuples = prompts.states()
        fields = fields_of(prompts, tokens, tuples)
        for block in network.blocks[:place]:
            fields[block.out] = enclosed(block, fields, prompts.N * len(tokens))
        attention = network.blocks[place]
        assert isinstance(attention, Attention)
        keys = Keys(
            prompts.N, len(tokens), fields, tuple(dict(head.scores) for head in attention.heads),
            tuple(affine(head.value, fields, prompts.N * len(tokens)) for head in attention.heads), attention.mask,
        )  # fmt: skip
        steps = tuple(step_behind(block, fields) for block in network.blocks[place + 1 :])
        label = times(exact(prompts.vertices), exact(u[:, None])) * share(prompts.q)
        return cls(
            prompts, Errors(network, prompts, u), tokens, tuples, keys, attention.out, steps,
            parted(network.output, fields), label[:, 0],
        )  # fmt: skip

    @property
    def queries(self) -> Indices:
        """The numbers of the queries' states."""
        S, at = len(self.tokens), self.errors.network.at
        return np.arange(self.prompts.N * S) if at is None else at * S + np.arange(S)

    @property
    def count(self) -> int:
        """How many cases the first round has, at most."""
        p = self.prompts
        return int(len(self.queries) * len(p.vertices) ** min(p.q, p.N - 1))

    @property
    def token(self) -> Indices:
        """The number of each state's token."""
        return np.arange(len(self.tokens)) // (len(self.tokens) // len(self.prompts.vertices))

    def cases(self, queries: Indices) -> Cases:
        """Return the cases of the first round: the tokens at the indexed positions are held too."""
        S, V, token = len(self.tokens), len(self.prompts.vertices), self.token
        query, at, allowed, label = [], [], [], []
        for number in queries:
            i, state = divmod(int(number), S)
            asked = [int(t) for t in self.tuples[state]]
            others = sorted({t for t in asked if t != i})
            own = np.arange(S) == state
            for values in itertools.product(range(V), repeat=len(others)):
                given = dict(zip(others, values, strict=True))
                query.append(number)
                at.append([i, *asked])
                allowed.append([own, *(own if t == i else token == given[t] for t in asked)])
                label.append([int(token[state]) if t == i else given[t] for t in asked])
        return Cases(np.array(query), np.array(at), np.array(allowed), np.array(label))

    def chosen(self, queries: Indices, asked: Indices) -> Cases:
        """Return the cases of queries whose one index names a position with a given token, by number."""
        S, token, label = len(self.tokens), self.token, []
        at, allowed = np.empty((len(queries), 2), dtype=np.int64), np.empty((len(queries), 2, S), dtype=np.bool_)
        for n, (number, y) in enumerate(zip(queries, asked, strict=True)):
            i, state = divmod(int(number), S)
            t, own = int(self.tuples[state, 0]), np.arange(S) == state
            at[n], allowed[n] = (i, t), (own, own if t == i else token == y)
            label.append([int(token[state]) if t == i else int(y)])
        return Cases(np.asarray(queries), at, allowed, np.array(label))

    def bounded(self, cases: Cases, rough: bool = False) -> tuple[Array, Array, Indices]:
        """Return upper bounds of the error ``(B,)``, and a prompt of each case; rough ones in less time."""
        behind = Behind(self.keys, cases, self.averages, self.steps, rough)
        form = behind.written(self.output).both()
        label = self.label[cases.label]
        low, high = (_summed(x, sign) for x, sign in ((label.low, -1), (label.high, 1)))
        form = Form(form.parts, up(form.above + np.stack([-low, high], 1)), form.below)
        found, states = behind.at_last(form)
        side = found.argmax(1)
        B = np.arange(len(cases))
        chosen = np.zeros((len(cases), self.prompts.N), dtype=np.int64) if states is None else states[0, B, side]
        return found[B, side], self.tokens[chosen], self.tuples[chosen]


def share(q: int) -> Box:
    r"""Return :math:`1/\sqrt q`, shape ``(1, 1)``."""
    root = float(np.sqrt(q))
    return Box(np.array([[1 / root]]), np.array([[4 * 2.0**-53 / root]]))


def _summed(ends: Array, sign: int) -> Array:
    """Sums along the last axis, rounded down or up."""
    n = ends.shape[-1]
    off = n * 2.0**-52 * np.abs(ends).sum(-1)
    return np.asarray(np.nextafter(ends.sum(-1) + sign * off, sign * np.inf))


def fields_of(prompts: Prompts, tokens: Array, tuples: Indices) -> dict[str, Box]:
    """Return the fields of all states of all positions, ``(N S, width)``, positions slowest."""
    N, S = prompts.N, len(tokens)
    fields = {"x": exact(np.tile(tokens, (N, 1))), PLACE: exact(np.repeat(np.eye(N), S, axis=0))}
    for s in range(prompts.q):
        fields[f"slot{s + 1}"] = exact(np.tile(np.eye(N)[tuples[:, s]], (N, 1)))
    return fields | {ONE: exact(np.ones((N * S, 1)))}


def _centring(k: int) -> Box:
    r"""The matrix :math:`I-\frac1k11^\top`."""
    return Box(np.eye(k) - 1 / k, np.full((k, k), 4 * 2.0**-53))


def parted(of: Map, fields: dict[str, Box], centre: Box | None = None) -> Affine:
    """Return a map split into what is known of every state and its part on what is written behind the attention."""
    parts = {name: part for name, part in of.parts.items() if name not in fields}
    rest = Map({name: part for name, part in of.parts.items() if name in fields}, of.shift)
    known = affine(rest, fields, fields[ONE].shape[0])
    if centre is not None:
        parts, known = {name: times(centre, part) for name, part in parts.items()}, times(known, centre)
    return Affine(parts, known)


def step_behind(block: Block, fields: dict[str, Box]) -> Bend | Normed:
    """Return a block behind the attention with its map split."""
    assert isinstance(block, Activation | Norm)
    if isinstance(block, Activation):
        return Bend(block.out, block.kind, parted(block.of, fields))
    return Normed(block.out, parted(block.of, fields, _centring(block.of.width) if block.centred else None), block.eps)
