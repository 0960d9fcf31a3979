r"""A recurrent network that stores one number per position and solves general 1STR without error."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from theorytools.constructions.position_tracker import Integers, Numbers, PositionTracker
from theorytools.constructions.simple_retrieval_rnn import project
from theorytools.errors import DomainError


@dataclass(frozen=True)
class StoreAllRNN:
    r"""The network of width ``N`` for general 1STR with the link :math:`g(x)=\langle u,x\rangle`.

    Slot ``k`` of the state receives :math:`\mathrm{soft}(v_i;K(1-\langle\omega_k,\omega_i\rangle))` from position
    ``i``, :math:`v_i=\langle u,x_i\rangle`, which is :math:`v_k` at ``i = k`` and 0 elsewhere when
    :math:`|v|\le K\gamma`; the position codes are weights of the transition, which has two layers.  The readout, three
    layers, passes the slot whose code is that of the index, and the current payload for the current position.

    Attributes
    ----------
    signs : codes as signs, shape ``(N, d_e)``.
    K : slope, a positive multiple of ``d_e``.
    u : direction of the link, shape ``(d,)``.
    radius : radius of the states.
    left_out : two collections of slots, from 0, that the forward and the backward state do not have.  The last slot
        forward and the first one backward are never read.

    Raises
    ------
    DomainError
        For codes or a slope that :class:`PositionTracker` refuses, slots outside the prompt, or a radius that is not
        positive.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Theorem 1 and Proposition 8, arXiv 2503.11272v1, for the task and the
    lower bounds; the network is derived here.
    """

    signs: Integers
    K: int
    u: Numbers
    radius: int
    left_out: tuple[Collection[int], Collection[int]] = ((), ())

    def __post_init__(self) -> None:
        N = len(self.inputs.signs)
        if any(not 0 <= k < N for slots in self.left_out for k in slots):
            raise DomainError(f"slots {self.left_out}", required=f"slots from 0 to N - 1 = {N - 1}")
        if not self.radius > 0:
            raise DomainError(f"radius {self.radius}", required="a positive number")

    @cached_property
    def inputs(self) -> PositionTracker:
        """The encoding of tokens, positions and indices (one index, payloads of width ``d``)."""
        return PositionTracker(self.signs, self.K, 1, len(self.u))

    @cached_property
    def kept(self) -> Integers:
        """Which slots the forward and the backward state have, 0 or 1, shape ``(2, N)``."""
        mask = np.ones((2, len(self.signs)), dtype=np.int64)
        for side, slots in enumerate(self.left_out):
            mask[side, list(slots)] = 0
        return mask

    @property
    def width(self) -> int:
        """Dimension of a state, the larger of the two directions."""
        return int(self.kept.sum(axis=1).max())

    @cached_property
    def writer(self) -> tuple[Numbers, Integers, Integers]:
        r"""Rows :math:`\pm u^\top x+K\langle\omega_k,\omega_i\rangle` on ``z``, biases ``-K``, and the differences."""
        unit, (N, d_e) = np.eye(len(self.signs), dtype=np.int64), self.signs.shape
        codes = (self.K // d_e) * np.asarray(self.signs, dtype=np.int64)
        rows = [np.hstack([np.tile(s * np.asarray(self.u), (N, 1)), codes, 0 * codes]) for s in (1, -1)]
        return np.vstack(rows), np.full(2 * N, -self.K), np.hstack([unit, -unit])

    @cached_property
    def readout(self) -> tuple[tuple[Numbers, Integers], tuple[Integers, Integers], Integers]:
        """Weights and biases on (forward, backward, z): the sums, writer units and code; the gates; the signed sum."""
        rows, bias, unit = self.writer[0], self.writer[1], np.eye(len(self.signs), dtype=np.int64)
        N, d_e = self.signs.shape
        zero = np.zeros((2 * N, rows.shape[1]), dtype=np.int64)
        index = np.eye(d_e, 2 * N + rows.shape[1], 2 * N + rows.shape[1] - d_e, dtype=np.int64)
        both = np.vstack([np.hstack([unit, unit]), -np.hstack([unit, unit])])
        first = np.vstack([np.hstack([both, zero]), np.hstack([0 * both, rows]), index, -index])
        codes = (self.K // d_e) * np.asarray(self.signs, dtype=np.int64)
        value = np.hstack([unit, -unit, unit, -unit])
        second = np.vstack([np.hstack([s * value, codes, -codes]) for s in (1, -1)])
        start = np.concatenate([np.zeros(2 * N, dtype=np.int64), bias, np.zeros(2 * d_e, dtype=np.int64)])
        return (first, start), (second, bias), np.repeat([1, -1], N)

    def states(self, X: ArrayLike, T: ArrayLike) -> tuple[Numbers, Numbers]:
        """Return the forward and the backward states, each ``(n, N, N)``; a slot left out stays 0."""
        Z = self.inputs.encode(X, T)
        return self._pass(Z, self.kept[0]), self._pass(Z[:, ::-1], self.kept[1])[:, ::-1]

    def _pass(self, Z: Numbers, mask: Integers) -> Numbers:
        rows, bias, difference = self.writer
        h = np.zeros((len(Z), len(self.signs)), dtype=Z.dtype)
        found = [h]
        for j in range(Z.shape[1] - 1):
            h = project(h + mask * (np.maximum(Z[:, j] @ rows.T + bias, 0) @ difference.T), self.radius)
            found.append(h)
        return np.stack(found, axis=1)

    def __call__(self, X: ArrayLike, T: ArrayLike) -> Numbers:
        """Return the predictions, shape ``(n, N)``, for tokens ``(n, N, d)`` and indices ``(n, N, 1)``."""
        v = np.concatenate([*self.states(X, T), self.inputs.encode(X, T)], axis=-1)
        (first, start), (second, bias), last = self.readout
        out: Numbers = np.maximum(np.maximum(v @ first.T + start, 0) @ second.T + bias, 0) @ last
        return out

    def squared_norm(self) -> int | float:
        r"""Return the squared norm of all weights and biases, with no slot left out.

        With :math:`w=2N(\lVert u\rVert^2+K^2/d_e+K^2)` it is
        :math:`2(w+2N)+4N+w+2d_e+2N(4+2K^2/d_e+K^2)+2N`.
        """
        rows, bias, difference = self.writer
        (first, start), (second, gate), last = self.readout
        transition = sum((A * A).sum().item() for A in (rows, bias, difference))
        parts = (first, start, second, gate, last)
        total: int | float = 2 * transition + sum((A * A).sum().item() for A in parts)
        return total
