r"""No block that compares position codes separates its scores at a smaller norm than second moments allow.

Setting    A head whose scores compare codes only, $\frac dq\,\omega_t^\top V\omega_j$ with any block $V$.  Its leads
           are $\frac dq\,\omega_t^\top V(\omega_t-\omega_j)$, $j\ne t$; $\gamma$ is the least, $\bar\gamma$ the mean.
Statement  $\|V\|_F\ge\frac qd\,\bar\gamma\,\frac{N(N-1)}{\|M\|_F}$ if $\bar\gamma\ge0$, with
           $M=N\sum_t\omega_t\omega_t^\top-ss^\top$, $s=\sum_t\omega_t$; all the more with $\gamma$.  So $q$ heads cost
           $\frac{q^3}{d^2}$ whatever the blocks are, and for the simplex, in $N-1$ dimensions, $\alpha I$ is the best.
Proof      The leads of all pairs add up to $\frac dq\langle V,M\rangle=N(N-1)\bar\gamma$; then Cauchy and Schwarz, and
           $\gamma\le\bar\gamma$.
Adversary  $V=M$, which attains it for $\bar\gamma$, on equiangular codes for $\gamma$ too; the identity; random blocks
           around it; random signs, Hadamard and BCH words.
Measured   Leads and squared norms, rational, from Gram matrices.
Control    $N^2$ for $N(N-1)$; without $\frac qd$; the same leads at half the norm.
Reads      Derived here.
"""

import numpy as np
from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.by_family import code_of_family
from theorytools.codes.equiangular import simplex
from theorytools.codes.mixture import mixture
from theorytools.papers.qstr.attention.query_key_block import QueryKeyBlock, alignment, second_moment

from ..notation import M_2, N, d, margin, margin_mean, q
from .lower import drawn_code

norm_2 = Quantity("squared norm", r"\|V\|_F^2", "of the block", (0, None))


def least(lead, pairs=N * (N - 1), scale=q / d):
    return (scale * lead * pairs) ** 2 / M_2


def construct(p) -> QueryKeyBlock:
    thin = mixture(simplex(p.N), simplex(p.N), 0) if p.code == "thin" else None  # in N - 1 dimensions
    code = thin or code_of_family(p.code, p.N, p.d_e, p.rng("codes"))
    noise = p.rng("block").integers(-1, 2, (p.N, p.N))
    kinds = {"moment": second_moment(code), "identity": QueryKeyBlock(code), "noisy": QueryKeyBlock(code, 12, noise)}
    return kinds[p.block]


def derive(block, p):
    return {margin: block.least_gap * p.d / p.q, margin_mean: block.mean_gap * p.d / p.q, M_2: alignment(block.code)}


def measure(block, p):
    return {norm_2: block.squared_norm}


def search(draw, p):
    from hypothesis import assume
    from hypothesis import strategies as st

    assume(p.N >= 2)
    code, rng = drawn_code(draw, p.N, draw(st.integers(1, 8))), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    C = draw(st.integers(-3, 3)) * second_moment(code).C + rng.integers(-1, 2, (p.N, p.N)) * draw(st.integers(0, 1))
    return QueryKeyBlock(code, draw(st.integers(0, 20)), C)


even = Eq(margin, margin_mean)  # all leads equal: equiangular codes
claim = Claim(
    "Lemma 11, norm of any block",
    role="sharpness", source="derived here: Lemma 11",
    scope={"every code, N, d_e, q, d": "proof", "every block": "proof"},
    asserts=[norm_2 >= least(margin_mean), norm_2 >= least(margin)],
    requires=[N >= 2, margin > 0], derive=derive, derived=[margin, margin_mean, M_2],
    grid=points("code block N d_e q d", ("thin", "identity", 8, 7, 3, 10), ("simplex", "moment", 8, 8, 100, 4),
                ("orthonormal", "moment", 16, 16, 2, 4), ("rademacher", "moment", 24, 40, 1, 10),
                ("rademacher", "identity", 24, 40, 1, 10), ("rademacher", "identity", 64, 67, 100, 4),
                ("hadamard", "noisy", 24, 32, 3, 4), ("bch", "identity", 32, 8, 2, 2),
                ("orthonormal", "noisy", 12, 12, 5, 4)),
    construct=construct, measure=measure, search=search, controls=[
        Control("N^2 for N(N - 1)", asserts=[norm_2 >= least(margin_mean, N**2)], breaks=norm_2, where=even),
        Control("without q/d", asserts=[norm_2 >= least(margin_mean, scale=1)], breaks=norm_2, where=even & (q < d)),
        Control("the same leads at half the norm", breaks=norm_2, where=even,
                measure=lambda block, p: {norm_2: block.squared_norm / 4}),
    ],
)
