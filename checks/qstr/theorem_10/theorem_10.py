r"""The explicit generalisation bound is the composition of its lemmas' displays.

Setting    Codes of coherence at most $\frac12$, $H=q$ heads, $A=B=\sqrt2$, $m=2$, $\eta=\frac1{10}$,
           $\varepsilon_{2NN}=0$, $\delta_n=\frac1{100}$, $C_x=C_y=s_y=1$.
Statement  The bound with probability at least $1-\delta_n-(nN)^{-1/2}$ on the risk of the constrained minimiser,
           $\eta^2+2\hat{\mathfrak R}_n+3\tau^\ast\sqrt{\log(2/\delta_n)/(2n)}+\sqrt{2/n}$, the complexity by Lemma 18,
           by one covering or by chaining, with the factors of theorem_10_factors.
Witness    GeneralisationBound, the composition of Lemmas 11, 12, 18, 20 and Proposition 17.
Measured   Its value enclosed; the right side is written out again from the displays of the lemmas, factor by factor.
Control    Each term dropped; the complexity counted once; the level of the truncated loss taken as 1.
Reads      Displays were not seen; all constants are derived here, the source fixes none.  What is judged is a formula:
           no learner runs, and no sample is drawn.  For $nN=1$ the probability is not positive: nothing is said there.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.theory.capacity.generalisation import GeneralisationBound

from ._composition import BOUNDS, FORMULAS, factors

value = Quantity("bound", r"\mathrm{T10}", "bound on the risk", (0, None))
close = Rational(1, 10**10)


def construct(p, **spoiled) -> GeneralisationBound:
    return GeneralisationBound(**{"N": p.N, "n": p.n, "d": p.d, "q": p.q, **spoiled})


def measured(form):
    def measure(bound, p, scale=1, **given):
        def found():
            terms = bound.values(form.replace("_", "-"), given={x: Enclosure(number) for x, number in given.items()})
            return terms["bound"] - (1 - scale) * terms["complexity"]
        return {value: enclosed(found)}
    return measure


def composed(form):
    right, measure = BOUNDS[form], measured(form)
    asserts = value.equals(right, within=close)

    def dropped(name, **given):
        return Control(name, breaks=value, measure=lambda bound, p: measure(bound, p, **given))

    return {"asserts": asserts, "measure": measure, "controls": [
        dropped("the complexity counted once", scale=Fraction(1, 2)), dropped("no complexity", complexity=0),
        dropped("no deviation", deviation=0), dropped("a loss truncated at 1", tau=1),
        dropped("no risk of the construction", fit=0), dropped("no risk above the level", hidden=0),
    ]}


claim = Claim(
    "Theorem 10, our evaluator by chaining",
    role="variant", source="published: Theorem 10; prose", scope={"every size N, n, d, q": "points"},
    derive=lambda bound, p: factors(p), derived=list(FORMULAS), construct=construct,
    grid=points("N n d q", (100, 10**6, 10, 1), (100, 10**6, 10, 3), (12, 10**4, 2, 1), (10**6, 10**18, 64, 12),
                (3, 10, 1, 2)), **composed("dudley"),
)
one_step = replace(claim, label="Theorem 10, our evaluator by one covering", **composed("one_step"))
