r"""The largest label error of a recurrent network over all prompts of a class.

.. math:: \sup_{X,T,i}\Bigl|f_i(X,T)-\frac1{\sqrt q}\sum_{s=1}^q\langle u,x_{t_{is}}\rangle\Bigr|,

tokens signs :math:`\pm r`, indices any, ``f`` returned at every position or at one.  A network of one direction knows
nothing of the positions that it has not read: there it is off by the whole label; a bidirectional one, or one that is
asked at its last position, reads all.

A case is a set of prompts: at the query's position one token and its indices, in front of it a set of states that the
forward pass may be in (:mod:`.listed_states`), and where the positions are too many for a list, sets of tokens and
indices for the rest; the same behind it.  Its bound is the recurrence on intervals.  Cases whose bounds are above the
largest error found are cut in two, down to single prompts: if the work suffices, the bound is what a prompt attains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.blocks.network import Network, Recur
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers.boxes import UNIT, Array, Box, exact, times
from theorytools.trained.worst.cutting import BATCH, Progress, largest
from theorytools.trained.worst.expected import direction, expected
from theorytools.trained.worst.listed_states import Choices, Listed, prefix_trees
from theorytools.trained.worst.prompts import Indices, Prompts
from theorytools.trained.worst.recurrences import Passes
from theorytools.trained.worst.tail import TailBound
from theorytools.trained.worst.worst_prompt import Errors

FIRST = 2**26  # those that the first cases may take
LISTED = 2**23  # numbers of states that are kept of one position
TABLE = 2**25  # numbers that tell all states of all positions


@dataclass(frozen=True, eq=False)
class Query:
    """One position that is asked, and what a case of it is made of.

    Attributes
    ----------
    at : the position.
    lists : what the passes may have come to, in front of it and behind it.
    rest : the positions between those of the lists and the query, in the order of each pass.
    """

    at: int
    lists: tuple[Listed, Listed]
    rest: tuple[Indices, Indices]

    @property
    def parts(self) -> int:
        """How many sets a case names: of both lists, of the query's state, and of each position between."""
        return 3 + len(self.rest[0]) + len(self.rest[1])

    @property
    def slots(self) -> tuple[slice, slice]:
        """Where a case names the positions between."""
        middle = 3 + len(self.rest[0])
        return slice(3, middle), slice(middle, self.parts)


@dataclass(frozen=True, eq=False)
class Cases:
    """A network, its prompts, and bounds of sets of them, which name a node of a tree for each part.

    Attributes
    ----------
    passes, prompts : the network and the class.
    choices : the states of a position.
    tuples : the indices of each, ``(S, q)``.
    tokens : the token of each, ``(S, d)``.
    reach : no label's share is beyond it.
    """

    passes: Passes
    prompts: Prompts
    choices: Choices
    tokens: Array
    tuples: Indices
    reach: float

    def bounds(self, query: Query, cases: Indices) -> Array:
        """Return upper bounds of the error of cases ``(n, parts)``."""
        found = [self._bounds(query, cases[k : k + BATCH]) for k in range(0, len(cases), BATCH)]
        return np.concatenate([np.zeros(0), *found])

    def _bounds(self, query: Query, cases: Indices) -> Array:
        held: dict[str, Box] = {}
        labels = self._unread(len(cases))
        own = self.choices.at(query.at, cases[:, 2])
        for k, one in enumerate((self.passes.forward, self.passes.backward)):
            if not one.size:
                continue
            there, rest = query.lists[k], query.rest[k]
            labels[0][:, there.places], labels[1][:, there.places] = _ends(there.labels[cases[:, k]])
            state = there.state[cases[:, k]]
            for place, nodes in zip(rest, cases[:, query.slots[k]].T, strict=True):
                labels[0][:, place], labels[1][:, place] = _ends(self.choices.labels[nodes])
                state = one.step(state, self.choices.at(int(place), nodes))[0]
            held |= one.step(state, own)[1]
        labels[0][:, query.at], labels[1][:, query.at] = _ends(self.choices.labels[cases[:, 2]])
        out = self.passes.returned(own, held)[:, 0]
        asked = self.tuples[self.choices.tree.first[cases[:, 2]]]
        low, high = (np.take_along_axis(ends, asked, axis=1) for ends in labels)
        off = (asked.shape[1] + 2) * UNIT * np.maximum(np.abs(low), np.abs(high)).sum(1)
        above = np.maximum(out.high - low.sum(1), high.sum(1) - out.low)
        # each sum is off by a unit of the sum of moduli for each term, the difference by one of its own
        return np.asarray(np.nextafter(above + 2 * off + 4 * UNIT * np.abs(above), np.inf))

    def _unread(self, n: int) -> tuple[Array, Array]:
        return np.full((n, self.prompts.N), -self.reach), np.full((n, self.prompts.N), self.reach)

    def price(self, query: Query, cases: Indices) -> int:
        """How many numbers of states the bounds of cases take."""
        sizes = self.passes.forward.size, self.passes.backward.size
        return len(cases) * sum(size * (len(rest) + 1) for size, rest in zip(sizes, query.rest, strict=True))

    def first(self, query: Query) -> Indices:
        """Return the first cases: the query's state alone is held."""
        cases = np.zeros((len(self.tuples), query.parts), dtype=np.int64)
        cases[:, 2] = self.choices.leaves
        return cases

    def single(self, query: Query, cases: Indices) -> NDArray[np.bool_]:
        """Return which cases are not cut any more: single prompts, or such as lead to one state."""
        return np.asarray((self._widths(query, cases) < 0).all(axis=1))

    def halves(self, query: Query, cases: Indices) -> Indices:
        """Return cases cut in two, one behind the other, each at its widest part."""
        part, two = self._widths(query, cases).argmax(1), np.repeat(cases, 2, axis=0)
        for k in np.unique(part):
            tree = query.lists[k].tree if k < 2 else self.choices.tree
            nodes = cases[part == k, k]
            two[np.repeat(part == k, 2), k] = np.stack([tree.left[nodes], tree.right[nodes]], axis=1).ravel()
        return two

    def _widths(self, query: Query, cases: Indices) -> Array:
        """How wide each part of each case is, -1 where it cannot be cut."""
        found = []
        for part, nodes in enumerate(cases.T):
            if part < 2:
                there = query.lists[part]
                tree, sizes = there.tree, [there.labels.rad, there.state.rad]
            else:
                tree, sizes = self.choices.tree, [self.choices.labels.rad[:, None]]
                place = np.concatenate([[query.at], *query.rest])[part - 2]
                sizes += [hulls.rad[place] for hulls in self.choices.known.values()]
            found.append(np.where(tree.leaf[nodes], -1.0, sum(size[nodes].sum(1) for size in sizes)))
        return np.stack(found, axis=1)

    def prompts_of(self, query: Query, cases: Indices) -> tuple[Array, Indices]:
        """Return a prompt of each case, twice: what is not read is of either sign."""
        n, N = len(cases), self.prompts.N
        states = np.zeros((2, n, N), dtype=np.int64)
        states[1] = len(self.tokens) - 1
        for k in (0, 1):
            there = query.lists[k]
            states[:, :, there.places] = there.filled[there.tree.first[cases[:, k]]]
            if len(query.rest[k]):
                states[:, :, query.rest[k]] = self.choices.tree.first[cases[:, query.slots[k]]]
        states[:, :, query.at] = self.choices.tree.first[cases[:, 2]]
        both = states.reshape(2 * n, N)
        return self.tokens[both], self.tuples[both]


def _ends(box: Box) -> tuple[Array, Array]:
    return box.low, box.high


def recurrent_error(network: Network, prompts: Prompts, u: Any, *, progress: Progress | None = None) -> TailBound:
    """Return a proved bound of the label error over all prompts, and the worst prompt found.

    Parameters
    ----------
    network : with fields among ``x``, ``slot1`` … ``slotq`` (and the place), recurrent layers, blocks that act on each
        position, and an output of width 1.
    prompts : tokens of signs, any indices.
    u : the direction of the labels, ``(d,)``.
    progress : called with the work done and the most that is done.

    Raises
    ------
    DomainError : a network, a class of prompts or a direction of another form; the block is named.
    BudgetError : states of a position, or queries, that are too many to be held one by one.
    """
    u = direction(u, prompts)
    expected(network, prompts)
    if prompts.tokens != "signs":
        raise DomainError(
            f"tokens in a {prompts.tokens} and recurrent layers", required="signs",
            why="the states that a pass may be in are listed", advice='tokens="signs"',
        )  # fmt: skip
    _affordable(network, prompts)
    tokens, tuples = prompts.states()
    root = float(np.sqrt(prompts.q))
    share = Box(np.array([[1 / root]]), np.array([[4 * UNIT / root]]))
    labels = times(times(exact(tokens), exact(u[:, None])), share)[:, 0]
    passes = Passes.of(network, prompts)
    choices = Choices.of(tokens, tuples, labels, passes.tables)
    cases = Cases(passes, prompts, choices, tokens, tuples, float(labels.size.max()))
    errors = Errors(network, prompts, u)
    return largest(cases, _queries(network, passes, choices, labels, cases), errors, progress, cases.reach)


def _affordable(network: Network, prompts: Prompts) -> None:
    p = prompts
    states = 2.0**p.d * float(p.N) ** p.q
    size = sum(np.shape(block.weights["weight_hh"])[1] for block in network.blocks if isinstance(block, Recur))
    queries = p.N if network.at is None else 1
    table, first = states * p.N * (p.d + (p.q + 1) * p.N), states * queries * p.N * size
    if table > TABLE or first > FIRST:
        raise BudgetError(
            f"{states:.3g} states at each of {p.N} positions, of which {queries} "
            f"{'is' if queries == 1 else 'are'} asked, and {size} numbers that are carried",
            required=f"tables of at most {TABLE:.2g} numbers (here {table:.2g}), first cases of at most {FIRST:.2g} "
            f"({first:.2g})",
            why="each state of a query is held, and the recurrence goes over all positions for it",
            advice="fewer positions, or a network that is asked at one position",
        )  # fmt: skip


def _queries(network: Network, passes: Passes, choices: Choices, labels: Box, cases: Cases) -> list[Query]:
    """Return the positions that are asked, with what the passes may have come to before them."""
    N, found = cases.prompts.N, []
    asked = range(N) if network.at is None else [network.at]
    orders = [np.arange(N), np.arange(N)[::-1]]
    lists = [
        prefix_trees(one, order, choices, labels, LISTED, {int(np.flatnonzero(order == i)[0]) for i in asked})
        for one, order in zip((passes.forward, passes.backward), orders, strict=True)
    ]
    for i in asked:
        there, rest = [], []
        for one, order, table in zip((passes.forward, passes.backward), orders, lists, strict=True):
            before = order[: int(np.flatnonzero(order == i)[0])]
            taken = min(len(before), max(table))
            there.append(table[taken])
            rest.append(before[taken:] if one.size else before[:0])
        found.append(Query(i, (there[0], there[1]), (rest[0], rest[1])))
    return found
