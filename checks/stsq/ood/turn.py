r"""At $T=20$, $q=3$ the loss at a new length with fixed encodings first falls, then rises towards its limit.

Setting    As in ood_fixed at $T=20$, $q=3$, $22\le T'\le80$, $\alpha=\alpha^*$ of the training length, $w=e^{\beta/T}$.
Statement  $L_{T'}$ falls from $w=\frac{11}{10}$ to $\frac76$, rises to $\frac{13}{10}$, and is below its limit at 2.
Witness    The closed form of ood_fixed.
Measured   The losses, rational.
Control    One selected token, whose loss falls throughout; the loss at the training length; a loss that only falls.
Reads      Derived here; the four values of $w$ were chosen around the minimum;
           at $T'=160$ the loss still falls from $\frac76$ to $\frac{13}{10}$.
"""

from fractions import Fraction

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.selection.length_generalisation import SeenPositions

from ..notation import T_1, T, loss_9, q
from .trend import construct

first = Quantity("change at first", r"L_{T'}(\tfrac76)/L_{T'}(\tfrac{11}{10})", "of the loss there", (0, None))
then = Quantity("change later", r"L_{T'}(\tfrac{13}{10})/L_{T'}(\tfrac76)", "of the loss there", (0, None))
late = Quantity("late loss", r"L_{T'}(2)", "at the new length", (0, None))


def measure(model, p):
    at = [model.loss(Fraction(w)) for w in ("11/10", "7/6", "13/10", "2")]
    return {first: at[1] / at[0], then: at[2] / at[1], late: at[3]}


claim = Claim(
    "Length generalisation, fixed encodings, the turn",
    role="variant", source="derived here: length generalisation with fixed encodings",
    scope={"every T, q, d": "points", "every new length T_1": "points", "every time of the list": "points"},
    requires=[Eq(T, 20), Eq(q, 3), T_1 >= 22, T_1 <= 80],
    asserts=[first <= 1, then >= 1, late <= loss_9], grid=points("T T_1 q d", (20, 30, 3, 5), (20, 40, 3, 5),
                                                                 (20, 22, 3, 5), (20, 80, 3, 5)),
    derive=lambda model, p: {loss_9: model.limit()}, derived=[loss_9], construct=construct, measure=measure,
    controls=[
        Control("one selected token", breaks=[then, late], construct=lambda p: construct(p, 1)),
        Control("falls throughout", breaks=then, asserts=[then <= 1]),
        Control("as at the training length", breaks=[then], construct=lambda p: SeenPositions(p.T, p.T, p.q, p.d)),
    ],
)
