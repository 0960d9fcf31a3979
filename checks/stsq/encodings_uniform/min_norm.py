r"""At $\lceil2q\log T\rceil$ dimensions the dual query misses sets that the query of least cross-talk separates.

Setting    As in encodings_uniform; $\kappa$ the largest score off $y$, of the dual query (least norm) or the lp query.
Statement  For every $y$: $|\langle e_y,e_i\rangle|\le\frac{\delta_{q+1}\sqrt q}{1-\delta_q}$ off $y$. At
           $d_e=\lceil2q\log T\rceil$ there are encodings of which the dual query misses some sets, the lp query none.
           Of signs at $T=8$ and 9, $q=1$ a quarter of the draws or more have a set that the lp query misses, too (claim
           rate).
Proof      $\langle e_y,e_i\rangle=e_i^\top E_y(E_y^\top E_y)^{-1}\mathbf1$: $e_i^\top E_y$ is a row of $E^\top E-I$ on
           $q+1$ encodings, of norm at most $\delta_{q+1}$, the inverse has norm at most $\frac1{1-\delta_q}$,
           $\mathbf1$ has $\sqrt q$.
Witness    Instances: drawn signs and Gaussians as rational numbers; the encodings of encodings_uniform. For the second
           sentence the first draw that shows it.
Measured   All sets, in rationals; the worst one is the witness $y$ with its $\kappa\ge1$.
Control    $\delta_q$ for $\delta_{q+1}$; without $\sqrt q$. As the repair: the lp query for the same encodings; with a
           planted duplicate it too misses sets; encodings an eighth as long.
Reads      Surveys of 200 fresh draws found such a set in 65 for Gaussians at $T=20$, $q=1$, where by
           encodings_uniform_law the mean number of sets that no query separates is $.467$, and in 39 for signs at
           $T=12$, $q=2$. That $O(q\log T)$ dimensions suffice for all sets needs other queries than those of
           least norm (a condition under which the statement holds, not a statement of the paper that fails).
"""

import numpy as np
from sympy import Eq, Rational, ceiling, log, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import Budget
from theorytools.codes.encodings import Encodings, named_encodings
from theorytools.errors import DomainError
from theorytools.papers.stsq.attention.corrected_query import dual_certificate
from theorytools.papers.stsq.attention.selector_queries import cross_talk
from theorytools.papers.stsq.selection.least_cross_talk_query import survey
from theorytools.papers.stsq.selection.restricted_isometry import restricted_isometry
from theorytools.papers.stsq.tasks.sparse_selection import subsets
from theorytools.statistics.sampled import proportion

from ..notation import T, d_e, delta_0, delta_1, q
from .encodings_uniform import construct, off

missed = Quantity("sets missed", r"\#\{y:\kappa\ge1\}", "sets that the query does not separate", (0, None))
worst = Quantity("worst cross-talk", r"\max_y\kappa", "over all sets")
DRAWS = 64  # of Gaussians at T = 20, q = 1 three in five show it; where one in five does, none of 64 once in 10^6
failing = Quantity("failing draws", r"\Pr(\exists y:\kappa\ge1)", "a set that the lp query misses", (0, 1))


def derive(E, p):
    found = {delta_0: restricted_isometry(E, p.q), delta_1: restricted_isometry(E, p.q + 1)}
    return {letter: lambda value=value: value for letter, value in found.items()}


claim = Claim(
    "Encodings, the dual query on every set",
    role="variant", source="derived here: encodings for every set",
    scope={"every code, T, q, d_e": "proof", "every encoding": "proof", "every set": "proof"},
    asserts=off <= delta_1 * sqrt(q) / (1 - delta_0),
    requires=[q < T, delta_0 < 1], derived=[delta_0, delta_1], construct=construct,
    measure=lambda E, p: {off: max(dual_certificate(E, y, 0).largest for y in subsets(p.T, p.q))},
    derive=derive,
    grid=points("code T q d_e", ("rad", 8, 1, 32), ("spread", 5, 4, 5), ("spread", 10, 9, 10), ("rad", 9, 2, 100),
                ("gauss", 8, 2, 100)),
    controls=[
        Control("the order q for q + 1", breaks=off, where=Eq(q, 1),
                asserts=[off <= delta_0 * sqrt(q) / (1 - delta_0)]),
        Control("encodings an eighth as long", breaks=off, where=Eq(q, 1),
                construct=lambda p: named_encodings(p.code, p.T, p.d_e // 8, p.rng("encodings"))),
        Control("without the root of q", breaks=off, where=Eq(T, q + 1), asserts=[off <= delta_1 / (1 - delta_0)]),
    ],
)


def drawn(p) -> Encodings:
    """The first drawn encodings of which every q are independent, the dual query misses sets, and no set is missed by
    the query of least cross-talk.
    """
    rng = p.rng("encodings")
    for _ in range(DRAWS):
        E = named_encodings(p.code, p.T, p.d_e, rng)
        dual = survey(E, p.q)
        if not dual.singular and dual.separated < dual.sets:
            best = survey(E, p.q, "lp")
            if best.separated == best.sets:
                return E
    raise DomainError(f"T = {p.T}, q = {p.q}", required=f"encodings that show it among {DRAWS} that are drawn")


def surveyed(E, p, query="dual"):
    seen = survey(E, p.q, query)
    return {missed: seen.sets - seen.separated, **({} if seen.singular else {worst: seen.worst})}


every = Claim(
    "Encodings, the dual query serves all sets",
    role="pitfall", source="derived here: encodings for every set",
    scope={"every code, T, q": "points", "every encoding": "points", "every set": "enumeration"},
    expect="REFUTED", asserts=[missed <= 0, worst <= 1],
    note="At 2 q log T dimensions.", lets={d_e: ceiling(2 * q * log(T))}, requires=[q < T],
    grid=points("code T q", ("rad", 10, 2), ("gauss", 10, 2), ("rad", 12, 2), ("gauss", 9, 3),
                                  ("gauss", 20, 1)), construct=drawn,
    measure=surveyed,
    controls=[
        Control("the query of least cross-talk", measure=lambda E, p: surveyed(E, p, "lp")),
        Control("a planted duplicate, least cross-talk", breaks=missed, asserts=[missed <= 0],
                measure=lambda E, p: surveyed(E.duplicated(0, 1), p, "lp")),
    ],
)


def separated(E, y):
    """As survey counts it; what the dual query separates the lp query does, whose cross-talk is least."""
    try:
        return cross_talk(E, y) < 1 or cross_talk(E, y, "lp") < 1
    except DomainError:  # dependent encodings on y
        return False


def shares(p, longer=1):
    """How often a draw of encodings has a set that no query with equal scores on it separates, each draw exactly."""
    def one(rng):
        E = named_encodings(p.code, p.T, longer * p.d_e, rng)
        return not all(separated(E, y) for y in subsets(p.T, p.q))
    return {failing: proportion(lambda rng, size: np.array([one(rng) for _ in range(size)]), p.seed("fresh"))}


rate = Claim(
    "Encodings, how often the best query misses a set",
    role="variant", source="derived here: encodings for every set",
    scope={"every code, T, q": "points", "every draw of encodings": "drawn", "every set": "enumeration"},
    asserts=failing >= Rational(1, 4), budget=Budget(samples=128),
    lets={d_e: ceiling(2 * q * log(T))}, requires=[q < T], listed=["code", T, q],
    grid=points("code T q", ("rad", 8, 1), ("rad", 9, 1)), construct=lambda p: None,
    measure=lambda thing, p: shares(p), controls=[
        Control("misses none", breaks=failing, asserts=[failing <= 0]),
        Control("four times as long", breaks=failing, asserts=[failing >= Rational(1, 4)],
                measure=lambda thing, p: shares(p, 4)),
    ],
)
