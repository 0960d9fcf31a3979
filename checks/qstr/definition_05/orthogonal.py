r"""For orthogonal features the least norm of a two-layer ReLU network has a closed form: the signs decouple.

Setting    As in definition_05_least, with $FF^\top=I$ and labels $y$ of parts $y_+$, $y_-$; $\rho=\sqrt{n\varepsilon}$,
           $m=\min(\|y_+\|,\|y_-\|)$.
Statement  $M=2(\|y_+\|+\|y_-\|-\sqrt2\rho)$ where $\rho\le\sqrt2m$, else $2(\max(\|y_+\|,\|y_-\|)-\sqrt{\rho^2-m^2})$.
Witness    Random rational orthonormal features and labels $1,2,3,\dots$, with alternating signs or not.
Measured   $M$ between a corrected network and a multiplier, by the program over all activation patterns.
Control    $2\|y\|$; the same labels without signs; features of twice the length.
Reads      Derived here. Equality is asserted within $10^{-6}$, a hundred times the tolerance at which the solver stops.
           At an error of 12 the zero network suffices and no control can fail: the last point has a smaller one.
"""

import numpy as np
from sympy import Eq, sqrt

from theorytools import Claim, Control, points
from theorytools.papers.qstr.interpolation.convex_relu import LeastReLU, least_norm_relu
from theorytools.papers.qstr.interpolation.orthogonal_inputs import orthogonal_norm
from theorytools.theory.first_layers.exact_span import orthonormal_basis

from ..notation import Q_orth, excess, n, y_2
from .least import loss, minimum


def construct(p, sign=-1, length=1) -> LeastReLU:
    F = length * np.array(orthonormal_basis(p.n + 1, p.rng("features"))[: p.n], dtype=object)
    y = [(i + 1) * (sign if p.labels == "mixed" else 1) ** i for i in range(p.n)]
    return least_norm_relu(F, y, epsilon=p.excess)


def measure(best, p, other=None):
    return {loss: best.loss(), minimum: (other or best).recipe()}


claim = Claim(
    "Definition 5, the least norm for orthogonal features",
    role="variant", source="derived here: Definition 5",
    scope={"every labels, n, excess": "points", "every data set": "points", "every network": "closed form"},
    asserts=[loss <= excess, minimum.equals(Q_orth, within=Q_orth / 10**6)], derived=[Q_orth, y_2],
    grid=points("labels n excess", ("positive", 3, 0), ("mixed", 4, 0), ("mixed", 5, 0), ("mixed", 4, "1/2"),
                ("positive", 3, "1/2"), ("mixed", 4, 6)),
    derive=lambda best, p: {Q_orth: lambda: orthogonal_norm(best.y, epsilon=p.excess), y_2: np.array(best.y) @ best.y},
    construct=construct, measure=measure,
    controls=[
        Control("the length of the labels", breaks=minimum, where=Eq(excess, 0) & (n >= 4),
                asserts=[loss <= excess, minimum.equals(2 * sqrt(y_2), within=Q_orth / 10**6)]),
        Control("the labels without signs", breaks=minimum, where=n >= 4,
                measure=lambda best, p: measure(best, p, construct(p, sign=1))),
        Control("features of twice the length", breaks=minimum,
                measure=lambda best, p: measure(best, p, construct(p, length=2))),
    ],
)
