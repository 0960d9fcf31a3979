r"""Inputs that a one-layer model of one's own gets wrong, sought where its messages are nearest.

The count of messages forces an error only where Alice has fewer messages than strings, which at an ordinary width
needs long strings: a layer of two heads of width 4 at two bits sends 66 bits (:func:`.protocol.message_bits`).  Below,
nothing is forced, and an error has to be looked for.  It is most likely where two strings of Alice say almost the same:
with the weights :math:`e_j=e^{\ell_j-\ell_{\max}}` her message for a head is :math:`D_A=\sum_{j\in A}e_j` and
:math:`N_A=\sum_{j\in A}e_jv_j`, and for :math:`D\ge D_A+D_B`

.. math:: \Bigl|\frac{N_A+N_B}{D_A+D_B}-\frac{N_A'+N_B}{D_A'+D_B}\Bigr|
            \le\frac{|N_A-N_A'|+V|D_A-D_A'|}{\min(D_A,D_A')+D_B},\qquad V=\max|v| .

So strings are sorted into nearest pairs by :math:`(VD_A,N_A)`, and the module itself is run on both, with each string
of Bob's for which the targets differ.  One answer to both is an error on one of them.  The search proves nothing where
it finds no pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import BODY, PositiveInt, checked
from theorytools.errors import DomainError
from theorytools.theory.communication.matrix import all_strings, shared_inputs

Integers = NDArray[np.int64]
Task = Callable[[Any, Any], Any]
_LISTED, _DRAWN, _NEIGHBOURS, _CHUNK, _BOB = 1 << 14, 1 << 13, 8, 1 << 10, 1 << 8


class TabledModel(Protocol):
    """A layer that is its tables: what the search reads, such as a ``LastTokenLayer``."""

    length: int
    letters: int
    scores: NDArray[np.float64]
    table: NDArray[np.float64]

    def execute(self, tokens: Integers, /) -> NDArray[Any]:
        """Return the answers ``(k,)`` of the model itself."""


@dataclass(frozen=True)
class OneAnswer:
    """Two inputs that differ in Alice's string only, with different targets, to which the model gives one answer.

    Attributes
    ----------
    x, other : Alice's two strings.
    y : Bob's string.
    answers : of the model itself on ``(x, y)`` and ``(other, y)``: equal.
    targets : of the task: different, so the model is wrong on one of the two.
    nearness : the distance of the two messages over the median distance of two strings.
    tried : inputs on which the model was run, this one included.
    """

    x: tuple[int, ...]
    other: tuple[int, ...]
    y: tuple[int, ...]
    answers: tuple[int, int]
    targets: tuple[int, int]
    nearness: float
    tried: int


@checked
@dataclass(frozen=True)
class NearestMessages:
    """The search for inputs that a model gets wrong, by the nearness of Alice's messages.

    Parameters
    ----------
    model : a layer with tables, such as a ``LastTokenLayer``; it is run as it is, in its own arithmetic.
    alice, bob : the positions of the two parties: all of the model's but public ones behind them.
    seed : of the strings that are drawn, where there are more than 2^14.

    Raises
    ------
    DomainError
        For a model without tables and positions that are no partition.

    Examples
    --------
    >>> import torch
    >>> from theorytools.constructions.torch.last_token import LastTokenLayer
    >>> from theorytools.theory.communication.matrix import equality
    >>> rng = torch.Generator().manual_seed(0)
    >>> attention = torch.nn.MultiheadAttention(8, 2, dtype=torch.float64)
    >>> _ = [weight.data.normal_(0, 0.4, generator=rng) for weight in attention.parameters()]
    >>> inputs, last = torch.randn(12, 2, 8, generator=rng), torch.randn(8, generator=rng)
    >>> own = LastTokenLayer(attention, inputs, last, lambda h: h[:, 0].abs() < 0.1)
    >>> pair = NearestMessages(own, range(6), range(6, 12)).wrong_pair(equality)
    >>> pair.answers[0] == pair.answers[1], pair.targets[0] == pair.targets[1], pair.nearness < 1
    (True, False, True)
    """

    model: Annotated[TabledModel, BODY]
    alice: Sequence[int]
    bob: Sequence[int]
    seed: int = 0

    def __post_init__(self) -> None:
        missing = [
            name for name in ("scores", "table", "length", "letters", "execute") if not hasattr(self.model, name)
        ]
        if missing:
            raise DomainError(
                f"a model of type {type(self.model).__name__} without {', '.join(missing)}",
                required="tables of logits and values, and a way to run it", why="messages are sums over tables",
                advice="LastTokenLayer(layer, inputs, last, readout)",
            )  # fmt: skip
        if sorted([*self.alice, *self.bob]) != list(range(self.model.length)) or not (self.alice and self.bob):
            raise DomainError(
                f"Alice {list(self.alice)}, Bob {list(self.bob)}",
                required=f"a partition of the positions 0 .. {self.model.length - 1}, a position for each party",
                why="every token has one owner",
            )

    def messages(self, x: Integers) -> NDArray[np.float64]:
        r"""Return :math:`(VD_A,N_A)` of each head.

        Parameters
        ----------
        x : strings of Alice, ``(k, n_A)``.

        Returns
        -------
        array : shape ``(k, heads (1 + width))``, in doubles.
        """
        tokens, own = self._inputs(x, None)[:, list(self.alice)], np.array(self.alice)
        scores, values = self.model.scores[own, tokens], self.model.table[own, tokens]
        weights = np.exp(scores - self.model.scores.max(axis=(0, 1)))
        largest = np.abs(self.model.table).max()
        sums = (weights[..., None] * values).sum(axis=1)
        return np.concatenate([largest * weights.sum(axis=1), sums.reshape(len(x), -1)], axis=1)

    def _inputs(self, x: Integers, y: Integers | None) -> Integers:
        parts = [(self.alice, x)] if y is None else [(self.alice, x), (self.bob, y)]
        return shared_inputs(self.model.length, self.model.letters, *parts)

    def _strings(self, n: int, most: int, rng: np.random.Generator) -> Integers:
        if self.model.letters**n <= most:
            return all_strings(n, self.model.letters)
        return np.unique(rng.integers(0, self.model.letters, (min(most, _DRAWN), n)), axis=0)

    def wrong_pair(self, task: Task, most: PositiveInt = 1 << 20) -> OneAnswer | None:
        """Return two inputs with one answer and different targets; None where none was found within ``most`` runs.

        Parameters
        ----------
        task : ``task(x, y)``, broadcasting over leading axes.
        most : most inputs on which the model is run.

        Returns
        -------
        OneAnswer or None : found among strings whose messages are nearest, all of them where they are at most 2^14.
        """
        rng = np.random.default_rng(self.seed)
        x = self._strings(len(self.alice), _LISTED, rng)
        y = self._strings(len(self.bob), _BOB, rng)[:_BOB]
        sent = self.messages(x)
        others = rng.permutation(len(x))
        usual = float(np.median(np.linalg.norm(sent - sent[others], axis=1))) or 1.0
        tried = 0
        for first, second, distance in _nearest(sent):
            for i, j, columns in self._asked(x[first], x[second], y, task):
                one, other = (self.model.execute(self._inputs(part, columns)) for part in (x[first][i], x[second][j]))
                tried += 2 * len(columns)
                same = np.flatnonzero(one == other)
                if len(same):
                    k = int(same[0])
                    return self._found(x[first][i][k], x[second][j][k], columns[k], one[k], task,
                                       (float(distance[i[k]]) / usual, tried))  # fmt: skip
                if tried >= most:
                    return None
        return None

    def _asked(self, x: Integers, other: Integers, y: Integers, task: Task) -> Iterator[tuple[Any, Any, Integers]]:
        """The pairs with Bob's strings for which the targets differ, first the two strings themselves."""
        own = [x, other] if len(self.alice) == len(self.bob) else []
        for column in own:
            keep = np.flatnonzero(np.asarray(task(x, column)) != np.asarray(task(other, column)))
            if len(keep):
                yield keep, keep, column[keep]
        for column in y:
            keep = np.flatnonzero(np.asarray(task(x, column)) != np.asarray(task(other, column)))
            if len(keep):
                yield keep, keep, np.repeat(column[None], len(keep), axis=0)

    def _found(
        self, x: Integers, other: Integers, y: Integers, answer: Any, task: Task, how: tuple[float, int]
    ) -> OneAnswer:
        targets = np.asarray(task(np.stack([x, other]), y))
        a, b, c = (tuple(map(int, row)) for row in (x, other, y))
        return OneAnswer(a, b, c, (int(answer), int(answer)), (int(targets[0]), int(targets[1])), *how)


def _nearest(sent: NDArray[np.float64]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]:
    """Pairs of rows, one among the nearest of the other, the nearest pairs first, in parts."""
    from scipy.spatial import cKDTree

    if len(sent) < 2:
        return
    neighbours = min(_NEIGHBOURS, len(sent) - 1) + 1
    distance, index = cKDTree(sent).query(sent, neighbours)
    rows = np.repeat(np.arange(len(sent)), neighbours)
    pairs = np.sort(np.stack([rows, index.ravel()], axis=1), axis=1)
    pairs, kept = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0, return_index=True)
    distance = distance.ravel()[rows != index.ravel()][kept]
    order = np.lexsort((pairs[:, 1], pairs[:, 0], distance))
    for start in range(0, len(order), _CHUNK):
        part = order[start : start + _CHUNK]
        yield pairs[part, 0], pairs[part, 1], distance[part]
