r"""Squared error of a linear readout of the attended token: leakage that averages out costs little.

For independent isotropic tokens (:math:`E\,x_jx_k^\top=1_{j=k}I`), one slot, the label
:math:`\langle u,x_t\rangle`, :math:`\lVert u\rVert=1`, and the prediction
:math:`c\,\langle u,\sum_j\pi_{tj}x_j\rangle`,

.. math:: R(c)=\frac1N\sum_t\lVert c\,\pi_t-e_t\rVert^2
              =c^2\,\overline{\lVert\pi_t\rVert^2}-2c\,\bar\pi+1,\qquad\bar\pi=\frac1N\sum_t\pi_{tt},

a bar being the mean over the indexed position.  No moment of the tokens beyond the second enters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, checked
from theorytools.codes.protocol import Code
from theorytools.constructions.attention.leakage import Profiles, excess_weights
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, maximum, minimum, total
from theorytools.numbers.softmax import exact_number


@checked
@dataclass(frozen=True)
class ReadoutRisk:
    r"""The exact risk of a linear readout of block attention, with any scale ``c``.

    With :math:`S_t(\beta)=\sum_{j\ne t}e^{\beta(G_{tj}-1)}` the attention row of position ``t`` has
    :math:`\pi_{tt}=1/(1+S_t(\beta))` and
    :math:`\lVert\pi_t\rVert^2=(1+S_t(2\beta))/(1+S_t(\beta))^2`: all that matters are the code's distance counts.

    Parameters
    ----------
    code : the position code.
    beta : inverse temperature :math:`\beta\ge0`, an exact number.

    Raises
    ------
    DomainError
        If ``beta`` is negative.

    References
    ----------
    Derived here, for the construction of Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11,
    arXiv 2503.11272v1.

    Examples
    --------
    >>> from theorytools import orthonormal
    >>> risk = ReadoutRisk(orthonormal(5), 2 * sympy.log(2))  # zeta = 4/16
    >>> risk.rescaled().fraction(), risk.plain().fraction()
    (Fraction(1, 5), Fraction(5, 16))
    """

    code: Code
    beta: Real

    def __post_init__(self) -> None:
        if self.temperature.is_negative:
            raise DomainError(f"beta = {self.temperature}", required="beta >= 0")

    @property
    def temperature(self) -> sympy.Expr:
        """The inverse temperature as an exact number."""
        return exact_number(self.beta, "beta")

    @cached_property
    def _rows(self) -> tuple[Profiles, NDArray[np.int64]]:
        """The distinct rows of the Gram matrix and how many positions have each."""
        values, counts = self.code.gram_counts()
        if counts.strides[0] == 0:  # a linear code: one row, seen N times
            rows, times = np.array(counts[:1]), np.array([self.code.N])
        else:
            rows, times = np.unique(counts, axis=0, return_counts=True)
        s = self.code.gram_denominator
        return Profiles(tuple(s - int(v) for v in values), rows, s), times

    def own_weights(self) -> list[Enclosure]:
        r"""Return :math:`\pi_{tt}` of each distinct row, at the ambient precision."""
        return [1 / (1 + S) for S in excess_weights(self._rows[0], self.temperature)]

    def excess_squares(self) -> list[Enclosure]:
        r"""Return :math:`S_t(2\beta)` of each distinct row: :math:`\sum_{j\ne t}(\pi_{tj}/\pi_{tt})^2`."""
        return excess_weights(self._rows[0], 2 * self.temperature)

    def mean_own_weight(self) -> Enclosure:
        r"""Return :math:`\bar\pi`."""
        return self._mean(self.own_weights())

    def mean_square(self) -> Enclosure:
        r"""Return :math:`\overline{\lVert\pi_t\rVert^2}`."""
        rows = zip(self.own_weights(), self.excess_squares(), strict=True)
        return self._mean([own**2 * (1 + squares) for own, squares in rows])

    def plain(self) -> Enclosure:
        """Return the risk of the attended token as it is, scale 1."""
        return self.at_scale(1)

    def at_scale(self, c: Real) -> Enclosure:
        r"""Return :math:`R(c)` for an exact number or enclosure ``c``."""
        return self.mean_square() * c * c - self.mean_own_weight() * 2 * c + 1

    def best_scale(self) -> Enclosure:
        r"""Return the scale of least risk, :math:`\bar\pi/\overline{\lVert\pi_t\rVert^2}`."""
        return self.mean_own_weight() / self.mean_square()

    def rescaled(self) -> Enclosure:
        r"""Return the least risk over all scales, :math:`1-\bar\pi^2/\overline{\lVert\pi_t\rVert^2}`."""
        return 1 - self.mean_own_weight() ** 2 / self.mean_square()

    def position_risk(self) -> Enclosure:
        r"""Return :math:`\max_tS_t(2\beta)/(1+S_t(2\beta))`, the largest risk if each position had its own scale."""
        worst = maximum(self.excess_squares())
        return worst / (1 + worst)

    def spread(self) -> Enclosure:
        r"""Return :math:`(\pi_{\max}-\pi_{\min})/(\pi_{\max}+\pi_{\min})` over the own weights :math:`\pi_{tt}`."""
        own = self.own_weights()
        low, high = minimum(own), maximum(own)
        return (high - low) / (high + low)

    def _mean(self, values: list[Enclosure]) -> Enclosure:
        times = self._rows[1].tolist()
        return total(value * count for value, count in zip(values, times, strict=True)) / self.code.N
