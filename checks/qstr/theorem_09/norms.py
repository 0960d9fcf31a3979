r"""A read-out that is steep in the states cannot have a small norm.

Setting    As in theorem_09: read matrices $U=(U^\to,U^\leftarrow)$ and a ReLU read-out with matrices
           $W_1,\dots,W_{L_y}$ and any biases.
Statement  For every network $\|U\|_F^2$ times the squared Lipschitz constant of the read-out in $Uh$ is at most
           $P=\|U\|_F^2\prod\|W_l\|_F^2$, and $\|\operatorname{vec}\Theta\|^2\ge(L_y+1)P^{1/(L_y+1)}$, with equality
           for equal norms.
Proof      $\sigma$ is 1-Lipschitz in every coordinate, so the layer $x\mapsto\sigma(Wx+b)$ is
           $\|W\|_{\mathrm{op}}$-Lipschitz, and $\|W\|_{\mathrm{op}}\le\|W\|_F$; the constants multiply. The second is
           the inequality of the means for the $L_y+1$ squared norms, of which those of $\operatorname{vec}\Theta$
           contain the sum.
Witness    Random integer matrices; matrices of ones and scalars equal to 2, where both are equalities.
Measured   The squared norm, rational; the largest slope over all patterns of active units, met or not, squared and
           rational: no smaller than the Lipschitz constant, and equal to it where all units can be active at once.
Control    One matrix more counted; the read maps not counted; a hundredth less than the product; one unit always idle.
Reads      Derived here; with $P\ge\frac12A_c^2(N-1)$ this is the bound $B(N)$.
"""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np

from theorytools import Claim, Control, Quantity, points

from ..notation import depth, prod_2

norm = Quantity("norm", r"\|\operatorname{vec}\Theta\|^2", "read maps and read-out, without biases", (0, None))
steep = Quantity("steepness", r"\|U\|_F^2\max_{D_l}\|W_{L_y}D_{L_y-1}\cdots D_1W_1\|^2",
                 "squared, over all patterns of active units", (0, None))


def construct(p) -> list:
    if p.matrices == "scalar":
        return [np.array([[2]], dtype=object)] * (p.depth + 1)
    sizes = [3, *[3] * p.depth, 1]
    rng = p.rng("matrices")
    shapes = [(sizes[k + 1], sizes[k]) for k in range(p.depth + 1)]
    found = [rng.integers(-3, 4, shape) if p.matrices == "random" else np.ones(shape, dtype=int) for shape in shapes]
    return [np.array(W.tolist(), dtype=object) for W in found]


def squares(matrices):
    return [Fraction((W * W).sum()) for W in matrices]


def largest_slope(readout, idle=0):
    """The largest squared norm of the gradient over all patterns; the first units may be idle in each layer."""
    rows = {tuple(readout[-1][0])}
    for W in reversed(readout[:-1]):
        masks = [(*[0] * idle, *mask) for mask in product((0, 1), repeat=len(W) - idle)]
        rows = {tuple((np.array(row, dtype=object) * mask) @ W) for row in rows for mask in masks}
    return max(Fraction(sum(x * x for x in row)) for row in rows)


def measure(matrices, p, **spoiled):
    U, *readout = matrices
    return {norm: sum(squares(matrices)), steep: squares([U])[0] * largest_slope(readout, **spoiled)}


both = [norm >= (depth + 1) * prod_2 ** (1 / (depth + 1)), steep <= prod_2]
claim = Claim(
    "Theorem 9, norm and steepness",
    role="foundation", source="derived here: Theorem 9",
    scope={"every matrices, depth": "proof", "every network": "proof"},
    asserts=both, derived=[prod_2],
    grid=points("matrices depth", ("scalar", 2), ("scalar", 4), ("ones", 2), ("ones", 3), ("random", 2), ("random", 3)),
    derive=lambda matrices, p: {prod_2: prod(squares(matrices))}, construct=construct, measure=measure,
    controls=[
        Control("one matrix more counted", breaks=norm, asserts=[norm >= (depth + 2) * prod_2 ** (1 / (depth + 1))],
                where=depth >= 4),
        Control("the read maps not counted", breaks=norm, where=depth >= 4,
                measure=lambda matrices, p: {**measure(matrices, p), norm: sum(squares(matrices)[1:])}),
    ],
)
equal = Claim(
    "Theorem 9, norm and steepness, equal",
    role="sharpness", source="derived here: Theorem 9",
    scope={"every matrices, depth": "points", "some network": "exhibited"},
    asserts=[steep.equals(prod_2)], derived=[prod_2],
    grid=points("matrices depth", ("scalar", 2), ("scalar", 4), ("ones", 2), ("ones", 3)),
    derive=claim.derive, construct=construct, measure=measure,
    controls=[Control("a unit of each layer always idle", breaks=steep, where=depth >= 2,
                      measure=lambda matrices, p: measure(matrices, p, idle=1)),
              Control("a hundredth less", breaks=steep, asserts=[steep <= prod_2 * 99 / 100])],
)
