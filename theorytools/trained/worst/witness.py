r"""What a functional of one attention layer is on given prompts, in doubles, and prompts on which it is large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from theorytools.blocks.network import PLACE, Attention, Block, Map, Network
from theorytools.numbers.boxes import Array, exact
from theorytools.trained.worst.prompts import Indices, Prompts

TRIED, ROUNDS, LARGEST = 48, 80, 64  # prompts a round, rounds, and positions beyond which none is tried


@dataclass(frozen=True, eq=False)
class Functional:
    r"""A number at each query, linear in what its heads average: maps of width 1.

    .. math:: \sum_h\sum_j\pi^{(h)}_{ij}\,V_h(r_j)+W(r_i)+\sum_sA_s(r_{t_{is}})

    Attributes
    ----------
    heads : :math:`V_h`, one for each head of the attention.
    own : ``W``.
    asked : :math:`A_s`, one for each index slot, of the position that the query asks for; empty for none.
    """

    heads: tuple[Map, ...]
    own: Map
    asked: tuple[Map, ...] = ()

    @property
    def directions(self) -> list[Array]:
        """The directions that tokens are read in."""
        maps = (*self.asked, *self.heads, self.own)
        return [of.parts["x"].mid[0] for of in maps if "x" in of.parts]


@dataclass(frozen=True, eq=False)
class Judge:
    """A functional on prompts, by the network that has it as its output.

    Attributes
    ----------
    attention, functional, prompts, before : as :func:`~theorytools.trained.worst.supremum.largest_value` takes them.
    bonus : the slot, from 0, and what is added to the value of the position that it asks for.
    """

    attention: Attention
    functional: Functional
    prompts: Prompts
    before: Sequence[Block] = ()
    bonus: tuple[int, float] | None = None

    def __call__(self, X: Array, T: Indices, at: int) -> Array:
        """Return it at one query of prompts ``(n, N, d)`` and ``(n, N, q)``, shape ``(n,)``."""
        read, p = self.functional, self.prompts
        if self.bonus is None:
            total = self._averaged(read.heads, X, T, at)
        else:  # the value of a position is another one for each index
            total, (slot, extra) = np.zeros(len(X)), self.bonus
            for t in np.unique(T[:, at, slot]):
                rows = T[:, at, slot] == t
                values = tuple(_raised(value, int(t), extra, p.N) for value in read.heads)
                total[rows] = self._averaged(values, X[rows], T[rows], at)
        inputs, rows = p.inputs(X, T), np.arange(len(X))
        for s, of in enumerate(read.asked):
            labels = Network(p.N, p.fields, tuple(self.before), of)(**inputs)[..., 0]
            total = total + labels[rows, T[:, at, s]]
        return total

    def _averaged(self, values: tuple[Map, ...], X: Array, T: Indices, at: int) -> Array:
        p, own = self.prompts, self.functional.own
        heads = tuple(replace(head, value=value) for head, value in zip(self.attention.heads, values, strict=True))
        blocks = (*self.before, replace(self.attention, heads=heads))
        parts = {**own.parts, self.attention.out: exact(np.ones((1, len(heads))))}
        return np.asarray(Network(p.N, p.fields, blocks, Map(parts, own.shift))(**p.inputs(X, T))[:, at, 0])


def _raised(value: Map, at: int, extra: float, N: int) -> Map:
    row = np.zeros((1, N))
    row[0, at] = extra
    part = exact(row)
    return Map({**value.parts, PLACE: value.parts[PLACE] + part if PLACE in value.parts else part}, value.shift)


def polished(
    judge: Callable[[Array, Indices, int], Array], prompts: Prompts, X: Array, T: Indices, at: int, held: bool
) -> tuple[Array, Indices]:
    """Return a prompt on which a query is no smaller: states are changed one or two at a time, and the best is kept.

    Parameters
    ----------
    judge : the functional.
    prompts : the class.
    X, T, at : the prompt and the query.
    held : whether the query's state stays.
    """
    if prompts.N > LARGEST or (held and prompts.N == 1):
        return X, T
    rng, best = np.random.default_rng(0), float(judge(X[None], T[None], at)[0])
    free = np.array([j for j in range(prompts.N) if not held or j != at])
    for round_ in range(ROUNDS):
        new, indices = prompts.draw(TRIED, rng)
        Xs, Ts = np.repeat(X[None], TRIED, 0), np.repeat(T[None], TRIED, 0)
        for k in range(TRIED):
            j = rng.choice(free, size=1 + k % 2)
            if k % 3:
                step = 1.0 if prompts.tokens == "signs" else rng.choice((1.0, 0.5 ** (1 + round_ / 10)))
                Xs[k, j] = prompts.inside(Xs[k, j] + step * (new[k, j] - Xs[k, j]))
            if k % 3 != 1 and prompts.q:
                slots = rng.random((len(j), prompts.q)) < 0.7
                Ts[k, j] = np.where(slots, indices[k, j], Ts[k, j])
        found = judge(Xs, Ts, at)
        if found.max() > best:
            best, X, T = float(found.max()), Xs[found.argmax()], Ts[found.argmax()]
    return X, T
