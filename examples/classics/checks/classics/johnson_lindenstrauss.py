r"""A random map to about $\log N$ dimensions keeps all distances among $N$ points.

Setting    $N$ points, here the unit vectors $e_i$; $x\mapsto\frac1{\sqrt k}Rx$ with independent signs $R$.
Statement  For $k\ge\frac{6\log N}{\varepsilon^2/2-\varepsilon^3/3}$ all squared distances change by a factor of at most
           $1\pm\varepsilon$, with probability at least $1-\frac1N$.
Witness    One drawn matrix of signs for each size.
Measured   The largest change over all pairs, a rational.
Control    A sixteenth of the dimensions.
Reads      Achlioptas (2003), Theorem 1.1, with $\beta=1$; that the drawn matrix is among the good ones is a fact about
           this draw.
"""

from fractions import Fraction

import numpy as np
from sympy import log

from theorytools import Claim, Control, Quantity, exactly, points

from .notation import N, eps, k

change = Quantity("change", r"\max_{i\ne j}|\frac{\|R(e_i-e_j)\|^2}{2k}-1|", "of a squared distance", (0, None))


def construct(p, share=1) -> np.ndarray:
    return p.rng("signs").choice([-1, 1], (p.k // share, p.N))


def measure(R, p):
    distances = 2 * len(R) - 2 * (R.T @ R)[np.triu_indices(p.N, 1)]  # |R(e_i - e_j)|^2, exactly
    return {change: exactly(max(abs(Fraction(int(d), 2 * len(R)) - 1) for d in np.unique(distances)))}


claim = Claim(
    "Johnson–Lindenstrauss lemma", role="statement", source="published: Achlioptas (2003), Theorem 1.1; none",
    scope={"every N, eps, k and set of points": "points", "some map": "exhibited", "every pair": "enumeration"},
    requires=[k >= 6 * log(N) / (eps**2 / 2 - eps**3 / 3), eps < 1], asserts=change <= eps, construct=construct,
    measure=measure, grid=points("N eps k", (16, "1/2", 200), (64, "1/2", 300), (256, "1/4", 1300), (512, "1/2", 450)),
    controls=[Control("a sixteenth of the dimensions", breaks=change, construct=lambda p: construct(p, 16))],
)
