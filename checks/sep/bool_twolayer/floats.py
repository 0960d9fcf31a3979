r"""In floating point the true side stays exactly 0 and the false side keeps 0.48.

Setting    As in bool_twolayer, the whole forward pass in float64, float32 or float16.
Statement  The output is 0 where the answer is 1, at least 0.48 elsewhere.
Witness    TwoLayerBoolean, run by numpy; on all inputs.
Measured   The extremes of the floats that come out, which are rationals: observed.
Control    Codes of two positions swapped; no first layer; layer 2 uniform.
Reads      A fact about one order of rounding, not a bound for all.
"""

from fractions import Fraction

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, observed, points
from theorytools.papers.sep.tasks.boolean import TASKS, all_pairs

from ..notation import n
from .bool_twolayer import bottom, construct, empty, swapped, top


def measure(net, p):
    x, y = all_pairs(p.n)
    out, true = net(x, y, getattr(np, p.dtype)).astype(float), TASKS[p.task](x, y) == 1
    ends = {top: abs(out[true]).max(), bottom: out[~true].min()}
    return {quantity: observed(Fraction(float(end)), "numpy") for quantity, end in ends.items()}


claim = Claim(
    "Two layers in floating point",
    role="precision", source="derived here: equality and disjointness by two layers",
    scope={"every task": "points", "every n and format dtype": "points", "some network": "exhibited",
           "every pair of strings": "enumeration"},
    asserts=[top.equals(0), bottom >= Rational(12, 25)],
    grid=points("task dtype n", ("equality", "float16", 2), ("equality", "float16", 4), ("disjointness", "float16", 5),
                ("equality", "float32", 5), ("equality", "float64", 3), ("disjointness", "float16", 8)),
    construct=construct, measure=measure,
    controls=[
        Control("codes of two positions swapped", breaks=[top, bottom], where=n <= 5,
                construct=lambda p: swapped(construct(p))),
        Control("no first layer", breaks=bottom, where=n <= 5, construct=lambda p: empty(construct(p))),
        Control("layer 2 uniform", breaks=bottom, construct=lambda p: construct(p, scale=0)),
    ],
)
