r"""Training from zero moves two numbers: the gradient in all other entries of $V$ and $W$ is 0 on the family.

Setting    As in reduction, query the sum, with $V=[\alpha I\ V_2]$, $W_{22}=\beta I$ and all blocks trained.  Tokens
           are uniform signs here: symmetric under signed permutations, of unit covariance, and finitely many.
Statement  At $V_2=0$, $W_{12}=0$: $\nabla_{V_1}L=2(\alpha A-\frac Bq)I$, $\nabla_{V_2}L=0$, $\nabla_{W_{12}}L=0$,
           $\nabla_{W_{22}}L=\frac1{d_e}\partial_\beta L\,I$.  So the flow from 0 stays on $V=[\alpha I\ 0]$,
           $W=\mathrm{diag}(0,\beta I)$; the first columns of $W$ meet the zeros of the query and never move.
Proof      Attention does not read tokens. Signed permutations of their coordinates make $\nabla_{V_1}L$ a multiple of
           $I$, by $\partial_\alpha L=2d(\alpha A-\frac Bq)$; the sign of all tokens turns $f-s$ and keeps $Ea$, so
           $\nabla_{V_2}L=2\,\mathbb{E}(f-s)(Ea)^\top=0$; the derivatives in the scores are even in the tokens, so their
           sum with $x_ie_y^\top$ is odd, $\nabla_{W_{12}}L=0$. $\nabla_{W_{22}}L$: reduction.
Witness    All $2^{T(d+d_e)}$ prompts of sign tokens and sign encodings, rational.
Measured   All four blocks by the full backward pass, attention reading the tokens where $W_{12}\ne0$; $A$, $B$ and
           $\partial_\beta L$ by another route, from the scores' law.
Control    Starts off the family: $W_{12}\ne0$; $V_2\ne0$.  Half of the metric.
Reads      Derived here.  For Gaussian tokens the same symmetries hold, and the loss on the family is the same, for it
           needs second moments only.  What becomes of a start off the family: reduction_transverse.
"""

from fractions import Fraction
from itertools import product

import numpy as np
from sympy import Ne, log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.encodings import Encodings
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.selection.gradient import SignGradient
from theorytools.papers.stsq.selection.loss import attention_moments

from ..notation import A_2, B_y, T, alpha, d, d_e, dL_beta, q, v
from ._full_gradient import BlockGradient, sign_block_gradient

scale = Quantity("gradient in the scale", r"\nabla_{V_1}L", "diagonal entry farthest from their mean")
mixed = Quantity("rest of the token block of V", r"\max_{r\ne s}|\nabla_{V_1}L|", "off the diagonal", (0, None))
places = Quantity("gradient in the encoding block of V", r"\max|\nabla_{V_2}L|\sqrt{d_e}", "largest entry", (0, None))
reads = Quantity("gradient in the token block of W", r"\max|\nabla_{W_{12}}L|\sqrt{d_e}", "largest entry", (0, None))
heat = Quantity("gradient in the position block of W", r"\nabla_{W_{22}}L", "diagonal entry farthest from their mean")
turned = Quantity("rest of the position block of W", r"\max_{r\ne s}|\nabla_{W_{22}}L|", "off the diagonal", (0, None))


def construct(p, V_2=0, W_12=0) -> BlockGradient:
    blocks = {name: [[c] * p.d_e] * p.d for name, c in (("V_2", V_2), ("W_12", W_12))}
    return sign_block_gradient(p.T, p.q, p.d, p.d_e, alpha=p.alpha, v=p.v, **blocks)


def farthest(block):
    mean = sum(block.diagonal()) / Fraction(len(block))
    return max(block.diagonal(), key=lambda x: abs(x - mean))


def rest(block):
    return max((abs(x) for r, row in enumerate(block) for s, x in enumerate(row) if r != s), default=Fraction(0))


def measure(found, p, times=1):
    return {scale: times * farthest(found.V_1), mixed: rest(found.V_1), places: max(map(abs, found.V_2.flat)),
            reads: max(map(abs, found.W_12.flat)), heat: times * farthest(found.W_22), turned: rest(found.W_22)}


def derive(found, p):
    pairs = []
    for signs in product((1, -1), repeat=p.T * p.d_e):
        E = Encodings(np.array(signs, dtype=object).reshape(p.T, p.d_e), Fraction(1, p.d_e))
        net = SparseSelector(E, p.d_e * log(p.v), p.q, 1, "sum")
        pairs.append([x.fraction() for x in attention_moments(net)])
    A, B = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    slope = SignGradient(p.T, p.q, p.d, p.d_e, alpha=Fraction(p.alpha), v=Fraction(p.v)).slope
    return {A_2: A, B_y: B, dL_beta: slope}


off = [places.equals(0), reads.equals(0)]
claim = Claim(
    "Reduction, all blocks",
    role="statement", source="derived here: reduction by symmetry",
    scope={"every T, q, d, d_e, alpha, v": "proof", "every prompt": "proof"},
    asserts=[scale.equals(2 * (alpha * A_2 - B_y / q)), mixed.equals(0), *off,
             heat.equals(dL_beta / d_e), turned.equals(0)],
    requires=[q < T], derive=derive, derived=[A_2, B_y, dL_beta], construct=construct, measure=measure,
    grid=points("T q d d_e alpha v", (2, 1, 1, 1, 1, 2), (3, 2, 1, 2, 1, 1), (2, 1, 2, 2, "3/2", 2),
                (3, 1, 2, 1, "-1/2", "4/3"), (3, 2, 1, 2, "3/2", 3)),
    controls=[
        Control("a start with W_12 not zero", breaks=[places, reads], where=Ne(v, 1), asserts=off,
                construct=lambda p: construct(p, W_12=1)),
        Control("a start with W_12 not zero, two dimensions", breaks=mixed, where=(d >= 2) & (d_e >= 2),
                construct=lambda p: construct(p, W_12=1), asserts=[mixed.equals(0)]),
        Control("a start with W_12 not zero, two coordinates", breaks=turned, where=(d_e >= 2) & Ne(v, 1),
                construct=lambda p: construct(p, W_12=1), asserts=[turned.equals(0)]),
        Control("a start with V_2 not zero", breaks=[places, reads], asserts=off,
                construct=lambda p: construct(p, V_2=1)),
        Control("half of the metric", breaks=[scale, heat], where=Ne(v, 1),
                measure=lambda found, p: measure(found, p, 2)),
    ],
)
