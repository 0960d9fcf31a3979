r"""From which length on, and for how many prompts, Theorem 9 speaks.

Setting    As in theorem_09: an interpolant of squared norm below $B(N)$ excludes risk $c$.
Statement  The linear interpolant with $\|v\|\le1$ is below $B(N)$ from $N_0=8$, 16, 31 on ($L_y=2,3,4$) at $c=0.01$,
           18, 37, 73 at $c=0.1$ and 46, 95, 193 at $c=0.25$; with $\|v\|\le2$ from 55 to 1077 on. The interpolant of
           Lemma 36 at $L_y=2$, $c=0.01$ covers no prompt at $N=10^4$, 1 at $10^6$, 2 at $10^9$ and 5 at $10^{12}$.
Witness    $B(N)$ with $A_c^2=2e\max_\eta\eta^2\log\frac1{\sqrt{c'}+\eta}$, $c'=\frac{cN}{N-1}$, the maximum by
           certified signs.
Measured   Both integers, by certified comparisons.  At the integers stated and one beside them the norm over the bound,
           there with $A_c=e^z(1-2z)^{3/2}$, $ze^z=\frac12\sqrt{ec'}$; both sides are monotone.
Control    $\eta=1/5$ in place of the best; a layer fewer in the bound; Lemma 36 with an exponent less; one more
           or less.
Reads      Derived here; so "polynomially many" has constants that make the first interpolant, not the second, of use.
"""

from fractions import Fraction

from sympy import Eq

from theorytools import Claim, Control, Enclosure, Quantity, points
from theorytools.papers.qstr.interpolation.norm_gap import (
    adjusted_risk,
    covered_prompts,
    failing_length,
    interpolant_norm,
    linear_norm,
    memory_bound,
    recurrent_norm,
)
from theorytools.papers.qstr.memory.rate_distortion import frobenius_constant

from ..notation import N, covered, short_2

length = Quantity("length", "N_0", "least with the interpolant below the bound", (0, None))
prompts = Quantity("prompts", "n^*", "most with the interpolant below the bound", (0, None))
inside = Quantity("norm over bound", r"\|\cdot\|/B", "at the last size that is covered", (0, None))
outside = Quantity("norm over bound beyond", r"\|\cdot\|/B'", "at the next size, which is not", (0, None))


def bound(N, p, depth):
    """B(N) by Lambert's function."""
    square = frobenius_constant(adjusted_risk(p.risk_0, N)) ** 2 * Fraction(N - 1, 2)
    return (depth + 1) * square ** Fraction(1, depth + 1)


def measure(_, p, floor=None):
    floor = floor or (lambda N: recurrent_norm(N, p.risk_0, p.depth))
    ratios = {x: lambda N=N: linear_norm(p.short_2, p.depth) / bound(N, p, p.depth)
              for x, N in ((inside, p.N), (outside, p.N - 1))}
    return {length: failing_length(lambda: linear_norm(p.short_2, p.depth), floor, p.risk_0), **ratios}


def fixed(p):  # eta = 1/5 is not the maximiser
    def floor(N):
        square = memory_bound(Fraction(1, 5), p.risk_0, N) * Fraction(N - 1, 2)
        return (p.depth + 1) * square ** Fraction(1, p.depth + 1)
    return floor


def cover(_, p, order=1):
    def norm(n):
        return interpolant_norm(n) / Enclosure(n) ** (order - 1)
    ratios = {x: lambda n=n: interpolant_norm(n) / bound(p.N, p, 2)
              for x, n in ((inside, p.covered), (outside, p.covered + 1))}
    return {prompts: covered_prompts(p.N, p.risk_0, norm), **ratios}


claim = Claim(
    "Theorem 9, lengths",
    role="variant", source="derived here: Theorem 9",
    scope={"every short_2": "points", "every depth and risk risk_0": "points", "every N": "closed form"},
    asserts=[length.equals(N), inside <= 1, outside >= 1], construct=lambda p: None, measure=measure,
    tabulated=[N], grid=points("depth risk_0 short_2 N",
                (2, "1/100", 1, 8), (3, "1/100", 1, 16), (4, "1/100", 1, 31), (2, "1/10", 1, 18),
                (3, "1/10", 1, 37), (4, "1/10", 1, 73), (2, "1/4", 1, 46), (3, "1/4", 1, 95), (4, "1/4", 1, 193),
                (2, "1/100", 4, 55), (4, "1/4", 4, 1077)),
    controls=[
        Control("eta = 1/5", breaks=length, measure=lambda _, p: measure(_, p, fixed(p))),
        Control("a layer fewer in the bound", breaks=length, where=Eq(short_2, 1),
                measure=lambda _, p: measure(_, p, lambda N: recurrent_norm(N, p.risk_0, p.depth - 1))),
        Control("one position fewer", breaks=length, asserts=[length.equals(N - 1)]),
    ],
)
lemma_36 = Claim(
    "Theorem 9, prompts covered by Lemma 36",
    role="variant", source="derived here: Theorem 9 with Lemma 36", scope={"every N, risk_0, covered": "points"},
    asserts=[prompts.equals(covered), inside <= 1, outside >= 1], construct=lambda p: None, measure=cover,
    tabulated=[covered],
    grid=points("N risk_0 covered", (10**4, "1/100", 0), (221598, "1/100", 0), (221599, "1/100", 1),
                (10**6, "1/100", 1), (10**9, "1/100", 2), (10**12, "1/100", 5)),
    controls=[
        Control("Lemma 36 with an exponent less", breaks=prompts, where=covered >= 2,
                measure=lambda _, p: cover(_, p, 2)),
        Control("one prompt more", breaks=prompts, asserts=[prompts.equals(covered + 1)]),
    ],
)
