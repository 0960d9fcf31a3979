r"""Rademacher complexity from covering numbers, and uniform convergence from Rademacher complexity.

For losses :math:`\ell_i\in[0,\tau]` of a class of predictors, :math:`2\sqrt\tau`-Lipschitz in the prediction, and
:math:`\hat{\mathfrak R}_n=\mathbb E_\xi\sup\frac1n\sum_i\xi_i\ell_i` *without* an absolute value inside the supremum,

.. math:: \hat{\mathfrak R}_n\le u+\tau\sqrt{\frac{\Lambda(u/(2\sqrt\tau))}{2n}},\qquad
          \hat{\mathfrak R}_n\le 4u+12\tau\sqrt{\frac{\Lambda(u/(2\sqrt\tau))}n}\qquad(u>0),

:math:`\Lambda(\epsilon)` being a bound on the logarithm of the covering number of the predictions at radius
:math:`\epsilon`, in the largest distance over the sample.

*Proof.*  A covering at radius :math:`u/(2\sqrt\tau)` covers the losses at radius :math:`u`, which costs :math:`u`.  Its
losses less :math:`\tau/2` are at most :math:`\tau/2`, and :math:`\sum\xi_i\tau/2` has mean zero, so Massart's lemma
with radius :math:`\tau/2` bounds the rest: here an absolute value would not do.  In Dudley's integral from :math:`u` to
:math:`\tau` the integrand is at most its value at :math:`u`.  ∎

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 18 and Corollary 19, arXiv 2503.11272v1.
Mohri, Rostamizadeh, Talwalkar (2018), Foundations of Machine Learning, Theorem 3.3 and Lemma 3.7 (Massart).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import sympy
from sympy import log, sqrt

from theorytools.arguments.checked import Formula, PositiveFormula, checked
from theorytools.claims.language.bound import Bound, expression

Covering = Callable[[sympy.Expr], Any]
Variant = Literal["dudley", "one-step", "clipped"]  # of a bound that rests on one of them


@checked
def massart(log_size: Formula, *, radius: Formula, n: PositiveFormula) -> Bound:
    r"""Return :math:`r\sqrt{2\log K/n}`, for :math:`K` vectors of root mean square at most :math:`r`."""
    log_size, radius, n = _expressions(log_size, radius, n)
    return Bound(radius * sqrt(2 * log_size / n))


@checked
def one_step(covering: Covering, *, tau: Formula, n: PositiveFormula, u: Formula = None) -> Bound:
    r"""Return :math:`u+\tau\sqrt{\Lambda(u/(2\sqrt\tau))/(2n)}`: one covering and Massart's lemma.

    Parameters
    ----------
    covering : :math:`\epsilon\mapsto\Lambda(\epsilon)`, natural logarithm.
    tau, n : largest loss and sample size.
    u : resolution of the losses, :math:`n^{-1/2}` unless given.
    """
    tau, n, u = _resolution(tau, n, u)
    size = _size(covering, u / (2 * sqrt(tau)))
    return Bound(u + massart(size, radius=tau / 2, n=n).expr)


@checked
def dudley(covering: Covering, *, tau: Formula, n: PositiveFormula, u: Formula = None) -> Bound:
    r"""Return :math:`4u+12\tau\sqrt{\Lambda(u/(2\sqrt\tau))/n}`: chaining, the integrand at its lower limit.

    Term by term it is larger than :func:`one_step`, by a factor between 4 and :math:`12\sqrt2`.
    """
    tau, n, u = _resolution(tau, n, u)
    return Bound(4 * u + 12 * tau * sqrt(_size(covering, u / (2 * sqrt(tau))) / n))


@checked
def deviation(*, tau: Formula, delta: Formula, n: PositiveFormula) -> Bound:
    r"""Return :math:`3\tau\sqrt{\log(2/\delta)/(2n)}`, the deviation term of Corollary 19.

    With probability at least :math:`1-\delta` every mean loss exceeds its average over the sample by at most
    :math:`2\hat{\mathfrak R}_n` plus this: once for the supremum, twice for the empirical complexity.
    """
    tau, delta, n = _expressions(tau, delta, n)
    return Bound(3 * tau * sqrt(log(2 / delta) / (2 * n)))


def _resolution(tau: Any, n: Any, u: Any) -> tuple[sympy.Expr, ...]:
    tau, n = _expressions(tau, n)
    return tau, n, 1 / sqrt(n) if u is None else expression(u, "a resolution")


def _size(covering: Covering, eps: sympy.Expr) -> sympy.Expr:
    return expression(covering(eps), "the logarithm of a covering number")


def _expressions(*values: Any) -> tuple[sympy.Expr, ...]:
    return tuple(expression(value, "a letter of a complexity bound") for value in values)
