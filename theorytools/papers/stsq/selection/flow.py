r"""Gradient flow of one attention layer on sparse token selection, when the position encodings are orthonormal.

With the encodings drawn anew for every example, training from zero stays on :math:`V=[\alpha I\ 0]`,
:math:`W=\operatorname{diag}(0,\beta I)`.  For orthonormal draws the attention on the selected tokens is
:math:`p=qe^\beta/(qe^\beta+n)`, :math:`n=T-q`, and with :math:`\epsilon=1-p`, :math:`c=(Tp-q)/n`

.. math:: L=d\Bigl[\frac{(\alpha p-1)^2}q+\frac{\alpha^2\epsilon^2}n\Bigr],\qquad
          \dot\alpha=-2\Bigl[\alpha A-\frac pq\Bigr],\quad A=\frac{p^2}q+\frac{\epsilon^2}n,\qquad
          \dot\beta=\frac{2d}{qd_e}\,\alpha p\epsilon\,(1-\alpha c),\qquad\alpha(0)=\beta(0)=0,

where :math:`L=E\|f-s\|^2` (no factor ½).  In :math:`(\alpha,p)` the field is
polynomial, :math:`\dot p=p\epsilon\dot\beta`.

References
----------
Wang, Wei, Hsu, Lee (2024), Reduction and Dynamics, arXiv 2406.06893v1; the displays and the closed forms below are
derived here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Numbers, Real, checked
from theorytools.arguments.values import checked_entries, checked_integer, checked_rational, quotient_safe
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure

MODES = ("trained", "frozen", "slaved")


@checked
@dataclass(frozen=True)
class SelectionFlow:
    r"""The flow at one size: its field, its loss, its closed-form times, and a simulation in doubles.

    Formulas take ``p`` and ``alpha`` as exact numbers, enclosures or floats and stay in that arithmetic.

    Parameters
    ----------
    T, q : tokens and selected tokens, ``1 <= q < T``.
    d : token dimension.
    d_e : the metric of :math:`\beta`, a positive rational: :math:`\|I\|_F^2` of the block it scales, that is the
        encoding dimension; ``T - 1`` for fixed one-hot positions.

    Raises
    ------
    DomainError
        For sizes outside these ranges.

    References
    ----------
    Wang, Wei, Hsu, Lee (2024), Reduction and Dynamics, arXiv 2406.06893v1; derived here.

    Examples
    --------
    >>> flow = SelectionFlow(4, 2, 5, 2)
    >>> flow.loss(1, flow.start), flow.velocity(1, flow.start)
    (Fraction(5, 4), (Fraction(0, 1), Fraction(5, 8)))
    """

    T: int
    q: int
    d: int
    d_e: Real

    def __post_init__(self) -> None:
        checked_integer("q", self.q, least=1, why="a token is selected")
        checked_integer("T", self.T, least=self.q + 1, why="with q >= T no token has to be left out")
        checked_integer("d", self.d, least=1, why="tokens are vectors")
        checked_rational("d_e", self.d_e, lambda x: x > 0, required="d_e > 0", why="it divides the gradient")

    @property
    def n(self) -> int:
        """Tokens that are not selected."""
        return self.T - self.q

    @property
    def start(self) -> Fraction:
        """The selected mass of uniform attention, ``q / T``."""
        return Fraction(self.q, self.T)

    @property
    def rate(self) -> Fraction:
        r"""The factor :math:`2d/(qd_e)` of :math:`\dot\beta`."""
        return Fraction(2 * self.d, self.q) / Fraction(self.d_e)

    def mass(self, u: Real | Numbers) -> Any:
        r"""Return :math:`p` at :math:`u=e^\beta`.

        Parameters
        ----------
        u : at least 0.

        Returns
        -------
        number : in [0, 1].

        Raises
        ------
        DomainError : a negative number.
        """
        checked_entries(
            "u", u, lambda x: x >= 0, required="u >= 0", why="u = exp(beta), and below 0 the weights may sum to 0"
        )
        u = quotient_safe(u)
        return self.q * u / (self.q * u + self.n)

    def excess(self, p: Real | Numbers) -> Any:
        """Return :math:`c=(Tp-q)/n`, which runs from 0 to 1.

        Parameters
        ----------
        p : selected mass.

        Returns
        -------
        number : in the arithmetic of ``p``.
        """
        return (self.T * quotient_safe(p) - self.q) / self.n

    def norm(self, p: Real | Numbers) -> Any:
        """Return :math:`A`, the squared norm of the attention weights.

        Parameters
        ----------
        p : selected mass.

        Returns
        -------
        number : in the arithmetic of ``p``.
        """
        p = quotient_safe(p)
        return p * p / self.q + (1 - p) * (1 - p) / self.n

    def loss(self, alpha: Real | Numbers, p: Real | Numbers) -> Any:
        r"""Return the population loss :math:`L(\alpha,p)`.

        Parameters
        ----------
        alpha, p : the scale of the values, and the selected mass.

        Returns
        -------
        number : not divided by ``d``.
        """
        p, alpha = quotient_safe(p), quotient_safe(alpha)
        e, miss = 1 - p, alpha * p - 1
        return self.d * (miss * miss / self.q + alpha * alpha * e * e / self.n)

    def best_alpha(self, p: Real | Numbers) -> Any:
        r"""Return :math:`\alpha^*=np/(np^2+q\epsilon^2)`, the minimiser of the loss at this attention; at least 1.

        Parameters
        ----------
        p : selected mass, positive.

        Returns
        -------
        number : in the arithmetic of ``p``.
        """
        return self.n * quotient_safe(p) / self.spread(p)

    def spread(self, p: Real | Numbers) -> Any:
        r"""Return :math:`D=np^2+q\epsilon^2=qnA`.

        Parameters
        ----------
        p : selected mass.

        Returns
        -------
        number : in the arithmetic of ``p``.
        """
        return self.n * p * p + self.q * (1 - p) * (1 - p)

    def velocity(self, alpha: Real | Numbers, p: Real | Numbers) -> tuple[Any, Any]:
        r"""Return :math:`(\dot\alpha,\dot\beta)`.

        Parameters
        ----------
        alpha, p : the scale of the values, and the selected mass.

        Returns
        -------
        tuple : of two numbers.
        """
        p = quotient_safe(p)
        turn = self.rate * alpha * p * (1 - p) * (1 - alpha * self.excess(p))
        return -2 * (alpha * self.norm(p) - p / self.q), turn

    def slopes(self, alpha: Real | Numbers, p: Real | Numbers) -> tuple[Any, Any]:
        r"""Return :math:`(\partial_\alpha L,\partial_\beta L)`; the velocity is minus these over ``d`` and ``d_e``.

        Parameters
        ----------
        alpha, p : the scale of the values, and the selected mass.

        Returns
        -------
        tuple : of two numbers.
        """
        p = quotient_safe(p)
        turn = 2 * self.d * alpha * p * (1 - p) * (1 - alpha * self.excess(p)) / self.q
        return 2 * self.d * (alpha * self.norm(p) - p / self.q), -turn

    def frozen_time(self, p: Real) -> Enclosure:
        r"""Return the time at which the flow with :math:`\alpha=1` frozen reaches ``p``.

        .. math:: t(p)=\frac{d_e}{2C}\bigl[F(p)-F(q/T)\bigr],\quad C=\frac{dT}{qn},\quad
                  F(p)=3\log\frac p{1-p}-\frac1p+\frac2{1-p}+\frac1{2(1-p)^2}.

        Parameters
        ----------
        p : selected mass in ``[q/T, 1)``.

        Returns
        -------
        Enclosure : a time of the flow, 0 at ``q/T``.

        Raises
        ------
        DomainError : ``p`` outside this range.
        """

        def F(p: Enclosure) -> Enclosure:
            e = 1 - p
            return 3 * (p / e).log() - 1 / p + 2 / e + 1 / (2 * e * e)

        C = Fraction(self.d * self.T, self.q * self.n)
        return (F(self.checked_mass(p)) - F(Enclosure(self.start))) * (Fraction(self.d_e) / (2 * C))

    def slaved_time(self, p: Real) -> Enclosure:
        r"""Return the time at which the flow with :math:`\alpha=\alpha^*(p)` reaches ``p``.

        .. math:: t(p)=\frac{d_e}{2dn}\Bigl[n^2\Bigl(\frac1{2\epsilon^2}-\frac1\epsilon\Bigr)
                  +2qn\log\frac p\epsilon+q^2\Bigl(\frac1p-\frac1{2p^2}\Bigr)\Bigr]_{q/T}^p.

        Parameters
        ----------
        p : selected mass in ``[q/T, 1)``.

        Returns
        -------
        Enclosure : a time of the flow, 0 at ``q/T``.

        Raises
        ------
        DomainError : ``p`` outside this range.
        """
        n, q = self.n, self.q

        def F(p: Enclosure) -> Enclosure:
            e = 1 - p
            far, near = 1 / (2 * e * e) - 1 / e, 1 / p - 1 / (2 * p * p)
            return n * n * far + 2 * q * n * (p / e).log() + q * q * near

        return (F(self.checked_mass(p)) - F(Enclosure(self.start))) * (Fraction(self.d_e) / (2 * self.d * n))

    def checked_mass(self, p: Real) -> Enclosure:
        """Return a selected mass as an enclosure.

        Parameters
        ----------
        p : the mass.

        Returns
        -------
        Enclosure : certainly in ``[q/T, 1)``.

        Raises
        ------
        DomainError : it is not certainly there.
        """
        box = Enclosure(p)
        if not (box.certainly_lt(1) and Enclosure(self.start).certainly_le(box)):
            raise DomainError(f"p = {p!r}", required=f"q/T = {self.start} <= p < 1", why="the flow stays there")
        return box

    def simulate(
        self, times: Sequence[float], *, alpha: str = "trained", rtol: float = 1e-11
    ) -> dict[str, NDArray[np.float64]]:
        r"""Return the curve at increasing times, by an implicit solver with error control, in doubles.

        Parameters
        ----------
        times : increasing, the first positive.
        alpha : ``"trained"`` for the joint flow from zero, ``"frozen"`` for 1, ``"slaved"`` for :math:`\alpha^*`.
        rtol : relative tolerance of a step, at least ``1e-13``; no bound of the global error, for which compare two.

        Returns
        -------
        dict
            ``alpha``, ``beta``, ``p``, ``epsilon``, ``loss``, each ``(len(times),)``.

        Raises
        ------
        DomainError : times that do not increase, another mode or tolerance.
        BudgetError : the solver gives up.
        """
        from scipy.integrate import solve_ivp

        at = np.asarray(times, dtype=np.float64)
        if at.ndim != 1 or not at.size or not np.isfinite(at).all() or at[0] <= 0 or (np.diff(at) <= 0).any():
            raise DomainError(f"the times {list(times)}", required="positive, finite and increasing")
        if alpha not in MODES or not 1e-13 <= rtol < 1e-2:
            raise DomainError(f"alpha = {alpha!r}, rtol = {rtol}", required=f"one of {MODES}, 1e-13 <= rtol < 0.01")
        field = self._field(alpha)
        begin = [0.0, 0.0] if alpha == "trained" else [0.0]
        found = solve_ivp(field, (0.0, float(at[-1])), begin, "LSODA", at, rtol=rtol, atol=rtol / 100)
        if not found.success:
            raise BudgetError(f"the flow stopped at t = {found.t[-1]}", required="the last time", why=found.message)
        beta = found.y[-1]
        p, e = self._masses(np.exp(beta))
        a = found.y[0] if alpha == "trained" else np.ones_like(p) if alpha == "frozen" else self.best_alpha(p)
        miss = (a - 1) * p - e  # alpha p - 1 without cancellation
        loss = self.d * (miss**2 / self.q + a**2 * e**2 / self.n)
        return {"alpha": a, "beta": beta, "p": p, "epsilon": e, "loss": loss}

    def _masses(self, u: Any) -> tuple[Any, Any]:
        whole = self.q * u + self.n
        return self.q * u / whole, self.n / whole

    def _field(self, alpha: str) -> Callable[[float, Any], list[float]]:
        q, n, T, rate = self.q, self.n, self.T, float(self.rate)

        def trained(t: float, y: Any) -> list[float]:
            a = y[0]
            p, e = self._masses(math.exp(y[1]))
            # 1 - a c with c = 1 - T e/n
            return [-2 * (a * (p * p / q + e * e / n) - p / q), rate * a * p * e * (1 - a + a * T * e / n)]

        def frozen(t: float, y: Any) -> list[float]:
            p, e = self._masses(math.exp(y[0]))
            return [rate * p * e * T * e / n]

        def slaved(t: float, y: Any) -> list[float]:
            p, e = self._masses(math.exp(y[0]))
            whole = n * p * p + q * e * e
            return [rate * (n * p / whole) * p * e * (q * e / whole)]

        return {"trained": trained, "frozen": frozen, "slaved": slaved}[alpha]
