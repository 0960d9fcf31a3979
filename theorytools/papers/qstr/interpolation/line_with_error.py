r"""The least parameter norm of a two-layer ReLU network on the line that may miss its labels a little."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import STEPS, NonNegativeInt, PositiveInt, Real, at_most, checked
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import Enclosure, maximum, portable, shortest_fraction
from theorytools.optional import require
from theorytools.papers.qstr.feedforward.interpolant import Exact, sorted_data, squared_norm
from theorytools.papers.qstr.interpolation.bracket import Bracket
from theorytools.papers.qstr.interpolation.convex_program import BITS, shrunk, solve_cone_program
from theorytools.papers.qstr.interpolation.line import (
    TOLERANCE,
    Direction,
    MinNorm,
    critical_directions,
    min_norm_interpolant,
    squared_supremum,
)

Array = NDArray[np.float64]


@checked
@dataclass(frozen=True)
class MinNormERM(Bracket):
    r"""Two certificates around the least squared parameter norm with mean squared error at most :math:`\varepsilon`.

    .. math:: M_\varepsilon=2\max\{\lambda^\top y-\sqrt{n\varepsilon}\,\|\lambda\|:
        \sup_\theta|\textstyle\sum_i\lambda_i\phi_{z_i}(\theta)|\le1\},

    with :math:`\phi_z(\theta)=\sigma(z\cos\theta+\sin\theta)`; see :class:`MinNorm`, its case
    :math:`\varepsilon=0`.

    Parameters
    ----------
    y : labels as fractions, shape ``(n,)``.
    epsilon : mean squared error that is allowed.
    near : a bracket for fitted values; its network is the upper certificate.
    dual : :math:`\lambda`, rational, shape ``(n,)``.
    """

    y: Exact
    epsilon: Fraction
    near: MinNorm
    dual: Exact

    def loss(self) -> Fraction:
        """Return the network's mean squared error, exact; the upper bound holds where it is at most ``epsilon``."""
        errors = [self.near.evaluate(z) - y for z, y in zip(self.near.z, self.y, strict=True)]
        return squared_norm(errors) / len(self.y)

    def upper(self) -> Enclosure:
        """Return the norm of the network, each neuron balanced, at the ambient precision."""
        return self.near.upper()

    def lower(self) -> Enclosure:
        r"""Return the dual bound at the ambient precision; 0 where the multiplier proves nothing."""
        if not any(self.dual):
            return Enclosure(0)
        reached = abs(sum((l * y for l, y in zip(self.dual, self.y, strict=True)), Fraction(0)))
        allowed = Enclosure(len(self.y) * self.epsilon * squared_norm(self.dual)).sqrt()
        supremum = Enclosure(squared_supremum(self.near.z, self.dual)).sqrt()
        return maximum([2 * (reached - allowed) / supremum, 0])

    def require_feasible(self) -> None:
        """Raise ``CertificateError`` if the network misses what it has to fit."""
        if self.loss() > self.epsilon:
            raise CertificateError("a network that misses the labels", required="loss() <= epsilon")


@checked
@at_most(angles=STEPS)
def min_norm_erm(
    z: Sequence[Real],
    y: Sequence[Real],
    *,
    epsilon: Real,
    width: Real = 20 * TOLERANCE,
    angles: PositiveInt = 128,
    rounds: NonNegativeInt = 6,
    solver: str = "CLARABEL",
) -> MinNormERM:
    r"""Return a bracket of the least squared parameter norm with mean squared error at most ``epsilon``.

    A second-order cone program over candidate directions proposes fitted values and a multiplier; the fitted values
    are moved into the ball exactly, and :func:`min_norm_interpolant` passes a network through them.  While the
    bracket is too wide, the directions where the multiplier is extreme become candidates (cutting planes).

    Parameters
    ----------
    z, y : sequences of exact numbers
        Abscissae in increasing order and labels, shape ``(n,)``.
    epsilon : exact number
        Mean squared error that is allowed; 0 interpolates.
    width : exact number
        Relative width at which to stop.
    angles, rounds : int
        Candidates spread over the circle, and how often more are added at most.
    solver : str
        A conic solver of cvxpy, by name.

    Raises
    ------
    DomainError
        For data that are not sorted or not distinct, and for a negative ``epsilon``.
    CertificateError
        If the solver finds no optimum.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Theorem 9, arXiv 2503.11272v1; the bracket is derived here.
    """
    (zs, ys), error, target = sorted_data(z, y), shortest_fraction(epsilon), shortest_fraction(width)
    if error < 0:
        raise DomainError(f"epsilon = {epsilon}", required="epsilon >= 0", why="a mean square is not negative")
    if squared_norm(ys) <= len(ys) * error:  # the zero network is allowed
        nothing = (Fraction(0),) * len(ys)
        return MinNormERM(ys, error, MinNorm(zs, nothing, (), (), nothing), nothing)
    if not error:
        near = min_norm_interpolant(z, y, width=width, angles=angles, rounds=rounds)
        return MinNormERM(ys, error, near, near.dual)
    candidates = [v for x in zs for v in ((Fraction(1), -x), (Fraction(-1), x), (x, Fraction(1)))]
    candidates += [
        (Fraction(float(c)), Fraction(float(s))) for c, s in zip(*portable.turn(np.arange(angles), angles), strict=True)
    ]
    for remaining in range(rounds, -1, -1):
        fitted, dual = _propose(zs, ys, error, candidates, solver)
        near = min_norm_interpolant(zs, shrunk(fitted, ys, error), width=target / 4, angles=angles, rounds=rounds)
        found = MinNormERM(ys, error, near, dual)
        if not remaining or found.within(target):
            break
        candidates += [*near.directions, *critical_directions(zs, dual)]
    return found


def _propose(z: Exact, y: Exact, epsilon: Fraction, candidates: list[Direction], solver: str) -> tuple[Exact, Exact]:
    cp = require("cvxpy")

    v = np.array([[float(w), float(b)] for w, b in candidates])
    v = v[np.linalg.norm(v, axis=1) > 0]
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    features = np.maximum(np.outer([float(x) for x in z], v[:, 0]) + v[:, 1], 0.0)
    scale = max(abs(x) for x in y)
    plus, minus = cp.Variable(len(v), nonneg=True), cp.Variable(len(v), nonneg=True)
    fitted = cp.Variable(len(y))
    allowed = math.sqrt(len(y) * epsilon / scale**2)
    equations = features @ (plus - minus) == fitted
    ball = cp.norm(fitted - np.array([float(x / scale) for x in y]), 2) <= allowed
    problem = cp.Problem(cp.Minimize(cp.sum(plus + minus)), [equations, ball])
    solve_cone_program(problem, solver)
    values = tuple(Fraction(float(x)) * scale for x in portable.coarse(fitted.value, BITS))
    return values, tuple(Fraction(float(x)) for x in portable.coarse(equations.dual_value, BITS))
