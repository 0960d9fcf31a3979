r"""A feedforward network at which training with weight decay is stationary, and which is as good as any in the span.

Its read-out is linear but for a small bump at every datum.  Bumps make the loss stationary at any given first layer in
the span of the inputs, and they are met with a probability that falls with their radius like a power.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked, ranks
from theorytools.constructions.network import DOUBLE, Network, absent, gamma
from theorytools.constructions.shapes import exact_array, in_range, indices, shaped
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, maximum, pi, solve_rational
from theorytools.tasks.sparse_regression import Array, Indices, checked_prompts, slope_of

if TYPE_CHECKING:
    import torch

Exact = NDArray[Any]  # fractions, dtype object


@checked
@dataclass(frozen=True, eq=False)
class BumpReadout:
    r"""A linear network with a bump at every datum, which makes a given first layer stationary.

    .. math:: f(t,z)=\langle c_t,z\rangle+\sum_i\psi\bigl(\lVert z-z_i\rVert/r_0\bigr)
        (\rho+\langle h_i,z-z_i\rangle),\qquad\psi(s)=(1-s^2)_+^2 .

    Parameters
    ----------
    C, centres, h : arrays of shapes ``(N, m)``, ``(n, m)``, ``(n, m)``.
    rho, radius2 : the height and the squared radius of the bumps.
    """

    C: Exact
    centres: Exact
    h: Exact
    rho: Fraction
    radius2: Fraction

    def __post_init__(self) -> None:
        shaped("C", self.C, "N", "m")
        shaped("centres", self.centres, "n", self.C.shape[1])
        shaped("h", self.h, *self.centres.shape)
        if self.radius2 <= 0:
            raise DomainError(f"radius2 = {self.radius2}", required="radius2 > 0", why="bumps are read over r_0")

    def __call__(self, t: int, z: Exact) -> tuple[Fraction, Exact]:
        """Return value and gradient; only bumps that reach ``z`` count."""
        t = in_range("t", t, len(self.C), "read-out")
        shaped("z", z, self.C.shape[1])
        value, slope = self.C[t] @ z, self.C[t] + Fraction(0)
        for centre, h in zip(self.centres, self.h, strict=True):
            gap = z - centre
            rest = 1 - gap @ gap / self.radius2
            if rest > 0:
                line = self.rho + h @ gap
                value = value + rest**2 * line
                slope = slope + rest**2 * h - 4 * rest * line / self.radius2 * gap
        return value, slope


@checked
@dataclass(frozen=True, eq=False)
class StationaryMember(Network):
    r"""A network whose first layer lies in the span of the inputs and is stationary for a decayed loss.

    :math:`W=A^\top X` and a :class:`BumpReadout` at :math:`z_i=Wx^{(i)}`.  There
    :math:`f=\langle c_{t_i},z_i\rangle+\rho` with gradient :math:`c_{t_i}+h_i`; so, with the residuals :math:`r_i`,

    .. math:: h_i=-c_{t_i}-\frac{\lambda n}{\ell'(r_i)}A_i\quad\Rightarrow\quad
        \nabla_W\frac1n\sum_i\ell(r_i)=\frac1n\sum_i\ell'(r_i)(c_{t_i}+h_i)x^{(i)\top}=-\lambda W .

    Parameters
    ----------
    X : integer inputs, shape ``(n, N, d)``.
    t, y : indices from 0 and exact labels, shape ``(n,)``.
    lam : the decay :math:`\lambda>0`.
    C, A : exact read-outs, shape ``(N, m)``, and combinations of the inputs, shape ``(n, m)``.
    rho : the height :math:`\rho` of the bumps, which must not make a slope of the loss 0.
    shrink : the radius :math:`r_0` over half the least distance of the data, at most 1.
    loss : a name among :data:`~theorytools.tasks.sparse_regression.SLOPES`.

    Raises
    ------
    DomainError
        For unequal lengths, numbers out of range, data that ``W`` merges, or a residual 0.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Definition 5, arXiv 2503.11272v1.  Construction derived here.

    Examples
    --------
    >>> one = Fraction(1)
    >>> net = StationaryMember.oracle(np.array([[[1], [0]]]), [0], [one], Fraction(1, 2))
    >>> net.linear_risk([one]), net.readout.h.tolist()
    (Fraction(1, 2), [[Fraction(-3, 2)]])
    """

    X: NDArray[np.int64] = field(repr=False)
    t: Sequence[int]
    y: Sequence[Fraction] = field(repr=False)
    lam: Fraction
    C: Exact = field(repr=False)
    A: Exact = field(repr=False)
    rho: Fraction = Fraction(1)
    shrink: Fraction = Fraction(1)
    loss: str = "squared"

    def __post_init__(self) -> None:
        if not len(self.X) == len(self.t) == len(self.y) == len(self.A):
            raise DomainError(
                f"{len(self.X)} inputs, {len(self.t)} indices, {len(self.y)} labels", required="n of each"
            )
        n, (N, m) = len(self.X), self._sized()
        indices("t", list(self.t), N, n)
        shaped("A", self.A, n, m)
        if not (self.lam > 0 and 0 < self.shrink <= 1):
            raise DomainError(f"lam = {self.lam}, shrink = {self.shrink}", required="lam > 0, 0 < shrink <= 1")
        if not all(self._squares) or not all(self._residuals):
            raise DomainError("data that the first layer merges, or a residual 0", required="distinct W x, rho generic")

    @classmethod
    @ranks(X=3)
    def oracle(
        cls, X: NDArray[np.int64], t: Sequence[int], u: Sequence[Fraction], lam: Fraction, **options: Any
    ) -> StationaryMember:
        r"""Return the member whose linear part is the best in the span for labels :math:`\langle u,x_t\rangle`.

        :math:`W=X` (independent inputs) and :math:`c_t=(XX^\top)^{-1}XP_tu`.

        Parameters
        ----------
        X : independent integer inputs, shape ``(n, N, d)``.
        t : indices from 0, shape ``(n,)``.
        u : direction of the labels, shape ``(d,)``.
        lam : the decay :math:`\lambda>0`.
        options : ``rho``, ``shrink`` and ``loss``, as of the class.

        Returns
        -------
        StationaryMember : with ``A`` the identity.

        Raises
        ------
        DomainError : shapes that do not fit, or as the class.
        """
        n, N, d = X.shape
        indices("t", list(t), N, n)
        shaped("u", np.asarray(u), d)
        rows, v = np.array(X.reshape(n, -1).tolist(), dtype=object), np.array(list(u), dtype=object) + Fraction(0)
        seen = np.array([rows[:, s * d : (s + 1) * d] @ v for s in range(N)]).T
        C = np.array(solve_rational(rows @ rows.T, seen), dtype=object).T
        return cls(X, t, [seen[i, s] for i, s in enumerate(t)], lam, C, np.eye(n, dtype=int).astype(object), **options)

    def _sized(self) -> tuple[int, int]:
        """The shape of the read-outs, one for each index."""
        shaped("X", self.X, "n", "N", "d")
        shaped("C", self.C, self.X.shape[1], "m")
        return self.C.shape

    @cached_property
    def W(self) -> Exact:
        r"""The first layer :math:`A^\top X`, shape ``(m, N d)``."""
        return self.A.T @ self._rows + Fraction(0)

    @cached_property
    def readout(self) -> BumpReadout:
        """The rest of the network."""
        steps = [self.lam * len(self.y) / slope_of(self.loss)(r) for r in self._residuals]
        h = np.array([-self.C[t] - s * a for t, s, a in zip(self.t, steps, self.A, strict=True)], dtype=object)
        nearest = min(self._squares, default=Fraction(4))
        return BumpReadout(self.C, self._centres, h, self.rho, nearest / 4 * Fraction(self.shrink) ** 2)

    def linear_risk(self, u: Sequence[Fraction]) -> Fraction:
        r"""Return the population risk :math:`\frac1N\sum_t\lVert P_tu-W^\top c_t\rVert^2` without the bumps.

        Parameters
        ----------
        u : direction of the labels, ``d`` Fractions of which the squares sum to 1.

        Returns
        -------
        Fraction : exact.
        """
        gaps, d = -(self.C @ self.W), self.X.shape[2]
        shaped("u", np.asarray(u), d)
        for t in range(len(gaps)):
            gaps[t, t * d : (t + 1) * d] += np.array(list(u), dtype=object)
        return (gaps * gaps).sum() / Fraction(len(gaps))

    def bump_norm(self) -> Enclosure:
        r"""Return a bound of the root mean square of the bumps on Gaussian prompts; ``W`` of independent rows.

        A bump is at most :math:`|\rho|+\lVert h_i\rVert r_0`, no two overlap, and :math:`z\sim N(0,WW^\top)` meets
        one with probability at most
        :math:`V_mr_0^m(2\pi)^{-m/2}\det(WW^\top)^{-1/2}`, its volume times the largest density.

        Raises
        ------
        DomainError : a first layer of dependent rows.
        """
        f, m = self.readout, len(self.W)
        r0 = Enclosure(f.radius2).sqrt()
        height = abs(Enclosure(f.rho)) + maximum([Enclosure(h @ h).sqrt() for h in f.h]) * r0
        volume = Enclosure(2) if m % 2 else Enclosure(1)
        for k in range(2 + m % 2, m + 1, 2):  # V_k = V_(k-2) 2 pi/k
            volume = volume * 2 * pi() / k
        density = (Enclosure(_determinant(self.W @ self.W.T)) * (2 * pi()) ** m).sqrt()
        return height * (len(f.h) * volume * r0**m / density).sqrt()

    def __call__(self, X: Array, T: Indices) -> Array:
        """Return the predictions, shape ``(b, N)``, for prompts ``(b, N, d)`` and indices ``(b, N, 1)``."""
        X, T = checked_prompts(X, T)
        if X.shape[1:] != self.X.shape[1:] or T.shape[2] != 1:
            raise DomainError(
                f"X {X.shape}, T {T.shape}", required=f"(b, {self.X.shape[1]}, {self.X.shape[2]}), one index"
            )
        W, C, centres, h, rho, radius2 = self.doubles
        z = X.reshape(len(X), -1) @ W.T
        gaps = z[:, None] - centres
        rest = np.maximum(1 - np.square(gaps).sum(axis=2) / radius2, 0.0)
        bumps = (np.square(rest) * (rho + (gaps * h).sum(axis=2))).sum(axis=1)
        return np.take_along_axis(z @ C.T, T[:, :, 0], axis=1) + bumps[:, None]

    def exact(self, X: Any, T: Indices) -> Exact:
        """Return a call on integers or Fractions, exactly."""
        N, d = self.X.shape[1:]
        X = exact_array("X", X, "b", N, d)
        T = indices("T", T, N, len(X), N, 1)
        rows = X.reshape(len(X), -1) @ self.W.T
        return np.array([[self.readout(int(t), z)[0] for t in row[:, 0]] for z, row in zip(rows, T, strict=True)])

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        r"""Return a bound on the rounding of predictions.

        With :math:`\delta` the rounding of :math:`z`, the read-outs add :math:`\lVert c_t\rVert_1\delta`; a bump has
        modulus at most :math:`b=|\rho|+\lVert h\rVert r_0` and slope at most :math:`\lVert h\rVert+4b/r_0`, its
        :math:`1-\lVert z-z_i\rVert^2/r_0^2` is off by :math:`\gamma_{m+8}(1+2\lVert z-z_i\rVert/r_0)` where it counts.
        """
        W, C, centres, h, rho, radius2 = self.doubles
        m, r0 = len(W), radius2**0.5
        z = float(np.abs(W).sum(axis=1).max()) * size
        delta = (gamma(W.shape[1] + 4, u) * z + 2 * u * (float(np.abs(centres).max()) + z)) * m**0.5
        b = abs(rho) + np.linalg.norm(h, axis=1) * r0
        bumps = float((delta * (np.linalg.norm(h, axis=1) + 4 * b / r0) + 12 * gamma(m + 8, u) * b).sum())
        return float(np.abs(C).sum(axis=1).max()) * (delta + gamma(m + 4, u) * z) + bumps

    certificate = absent("the error is random: linear_risk() and bump_norm() bound its mean square")
    norms = absent("claims speak of the gradient, not of norms")

    def sizes(self) -> dict[str, int]:
        """Return the neurons of the first layer, the module's only parameters."""
        return {"width": len(self.W), "parameters": self.W.size}

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a ``torch.nn.Module`` that computes the same function, ``W`` trainable (float64 unless asked)."""
        return twin("theorytools.papers.qstr.torch.first_layers:StationaryModule")(self, dtype, device)

    @cached_property
    def doubles(self) -> tuple[Any, ...]:
        """What the module holds: first layer, read-outs, centres, slopes, heights and squared radius, in doubles."""
        f = self.readout
        tables = (np.array(part, dtype=np.float64) for part in (self.W, f.C, f.centres, f.h))
        return (*tables, float(f.rho), float(f.radius2))

    @cached_property
    def _rows(self) -> Exact:
        return np.array(self.X.reshape(len(self.X), -1).tolist(), dtype=object)

    @cached_property
    def _centres(self) -> Exact:
        return self._rows @ self.W.T

    @cached_property
    def _squares(self) -> list[Fraction]:
        z = self._centres
        return [((z[i] - z[k]) ** 2).sum() for i in range(len(z)) for k in range(i)]

    @cached_property
    def _residuals(self) -> list[Fraction]:
        values = [self.C[t] @ z + self.rho for t, z in zip(self.t, self._centres, strict=True)]
        return [value - y for value, y in zip(values, self.y, strict=True)]


def _determinant(S: Exact) -> Fraction:
    """The determinant of a positive definite matrix: the product of its pivots."""
    A, product = S + Fraction(0), Fraction(1)
    for k in range(len(A)):
        if not A[k, k] > 0:
            raise DomainError("a first layer of dependent rows", required="independent rows", why="Wx has no density")
        product *= A[k, k]
        A[k + 1 :] = A[k + 1 :] - np.outer(A[k + 1 :, k] / A[k, k], A[k])
    return product
