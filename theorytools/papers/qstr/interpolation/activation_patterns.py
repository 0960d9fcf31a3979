r"""How much one ReLU unit can gain on a multiplier: a rational bound over all activation patterns.

The pre-activations :math:`s=Fw` of a unit on ``n`` independent inputs are any vector of :math:`\mathbb R^n`, and the
shortest :math:`w` for them has :math:`\|w\|^2=s^\top G^{-1}s`, :math:`G=FF^\top`.  The activation patterns are the
orthants.  In the orthant of the signs :math:`\varsigma`, with active set :math:`b`,

.. math:: \lambda^\top\sigma(s)=(b\lambda)^\top s\le(b\lambda+z)^\top s
    \le\sqrt{(b\lambda+z)^\top G(b\lambda+z)}\;\|w\|\qquad\text{for every }z\text{ with }\varsigma_iz_i\ge0,

with equality for the best :math:`z`.  Least squares with nonnegative unknowns proposes :math:`z` in doubles; only
its signs matter for the bound, and those are checked by construction.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.amounts import amount
from theorytools.errors import BudgetError, CertificateError
from theorytools.numbers import over_one, portable

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
