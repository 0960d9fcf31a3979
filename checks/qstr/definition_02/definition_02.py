r"""The variance of a label of sparse token regression, for any index tuple, and what determines the label.

Setting    Independent tokens $x_i\sim N(0,I_d)$, tuples $t_i\in[N]^q$, labels $y_i=g(x_{t_{i1}},\dots,x_{t_{iq}})$ with
           $g(v)=q^{-1/2}\sum_j\langle u,v_j\rangle$ (lin), $(qd)^{-1/2}\sum_j(\|v_j\|^2-d)$ (sq) or
           $(2q)^{-1/2}\sum_j(\langle u,v_j\rangle^2-1)$ (he2), $\|u\|=1$.
Statement  $\operatorname{Var}y_i=v_g\frac1q\sum_l m_l^2$ when index $l$ fills $m_l$ slots, $v_g=1,2,1$: $v_g$ if all
           indices differ, $qv_g$ if all coincide. The indexed tokens determine the label.
Witness    One index in $\mu_t$ slots, the others different; rational directions $u$.
Measured   Expansion of the squared label and Wick's theorem, in rationals.
Control    Normalisation $q^{-1}$; the next position read for the indexed one; $v_g$ whatever the indices.
Reads      The links are those of the paper's examples and experiments; the variances are derived here.
"""

from dataclasses import replace

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.gaussians.label_law import VARIANCES, LabelLaw
from theorytools.theory.first_layers.exact_span import orthonormal_basis

from ..notation import mult, q, v_g

variance = Quantity("variance", r"\operatorname{Var}y_i", "of one label, given its index tuple", (0, None))
blind = Quantity("unexplained", r"E\operatorname{Var}(y_i\mid x_{t_i})", "left by the indexed tokens", (0, None))
formula = v_g * (q - mult + mult**2) / q


def construct(p, indices=None) -> LabelLaw:
    if indices is None:
        indices = tuple(max(j - p.mult + 1, 0) for j in range(p.q))
    return LabelLaw(p.link, indices, p.d, orthonormal_basis(p.d, p.rng("link"))[0])


def measure(law, p):
    return {variance: law.variance(), blind: law.unexplained(construct(p).indices)}


def derive(law, p):
    return {v_g: VARIANCES[p.link]}


def smaller(p):
    return replace(construct(p), squared_scale=construct(p).scale / p.q)


def shifted(p):
    return construct(p, tuple(t + 1 for t in construct(p).indices))


normalised = Control("normalisation 1/q", breaks=variance, where=q >= 2, construct=smaller)
constant = Control("the same for all tuples", breaks=variance, where=mult >= 2, asserts=[variance.equals(v_g)])
claim = Claim(
    "Definition 2",
    role="foundation", source="derived here: Definition 2",
    scope={"every link, d, q, mult": "points", "every index tuple": "points", "every prompt": "closed form"},
    asserts=[variance.equals(formula), blind.equals(0)], requires=[mult <= q],
    grid=points("link d q mult",
                ("lin", 3, 1, 1), ("lin", 4, 3, 1), ("lin", 4, 3, 3), ("sq", 10, 3, 1), ("sq", 4, 3, 2),
                ("sq", 4, 3, 3), ("he2", 3, 4, 1), ("he2", 3, 4, 2), ("he2", 3, 4, 4), ("he2", 1, 1, 1)),
    derive=derive, derived=[v_g], construct=construct, measure=measure,
    controls=[normalised, constant, Control("the next position", breaks=blind, construct=shifted)],
)
