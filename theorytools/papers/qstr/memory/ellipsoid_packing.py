r"""Packing and covering numbers of an ellipsoid: bounded by the Frobenius norm, without the dimension.

In the ellipsoid :math:`\{Uh:\|h\|\le1\}` let :math:`a_i` be the semi-axes (the singular values of :math:`U`),
:math:`0<u<1`, :math:`\theta=\frac12\sqrt u`.  Then

.. math:: \log P(\epsilon) \le \sum_{a_i>\theta\epsilon}\log\frac{a_if}\epsilon
          \le \kappa\,\frac{\|U\|_F^2}{\epsilon^2},
          \qquad f=\frac2{\sqrt{1-u}}+\frac1\theta,\quad\kappa=\frac{\log(f\theta)}{\theta^2}
          \quad\text{if}\quad f\theta\ge\sqrt e.

*Proof.*  Dropping the axes up to :math:`\theta\epsilon` moves a difference of two points by at most
:math:`2\theta\epsilon`.  Projected on the others, the points lie in an ellipsoid :math:`E`, at distances of
at least :math:`s=\epsilon\sqrt{1-u}`.  As :math:`\theta\epsilon B\subset E`, the disjoint balls of radius
:math:`s/2` lie in :math:`(1+\frac s{2\theta\epsilon})E`: by volume there are at most
:math:`\prod a_i(\frac2s+\frac1{\theta\epsilon})=\prod a_if/\epsilon` of them.  For
:math:`t=a_i/\epsilon>\theta`, :math:`\log(ft)/t^2` decreases, since :math:`ft\ge\sqrt e`; so it is at most
:math:`\kappa`.  ∎

A covering by balls of radius :math:`\epsilon` moves one point instead of a difference: the same with
:math:`\theta=\sqrt u`.  All constants are derived here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy

from theorytools.arguments.checked import Real, checked
from theorytools.claims.language.bound import enclose
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, shortest_fraction, total


@checked
def log_volume_bound(
    axes2: Sequence[Fraction], eps: Fraction, u: Real = Fraction(2, 3), *, covering: bool = False
) -> Enclosure:
    r"""Return :math:`\sum_{a_i>\theta\epsilon}\log(a_if/\epsilon)` at the ambient precision (see the module).

    It bounds the logarithm of the packing number, with ``covering=True`` that of the covering number.

    Raises
    ------
    DomainError : not ``eps > 0`` and ``0 < u < 1``.
    """
    if not eps > 0:
        raise DomainError(f"eps = {eps}", required="eps > 0", why="points are packed at this distance")
    exact = _symbolic(u)
    if not 0 < exact < 1:
        raise DomainError(f"u = {u}", required="0 < u < 1", why="it splits the squared distance")
    theta2 = exact if covering else exact / 4
    f = enclose(2 / sympy.sqrt(1 - exact) + 1 / sympy.sqrt(theta2), {})
    return total((Enclosure(Fraction(axis) / eps**2).sqrt() * f).log() for axis in axes2 if axis > theta2 * eps**2)


@checked
def packing_constant(u: Real = Fraction(2, 3)) -> sympy.Expr:
    r"""Return :math:`\kappa=\frac4u\log(1+\sqrt{u/(1-u)})`, the constant for packings.

    :math:`u=\frac23` gives :math:`6\log(1+\sqrt2)\approx5.288`, the smallest up to a thousandth.

    Raises
    ------
    DomainError : not :math:`0<u<1`, or :math:`f\theta=1+\sqrt{u/(1-u)}<\sqrt e`.
    """
    return 4 * sympy.log(_rise(u, 1)) / _symbolic(u)


@checked
def covering_constant(u: Real = Fraction(3, 4)) -> sympy.Expr:
    r"""Return :math:`\kappa_1=\frac1u\log(1+2\sqrt{u/(1-u)})`, the constant for coverings.

    :math:`u=\frac34` gives :math:`\frac43\log(1+2\sqrt3)\approx1.995`, the smallest up to a thousandth.  The
    :math:`u=1/(1+2^{2/3})` that makes the factor :math:`f` per axis smallest gives
    :math:`(1+2^{2/3})\log(1+2^{2/3})\approx2.460`.

    Raises
    ------
    DomainError : not :math:`0<u<1`, or :math:`f\theta=1+2\sqrt{u/(1-u)}<\sqrt e`.
    """
    return sympy.log(_rise(u, 2)) / _symbolic(u)


def _symbolic(u: Any) -> sympy.Expr:
    if isinstance(u, Enclosure):
        raise DomainError(f"u = {u!r}", required="an exact number", why="the constant is a formula in u")
    return u if isinstance(u, sympy.Expr) else sympy.sympify(shortest_fraction(u))


def _rise(u: Any, factor: int) -> sympy.Expr:
    r"""Return :math:`f\theta`, for packings with ``factor`` 1, for coverings with 2."""
    u = _symbolic(u)
    rise = 1 + factor * sympy.sqrt(u / (1 - u)) if 0 < u < 1 else sympy.Integer(0)
    if rise < sympy.sqrt(sympy.E):
        why, advice = "log(ft)/t^2 decreases only from ft = sqrt(e) on", "take a larger u, below 1"
        raise DomainError(f"u = {u}", required="0 < u < 1 and f theta >= sqrt(e)", why=why, advice=advice)
    return rise
