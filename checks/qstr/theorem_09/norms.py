r"""A read-out that is steep in the states cannot have a small norm.

Setting    As in theorem_09: read matrices $U=(U^\to,U^\leftarrow)$ and a ReLU read-out with matrices
           $W_1,\dots,W_{L_y}$.
Statement  The read-out is $\prod\|W_l\|_F$-Lipschitz in $Uh$, so $\|U\|_F^2$ times the squared steepness is at most
           $P=\|U\|_F^2\prod\|W_l\|_F^2$; and $\|\operatorname{vec}\Theta\|^2\ge(L_y+1)P^{1/(L_y+1)}$, with equality
           for equal norms.
Witness    Random integer matrices; scalars equal to 2, where both are equalities.
Measured   The squared norm, rational; the steepness of the read-out along random segments, squared, rational.
Control    One matrix more counted; the read maps not counted; a hundredth of the product.
Reads      Derived here; with $P\ge\frac12A_c^2(N-1)$ this is the bound $B(N)$.
"""

from fractions import Fraction
from math import prod

import numpy as np

from theorytools import Claim, Control, Quantity, points

from ..notation import depth, prod_2

norm = Quantity("norm", r"\|\operatorname{vec}\Theta\|^2", "read maps and read-out, without biases", (0, None))
steep = Quantity("steepness", r"\|U\|_F^2\max\tfrac{|f(x)-f(x')|^2}{\|x-x'\|^2}", "squared, along segments", (0, None))


def construct(p) -> list:
    if p.matrices == "scalar":
        return [np.array([[2]], dtype=object)] * (p.depth + 1)
    sizes = [3, *[4] * p.depth, 1]
    rng = p.rng("matrices")
    return [np.array(rng.integers(-3, 4, (sizes[k + 1], sizes[k])).tolist(), dtype=object) for k in range(p.depth + 1)]


def squares(matrices):
    return [Fraction((W * W).sum()) for W in matrices]


def output(matrices, x):
    for W in matrices[:-1]:
        x = np.array([max(value, 0) for value in W @ x], dtype=object)
    return (matrices[-1] @ x)[0]


def measure(matrices, p):
    U, *readout = matrices
    rng, best = p.rng("segments"), Fraction(0)
    for _ in range(40):
        x, step = (np.array(rng.integers(-9, 10, U.shape[0]).tolist(), dtype=object) + Fraction(0) for _ in range(2))
        if p.matrices == "scalar":
            x, step = abs(x) + 1, abs(step) + 1
        if any(step):
            rise = output(readout, x + step) - output(readout, x)
            best = max(best, rise**2 / (step @ step))
    return {norm: sum(squares(matrices)), steep: squares([U])[0] * best}


claim = Claim(
    "Theorem 9, norm and steepness",
    role="foundation", source="derived here: Theorem 9",
    scope={"every matrices, depth": "points", "every network": "drawn"},
    asserts=[norm >= (depth + 1) * prod_2 ** (1 / (depth + 1)), steep <= prod_2], derived=[prod_2],
    grid=points("matrices depth", ("scalar", 2), ("scalar", 4), ("random", 2), ("random", 3)),
    derive=lambda matrices, p: {prod_2: prod(squares(matrices))}, construct=construct, measure=measure,
    controls=[
        Control("one matrix more counted", breaks=norm, asserts=[norm >= (depth + 2) * prod_2 ** (1 / (depth + 1))]),
        Control("the read maps not counted", breaks=norm,
                measure=lambda matrices, p: {**measure(matrices, p), norm: sum(squares(matrices)[1:])}),
        Control("a hundredth of the product", breaks=steep, asserts=[steep <= prod_2 / 100]),
    ],
)
