r"""Which sets of tokens a query separates, over all of them, with certificates that are checked anew.

The smallest cross-talk of any query for a set ``y``, :math:`t^*=\min_w\max(0,\max_{i\notin y}\langle w,e_i\rangle)`
with :math:`\langle w,e_i\rangle=1` on ``y``, is below 1 iff a query with equal scores separates ``y``.  The proof of
the other case is of Radon's kind: :math:`\lambda\ge0` off ``y`` and :math:`\mu` on ``y`` with
:math:`\sum\lambda_je_j=\sum\mu_ie_i`, :math:`\sum\lambda_j=1`, :math:`\sum\mu_i\ge1`.

Without the clip at 0 the programme is unbounded iff some direction orthogonal to :math:`E_y` has negative products with
all :math:`n` other encodings.  For encodings in general position with symmetric laws that happens with Wendel's
probability, and among the :math:`2^n` sign patterns of fixed ones exactly that often.

References
----------
Wang, Wei, Hsu, Lee (2024), Encodings, all subsets, arXiv 2406.06893v1; Wendel (1962), Mathematica Scandinavica 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np

from theorytools.arguments.checked import STEPS, NonNegativeInt, at_most, checked
from theorytools.codes.encodings import Encodings
from theorytools.errors import DomainError
from theorytools.numbers import solve_rational
from theorytools.numbers.separation import separation
from theorytools.papers.stsq.attention.selector_queries import Query, cross_talk, query, scores
from theorytools.papers.stsq.tasks.sparse_selection import subsets


@dataclass(frozen=True)
class SubsetSurvey:
    r"""Cross-talk of one query map over all subsets, exact.

    Attributes
    ----------
    sets, separated, singular : number of subsets, of those with :math:`\kappa<1`, of those without a query.
    worst, witness : the largest :math:`\kappa` and a set that has it; None and a singular set if there is one.
    """

    sets: int
    separated: int
    singular: int
    worst: Fraction | None
    witness: tuple[int, ...]


@checked
def survey(E: Encodings, q: int, kind: Query = "dual") -> SubsetSurvey:
    """Return the survey of all ``q``-subsets; sets with dependent encodings are counted, as not separated."""
    talk: dict[tuple[int, ...], Fraction | None] = {}
    for y in subsets(E.T, q):
        try:
            talk[y] = cross_talk(E, y, kind)
        except DomainError:
            talk[y] = None
    witness = max(talk, key=lambda y: (talk[y] is None, talk[y] or Fraction(0)))
    known = [kappa for kappa in talk.values() if kappa is not None]
    return SubsetSurvey(len(talk), sum(kappa < 1 for kappa in known), len(talk) - len(known), talk[witness], witness)


@dataclass(frozen=True)
class CheckedSeparation:
    r"""A set's smallest cross-talk, recomputed from the encodings on both sides.

    Attributes
    ----------
    reached : :math:`\max(0,\max_{i\notin y}\langle w,e_i\rangle)` of the query found.
    off_one : largest deviation of its scores on ``y`` from 1.
    proved : :math:`\sum\mu_i`, which no query can go below; 0 without a proof.
    residual : squared length of :math:`\sum\lambda_jv_j-\sum\mu_iv_i`.
    smallest : smallest :math:`\lambda_j`; ``mass`` their sum.
    """

    reached: Fraction
    off_one: Fraction
    proved: Fraction
    residual: Fraction
    smallest: Fraction
    mass: Fraction


@checked
def checked_separation(E: Encodings, y: Sequence[int]) -> CheckedSeparation:
    """Return the best query for ``y`` and its proof of optimality, evaluated anew in rationals."""
    found, s = separation(E.products, y), scores(E, query(E, y, "lp"))
    on = max(abs(Fraction(s[i]) - 1) for i in y)
    off = max(Fraction(0), *(Fraction(s[i]) for i in range(E.T) if i not in y))
    rest = np.zeros(E.d_e, dtype=object) + Fraction(0)
    for sign, part in ((1, found.others), (-1, found.selected)):
        for i, weight in part.items():
            rest = rest + sign * weight * E.vectors[i]
    weights = list(found.others.values())
    return CheckedSeparation(
        off, on, sum(found.selected.values(), Fraction(0)), rest @ rest, min(weights, default=Fraction(0)),
        sum(weights, Fraction(0)),
    )  # fmt: skip


@checked
def unbounded_without_clip(E: Encodings, y: Sequence[int]) -> bool:
    r"""Whether a direction orthogonal to the encodings of ``y`` has negative products with all others; exact.

    With the projections :math:`p_j` of the others it is the clipped programme for :math:`(0,1)` against the vectors
    :math:`(p_j,1)`: its optimum is 0 if there is such a direction and 1 otherwise.
    """
    y, K = list(y), E.products
    off = [j for j in range(E.T) if j not in y]
    solved = np.array(solve_rational(K[np.ix_(y, y)].tolist(), K[np.ix_(y, off)].tolist()), dtype=object)
    lifted = np.ones((len(off) + 1, len(off) + 1), dtype=object)
    lifted[1:, 1:] += K[np.ix_(off, off)] - K[np.ix_(off, y)] @ solved
    return separation(lifted, [0]).level == 0


@checked
@at_most(n=STEPS)
def half_space_probability(n: NonNegativeInt, dimension: int) -> Fraction:
    r"""Return Wendel's probability :math:`2^{-(n-1)}\sum_{k<D}\binom{n-1}k` that ``n`` vectors lie in a half-space."""
    if n < 1 or dimension < 0:
        raise DomainError(f"n = {n}, dimension = {dimension}", required="n >= 1 and a dimension >= 0")
    return Fraction(sum(comb(n - 1, k) for k in range(min(dimension, n))), 2 ** (n - 1))
