r"""How much norm general 1STR costs a recurrent network, against the norm of an interpolant without memory.

By rate-distortion, a network of risk at most :math:`c` with an :math:`L`-Lipschitz read-out of the states has
:math:`L^2(\lVert U^\to\rVert_F^2+\lVert U^\leftarrow\rVert_F^2)\ge\frac12A_c^2(N-1)`, with

.. math:: A_c^2=2e\max_\eta\,\eta^2\log\frac1{\sqrt{c'}+\eta},\qquad c'=\frac{cN}{N-1}.

For a read-out of :math:`L_y` matrices :math:`L\le\prod\lVert W_l\rVert`; so the squared norm of all parameters is, by
the means of :math:`L_y+1` numbers of given product, at least

.. math:: B(N)=(L_y+1)\bigl(\tfrac12A_c^2(N-1)\bigr)^{1/(L_y+1)} .

An interpolant of squared norm below :math:`B(N)` is shorter than every network of risk at most :math:`c`; then every
minimum-norm :math:`\varepsilon`-ERM has risk above :math:`c`, for any :math:`\varepsilon\ge0`.

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Theorem 9, arXiv 2503.11272v1.  Constants derived here.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from theorytools.arguments.checked import NonNegativeInt, PositiveInt, Real, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, at_precision, between, pi, shortest_fraction, working_precision

_BITS = 4096  # where a comparison is given up


@checked
def memory_constant(c: Real, N: int) -> Enclosure:
    r"""Return :math:`A_c^2` for risk ``c`` at length ``N``, at the ambient precision.

    :math:`\eta^2\log\frac1{s+\eta}` rises while :math:`2\log\frac1{s+\eta}>\frac\eta{s+\eta}`, whose left side falls
    and whose right side does not; bisection by certified signs encloses the one crossing.

    Raises
    ------
    DomainError
        Unless ``N >= 2`` and :math:`0\le cN/(N-1)<1`.
    """
    return _maximum(adjusted_risk(c, N), working_precision())


@lru_cache(maxsize=1024)
def _maximum(risk: Fraction, bits: int) -> Enclosure:
    s = Enclosure(risk).sqrt()
    low, high = Fraction(0), Fraction(1)  # beyond 1 - s the logarithm is positive, hence the sign
    for _ in range(bits):
        eta = (low + high) / 2
        sign = eta / (s + eta) + 2 * (s + eta).log()
        if sign.certainly_lt(0):
            low = eta
        elif (-sign).certainly_lt(0):
            high = eta
        else:
            break
    root = between(low, high)
    return -2 * Enclosure(1).exp() * root * root * (s + root).log()


@checked
def memory_bound(eta: Real, c: Real, N: int) -> Enclosure:
    r"""Return :math:`2e\,\eta^2\log\frac1{\sqrt{c'}+\eta}`, at most :math:`A_c^2` for every :math:`\eta`.

    Parameters
    ----------
    eta : positive exact number.
    c : the risk; :math:`c'=cN/(N-1)` lies in [0, 1).
    N : length of the prompts, at least 2.

    Returns
    -------
    Enclosure : at the ambient precision.

    Raises
    ------
    DomainError : ``c`` outside the range in which :math:`0\le c'<1`, or ``N < 2``.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Theorem 9, arXiv 2503.11272v1.  Constants derived here.

    Examples
    --------
    >>> round(float(memory_bound(Fraction(1, 2), 0, 100)), 6)  # e log(2) / 2
    0.942085
    """
    eta = Enclosure(eta)
    return -2 * Enclosure(1).exp() * eta * eta * (Enclosure(adjusted_risk(c, N)).sqrt() + eta).log()


def adjusted_risk(c: Any, N: int) -> Fraction:
    r"""Return :math:`c'=cN/(N-1)`; ``DomainError`` unless it is in :math:`[0,1)`."""
    risk = shortest_fraction(c)
    if N < 2 or not 0 <= risk * N < N - 1:
        required = "N >= 2 and 0 <= cN/(N - 1) < 1"
        raise DomainError(f"c = {c} at N = {N}", required=required, why="a label has variance 1")
    return risk * N / (N - 1)


@checked
def recurrent_norm(N: PositiveInt, c: Real, L_y: PositiveInt) -> Enclosure:
    r"""Return :math:`B(N)`, below which no network with ``L_y`` read-out matrices has risk at most ``c``."""
    return (L_y + 1) * (memory_constant(c, N) * Fraction(N - 1, 2)) ** Fraction(1, L_y + 1)


@checked
def linear_norm(v_2: Real, L_y: PositiveInt) -> Enclosure:
    r"""Return :math:`2L_y\lVert v\rVert^{2/L_y}`, the squared norm of :math:`\pm v` through ``L_y`` balanced layers."""
    return 2 * L_y * Enclosure(v_2) ** Fraction(1, L_y)


@checked
def interpolant_norm(n: NonNegativeInt) -> Enclosure:
    r"""Return :math:`6\sqrt{120/\pi}\,n^{5/2}\sqrt{10n+2}`, Lemma 36 for ``n`` prompts (two read-out matrices).

    Lemma 38 with :math:`\lVert y\rVert^2=6n`, :math:`\epsilon=\sqrt\pi/(3n^2)` and :math:`\lVert z\rVert^2=3n`.
    """
    return 6 * (Enclosure(120) / pi()).sqrt() * Enclosure(n**5 * (10 * n + 2)).sqrt()


@checked
def failing_length(norm: Callable[[], Enclosure], floor: Callable[[int], Enclosure], c: Real) -> int:
    r"""Return the least ``N`` with ``floor(N)`` above ``norm()``; ``floor`` increases, as :math:`B` does."""
    if not 0 <= shortest_fraction(c) < 1:
        raise DomainError(f"c = {c}", required="0 <= c < 1", why="a label has variance 1")
    start = 2
    while not shortest_fraction(c) * start < start - 1:
        start += 1

    def above(N: int) -> bool:
        return _less(norm, lambda: floor(N))

    return start if above(start) else _first(above, start)


@checked
def covered_prompts(N: int, c: Real, norm: Callable[[int], Enclosure] = interpolant_norm) -> int:
    r"""Return the largest ``n`` with ``norm(n)`` below :math:`B(N)` at :math:`L_y=2`; 0 if none."""
    return _first(lambda n: _less(lambda: recurrent_norm(N, c, 2), lambda: norm(n)), 0) - 1


def _first(holds: Callable[[int], bool], low: int) -> int:
    """Return the least integer above ``low``, which fails, where an increasing property holds."""
    step = 1
    while not holds(low + step):
        low, step = low + step, 2 * step
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _less(left: Callable[[], Enclosure], right: Callable[[], Enclosure]) -> bool:
    """Decide ``left() < right()`` at growing precision; ``DomainError`` if it stays open."""
    bits = 64
    while bits <= _BITS:
        gap = at_precision(bits, lambda: right() - left())
        if (-gap).certainly_lt(0):
            return True
        if gap.certainly_lt(0):
            return False
        bits *= 2
    raise DomainError(f"two norms equal to {_BITS} bits", required="norms that differ")
