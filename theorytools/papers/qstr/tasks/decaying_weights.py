r"""Labels whose weights decay over all positions: how much a retrieval of :math:`q` tokens must miss.

The label is :math:`y=\sum_{k<N}c_k\langle u,x_{(t+k)\bmod N}\rangle`, :math:`\lVert u\rVert=1`, with weights
:math:`c_0\ge c_1\ge\dots>0`, :math:`\sum_kc_k^2=1`, proportional to :math:`(1+k)^{-a}` (power) or
:math:`e^{-k/\xi}` (exponential).  Tokens are independent with mean 0 and covariance :math:`I`.

*q tokens.*  A predictor that sees :math:`t` and the tokens at :math:`q` offsets :math:`S`, fixed before the tokens are
drawn, errs by at least :math:`\sum_{k\notin S}c_k^2`: the rest of the label is independent of what it sees, has mean 0
and this variance, and the weighted sum over :math:`S` attains it.  The weights decrease, so the least over :math:`S` is

.. math:: F_q=\sum_{k\ge q}c_k^2.

*No retrieval.*  Given all tokens and not :math:`t`, uniform and independent of them, the label has the conditional mean
:math:`\frac1N(\sum_kc_k)\sum_j\langle u,x_j\rangle`, so the least error is :math:`1-\frac1N(\sum_kc_k)^2`.

*One row of attention.*  Positive weights are a multiple of a row of attention: one head with a scale errs by nothing.
So :math:`F_1` bounds a head that reads one token, not every head.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import STEPS, NonNegativeInt, Real, at_most, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, between, total

Decay = Literal["power", "exponential"]
DECAYS: tuple[Decay, ...] = ("power", "exponential")


@checked
@dataclass(frozen=True)
class DecayingWeights:
    r"""The weights of a label that is only approximately sparse.

    Parameters
    ----------
    N : number of positions.
    decay : ``"power"``, :math:`c_k\propto(1+k)^{-a}`, or ``"exponential"``, :math:`c_k\propto e^{-k/\xi}`.
    rate : the exponent :math:`a\ge0` or the length :math:`\xi>0`, an exact rational.

    Raises
    ------
    DomainError
        For another decay, ``N < 1``, or a rate out of range.

    References
    ----------
    Derived here, for question (c) on Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), arXiv 2503.11272v1.

    Examples
    --------
    >>> one = DecayingWeights(4, "power", Fraction(1))
    >>> one.floor(1).fraction(), one.without_index().fraction()
    (Fraction(61, 205), Fraction(39, 164))
    """

    N: int
    decay: Decay
    rate: Fraction

    def __post_init__(self) -> None:
        if self.decay not in DECAYS or self.N < 1:
            raise DomainError(f"decay = {self.decay!r}, N = {self.N}", required=f"one of {', '.join(DECAYS)}, N >= 1")
        object.__setattr__(self, "rate", Fraction(self.rate))
        if self.rate < 0 or (self.decay == "exponential" and self.rate == 0):
            raise DomainError(f"rate = {self.rate}", required="a >= 0, or xi > 0")

    def proportions(self) -> list[Enclosure]:
        r"""Return :math:`c_k/c_0`, at the ambient precision; rational for whole exponents."""
        if self.decay == "power":
            return [Enclosure(1 + k) ** -self.rate for k in range(self.N)]
        return [Enclosure(-k / self.rate).exp() for k in range(self.N)]

    def squares(self) -> list[Enclosure]:
        r"""Return :math:`c_k^2`, which add up to one; rational for exponents that are multiples of 1/2."""
        if self.decay == "power":
            found = [Enclosure(1 + k) ** (-2 * self.rate) for k in range(self.N)]
        else:
            found = [Enclosure(-2 * k / self.rate).exp() for k in range(self.N)]
        whole = total(found)
        return [square / whole for square in found]

    def floor(self, q: int) -> Enclosure:
        r"""Return :math:`F_q=\sum_{k\ge q}c_k^2`, the least error with ``q`` tokens; ``DomainError`` for ``q < 0``."""
        if q < 0:
            raise DomainError(f"q = {q}", required="q >= 0")
        return total(self.squares()[q:])

    def without_index(self) -> Enclosure:
        r"""Return :math:`1-\frac1N(\sum_kc_k)^2`, the least error of a predictor that does not see the index."""
        found = self.proportions()
        return 1 - total(found) ** 2 / (total(c * c for c in found) * self.N)

    def array(self) -> NDArray[np.float64]:
        r"""Return :math:`c_k` in doubles, shape ``(N,)``."""
        k = np.arange(self.N, dtype=np.float64)
        raw = (1 + k) ** -float(self.rate) if self.decay == "power" else np.exp(-k / float(self.rate))
        return raw / np.sqrt(np.square(raw).sum())


@checked
@at_most(N=STEPS, digits=STEPS)
def breakdown_rate(
    N: NonNegativeInt,
    decay: Decay,
    threshold: Real,
    *,
    q: int = 1,
    digits: NonNegativeInt = 12,
    most: Fraction = Fraction(1024),
) -> Enclosure:
    r"""Return the rate at which the floor :math:`F_q` crosses a threshold, enclosed to ``digits`` decimal digits.

    For the power law :math:`F_q` falls strictly with :math:`a`, from :math:`1-q/N` at 0 to 0: each
    :math:`c_k^2/c_j^2=((1+j)/(1+k))^{2a}`, :math:`k>j`, does.  For the exponential it rises with :math:`\xi` to
    :math:`1-q/N`.  So bisection on rationals, each step decided by enclosures, ends on both sides of the one crossing.

    Parameters
    ----------
    N, decay, q : as above, ``1 <= q < N``.
    threshold : an exact number in :math:`(0,1-q/N)`.
    digits : decimal digits of the rate.
    most : the largest rate considered; ``DomainError`` if the crossing is beyond.

    Raises
    ------
    DomainError
        If the floor does not cross the threshold below ``most``, or a comparison stays open.

    Examples
    --------
    >>> breakdown_rate(2, "power", Fraction(1, 5)).contains(1)  # 4^-a / (1 + 4^-a) = 1/5
    True
    """
    target, falls = Enclosure(threshold), decay == "power"
    if not 1 <= q < N or not (target.certainly_lt(1 - Fraction(q, N)) and Enclosure(0).certainly_lt(target)):
        raise DomainError(f"the threshold {threshold} at q = {q}, N = {N}", required="1 <= q < N, 0 < it < 1 - q/N")

    def beyond(rate: Fraction) -> bool:
        """Whether the crossing lies below this rate."""
        floor = DecayingWeights(N, decay, rate).floor(q)
        less = floor.certainly_le(target) if falls else target.certainly_le(floor)
        if less is None:
            raise DomainError(f"the floor at the rate {rate}", required="decided at the ambient precision")
        return less

    low, high, scale = Fraction(0), Fraction(1), 2
    while not beyond(high):
        low, high = high, high * scale
        if high > most:
            raise DomainError(f"the threshold {threshold}", required=f"crossed at a rate of at most {most}")
    while high - low > Fraction(1, 10**digits):
        middle = (low + high) / 2
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return between(Enclosure(low), Enclosure(high))
