r"""The construction computed in float64, float32 and bfloat16: leakage and rounding bounded together.

Setting    Tokens $\|x_j\|\le r_x$ are rounded to the stored format; scores are $c\,K_{tj}$ with the integer $K_{tj}$
           exact, as $d_e\le2^p$; sums of $N$ terms are taken in any order.  Unit round-offs: $u$ of stored numbers,
           $u_a$ of sums, $u_c$ of storing a computed number.  $\hat S$ is the largest sum of the weights outside the
           indexed position as the machine computes them, $\lambda$ the underflow threshold.
Statement  For all prompts and orders the token is within $r_x(2L+\kappa)$ of the indexed one; $2L+\kappa$ is at most
           $\min\bigl(\frac{2\hat S}{1+\hat S}+4u+5u_c+4u_a+7Nu_a(1+Nu_a),\,u+37(1+Nu_a)\hat S\bigr)$, plus underflow.
Witness    MachineAttention with correctly rounded exponentials, at most $d_e+1$ of them, as exact rationals; those of
           libraries are within six round-offs of the real ones, lemma_11_exponentials.
Measured   Outputs on extremal, awkward and random prompts, summed in five orders: observed runs in floats, exact dyadic
           numbers, compared with the real tokens.  $2L+\kappa$, which holds for all orders, is the bound of
           theorytools.papers.qstr.precision.rounding, a rational number.
Control    Leakage left out; round-offs quartered; sums in bfloat16 where float32 is claimed; one rounding for a sum of
           $N$ terms; exponentials without error; $N$ left out of the closed form; a quarter of the temperature.
Reads      Model and bound are derived here, the constants for $u,u_a\le2^{-8}$.  At $r_x=257/256$ a token can lie
           halfway between two bfloat16 numbers next to 1, which attains $u$; float64 attains $2L$.
"""

from fractions import Fraction

from sympy import And, Min, Rational

from theorytools import Claim, Control, Quantity, observed, points
from theorytools.codes.by_family import code_of_family
from theorytools.papers.qstr.precision.machine import MachineAttention

from ..notation import N, beta, d, kappa, kappa_0, kappa_1, leak, r_x, spill, tiny, u, u_a, u_c

error = Quantity("worst error seen", r"\max_{p,\text{ order}}\|\hat f(p)-x_t\|", "largest error of a computed token")
certificate = Quantity("certified error", r"2L+\kappa", "bound on the error of a computed token, over r_x")
bound = Min(2 * spill / (1 + spill) + 4 * u + 5 * u_c + 4 * u_a + 7 * N * u_a * (1 + N * u_a),
            u + 37 * (1 + N * u_a) * spill) + 32 * N**2 * d * (1 + 1 / r_x) * tiny
awkward, few = Fraction(257, 256), Rational(1, 1000)


def construct(p, cooling=1, arithmetic="") -> MachineAttention:
    codes = code_of_family(p.code, p.N, p.d_e, p.rng("codes"))
    return MachineAttention(codes, p.beta * cooling, arithmetic or p.arithmetic, d=p.d, exponentials="nearest")


def measure(net, p):
    seen = observed(net.observed(p.r_x, p.seed("prompts")), "numpy", "torch")
    return {error: seen, certificate: net.certified(p.r_x)}


def derive(net, p):
    how = net.arithmetic
    return {leak: net.leakage, spill: net.spill, u: how.u, u_a: how.u_a, u_c: how.u_c, tiny: how.tiny,
            kappa: lambda: net.rounding_part(p.r_x), kappa_1: lambda: net.rounding_part(p.r_x, terms=2),
            kappa_0: lambda: net.rounding_part(p.r_x, spill=net.leakage() / (1 - net.leakage()))}


def off(part):
    return [error <= r_x * part]


claim = Claim(
    "Lemma 11, in machine arithmetic",
    role="precision", source="derived here: Lemma 11",
    scope={"every code, d_e, d, beta, r_x": "points", "every format arithmetic": "points", "every N": "points",
           "every prompt and order of sums": "closed form"},
    asserts=[*off(2 * leak + kappa), certificate <= bound],
    requires=[N >= 2, beta >= 0], derive=derive, derived=[leak, spill, u, u_a, u_c, tiny, kappa, kappa_0, kappa_1],
    grid=points("arithmetic code N d_e d beta r_x",
                ("float64", "rademacher", 64, 67, 4, 21.3, 5), ("float64", "orthonormal", 64, 64, 1, 12, 5),
                ("float32", "rademacher", 100, 23, 4, 20, 5), ("float32", "bch", 256, 16, 2, 24.9, awkward),
                ("bfloat16", "rademacher", 100, 23, 4, 52.92, awkward), ("bfloat16", "orthonormal", 512, 512, 1, 0, 5),
                ("bfloat16", "bch", 256, 16, 2, 24.9, awkward), ("bfloat16_scores", "binary", 512, 9, 2, 23.1, awkward),
                ("bfloat16_scores", "rademacher", 64, 67, 4, 21.3, awkward),
                ("bfloat16_sums", "rademacher", 100, 23, 4, 52.92, awkward),
                ("bfloat16_sums", "orthonormal", 64, 64, 1, 6, awkward),
                ("bfloat16_sums", "orthonormal", 512, 512, 1, 0, awkward),
                ("bfloat16_sums", "bch", 256, 16, 2, 24.9, awkward)),
    construct=construct, measure=measure,
    controls=[
        Control("leakage left out", breaks=error, where=leak > kappa, asserts=off(kappa)),
        Control("round-offs quartered", breaks=error, where=And(u > few, few * u > leak),
                asserts=off(2 * leak + kappa / 4)),
        Control("sums in bfloat16, float32 claimed", breaks=error, where=And(u_c > 0, leak > Rational(1, 10)),
                construct=lambda p: construct(p, arithmetic="bfloat16_sums"), asserts=off(2 * leak + kappa)),
        Control("one rounding for N terms", breaks=error, where=And(u_a > few, leak > Rational(1, 10)),
                asserts=off(2 * leak + kappa_1)),
        Control("exponentials without error", breaks=error, asserts=off(2 * leak + kappa_0),
                where=And(u_a < few, spill > Rational(11, 10) * leak / (1 - leak))),
        Control("N left out of the closed form", breaks=certificate, where=And(u_a > few, leak > Rational(1, 10)),
                asserts=[certificate <= bound.subs(N, 1)]),
        Control("a quarter of the temperature", breaks=[error, certificate], where=few / 10 > leak,
                construct=lambda p: construct(p, Rational(1, 4))),
    ],
)
