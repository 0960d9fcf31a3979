r"""A recurrent pass whose transition is only approximate and rectified, in rationals, against an adversary.

Four layers: an approximation :math:`\chi_2=\Psi+\xi`, :math:`\lVert\xi\rVert_\infty\le s`, of the exact transition
:math:`\Psi(x,t,i)_l=x\,\mathbb 1[i=t_l]`, and behind it the rectifier

.. math:: \rho_b(v)=(I,-I)\,\sigma\Bigl(\binom{I}{-I}v-b\mathbf 1\Bigr),

which is zero on :math:`[-b,b]` and within :math:`b` of the identity.  With :math:`s=b=\varepsilon/2` every mismatch
is exactly zero and a match is off by at most :math:`\varepsilon`; and no entry grows, since
:math:`|\rho_b(x+\xi)|=(|x+\xi|-b)_+\le|x|`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import ArrayLike

from theorytools.arguments.checked import checked
from theorytools.constructions.feedforward.piecewise_linear import Number
from theorytools.constructions.recurrent.position_tracker import Numbers, PositionTracker
from theorytools.constructions.recurrent.simple_retrieval import project
from theorytools.constructions.shapes import shaped
from theorytools.errors import DomainError

Adversary = Callable[[Numbers, Numbers], Numbers]
GRAIN = 64  # an adversary moves in steps of size/64


@dataclass(frozen=True)
class Passes:
    r"""Both directions in integer multiples of ``unit``.

    Attributes
    ----------
    forward, backward : the states, shape ``(n, N, q d)``.
    unit : the rational unit of the states.
    moved : number of states that the projection moved.
    largest2 : largest squared norm of a state before it is projected, as a rational.
    """

    forward: Numbers
    backward: Numbers
    unit: Fraction
    moved: int
    largest2: Fraction


@checked
@dataclass(frozen=True)
class RectifiedRNN:
    r"""States :math:`h_{j+1}=\Pi_{r_h}(h_j+\rho_b(\Psi(z_j)+\xi_j))` in both directions, exactly.

    An adversary sees the exact increment and the state and returns integers :math:`\theta_j\in[-64,64]^{qd}`; then
    :math:`\xi_j=\frac s{64}\theta_j`.

    Attributes
    ----------
    tracker : the exact transition :math:`\Psi`.
    radius : radius :math:`r_h` of the states, rational.
    size : largest entry ``s`` of the perturbation, rational.
    threshold : level ``b`` of the rectifier, rational; 0 leaves it out.

    Raises
    ------
    DomainError
        For a radius that is not positive, a negative size or threshold, or an adversary that goes beyond its size.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Proposition 26, Corollary 27, arXiv 2503.11272v1.

    Examples
    --------
    >>> tracker = PositionTracker(np.array([[1, 1], [1, -1]]), K=4, q=1, d=1)
    >>> net = RectifiedRNN(tracker, radius=9, size=Fraction(1, 2), threshold=Fraction(1, 2))
    >>> found = net.passes([[[3], [-2]]], [[[0], [0]]], lambda exact, h: np.full(exact.shape, 64))
    >>> (found.forward * found.unit).tolist()
    [[[Fraction(0, 1)], [Fraction(3, 1)]]]
    """

    tracker: PositionTracker
    radius: Number
    size: Number
    threshold: Number

    def __post_init__(self) -> None:
        if not self.radius > 0 or not self.size >= 0 or not self.threshold >= 0:
            raise DomainError(
                f"radius {self.radius}, size {self.size}, threshold {self.threshold}",
                required="a positive radius, the others not negative",
            )

    @cached_property
    def unit(self) -> Fraction:
        """A unit of which the radius, the threshold and the steps of the adversary are multiples."""
        step = Fraction(self.size, GRAIN)
        return Fraction(
            1, lcm(step.denominator, Fraction(self.threshold).denominator, Fraction(self.radius).denominator)
        )

    def increment(self, exact: Numbers, h: Numbers, adversary: Adversary) -> Numbers:
        r"""Return :math:`\rho_b(\Psi+\xi)` in units.

        Parameters
        ----------
        exact : exact increments in units, shape ``(n, q d)``.
        h : states in units, shape ``(n, q d)``.
        adversary : ``adversary(exact, h)`` returns integers from -64 to 64 of their shape.

        Returns
        -------
        array : integers, shape ``(n, q d)``.

        Raises
        ------
        DomainError : other shapes, or a perturbation beyond its size.
        """
        shaped("h", h, *exact.shape)
        share = np.asarray(adversary(exact, h))
        if share.shape != exact.shape or share.dtype.kind != "i" or (np.abs(share) > GRAIN).any():
            raise DomainError("a perturbation beyond its size", required=f"integers in [-64, 64], shape {exact.shape}")
        v, b = exact + self._units(Fraction(self.size, GRAIN)) * share, self._units(self.threshold)
        rectified: Numbers = np.maximum(v - b, 0) - np.maximum(-v - b, 0)
        return rectified

    def exact(self, X: ArrayLike, T: ArrayLike) -> Numbers:
        r"""Return the exact increments :math:`\Psi(z_j)` in units.

        Parameters
        ----------
        X : integer tokens, shape ``(n, N, d)``.
        T : indices from 0, shape ``(n, N, q)``.

        Returns
        -------
        array : integers, shape ``(n, N, q d)``.
        """
        return self.tracker(self.tracker.encode(X, T)) * self._units(1)

    def passes(self, X: ArrayLike, T: ArrayLike, adversary: Adversary) -> Passes:
        """Run both directions.

        Parameters
        ----------
        X, T : as in :meth:`exact`.
        adversary : as in :meth:`increment`.

        Returns
        -------
        Passes : all states, in integer multiples of its unit.

        Raises
        ------
        DomainError : a perturbation beyond its size.
        """
        psi = self.exact(X, T)
        forward, m_1, top_1 = self._pass(psi, adversary)
        backward, m_2, top_2 = self._pass(psi[:, ::-1], adversary)
        return Passes(forward, backward[:, ::-1], self.unit, m_1 + m_2, max(top_1, top_2) * self.unit**2)

    def _units(self, value: Number) -> int:
        return int(value / self.unit)

    def _pass(self, psi: Numbers, adversary: Adversary) -> tuple[Numbers, int, Fraction]:
        h = np.zeros_like(psi[:, 0])
        found, moved, top = [h], 0, Fraction(0)
        for j in range(psi.shape[1] - 1):
            free = h + self.increment(psi[:, j], h, adversary)
            h = project(free, self._units(self.radius))
            moved += int((h != free).any(axis=-1).sum())
            top = max(top, *(Fraction(v) for v in (free * free).sum(axis=-1).tolist()))
            found.append(h)
        return np.stack(found, axis=1), moved, top
