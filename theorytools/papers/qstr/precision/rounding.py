r"""What rounding adds to the error of a retrieved token: one bound for all prompts and all orders of summation.

*Model.*  A query points at position :math:`t`.  In the arithmetic of :mod:`.formats`, :math:`\mathrm{fl}` rounding to
the format named:

1. :math:`K_{tj}`, a sum of at most :math:`s` terms :math:`\pm1`, is exact, since integers up to :math:`s\le2^p` are
   (the score's scale is applied after the inner product of the signs);
2. scores :math:`\mathrm{fl}(c\,K_{tj})`, :math:`c=\mathrm{fl}(\beta/s)`, their differences with the largest,
   :math:`D_j`, and weights :math:`\hat w_j=\widehat{\exp}(D_j)` depend on :math:`K_{tj}` alone: they are at most
   :math:`d_e+1` numbers, **computed and read off the machine**, so no accuracy of :math:`\widehat{\exp}` is assumed;
   :math:`\hat w_t=1`;
3. :math:`\hat Z`, the sum of the :math:`\hat w_j` in any order (any binary tree) in the format of sums;
4. :math:`\hat\pi_j=\mathrm{fl}_{\text{stored}}(\mathrm{fl}_{\text{sums}}(\hat w_j/\hat Z))`;
5. the sums over :math:`j`, in any order, of :math:`\mathrm{fl}(\hat\pi_j\hat x_{jc})`, or fused, then stored; here
   :math:`\hat x_j` is the real token :math:`x_j` rounded coordinate by coordinate.

*Bound.*  With :math:`\hat S=\max_t\sum_{j\ne t}\hat w_j`, :math:`f=(N-1)u_a`, :math:`h=1+2(N-2)u_a`,
:math:`g=(1+u_a)^2(1+u_c)`, :math:`Z_-=\max(1,\frac{1+\hat S}{1+f})`,

.. math:: \ell&=\min(f(1+\hat S),\,h\hat S),\quad
          y_0=\tfrac{\hat S+\ell}{1+\hat S+\ell},\quad y_1=\min(2y_0,\,y_0+\tfrac{u_a}2),\quad
          y=\min(2y_1,\,y_1+\tfrac{u_c}2),\\
          a&=y+\min(u_a,y)+\tfrac{g\hat S}{Z_-}+\min\bigl(f\,\tfrac{g(1+\hat S)}{Z_-},\,h\,\tfrac{g\hat S}{Z_-}\bigr),\\
          \|\hat f-x_t\|&\le r_x\bigl[u+(1+u)\bigl(a+\min(u_c(1+a),\,a)\bigr)+32N^2d(1+\tfrac1{r_x})\lambda\bigr].

*Proof.*  (a) A sum of :math:`n` numbers in any order errs by at most :math:`(n-1)u\sum|z_i|` (Jeannerod, Rump): by
induction, where the two parts have the sums of moduli :math:`A\ge B`, of :math:`n_1` and :math:`n_2` terms, the last
addition errs by at most the computed second part, so by :math:`uA(1+(n_2-1)u)\le n_2uA` if :math:`B\le uA`, else by
:math:`u(A+B+(n_1-1)uA+(n_2-1)uB)\le n_2uA+n_1uB`.  (b) One number being set apart, the additions on its way to the
root err by at most the other summand, a computed sum of other numbers, because the first summand is a number of the
format: all errors are together at most :math:`hB`, :math:`B` the moduli of the others.  (a) and (b) give :math:`\ell`
and the last minimum.  (c) A sum of :math:`n` numbers :math:`\ge0` is at most :math:`1+(n-1)u` times the computed one,
:math:`\hat z`: by induction :math:`A+B\le\hat A+\hat B+(n_1-1)u\hat A+(n_2-1)u\hat B`, where
:math:`\hat A+\hat B\le(1+u)\hat z` and, since rounding is monotone, :math:`\hat A,\hat B\le\hat z`.  As 1 is among the
numbers, :math:`\hat Z\ge Z_-`.  (d) So :math:`\hat\pi_t\le1`; a number in :math:`[0,1]` is rounded by at most
:math:`u/2` and by at most its distance to 1: hence :math:`1-\hat\pi_t\le y`.  (e) Likewise
:math:`\mathrm{fl}(\hat\pi_t\hat x_t)` errs by at most :math:`u_a|\hat x_t|` and by at most
:math:`(1-\hat\pi_t)|\hat x_t|`, and storing the result by at most its distance to :math:`\hat x_t`; a fused product
errs no more than one rounded and then added.  (f) The other tokens enter with weight at most :math:`g\hat S/Z_-`.
Everything grows with :math:`\hat S`, so the worst :math:`t` bounds all.  Underflow moves :math:`N(2+2d)+d` results by
at most :math:`\lambda`, magnified at most :math:`4N`-fold. ∎

The minima are of what rounding can do and of what the rest of the weights allows: where attention is cold,
:math:`\hat S\to0`, nothing but the rounding of the token remains, in every format and for every :math:`N`; where
:math:`u,u_a,u_c\to0` the bound tends to :math:`2r_xL`, which is attained.

References
----------
Jeannerod, Rump (2013), Improved error bounds for inner products in floating-point arithmetic, SIAM J. Matrix Anal.
Appl. 34.  Higham (2002), Accuracy and Stability of Numerical Algorithms, chapters 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, checked
from theorytools.codes.bch import BCHCode
from theorytools.codes.equiangular import EquiangularCode
from theorytools.codes.linear import LinearCode
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.formats import Arithmetic, Format, arithmetic, doubles
from theorytools.constructions.attention.leakage import Profiles
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import Enclosure, at_precision, maximum, minimum
from theorytools.numbers.rational import shortest_fraction
from theorytools.numbers.softmax import exact_number

_LONGEST, _LARGEST = 2**24, 2**60  # computed sums stay below N r_x (1 + N u) <= 2^100: no format overflows


def total_error(N: int, u: Any, u_a: Any, u_c: Any, spill: Any) -> Any:
    r"""Return the bound of this module over :math:`r_x`, without underflow: exact for Fractions, or an Enclosure."""
    f, h, g = (N - 1) * u_a, 1 + 2 * (N - 2) * u_a, (1 + u_a) ** 2 * (1 + u_c)
    Z = _extreme(max, Fraction(1), (1 + spill) / (1 + f))
    lost = _extreme(min, f * (1 + spill), h * spill)
    y = (spill + lost) / (1 + spill + lost)
    y = _extreme(min, 2 * y, y + u_a / 2)
    y = _extreme(min, 2 * y, y + u_c / 2)
    light, mass = g * spill / Z, g * (1 + spill) / Z
    a = y + _extreme(min, u_a, y) + light + _extreme(min, f * mass, h * light)
    return u + (1 + u) * (a + _extreme(min, u_c * (1 + a), a))


def _extreme(which: Callable[..., Any], a: Any, b: Any) -> Any:
    if isinstance(a, Enclosure) or isinstance(b, Enclosure):
        return {min: minimum, max: maximum}[which]([a, b])
    return which(a, b)


@checked
def certified_error(N: int, d: int, r_x: Fraction, how: Arithmetic, spill: Real) -> Any:
    r"""Return the bound of this module over :math:`r_x`, underflow included.

    Parameters
    ----------
    N, d : sequence length and token dimension.
    r_x : bound on the norm of a token, a positive rational.
    how : the arithmetic.
    spill : :math:`\hat S`, a Fraction or an Enclosure.

    Raises
    ------
    DomainError
        For parameters outside these ranges.
    """
    spill = spill if isinstance(spill, Enclosure) else shortest_fraction(spill)
    negative = spill < 0 if isinstance(spill, Fraction) else spill.certainly_lt(0) is not False
    if not (2 <= N <= _LONGEST and d >= 1 and 0 < r_x <= _LARGEST) or negative:
        raise DomainError(
            f"N = {N}, d = {d}, r_x = {r_x}, spill = {spill}",
            required=f"2 <= N <= {_LONGEST}, d >= 1, 0 < r_x <= 2^60, spill >= 0",
            why="the bound is proved for weights >= 0, tokens in a ball, and sums that do not overflow",
        )
    rounded = total_error(N, how.u, how.u_a, how.u_c, spill)
    return rounded + 32 * N**2 * d * (1 + 1 / Fraction(r_x)) * how.tiny


@checked
@dataclass(frozen=True)
class MachineWeights:
    r"""The at most :math:`d_e+1` attention weights that a machine computes, before division, as exact rationals.

    Attributes
    ----------
    how : the arithmetic.
    gaps : the distinct :math:`s-K`, increasing from 0.
    arguments : the differences :math:`D` of scores as computed, one for each gap.
    weights : the computed exponentials :math:`\hat w` of the arguments; the first is 1.
    """

    how: Arithmetic
    gaps: tuple[int, ...]
    arguments: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        sizes = len(self.gaps), len(self.arguments), len(self.weights)
        if not sizes[0] or len(set(sizes)) > 1:
            raise DomainError(f"gaps, arguments, weights: {sizes}", required="one of each", why="one for each product")

    @classmethod
    def of(
        cls, gaps: Sequence[int], s: int, beta: Real, how: str | Arithmetic, *, exponentials: str = "library"
    ) -> MachineWeights:
        """Compute the weights of these gaps at denominator ``s`` and inverse temperature ``beta``.

        ``exponentials`` is ``"library"`` (numpy's, torch's for bfloat16) or ``"nearest"`` (correctly rounded, the same
        on every machine).
        """
        how, number = arithmetic(how), exact_number(beta, "beta")
        if number.is_negative:
            raise DomainError(f"beta = {number}", required="beta >= 0", why="the indexed score is the largest")
        if not gaps_fit(gaps, s):
            raise DomainError(
                f"gaps {str(gaps)[:60]}, s = {s}", required="0 <= gap <= 2 s", why="gaps are s - K, |K| <= s"
            )
        steps = tuple(sorted({0, *(int(gap) for gap in gaps)}))
        D = differences(how.scores, number, s, s - np.array(steps))
        arguments = tuple(Fraction(x) for x in doubles(D).tolist())
        if exponentials == "nearest":
            weights = tuple(nearest_exponential(how.scores, x) for x in arguments)
        elif exponentials == "library":
            weights = tuple(Fraction(x) for x in doubles(how.scores.exp(D)).tolist())
        else:
            raise DomainError(f"exponentials = {exponentials!r}", required="'library' or 'nearest'")
        if weights[0] != 1 or not all(0 <= w <= 1 for w in weights):
            raise CertificateError("exponentials of numbers <= 0", required="1 at 0, and none outside [0, 1]")
        return cls(how, steps, arguments, weights)

    def spill(self, profiles: Profiles) -> Fraction:
        r"""Return :math:`\hat S=\max_t\sum_{j\ne t}\hat w_j`, exactly."""
        weight = dict(zip(self.gaps, self.weights, strict=True))
        column = [weight[gap] for gap in profiles.gaps]
        rows = heaviest(profiles, np.array([float(w) for w in column])).counts.tolist()
        return max(sum((c * w for c, w in zip(row, column, strict=True)), Fraction(0)) for row in rows)

    def relative_error(self) -> Enclosure:
        r"""Return :math:`\max_k|\hat w_k-e^{D_k}|/\max(e^{D_k},\lambda)`: how well the machine exponentiates."""
        tiny = self.how.scores.underflow
        exact = [Enclosure(x).exp() for x in self.arguments]
        return maximum(abs(w - e) / maximum([e, tiny]) for w, e in zip(self.weights, exact, strict=True))

    def table(self) -> NDArray[np.float64]:
        """Return the weights as doubles (exact) at the index of their gap, NaN where no gap is."""
        table = np.full(self.gaps[-1] + 1, np.nan)
        table[list(self.gaps)] = [float(w) for w in self.weights]
        return table


def gaps_fit(gaps: Sequence[int], s: int) -> bool:
    """Return whether these are differences of inner products of codes with squared norm ``s``."""
    return s >= 1 and all(0 <= gap <= 2 * s for gap in gaps)


def differences(scores: Format, beta: sympy.Expr, s: int, products: NDArray[np.int64]) -> Any:
    """Return the scores minus the largest, each step rounded, as an array of the format of scores."""
    c = scores.cast(np.array([float(beta / s)]))
    return c * scores.cast(products.astype(np.float64)) - c * scores.cast(np.array([float(s)]))


def nearest_exponential(target: Format, argument: Fraction) -> Fraction:
    """Return the exponential of a rational, correctly rounded: the ends of an enclosure round alike."""
    bits = 4 * target.precision + 64
    while bits < 2**16:
        ball = at_precision(bits, lambda: Enclosure(argument).exp())
        low, high = (target.nearest(fraction_of(end)) for end in (ball.lower, ball.upper))
        if low == high:
            return low
        bits *= 2
    raise CertificateError(f"the exponential of {argument}", required="a number that is not halfway between two")


def fraction_of(end: Any) -> Fraction:
    """Return a finite end point of moderate size as a Fraction."""
    data = end.to_json()
    if "q" in data:
        return Fraction(int(data["q"][0], 16), int(data["q"][1], 16))
    return Fraction(int(data["d"][0], 16)) * Fraction(2) ** int(data["d"][1])


def heaviest(profiles: Profiles, weights: NDArray[np.float64]) -> Profiles:
    """Return only the rows that may have the largest weighted sum, so that exact sums are taken of few.

    Doubles add at most 2000 non-negative terms with relative errors below 1e-12, so a row that is 1e-9 below the
    largest is not the largest.
    """
    sums = profiles.counts @ weights
    return Profiles(profiles.gaps, profiles.counts[sums >= sums.max() * (1 - 1e-9) - 1e-300], profiles.denominator)


def admit(code: Code, how: Arithmetic) -> None:
    """Refuse a code whose inner products the machine does not compute exactly."""
    one_hot = isinstance(code, EquiangularCode) and code.rho == 0
    if not one_hot and not isinstance(code, SignCode | LinearCode | BCHCode):
        raise DomainError(
            f"a code of type {type(code).__name__}",
            required="sign codes, or the standard basis",
            why="their inner products are sums of integers, exact in any order while below 2^p",
        )
    if code.gram_denominator > how.largest_product:
        raise DomainError(
            f"d_e = {code.d_e} signs in {how.name}",
            required=f"d_e <= {how.largest_product}",
            why="integers are exact up to 2^p only, so scores would depend on the order of summation",
            advice="shorter codes, or scores and sums in a finer format",
        )
