r"""One layer with random $p$-bit weights accepts few unequal pairs on average, and hundreds or thousands in number.

Setting    Uniform attention, value width 1: $v(x_i)=w_ix_i$, $v(y_i)=-w_iy_i$, "equal" iff the output is 0; $w_i$
           uniform in $\{0,\dots,2^p-1\}$.
Statement  The expected rate of false accepts over unequal pairs is at most $2^{-p}$, attained at $n=1$; but with
           $m=n(2^p-1)+1$ possible sums at least $4^n/m-2^n$ pairs are wrong.
Witness    The exact expectation, and one draw of the weights.
Measured   The expectation by counting weight vectors with equal sums, rational. Wrong pairs of the draw by counting
           the strings with each sum.
Control    Weights $2^i$, which tell all strings apart; a bit fewer.
Reads      Derived here. Numbers of wrong pairs depend on the draw.
"""

import numpy as np
from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.recurrent.hashing import drawn_collisions, weight_collisions

from ..notation import n, p

mean = Quantity("expected false accepts", r"E_w\Pr[\mathrm{out}=0\mid x\ne y]", "rate over unequal pairs", (0, 1))
wrong = Quantity("wrong pairs", r"\#\{x\ne y:\mathrm{out}=0\}", "of one draw of the weights", (0, None))


def construct(q) -> np.ndarray:
    return q.rng("weights").integers(0, 2**q.p, q.n)


def measure(w, q, bits=None):
    return {mean: weight_collisions(q.n, bits or q.p), wrong: drawn_collisions(w)}


claim = Claim(
    "Equality by one layer with random weights",
    role="variant", source="derived here: equality by one layer",
    scope={"every n, p": "points", "every weight vector of the mean": "closed form",
           "every weight vector for the number": "drawn"},
    asserts=[mean <= 2 ** (-p), wrong >= 4**n / (n * (2**p - 1) + 1) - 2**n],
    grid=points("n p", (1, 4), (8, 4), (12, 8)), construct=construct, measure=measure,
    controls=[
        Control("weights that tell all strings apart", breaks=wrong, where=n >= 2,
                construct=lambda q: 2 ** np.arange(q.n)),
        Control("a bit fewer", breaks=mean, where=Eq(n, 1), measure=lambda w, q: measure(w, q, q.p - 1)),
    ],
)
