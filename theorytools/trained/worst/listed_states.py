r"""The states that a pass may be in after some positions, one for each way to fill them, and their tree.

``S`` states of a position give :math:`S^k` prefixes of ``k`` positions.  As long as these are few enough each is
followed by itself; the tree over them holds hulls of states together with the prefix's own labels :math:`\langle
u,x_j\rangle`, so that a node bounds the label error of all prefixes in it.  Prefixes are cut apart by their labels
first.  Prefixes that lead to one state with one list of labels share a leaf.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from theorytools.numbers.boxes import Array, Box, joined
from theorytools.trained.worst.prompts import Indices
from theorytools.trained.worst.recurrences import Pass
from theorytools.trained.worst.state_trees import Tree

ROWS = 2**14  # states that are stepped together
LABELS = 2.0**10  # how much more a difference of labels counts than one of states, when nodes are cut


@dataclass(frozen=True, eq=False)
class Choices:
    """The states of one position in a tree, and hulls of what is known of them.

    Attributes
    ----------
    tree : over the ``S`` states.
    labels : of each node the hull of :math:`q^{-1/2}<u, x>`, shape ``(nodes,)``.
    known : of each map's table the hulls, ``(N, nodes, width)``.
    leaves : the node of each state.
    """

    tree: Tree
    labels: Box
    known: dict[str, Box]
    leaves: Indices

    @classmethod
    def of(cls, tokens: Array, tuples: Indices, labels: Box, tables: dict[str, Box]) -> Choices:
        """Return the tree of all states, cut apart by their tokens first."""
        tree = Tree.of(np.hstack([LABELS * tokens / np.abs(tokens).max(), tuples]))
        known = {}
        for name, table in tables.items():
            hulls = tree.hulls(Box(table.mid.swapaxes(0, 1), table.rad.swapaxes(0, 1)))
            known[name] = Box(hulls.mid.swapaxes(0, 1), hulls.rad.swapaxes(0, 1))
        leaves = np.empty(len(tokens), dtype=np.int64)
        leaves[tree.first[tree.leaf]] = np.flatnonzero(tree.leaf)
        return cls(tree, tree.hulls(labels), known, leaves)

    def at(self, place: int, nodes: Indices) -> dict[str, Box]:
        """Return what is known at a place of states in these nodes."""
        return {name: hulls[place, nodes] for name, hulls in self.known.items()}


@dataclass(frozen=True, eq=False)
class Listed:
    """What a pass may have come to after the positions that it began with.

    Attributes
    ----------
    places : these positions, in the order of the pass.
    tree : over the ways to fill them.
    state, labels : of each node the hulls of states, ``(nodes, size)``, and of labels at the places.
    filled : of each way the states of the positions, ``(ways, places)``.
    """

    places: Indices
    tree: Tree
    state: Box
    labels: Box
    filled: Indices

    @classmethod
    def of(cls, places: Indices, state: Box, filled: Indices, labels: Box) -> Listed:
        """Return states ``(ways, size)`` in a tree."""
        said = labels[filled]
        tree = Tree.of(
            np.hstack([LABELS * said.mid, state.mid, np.zeros((len(filled), 1))])
        )  # a point has a coordinate
        return cls(places, tree, tree.hulls(state), tree.hulls(said), filled)


def listed(
    one: Pass, places: Indices, choices: Choices, labels: Box, most: int, wanted: Collection[int]
) -> dict[int, Listed]:
    """Return what a pass may have come to after some of the first positions, by their number.

    Parameters
    ----------
    one : the pass.
    places : the positions in its order.
    choices, labels : the states of a position; their labels.
    most : numbers that may be kept of one position.
    wanted : numbers of positions; for those that are too many, the largest number that is not.
    """
    S, k, found = len(choices.leaves), 0, {}
    state, filled = one.start(1), np.zeros((1, 0), dtype=np.int64)
    while True:
        going = k < max(wanted) and one.size > 0 and len(filled) * S * (one.size + k + 1) <= most
        if k in wanted or not going:
            found[k] = Listed.of(places[:k], state, filled, labels)
        if not going:
            return found
        ways, last = (x.ravel() for x in np.indices((len(filled), S)))
        parts = []
        for start in range(0, len(ways), ROWS):
            rows = slice(start, start + ROWS)
            known = choices.at(int(places[k]), choices.leaves[last[rows]])
            parts.append(one.step(state[ways[rows]], known)[0])
        state, filled, k = joined(parts), np.hstack([filled[ways], last[:, None]]), k + 1
