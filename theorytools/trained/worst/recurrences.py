r"""A network with recurrent layers as what its passes over a prompt carry: states before, at and behind a position.

A forward layer's state after position ``j`` hangs on the positions up to ``j``, a reverse one's on those from ``j`` on.
So what is returned at position ``i`` is a function of the forward state before ``i``, the backward state behind it and
``i``'s own token and indices, and these three are free of each other.  Stacked layers of one direction are one pass,
whose state is all of theirs.

Of each map the part on token, indices and place is a table over the states of a position, the rest reads what was
written before it.  States are intervals (:class:`~theorytools.trained.recurrent.Boxes`); an interval of any width
holds all states of all prompts whose earlier states it holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from theorytools.blocks.network import (
    Activation,
    Attention,
    Block,
    Flatten,
    Map,
    Network,
    Norm,
    Product,
    Recur,
)
from theorytools.errors import DomainError
from theorytools.numbers.boxes import Box, exact, joined, times
from theorytools.trained.recurrent import GATES, Boxes, TrainedCell, bounded
from theorytools.trained.worst.enclosed import activated, affine, normed
from theorytools.trained.worst.one_layer import fields_of
from theorytools.trained.worst.prompts import Prompts

OUTPUT, RIGHT = "the output", " of the right factor"  # names of tables: fields have no spaces
Fields = Mapping[str, Box]


@dataclass(frozen=True, eq=False)
class Pass:
    """The recurrent layers of one direction, and what stands between them.

    Attributes
    ----------
    blocks : in their order, the last a recurrent layer; none where nothing goes this way.
    own : the type of a module whose own floats the intervals hold, too, where each layer is given numbers of that type
        as they are; empty for the real numbers that the weights define.
    """

    blocks: tuple[Block, ...]
    own: str = ""

    @property
    def cells(self) -> dict[str, TrainedCell]:
        """The recurrent layers by the field that they write."""
        return {block.out: cell_of(block, self.own) for block in self.blocks if isinstance(block, Recur)}

    @property
    def size(self) -> int:
        """How many numbers its state has."""
        return sum(cell.size for cell in self.cells.values())

    def start(self, n: int) -> Box:
        """Return ``n`` states before any token."""
        return exact(np.zeros((n, self.size)))

    def step(self, state: Box, known: Fields) -> tuple[Box, dict[str, Box]]:
        """Return states ``(n, size)`` after one more position, and the fields written there.

        Parameters
        ----------
        state : before it.
        known : of each block's map the part on the position's own state, ``(n, width)``.

        Raises
        ------
        DomainError : states beyond what doubles hold.
        """
        held: dict[str, Box] = {}
        new, at = [], 0
        for block in self.blocks:
            if not isinstance(block, Recur):
                held[block.out] = written(block, known, held)
                continue
            cell, entering = cell_of(block, self.own), completed(block.of, known[block.out], held)
            one = Boxes(cell, bool(self.own)).step(state[:, at : at + cell.size], entering, np.zeros(0))
            if not bounded(one):
                raise DomainError(
                    f"states of {block.out!r} beyond doubles", required="states below 1e150",
                    why="a plain recurrence may grow with every token", advice="fewer positions, or smaller weights",
                )  # fmt: skip
            held[block.out] = one[:, : cell.width]
            new.append(one)
            at += cell.size
        return joined(new, axis=1), held


def cell_of(block: Recur, dtype: str = "") -> TrainedCell:
    """Return a recurrent layer as the cell that intervals are carried through."""
    w = block.weights
    bias = w["bias_ih"], w["bias_hh"]
    return TrainedCell(
        block.kind, w["weight_ih"], w["weight_hh"], bias, None, block.of.width, 0, None, dtype or "float64"
    )


def completed(of: Map, known: Box, held: Fields) -> Box:
    """Return a map from its part on the position's own state and the fields written so far."""
    for name, part in of.parts.items():
        if name in held:
            known = known + times(held[name], part.T)
    return known


def written(block: Block, known: Fields, held: Fields) -> Box:
    """Return what a block writes that acts on each position by itself."""
    if isinstance(block, Product):
        right = completed(block.right, known[block.out + RIGHT], held)
        return completed(block.left, known[block.out], held) * right
    assert isinstance(block, Activation | Norm)
    v = completed(block.of, known[block.out], held)
    return activated(block.kind, v) if isinstance(block, Activation) else normed(v, block.eps, block.centred)


@dataclass(frozen=True, eq=False)
class Passes:
    """A network whose positions meet in recurrent layers only.

    Attributes
    ----------
    forward, backward : the two passes.
    behind : what reads their states at a position.
    output : what is returned.
    tables : of each map the part on token, indices and place, by the field that is written, ``(N, states, width)``.
    """

    forward: Pass
    backward: Pass
    behind: tuple[Block, ...]
    output: Map
    tables: dict[str, Box]

    @classmethod
    def of(cls, network: Network, prompts: Prompts) -> Passes:
        """Return a network in this form.

        Raises
        ------
        DomainError : a block in which positions meet otherwise, or a recurrent layer that reads both directions.
        """
        tokens, tuples = prompts.states()
        N, S = prompts.N, len(tokens)
        sorting = _Sorting()
        fields = fields_of(prompts, tokens, tuples)
        tables: dict[str, Box] = {}
        for block in network.blocks:
            for name, of in _maps(block).items():
                tables[name] = affine(Map({f: p for f, p in of.parts.items() if f in fields}, of.shift), fields, N * S)
            if sorting.add(block) == "own":
                fields[block.out] = written(block, tables, {})
        known = Map({f: p for f, p in network.output.parts.items() if f in fields}, network.output.shift)
        tables[OUTPUT] = affine(known, fields, N * S)
        passes, behind = sorting.parted()
        return cls(*passes, behind, network.output, {k: t.reshape(N, S, t.shape[1]) for k, t in tables.items()})

    def returned(self, known: Fields, held: dict[str, Box]) -> Box:
        """Return the outputs ``(n, width)`` where fields of the passes are held."""
        for block in self.behind:
            held = held | {block.out: written(block, known, held)}
        return completed(self.output, known[OUTPUT], held)


def _maps(block: Block) -> dict[str, Map]:
    if isinstance(block, Product):
        return {block.out: block.left, block.out + RIGHT: block.right}
    if isinstance(block, Attention | Flatten):
        raise DomainError(
            f"the block {block.out!r}, {type(block).__name__}, beside recurrent layers", required="blocks that act on "
            "each position, and recurrent layers", why="the states before and behind a position then decide all",
            advice="a network without this block",
        )  # fmt: skip
    return {block.out: block.of}


@dataclass
class _Sorting:
    """Which way each field comes: from the position's own state, by one pass or by both."""

    way: dict[str, frozenset[str]] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)

    def add(self, block: Block) -> str:
        """Take one more block, and say which way what it writes comes."""
        maps = _maps(block).values()
        way = frozenset[str]().union(*(self.way.get(name, frozenset()) for of in maps for name in of.parts))
        if isinstance(block, Recur):
            own = frozenset(["backward" if block.reverse else "forward"])
            if way - own:
                raise DomainError(
                    f"the recurrent layer {block.out!r} behind one of the other direction",
                    required="layers that read those of their own direction only",
                    why="its states would hang on all positions at once",
                    advice="one bidirectional layer, or stacked layers of one direction",
                )  # fmt: skip
            way = own
            _weights(block)
        self.way[block.out] = way
        if way:
            self.blocks.append(block)
        return "own" if not way else "both" if len(way) > 1 else next(iter(way))

    def parted(self) -> tuple[tuple[Pass, Pass], tuple[Block, ...]]:
        """Return the passes, each up to its last recurrent layer, and the blocks behind them."""
        passes = []
        for name in ("forward", "backward"):
            mine = [block for block in self.blocks if self.way[block.out] == {name}]
            last = max((k + 1 for k, block in enumerate(mine) if isinstance(block, Recur)), default=0)
            passes.append(Pass(tuple(mine[:last])))
        taken = {block.out for one in passes for block in one.blocks}
        return (passes[0], passes[1]), tuple(block for block in self.blocks if block.out not in taken)


def _weights(block: Recur) -> None:
    shapes = {name: np.shape(block.weights[name]) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
    rows, width = GATES[block.kind], shapes["weight_hh"][-1]
    wanted = [(rows * width, block.of.width), (rows * width, width), (rows * width,), (rows * width,)]
    if list(shapes.values()) != wanted or not all(np.isfinite(w).all() for w in block.weights.values()):
        raise DomainError(
            f"weights of {block.out!r} of shapes {', '.join(map(str, shapes.values()))}",
            required=f"finite weights of shapes {', '.join(map(str, wanted))}",
            why=f"a cell of kind {block.kind} stacks {rows} gates and reads {block.of.width} numbers",
        )  # fmt: skip
