r"""A recurrent network that stores one number per position and solves general 1STR without error.

The forward state holds the payloads of the tokens already read, the backward state those still to come, each in its
slot, :math:`U^\to=U^\leftarrow=I`.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from theorytools.arguments.checked import checked
from theorytools.codes.families import binary_index
from theorytools.constructions.network import DOUBLE, Network, absent, layers_rounding
from theorytools.constructions.recurrent.position_tracker import Integers, Numbers, PositionTracker
from theorytools.constructions.recurrent.simple_retrieval import project_within
from theorytools.constructions.recurrent.store_all_weights import (
    Layers,
    feed,
    readout_layers,
    squared_norm_formula,
    writer_layers,
)
from theorytools.constructions.shapes import exact_array, shaped
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure

if TYPE_CHECKING:
    import torch


@checked
@dataclass(frozen=True)
class StoreAllRNN(Network):
    r"""The network of width ``N`` for general 1STR with the link :math:`g(x)=\langle u,x\rangle`.

    Slot ``k`` of the state receives :math:`\mathrm{soft}(v_i;K(1-\langle\omega_k,\omega_i\rangle))` from position
    ``i``, :math:`v_i=\langle u,x_i\rangle`, which is :math:`v_k` at ``i = k`` and 0 elsewhere when
    :math:`|v|\le K\gamma`; the position codes are weights of the transition, which has two layers.  The readout, three
    layers, passes the slot whose code is that of the index, and the current payload for the current position.  As the
    sum of two slots it is :math:`\sqrt2`-Lipschitz in the two states where no :math:`|m_k|`, stored or current
    payload, exceeds :math:`K\gamma`; with every :math:`m_k` clipped to :math:`[-M,M]`, :math:`M\le K\gamma`, it is so
    everywhere, with four layers.

    Attributes
    ----------
    signs : codes as signs, shape ``(N, d_e)``.
    K : slope, a positive multiple of ``d_e``.
    u : direction of the link, shape ``(d,)``.
    radius2 : squared radius of the states.
    left_out : two collections of slots, from 0, that the forward and the backward state do not have.  The last slot
        forward and the first one backward are never read.
    clip : level ``M`` at which the readout clips, a positive integer; None for the readout of three layers.

    Raises
    ------
    DomainError
        For codes or a slope that :class:`PositionTracker` refuses, slots outside the prompt, or a radius or a level
        that is not positive.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Theorem 1 and Proposition 8, arXiv 2503.11272v1, for the task and the
    lower bounds; the network is derived here.

    Examples
    --------
    >>> net = StoreAllRNN.binary(4, 100)
    >>> net([[[5], [-6], [2], [1]]], [[[2], [0], [3], [3]]]).tolist(), net.lost()
    ([[2, 5, 1, 1]], Fraction(0, 1))
    """

    signs: Integers
    K: int
    u: Numbers
    radius2: int | Fraction
    left_out: tuple[Collection[int], Collection[int]] = ((), ())
    clip: int | None = None

    def __post_init__(self) -> None:
        shaped("u", self.u, "d")
        N = len(self.inputs.signs)
        if any(not 0 <= k < N for slots in self.left_out for k in slots):
            raise DomainError(f"slots {self.left_out}", required=f"slots from 0 to N - 1 = {N - 1}")
        if not 0 < self.radius2 < math.inf or not (self.clip is None or self.clip > 0):
            raise DomainError(f"squared radius {self.radius2}, clip {self.clip}", required="positive numbers")

    @classmethod
    def binary(cls, N: int, radius2: int | Fraction, *, clipped: bool = False) -> StoreAllRNN:
        r"""Return the network for numbers as tokens, ``u = 1``, on the binary codes of the positions.

        Its slope lets payloads up to :math:`M=\lceil2r_h\rceil` pass one gate only, the level of the clip if there is
        one.

        Parameters
        ----------
        N : sequence length, at least 2.
        radius2 : squared radius :math:`r_h^2` of the states.
        clipped : whether the readout clips.

        Returns
        -------
        StoreAllRNN : for tokens of dimension 1.

        Raises
        ------
        DomainError : ``N < 2``, or a radius that is not positive and finite.
        """
        if not (N >= 2 and 0 < radius2 < math.inf):
            raise DomainError(f"N = {N}, squared radius {radius2}", required="N >= 2 and a positive number")
        d_e, M = (N - 1).bit_length(), math.isqrt(math.ceil(4 * radius2) - 1) + 1
        K = d_e * -(-M // 2)  # a multiple of d_e with K gamma = 2 K / d_e >= M
        signs: Any = binary_index(N).signs
        return cls(signs, K, np.ones(1, dtype=np.int64), radius2, clip=M if clipped else None)

    def keeping(self, slots: int) -> StoreAllRNN:
        """Return this network with the first ``slots`` slots forward and the last ones backward.

        Parameters
        ----------
        slots : how many, from 1 to ``N``.

        Returns
        -------
        StoreAllRNN : with states of so many numbers.

        Raises
        ------
        DomainError : another number of slots.
        """
        if not 1 <= slots <= self.N:
            raise DomainError(f"{slots} slots", required=f"1 to N = {self.N}")
        return replace(self, left_out=(range(slots, self.N), range(self.N - slots)))

    @property
    def N(self) -> int:
        """Sequence length."""
        return len(self.signs)

    @cached_property
    def inputs(self) -> PositionTracker:
        """The encoding of tokens, positions and indices (one index, payloads of width ``d``)."""
        return PositionTracker(self.signs, self.K, 1, len(self.u))

    @cached_property
    def kept(self) -> Integers:
        """Which slots the forward and the backward state have, 0 or 1, shape ``(2, N)``."""
        mask = np.ones((2, self.N), dtype=np.int64)
        for side, slots in enumerate(self.left_out):
            mask[side, list(slots)] = 0
        return mask

    @property
    def d_h(self) -> int:
        """Dimension of a state, the larger of the two directions."""
        return int(self.kept.sum(axis=1).max())

    @cached_property
    def writer(self) -> Layers:
        r"""The transition on ``z``, two layers; its weights on the state are zero."""
        return writer_layers(self.inputs.signs, self.K, np.asarray(self.u))

    @cached_property
    def readout(self) -> Layers:
        """The readout on (forward, backward, z), three layers, or four with a clip."""
        return readout_layers(self.inputs.signs, self.K, np.asarray(self.u), self.clip)

    def states(self, X: ArrayLike, T: ArrayLike) -> tuple[Numbers, Numbers]:
        """Return the forward and the backward states before each position; a slot left out stays 0.

        Parameters
        ----------
        X : tokens, shape ``(n, N, d)``.
        T : indices from 0, shape ``(n, N, 1)``.

        Returns
        -------
        tuple of arrays : each of shape ``(n, N, N)``.
        """
        Z = self.inputs.encode(X, T)
        return self._pass(Z, self.kept[0]), self._pass(Z[:, ::-1], self.kept[1])[:, ::-1]

    def _pass(self, Z: Numbers, mask: Integers) -> Numbers:
        h = np.zeros((len(Z), self.N), dtype=Z.dtype)
        found = [h]
        for j in range(Z.shape[1] - 1):
            h = project_within(h + mask * feed(Z[:, j], self.writer), self.radius2)
            found.append(h)
        return np.stack(found, axis=1)

    def __call__(self, X: ArrayLike, T: ArrayLike) -> Numbers:
        """Return the predictions, shape ``(n, N)``, for tokens ``(n, N, d)`` and indices ``(n, N, 1)``."""
        v = np.concatenate([*self.states(X, T), self.inputs.encode(X, T)], axis=-1)
        return feed(v, self.readout)[..., 0]

    def exact(self, X: Any, T: ArrayLike) -> Numbers:
        """Return a call on integers or Fractions, exactly: the same code without a machine's numbers."""
        return self(exact_array("X", X, "n", self.N, len(self.u)), T)

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        """Return a bound on the rounding of predictions for integers: 0 if all sums are exact and no state is moved."""
        payload = layers_rounding([(np.asarray(self.u)[None], None)], size, u)
        largest = float(np.abs(np.asarray(self.u)).sum()) * size
        moved = self.N * largest**2 > self.radius2 or bool(payload)
        writing = layers_rounding(self.writer, max(size, 1.0), u)
        return math.inf if moved or writing else layers_rounding(self.readout, max(size, largest, 1.0), u)

    certificate = absent("it makes no error within its radius: lost() counts, risk_bound() covers the rest")
    norms = absent("norms of three maps stand in one sum: squared_norm()")

    def sizes(self) -> dict[str, int]:
        """Return the dimension of a state and the number of the module's parameters."""
        shapes = [(2, self.N + len(self.writer[0][0][0]), 2 * self.N), (2, 2 * self.N, self.N)]
        weights = sum(copies * (rows * columns + rows) for copies, columns, rows in shapes) - 2 * self.N
        weights += sum(W.size + len(W) for W, _ in self.readout[:-1]) + self.readout[-1][0].size
        return {"width": self.d_h, "parameters": weights}

    def squared_norm(self) -> int | float:
        """Return the squared norm of all weights and biases, with no slot left out, summed over the arrays."""
        total: int | float = 0
        for copies, layers in ((2, self.writer), (1, self.readout)):
            total += copies * sum((A * A).sum().item() for pair in layers for A in pair if A is not None)
        return total

    def norm_formula(self) -> int | float:
        """Return the same number by :func:`squared_norm_formula`, without the arrays."""
        N, d_e = self.inputs.signs.shape
        return squared_norm_formula(N, d_e, self._scale.item(), self.K, self.clip)

    @property
    def _scale(self) -> Numbers:
        u = np.asarray(self.u)
        scale: Numbers = u @ u
        return scale

    @cached_property
    def _distinct(self) -> bool:
        rows = np.ascontiguousarray(self.signs, dtype=np.int8)
        return len(set(rows.view(f"V{rows.shape[1]}").ravel().tolist())) == self.N  # a row as its bytes

    def slope(self) -> Enclosure:
        r"""Return :math:`L\|U\|_{\mathrm{op}}=\sqrt2\,r_h`, the readout being :math:`\sqrt2`-Lipschitz."""
        return Enclosure(2 * Fraction(self.radius2)).sqrt()

    def frobenius(self) -> Enclosure:
        r"""Return :math:`\|U^\to\|_F+\|U^\leftarrow\|_F`, the root of the number of slots for each direction."""
        return sum((Enclosure(int(slots)).sqrt() for slots in self.kept.sum(axis=1)), Enclosure(0))

    def lost(self) -> Fraction:
        r"""Run the payloads :math:`k\|u\|^2` and every index at every position; return the wrong reads' fraction."""
        steps = np.arange(self.N)
        T = (steps[:, None] + steps) % self.N  # prompt by position: each pair (j, t_j) once
        X = np.broadcast_to((steps[:, None] + 1) * np.asarray(self.u), (self.N, self.N, len(self.u)))
        return Fraction(int((self(X, T[..., None]) != (T + 1) * self._scale).sum()), self.N**2)

    def unread(self) -> Fraction:
        """Return the fraction of pairs (position, index) whose slot is left out: of reads that give 0 instead."""
        positions = np.arange(self.N)
        later = ((1 - self.kept) * np.stack([self.N - 1 - positions, positions])).sum()
        return Fraction(int(later), self.N**2)

    def risk_bound(self) -> Enclosure:
        r"""Return an upper bound of the risk over :math:`\|u\|^2` for tokens :math:`N(0,I)`, the squared label's mean.

        Let :math:`\|u\|=1` and :math:`M=2K/d_e\le K\gamma`.  If no payload exceeds ``M``, each is off by at most its
        own size, and only if a projection is active or its slot is left out:
        :math:`E\frac1N\|v\|^2\mathbb1[\|v\|^2>r_h^2]=\Pr(\chi^2_{N+2}>r_h^2)`.  Otherwise
        :math:`|\hat y_j|\le2\sqrt N\,r_h+N|v_j|`, as gates shrink; with
        :math:`\Pr(|v|>M)\le M^{-2}Ev^2\mathbb1[|v|>M]` and the same identity the sum is at most

        .. math:: \Pr(\chi^2_{N+2}>r_h^2)+3N\Bigl(1+N^2+\frac{4Nr_h^2}{M^2}\Bigr)\Pr(\chi^2_3>M^2)+\text{left out},
                  \qquad\Pr(\chi^2_k>kx)\le(xe^{1-x})^{k/2}\quad(x>1).

        Raises
        ------
        DomainError
            For equal codes, :math:`r_h^2\le(N+2)\|u\|^2`, or :math:`M^2\le3\|u\|^2`.
        """
        N, scale, d_e = self.N, Fraction(self._scale.item()), self.inputs.d_e
        r2, M2 = Fraction(self.radius2) / scale, Fraction(2 * self.K, d_e) ** 2 / scale
        if not (r2 > N + 2 and M2 > 3 and self._distinct):
            given = f"N = {N}, squared radius {r2}, squared reach {M2} over ||u||^2"
            raise DomainError(given, required="different codes, r_h^2 > N + 2, (2 K / d_e)^2 > 3")
        leaks = _tail(3, M2) * (3 * N * (1 + N**2 + 4 * N * r2 / M2))
        return _tail(N + 2, r2) + leaks + self.unread()

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a trainable ``torch.nn.Module``, ``forward(X, T)``, that computes the same function."""
        return twin("theorytools.constructions.torch.recurrent:store_all_module")(self, dtype, device)


def _tail(k: int, level: Fraction) -> Enclosure:
    x = level / k
    return (Enclosure(x) * Enclosure(1 - x).exp()) ** Fraction(k, 2)
