r"""Below the condition on its slope the transition leaks, by exactly what the gate lacks.

Setting    As in proposition_26, with any slope $K$ of the gate.
Statement  The largest entry that is written on a mismatch is $(M-K\gamma)_+$: zero if and only if $K\ge M/\gamma$.
Proof      On a mismatch an entry is $\mathrm{sign}(x_k)(|x_k|-K(1-\langle\omega_i,\omega_{t_l}\rangle))_+$
           (proposition_26), largest at $|x_k|=M$ and the pair of codes with $1-\langle\cdot,\cdot\rangle=\gamma$.
Witness    PositionTracker with slopes below ($\frac3{10}M/\gamma$ and others), at and above $M/\gamma$.
Measured   Integer forward pass at every position, for every index; tokens $\pm M$ and random integers.
Control    Twice the gap; a duplicate code; the gate without its second ReLU.
Reads      Derived here.
"""

import numpy as np
from sympy import Max

from theorytools import Claim, Control, Quantity, points

from ..notation import K_g, M_x, gamma_c
from .proposition_26 import construct, duplicate, gap, linear, outputs

leak = Quantity("leak", r"\max_{i\ne t_l}\|f(h,z_i)_l\|_\infty", "largest entry written on a mismatch", (0, M_x))


def mismatch(net, p):
    out, _, match = outputs(net, p)
    return {leak: int(np.abs(out[~match]).max())}


claim = Claim(
    "Proposition 26, any slope",
    role="necessity", source="derived here: Proposition 26",
    scope={"every code, N, d_e, q, d, M_x": "proof", "every slope K_g": "proof",
           "every position and index": "enumeration"},
    asserts=leak.equals(Max(0, M_x - K_g * gamma_c)),
    requires=[gamma_c > 0],
    grid=points("code N d_e q d M_x K_g", ("binary", 8, 3, 2, 2, 12, 3), ("binary", 8, 3, 2, 2, 12, 18),
                ("binary", 8, 3, 2, 2, 20, 9),
                ("hadamard", 16, 16, 1, 3, 50, 32), ("rademacher", 12, 20, 2, 1, 90, 20)),
    derive=gap, derived=[gamma_c], construct=construct, measure=mismatch,
    controls=[
        Control("twice the gap", breaks=leak, where=M_x > K_g * gamma_c,
                asserts=[leak.equals(Max(0, M_x - 2 * K_g * gamma_c))]),
        Control("a duplicate code", breaks=leak, construct=duplicate),
        Control("the second ReLU left out", breaks=leak, construct=linear),
    ],
)
