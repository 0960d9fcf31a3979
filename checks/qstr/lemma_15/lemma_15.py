r"""Attention outputs move at most $r_z^2$ times as far as the attention parameters do at their query.

Setting    Encoded tokens with $\|z_l\|\le r_z$; the outputs $h_j$ of $H$ heads with parameters
           $\Theta=(W^{(1)},\dots,W^{(H)})$, scores $\langle z_j,W^{(h)}z_l\rangle$.
Statement  $\|h_j-h_j'\|\le r_z^2\max_j\|(\Theta-\Theta')^\top z_j\|$; so a covering of the parameters in that distance
           covers the outputs, at $r_z^2$ times its radius.
Proof      In one head $h_j-h_j'=\sum_l(\pi_l-\pi_l')z_l$ has at most length $r_z\|\pi-\pi'\|_1$, at most
           $r_z\max_l|\langle(W-W')^\top z_j,z_l\rangle|\le r_z^2\|(W-W')^\top z_j\|$ (lemma_15_softmax); the squares of
           the heads add up, on both sides.
Adversary  Random tokens and different matrices; two tokens $\pm r_z$ and a small scalar $W$ in every head, where the
           ratio is $\tanh(x)/x$; a matrix that only the query feels.
Measured   The outputs, enclosed from rational scores.
Control    $r_z$ for $r_z^2$; $0.9$ of the bound; one head for all; the key's side $(\Theta-\Theta')z_j$; tokens a tenth
           longer.
Reads      Printed through Lemma 39 and the $\ell_1$ bound of the softmax, with a constant that was not seen; here it is
           $c_{sm}r_z^2$ with $c_{sm}=1$, approached for small changes (lemma_15_softmax).
"""

from fractions import Fraction

from sympy import Eq, Rational, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import maximum
from theorytools.theory.capacity.perturbation.attention import AttentionPair

from ..notation import H, gap_k, gap_z, r_z, trial

moved = Quantity("distance of the outputs", r"\max_j\|h_j-h_j'\|", "largest over the sampled positions", (0, None))


def different(p) -> AttentionPair:
    """The first of the pairs drawn whose parameters differ: of equal ones both sides are 0."""
    rng = p.rng("tokens and matrices")
    while True:
        pair = AttentionPair.random(rng, 4, p.D_e, p.H, p.r)
        if pair.distance2():
            return pair


def construct(p, length=1) -> AttentionPair:
    t = Fraction(1, 100)
    families = {"two_tokens": lambda: AttentionPair.two_tokens(length * Fraction(p.r), -t / 2, t / 2, p.H),
                "query_only": lambda: AttentionPair.query_only(t),
                "random": lambda: different(p)}
    return families[p.family]()


def measure(pair, p):
    return {moved: lambda: maximum(pair.gap(j) for j in pair.positions)}


def derive(pair, p):
    def largest(transposed):
        return maximum(pair.query_gap(j, transposed=transposed) for j in pair.positions)
    return {r_z: lambda: pair.r_z, gap_z: lambda: largest(True), gap_k: lambda: largest(False)}


claim = Claim(
    "Lemma 15",
    role="statement", source="published: Lemma 15; prose",
    scope={"every family, H, D_e, r, trial": "proof", "every pair of attention parameters": "proof",
           "every token": "proof"},
    asserts=[moved <= r_z**2 * gap_z], derive=derive, derived=[r_z, gap_z, gap_k],
    grid=points("family H D_e r trial", ("two_tokens", 1, 1, 1, 0), ("two_tokens", 1, 1, 3, 0),
                ("two_tokens", 4, 1, 3, 0), ("query_only", 1, 2, 1, 0))
    + points("family H D_e r trial", *(("random", H, D, r, k) for H, D in ((1, 1), (1, 3), (2, 2), (3, 2))
                                       for r, k in ((1, 1), (1, 2), (3, 3)))),
    construct=construct, measure=measure, controls=[
        Control("r_z for r_z^2", asserts=[moved <= r_z * gap_z], breaks=moved, where=Eq(trial, 0) & (r_z > 1)),
        Control("0.9 of the bound", asserts=[moved <= Rational(9, 10) * r_z**2 * gap_z], breaks=moved,
                where=Eq(trial, 0) & Eq(gap_k, gap_z)),
        Control("tokens a tenth longer", breaks=moved, where=Eq(trial, 0) & Eq(gap_k, gap_z),
                construct=lambda p: construct(p, Fraction(11, 10))),
        Control("one head for all", asserts=[moved <= r_z**2 * gap_z / sqrt(H)], breaks=moved,
                where=Eq(trial, 0) & (H >= 2)),
        Control("the side of the key", asserts=[moved <= r_z**2 * gap_k], breaks=moved, where=Eq(gap_k, 0)),
    ],
)
