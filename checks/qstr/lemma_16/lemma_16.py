r"""The attention parameters have a covering by volume: one factor for each of their $HD_e^2$ entries.

Setting    $\Theta\in\mathbb{R}^{D_e\times HD_e}$, $\|\Theta\|_F\le R_F$, in the distance
           $\max_j\|(\Theta-\Theta')^\top z_j\|$ over a sample of tokens with $\|z_j\|\le r_z$.
Statement  $\max_j\|(\Theta-\Theta')^\top z_j\|\le r_z\|\Theta-\Theta'\|_F$, and so
           $\log\mathcal{C}(\Theta_{QK},\varepsilon)\le HD_e^2\log(1+2R_Fr_z/\varepsilon)$.
Proof      $\|(\Theta-\Theta')^\top z\|\le\|\Theta-\Theta'\|_F\|z\|$. So a covering of the Frobenius ball by radius
           $\varrho=\varepsilon/r_z$ is enough, and a largest set of its points at mutual distances above $\varrho$ is
           one: their balls of radius $\frac\varrho2$ are disjoint and within $R_F+\frac\varrho2$, at most
           $(1+2R_F/\varrho)^{HD_e^2}$ of them.
Witness    Differences with equal rows in the longest token's direction, where the first is an equality. Sets of
           parameters that no point can be added to; at $H=D_e=1$ with $1+2R_Fr_z/\varepsilon$ points.
Measured   Squared distances, rational; sizes; the squared distance of the ball from the set, over $\varepsilon^2$.
Control    $r_z$ left out; one head for all; half of $2$; one parameter for all; every fourth point of a line; tokens a
           tenth longer.
Reads      Printed are two estimates, by Maurey for $\|\Theta\|_{2,1}\le R_{2,1}$ and by volume for the Frobenius ball.
           This is the second, with its constants, derived here; of the first see lemma_16_sparse. At $D_e=1$ the
           distance is $r_z$ times the Euclidean one.
"""

from fractions import Fraction

from sympy import Eq, Rational, exp, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.capacity.covering import attention_parameters
from theorytools.papers.qstr.memory.packing import Packing
from theorytools.papers.qstr.memory.packing_sets import named_packing
from theorytools.theory.capacity.perturbation.attention import AttentionPair

from ..notation import R_F, D_e, H, eps_c, gap_Q, r_z, trial

moved = Quantity("squared distance", r"\max_j\|(\Theta-\Theta')^\top z_j\|^2", "largest over the sample", (0, None))
size = Quantity("size of the covering", r"|\mathcal{N}|", "as large as sets at these distances may be", (1, None))
reach = Quantity("reach", r"\max_\Theta\min_{\Theta'\in\mathcal{N}}d(\Theta,\Theta')^2/\varepsilon^2",
                 "squared distance of the class from the set", (0, None))


def pair(p) -> AttentionPair:
    if p.trial:
        return AttentionPair.random(p.rng("tokens and matrices"), 4, p.D_e, p.H, p.r)
    # W_h = z v_h^T on the longest token z, against 0: W_h^T z = |z|^2 v_h, and |W_h|_F = |z| |v_h|
    z = [p.r * Fraction(1, 2 ** (k + 1)) for k in range(p.D_e)]
    zero = [[[Fraction(0)] * p.D_e] * p.D_e] * p.H
    return AttentionPair([z, [x / 3 for x in z]], [[[x * (h + 1)] * p.D_e for x in z] for h in range(p.H)], zero)


def changed_tokens(layers, times) -> AttentionPair:
    return AttentionPair([[times * x for x in z] for z in layers.Z], layers.first, layers.second)


def set_of_parameters(p) -> Packing:
    return named_packing(p.set, p.H, Fraction(p.eps_c) / (Fraction(p.R_F) * p.r_z), spacing=1)


volume = attention_parameters(eps_c, H=H, D_e=D_e, R_F=R_F, r_z=r_z).expr
unit = R_F * r_z / eps_c
claim = Claim(
    "Lemma 16, distance",
    role="statement", source="published: Lemma 16; prose",
    scope={"every H, D_e, r, trial": "proof", "every pair of parameters": "proof"},
    asserts=[moved <= r_z**2 * gap_Q**2],
    derive=lambda f, p: {r_z: sqrt(Rational(f.r_z2)), gap_Q: sqrt(Rational(f.distance2()))}, derived=[r_z, gap_Q],
    grid=points("H D_e r trial", (1, 1, 3, 0), (1, 3, 3, 0), (2, 3, "1/2", 0), (4, 2, 3, 0),
                *((H, D, r, k) for H, D in ((1, 1), (2, 3)) for r, k in ((1, 1), ("1/2", 2), (3, 3)))),
    construct=pair, measure=lambda f, p: {moved: max(f.query_gap2(j) for j in f.positions)}, controls=[
        Control("r_z left out", asserts=[moved <= gap_Q**2], breaks=moved, where=Eq(trial, 0) & (r_z > 1)),
        Control("tokens a tenth longer", breaks=moved, where=Eq(trial, 0),
                construct=lambda p: changed_tokens(pair(p), Fraction(11, 10))),
        Control("one head for all", asserts=[moved <= r_z**2 * gap_Q**2 / H], breaks=moved,
                where=Eq(trial, 0) & (H >= 2)),
    ],
)
covering = Claim(
    "Lemma 16, by volume",
    role="statement", source="derived here: Lemma 16",
    scope={"every set, H, D_e, R_F, r_z": "proof", "every radius eps_c": "proof", "some covering": "exhibited",
           "every parameter": "closed form"},
    asserts=[size <= exp(volume), reach <= 1],
    grid=points("set H D_e R_F r_z eps_c", ("line", 1, 1, 1, 3, "1/4"), ("line", 1, 1, 5, 1, 1),
                ("maximal", 2, 1, 1, 2, "4/5"), ("maximal", 2, 1, "1/2", 2, "1/5"), ("maximal", 3, 1, 2, 1, "4/5")),
    construct=set_of_parameters, measure=lambda s, p: {
        size: s.size, reach: s.reach2 * (Fraction(p.R_F) * p.r_z / Fraction(p.eps_c)) ** 2},
    controls=[
        Control("half of 2", asserts=[size <= (1 + unit) ** (H * D_e**2)], breaks=size),
        Control("one parameter for all", asserts=[size <= 1 + 2 * unit], breaks=size, where=H >= 2),
        Control("every fourth point", asserts=[reach <= 1], breaks=reach, where=Eq(H, 1),
                construct=lambda p: set_of_parameters(p).changed(lambda z: z[::4])),
    ],
)
