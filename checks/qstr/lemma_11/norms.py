r"""Norms of the blocks of Lemma 11, and how they grow with the number of slots.

Setting    As in lemma_11; $\alpha=\beta q/d$ is the scale of the blocks, $\beta$ the inverse temperature.
Statement  $\|W^{(h)}\|_{\mathrm{op}}=\alpha$, $\|W^{(h)}\|_{2,1}=\alpha d_e$ (columns), and
           $\sum_h\|W^{(h)}\|_F^2=q\alpha^2d_e=\frac{q^3}{d^2}\beta^2d_e$.
Witness    The float64 matrices of BlockAttention, at scales that doubles hold exactly.
Measured   Their entries, as rationals; $W^\top W$ is diagonal, so its largest entry is $\|W\|_{\mathrm{op}}^2$.
Control    A head left out; codes without $\sqrt{d/q}$ and $\alpha=\beta$; $D_e$ for $d_e$; $q^2/d$ for $q^3/d^2$.
Reads      Derived here.  The published class, as transcribed, has $R^2$ of order $q^2/d$ up to polylog; here the
           polylog factor is $\beta^2d_e$.  For $q\gg d$ the stated class excludes this construction up to polylog, by
           $q/d$ in $R^2$ (25 at $q=100$, $d=4$); with $q^3/d^2$, or for $q\lesssim d$, it contains it.  The conclusion
           of the theorem is not touched.
"""

from fractions import Fraction

from sympy import Ne

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.by_family import code_of_family
from theorytools.constructions.attention.block import BlockAttention
from theorytools.errors import DomainError
from theorytools.papers.qstr.attention.stored_norms import scattered_norms

from ..notation import N, beta, d, d_e, q

norm_2 = Quantity("squared norm", r"\sum_h\|W^{(h)}\|_F^2", "of all query-key matrices together", (0, None))
top = Quantity("operator norm", r"\max_h\|W^{(h)}\|_{\mathrm{op}}", "largest over heads", (0, None))
columns = Quantity("mixed norm", r"\max_h\|W^{(h)}\|_{2,1}", "sum of the lengths of the columns", (0, None))


def construct(p, **changed) -> BlockAttention:
    scale = Fraction(p.beta) * p.q / p.d
    if Fraction(float(scale)) != scale:
        raise DomainError(f"beta q / d = {scale}", required="a scale that doubles hold exactly")
    code = code_of_family(p.code, p.N, p.d_e, p.rng("codes"))
    return BlockAttention(code, **{"beta": p.beta, "q": p.q, "d": p.d, **changed})


def measure(net, p):
    heads = [scattered_norms(net.W_QK(h)) for h in range(len(net.wiring))]
    return {norm_2: sum(head.squared_frobenius for head in heads), top: max(head.operator for head in heads),
            columns: max(head.columns for head in heads)}


def size(slots=3):
    return q**slots / d ** (slots - 1) * beta**2 * d_e


claim = Claim(
    "Lemma 11, norms of the blocks",
    role="variant", source="derived here: Lemma 11",
    scope={"every code, N, d_e, q, d, beta": "points", "some network": "exhibited"},
    asserts=[norm_2.equals(size()), top.equals(beta * q / d), columns.equals(beta * q / d * d_e)],
    requires=[N >= 2, q <= N],
    grid=points("code N d_e q d beta", ("rademacher", 64, 67, 3, 12, 20), ("rademacher", 100, 23, 1, 8, 53),
                ("hadamard", 16, 16, 4, 4, "17/2"), ("binary", 100, 7, 20, 4, 48)),
    construct=construct, measure=measure, controls=[
        Control("a head left out", asserts=[norm_2.equals(size())], breaks=norm_2, where=q >= 2,
                construct=lambda p: construct(p, blocks=tuple((h, 0) for h in range(1, p.q)))),
        Control("codes without their factor, at the same temperature", breaks=[norm_2, top, columns], where=Ne(q, d),
                construct=lambda p: construct(p, beta=p.beta * p.d / p.q, scale=1)),
        Control("the embedding's width for the code's", breaks=columns,
                asserts=[columns.equals(beta * q / d * (d + (q + 1) * d_e))]),
        Control("q^2/d for q^3/d^2", asserts=[norm_2.equals(size(2))], breaks=norm_2, where=Ne(q, d)),
    ],
)
class_norm = Claim(
    "Lemma 11, norm of the published class",
    role="pitfall", source="published: Theorem 4, the class with R^2 of order q^2/d; prose",
    scope={"every code, N, d_e, q, d, beta": "points"},
    expect="REFUTED",
    note="The class with $R^2$ of order $q^2/d$ up to polylog.",
    asserts=[norm_2 <= size(2)], requires=[N >= 2, q <= N],
    grid=points("code N d_e q d beta", ("rademacher", 64, 31, 3, 12, 24), ("hadamard", 16, 16, 4, 4, "17/2"),
                ("binary", 100, 7, 20, 4, 48), ("binary", 100, 7, 100, 4, 48)),
    construct=construct, measure=measure, controls=[
        Control("with q^3/d^2", asserts=[norm_2 <= size()]),
        Control("with q^3/d^2, a head less paid for", asserts=[norm_2 <= size() * (q - 1) / q], breaks=norm_2),
    ],
)
