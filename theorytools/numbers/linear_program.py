r"""Least :math:`\ell_1` norm under linear equations, by a solver, and what an exact second look needs.

A solver's answer only says where to look: its support is solved again in rationals (an upper bound), its
multipliers are divided by an exact supremum (a lower bound).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import first_independent
from theorytools.optional import require

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
