r"""Where the generalisation bound loses: one factor per lemma, from the bound down to the risk.

Finding    The bound for Transformers is far above the risk at every size that can be run; one factor per lemma says
           where it loses.
Setting    Gaussian tokens, label $q^{-1/2}\sum_h\langle u,x_{t_h}\rangle$ with distinct uniform indices, a given code
           of coherence at most $\frac12$, attention frozen at the temperature of the bound.
Statement  In turn chaining becomes one covering (Lemma 18), the level of the loss that of clipping at 5 (Lemma 20), the
           largest token its Gaussian quantile (Lemma 12), the code's length its own (Assumption 3), the error of the
           construction its certified supremum (Lemma 11), the covering of all parameters that of linear readouts
           (Proposition 17), and the bound the population risk (Corollary 19).  Each of the seven steps lowers it.
Witness    GeneralisationBound and the attention weights of random signs and of orthogonal codes.
Measured   Everything enclosed.  The account begins at the bound written out again from its displays, and ends at the
           risk as a sum over pairs of slots, $\frac1q\sum_{h,g}\mathbb E\langle v_{t_h},v_{t_g}\rangle$,
           $v_t=\pi_t-e_t$; each step begins where the one before it ended.
Control    A lemma left out of the account; an account begun or ended elsewhere; every step the wrong way round.
Reads      The order of the steps decides how the loss is shared.  The last factor is large because the frozen attention
           makes nearly no error and the labels have no noise; the others do not depend on that.
"""

from dataclasses import replace
from functools import cache
from itertools import pairwise

from sympy import Rational

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.codes.by_family import code_of_family
from theorytools.numbers import at_precision, evaluate, maximum, total
from theorytools.papers.qstr.capacity.waterfall import FrozenAttention, Waterfall, gaussian_radius, waterfall

from ..notation import Lambda, beta, risk_0, tau
from ._composition import BOUND, FORMULAS, factors

first = Quantity("begin of the account", "F_{\\mathrm{top}}", "the bound before the first step", (0, None))
final = Quantity("end of the account", "R", "the risk after the last step", (0, None))
torn = Quantity("gap in the account", r"\max_i|F_i'-F_{i+1}|", "between a step's end and the next step's begin")
lost = Quantity("factor lost", "F_i", "bound on the risk before the step over the one after it", (0, None))
STEPS = ("chaining", "truncation", "radius", "length", "leakage", "parameters", "risk")  # the order of the statement
close = Rational(1, 10**15)


@cache
def account(name, N, d_e, d, q, n):  # one for all steps
    return at_precision(256, lambda: waterfall(N, d, q, n, code=code_of_family(name, N, d_e)))


def construct(p) -> Waterfall:
    if p.code == "rademacher":
        code = code_of_family(p.code, p.N, p.d_e, p.rng("codes"))
        return at_precision(256, lambda: waterfall(p.N, p.d, p.q, p.n, code=code))
    return account(p.code, p.N, p.d_e, p.d, p.q, p.n)


def measure(losses, p, rows=lambda rows: rows):
    rows = rows(losses.rows)
    row = rows[min(STEPS.index(p.step), len(rows) - 1)]
    return {first: enclosed(lambda: rows[0].before), final: enclosed(lambda: rows[-1].after),
            torn: enclosed(lambda: maximum(abs(b.before - a.after) / a.after for a, b in pairwise(rows))),
            lost: enclosed(lambda: row.factor)}


def direct(losses, p, slots=None):
    """The risk from the products of the errors of two slots, over all pairs of positions."""
    slots = slots or p.q
    code = code_of_family(p.code, p.N, p.d_e, p.rng("codes"))

    def risk():
        sizes = {"N": Enclosure(p.N), "q": Enclosure(p.q), "r_x": gaussian_radius(p.d, p.n * p.N)}
        attention = FrozenAttention(code, evaluate(FORMULAS[beta], sizes))
        v = [[w - int(j == t) for j, w in enumerate(row)] for t, row in enumerate(attention.weights())]
        same = total(x * x for row in v for x in row) / p.N
        both = total(total(column) ** 2 for column in zip(*v, strict=True)) - same * p.N
        return same + both * (slots - 1) / (p.N * (p.N - 1))
    return {**{x: value for x, value in factors(p, p.n).items() if x in (tau, Lambda)}, risk_0: risk}


def turned(rows):
    return tuple(replace(row, before=row.after, after=row.before) for row in rows)


def booked(name, breaks, rows):
    return Control(name, breaks=breaks, measure=lambda losses, p: measure(losses, p, rows))


claim = Claim(
    "Theorem 10, where our evaluator loses",
    role="variant", source="derived here: Theorem 10",
    scope={"every step": "enumeration", "every size code, N, d_e, d, q, n": "points"},
    asserts=[first.equals(BOUND, within=Rational(1, 10**10)), final.equals(risk_0, within=close * risk_0),
             torn <= close, lost >= 1],
    grid=points("step code N d_e d q n", *((name, "hadamard", 64, 64, 10, 1, 10**6) for name in STEPS),
                ("truncation", "hadamard", 16, 16, 10, 3, 10**9), ("risk", "rademacher", 64, 96, 10, 3, 10**6)),
    construct=construct, measure=measure, derive=direct, derived=[tau, Lambda, risk_0],
    controls=[booked("Lemma 20 left out", torn, lambda rows: rows[:1] + rows[2:]),
              booked("begun after chaining", first, lambda rows: rows[1:]),
              booked("ended before the risk", final, lambda rows: rows[:-1]),
              booked("the wrong way round", [first, final, torn, lost], turned)],
)
