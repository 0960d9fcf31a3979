r"""Random signs on a set of four or more are dependent with a probability above that of two equal ones.

Setting    $q$ uniform sign vectors in $d_e\ge q$ dimensions.
Statement  $\Pr(\text{some }e_i=\pm e_j)\le\binom q22^{1-d_e}$.  Dependence has the probability that the
           columns, uniform on the $2^{q-1}$ sign patterns up to sign, do not span.
Witness    All sign matrices, up to the signs of rows and columns, which change nothing; all sets of patterns.
Measured   Integer determinants of the Gram matrices; equal rows counted apart.  Compared with the sum, over the sets of
           patterns of rank below $q$, of the probability that just these occur: inclusion and exclusion.
Control    Only equal rows counted; a dimension more; half of the pairs; dependence bounded by $\binom q22^{1-d_e}$.
Reads      Derived here.  The last control breaks from $q=4$ on, where four vectors can be dependent without two equal
           ones: at $(q,d_e)=(4,6)$ with $\frac{3169}{16384}>\frac3{16}$.
"""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np
from sympy import Rational, binomial

from theorytools import Claim, Control, Quantity, points
from theorytools.errors import BudgetError
from theorytools.papers.stsq.selection.sign_cross_talk import dependence_probability, parallel_probability

from ..notation import P_dep, d_e, q

singular = Quantity("dependent", r"\Pr(\operatorname{rank}E_y<q)", "probability that the set has no dual query", (0, 1))
parallel = Quantity("equal up to sign", r"\Pr(\exists i\ne j: e_i=\pm e_j)", "in the set", (0, 1))
pairs = binomial(q, 2) * Rational(2) ** (1 - d_e)


def construct(p) -> tuple[int, int]:
    return p.q, p.d_e


def measure(sizes, p):
    return {singular: dependence_probability(*sizes), parallel: parallel_probability(*sizes)}


@cache
def flat_sets(q):
    """How many sets of k sign patterns up to sign have rank below q, by k; a dictionary."""
    if q > 4:
        raise BudgetError(f"q = {q}", required="q <= 4", why="all sets of the 2^(q-1) patterns are listed")
    patterns = np.array([(1, *rest) for rest in product((1, -1), repeat=q - 1)])
    ranks = {k: [np.linalg.matrix_rank(patterns[list(rows)]) for rows in combinations(range(len(patterns)), k)]
             for k in range(1, len(patterns) + 1)}
    return {k: sum(rank < q for rank in found) for k, found in ranks.items()}


def spans_less(sizes, p):
    q, d_e = sizes
    just = {k: sum((-1) ** (k - j) * comb(k, j) * j**d_e for j in range(1, k + 1)) for k in flat_sets(q)}
    return {P_dep: Fraction(sum(n * just[k] for k, n in flat_sets(q).items()), 2 ** ((q - 1) * d_e))}


def only_pairs(sizes, p):
    return {singular: parallel_probability(*sizes), parallel: parallel_probability(*sizes)}


claim = Claim(
    "Encodings, dependent signs",
    role="necessity", source="derived here: encodings, average case",
    scope={"every q and dimension d_e": "points", "every sign matrix": "enumeration"},
    asserts=[parallel <= pairs, singular.equals(P_dep)], requires=[d_e >= q, q >= 2],
    derive=spans_less, derived=[P_dep],
    grid=points("q d_e", (2, 2), (2, 9), (2, 16), (3, 3), (3, 4), (3, 9), (4, 4), (4, 6)),
    construct=construct, measure=measure,
    controls=[
        Control("only equal rows counted", breaks=singular, where=q >= 4, measure=only_pairs),
        Control("the count of pairs read as a bound for dependence", breaks=singular, where=(q >= 4) & (d_e >= 6),
                asserts=[singular <= pairs]),
        Control("a dimension more", breaks=singular, where=(q - 1) * d_e <= 16,
                measure=lambda sizes, p: measure((p.q, p.d_e + 1), p)),
        Control("half of the pairs", breaks=parallel, asserts=[parallel <= pairs / 2]),
    ],
)
