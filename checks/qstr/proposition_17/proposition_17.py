r"""Two networks differ by at most three terms, one for each group of their parameters.

Setting    $\hat y_j=f(h_j)$: attention with parameters $\Theta$ on tokens with $\|z_l\|\le r_z$, then a two-layer head
           with $\|a\|\le A$, $\|(W,b)\|_F\le B$.
Statement  $|\hat y_j-\hat y_j'|\le\sqrt{1+Hr_z^2}\,(B\|a-a'\|+A\|(W,b)-(W',b')\|_F)+ABr_z^3\|\Theta-\Theta'\|_F$.
Proof      $|f(h_j)-f'(h_j')|\le|f(h_j)-f(h_j')|+|f(h_j')-f'(h_j')|$. The head is $AB$-Lipschitz and $\|h_j-h_j'\|\le
           r_z^2\|(\Theta-\Theta')^\top z_j\|\le r_z^3\|\Theta-\Theta'\|_F$ (lemma_15, lemma_16); the second term is
           lemma_14 at $\|h_j'\|\le\sqrt Hr_z$.
Adversary  Random networks; two tokens $\pm r_z$ and a small scalar $\Theta$, under the head $A\sigma(Bh)$: the ratio is
           $\tanh(x)/x$; equal tokens, where the first two terms are attained.
Measured   The largest difference over the positions, enclosed.
Control    $r_z^2$ for $r_z^3$; 1 for $H$; 0.9 of the last term; each group of parameters left out; tokens a tenth
           longer.
Reads      The constants are derived here; $c_{sm}=1$ (lemma_15_softmax).
"""

from fractions import Fraction

from sympy import Eq, Rational, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.capacity.perturbation.networks import HeadPair, NetworkPair

from ..notation import A, B, H, gap_a, gap_Q, gap_W, r_z, trial

moved = Quantity("distance of the outputs", r"\max_j|\hat y_j-\hat y_j'|", "largest over the positions", (0, None))
head_part, attention_part = sqrt(1 + H * r_z**2) * (B * gap_a + A * gap_W), A * B * r_z**3 * gap_Q
bound = head_part + attention_part


def construct(p, length=1) -> NetworkPair:
    if p.family == "steep":
        return NetworkPair.steep(length * Fraction(p.r), Fraction(2), Fraction(3), Fraction(1, 100) / p.r**2)
    shape = {"m": p.m, "H": p.H, "D_e": p.D_e}
    if p.family == "random":
        return NetworkPair.random(p.rng("network"), **shape, r=p.r)
    heads = HeadPair.aligned(**shape, r_z=p.r, A=Fraction(2), B=Fraction(3), halved=p.family)
    return NetworkPair.equal_tokens(heads, p.H)


def derive(pair, p):
    return {A: lambda: pair.heads.sizes()[0], B: lambda: pair.heads.sizes()[1], r_z: lambda: pair.attention.r_z,
            gap_a: lambda: pair.heads.distances()[0], gap_W: lambda: pair.heads.distances()[1],
            gap_Q: pair.attention.distance}


steep, equality = Eq(trial, 0) & (gap_Q > 0), Eq(trial, 0) & Eq(gap_Q, 0)
claim = Claim(
    "Proposition 17, distance of two networks",
    role="statement", source="published: Proposition 17; prose",
    scope={"every family, m, H, D_e, r, trial": "proof", "every pair of networks": "proof"},
    asserts=[moved <= bound],
    derive=derive, derived=[A, B, r_z, gap_a, gap_W, gap_Q],
    grid=points("family m H D_e r trial", ("steep", 1, 1, 1, 1, 0), ("steep", 1, 1, 1, 3, 0),
                ("outer", 1, 7, 1, "4/3", 0), ("inner", 2, 7, 1, "4/3", 0), ("inner", 1, 1, 2, "3/4", 0),
                *(("random", m, H, D, r, k) for m, H, D in ((1, 1, 1), (2, 2, 1), (3, 1, 2), (2, 2, 2))
                  for r, k in (("1/2", 1), (1, 2), (3, 3)))),
    construct=construct, measure=lambda pair, p: {moved: pair.gap}, controls=[
        Control("r_z^2 for r_z^3", asserts=[moved <= head_part + attention_part / r_z], breaks=moved,
                where=steep & (r_z > 1)),
        Control("0.9 of the last term", asserts=[moved <= head_part + Rational(9, 10) * attention_part], breaks=moved,
                where=steep),
        Control("tokens a tenth longer", breaks=moved, where=steep, construct=lambda p: construct(p, Fraction(11, 10))),
        Control("1 for H", asserts=[moved <= bound.subs(H, 1)], breaks=moved, where=equality & (H >= 2)),
        Control("the bias left out", breaks=moved, where=equality & Eq(H, 1),
                asserts=[moved <= sqrt(H) * r_z * (B * gap_a + A * gap_W) + attention_part]),
        Control("the attention left out", asserts=[moved <= head_part], breaks=moved, where=steep),
        Control("the head left out", asserts=[moved <= attention_part], breaks=moved, where=equality),
    ],
)
