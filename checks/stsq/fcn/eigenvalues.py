r"""The second moment of the target's weights has two eigenvalues, and $R_m$ is the sum of the $Td-m$ smallest.

Setting    As in fcn; $M=\frac1{q^2}E[\mathbf1_y\mathbf1_y^\top]\otimes I_d$ of order $Td$, $2\le q\le T$.
Statement  $\frac1T$ with multiplicity $d$, $\lambda=\frac{T-q}{qT(T-1)}$ with multiplicity $d(T-1)$; by Ky Fan
           $\min\{\operatorname{tr}PM:\operatorname{rank}P=Td-m\}=R_m$.
Witness    $M$ counted over all $\binom Tq$ subsets.
Measured   The dimensions of the kernels of $M-\frac1TI$ and $M-\lambda I$ by elimination over the rationals: they add
           up to $Td$, so nothing else occurs; the sum of the smallest eigenvalues from them.
Control    Subsets drawn with repetition; the factor $T-q$ left out; the eigenvalues exchanged; $T$ for $T-1$.
Reads      Derived here. At $q=1$ the two eigenvalues are equal.
"""

from fractions import Fraction
from itertools import product

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.first_layers.bottleneck import compressor_eigenvalues, compressor_risk
from theorytools.theory.first_layers.compressor_certificate import multiplicity, selection_moment

from ..notation import T, d, m, q
from .fcn import exchanged

top = Quantity("multiplicity of 1/T", r"\dim\ker(M-\tfrac1TI)", "by elimination", (0, None))
rest = Quantity("multiplicity of lambda", r"\dim\ker(M-\lambda I)", "by elimination", (0, None))
tail = Quantity("smallest eigenvalues", r"\textstyle\sum_{j\le Td-m}\lambda_j(M)", "their sum", (0, None))


def construct(p) -> np.ndarray:
    return selection_moment(p.T, p.d, p.q)


def measure(M, p, values=None):
    a, b = values or [value for value, _ in compressor_eigenvalues(p.T, p.d, p.q)]
    counted = sorted([a] * multiplicity(M, a) + [b] * multiplicity(M, b))
    return {top: multiplicity(M, a), rest: multiplicity(M, b), tail: sum(counted[: p.T * p.d - p.m], Fraction(0))}


def repeated(p):
    counts = sum(np.outer(v, v) for v in (np.bincount(y, minlength=p.T) for y in product(range(p.T), repeat=p.q)))
    return np.kron(counts.astype(object) * Fraction(1, p.q**2 * p.T**p.q), np.eye(p.d, dtype=int).astype(object))


claim = Claim(
    "Fully-connected networks, eigenvalues",
    role="foundation", source="derived here: fully-connected networks",
    scope={"every T, d, q, m": "points", "every subset": "enumeration"},
    requires=[q >= 2, q <= T, m <= T * d],
    asserts=[top.equals(d), rest.equals(d * (T - 1)), tail.equals(compressor_risk(m, T, d, q))],
    grid=points("T d q m", (6, 2, 2, 0), (6, 2, 2, 1), (6, 2, 2, 5), (5, 1, 3, 1), (5, 3, 4, 15), (4, 2, 4, 3),
                (8, 2, 2, 12), (3, 1, 2, 2),
                (64, 1, 2, 60)),
    construct=construct, measure=measure,
    controls=[
        Control("subsets with repetition", breaks=rest, construct=repeated, where=q <= 4,
                asserts=[top.equals(d), rest.equals(d * (T - 1))]),
        Control("the factor T - q left out", breaks=rest, asserts=[top.equals(d), rest.equals(d * (T - 1))],
                where=T - q >= 2,
                measure=lambda M, p: measure(M, p, [Fraction(1, p.T), Fraction(1, p.q * p.T * (p.T - 1))])),
        Control("the eigenvalues exchanged", breaks=tail, where=(T >= 3) & (m < T * d),
                asserts=[tail.equals(exchanged)]),
        Control("T for T - 1", breaks=rest, asserts=[top.equals(d), rest.equals(d * (T - 1))], where=q < T,
                measure=lambda M, p: measure(M, p, [Fraction(1, p.T), Fraction(p.T - p.q, p.q * p.T**2)])),
    ],
)
