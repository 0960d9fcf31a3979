r"""The query of smallest cross-talk, of least norm among those: a linear programme solved in rational numbers.

.. math:: t^*=\min\bigl\{\max(0,\max_{i\notin y}\langle w,e_i\rangle):\ \langle w,e_i\rangle=1\ (i\in y)\bigr\}.

For a level :math:`t` the dual active-set method (Goldfarb and Idnani) either finds the shortest :math:`w` whose scores
are 1 on ``y`` and at most :math:`t` off it, or weights :math:`\lambda\ge0`, :math:`\mu` with
:math:`\sum_{j\notin y}\lambda_je_j=\sum_{i\in y}\mu_ie_i` and :math:`\sum\mu_i>t\sum\lambda_j`, which prove that every
query has cross-talk at least :math:`t'=\sum\mu_i/\sum\lambda_j>t`.  Starting at :math:`t=0` and moving to
:math:`t'` ends at :math:`t^*`: both the optimum and its proof are rational, and no solver in doubles is asked.
The clip at 0 is essential: without it the programme is unbounded whenever the encodings are independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked, ranks
from theorytools.errors import DomainError
from theorytools.numbers import rational_product, solve_rational

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
