r"""The scale $\beta\min(\Delta,g)=\ln(3N)$ puts at least three quarters of the weight on the position asked for.

Setting    As in index_lookup_transformer; $g$ is the target score minus that of the last token (0): $k$ for sign codes,
           1 for the quadratic code. Bases are rational, rounded up where the root is irrational.
Statement  $a^*\ge\frac34$ and $\rho_{\mathrm{ex}}\ge\frac12$ for all $N$; the residual width is $c+2k+1$.
Witness    Codes of up to 768 positions, through histograms of their Hamming distances.
Measured   $a^*$ and $\rho_{\mathrm{ex}}$ as rationals; the width as columns of the projection matrices.
Control    $\beta\Delta=\ln(3N)$ without the minimum at $N=2$ ($a^*=0.635$); half of the scale; one code block, not two.
Proof      A target outweighs each other position and the last token by $e^{\beta\min(\Delta,g)}\ge3N$: together these
           weigh at most $\frac{N-1}{3N}+\frac1{3N}=\frac13$ of it, so $a^*\ge\frac34$ and
           $\rho_{\mathrm{ex}}\ge2a^*-1\ge\frac12$.
Reads      Constants derived here. The minimum
           matters only where all other codes are on the far side. $N=3$ is the equality case. At
           $N=768$ half of the scale still suffices ($a^*=0.81$): the bound over all codes is not the binary code's own.
"""

from fractions import Fraction
from functools import cache
from math import isqrt

from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.codes.signs import SignCode
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.lookup_margin import LookupMargin, explicit_scale

from ..notation import N, c_sym, k

weight = Quantity("target weight", r"\min_pa_p", "weight of the position asked for", (0, 1))
margin = Quantity("worst margin", r"\rho_{\mathrm{ex}}", "over all inputs", (-1, 1))
width = Quantity("width", "m", "coordinates of the residual stream", (1, None))
bounds = [weight >= Rational(3, 4), margin >= Rational(1, 2)]


def construct(p, b=None) -> IndexLookup:
    net = IndexLookup.of(p.code, p.N, 1, rng=p.rng("codes"), symbols=p.symbols)
    return IndexLookup(net.keys, net.queries, b or explicit_scale(p.code, p.N, net.k), symbols=p.symbols)


@cache
def gaps(code, N, net):
    return LookupMargin.of(net) if code == "quadratic" else LookupMargin.of_signs(SignCode(net.keys))


def root(b):
    return Fraction(isqrt(int(b * 64**2)), 64)  # at most the root of b


def measure(net, p):
    exact = gaps(p.code, p.N, net)
    return {weight: exactly(exact.weight(net.b)), margin: exactly(exact.worst(net.b)),
            width: net.projections()[0].shape[1]}


claim = Claim(
    "Index lookup, explicit scale",
    role="variant", source="derived here: index lookup by one layer",
    scope={"every code, symbols": "points", "every N": "proof", "some network": "exhibited",
           "every input": "closed form"},
    asserts=[*bounds, width.equals(c_sym + 2 * k + 1)],
    grid=points("code N symbols", ("binary", 2, 2), ("binary", 3, 2), ("binary", 48, 5), ("binary", 192, 2),
                ("binary", 768, 2), ("quadratic", 3, 2), ("quadratic", 24, 16), ("jl", 64, 2), ("jl", 256, 2)),
    derive=lambda net, p: {k: net.k, c_sym: (p.symbols - 1).bit_length()}, derived=[k, c_sym],
    construct=construct, measure=measure,
    controls=[
        Control("the last token left out of the minimum", breaks=weight, where=Eq(N, 2),
                construct=lambda p: construct(p, b=Fraction(49, 20))),  # b^2 = 6.0025
        Control("half of the scale", breaks=[weight, margin], where=(N >= 192) & (N <= 256),
                construct=lambda p: construct(p, b=root(construct(p).b))),
        Control("one code block, not two", breaks=width, asserts=[*bounds, width.equals(c_sym + k + 1)]),
    ],
)
