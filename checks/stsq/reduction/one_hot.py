r"""With fixed one-hot positions training moves one multiple of $I-\frac1T\mathbf{11}^\top$, at the metric $T-1$.

Setting    As in reduction, but $E=I$ for all examples, $W_{22}=\beta(I-\frac1T\mathbf{11}^\top)$, $u=e^\beta$.
Statement  $\nabla_{W_{22}}L=\frac1{T-1}\partial_\beta L\,(I-\frac1T\mathbf{11}^\top)$: the flow from zero stays on this
           line, and $\dot\beta=-\frac1{T-1}\partial_\beta L$.
Witness    All $\binom Tq$ subsets, rational attention.
Measured   The gradient from the forces on the scores; $\partial_\beta L$ from the loss as a rational function of $u$.
Control    The metric $T$; one subset for all; encodings of which two are equal.
Reads      Derived here: the average commutes with all permutations of the positions, and the forces add up to zero.
           So the curves of dynamics hold with $T-1$ for $d_e$.
"""

from fractions import Fraction
from itertools import islice

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.stsq.selection.flow import SelectionFlow
from theorytools.papers.stsq.tasks.sparse_selection import subsets

from ..notation import T, dL_beta, q

on = Quantity("diagonal", r"\nabla_{W_{22}}L", "the diagonal entry farthest from the first")
off = Quantity("off the diagonal", r"\nabla_{W_{22}}L", "the entry off the diagonal farthest from the first")


def construct(p, count=None, equal=False):
    """The averaged gradient; ``equal`` copies the encoding of position 0 to position 1."""
    total, sets = [[Fraction(0)] * p.T for _ in range(p.T)], list(islice(subsets(p.T, p.q), count))
    for y in sets:
        place = [0 if equal and i == 1 else i for i in range(p.T)]
        weights = [Fraction(p.u) ** sum(place[i] == place[j] for j in y) for i in range(p.T)]
        a = [w / sum(weights) for w in weights]
        r = [p.alpha * x - Fraction(i in y, p.q) for i, x in enumerate(a)]
        mean = sum(x * z for x, z in zip(a, r, strict=True))
        for i, (x, z) in enumerate(zip(a, r, strict=True)):
            for j in y:
                total[place[i]][place[j]] += 2 * p.d * p.alpha * x * (z - mean) / len(sets)
    return total


def measure(G, p):
    rest = [G[i][j] for i in range(p.T) for j in range(p.T) if i != j]
    return {on: max((G[i][i] for i in range(p.T)), key=lambda x: abs(x - G[0][0])),
            off: max(rest, key=lambda x: abs(x - rest[0]))}


def derive(G, p):
    flow = SelectionFlow(p.T, p.q, p.d, p.T - 1)
    return {dL_beta: flow.slopes(Fraction(p.alpha), flow.mass(Fraction(p.u)))[1]}


def line(metric):  # (I - 11^T/T) / metric
    return [on.equals(dL_beta * (1 - 1 / T) / metric), off.equals(-dL_beta / T / metric)]


claim = Claim(
    "Reduction, one-hot positions",
    role="variant", source="derived here: reduction by symmetry",
    scope={"every T, q, d, u, alpha": "points", "every subset": "enumeration"},
    asserts=line(T - 1), requires=[q < T], derive=derive, derived=[dL_beta],
    construct=construct, measure=measure,
    grid=points("T q d u alpha", (2, 1, 1, 3, 1), (4, 2, 5, "7/2", "3/2"), (5, 3, 2, 1, 1), (6, 2, 1, 10, "-1/2"),
                (7, 6, 3, "1/2", 2), (4, 2, 1, 40, 1)),
    controls=[
        Control("the metric T", breaks=[on, off], asserts=line(T)),
        Control("one subset", breaks=[on, off], construct=lambda p: construct(p, 1)),
        Control("two equal encodings", breaks=[on, off], construct=lambda p: construct(p, equal=True)),
    ],
)
