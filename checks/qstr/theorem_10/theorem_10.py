r"""What the generalisation bound is worth: with the our constants it speaks from $576\tau^2\Lambda$ prompts.

Setting    Codes of coherence at most $\frac12$, $H=q$ heads, $A=B=\sqrt2$, $m=2$, $\eta=\frac1{10}$,
           $\varepsilon_{2NN}=0$, $\delta_n=\frac1{100}$, $C_x=C_y=s_y=1$; $C_1=q\,r_a^2r_w^2r_z^2=4q\,r_z^2$.
Statement  The bound on the risk of the constrained minimiser, with probability at least $1-\delta_n-(nN)^{-1/2}$, is
           $\eta^2+2\hat{\mathfrak R}_n+3\tau^\ast\sqrt{\log(2/\delta_n)/(2n)}+\sqrt{2/n}$, the complexity by chaining.
           It falls below $\operatorname{Var}y=1$, that of predicting 0, at
           $n_{\min}=(1\pm\frac1{200})\frac{576\,\tau^{\ast2}\Lambda}{(1-\eta^2)^2}$ and stays there;
           $3C_1\le\tau^\ast\le4C_1$. At the sizes of the grid $n_{\min}\ge4\cdot10^{15}$.
Proof      That it stays below: for $\log n\ge5$ the bound less $\eta^2$ falls with $n$ (generalisation.py, by the rates
           of its factors).
Witness    GeneralisationBound, the composition of Lemmas 11, 12, 18, 20 and Proposition 17, and its crossing, certified
           on both sides within $\frac1{1000}$.
Measured   The bound at $n_{\min}$, enclosed; the right side is written out again from the displays of the lemmas,
           factor by factor, and so are $\tau^\ast$, $\Lambda$ and $r_z$.
Control    Each term dropped; the complexity counted once; a loss truncated at 1; norms of the head left out; the bound
           if predictions and labels are clipped, which removes $C_1$.
Reads      $C_1$, $\alpha=\tilde\Theta(1)$ and probability $1-n^{-c}$ are printed; displays were not available to us,
           all constants are derived here, and another argument may do better. With $\delta_n=\frac1n$ the deviation
           term is below $\frac1{1000}$ at $n_{\min}$. What is judged is a formula: no learner runs (theorem_04_erm).
"""

from fractions import Fraction
from functools import cache

from sympy import Integer, Rational

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.papers.qstr.capacity.generalisation import GeneralisationBound
from theorytools.papers.qstr.capacity.sample_size import crossing

from ..notation import Lambda, N, n, q, r_z, tau
from ._composition import BOUND, FORMULAS, factors

value = Quantity("bound", r"\mathrm{T10}", "bound on the risk at the crossing", (0, None))
needed = Quantity("prompts", r"n_{\min}", "least number with a bound below the variance of a label", (1, None))
level = Quantity("level", r"\tau^\ast", "of the truncated loss at the crossing", (0, None))
late = Quantity("deviation", r"3\tau^\ast\sqrt{\log(2n)/(2n)}", "there, failing with probability 1/n", (0, None))
VARIANCE, CLOSE, FINE = 1, Rational(1, 10**16), Fraction(1001, 1000)


def construct(p, **spoiled) -> GeneralisationBound:
    return GeneralisationBound(**{"N": p.N, "n": 1, "d": p.d, "q": p.q, **spoiled})


@cache
def least(bound, form="dudley"):
    return crossing(bound, VARIANCE, form, factor=FINE)[1]


def measure(bound, p, scale=1, **given):
    at = least(construct(p))
    changes = {x: Enclosure(number) for x, number in given.items()}

    def found(name="bound", **more):
        terms = bound.values(given={"n": Enclosure(at), **changes, **more})
        return terms[name] - (1 - scale) * terms["complexity"] if name == "bound" else terms[name]

    return {value: enclosed(found), needed: least(bound), level: enclosed(lambda: found("tau")),
            late: enclosed(lambda: found("deviation", delta=1 / Enclosure(at)))}


def dropped(name, **given):
    return Control(name, breaks=value, asserts=[composed], measure=lambda bound, p: measure(bound, p, **given))


size, C_1 = 576 * tau**2 * Lambda / Rational(99, 100) ** 2, 4 * q * r_z**2
composed = value.equals(BOUND, within=CLOSE)
enough = needed.equals(size, within=size / 200)
claim = Claim(
    "Theorem 10, what our evaluator is worth",
    role="variant", source="derived here: Theorem 10", scope={"every N, d, q": "points", "every larger n": "proof"},
    asserts=[composed, value <= VARIANCE, enough, needed >= 4 * Integer(10) ** 15,
             level.equals(7 * C_1 / 2, within=C_1 / 2), late <= Rational(1, 1000)],
    requires=[N >= 3], derive=lambda bound, p: {n: least(construct(p)), **factors(p, least(construct(p)))},
    derived=[n, *FORMULAS], construct=construct, measure=measure,
    grid=points("N d q", (3, 1, 1), (12, 10, 1), (100, 10, 1), (10**6, 10, 1), (100, 10, 3), (100, 10, 10),
                (10**6, 64, 12)),
    controls=[
        dropped("the complexity counted once", scale=Fraction(1, 2)), dropped("no complexity", complexity=0),
        dropped("no deviation", deviation=0), dropped("a loss truncated at 1", tau=1),
        dropped("no risk of the construction", fit=0), dropped("no risk above the level", hidden=0),
        Control("clipped", breaks=needed, asserts=[enough],
                measure=lambda bound, p: {needed: least(bound, "clipped")}),
        Control("the norm of one layer", breaks=[needed, level], construct=lambda p: construct(p, B=1),
                asserts=[enough, level.equals(7 * C_1 / 2, within=C_1 / 2)]),
    ],
)
