r"""What a recurrent state must hold: the rate-distortion bounds behind the recurrent lower bound.

A bidirectional recurrent network answers at position :math:`j` by a readout that is :math:`(L/r_h)`-Lipschitz in
:math:`v=(U^\to h^\to,U^\leftarrow h^\leftarrow)`, :math:`\|h\|\le r_h`, by any transition.  The :math:`m=N-1` other
payloads are independent :math:`N(0,1)` variables, one of which, uniform and independent of all else, is asked for after
the states are fixed.  With :math:`c` the mean squared error, :math:`c'=cN/(N-1)`, :math:`F=\|U\|_F`,
:math:`O=\|U\|_{\mathrm{op}}`, :math:`D=\operatorname{rank}U`, and every :math:`\eta>0` with
:math:`\sqrt{c'}+\eta<1`, :math:`\eta_\to^2+\eta_\leftarrow^2=\eta^2`,

.. math:: m\log\frac1{\sqrt{c'}+\eta}\le\sum_s\min\Bigl\{\frac{L^2F_s^2}{2e\,\eta_s^2},
          \Psi_{D_s}\Bigl(\frac{D_sO_s^2L^2}{\eta_s^2}\Bigr)\Bigr\},\qquad
          \Psi_D(X)=\begin{cases}\frac D2\log\frac XD,&X\ge eD\\X/(2e),&X<eD.\end{cases}

*Proof.*  Pass :math:`v` through a test channel :math:`v\to\hat v` with mean squared error
:math:`\eta^2r_h^2/L^2`.  The readout of :math:`\hat v` recovers the payloads up to
:math:`\sqrt m(\sqrt{c'}+\eta)` in mean square, so :math:`I(v;\hat v)` is at least the left side (Gaussian
rate-distortion and data processing).  In the singular basis of :math:`U^s` a coordinate has second moment
:math:`\lambda_i=\varsigma_i^2E\langle q_i,h\rangle^2`; sent as
:math:`(1-n_i/\lambda_i)v_i+\sqrt{n_i(1-n_i/\lambda_i)}Z_i`, or as 0 for :math:`\lambda_i\le n_i`, it is off by
:math:`n_i` at most in mean square and costs at most :math:`\frac12\log^+(\lambda_i/n_i)`, whatever the
:math:`n_i` with :math:`\sum n_i=\eta_s^2r_h^2/L^2`: proportional to the squared singular values with
:math:`\frac12\log^+y\le y/(2e)` and :math:`\sum\lambda_i/\varsigma_i^2\le r_h^2`, or equal with concavity.  ∎

All constants are derived here, not the paper's.

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Propositions 8 and 35, arXiv 2503.11272v1 (in the revised version
Propositions 6 and 35; its text has the Frobenius norm, its proof packs by the operator norm).
Cover, Thomas (2006), Elements of Information Theory, sections 10.3.2 and 10.3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import sympy

from theorytools.arguments.checked import CountFormula, Formula, Real, checked
from theorytools.claims.language.bound import Bound, expression
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import Enclosure, between, minimum, total

_HALVINGS = 40


@checked
def nats_recovered(m: CountFormula, c: Formula, eta: Formula) -> Bound:
    r"""Return the least mutual information between a state and payloads that are recovered from it, in nats.

    It is :math:`m\log\frac1{\sqrt{c'}+\eta}` where each of the ``m`` payloads is recovered with a mean squared error of
    at most :math:`(\sqrt{c'}+\eta)^2`.

    Parameters
    ----------
    m : how many payloads, for example :math:`N-1`.
    c : :math:`c'`, the risk times :math:`N/(N-1)`, in (0, 1).
    eta : the resolution, positive with :math:`\sqrt{c'}+\eta<1`.

    References
    ----------
    Cover, Thomas (2006), Elements of Information Theory, Theorem 10.3.2.
    """
    m, c, eta = (expression(value, "a letter of the rate") for value in (m, c, eta))
    return Bound(m * sympy.log(1 / (sympy.sqrt(c) + eta)))


@checked
def state_bound(m: CountFormula, c: Formula, eta: Formula, L: Formula, O: Formula) -> Bound:
    r"""Return the least dimension of one of two states whose maps have operator norm at most ``O``.

    .. math:: d_h\ge\frac{m\log\frac1{\sqrt{c'}+\eta}}{\log(2L^2O^2/\eta^2)}\qquad\text{if}\quad 2L^2O^2\ge e\,\eta^2.
    """
    L, O, resolution = (expression(value, "a letter of the bound") for value in (L, O, eta))
    return Bound(nats_recovered(m, c, eta).expr / sympy.log(2 * L**2 * O**2 / resolution**2))


@checked
def capacity(D: int, X: Enclosure) -> Enclosure:
    r"""Return :math:`\Psi_D(X)` at the ambient precision, the largest :math:`\sum_{i\le D}\frac12\log^+x_i`.

    The maximum is over the concave hull, at :math:`\sum x_i=X`.  Where the branches cannot be told apart the result
    contains both.

    Raises
    ------
    DomainError
        For ``D < 1`` or ``X`` not certainly positive.
    """
    if D < 1 or not X.lower > 0:
        raise DomainError(f"D = {D}, X = {X!r}", required="D >= 1 and X > 0", why="a rate of D coordinates")
    e = Enclosure(1).exp()
    flat, curved = X / (2 * e), (X / D).log() * Fraction(D, 2)
    above = (e * D).certainly_le(X)
    return curved if above else flat if above is False else between(flat, curved)


@checked
def side_information(D: int, L2: Real, F2: Real, O2: Real, eta2: Real) -> Enclosure:
    r"""Return :math:`\min\{\frac{L^2F^2}{2e\eta_s^2},\Psi_D(\frac{DO^2L^2}{\eta_s^2})\}`, what one state can carry.

    All arguments but the rank ``D`` are squares: of L, of the two norms of U, and of the share of the resolution.
    """
    L2, F2, O2, eta2 = (Enclosure(value) for value in (L2, F2, O2, eta2))
    return minimum([L2 * F2 / (2 * Enclosure(1).exp() * eta2), capacity(D, O2 * L2 * D / eta2)])


@checked
def frobenius_constant(c: Real) -> Enclosure:
    r"""Return :math:`A_c`, with which :math:`L(\|U^\to\|_F+\|U^\leftarrow\|_F)\ge A_c\sqrt{N-1}`.

    .. math:: A_c^2=2e\max_\eta\eta^2\log\frac1{\sqrt{c'}+\eta}=e^{2z}(1-2z)^3,\qquad ze^z=\tfrac12\sqrt{e\,c'}.

    The first form is the first branch of the inequality at the split :math:`\eta_s^2\propto F_s`.  Its maximiser
    satisfies :math:`2\log\frac1w=\eta/w`, :math:`w=\sqrt{c'}+\eta`, that is :math:`w=e^{z-1/2}`.

    Parameters
    ----------
    c : c' in [0, 1), exact or an enclosure.

    Examples
    --------
    >>> [round(float(frobenius_constant(Fraction(c, 100))), 3) for c in (0, 1, 10, 50)]
    [1.0, 0.842, 0.542, 0.146]
    """
    z = _lambert(_risk(c))
    return z.exp() * (1 - z * 2) * (1 - z * 2).sqrt()


@checked
def frobenius_resolution(c: Real) -> Enclosure:
    r"""Return the maximiser :math:`\eta=e^{z-1/2}-\sqrt{c'}` of :func:`frobenius_constant`."""
    risk = _risk(c)
    return (_lambert(risk) - Fraction(1, 2)).exp() - risk.sqrt()


def _lambert(c: Enclosure) -> Enclosure:
    if c.exact and c.fraction() == 0:
        return Enclosure(0)
    return ((c * Enclosure(1).exp()).sqrt() / 2).apply("lambertw")


@checked
def best_resolution(c: Real, K: Real) -> tuple[Fraction, Fraction]:
    r"""Return rationals around the :math:`\eta` that maximises :math:`\log\frac1{\sqrt{c'}+\eta}/\log\frac K{\eta^2}`.

    With :math:`w=\sqrt{c'}+\eta` the derivative has the sign of
    :math:`G(\eta)=-2w\log w-\eta\log K+2\eta\log\eta`, where :math:`G(0)>0` and
    :math:`G'=2\log(\eta/w)-\log K<0` for :math:`K\ge1`; the bisection decides signs of enclosures.

    Parameters
    ----------
    c : c' in (0, 1).  At 0 there is no maximiser: the supremum is the limit 1/2 as the resolution tends to 0.
    K : :math:`2L^2O^2` (one state alone: :math:`L^2O^2`), at least e.

    Raises
    ------
    DomainError
        For ``c`` outside (0, 1), or ``K`` not certainly at least e.
    """
    c, K = _risk(c), Enclosure(K)
    if not c.lower > 0:
        raise DomainError("c' = 0", required="c' > 0", why="the supremum over the resolution is not attained",
                          advice="the limit is 1/2")  # fmt: skip
    if Enclosure(1).exp().certainly_le(K) is not True:
        raise DomainError(f"K = {K!r}", required="K >= e", why="the first case of the rate then holds for all eta < 1")

    def falling(eta: Fraction) -> bool | None:
        w = c.sqrt() + eta
        slope: Enclosure = (Enclosure(eta).log() * 2 - K.log()) * eta - w * w.log() * 2
        return slope.certainly_le(0)

    low, high = Fraction(0), Fraction(1)  # at w >= 1 both terms of G are <= 0
    return _bisected(falling, low, high)


def _bisected(falls: Callable[[Fraction], bool | None], low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        sign = falls(middle)
        if sign is None:  # the ambient precision ends here
            break
        low, high = (low, middle) if sign else (middle, high)
    if low == 0:
        raise CertificateError("a maximiser that is not separated from 0", required="a larger c'")
    return low, high


@checked
def best_dimension_per_payload(c: Real, K: Real) -> Enclosure:
    r"""Return an enclosure of :math:`\max_\eta\log\frac1{\sqrt{c'}+\eta}/\log\frac K{\eta^2}`.

    Numerator and denominator both fall with the resolution, so the interval of :func:`best_resolution` encloses the
    maximum.  Times :math:`m` it is the sharpest bound of the state's dimension; one state alone needs twice that.
    """
    c, K = _risk(c), Enclosure(K)
    low, high = best_resolution(c, K)
    rate = -(c.sqrt() + low).log()
    return between(rate / (K / low**2).log(), rate / (K / high**2).log())


@checked
def water_filling(spectrum: Sequence[Real], distortion: Real) -> Enclosure:
    r"""Return the Gaussian rate :math:`\sum\frac12\log^+(\lambda_i/\theta)` with :math:`\sum\min(\lambda_i,\theta)=D`.

    The components that stay active are the ``k`` largest, :math:`\theta=(D-\sum_{i>k}\lambda_i)/k`.

    Parameters
    ----------
    spectrum : nonnegative rational second moments.
    distortion : ``D``, a positive rational; at the whole trace or more the rate is 0.

    Raises
    ------
    DomainError
        For negative moments or a distortion that is not positive.

    Examples
    --------
    >>> round(float(water_filling([4, 1, 1], Fraction(3, 4)).exp()), 9)
    16.0
    """
    moments = sorted((Fraction(value) for value in spectrum), reverse=True)
    D = Fraction(distortion)
    if D <= 0 or (moments and moments[-1] < 0):
        raise DomainError(f"distortion {D}, spectrum {spectrum!r}", required="distortion > 0, moments >= 0")
    if sum(moments) <= D:
        return Enclosure(0)
    rest, k = D, len(moments)
    while rest > k * moments[k - 1]:  # theta above the smallest active moment: it is dropped
        rest, k = rest - moments[k - 1], k - 1
    return total(Enclosure(value * k / rest).log() for value in moments[:k]) / 2


@checked
def packing_dimension(
    m: CountFormula,
    c: Formula,
    L: Formula,
    O: Formula,
    *,
    eta: Formula = Fraction(3, 10),
    delta: Formula = Fraction(1, 2),
) -> Bound:
    r"""Return the least dimension of a state by counting balls instead of nats.

    .. math:: d_h\ge\frac{\log(1-\delta^2)-\log\Pr(\chi_m^2\le m\,x)}{2\log(1+2\sqrt2\,OL/\eta)},\qquad
              x=\Bigl(\frac{\sqrt{c'}}\delta+\eta\Bigr)^2<1,

    with the Chernoff bound :math:`\Pr(\chi^2_m\le mx)\le(xe^{1-x})^{m/2}`.  (Markov: with probability at least
    :math:`1-\delta^2` the payloads lie in a ball of squared radius :math:`mc'/\delta^2` around the readout; Anderson:
    such a ball is likeliest at the centre; volume: the number of balls that cover the states.)

    Parameters
    ----------
    m, c, L, O : payloads, c', readout constant and operator norm, exact or letters.
    """
    m, c, L, O, eta, delta = (expression(value, "a letter of the bound") for value in (m, c, L, O, eta, delta))
    x = (sympy.sqrt(c) / delta + eta) ** 2
    size = 2 * sympy.log(1 + 2 * sympy.sqrt(2) * O * L / eta)
    return Bound((sympy.log(1 - delta**2) - m * (sympy.log(x) + 1 - x) / 2) / size)


def _risk(c: Any) -> Enclosure:
    box = Enclosure(c)
    if not (box.lower >= 0 and box.upper < 1):
        raise DomainError(f"c' = {c!r}", required="0 <= c' < 1", why="predicting 0 has c' = 1")
    return box
