r"""Cross-talk below 1 is enough for selection, not needed: the opposite query may select where the dual query cannot.

Setting    Sign encodings, $d_e=2k+1=q$, $T=q+1$: the unselected one is $u$, and the selected ones agree with $u$ in the
           $k+1$ places of a cyclic interval. They are a basis, so the query with score 1 on them is unique, $e_y=u$.
Statement  $\kappa=\langle e_y,u\rangle=d_e$, so hard attention with the dual query selects $u$ alone; but under $-e_y$
           all selected tokens score $-1$ and the other one $-d_e$. The reading "a set can be selected if and only if
           $\kappa<1$" fails at every odd $d_e\ge3$: scores equal to 1 assume a positive score.
Witness    The cyclic intervals, and $-e_y$.
Measured   $e_y$ by solving for score 1, its cross-talk, and the least lead of a selected token under $-e_y$, in
           rationals.
Control    The opposite query as the repair; it leads by $d_e-1$.
Proof      The intervals' circulant has the eigenvalues 1 and $2(\omega^{k+1}-1)/(\omega-1)$,
           $\omega^{2k+1}=1\ne\omega$, not 0 as $k+1$ and $2k+1$ have no common factor. Agreement in $k+1$ of $2k+1$
           places is the product 1.
Reads      Derived here. $\Pr(\kappa<1)$ of encodings_average is the success of the dual query, not of the best query;
           trained layers (experiments_variants) have the dual query as input, and a positive scale.
"""

from fractions import Fraction

import numpy as np
from sympy import Eq

from theorytools import Claim, Control, DomainError, Quantity, points
from theorytools.numbers import solve_rational

from ..notation import T, d_e, q

cross = Quantity("cross-talk", r"\kappa", "of the dual query", (None, None))
lead = Quantity("lead", r"\min_{i\in y}\langle e_y,u-e_i\rangle", "of a selected token under the opposite query")


def construct(p) -> tuple[np.ndarray, np.ndarray]:
    """The selected encodings, shape (q, d_e), and the other one, as signs."""
    if p.d_e % 2 == 0:
        raise DomainError(f"d_e = {p.d_e}", required="odd", why="the products are odd numbers")
    u = 1 - 2 * p.rng("other").integers(0, 2, p.d_e)
    inside = (np.arange(p.d_e) - np.arange(p.q)[:, None]) % p.d_e <= p.d_e // 2
    return np.where(inside, u, -u), u


def measure(draw, p):
    E, u = draw
    w = np.array(solve_rational(E, np.ones((p.q, 1), dtype=int)), dtype=object)[:, 0]
    return {cross: Fraction(w @ u), lead: min(-(w @ e) for e in E) + w @ u}


claim = Claim(
    "Encodings, selection without small cross-talk",
    role="pitfall", source="derived here: encodings",
    scope={"every T, q": "points", "every odd dimension d_e": "points"}, expect="REFUTED",
    note="A set read as selectable only if the cross-talk of its dual query is below 1.",
    asserts=[cross <= 1], requires=[Eq(q, d_e), Eq(T, q + 1), d_e >= 3], construct=construct, measure=measure,
    grid=points("T q d_e", (4, 3, 3), (6, 5, 5), (12, 11, 11), (64, 63, 63)), listed=[T, q, d_e],
    controls=[Control("the opposite query", asserts=[lead >= d_e - 1])],
)
