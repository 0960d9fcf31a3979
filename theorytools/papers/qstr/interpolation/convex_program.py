r"""The convex program of a two-layer ReLU network, one cone per activation pattern: proposals in doubles.

With pre-activations :math:`s=Fw` for unknowns and :math:`G=FF^\top` the program is

.. math:: \min\sum_{b\ne0}\|s_b\|_{G^{-1}}+\|s_b'\|_{G^{-1}}\quad\text{s.t.}\quad
    \tfrac1n\bigl\|\textstyle\sum_bb\odot(s_b-s_b')-y\bigr\|^2\le\varepsilon,

where :math:`s_b` and :math:`s_b'` lie in the orthant of the pattern :math:`b`.  Nothing that a solver answers here is
evidence; ``convex_relu`` makes certificates of it.

How much one ReLU unit can gain on a multiplier: a rational bound over all activation patterns.

The pre-activations :math:`s=Fw` of a unit on ``n`` independent inputs are any vector of :math:`\mathbb R^n`, and the
shortest :math:`w` for them has :math:`\|w\|^2=s^\top G^{-1}s`, :math:`G=FF^\top`.  The activation patterns are the
orthants.  In the orthant of the signs :math:`\varsigma`, with active set :math:`b`,

.. math:: \lambda^\top\sigma(s)=(b\lambda)^\top s\le(b\lambda+z)^\top s
    \le\sqrt{(b\lambda+z)^\top G(b\lambda+z)}\;\|w\|\qquad\text{for every }z\text{ with }\varsigma_iz_i\ge0,

with equality for the best :math:`z`.  Least squares with nonnegative unknowns proposes :math:`z` in doubles; only
its signs matter for the bound, and those are checked by construction.

A minimum between two certificates: a feasible point from above, a dual one from below.
"""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.amounts import amount
from theorytools.claims.language.estimate import Recipe, enclosed_between
from theorytools.errors import BudgetError, CertificateError
from theorytools.numbers import Enclosure, at_precision, over_one
from theorytools.numbers import draws as portable
from theorytools.optional import require

Matrix = tuple[tuple[Fraction, ...], ...]
ENUMERABLE = 10  # prompts whose 2^n - 1 patterns are listed
_GRID = 2**50  # multipliers are rounded to this part of the largest one


def activation_patterns(n: int, *, limit: int = ENUMERABLE) -> NDArray[np.int64]:
    r"""Return all nonzero vectors of :math:`\{0,1\}^n`, shape ``(2**n - 1, n)``.

    Every one occurs, as the activation pattern of some unit, for ``n`` independent inputs.

    Raises
    ------
    BudgetError
        For more than ``limit`` inputs.
    """
    if n > limit:
        raise BudgetError(
            f"n = {n} inputs with 2^{n} - 1 = {amount(2**n - 1)} activation patterns",
            required=f"n <= {limit}, that is {2**limit - 1} patterns",
            why="the bound holds only if no pattern is left out",
            advice="take fewer prompts, or raise the limit",
        )
    return (np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1


def squared_gain(gram: Matrix, dual: Sequence[Fraction], patterns: NDArray[np.int64]) -> Fraction:
    r"""Return an upper bound of :math:`\sup_{\|w\|\le1}(\lambda^\top\sigma(Fw))^2`, rational.

    Parameters
    ----------
    gram : :math:`G=FF^\top`, positive definite, shape ``(n, n)``.
    dual : :math:`\lambda`, shape ``(n,)``.
    patterns : the activation patterns over which to maximise, shape ``(P, n)``; a bound only with all of them.
    """
    if not any(dual):
        return Fraction(0)
    G, scale = over_one(gram)
    part = max(abs(l) for l in dual) / _GRID
    whole, root = [l / part for l in dual], whitening(gram)
    moves = (_moved(whole, root, b, sign) for b in patterns.tolist() for sign in (1, -1))
    return max(Fraction(v @ G @ v) for v in moves) * part**2 / scale


def _moved(dual: list[Fraction], root: Array, active: list[int], sign: int) -> NDArray[Any]:
    r"""Return :math:`b\lambda+z` for a good :math:`z`."""
    from scipy.optimize import nnls

    signs = [1 if b else -1 for b in active]
    c = [sign * l * b for l, b in zip(dual, active, strict=True)]
    try:
        steps, _ = nnls(root * signs, -root @ np.array([float(x) for x in c]))
    except RuntimeError:  # no convergence: z = 0 gives a bound too
        steps = np.zeros(len(c))
    # nnls answers with nonnegative numbers; max() makes that certain, so the signs of z are right
    return np.array(
        [x + s * max(round(t), 0) for x, s, t in zip(c, signs, portable.coarse(steps, 30).tolist(), strict=True)],
        dtype=object,
    )


def whitening(gram: Matrix) -> Array:
    r"""Return :math:`R` with :math:`R^\top R` proportional to :math:`G`, in doubles, for proposals only.

    ``CertificateError`` where the rows are too close to dependent for that.
    """
    size = max(row[i] for i, row in enumerate(gram))
    try:
        return np.linalg.cholesky(np.array([[float(x / size) for x in row] for row in gram])).T
    except np.linalg.LinAlgError:
        raise CertificateError(
            "inputs that are dependent in doubles, though not exactly",
            required="a Gram matrix that doubles can factor",
            why="the solver, which only proposes, computes in doubles",
            advice="scale the features, append one that tells the inputs apart, or drop an input",
        ) from None


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


class Bracket(ABC):
    """What has a certified lower and upper end."""

    @abstractmethod
    def lower(self) -> Enclosure:
        """Return the lower end at the ambient precision."""

    @abstractmethod
    def upper(self) -> Enclosure:
        """Return the upper end at the ambient precision."""

    @abstractmethod
    def require_feasible(self) -> None:
        """Raise ``CertificateError`` unless the point above is feasible."""

    def relative_width(self) -> Enclosure:
        """Return the width of the bracket over its lower end (the whole line where that is 0)."""
        return self.upper() / self.lower() - 1

    def within(self, width: Fraction) -> bool:
        """Whether the bracket is proved to be at most ``width`` wide, relative to its upper end."""
        gap = at_precision(128, lambda: self.upper() * (1 - Enclosure(width)) - self.lower())
        return gap.certainly_le(0) is True

    def recipe(self) -> Recipe:
        """Return the minimum as an interval between the two certificates."""
        self.require_feasible()
        return enclosed_between(self.lower, self.upper)
