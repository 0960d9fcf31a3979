r"""Where the generalisation bound loses: one factor per lemma, and their product is the whole loss.

Setting    Gaussian tokens, label $q^{-1/2}\sum_h\langle u,x_{t_h}\rangle$ with distinct uniform indices, a given code
           of coherence at most $\frac12$, attention frozen at the temperature of the bound.
Statement  In turn chaining becomes one covering (Lemma 18), the level of the loss that of clipping at 5 (Lemma 20), the
           largest token its Gaussian quantile (Lemma 12), the code's length its own (Assumption 3), the error of the
           construction its certified supremum (Lemma 11), the covering of all parameters that of linear readouts
           (Proposition 17), and the bound the population risk (Corollary 19).  Each step lowers the bound; the product
           of the seven factors is the bound over the risk.
Witness    GeneralisationBound and the attention weights of random signs and of orthogonal codes.
Measured   Everything enclosed; the risk is $\frac1N\sum_t\sum_j(\pi_{tj}-1_{j=t})^2$ for $q=1$.
Control    A lemma left out of the account; a lemma counted twice; a step the wrong way round.
Reads      The order of the steps decides how the loss is shared.  The last factor is large because the frozen attention
           makes nearly no error and the labels have no noise; the others do not depend on that.
"""

from dataclasses import replace
from functools import cache

from sympy import Rational

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.codes.families import code_of_family
from theorytools.numbers import at_precision, minimum
from theorytools.theory.capacity.waterfall import Waterfall, waterfall

product = Quantity("account", r"\tfrac{R}{\mathrm{T10}}\prod_iF_i", "product of the factors over the whole loss")
lost = Quantity("factor lost", "F_i", "bound on the risk before the step over the one after it", (0, None))
least = Quantity("least factor", r"\min_iF_i", "what the lemma that loses least loses", (0, None))


def construct(p) -> Waterfall:
    code = code_of_family(p.code, p.N, p.d_e, p.rng("codes"))
    return at_precision(256, lambda: waterfall(p.N, p.d, p.q, p.n, code=code))


def measure(losses, p, rows=None):
    rows = losses.rows if rows is None else rows(losses.rows)
    return {product: enclosed(lambda: losses.product(rows) / losses.total),
            least: enclosed(lambda: minimum(row.factor for row in rows))}


def reversed_step(rows):
    return (rows[0], replace(rows[1], before=rows[1].after, after=rows[1].before), *rows[2:])


def booked(name, breaks, rows):
    return Control(name, breaks=breaks, measure=lambda losses, p: measure(losses, p, rows))


claim = Claim(
    "Theorem 10, where our evaluator loses",
    role="variant", source="derived here: Theorem 10", scope={"every size": "points"},
    asserts=[product.equals(1, within=Rational(1, 10**15)), least >= 1],
    grid=points("code N d_e d q n", ("hadamard", 16, 16, 10, 3, 10**9), ("hadamard", 64, 64, 10, 1, 10**6),
                ("rademacher", 64, 96, 10, 3, 10**6)),
    construct=construct, measure=measure,
    controls=[booked("Lemma 20 left out", product, lambda rows: rows[:1] + rows[2:]),
              booked("Proposition 17 counted twice", product, lambda rows: (*rows, rows[5])),
              booked("Lemma 20 the wrong way round", [product, least], reversed_step)],
)


STEPS = ("chaining", "truncation", "radius", "length", "leakage", "parameters", "risk")  # the order of the statement


@cache
def shared(name, N, d_e, d, q, n):
    return at_precision(256, lambda: waterfall(N, d, q, n, code=code_of_family(name, N, d_e)))


def step(p) -> Waterfall:
    return shared(p.code, p.N, p.d_e, p.d, p.q, p.n)


def factor(losses, p, turned=False):
    row = losses.rows[STEPS.index(p.step)]
    return {lost: lambda: row.after / row.before if turned else row.before / row.after}


steps = Claim(
    "Theorem 10, the loss of each lemma",
    role="variant", source="derived here: Theorem 10", scope={"every step": "enumeration", "every size": "points"},
    asserts=lost >= 1,
    grid=points("step code N d_e d q n", *((name, "hadamard", 64, 64, 10, q, 10**6) for q in (1, 3) for name in STEPS)),
    construct=step, measure=factor,
    controls=[Control("the wrong way round", breaks=lost, measure=lambda losses, p: factor(losses, p, turned=True))],
)
