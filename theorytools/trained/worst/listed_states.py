r"""The states that a pass may be in after some positions, one for each way to fill them, and their tree.

``S`` states of a position give :math:`S^k` prefixes of ``k`` positions.  As long as these are few enough each is
followed by itself; the tree over them holds hulls of states together with the prefix's own labels :math:`\langle
u,x_j\rangle`, so that a node bounds the label error of all prefixes in it.  Prefixes are cut apart by their labels
first.  Prefixes that lead to one state with one list of labels share a leaf.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
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


def prefixes(one: Pass, places: Indices, choices: Choices, most: int) -> Iterator[tuple[Box, Indices]]:
    """Go through what a pass may have come to after none of some positions, the first of them, and so on.

    Parameters
    ----------
    one : the pass.
    places : the positions in its order.
    choices : the states of a position.
    most : numbers that may be kept of one position: longer prefixes are not listed.

    Yields
    ------
    tuple : states ``(ways, size)``, and how each way fills the positions, ``(ways, length)``.
    """
    S = len(choices.leaves)
    state, filled = one.start(1), np.zeros((1, 0), dtype=np.int64)
    yield state, filled
    for k, place in enumerate(places):
        if not one.size or len(filled) * S * (one.size + k + 1) > most:
            return
        ways, last = (x.ravel() for x in np.indices((len(filled), S)))
        parts = []
        for start in range(0, len(ways), ROWS):
            rows = slice(start, start + ROWS)
            parts.append(one.step(state[ways[rows]], choices.at(int(place), choices.leaves[last[rows]]))[0])
        state, filled = joined(parts), np.hstack([filled[ways], last[:, None]])
        yield state, filled


def prefix_trees(
    one: Pass, places: Indices, choices: Choices, labels: Box, most: int, wanted: Collection[int]
) -> dict[int, Listed]:
    """Return the trees of prefixes of wanted lengths, and of the longest that are listed, by their length."""
    found, longest = {}, max(wanted)
    for state, filled in prefixes(one, places[:longest], choices, most):
        length = filled.shape[1]
        last = state, filled
        if length in wanted:
            found[length] = Listed.of(places[:length], state, filled, labels)
    if length not in found:
        found[length] = Listed.of(places[:length], *last, labels)
    return found
