r"""With the constants derived here the generalisation bound says something only from about $10^{10}$ prompts on.

Setting    As in theorem_10; labels of variance 1, the linear link.  Clipped: one covering, predictions and labels cut
           at 5, so $\tau=100$, and $4\mathbb{E}[y^21_{|y|>5}]$ for what is hidden, $y\sim N(0,1)$.
Statement  The least $n$ with a bound below $\operatorname{Var}y=1$ has the listed $\log_{10}$: between 15.7 and 23.4
           for the two forms of the bound, between 10.2 and 13.1 if clipped.  From $N=12$ to $N=10^6$ that $n$ grows
           by a factor between 11 and 20.
Witness    GeneralisationBound.required_n: the bound below 1 at one $n$, not below 1 at $n/1.001$.
Measured   Both values enclosed; where $\log n\ge5$ the bound falls with $n$ (theorem_10_decreasing).
Control    Codes of length $5\log N$, as in the experiments; labels of variance 4.
Reads      A statement about this way of proof with constants derived here: the source fixes none, and another argument
           may do better.
"""

from math import log

from sympy import Rational

from theorytools import Claim, Control, Enclosure, Quantity, enclosed_between, points
from theorytools.theory.capacity.generalisation import GeneralisationBound
from theorytools.theory.capacity.sample_size import crossing

from ..notation import stated

size = Quantity("prompts", r"\log_{10}n_{\min}", "least number with a bound below the variance of a label")


def construct(p, **spoiled) -> GeneralisationBound:
    return GeneralisationBound(**{"N": p.N, "n": 1, "d": p.d, "q": p.q, **spoiled})


def short(p):
    return construct(p, d_e=int(5 * log(p.N)))


def measure(bound, p, variance=1):
    form = p.form.replace("_", "-")
    low, high = crossing(bound, variance, form, factor=Rational(1001, 1000))
    ten = Enclosure(10)
    return {size: enclosed_between(*(lambda n=n: Enclosure(n).log() / ten.log() for n in (low, high)))}


TABLE = {(12, 10, 1): ("18.28", "15.70", "10.24"), (100, 10, 1): ("18.65", "16.07", "10.55"),
         (10**4, 10, 1): ("19.18", "16.62", "11.00"), (10**6, 10, 1): ("19.54", "16.99", "11.29"),
         (100, 10, 3): ("20.79", "18.23", "11.65"), (100, 10, 10): ("23.37", "20.82", "13.08"),
         (100, 40, 1): ("20.06", "17.50", "10.67")}
near = size.equals(stated, within=Rational(11, 2000))  # half a unit of the last digit, and the width of the enclosure
claim = Claim(
    "Theorem 10, prompts that our evaluator asks for",
    role="variant", source="derived here: Theorem 10", scope={"every size": "points"},
    asserts=[near, size >= 10], construct=construct, measure=measure,
    tabulated=[stated], grid=points("form N d q stated", *((form, *at, value) for at, row in TABLE.items()
                                       for form, value in zip(("dudley", "one_step", "clipped"), row, strict=True))),
    controls=[
        Control("codes as long as in the experiments", breaks=size, asserts=[near], construct=short),
        Control("these codes, clipped", breaks=size, where=stated <= 11, asserts=[size >= 10], construct=short),
        Control("labels of variance 4", breaks=size, asserts=[near], measure=lambda b, p: measure(b, p, variance=4)),
    ],
)
