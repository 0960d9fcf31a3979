r"""The explicit generalisation bound of recurrent networks at the norms of the network that tracks positions.

With probability at least :math:`1-\delta`, for every network of the class and tokens with entries in
:math:`[-M,M]`,

.. math:: R_\tau-\hat R_n\le4\sqrt{\tfrac\tau n}+2\tau\sqrt{\tfrac{2\log\mathcal C(n^{-1/2})}n}
          +3\tau\sqrt{\tfrac{\log(2/\delta)}{2n}},

:math:`\log\mathcal C` from :func:`theorytools.papers.qstr.capacity.recurrent_covering.recurrent_network`.  The class is
as large as the exact network for simple :math:`q`-STR with a linear link asks: binary index codes of
:math:`d_e=\lceil\log_2N\rceil` digits with gap :math:`\gamma=2/d_e`, gate slope :math:`K=M/\gamma`,
:math:`M=\sqrt{2\log(2Nd/\delta)}` (a Gaussian prompt is cut with probability at most :math:`\delta`),
:math:`r_h=\sqrt{qd}M`, transitions that do not read the state, dense layers.  Norms are those of networks that read
*unit* codes, :math:`4qd(1+K^2)` in a gate; the constructions read codes of entries :math:`\pm1`, with
:math:`K^2/d_e`, and ``PositionTracker.squared_norm(unit=True)`` converts.

*It decreases in* :math:`n`: :math:`t/(1+t)\le\log(1+t)` makes :math:`\log(1+X\sqrt n)/n` decreasing for every
:math:`X>0`.

All constants are derived here.

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Theorem 7, Propositions 26 and 28, arXiv 2503.11272v1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import sympy
from sympy import Rational, ceiling, log, sqrt

from theorytools.arguments.checked import Formula, Precision, Real, SizeFormula, checked
from theorytools.claims.language.bound import expression
from theorytools.errors import DomainError, UndecidedError
from theorytools.numbers import Enclosure, at_precision, evaluate, evaluator
from theorytools.papers.qstr.capacity.covering import Step
from theorytools.papers.qstr.capacity.deviation import deviation
from theorytools.papers.qstr.capacity.recurrent_covering import recurrent_network

_BITS = 128
_PERCENT = Rational(1, 100)


@checked
@dataclass(frozen=True)
class RecurrentBound:
    r"""The right side of the recurrent sample-complexity theorem, every factor visible.

    Every field is an exact number or a sympy expression.

    Parameters
    ----------
    N, n, d, q : sequence length, training prompts, token dimension, indexed tokens.
    tau : truncation level of the loss.
    delta : failure probability.
    d_e : dimension of a code, :math:`\lceil\log_2N\rceil` unless given.
    split : each direction is covered at radius :math:`\epsilon/(cC_yS_N)`; 2 suffices.

    Examples
    --------
    >>> bound = RecurrentBound(N=64, n=10**8, d=2, q=1)
    >>> 0.5 < float(bound.value()) < 2
    True
    """

    N: Formula
    n: Formula
    d: Formula = 2
    q: Formula = 1
    tau: Formula = 16
    delta: Formula = _PERCENT
    d_e: SizeFormula = None
    split: Formula = 2

    def __post_init__(self) -> None:
        for name in ("N", "n", "d", "q", "tau", "delta", "split"):
            value = expression(getattr(self, name), f"the letter {name}")
            low = {"N": 2, "n": 1, "d": 1, "q": 1}.get(name, 0)
            if value.is_number and (value < low or value == 0):
                raise DomainError(f"{name} = {value}", required=f"{name} >= {low}, not 0")

    @property
    def sizes(self) -> Mapping[str, sympy.Expr]:
        """Code length, gate, radii, squared norm of all parameters, and numbers of parameters."""
        N, d, q, delta = (expression(x) for x in (self.N, self.d, self.q, self.delta))
        d_e = ceiling(log(N) / log(2)) if self.d_e is None else expression(self.d_e)
        M = sqrt(2 * (log(2 * d / delta) + log(N)))
        K = M * d_e / 2
        gate = 2 * d + 4 * q * d_e + 4 * q * d * (1 + K**2)
        D_e, m_1, m_y = d + (q + 1) * d_e, 2 * d + 2 * q * d_e, 4 * q * d + 2 * d + 2 * q * d_e
        return {
            "d_e": d_e, "M": M, "K": K,
            "R2": 2 * (gate + 2 * q * d) + gate + 12 * q * d + 10,  # |W_g|^2 = |a_g|^2 = 2, b_g = 0
            "r_h": sqrt(q * d) * M, "R_z": sqrt(d * M**2 + q + 1),
            "P_h": m_1 * (q * d + D_e + 1) + 2 * q * d * (m_1 + 1) + 2 * (q * d) ** 2,
            "P_y": m_y * (2 * q * d + D_e + 1) + 4 * q * d * (m_y + 1) + 2 * (4 * q * d + 1) + 2,
        }  # fmt: skip

    def covering(self, eps: Formula) -> Step:
        """Return the logarithm of the covering number, three layers in a transition and four in the readout."""
        v = self.sizes
        return recurrent_network(
            eps, N=self.N, P_h=v["P_h"], L_h=3, P_y=v["P_y"], L_y=4, R=sqrt(v["R2"]), r_h=v["r_h"], R_z=v["R_z"],
            split=self.split,
        )  # fmt: skip

    def terms(self) -> Mapping[str, sympy.Expr]:
        """Return the three terms of the bound: resolution, complexity, deviation."""
        n, tau = expression(self.n), expression(self.tau)
        log_size = self.covering(1 / sqrt(n)).expr
        return {
            "resolution": 4 * sqrt(tau / n),
            "complexity": 2 * tau * sqrt(2 * log_size / n),
            "deviation": deviation(tau=tau, delta=self.delta, n=n).expr,
        }

    @property
    def expr(self) -> sympy.Expr:
        """The bound as one expression."""
        return sympy.Add(*self.terms().values())

    def value(self, *, bits: Precision = _BITS) -> Enclosure:
        """Return an enclosure of the bound."""
        return at_precision(bits, lambda: evaluate(self.expr))

    def required_n(self, target: Real = 1) -> tuple[int, int]:
        """Return ``(low, high)``, within 0.1 %: the bound is proved below ``target`` at ``high``, not below at ``low``.

        Raises
        ------
        DomainError : the target is not positive.
        """
        goal = expression(target, "a target")
        if not goal.is_positive:
            raise DomainError(f"target = {goal}", required="a positive target")
        excess = evaluator(replace(self, n=sympy.Symbol("n", positive=True)).expr - goal)

        def below(n: int) -> bool:
            found = at_precision(_BITS, lambda: excess({"n": Enclosure(n)}).certainly_lt(0))
            if found is None:
                raise UndecidedError(f"n = {n}, target = {goal}", required="a target that 128 bits tell from the bound")
            return found

        high = 2
        while not below(high):
            high *= 2
        low = high // 2
        while 1000 * (high - low) > low + 1000:
            middle = (low + high) // 2
            low, high = (low, middle) if below(middle) else (middle, high)
        return low, high
