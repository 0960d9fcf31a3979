r"""The mixed norm of a product is at most the product of two mixed norms with conjugate inner exponents.

Setting    $M_1\in\mathbb{R}^{d_1\times d_2}$, $M_2\in\mathbb{R}^{d_2\times d_3}$; $\|M\|_{p,q}$ is the $\ell_q$ norm
           of the vector of column $\ell_p$ norms; $\frac1p+\frac1{p'}=1$.
Statement  $\|M_1M_2\|_{r,s}\le\|M_1\|_{r,p}\|M_2\|_{p',s}$ for all $r,s,p\in[1,\infty]$.
Proof      Column $j$ of $M_1M_2$ is $\sum_k(M_2)_{kj}$ times column $k$ of $M_1$, so its $\ell_r$ norm is at most
           $\sum_k|(M_2)_{kj}|\,\|(M_1)_{\cdot k}\|_r\le\|M_1\|_{r,p}\|(M_2)_{\cdot j}\|_{p'}$, by Hölder; then the
           $\ell_s$ norm over $j$.
Adversary  Random integer matrices, and $M_1=u\alpha^\top$, $M_2=\alpha'v^\top$ with equality in Hölder, for every
           $r,s,p\in\{1,2,\infty\}$.
Measured   $\|M_1M_2\|_{r,s}$ in rationals; enclosed where a root is irrational.
Control    Both inner exponents infinite, or one of them; norms of rows for columns; a longer left factor.
"""

from sympy import Eq

from theorytools import Claim, Control, Quantity, grid
from theorytools.papers.qstr.capacity.mixed_norms import MatrixProduct, conjugate, mixed_norm

from .notation import max_1, max_2, norm_1, norm_2, row_1, row_2, trial

product = Quantity("norm of the product", r"\|M_1M_2\|_{r,s}", "mixed norm, by columns", (0, None))


def construct(p, u=(1, 2, 2)) -> MatrixProduct:
    if p.trial == 0:
        return MatrixProduct.aligned(u, (2, 3, 6), (1, 4, 8), p.p)
    return MatrixProduct.random(p.rng("matrices"), (4, 3, 5))


def derive(M, p):
    left, right = M.first, M.second
    rows = [list(zip(*factor, strict=True)) for factor in (left, right)]
    return {norm_1: lambda: mixed_norm(left, p.r, p.p), norm_2: lambda: mixed_norm(right, conjugate(p.p), p.s),
            max_1: lambda: mixed_norm(left, p.r, "max"), max_2: lambda: mixed_norm(right, "max", p.s),
            row_1: lambda: mixed_norm(rows[0], p.r, p.p), row_2: lambda: mixed_norm(rows[1], conjugate(p.p), p.s)}


equality = Eq(trial, 0)
claim = Claim(
    "Lemma 39",
    role="statement", source="published: Lemma 39; prose",
    scope={"every p, r, s, trial": "proof", "every exponent": "proof", "every pair of matrices": "proof"},
    asserts=[product <= norm_1 * norm_2], derive=derive,
    derived=[norm_1, norm_2, max_1, max_2, row_1, row_2],
    grid=grid(p=[1, 2, "max"], r=[1, 2, "max"], s=[1, 2, "max"], trial=[0, 1]),
    construct=construct, measure=lambda M, p: {product: lambda: M.norm(p.r, p.s)},
    controls=[
        Control("both inner exponents infinite", asserts=[product <= max_1 * max_2], breaks=product, where=equality),
        Control("the left inner exponent infinite", asserts=[product <= max_1 * norm_2], breaks=product,
                where=equality & (max_1 < norm_1)),
        Control("the right inner exponent infinite", asserts=[product <= norm_1 * max_2], breaks=product,
                where=equality & (max_2 < norm_2)),
        Control("rows for columns", asserts=[product <= row_1 * row_2], breaks=product,
                where=equality & (row_1 * row_2 < norm_1 * norm_2)),
        Control("a longer left factor", breaks=product, where=equality, construct=lambda p: construct(p, (4, 4, 7))),
    ],
)
