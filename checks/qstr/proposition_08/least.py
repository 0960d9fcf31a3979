r"""The least dimension that the bound admits, and the constant of the Frobenius-norm bound, at the best resolution.

Setting    As in Proposition 8; risk $c$, $c'=\frac N{N-1}c$, and $L\|U\|_{\mathrm{op}}$ are given.
Statement  $\max_{\eta'}(N-1)\log\frac1{\sqrt{c'}+\eta'}/\log\frac{2L^2\|U\|_{\mathrm{op}}^2}{\eta'^2}$ lies in
           $(d_h-1,d_h]$: a smaller dimension is rejected. $A_c^2=2e\max_\eta\eta^2\log\frac1{\sqrt c+\eta}$ is
           $e^{2z}(1-2z)^3$, $ze^z=\frac12\sqrt{ec}$.
Proof      Of the constant: with $w=\sqrt c+\eta$ the derivative of $\eta^2\log\frac1w$ vanishes where
           $2\log\frac1w=\frac\eta w$, once, as the left side falls and the right side does not. For $w=e^{z-1/2}$ this
           is $1-2z=1-\sqrt c/w$, so $ze^z=\frac12\sqrt{ec}$, and the value is
           $2e\,\eta^3/(2w)=e\,w^2(1-2z)^3=e^{2z}(1-2z)^3$.
Witness    The slots at $L=2\sqrt N$ and $c=\frac1{100}$; 64 tokens at $L\|U\|_{\mathrm{op}}=10$, which need 11.
Measured   The maximum by bisection, each sign of the derivative proved. $A_c$ through Lambert's function, and the
           maximum it stands for over listed resolutions.
Control    One unit per state; the error left out; the resolution $\frac12$; the error not under a root.
Reads      The constants are derived here.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, enclosed, grid, points
from theorytools.numbers import Enclosure, maximum
from theorytools.papers.qstr.memory.rate_distortion import best_dimension_per_payload, frobenius_constant, state_bound

from ..notation import c_1, d_h, tried

asked = Quantity("asked", r"\max_{\eta'}", "least dimension by the bound at its best resolution", (0, None))
constant = Quantity("constant", "A_c", "constant of the Frobenius-norm bound", (0, 1))
enough, least = asked <= d_h, asked >= d_h - 1


RESOLUTIONS = [Fraction(32 + j, 32 * 2**k) for k in range(1, 16) for j in range(32)]


def construct(p):
    return Fraction(p.N, p.N - 1) * Fraction(1, 100)


def largest(c, p):
    return {asked: enclosed(lambda: (p.N - 1) * best_dimension_per_payload(c, 2 * Enclosure(p.slope_U) ** 2))}


claim = Claim(
    "Proposition 8, least dimension",
    role="variant", source="derived here: Proposition 8", scope={"every N, slope_U, d_h": "points"},
    asserts=[enough, least], construct=construct, measure=largest, tabulated=[d_h],
    grid=points("N slope_U d_h", (16, 8, 3), (64, 16, 10), (64, 10, 11), (256, 32, 36), (1024, 64, 131),
                (16384, 256, 1779)),
    controls=[
        Control("one unit per state", asserts=[asked <= 1], breaks=asked),
        Control("nearly no error", breaks=enough, construct=lambda p: Fraction(1, 10**9)),
        Control("the resolution 1/2", breaks=least, where=d_h >= 10, measure=lambda c, p: {
            asked: enclosed(lambda: state_bound(p.N - 1, c, Fraction(1, 2), p.slope_U, 1).enclosure(128))}),
    ],
)
def by_list(c, p):
    def best():
        root = Enclosure(Fraction(p.c_1)).sqrt()
        return maximum([-(root + x).log() * x**2 * 2 for x in RESOLUTIONS]) * Enclosure(1).exp()

    return {tried: lambda: best().sqrt()}


largest_found = constant <= Rational(1001, 1000) * tried
constants = Claim(
    "Proposition 8, the constant",
    role="variant", source="derived here: Proposition 8", scope={"every risk c_1": "proof"},
    asserts=[constant >= tried, largest_found],
    construct=lambda p: p.c_1, requires=[c_1 < 1],
    measure=lambda c, p: {constant: enclosed(lambda: frobenius_constant(c))}, derive=by_list, derived=[tried],
    grid=grid(c_1=[0, Fraction(1, 10**6), "1/100", "1/20", "1/10", "1/4", "9/25", "1/2", "9/10", "99/100"]),
    controls=[Control("the error not under a root", breaks=largest_found, where=c_1 > 0, construct=lambda p: p.c_1**2)],
)
