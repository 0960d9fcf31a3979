r"""For arbitrary unit codes four layers write the indexed token exactly, whatever the gap is.

Setting    Unit codes with gap $\gamma>0$ and rational entries, tokens with $\|x\|_\infty\le M$, one slot.
Statement  With the inner product up to $\varepsilon_s=d_e/m^2<\gamma/2$, the ramp between $1-\gamma+\varepsilon_s$ and
           $1-\varepsilon_s$ is exactly 1 on a match and 0 on a mismatch, and the output is $x\,\mathbb{1}[i=t]$.  The
           width $2d+2d_em$, $m$ even, does not depend on an accuracy.
Proof      $\hat s\ge1-\varepsilon_s$ on a match and $\hat s\le1-\gamma+\varepsilon_s$ on a mismatch, where the ramp, of
           positive length, is 1 and 0. The gate behind it is then the token, $|x_k|\le M$, or 0.
Witness    GeneralTracker on cyclic shifts of $(1,3,3,9)/10$, where at $m=10$ the error of a product is exactly
           $d_e/m^2$, and on $(4e_i,3)/5$.
Measured   Pairs with the exact output, the largest error of a product, the width, in rationals; tokens $\pm M$, inside.
Control    A ramp that starts one gap lower; a duplicate code; tokens beyond $M$; a fiftieth of the error; half
           the width.
Reads      The paper's network reaches any $\varepsilon>0$ with a width that grows as $\varepsilon\to0$; this one is
           derived here.  In floating point the match is exact up to rounding only.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Eq, floor

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.feedforward.inner_products import rational_unit_vector
from theorytools.constructions.recurrent.general_tracker import GeneralTracker
from theorytools.constructions.recurrent.position_tracker import code_gap
from theorytools.errors import DomainError

from ..notation import N, d, d_e, gamma_c, m

hits = Quantity("pairs exact", r"\#\{(i,t):f(z_i)=x\mathbb{1}[i=t]\}", "pairs exact for all tokens tried", (0, N**2))
error = Quantity("error of a product", r"\max|\hat s-\langle\omega_i,\omega_t\rangle|", "over all pairs", (0, 2))
width = Quantity("width", "m_1", "width of the first layer", (0, None))


def codes(p):
    if p.code == "cyclic" and (p.N, p.d_e) != (4, 4):
        raise DomainError(f"N = {p.N}, d_e = {p.d_e}", required="4 and 4")
    if p.code == "cyclic":
        return [[Fraction(x, 10) for x in (1, 3, 3, 9)[k:] + (1, 3, 3, 9)[:k]] for k in range(4)]
    return [rational_unit_vector([2 * (i == k) for k in range(p.d_e - 1)]) for i in range(p.N)]


def construct(p) -> GeneralTracker:
    return GeneralTracker.of(codes(p), p.M_x, p.m)


def lower_ramp(p):
    net = construct(p)
    return replace(net, lo=net.lo - code_gap(codes(p)))


def duplicate(p):
    net = construct(p)
    return replace(net, codes=(net.codes[0], net.codes[0], *net.codes[2:]))


def measure(net, p):
    tokens = [[Fraction(p.M_x) * s / (k + 1) for k in range(p.d)] for s in (1, -1, Fraction(2, 7))]
    everything = [(i, t) for i in range(p.N) for t in range(p.N)]
    entries = [v for x in tokens for v in x]  # the network treats every entry alike
    right = [net(entries, i, t) == [v * (i == t) for v in entries] for i, t in everything]
    exact = {(i, t): sum(x * y for x, y in zip(net.codes[i], net.codes[t], strict=True)) for i, t in everything}
    return {hits: sum(right), error: max(abs(net.product(*pair) - s) for pair, s in exact.items()),
            width: net.width(p.d)}


claim = Claim(
    "Proposition 26, arbitrary unit codes",
    role="variant", source="derived here: Proposition 26",
    scope={"every code, N, d_e, d, M_x, m": "proof", "every gap": "proof", "some network": "exhibited",
           "every position and index": "enumeration"},
    asserts=[hits.equals(N**2), error <= d_e / m**2, width.equals(2 * d + 2 * d_e * m)],
    requires=[gamma_c > 0, 2 * d_e < gamma_c * m**2, Eq(floor(m / 2), m / 2)],
    grid=points("code N d_e d M_x m", ("cyclic", 4, 4, 2, 5, 10), ("reflected", 5, 6, 1, 3, 8),
                ("reflected", 5, 6, 2, 3, 6)),
    derive=lambda net, p: {gamma_c: code_gap(codes(p))}, derived=[gamma_c], construct=construct, measure=measure,
    controls=[
        Control("a ramp that starts one gap lower", breaks=hits, construct=lower_ramp),
        Control("a duplicate code", breaks=hits, construct=duplicate),
        Control("tokens beyond M", breaks=hits, construct=lambda p: replace(construct(p), M=Fraction(p.M_x, 2))),
        Control("a fiftieth of the error", breaks=error, where=Eq(m, 10), asserts=[error <= d_e / (50 * m**2)]),
        Control("half the width", breaks=width, asserts=[width.equals(2 * d + d_e * m)]),
    ],
)
