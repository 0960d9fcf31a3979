r"""The generalisation bound falls with the number of prompts, nearly like its square root, at a proved rate.

Setting    As in theorem_10, $s=1$; $F(n)$ is the bound less its first term.
Statement  For $\log n\ge5$, $N\ge3$, doubling $n$ multiplies $F$ by at least $2^{-1/2}$ and at most
           $2^{-1/2+\frac3{2\log n}+\frac3{\log^2n}}<1$; so the number of prompts below a target has one crossing.
Witness    GeneralisationBound; the rates of its factors are added up in the documentation of that module.
Measured   Both values enclosed; the last points are where both bounds are within 1 %.
Control    A rate without logarithms; a level, a log covering number that doubles with $n$.
Reads      Derived here.
"""

from sympy import Integer, Rational, log

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid

from ..notation import n
from .theorem_10 import construct

ratio = Quantity("ratio", r"F(2n)/F(n)", "of the bound less its first term", (Rational(1, 2), 1))
two = Integer(2)
least = two ** Rational(-1, 2)
most = two ** (Rational(-1, 2) + 3 / (2 * log(n)) + 3 / log(n) ** 2)


def measure(bound, p, spoil=""):
    def excess(times):
        given = {"n": Enclosure(times * p.n)}
        if spoil:
            given[spoil] = times * bound.values(given=given)[spoil]
        values = bound.values(given=given)
        return values["bound"] - values["fit"]

    return {ratio: enclosed(lambda: excess(2) / excess(1))}


claim = Claim(
    "Theorem 10, our evaluator decreases in n",
    role="growth", source="derived here: Theorem 10", scope={"every N, d, q, n": "points"},
    asserts=[ratio >= least, ratio <= most], requires=[log(n) >= 5],
    grid=grid(N=[3, 100, 10**6], d=[10], q=[1], n=[150, 10**6, 10**18, 10**300]),
    construct=construct, measure=measure,
    controls=[
        Control("no logarithms", breaks=ratio, asserts=[ratio <= least]),
        Control("a level that doubles with n", breaks=ratio, asserts=[ratio <= most],
                measure=lambda b, p: measure(b, p, "tau")),
        Control("a log covering number that doubles with n", breaks=ratio, asserts=[ratio <= most], where=n >= 10**6,
                measure=lambda b, p: measure(b, p, "Lambda")),
    ],
)
