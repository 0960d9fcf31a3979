r"""How large a prediction a norm allows: uniform attention on equal tokens, read by one ReLU along its own input.

.. math:: \hat y^2=\tfrac{R^4}4(1+\|g\|^2),\qquad\|a\|=\|(W,b)\|_F=\tfrac R{\sqrt2},\quad W_{QK}=0,

with :math:`g` the part of the attention output that is read.  No network with :math:`\|\mathrm{vec}\,\Theta\|\le R`
predicts more than :math:`\frac{R^4}4(1+Hr_z^2)`, as :math:`|\hat y|\le\|a\|\|(W,b)\|_F\sqrt{1+\|f\|^2}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.codes.protocol import Code
from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.errors import DomainError

Array = NDArray[np.float64]


@checked
@dataclass(frozen=True)
class LargestPrediction:
    r"""Uniform attention over equal tokens :math:`r_xe_1` with one index tuple, and the head that its norm allows.

    Parameters
    ----------
    codes : position codes, or None for a single position.
    d, q, H : token dimension, indexed tokens, heads.
    r_x : norm of every token.
    R_2 : squared norm of all parameters.
    reads : ``"tokens"``, or ``"all"`` of the attention output.

    References
    ----------
    Derived here, for the class of Theorem 4 of arXiv 2503.11272v1.

    Examples
    --------
    >>> net = LargestPrediction(None, d=2, q=1, H=1, r_x=2, R_2=8)
    >>> net.squared_prediction(), net.squared_norm()
    (Fraction(144, 1), Fraction(8, 1))
    """

    codes: Code | None
    d: int
    q: int
    H: int
    r_x: Fraction | int
    R_2: Fraction | int
    reads: Literal["tokens", "all"] = "all"

    def __post_init__(self) -> None:
        if min(self.d, self.q, self.H) < 1 or self.r_x <= 0 or self.R_2 <= 0:
            raise DomainError(
                f"d = {self.d}, q = {self.q}, H = {self.H}, r_x = {self.r_x}, R_2 = {self.R_2}",
                required="d, q, H >= 1; r_x, R_2 > 0",
            )
        if self.reads not in ("tokens", "all"):
            raise DomainError(f"reads = {self.reads!r}", required="'tokens' or 'all'")

    @cached_property
    def squared_scale(self) -> Fraction:
        r"""The squared factor in front of the codes, :math:`d/q`."""
        return Fraction(self.d, self.q)

    @cached_property
    def share(self) -> Fraction:
        """The part of the squared norm that the output weight has: half of it, which is best."""
        return Fraction(1, 2)

    @cached_property
    def one(self) -> int:
        """What the bias is a weight of."""
        return 1

    def read(self) -> Fraction:
        r"""Return :math:`\|g\|^2` exactly: the mean of the codes by their Gram matrix, the index slots of norm 1."""
        token = Fraction(self.r_x) ** 2
        if self.reads == "tokens":
            return self.H * token
        mean = Fraction(1)
        if self.codes is not None:
            total = int(self.codes.gram_numerators().sum())
            mean = Fraction(total, self.codes.gram_denominator * self.codes.N**2)
        return self.H * (token + self.squared_scale * (mean + self.q))

    def squared_prediction(self) -> Fraction:
        r"""Return :math:`\hat y^2=a^2(\langle w,f\rangle+b)^2` exactly, with :math:`(w,b)` along :math:`(g,1)`."""
        read, one = self.read(), self.one
        weight = self.R_2 * (1 - self.share) / (read + one)  # squared length of (w, b) over that of (g, 1)
        return self.R_2 * self.share * weight * (read + one) ** 2

    def squared_norm(self) -> Fraction:
        """Return the squared norm of all parameters."""
        read, one = self.read(), self.one
        weight = self.R_2 * (1 - self.share) / (read + one)
        return Fraction(self.R_2 * self.share + weight * (read + one))

    # -- float64 -----------------------------------------------------------------------------------------
    def prompt(self) -> Array:
        """Return the embedded tokens, shape ``(N, D_e)``; every index is 0."""
        omega = np.ones((1, 1)) if self.codes is None else self.codes.matrix()
        x = np.zeros((len(omega), self.d))
        x[:, 0] = float(self.r_x)
        slots = np.tile(omega[0], (len(omega), self.q))
        return np.hstack([x, np.sqrt(float(self.squared_scale)) * np.hstack([omega, slots])])

    def head(self) -> ReluHead:
        """Return the head: one unit along its input."""
        f = np.tile(self.prompt().mean(axis=0), (self.H, 1))
        if self.reads == "tokens":
            f[:, self.d :] = 0.0
        read, one = float(self.read()), float(self.one)
        weight = np.sqrt(float(self.R_2 * (1 - self.share)) / (read + one))
        return ReluHead(np.sqrt([float(self.R_2 * self.share)]), weight * f.reshape(1, -1), np.array([weight * one]))

    def predict(self) -> float:
        """Return the prediction by the forward pass: scores zero, softmax uniform, every head the same."""
        Z = self.prompt()
        scores = Z @ np.zeros((Z.shape[1], Z.shape[1])) @ Z.T
        weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        return float(self.head()(np.tile((weights @ Z)[0], self.H)))
