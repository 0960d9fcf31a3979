r"""The least inverse temperature at which the leakage of a given code meets a target, proved from both sides.

Leakage decreases in :math:`\beta`, since no score exceeds the indexed one.  So one comparison at :math:`\hat\beta`
and one a step below say where it crosses the target:

.. math:: L(\beta)\le\delta\ \text{ for all }\beta\ge\hat\beta,\qquad
          L(\beta)>\delta\ \text{ for all }\beta\le\hat\beta-\text{step}.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from theorytools.arguments.checked import Precision, Real, checked
from theorytools.codes.protocol import Code
from theorytools.constructions.attention.leakage import Profiles, worst_leakage
from theorytools.constructions.attention.temperature import checked_positive, checked_target, decided, plain
from theorytools.errors import DomainError
from theorytools.numbers import evaluate


@checked
@dataclass(frozen=True)
class LeastTemperature:
    r"""The least multiple of a step that meets a target leakage, proved from both sides.

    Attributes
    ----------
    steps : the multiple; ``steps * step`` meets the target and, unless it is 0, ``(steps - 1) * step`` does not.
    step : the step, an exact positive number.
    leakage : the target :math:`\delta`.
    """

    steps: int
    step: sympy.Expr
    leakage: sympy.Expr

    @property
    def beta(self) -> Any:
        """The inverse temperature that meets the target: a Fraction, or a sympy number for an irrational step."""
        return plain(self.steps * self.step)

    @property
    def below(self) -> Any:
        """One step less, where the target is missed (negative where ``beta`` is 0)."""
        return plain((self.steps - 1) * self.step)


@checked
def minimal_temperature(
    code: Code | Profiles, leakage: Real, *, step: Real = Fraction(1, 10**6), bits: Precision = 4096
) -> LeastTemperature:
    r"""Return the least multiple of ``step`` at which *this* code leaks at most ``leakage``, with its proof.

    Doubles propose the multiple; two enclosures of the leakage, at it and one step below, decide.  With a rational
    step both comparisons are decided at some precision: :math:`e^{-\beta/s}` is transcendental for rational
    :math:`\beta>0`, so the leakage, a rational function of it, is no algebraic target.  At
    :math:`\beta=k\frac{d_e}2\log2` a sign code has rational leakage: ``step = d_e * log(2) / 2`` makes the
    certificate one of integers.

    Parameters
    ----------
    code : a position code, or its profiles.
    leakage : the target :math:`\delta>0`, an exact number.
    step : positive exact number.
    bits : the largest precision tried.

    Returns
    -------
    LeastTemperature : the multiple and the two enclosures that decide it.

    Raises
    ------
    DomainError
        If ``leakage`` or ``step`` is not positive, or equal codes keep the leakage at or above the target.
    UndecidedError
        If a comparison stays open at ``bits``.

    Examples
    --------
    >>> from theorytools import hadamard
    >>> minimal_temperature(hadamard(8), Fraction(1, 1000)).beta  # log(6993) = 8.8526649…
    Fraction(1770533, 200000)
    """
    profiles = code if isinstance(code, Profiles) else Profiles.of(code)
    target, unit = checked_target(leakage), checked_positive(step, "step", "temperatures are multiples of it")

    def meets(steps: int) -> bool:
        return decided(lambda: worst_leakage(profiles, steps * unit).certainly_le(evaluate(target)), bits)

    if meets(0):
        return LeastTemperature(0, unit, target)
    _refuse_equal_codes(profiles, target)
    return LeastTemperature(_first(meets, _guess(profiles, float(target), float(unit))), unit, target)


def _first(meets: Callable[[int], bool], guess: int) -> int:
    """Return the least ``k >= 1`` with ``meets(k)``, a monotone predicate that is false at 0."""
    low, high, stride = max(guess - 1, 0), max(guess, 1), 1
    while low > 0 and meets(low):
        low, high, stride = max(low - stride, 0), low, 2 * stride
    while not meets(high):
        low, high, stride = high, high + stride, 2 * stride
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


def _guess(profiles: Profiles, target: float, unit: float) -> int:
    """Return about how many steps are needed, by bisection in doubles: only where to look."""
    gaps = np.array(profiles.gaps) / profiles.denominator
    odds = target / (1 - target) if target < 1 else math.inf
    low, high = 0.0, 1.0
    while np.max(profiles.counts @ np.exp(-high * gaps)) > odds and high < 1e12:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        if np.max(profiles.counts @ np.exp(-middle * gaps)) > odds:
            low = middle
        else:
            high = middle
    return math.ceil(high / unit)


def _refuse_equal_codes(profiles: Profiles, target: sympy.Expr) -> None:
    if 0 not in profiles.gaps:
        return
    twins = int(profiles.counts[:, profiles.gaps.index(0)].max())
    floor = Fraction(twins, twins + 1)
    if twins and decided(lambda: evaluate(target).certainly_le(floor), 4096):
        raise DomainError(
            f"leakage = {target} for a code with {twins + 1} equal rows",
            required=f"leakage > {floor}",
            why=f"equal codes share their weight, so the leakage stays above {floor} at every temperature",
            advice="take a code with distinct rows",
        )
