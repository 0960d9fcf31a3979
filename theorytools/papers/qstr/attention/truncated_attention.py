r"""How far attention on sign codes has to look: a Hamming radius, known before anything is computed."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.arguments.checked import NonNegativeInt, Real, checked
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import Enclosure, at_precision
from theorytools.numbers.rational import shortest_fraction
from theorytools.numbers.softmax import boltzmann, exact_number

_BITS = 128
_U = Fraction(1, 2**53)
_TINY = _U**19  # 2^-1007
_WHY = "a retrieved token is a weighted mean, evaluated in float64 with the far codes left out"


@checked
@dataclass(frozen=True, kw_only=True)
class TruncatedAttention:
    r"""A weighted mean over the codes within distance :math:`r` is off by no more than the tolerance.

    A query at code :math:`\omega_t` retrieves :math:`f=\sum_jw_jx_j/\sum_jw_j`, :math:`w_j=\lambda^{k_j}`,
    :math:`\lambda=e^{-2\beta/d_e}`, where :math:`k_j` is the Hamming distance of :math:`\omega_t` and
    :math:`\omega_j`; :math:`\beta\ge0`, and :math:`k_t=0`.  Only :math:`k_j\le r` is kept.

    *The cut.*  Let :math:`S\ge w_t=1` and :math:`R` be the sums of the kept and of the dropped weights, and
    :math:`m_S,m_R` the two weighted means of tokens.  Then :math:`f=(Sm_S+Rm_R)/(S+R)`, so

    .. math:: \|f-m_S\|=\frac R{S+R}\|m_R-m_S\|\le2r_x\frac{\bar R}{1+\bar R},\qquad
              R\le\bar R=(N-1)\lambda^{r+1},\quad\|x_j\|\le r_x,

    an equality when :math:`N-1` codes lie at distance :math:`r+1` and carry :math:`-x_t`, :math:`\|x_t\|=r_x`.

    *The rounding.*  Let :math:`u=2^{-53}` and let :math:`n\le N` terms be kept.  A stored weight has relative
    error at most :math:`\frac32u` (checked for each), less than two roundings; a product adds one, a sum of
    :math:`n` terms in any order at most :math:`n-1`, the quotient one.  Each term of the mean therefore carries
    at most :math:`2+1+(n-1)` roundings above, :math:`2+(n-1)` below the line, and 1: a factor
    :math:`1+\theta`, :math:`|\theta|\le\gamma=\frac{(2N+4)u}{1-(2N+4)u}`.  By Minkowski's inequality the result
    is off by :math:`\gamma\sum_jw_j\|x_j\|/S\le\gamma r_x`.  Underflow, gradual or to zero, moves each of the at
    most :math:`N` products, :math:`N` sums and the quotient of a coordinate by :math:`2^{-1021}` or less, and
    the computed :math:`S` is at least 1, so it adds less than :math:`d(N+1)2^{-1020}<d(N+1)u^{19}`.  Hence

    .. math:: \|\hat f-f\|\le2r_x\frac{\bar R}{1+\bar R}+\gamma r_x+d(N+1)u^{19}\le\tau .

    ``radius`` is the least :math:`r` for which enclosures prove the last inequality.  It grows with the
    logarithm of :math:`N/\tau` only: :math:`r<\frac{d_e}{2\beta}\log\frac{2r_x(N-1)}{\tau'}`, where
    :math:`\tau'` is :math:`\tau` less the rounding.

    Parameters
    ----------
    N, d_e, d : number of codes, their dimension, token dimension.
    beta : effective inverse temperature, an exact number :math:`\ge0`.
    r_x : bound on :math:`\|x_j\|_2`, a rational number.
    tolerance : :math:`\tau>0`; a float means its shortest decimal.

    Raises
    ------
    DomainError : negative ``beta``, a tolerance that is not positive or not above the rounding, tokens so large
        that their sum may overflow.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11, arXiv 2503.11272v1; the cut is derived here.
    Higham (2002), Accuracy and Stability of Numerical Algorithms, Lemma 3.1.

    Examples
    --------
    >>> cut = TruncatedAttention(N=10**5, d_e=57, d=10, beta=46, r_x=7, tolerance=1e-6)
    >>> cut.radius, f"{float(cut.error):.1e}", f"{float(cut.rounding):.1e}"
    (17, '3.4e-07', '1.6e-10')
    """

    N: int
    d_e: int
    d: int
    beta: Real
    r_x: Fraction | int
    tolerance: Real

    def __post_init__(self) -> None:
        if min(self.N, self.d_e, self.d) < 1:
            given = f"N = {self.N}, d_e = {self.d_e}, d = {self.d}"
            raise DomainError(given, required="positive integers", why=_WHY)
        if self.temperature.is_nonnegative is not True:
            why = "the weights must not grow with the distance"
            raise DomainError(f"beta = {self.beta}", required="beta >= 0", why=why)
        if not 0 <= self.r_x * self.N < 2**1000:
            given = f"N = {self.N}, r_x of {int(self.r_x).bit_length()} bits before the point"
            raise DomainError(given, required="0 <= N r_x < 2^1000", why="a sum of tokens must not overflow")
        if self.tau <= self.rounding:
            given = f"tolerance {float(self.tau):.3g}"
            advice = f"take a tolerance above {float(self.rounding):.2g}, or net.exact_token for an enclosure"
            raise DomainError(given, required="more than the rounding", why=_WHY, advice=advice)

    @property
    def tau(self) -> Fraction:
        r"""The tolerance :math:`\tau` as a rational number."""
        return shortest_fraction(self.tolerance)

    @property
    def temperature(self) -> sympy.Expr:
        """The inverse temperature as an exact number."""
        return exact_number(self.beta, "beta")

    @property
    def rounding(self) -> Fraction:
        r"""The float64 part of the error, :math:`\gamma r_x+d(N+1)u^{19}`; it does not depend on the radius."""
        roundings = (2 * self.N + 4) * _U
        return roundings / (1 - roundings) * self.r_x + (self.d * (self.N + 1) * _TINY if self.r_x else 0)

    def dropped(self, radius: NonNegativeInt) -> Enclosure:
        r"""Return :math:`2r_x\bar R/(1+\bar R)` for a radius, at the ambient precision; 0 if no code is beyond."""
        if radius >= self.d_e:
            return Enclosure(0)
        rest = (self.N - 1) * boltzmann(self.temperature, 2, self.d_e) ** (radius + 1)
        return 2 * self.r_x * rest / (1 + rest)

    @cached_property
    def radius(self) -> int:
        """The least radius whose total error is proved to be within the tolerance."""
        # the error falls with the radius, and at d_e only the rounding is left
        return at_precision(_BITS, lambda: bisect_left(range(self.d_e + 1), True, key=self._suffices))

    def _suffices(self, radius: int) -> bool:
        return (self.dropped(radius) + self.rounding).certainly_le(self.tau) is True

    @property
    def error(self) -> Enclosure:
        """The certified bound on the error of a retrieved token, in the Euclidean norm."""
        return at_precision(_BITS, lambda: self.dropped(self.radius) + self.rounding)

    def weights(self) -> NDArray[np.float64]:
        r"""Return :math:`\lambda^0,\dots,\lambda^r` in float64, shape ``(radius + 1,)``.

        Raises
        ------
        CertificateError : if one of them has a relative error above :math:`\frac32u` (weights below the normal
            range, that is a tolerance just above the rounding).
        """
        return at_precision(_BITS, self._weights)

    def _weights(self) -> NDArray[np.float64]:
        step = boltzmann(self.temperature, 2, self.d_e)
        exact = [step**k for k in range(self.radius + 1)]
        stored = np.array([float(w) for w in exact])
        for k, w in enumerate(exact):
            if abs(w - float(stored[k])).certainly_le(Fraction(3, 2) * _U * w) is not True:
                raise CertificateError(
                    f"the weight {stored[k]:.3g} at distance {k}", required="a relative error of 3/2 of 2^-53",
                    why=_WHY, advice="raise the tolerance",
                )  # fmt: skip
        return stored


def largest_norm(X: NDArray[np.float64]) -> Fraction:
    r"""Return a rational bound on :math:`\max_j\|x_j\|_2`, within a relative :math:`(d+8)2^{-53}` of it.

    The tokens are scaled by a power of 2, so that the largest entry lies in :math:`[1,2)`; then each square has one
    rounding, their sum :math:`d-1`, halved by the root, which adds one.  Entries and squares that underflow change
    a sum of at least 1 by less than one rounding more.
    """
    largest = max(float(X.max(initial=0)), -float(X.min(initial=0)))
    if largest == 0:
        return Fraction(0)
    scale = 2.0 ** (np.frexp(largest)[1] - 1)
    squares = np.zeros(len(X))
    for column in X.T:  # one column at a time: no second copy of the tokens
        squares += (column / scale) ** 2
    return Fraction(scale) * Fraction(float(np.sqrt(squares.max()))) * (1 + (X.shape[1] + 8) * _U)
