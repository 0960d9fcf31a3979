r"""A transition network of three layers that passes a token at its indexed position and is zero elsewhere.

The input of position ``i`` is :math:`z_i=(x_i,s_i,s_{t_1},\dots,s_{t_q})` with sign codes
:math:`s=\sqrt{d_e}\,\omega\in\{\pm1\}^{d_e}`, shape ``(…, d + (q + 1) d_e)``.  For signs the identity
:math:`1-\langle\omega,\omega'\rangle=d_e^{-1}\sum_k|s_k-s'_k|` makes the inner product an exact function of two
ReLU units per coordinate, and :math:`\sigma(x-\tau)-\sigma(-x-\tau)` sets an entry of size at most :math:`\tau` to
zero.  All weights are integers when :math:`d_e` divides the slope ``K``, so integer tokens are treated exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theorytools.arguments.checked import checked
from theorytools.constructions.feedforward.piecewise_linear import Number
from theorytools.constructions.network import DOUBLE, Network, absent, layers_rounding
from theorytools.constructions.shapes import exact_array, shaped
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure

if TYPE_CHECKING:
    import torch


Integers = NDArray[np.int64]
Numbers = NDArray[Any]  # float64, int64, or exact rationals as objects
LARGEST = 2**40  # entries and slopes below it keep every sum of a layer inside int64 and exact in float64


@checked
@dataclass(frozen=True)
class PositionTracker(Network):
    r"""The transition :math:`\Psi(x,t,i)_l=x\,\mathbb 1[i=t_l]` with three layers, no biases and no error.

    Slot ``l`` of the output is :math:`\mathrm{soft}(x;K(1-\langle\omega_i,\omega_{t_l}\rangle))`: the token itself
    where the codes agree, and zero where they differ if :math:`\lVert x\rVert_\infty\le M\le K\gamma` with the gap
    :math:`\gamma=1-\max_{i\ne j}\langle\omega_i,\omega_j\rangle`.

    Attributes
    ----------
    signs : the codes as signs, shape ``(N, d_e)``.
    K : slope of the gate, a positive multiple of ``d_e``.
    q, d : indices per prompt and token dimension.

    Raises
    ------
    DomainError
        For codes that are not signs, a slope that ``d_e`` does not divide, or sizes that are not positive.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Proposition 26, arXiv 2503.11272v1; depth 3 without error is
    derived here for sign codes.

    Examples
    --------
    >>> net = PositionTracker(np.array([[1, 1], [1, -1]]), K=4, q=1, d=1)  # two positions, tokens up to 4
    >>> net(net.encode([[[3], [-2]]], [[[0], [0]]])).tolist()
    [[[3], [0]]]
    """

    signs: Integers
    K: int
    q: int
    d: int

    def __post_init__(self) -> None:
        signs = np.asarray(self.signs)
        if signs.ndim != 2 or not signs.size or not (np.abs(signs) == 1).all():
            raise DomainError(f"codes of shape {signs.shape}", required="signs +1 and -1, shape (N, d_e)")
        object.__setattr__(self, "signs", signs.astype(np.int64))
        if self.q < 1 or self.d < 1:
            raise DomainError(f"q = {self.q}, d = {self.d}", required="positive integers")
        if not 0 < self.K < LARGEST or self.K % self.d_e:
            raise DomainError(
                f"K = {self.K}", required=f"a positive multiple of d_e = {self.d_e} below 2^40",
                why="the weights K/d_e are integers", advice="round K up to the next multiple",
            )  # fmt: skip

    @property
    def d_e(self) -> int:
        """Dimension of a code."""
        return int(self.signs.shape[1])

    @property
    def input_width(self) -> int:
        """Width :math:`D_e=d+(q+1)d_e` of an encoded token."""
        return self.d + (self.q + 1) * self.d_e

    @cached_property
    def encoder_rows(self) -> Integers:
        r"""The first layer on ``z``: rows :math:`\pm x_k`, then :math:`\pm(s_{i,k}-s_{t_l,k})`."""
        tokens = np.eye(self.d, self.input_width, dtype=np.int64)
        own = np.eye(self.d_e, self.input_width, self.d, dtype=np.int64)
        slots = [np.eye(self.d_e, self.input_width, self.d + (l + 1) * self.d_e, dtype=np.int64) for l in range(self.q)]
        gaps = np.concatenate([own - slot for slot in slots])
        return np.concatenate([tokens, -tokens, gaps, -gaps])

    @cached_property
    def gate_rows(self) -> Integers:
        r"""The second layer: :math:`\pm x_k-\frac K{d_e}\sum_r|s_{i,r}-s_{t_l,r}|` for each slot and entry."""
        value = np.tile(np.hstack([np.eye(self.d, dtype=np.int64), -np.eye(self.d, dtype=np.int64)]), (self.q, 1))
        blocks = np.kron(np.eye(self.q, dtype=np.int64), np.ones((self.d, self.d_e), dtype=np.int64))
        fence = -(self.K // self.d_e) * np.hstack([blocks, blocks])
        return np.vstack([np.hstack([value, fence]), np.hstack([-value, fence])])

    @cached_property
    def leak(self) -> int:
        """The slope of the second activation below 0: that of a ReLU."""
        return 0

    @cached_property
    def layers(self) -> tuple[Integers, Integers, Integers]:
        r"""The weights on :math:`(h,z)`; the first ``q d`` columns, those of the state ``h``, are zero."""
        size = self.q * self.d
        state = np.zeros((len(self.encoder_rows), size), dtype=np.int64)
        unit = np.eye(size, dtype=np.int64)
        return np.hstack([state, self.encoder_rows]), self.gate_rows, np.hstack([unit, -unit])

    def encode(self, X: ArrayLike, T: ArrayLike) -> Numbers:
        """Return the encoded tokens.

        Parameters
        ----------
        X : tokens, shape ``(n, N, d)``, entries below :math:`2^{40}`.
        T : indices from 0, shape ``(n, N, q)``.

        Returns
        -------
        array : shape ``(n, N, D_e)``.

        Raises
        ------
        DomainError : other shapes or entries, or positions that do not exist.
        """
        X, T = np.asarray(X), np.asarray(T)
        N = len(self.signs)
        if X.ndim != 3 or X.shape[1:] != (N, self.d) or T.shape != (*X.shape[:2], self.q):
            raise DomainError(f"X {X.shape}, T {T.shape}", required=f"(n, {N}, {self.d}) and (n, {N}, {self.q})")
        if T.dtype.kind not in "iu" or (T.size and not 0 <= T.min() <= T.max() < N):
            raise DomainError("indices outside the prompt", required=f"integers from 0 to N - 1 = {N - 1}")
        if not (np.abs(X) < LARGEST).all():
            raise DomainError("tokens that are NaN or too large", required="entries below 2^40")
        own = np.broadcast_to(self.signs, (len(X), *self.signs.shape))
        return np.concatenate([X, own, *(self.signs[T[..., l]] for l in range(self.q))], axis=-1)

    def __call__(self, Z: ArrayLike, h: ArrayLike | None = None) -> Numbers:
        """Return the increments, shape ``(…, q d)``, for encoded tokens ``(…, D_e)`` and states ``(…, q d)``.

        Integers give integers, exactly; doubles give doubles.
        """
        Z = np.asarray(Z)
        if not (np.abs(Z) < LARGEST).all():
            raise DomainError("encoded tokens that are NaN or too large", required="entries below 2^40")
        shaped("Z", Z, "...", self.input_width)
        h = np.zeros((*Z.shape[:-1], self.q * self.d), dtype=np.int64) if h is None else np.asarray(h)
        shaped("h", h, *Z.shape[:-1], self.q * self.d)
        first, second, third = self.layers
        inner = np.maximum(np.concatenate([h, Z], axis=-1) @ first.T, 0) @ second.T
        return np.maximum(inner, self.leak * inner) @ third.T

    def squared_norm(self, *, unit: bool = False) -> int:
        r"""Return the squared norm of all weights, :math:`2d+4qd_e+4qd(1+K^2/d_e)+2qd`.

        The network reads codes of entries :math:`\pm1`.  With ``unit`` it is that of the same function of unit codes,
        :math:`K^2` for :math:`K^2/d_e`, as
        :class:`~theorytools.papers.qstr.capacity.recurrent.RecurrentBound` counts it.

        Parameters
        ----------
        unit : read unit codes in place of signs.

        Returns
        -------
        int : exact.
        """
        first, gate, third = (W.astype(object) ** 2 for W in self.layers)
        gate[:, 2 * self.d :] *= self.signs.shape[1] if unit else 1  # differences of unit codes are shorter by its root
        return int(first.sum() + gate.sum() + third.sum())

    def exact(self, Z: Any, h: Any = None) -> Numbers:
        """Return the increments of integers and Fractions, exactly, for ``(n, D_e)`` and states ``(n, q d)``."""
        Z = exact_array("Z", Z, "n", self.input_width)
        return self(Z, h if h is None else exact_array("h", h, len(Z), self.q * self.d))

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        """Return a bound on the rounding of increments; 0 for integers whose sums stay exact."""
        return layers_rounding([(W, None) for W in self.layers], size, u)

    certificate = absent("the increment is exact on encoded tokens")

    def norms(self) -> dict[str, Enclosure]:
        """Return the norms of the three layers."""
        return {f"{2 * i}.weight": Enclosure(int((W**2).sum())).sqrt() for i, W in enumerate(self.layers)}

    def sizes(self) -> dict[str, int]:
        """Return the width of the output and the number of weights."""
        return {"width": self.q * self.d, "parameters": sum(W.size for W in self.layers)}

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return the same network in torch; its input is ``(h, z)``, shape ``(…, q d + D_e)``."""
        return twin("theorytools.constructions.torch.recurrent:tracker_module")(self, dtype, device)


def code_gap(codes: Sequence[Sequence[Number]]) -> Fraction:
    r"""Return :math:`\gamma=1-\max_{i\ne j}\langle\omega_i,\omega_j\rangle` of rational codes, two or more."""
    if len(codes) < 2:
        raise DomainError(f"{len(codes)} codes", required="two or more", why="the gap is one of pairs")
    return 1 - max(
        sum((Fraction(x) * y for x, y in zip(a, b, strict=True)), Fraction(0)) for a, b in combinations(codes, 2)
    )
