r"""With fixed encodings, orthogonal on new positions, the loss at a new length has a closed form and a positive limit.

Setting    Positions $1,\dots,T'$ with orthonormal encodings; trained on the first $T$: scores
           $e_i^\top E_T\beta(I-\mathbf{11}^\top/T)E_T^\top e_y$, zero on new positions. $y$ is uniform among all
           $q$-subsets of $[T']$, $k$ the number of its seen positions: hypergeometric. $w=e^{\beta/T}$.
Statement  $L_{T'}=d\,E_k\bigl[k(\frac{\alpha w^{T-k}}Z-\frac1q)^2+(T-k)(\frac{\alpha w^{-k}}Z)^2
           +(q-k)(\frac\alpha Z-\frac1q)^2+(T'-T-q+k)\frac{\alpha^2}{Z^2}\bigr]$, $Z=kw^{T-k}+(T-k)w^{-k}+T'-T$.
           If $\beta\to\infty$, $\alpha\to1$, to $d[\sum_{k\ge1}\Pr(k)(\frac1k-\frac1q)+\Pr(0)(\frac1q-\frac1{T'})]$,
           positive for $T'>T$.
Proof      Scores are $\beta(1-\frac kT)$ on seen selected positions, $-\beta\frac kT$ on seen others, 0 on new ones:
           weights $w^{T-k}$, $w^{-k}$, 1, and $d$ times the squared distance from $\frac1q$ on $y$, 0 off it. In the
           limit the attention is $\frac1k$ on the seen selected ones,
           $\frac{(q-k)}{q^2}+k(\frac1k-\frac1q)^2=\frac1k-\frac1q$, and uniform for $k=0$. Some $k<q$ has positive
           probability if $T'>T$.
Witness    Rational orthonormal encodings, all coordinates mixed; every subset, every position, no formula.
Measured   The full model's loss over all $\binom{T'}q$ subsets, rational, at $\alpha^*$ of the training length; its
           limit from the positions of the largest score.
Control    New positions as combinations of seen ones; a score matrix without $I-\mathbf{11}^\top/T$; $k$ binomial; all
           positions seen in training.
Reads      The closed form and the limit are derived here; orthogonality of the new encodings is needed.
"""

from fractions import Fraction

import numpy as np
from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.network import changed
from theorytools.papers.stsq.selection.fixed_encodings import FixedSelector
from theorytools.papers.stsq.selection.length_generalisation import SeenPositions
from theorytools.theory.first_layers.exact_span import orthonormal_basis

from ..notation import T_1, T, d, loss_8, loss_9, q

full = Quantity("loss at the new length", "L_{T'}", "of the full model, by all subsets", (0, None))
final = Quantity("limit of the loss", r"\lim_{\beta\to\infty}L_{T'}", "of the full model, alpha = 1", (0, None))


def formula(p) -> SeenPositions:
    return SeenPositions(p.T, p.T_1, p.q, p.d)


def encodings(p):
    return np.array(orthonormal_basis(p.T_1, p.rng("encodings")), dtype=object)


def construct(p) -> FixedSelector:
    return FixedSelector(encodings(p), p.T, p.q, p.d)


def measure(net, p):
    return {full: net.loss(p.w, formula(p).best_alpha(p.w)), final: net.loss()}


def derive(net, p):
    return {loss_8: formula(p).loss(p.w), loss_9: formula(p).limit()}


def inside(p):  # three rows of a Hadamard matrix of order 4, of length 1 and orthogonal to the mean of the seen ones
    rows = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]], dtype=object) * Fraction(1, 2)
    return FixedSelector(np.vstack([np.eye(4, dtype=int).astype(object), rows])[: p.T_1], p.T, p.q, p.d)


claim = Claim(
    "Length generalisation, fixed encodings",
    role="statement", source="derived here: length generalisation with fixed encodings",
    scope={"every q, d, w": "proof", "every T and new length T_1": "proof", "every subset": "proof"},
    requires=[q < T, T <= T_1], derive=derive, derived=[loss_8, loss_9],
    asserts=[full.equals(loss_8), final.equals(loss_9)],
    grid=points("T T_1 q d w", (4, 6, 2, 1, 2), (4, 6, 1, 2, "3/2"), (4, 6, 3, 1, 2), (3, 7, 2, 1, 3), (2, 5, 1, 1, 4),
                (4, 4, 2, 1, 2), (5, 8, 3, 5, "1/2"), (4, 6, 2, 1, 128), (2, 32, 1, 1, 4)),
    construct=construct, measure=measure,
    controls=[
        Control("new positions inside the seen span", breaks=[full, final], where=Eq(T, 4) & (T_1 >= 5) & (q <= 2),
                construct=inside),
        Control("a score matrix that is not centred", breaks=full, where=T_1 > T,
                construct=lambda p: changed(construct(p), Q=p.T * np.eye(p.T, dtype=int))),
        Control("all positions seen in training", breaks=[full, final], where=T_1 > T,
                construct=lambda p: FixedSelector(encodings(p), p.T_1, p.q, p.d)),
        Control("k binomial", breaks=final, where=(T_1 > T) & Eq(q, 2), asserts=[full.equals(loss_8), final.equals(
            2 * d * (T / T_1) * (1 - T / T_1) / 2 + d * (1 - T / T_1) ** 2 * (Rational(1, 2) - 1 / T_1))]),
    ],
)
