r"""The convex program of a two-layer ReLU network, one cone per activation pattern: proposals in doubles.

With pre-activations :math:`s=Fw` for unknowns and :math:`G=FF^\top` the program is

.. math:: \min\sum_{b\ne0}\|s_b\|_{G^{-1}}+\|s_b'\|_{G^{-1}}\quad\text{s.t.}\quad
    \tfrac1n\bigl\|\textstyle\sum_bb\odot(s_b-s_b')-y\bigr\|^2\le\varepsilon,

where :math:`s_b` and :math:`s_b'` lie in the orthant of the pattern :math:`b`.  Nothing that a solver answers here is
evidence; ``convex_relu`` makes certificates of it.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import CertificateError
from theorytools.numbers import portable
from theorytools.optional import require
from theorytools.papers.qstr.interpolation.activation_patterns import Matrix, whitening

Array = NDArray[np.float64]
Exact = tuple[Fraction, ...]
# Proposals are rounded to about 2^-28 of their largest entry, so that machines agree on them.  Pre-activations are less
# certain (interior points leave them at 1e-11) and matter less: the norm is stationary there.
BITS, STATE_BITS = 28, 22
_TOLERANCES = ("tol_gap_abs", "tol_gap_rel", "tol_feas")
# finer than Clarabel's own 1e-8 is often reached; where it is not, that is tried next (given again in words, for an
# option left out keeps its last value)
_OPTIONS = {"CLARABEL": [dict.fromkeys(_TOLERANCES, size) for size in (1e-10, 1e-8)]}
_SMALL = 1e-6  # entries and neurons below this part of the largest one are solver noise


@dataclass(frozen=True)
class Proposal:
    """Neurons as output signs and pre-activations, the fitted values and a multiplier, rounded to rationals."""

    signs: tuple[int, ...]
    states: tuple[Exact, ...]
    fitted: Exact
    dual: Exact


def propose(gram: Matrix, y: Exact, epsilon: Fraction, patterns: NDArray[np.int64], solver: str) -> Proposal:
    """Return the solver's answer, parallel neurons merged; ``CertificateError`` unless it reports an optimum."""
    cp = require("cvxpy")

    # relu(<w, r f>) = r relu(<w, f>) for r > 0, so every input is brought to length 1 first
    r = [Fraction(math.sqrt(row[i])) for i, row in enumerate(gram)]
    even = tuple(tuple(g / (s * t) for g, t in zip(row, r, strict=True)) for row, s in zip(gram, r, strict=True))
    scale = max(abs(v / s) for v, s in zip(y, r, strict=True))
    target = np.array([float(v / s / scale) for v, s in zip(y, r, strict=True)])
    active, signs = np.tile(patterns.T, 2), np.repeat([1, -1], len(patterns))
    orthants = 2 * active - 1
    sizes = cp.Variable(active.shape, nonneg=True)
    # |s| in the norm of G^-1 = R^-1 R^-T is |R^-T s|
    lengths = cp.norm(np.linalg.inv(whitening(even)).T @ cp.multiply(orthants, sizes), 2, axis=0)
    fitted, gap = cp.sum(cp.multiply(active * signs, sizes), axis=1), cp.Variable(len(y))
    equations = fitted + gap == target
    weights = np.array([float(s / max(r)) for s in r])
    allowed = math.sqrt(len(y) * epsilon / (scale * max(r)) ** 2)
    ball = cp.norm(cp.multiply(weights, gap), 2) <= allowed if epsilon else gap == 0
    problem = cp.Problem(cp.Minimize(cp.sum(lengths)), [equations, ball])
    solve_cone_program(problem, solver)
    merged = _merged(orthants * np.asarray(sizes.value), signs)
    states = portable.coarse([state for _, state in merged], STATE_BITS)
    lengthened = [scale * s for s in r]
    return Proposal(
        tuple(sign for sign, _ in merged),
        tuple(_scaled(state, lengthened) for state in states),
        _scaled(portable.coarse(target - np.asarray(gap.value), BITS), lengthened),
        _scaled(portable.coarse(equations.dual_value, BITS), [1 / s for s in r]),
    )


def solve_cone_program(problem: Any, solver: str) -> None:
    """Solve a problem of cvxpy in place; ``CertificateError`` unless the solver reports an optimum."""
    cp = require("cvxpy")

    for options in _OPTIONS.get(solver, [{}]):
        with warnings.catch_warnings():  # the status is read, so a warning about it says nothing new
            warnings.filterwarnings("ignore", message="Solution may be inaccurate")
            try:
                problem.solve(solver=solver, **options)
            except cp.error.SolverError as error:
                raise CertificateError(
                    f"no answer of {solver!r}",
                    required="'optimal' of a conic solver",
                    why=str(error),
                    advice="CLARABEL",
                ) from None
        if problem.status == "optimal":
            return
    raise CertificateError(
        f"{solver} answered {problem.status!r}",
        required="'optimal'",
        why="cvxpy leaves numbers behind for every other answer too",
        advice="scale the data, or name another conic solver",
    )


def _merged(states: Array, signs: NDArray[np.int64]) -> list[tuple[int, Array]]:
    """Return neurons of which no two of one sign have compatible pre-activations.

    Where no entry has opposite signs, relu(s) + relu(s') = relu(s + s'), and the sum is not longer.
    """
    norms = portable.coarse(np.abs(states).max(axis=0))  # equal ones in the order of their patterns
    kept: list[tuple[int, Array]] = []
    for k in np.argsort(-norms, kind="stable"):
        if norms[k] <= _SMALL * norms.max():
            break
        state = np.where(np.abs(states[:, k]) <= _SMALL * norms[k], 0.0, states[:, k])
        for place, (sign, other) in enumerate(kept):
            if sign == signs[k] and (state * other >= 0).all():
                kept[place] = (sign, other + state)
                break
        else:
            kept.append((int(signs[k]), state))
    return kept


def shrunk(fitted: Exact, y: Exact, epsilon: Fraction) -> Exact:
    r"""Return a rational vector near ``fitted`` with :math:`\frac1n\|\cdot-y\|^2\le\varepsilon`, exactly."""
    if not epsilon:
        return y
    gap = [f - v for f, v in zip(fitted, y, strict=True)]
    square, allowed = sum((g * g for g in gap), Fraction(0)), len(y) * epsilon
    if square <= allowed:
        return fitted
    factor = Fraction(math.sqrt(allowed / square))
    while factor**2 * square > allowed:  # the root was rounded upwards
        factor *= 1 - Fraction(1, 2**50)
    return tuple(v + factor * g for v, g in zip(y, gap, strict=True))


def _scaled(values: Array, scales: list[Fraction]) -> Exact:
    return tuple(Fraction(float(x)) * scale for x, scale in zip(values, scales, strict=True))
