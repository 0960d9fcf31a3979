r"""Question (i), with the minimum-norm query hard attention selects a subset exactly iff $\kappa<1$, top-k where it is.

Setting    As in expressivity: dual query, score 1 on $y$, $\kappa$ the largest score off it. hard: equal weights on all
           tokens of the largest score; top: on the $k$ largest, ties by position; $\alpha=1$.
Statement  Where $\kappa<1$, hard attention loses 0 and top-$k$ exactly $d|\frac1k-\frac1q|$, so 0 for $k=q$. Where
           $\kappa\ge1$, hard attention loses at least $\frac d{q(q+1)}$, attained by one other token that ties. Hence
           hard attention needs no temperature, and exactly the separation that the softmax needs for a loss that tends
           to 0: the encodings of encodings_average and neighborly serve both.
Witness    Rational Gaussian, sign and one-hot encodings, all subsets; a planted duplicate, $\kappa=1$.
Measured   The largest loss over the subsets with $\kappa<1$, the least over those with $\kappa\ge1$, rational.
           Sets that contain both copies, which have no dual query, are left out.
Control    A query of all selected tokens but one; $k$ tokens claimed as $k+1$; linear attention;
           the least loss of a tie for that of two.
Reads      Our question, and derived here. Hard attention has no gradient: nothing is said about training it.
"""

from sympy import Abs, Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.encodings import named_encodings
from theorytools.errors import DomainError
from theorytools.papers.stsq.attention.selector_queries import cross_talk
from theorytools.papers.stsq.attention.selector_rules import RuleSelector
from theorytools.papers.stsq.selection.least_cross_talk_query import survey
from theorytools.papers.stsq.tasks.sparse_selection import subsets

from ..notation import T, d, d_e, kept, q

DRAWS = 32  # of signs, one in ten has two that are equal or opposite
apart = Quantity("hard, separated", r"\max_{\kappa<1}L_y", "largest loss where the cross-talk is below 1", (0, None))
mixed = Quantity("hard, not separated", r"\min_{\kappa\ge1}L_y", "least loss where it is not", (0, None))
some = Quantity("top-k, separated", r"L_y,\ \kappa<1", "largest loss of the k largest scores", (0, None))


def encodings(p):
    rng = p.rng("encodings")
    drawn = (named_encodings(p.code.split("_")[0], p.T, p.d_e, rng) for _ in range(DRAWS))
    E = next((E for E in drawn if not survey(E, p.q).singular), None)
    if E is None:
        raise DomainError(f"T = {p.T}, d_e = {p.d_e}", required=f"independent encodings among {DRAWS} that are drawn")
    return E.duplicated(0, p.T - 1) if "duplicate" in p.code else E


def construct(p) -> RuleSelector:
    return RuleSelector(encodings(p), p.q, p.d, "hard")


def split(net):
    found = {True: [], False: []}
    for y in subsets(net.E.T, net.q):
        if net.q == 1 or not {0, net.E.T - 1} <= set(y) or net.E.products[0, 0] != net.E.products[0, -1]:
            found[cross_talk(net.E, y) < 1].append(y)
    return found[True], found[False]


def measure(net, p, rule="hard", query="dual", k=None):
    good, bad = split(net)
    hard = RuleSelector(net.E, p.q, p.d, rule, query)
    top = RuleSelector(net.E, p.q, p.d, "top", query, k=k or p.kept)
    return {apart: max(hard.loss(y) for y in good), mixed: min(hard.loss(y) for y in bad),
            some: max(top.loss(y) for y in good)}


def shorter(E, y):
    from theorytools.papers.stsq.attention.selector_queries import query
    return query(E, y[:-1], "dual")


claim = Claim(
    "Question (i), hard attention",
    role="variant", source="derived here: question (i)",
    scope={"every code, T, q, d, d_e, kept": "points", "every encoding": "drawn", "every subset": "enumeration"},
    requires=[q < T, q <= d_e], construct=construct, measure=measure,
    asserts=[apart.equals(0), mixed >= d / (q * (q + 1)), some.equals(d * Abs(1 / kept - 1 / q))],
    grid=points("code T q d d_e kept", ("gauss", 8, 2, 3, 4, 2), ("gauss", 8, 3, 1, 5, 5), ("gauss", 9, 2, 2, 3, 1),
                ("rad", 8, 2, 1, 9, 4), ("orth_duplicate", 7, 3, 2, 7, 2), ("orth_duplicate", 6, 1, 1, 6, 3)),
    controls=[
        Control("a query of all selected tokens but one", breaks=apart, where=q >= 2,
                measure=lambda net, p: {**measure(net, p), apart: measure(net, p, query=shorter)[apart]}),
        Control("one token more", breaks=some, measure=lambda net, p: measure(net, p, k=p.kept + 1)),
        Control("linear attention", breaks=apart, where=d_e < T,
                measure=lambda net, p: {**measure(net, p), apart: measure(net, p, rule="linear")[apart]}),
        Control("the least loss of two other tokens", breaks=mixed, where=Eq(d_e, T), asserts=[
            apart.equals(0), mixed >= 2 * d / (q * (q + 2)), some.equals(d * Abs(1 / kept - 1 / q))]),
    ],
)
