r"""Training losses other than the squared one, with Clarke's subdifferential in rationals, and exact stationary points.

A loss :math:`\ell` of the residual :math:`r` has at every ``r`` an interval of slopes.  A first layer is stationary for
the mean loss with decay if multipliers :math:`s_i` in these intervals have

.. math:: \frac1n\sum_is_i\,\nabla_zf(t^{(i)},Wx^{(i)})\,x^{(i)\top}+\lambda W=0 ;

at data where ``f`` is smooth and for convex losses this says that 0 lies in Clarke's subdifferential.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, checked, ranks
from theorytools.errors import DomainError
from theorytools.numbers import draws as portable
from theorytools.numbers import solve_rational
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective, Readout

Exact = NDArray[Any]  # fractions, dtype object
TAU = Fraction(3, 4)  # of the quantile loss

# lowest and highest slope, and kappa: between them the residual is kappa times the slope
_PIECES: dict[str, tuple[Any, Any, int]] = {
    "squared": (None, None, 1), "absolute": (Fraction(-1), Fraction(1), 0), "huber": (Fraction(-1), Fraction(1), 1),
    "quantile": (-TAU, 1 - TAU, 0),
}
LOSSES = (*_PIECES, "logistic")


@checked
@dataclass(frozen=True)
class TrainingLoss:
    r"""A convex loss of the residual, prediction minus label.

    ``squared`` :math:`\frac12r^2`; ``absolute`` :math:`|r|`; ``huber``, which is :math:`\frac12r^2` up to 1 and
    :math:`|r|-\frac12` beyond; ``quantile`` :math:`\max((1-\tau)r,-\tau r)`, :math:`\tau=\frac34`; ``logistic``
    :math:`(\log(1+2^r)+\log(1+2^{-r}))/\log2`, of slope :math:`\frac{2^r-1}{2^r+1}`, rational at integers.

    Raises
    ------
    DomainError
        For another name.

    References
    ----------
    Clarke (1983), Optimization and Nonsmooth Analysis, sections 2.2 and 2.3; Koenker, Bassett (1978), for quantiles.
    """

    name: str

    def __post_init__(self) -> None:
        if self.name not in LOSSES:
            raise DomainError(f"the loss {self.name!r}", required=f"one of {', '.join(LOSSES)}")

    @property
    def piecewise(self) -> tuple[Any, Any, int]:
        """Lowest and highest slope (None: there is none) and the residual over the slope between them."""
        if self.name == "logistic":
            raise DomainError("the logistic loss", required="a loss of linear pieces, or the squared one",
                              why="its stationary points are not rational")  # fmt: skip
        return _PIECES[self.name]

    def slopes(self, r: Real) -> tuple[Fraction, Fraction]:
        """Return the least and the largest slope at the residual ``r``; for ``logistic`` an integer."""
        r = Fraction(r)
        if self.name == "logistic":
            if r.denominator != 1:
                raise DomainError(f"r = {r}", required="an integer residual", why="other slopes are not rational")
            return ((Fraction(2) ** int(r) - 1) / (Fraction(2) ** int(r) + 1),) * 2
        low, high, kappa = _PIECES[self.name]
        if kappa:
            return (r if low is None else min(max(r, low), high),) * 2
        return (low, low) if r < 0 else (high, high) if r > 0 else (low, high)

    def value(self, r: Real) -> Fraction:
        """Return the loss at a residual, exactly; not for ``logistic``."""
        r, (_, _, kappa) = Fraction(r), self.piecewise
        low, high = self.slopes(r)
        return high * r - Fraction(kappa, 2) * high**2 if r > 0 else low * r - Fraction(kappa, 2) * low**2

    def rounded_slopes(self, r: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a slope at every residual in doubles, 0 at a kink."""
        if self.name == "logistic":
            return 1 - 2 / (1 + portable.exp(0.6931471805599453 * r))  # log 2
        if self.name == "quantile":
            return np.where(r > 0, float(1 - TAU), np.where(r < 0, -float(TAU), 0.0))
        return np.sign(r) if self.name == "absolute" else np.clip(r, -1, 1) if self.name == "huber" else r

    @ranks(W=2)
    def misfit(self, task: DecayedObjective, W: Exact, f: Readout, s: Sequence[Fraction]) -> Fraction:
        """Return the squared distance of the multipliers from the slopes at the residuals of the network."""
        residuals = [f(t, W @ x)[0] - y for t, x, y in zip(task.t, task.inputs, task.y, strict=True)]
        pairs = [(a, *self.slopes(r)) for a, r in zip(s, residuals, strict=True)]
        return sum((max(low - a, a - high, Fraction(0)) ** 2 for a, low, high in pairs), Fraction(0))

    @ranks(C=2)
    def minimiser(self, task: DecayedObjective, C: Exact) -> tuple[Exact, list[Fraction]]:
        r"""Return the layer that minimises the mean loss with decay under the read-out ``C``, and its multipliers.

        :math:`W=-\frac1{\lambda n}\sum_is_ic_{t_i}x^{(i)\top}`, where ``s`` minimises
        :math:`\frac12s^\top(\frac1{\lambda n}K+\kappa I)s+s^\top y` on the box of slopes.  Rounded descent, coordinate
        by coordinate, proposes which multipliers lie on the box's faces; the others solve an exact linear system.
        Nothing rests on the proposal: who calls measures gradient and misfit of what comes out.
        """
        chosen, (low, high, kappa) = C[list(task.t)], self.piecewise
        H = (chosen @ chosen.T) * (task.inputs @ task.inputs.T) / (task.lam * task.n)
        H = H + kappa * np.eye(task.n, dtype=int).astype(object)
        side = _faces(H, task.y, low, high)
        free = [i for i in range(task.n) if not side[i] and H[i, i]]  # of a prompt of zeros the residual is 0
        s = np.array([high if k > 0 else low if k < 0 else Fraction(0) for k in side], dtype=object)
        if free:
            right = -(np.array(task.y, dtype=object) + H @ s)[free][:, None]
            s[free] = np.array(solve_rational(H[np.ix_(free, free)], right), dtype=object)[:, 0]
        return -(s[:, None] * chosen).T @ task.inputs / (task.lam * task.n), s.tolist()


@ranks(W=2)
def multiplied_gradient(task: DecayedObjective, W: Exact, f: Readout, s: Sequence[Fraction]) -> Exact:
    r"""Return :math:`\frac1n\sum_is_i\nabla_zf\,x^{(i)\top}+\lambda W` for multipliers ``s``, by the chain rule."""
    total = task.lam * W
    for t, x, a in zip(task.t, task.inputs, s, strict=True):
        total = total + Fraction(a) / task.n * np.outer(f(t, W @ x)[1], x)
    return total


def _faces(H: Exact, y: Sequence[Fraction], low: Any, high: Any) -> list[int]:
    """Which multipliers are at the lower (-1) and the upper (1) end of the box, by rounded coordinate descent."""
    if low is None:
        return [0] * len(y)
    # Python's floats: a call of numpy takes longer than so few terms; which sides come out right, the misfit shows
    A, b, s = H.astype(float).tolist(), np.array(y, dtype=float).tolist(), [0.0] * len(y)
    low, high, places = float(low), float(high), range(len(y))

    def slope(i):
        return sum(map(mul, A[i], s)) + b[i]

    for _ in range(20000):
        moved = 0.0
        for i in places:
            if not A[i][i]:  # a prompt of zeros: its multiplier moves nothing
                continue
            before, s[i] = s[i], min(max(s[i] - slope(i) / A[i][i], low), high)
            moved = max(moved, abs(s[i] - before))
        if moved < 1e-13:
            break
    # at a face the residual keeps its sign
    return [1 if s[i] >= high and slope(i) < 0 else -1 if s[i] <= low and slope(i) > 0 else 0 for i in places]
