r"""The explicit generalisation bound, and what each of its four terms contributes.

Setting    Codes of coherence at most $\frac12$, $H=q$ heads, $A=B=\sqrt2$, $m=2$, $\eta=\frac1{10}$,
           $\varepsilon_{2NN}=0$, $\delta_n=\frac1{100}$.
Statement  With probability at least $1-\delta_n-(nN)^{-1/2}$ the risk of the constrained minimiser is at most
           $\eta^2+2\hat{\mathfrak R}_n+3\tau^\ast\sqrt{\log(2/\delta_n)/(2n)}+\sqrt{2/n}$, the complexity by Lemma 18,
           by one covering or by chaining; complexity and deviation are all of it but $\eta^2+\sqrt{2/n}$.
Witness    GeneralisationBound, the composition of Lemmas 11, 12, 18, 20 and Proposition 17.
Measured   The terms enclosed, against a separate evaluation in doubles.
Control    Each term dropped; the complexity counted once; the level of the truncated loss taken as 1.
Reads      Displays reconstructed; all constants are derived here, the source fixes none.  For $nN=1$ the probability is
           not positive: nothing is said there.
"""

from fractions import Fraction

from sympy import Rational, sqrt

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.theory.capacity.generalisation import GeneralisationBound

from ..notation import n, stated

value = Quantity("bound", r"\mathrm{T10}", "bound on the risk", (None, 1))
small = Quantity("small terms", r"\mathrm{T10}-2\hat{\mathfrak{R}}_n-\mathrm{dev}", "what carries no truncation level")
close, rest = stated * Rational(1, 10**6), Rational(1, 100) + sqrt(2 / n)


def construct(p, **spoiled) -> GeneralisationBound:
    return GeneralisationBound(**{"N": p.N, "n": p.n, "d": p.d, "q": p.q, **spoiled})


def measure(bound, p, scale=1, **given):
    def terms():
        fixed = {name: Enclosure(number) for name, number in given.items()}
        return bound.values(p.form.replace("_", "-"), given=fixed)

    def without():
        values = terms()
        return values["bound"] - values["complexity"] - values["deviation"]

    return {value: enclosed(lambda: terms()["bound"] - (1 - scale) * terms()["complexity"]), small: enclosed(without)}


def dropped(name, **given):
    return Control(name, breaks=value, measure=lambda bound, p: measure(bound, p, **given))


claim = Claim(
    "Theorem 10, our evaluator",
    role="variant", source="reconstructed: Theorem 10; prose", scope={"every size": "points"},
    asserts=[value.equals(stated, within=close), small.equals(rest, within=Rational(1, 10**15))],
    tabulated=[stated], grid=points("form N n d q stated", ("dudley", 100, 10**6, 10, 1, "904382.35"),
                ("one_step", 100, 10**6, 10, 1, "53429.304"),
                ("dudley", 100, 10**6, 10, 3, "10088335.3"), ("one_step", 100, 10**6, 10, 3, "594899.16")),
    construct=construct, measure=measure,
    controls=[
        dropped("the complexity counted once", scale=Fraction(1, 2)), dropped("no complexity", complexity=0),
        dropped("no deviation", deviation=0), dropped("a loss truncated at 1", tau=1),
        Control("no risk of the construction", breaks=small, measure=lambda b, p: measure(b, p, fit=0)),
        Control("no risk above the level", breaks=small, measure=lambda b, p: measure(b, p, hidden=0)),
    ],
)
