r"""The query of smallest cross-talk, of least norm among those: a linear programme solved in rational numbers.

.. math:: t^*=\min\bigl\{\max(0,\max_{i\notin y}\langle w,e_i\rangle):\ \langle w,e_i\rangle=1\ (i\in y)\bigr\}.

For a level :math:`t` the dual active-set method (Goldfarb and Idnani) either finds the shortest :math:`w` whose scores
are 1 on ``y`` and at most :math:`t` off it, or weights :math:`\lambda\ge0`, :math:`\mu` with
:math:`\sum_{j\notin y}\lambda_je_j=\sum_{i\in y}\mu_ie_i` and :math:`\sum\mu_i>t\sum\lambda_j`, which prove that every
query has cross-talk at least :math:`t'=\sum\mu_i/\sum\lambda_j>t`.  Starting at :math:`t=0` and moving to
:math:`t'` ends at :math:`t^*`: both the optimum and its proof are rational, and no solver in doubles is asked.
The clip at 0 is essential: without it the programme is unbounded whenever the encodings are independent.

Least :math:`\ell_1` norm under linear equations, by a solver, and what an exact second look needs.

A solver's answer only says where to look: its support is solved again in rationals (an upper bound), its
multipliers are divided by an exact supremum (a lower bound).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked, ranks
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import first_independent, rational_product, solve_rational
from theorytools.optional import require

Weights = dict[int, Fraction]


@dataclass(frozen=True)
class Separation:
    r"""A query of smallest cross-talk with the proof that there is no better one.

    Attributes
    ----------
    level : the cross-talk :math:`t^*`, clipped at 0.
    weights : coefficients :math:`z_i` with :math:`w=\sum_iz_iv_i/c`, where :math:`e_i=\sqrt c\,v_i`.
    selected, others : :math:`\mu` on ``y`` and :math:`\lambda\ge0` off it, with
        :math:`\sum\lambda_jv_j=\sum\mu_iv_i`, :math:`\sum\lambda_j=1` and :math:`\sum\mu_i=t^*`; empty for
        :math:`t^*=0`.
    """

    level: Fraction
    weights: Weights
    selected: Weights
    others: Weights


@checked
@ranks(products=2)
def separation(products: NDArray[np.object_], y: Sequence[int]) -> Separation:
    r"""Return the best query for the set ``y`` from the integers :math:`\langle v_i,v_j\rangle`.

    Raises
    ------
    DomainError
        If the encodings of ``y`` are dependent.
    """
    off = [i for i in range(len(products)) if i not in set(y)]
    level = Fraction(0)
    proof: tuple[Weights, Weights] = ({}, {})
    while True:
        weights, farkas = _shortest(products, list(y), off, level)
        if farkas is None:
            return Separation(level, weights, *proof)
        mass = sum(farkas[1].values())
        proof = ({i: x / mass for i, x in farkas[0].items()}, {i: x / mass for i, x in farkas[1].items()})
        level = sum(proof[0].values(), Fraction(0))


def _shortest(
    K: NDArray[np.object_], y: list[int], off: list[int], level: Fraction
) -> tuple[Weights, tuple[Weights, Weights] | None]:
    """The shortest query at this level, as weights on tokens, or a proof that there is none."""
    active: list[int] = []  # independent together with y, all at the level
    eta: Weights = {}  # their multipliers, >= 0
    weights = dict(zip(y, min_norm_weights(K, y), strict=True))
    scores = _scores(K, weights)
    while True:
        worst = max(off, key=lambda i: scores[i])
        if scores[worst] <= level:
            return weights, None
        step = Fraction(0)  # the multiplier of the violated row, grown until it is met
        while True:
            r, rest = _projection(K, [*y, *active], worst)
            gap = scores[worst] - level
            blocking = [(eta[k] / r[k], k) for k in active if r[k] > 0]
            limit = min(blocking, default=None)
            if rest == 0 and limit is None:
                others = {worst: Fraction(1), **{k: -r[k] for k in active}}
                return weights, ({i: r[i] for i in y}, others)
            move = min(x for x in (gap / rest if rest else None, limit[0] if limit else None) if x is not None)
            for k in (*y, *active):
                weights[k] += move * r[k]
            weights[worst] = weights.get(worst, Fraction(0)) - move
            if rest:  # otherwise the query itself stays, only its weights change
                scores = scores - move * (K[:, worst] - _scores(K, r))
            step += move
            for k in active:
                eta[k] -= move * r[k]
            if rest and move == gap / rest:
                active.append(worst)
                eta[worst] = step
                break
            assert limit is not None  # the move was not the gap's
            active.remove(limit[1])
            del eta[limit[1]], weights[limit[1]]


def _scores(K: NDArray[np.object_], weights: Weights) -> NDArray[np.object_]:
    chosen = list(weights)
    scores: NDArray[np.object_] = rational_product(K[:, chosen], np.array([weights[i] for i in chosen], dtype=object))
    return scores


def _projection(K: NDArray[np.object_], basis: list[int], p: int) -> tuple[Weights, Fraction]:
    """Coefficients of vector ``p`` on an independent set, and the squared length of what is left."""
    solved = solve_rational(K[np.ix_(basis, basis)].tolist(), K[basis, p].tolist())
    rest = Fraction(K[p, p]) - sum((x * K[k, p] for x, k in zip(solved, basis, strict=True)), Fraction(0))
    return dict(zip(basis, solved, strict=True)), rest


def min_norm_weights(K: Any, y: Sequence[int]) -> list[Fraction]:
    r"""Return :math:`K_y^{-1}\mathbf 1`; ``DomainError`` where the encodings of ``y`` are dependent."""
    chosen = list(y)
    try:
        return solve_rational(K[np.ix_(chosen, chosen)].tolist(), [1] * len(chosen))
    except DomainError:
        raise DomainError(
            f"dependent encodings at the positions {tuple(chosen)}",
            required="E_y of full column rank, hence d_e >= q",
            why="the dual and lp queries give each selected token the score 1",
            advice="count this draw as a failure, or draw a larger d_e",
        ) from None


Array = NDArray[np.float64]

# HiGHS accepts reduced costs of -1e-7 by itself, too coarse where candidates are close together
_OPTIONS = {"HIGHS": {"dual_feasibility_tolerance": 1e-10, "primal_feasibility_tolerance": 1e-10}}


def least_l1(
    features: Array, targets: Array, *, free: Array | None = None, solver: str = "HIGHS"
) -> tuple[Array, Array]:
    r"""Return weights and multipliers of :math:`\min\|\mu\|_1` subject to :math:`F\mu+G\nu=y`, in float64.

    Parameters
    ----------
    features : array
        :math:`F`, shape ``(n, m)``.
    targets : array
        :math:`y`, shape ``(n,)``.
    free : array, optional
        :math:`G`, shape ``(n, k)``; its weights :math:`\nu` cost nothing.
    solver : str
        The name of a linear programming solver of cvxpy.

    Returns
    -------
    tuple
        :math:`\mu` of shape ``(m,)`` and :math:`\lambda` of shape ``(n,)``, where :math:`\lambda^\top y` is
        close to the optimum.

    Raises
    ------
    DomainError
        For a solver that cvxpy does not find.
    CertificateError
        Unless the solver reports an optimum; nothing it reports is evidence.
    """
    cp = require("cvxpy")

    scale = float(np.abs(targets).max()) or 1.0
    plus, minus = cp.Variable(features.shape[1], nonneg=True), cp.Variable(features.shape[1], nonneg=True)
    fitted = features @ (plus - minus)
    if free is not None and free.shape[1]:
        fitted = fitted + free @ cp.Variable(free.shape[1])
    equations = fitted == targets / scale
    problem = cp.Problem(cp.Minimize(cp.sum(plus + minus)), [equations])
    if solver.upper() not in cp.installed_solvers():
        raise DomainError(
            f"solver = {solver!r}", required=f"one of {', '.join(cp.installed_solvers())}",
            why="a linear programme is handed to it", advice="install the solver, or name another",
        )  # fmt: skip
    try:
        problem.solve(solver=solver, **_OPTIONS.get(solver, {}))
    except cp.error.SolverError as error:
        raise CertificateError(f"no answer of {solver!r}", required="'optimal'", why=str(error)) from None
    if problem.status != "optimal":
        raise CertificateError(
            f"{solver} answered {problem.status!r}",
            required="'optimal'",
            why="cvxpy leaves numbers behind for every other answer too",
            advice="scale the data, or name another solver",
        )
    return np.asarray(plus.value - minus.value) * scale, -np.asarray(equations.dual_value)


def support(weights: Array) -> list[int]:
    """Return where the weights are not zero up to rounding, the largest first."""
    sizes = np.abs(weights)
    return [int(k) for k in np.argsort(-sizes, kind="stable") if sizes[k] > 1e-9 * sizes.max()]


def complete_basis(columns: Sequence[Sequence[Fraction]], n: int) -> list[int]:
    r"""Return the first ``n`` linearly independent columns, greedily from the left, over the rationals."""
    chosen = first_independent(columns)[:n]
    if len(chosen) == n:
        return chosen
    raise CertificateError(f"columns of rank {len(chosen)}", required=f"rank n = {n}", advice="offer more candidates")


def rows(columns: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return the transposed list of lists."""
    return [list(row) for row in zip(*columns, strict=True)]
