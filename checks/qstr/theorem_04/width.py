r"""Width of the head against dimension: attention has more parameters until $m$ passes $D_e$, and $m$ costs no norm.

Setting    $H=q$ heads on encoded tokens of width $D_e=d+(q+1)d_e$, a ReLU head of width $m$ on their $qD_e$ outputs:
           $D_1=m(qD_e+2)$ parameters in the head, $D_2=qD_e^2$ in the attention.
Statement  The least width with $D_1\ge D_2$ is $D_e$ for $q\ge2$ and $D_e-1$ for $q=1$: below it $D_2$ decides the sum,
           above it $D_1$. norm: with $\|a\|^2=r_a^2/m$ and $\|(W,b)\|_F^2=mr_w^2$ the least squared norm of a head with
           these functions, layers rescaled against each other, is $2r_ar_w$ whatever $m$ is.
Witness    Arrays of these shapes, counted; a head of equal weights, in rationals.
Measured   The least width by bisection over counted arrays.
Control    $d+q$ for $D_e$; a width less by one; heads without biases and output weights.
Proof      $(qD_e+2)D_e\ge qD_e^2>(qD_e+2)(D_e-1)$ if $(q-2)D_e+2>0$; for $q=1$
           $(D_e+2)(D_e-1)\ge D_e^2>(D_e+2)(D_e-2)$, as $D_e\ge2$: no size is 0.
Reads      Derived here: in $q(d+q)(m_g+d+q)$ the remark's $d+q$ stands for $D_e$, $d+q<D_e\le(d+q+1)d_e$ for
           $d_e\ge2$. What the count of parameters compares the two logarithms of $\Lambda$ may still shift.
"""

from fractions import Fraction

import numpy as np
from sympy import Max, Ne

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.feedforward.readout import ReluHead

from ..notation import D_e, d, d_e, m, q, r_a, r_w

turn = Quantity("least width", r"\min\{m:D_1\ge D_2\}", "of a head with as many parameters as the attention", (1, None))


def construct(p) -> int:
    """Return the width of an encoded token."""
    return p.d + (p.q + 1) * p.d_e


def parameters(width, p, D_e) -> int:
    head = ReluHead(np.zeros(width), np.zeros((width, p.q * D_e)), np.zeros(width))
    return sum(part.size for part in (head.a, head.W, head.b))


def measure(D_e, p, counted=parameters):
    attention = np.zeros((p.q, D_e, D_e)).size
    low, high = 0, 2 * D_e
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if counted(middle, p, D_e) >= attention else (middle, high)
    return {turn: high}


claim = Claim(
    "Theorem 4, width against dimension",
    role="variant", source="derived here: Theorem 4", scope={"every d, q, d_e": "points", "every size": "proof"},
    asserts=turn.equals(D_e - Max(0, 2 - q)), lets={D_e: d + (q + 1) * d_e},
    grid=points("d q d_e", (1, 1, 1), (10, 1, 23), (10, 2, 12), (64, 3, 20), (4, 12, 10), (200, 1, 50)),
    construct=construct, measure=measure, controls=[
        Control("d + q for D_e", asserts=[turn.equals(d + q)], breaks=turn, where=d_e >= 2),
        Control("a width less by one", asserts=[turn <= D_e - Max(0, 2 - q) - 1], breaks=turn),
        Control("no biases and output weights", breaks=turn, where=q <= 1,
                measure=lambda width, p: measure(width, p, lambda k, p, D_e: k * p.q * D_e)),
    ],
)

least = Quantity("least norm", r"\min_t t^2\|a\|^2+\|(W,b)\|_F^2/t^2", "over rescalings of the layers", (0, None))
given = Quantity("norm", r"\|a\|^2+\|(W,b)\|_F^2", "before rescaling", (0, None))


def layers(p) -> tuple[Fraction, Fraction]:
    """Return the squared norms of ``a``, ``m`` entries of size ``r_a/m``, and of rows of norm ``r_w``."""
    a, rows = [Fraction(p.r_a) / p.m] * p.m, [Fraction(p.r_w)] * p.m
    return sum(x**2 for x in a), sum(x**2 for x in rows)


def norms(squares, p, off=1):
    outer, inner = squares
    square = off * p.m * Fraction(p.r_w) / Fraction(p.r_a)  # t^2, where both layers weigh the same
    return {least: square * outer + inner / square, given: outer + inner}


norm = Claim(
    "Theorem 4, width and norm of the head",
    role="variant", source="derived here: Theorem 4",
    note=r"""$t^2\|a\|^2+\|(W,b)\|_F^2/t^2\ge2\|a\|\|(W,b)\|_F$, with equality for layers of equal norm; the function is
    the same as ReLU is homogeneous. The published $\frac{r_a^2}{m_g}+m_gr_w^2$ is as small only at $m_g=r_a/r_w$.""",
    scope={"every rescaling": "closed form", "every size m, r_a, r_w": "points", "some network": "exhibited"},
    asserts=[least.equals(2 * r_a * r_w), given.equals(r_a**2 / m + m * r_w**2)],
    grid=points("m r_a r_w", (2, 2, 1), (64, 2, 1), (1000, 3, "1/2"), (16, 100, 2)),
    construct=layers, measure=norms, controls=[
        Control("a rescaling off by a tenth", breaks=least, measure=lambda s, p: norms(s, p, Fraction(11, 10))),
        Control("the published norm is the least", breaks=given, where=Ne(m * r_w, r_a),
                asserts=[given <= 2 * r_a * r_w]),
        Control("a norm that grows with the width", breaks=least, asserts=[least.equals(m * r_a * r_w)], where=m > 2),
    ],
)
