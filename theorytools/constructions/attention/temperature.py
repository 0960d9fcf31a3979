r"""How cold attention must be, in closed form: temperatures that suffice for a target, or that are necessary.

Inverse temperature :math:`\beta` is the factor in front of the inner products of codes, leakage :math:`L` the largest
attention weight outside the indexed position, over all prompts.  The least temperature of one given code lies between
the two forms; :mod:`theorytools.constructions.attention.least_temperature` finds it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy

from theorytools.arguments.checked import Precision, Real, checked
from theorytools.arguments.values import checked_integer, checked_rational
from theorytools.codes.protocol import Code
from theorytools.errors import DomainError, UndecidedError
from theorytools.numbers import at_precision, evaluate
from theorytools.numbers.softmax import exact_number

_WHY = "Lemma 11: the weight outside the indexed position is to be at most this number"


@checked
def sufficient_temperature(code: Code | tuple[int, Any], leakage: Real) -> sympy.Expr:
    r"""Return an inverse temperature at which no code of this coherence leaks more than ``leakage``.

    .. math:: \beta=\frac{\log\left((N-1)(1/\delta-1)\right)}{1-\rho},\qquad L(\beta)\le\delta,

    and 0 where this is negative.  It is the least one for equiangular codes.

    Parameters
    ----------
    code : a position code, or the pair :math:`(N,\rho)` with :math:`\rho\ge\max_{i\ne j}G_{ij}`.
    leakage : the target :math:`\delta>0`, an exact number.

    Returns
    -------
    sympy.Expr
        An exact number; :func:`rounded_up` makes it rational.

    Raises
    ------
    DomainError
        If ``leakage <= 0``; if :math:`\rho=1`, where two positions have one code; if no code has this
        :math:`\rho`.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11, arXiv 2503.11272v1; the constant is derived here.

    Examples
    --------
    >>> sufficient_temperature((8, 0), Fraction(7, 23))
    log(16)
    """
    N, rho = _pair(code)
    odds = _odds(N, leakage)
    if odds is None:
        return sympy.Integer(0)
    if rho == 1:
        raise DomainError(
            "a code with rho = 1", required="rho < 1", why="two equal codes share their weight at every temperature",
            advice="minimal_temperature(code, leakage), which counts the equal codes",
        )  # fmt: skip
    return sympy.log(odds) / (1 - sympy.Rational(rho.numerator, rho.denominator))


@checked
def necessary_temperature(N: int, leakage: Real) -> sympy.Expr:
    r"""Return the inverse temperature below which every :math:`N` unit codes leak more than ``leakage``.

    .. math:: \beta=\left(1-\tfrac1N\right)\log\left((N-1)(1/\delta-1)\right),

    and 0 where this is negative.  The regular simplex needs no more.  ``DomainError`` for ``N < 2`` and for
    ``leakage <= 0``.
    """
    N = checked_integer("N", N, least=2, why="one position has nowhere to leak to")
    odds = _odds(N, leakage)
    return sympy.Integer(0) if odds is None else (1 - sympy.Rational(1, N)) * sympy.log(odds)


@checked
def temperature_for_error(
    code: Code | tuple[int, Any], error: Real, *, A: Real, B: Real, q: int, r_x: Real
) -> sympy.Expr:
    r"""Return an inverse temperature at which the network's output is off by at most ``error``.

    A head with :math:`\lVert a\rVert\le A` and :math:`\lVert W\rVert_F\le B` is :math:`AB`-Lipschitz, and each of
    the ``q`` retrieved tokens is off by at most :math:`2r_xL`.  So :math:`\delta=\eta/(2AB\sqrt q\,r_x)` in
    :func:`sufficient_temperature` gives

    .. math:: |\hat y_i-g(x_{t_{i1}},\dots,x_{t_{iq}})|\le2AB\sqrt q\,r_xL\le\eta

    for all prompts with :math:`\lVert x_j\rVert\le r_x`, where :math:`g` is the head on the indexed tokens.

    Parameters
    ----------
    code : as in :func:`sufficient_temperature`.
    error : the target :math:`\eta>0`.
    A, B, r_x : positive exact numbers (``sympy.sqrt(2)`` is one).
    q : number of indexed tokens.
    """
    numbers = {"error": error, "A": A, "B": B, "r_x": r_x}
    eta, *factors = (checked_positive(x, name, "error over 2 A B sqrt(q) r_x") for name, x in numbers.items())
    q = checked_integer("q", q, least=1, why="Definition 2")
    return sufficient_temperature(code, eta / (2 * sympy.prod(factors) * sympy.sqrt(q)))


@checked
def rounded_up(number: Real, step: Real = Fraction(1, 10**6), *, bits: Precision = 4096) -> Fraction:
    """Return the least multiple of the rational ``step`` that is proved not to lie below ``number``."""
    exact, unit = exact_number(number, "the number"), plain(checked_positive(step, "step", "multiples of it"))
    if not isinstance(unit, Fraction):
        raise DomainError(f"step = {unit}", required="a rational step", why="the result is a rational number")
    precision = 64
    while precision <= bits:
        box = at_precision(precision, lambda: (evaluate(exact) / unit).ceil())
        if box.exact:
            return box.fraction() * unit
        precision *= 2
    raise UndecidedError(f"{exact} at {bits} bits", required="a number that is no multiple of the step, or rational")


def _pair(code: Any) -> tuple[int, Fraction]:
    N, rho = code if isinstance(code, tuple) else (code.N, code.coherence())
    N = checked_integer("N", N, least=2, why="one position has nowhere to leak to")
    low, why = Fraction(-1, N - 1), "the Gram matrix of N unit vectors is positive semidefinite"
    return N, checked_rational("rho", rho, lambda x: low <= x <= 1, required=f"{low} <= rho <= 1", why=why)


def _odds(N: int, leakage: Any) -> sympy.Expr | None:
    r"""Return :math:`(N-1)(1/\delta-1)`, or None where it is at most 1: then temperature 0 suffices."""
    odds = (N - 1) * (1 / checked_target(leakage) - 1)
    return None if decided(lambda: evaluate(odds).certainly_le(1), 4096) else odds


def checked_target(leakage: Any) -> sympy.Expr:
    """Return a target leakage as an exact positive number."""
    return checked_positive(leakage, "leakage", _WHY)


def checked_positive(value: Any, name: str, why: str) -> sympy.Expr:
    """Return an exact positive number, or a ``DomainError`` that names it."""
    number = exact_number(value, name)
    if not number.is_positive:
        raise DomainError(f"{name} = {number}", required=f"{name} > 0", why=why)
    return number


def decided(compare: Callable[[], bool | None], bits: int) -> bool:
    """Return the answer of ``compare()`` at the first of 64, 128, … bits that gives one."""
    precision = 64
    while precision <= bits:
        answer = at_precision(precision, compare)
        if answer is not None:
            return answer
        precision *= 2
    raise UndecidedError(
        f"a comparison of leakage and target that is open at {bits} bits",
        required="numbers that differ",
        advice="a rational step; a slightly larger target",
    )


def plain(number: sympy.Expr) -> Any:
    """Return a rational sympy number as a Fraction, any other as it is."""
    return Fraction(int(number.p), int(number.q)) if number.is_Rational else number
