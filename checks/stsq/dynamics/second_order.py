r"""The loss near the start for Gaussian encodings, exactly by Wick's formula: to second order in the score's scale.

Setting    Sum query, $e_y=\sum_{i\in y}e_i$, entries of the $e_i$ independent with mean 0, variance $1/d_e$ and fourth
           moment $\mu/d_e^2$: $\mu=3$ Gaussian, $\mu=1$ signs. Attention $a=\mathrm{softmax}(\beta E^\top e_y)$,
           $A=E\|a\|^2$, $B=E\,a(y)$, of which the loss is made.
Statement  $B'(0)=\frac qT(1-\frac qT)$ whatever $\mu$ is, while $A''(0)=\frac2TS$ and $B''(0)=\frac qT(s-S)$ depend on
           it: with $v=1+\frac{\mu-2+q}{d_e}$ and $r=1+\frac1{d_e}$ the mean squares and products of selected scores,
           $s=v-\frac2T(v+(q-1)r)+M$, $S=\frac1T(qv+(T-q)\frac q{d_e})-M$ and $M=\frac1{T^2}(qv+q(q-1)r+(T-q)\frac
           q{d_e})$. So for $T\gg d_e$ the spread $S$ of the scores is that of the others, $\frac q{d_e}$.
Witness    All encodings: of signs, and for Gaussian ones a cubature that is exact for them.
Measured   The derivatives by the expansion of the softmax at every draw, $a_i=\frac1T(1+\beta
           c_i+\frac{\beta^2}2(c_i^2- \overline{c^2}))$ with centred scores $c$; in rationals. The Gaussian law is
           replaced by $0,\pm\sqrt3$ with probabilities $\frac23,\frac16,\frac16$, whose moments agree up to the fifth.
Control    The fourth moment of the other law; orthonormal encodings; $d_e+1$ for $d_e$; twice the first order.
Proof      Scores are quadratic, their products quartic in the entries, and no entry occurs more than four times, so
           five moments decide. $E\langle e_i,e_j\rangle^2=\frac1{d_e}$, $E\|e_i\|^4=1+\frac{\mu-1}{d_e}$, and products
           with an odd power vanish.
Reads      Derived here. Growth at first order does not see the law, so encodings that are not orthonormal delay no
           escape by themselves: experiments_batches finds batch noise. The dual query is no polynomial of the
           encodings.
"""

from fractions import Fraction
from itertools import product

import numpy as np
from sympy import Ne

from theorytools import Claim, Control, Quantity, letter, points
from theorytools.errors import BudgetError

from ..notation import T, d_e, q

mu_4 = letter("mu_4", "fourth moment of an entry over the square of its variance", latex=r"\mu", integer=True,
              positive=True)
first = Quantity("first order", "B'(0)", "growth of the selected weight")
second = Quantity("second order", "B''(0)", "its second derivative")
spread = Quantity("second order of the squares", "A''(0)", "of the squared weights", (0, None))
v, r = 1 + (mu_4 - 2 + q) / d_e, 1 + 1 / d_e
M = (q * v + q * (q - 1) * r + (T - q) * q / d_e) / T**2
S = (q * v + (T - q) * q / d_e) / T - M


def construct(p, mu=None) -> tuple[np.ndarray, np.ndarray, Fraction]:
    """All draws (size, T, d_e) as integers, their weights, and the square of the unit."""
    entries = {1: ((-1, 1), (1, 1), 1), 3: ((-1, 0, 1), (1, 4, 1), 3)}[mu or p.mu_4]
    values, chances, unit = entries
    if len(values) ** (p.T * p.d_e) > 2**21:
        raise BudgetError(f"T d_e = {p.T * p.d_e}", required="at most 2^21 draws", why="all are enumerated")
    E = np.array(list(product(values, repeat=p.T * p.d_e)), dtype=np.int64)
    weights = np.prod(np.array(chances)[E + 1 if len(values) == 3 else (E + 1) // 2], axis=1)
    return E.reshape(-1, p.T, p.d_e), weights, Fraction(unit, p.d_e)


def measure(draws, p, orthonormal=False):
    E, weights, unit = draws
    if orthonormal:
        E, weights, unit = np.eye(p.T, dtype=np.int64)[None], np.array([1]), Fraction(1)
    scores = (E @ E[:, : p.q].sum(axis=1)[..., None])[..., 0]  # in units of the square of the unit
    c = p.T * scores - scores.sum(axis=1, keepdims=True)  # times T
    squares, chosen = (c * c).sum(axis=1), (c * c)[:, : p.q].sum(axis=1)
    mass, y = int(weights.sum()), c[:, : p.q].sum(axis=1)

    def mean(x, power):
        return Fraction(int(weights @ x), mass * p.T**power) * unit**power
    return {first: mean(y, 1) / p.T, second: (mean(chosen, 2) - Fraction(p.q, p.T) * mean(squares, 2)) / p.T,
            spread: 2 * mean(squares, 2) / p.T**2}


s = v - 2 * (v + (q - 1) * r) / T + M
asserts = [first.equals(q / T * (1 - q / T)), second.equals(q / T * (s - S)), spread.equals(2 * S / T)]
claim = Claim(
    "The loss near the start, Gaussian and sign encodings",
    role="foundation", source="derived here: training dynamics",
    scope={"every mu_4, T, q, d_e": "points", "every size": "proof", "every draw of the encodings": "enumeration"},
    asserts=asserts, construct=construct, measure=measure, listed=[mu_4],
    requires=[q < T, mu_4 >= 1, mu_4 <= 3, T * d_e <= 19 - 3 * mu_4],
    grid=points("mu_4 T q d_e", (3, 2, 1, 1), (3, 3, 1, 2), (3, 4, 2, 2), (3, 8, 3, 1), (3, 3, 2, 3),
                (1, 2, 1, 1), (1, 4, 2, 3), (1, 7, 3, 2), (1, 16, 5, 1)), controls=[
        Control("the fourth moment of the other law", breaks=[second, spread], where=Ne(T, 2 * q) & (T * d_e <= 10),
                construct=lambda p: construct(p, 4 - p.mu_4)),
        Control("orthonormal encodings", breaks=spread, asserts=asserts[2:],
                measure=lambda draws, p: measure(draws, p, orthonormal=True)),
        Control("one d_e more", breaks=spread, asserts=[spread.equals(2 * S.subs(d_e, d_e + 1) / T)]),
        Control("twice the first order", breaks=first, asserts=[first.equals(2 * q / T * (1 - q / T))]),
    ],
)
