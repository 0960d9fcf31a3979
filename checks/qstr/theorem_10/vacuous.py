r"""With the constants derived here the generalisation bound says something only from about $10^{10}$ prompts on.

Setting    As in theorem_10; labels of variance 1, the linear link.  Clipped: one covering, predictions and labels cut
           at 5, so $\tau=100$, and $4\mathbb{E}[y^21_{|y|>5}]$ for what is hidden, $y\sim N(0,1)$.
Statement  At the sizes of the grid the bound is below $\operatorname{Var}y=1$, that of predicting 0, for no
           $n\le10^{15}$ in its two forms, and for no $n\le10^{10}$ if clipped.
Witness    GeneralisationBound.required_n: the bound below 1 at one $n$, not below 1 at $n/1.001$.
Measured   Both values enclosed; where $\log n\ge5$ the bound falls with $n$ (theorem_10_decreasing).
Control    Codes of length $5\log N$, as in the experiments; the clipped bound for the others; labels of variance 4.
Reads      A statement about this way of proof with constants derived here: the source fixes none, and another argument
           may do better.  The powers of ten say how far off it is and were read off the evaluator.
"""

from math import log

from sympy import Rational

from theorytools import Claim, Control, Enclosure, Quantity, enclosed_between, points
from theorytools.theory.capacity.generalisation import GeneralisationBound
from theorytools.theory.capacity.sample_size import crossing

from ..notation import N, d, q

size = Quantity("prompts", r"\log_{10}n_{\min}", "least number with a bound below the variance of a label")


def construct(p, **spoiled) -> GeneralisationBound:
    return GeneralisationBound(**{"N": p.N, "n": 1, "d": p.d, "q": p.q, **spoiled})


def short(p):
    return construct(p, d_e=int(5 * log(p.N)))


def measure(bound, p, variance=1, form=""):
    form = form or p.form.replace("_", "-")
    low, high = crossing(bound, variance, form, factor=Rational(1001, 1000))
    ten = Enclosure(10)
    return {size: enclosed_between(*(lambda n=n: Enclosure(n).log() / ten.log() for n in (low, high)))}


sizes = [(12, 10, 1), (100, 10, 1), (10**4, 10, 1), (10**6, 10, 1), (100, 10, 3), (100, 10, 10), (100, 40, 1)]
claim = Claim(
    "Theorem 10, prompts that our evaluator asks for",
    role="variant", source="derived here: Theorem 10", scope={"every size form, N, d, q": "points"},
    asserts=size >= 15, listed=["form", N, d, q], construct=construct, measure=measure,
    grid=points("form N d q", *((form, *at) for at in sizes for form in ("dudley", "one_step"))),
    controls=[Control("clipped", breaks=size, measure=lambda b, p: measure(b, p, form="clipped"))],
)
clipped = Claim(
    "Theorem 10, prompts that our evaluator asks for if clipped",
    role="variant", source="derived here: Theorem 10", scope={"every size form, N, d, q": "points"},
    asserts=size >= 10, listed=["form", N, d, q], construct=construct, measure=measure,
    grid=points("form N d q", *(("clipped", *at) for at in sizes)),
    controls=[
        Control("codes as long as in the experiments", breaks=size, where=(N <= 100) & (d * q <= 10), construct=short),
        Control("labels of variance 4", breaks=size, where=N <= 12, measure=lambda b, p: measure(b, p, variance=4)),
    ],
)
