r"""From which length on, and for how many prompts, Theorem 9 speaks.

Setting    As in theorem_09: an interpolant of squared norm below $B(N)$ excludes risk $c$.
Statement  The linear interpolant with $\|v\|\le1$ is below $B(N)$ from $N_0=8$, 16, 31 on ($L_y=2,3,4$) at $c=0.01$,
           18, 37, 73 at $c=0.1$ and 46, 95, 193 at $c=0.25$; with $\|v\|\le2$ from 55 to 1077 on. The interpolant of
           Lemma 36 at $L_y=2$, $c=0.01$ covers no prompt at $N=10^4$, 1 at $10^6$, 2 at $10^9$ and 5 at $10^{12}$.
Witness    $B(N)$ with $A_c^2=2e\max_\eta\eta^2\log\frac1{\sqrt{c'}+\eta}$, $c'=\frac{cN}{N-1}$, the maximum by
           certified signs.
Measured   Both integers, by certified comparisons.
Control    $\eta=1/5$ in place of the best; a layer fewer in the bound; Lemma 36 with an exponent less; one more
           or less.
Reads      Derived here; so "polynomially many" has constants that make the first interpolant, not the second, of use.
"""

from fractions import Fraction

from sympy import Eq

from theorytools import Claim, Control, Enclosure, Quantity, points
from theorytools.theory.interpolation.norm_gap import (
    covered_prompts,
    failing_length,
    interpolant_norm,
    linear_norm,
    memory_bound,
    recurrent_norm,
)

from ..notation import short_2, stated

length = Quantity("length", "N_0", "least with the interpolant below the bound", (0, None))
prompts = Quantity("prompts", "n^*", "most with the interpolant below the bound", (0, None))


def measure(_, p, floor=None):
    floor = floor or (lambda N: recurrent_norm(N, p.risk_0, p.depth))
    return {length: failing_length(lambda: linear_norm(p.short_2, p.depth), floor, p.risk_0)}


def fixed(p):  # eta = 1/5 is not the maximiser
    def floor(N):
        square = memory_bound(Fraction(1, 5), p.risk_0, N) * Fraction(N - 1, 2)
        return (p.depth + 1) * square ** Fraction(1, p.depth + 1)
    return floor


def cover(_, p, order=1):
    return {prompts: covered_prompts(p.N, p.risk_0, lambda n: interpolant_norm(n) / Enclosure(n) ** (order - 1))}


claim = Claim(
    "Theorem 9, lengths",
    role="variant", source="derived here: Theorem 9",
    scope={"every depth and risk": "points", "every N": "closed form"},
    asserts=length.equals(stated), construct=lambda p: None, measure=measure,
    tabulated=[stated], grid=points("depth risk_0 short_2 stated",
                (2, "1/100", 1, 8), (3, "1/100", 1, 16), (4, "1/100", 1, 31), (2, "1/10", 1, 18),
                (3, "1/10", 1, 37), (4, "1/10", 1, 73), (2, "1/4", 1, 46), (3, "1/4", 1, 95), (4, "1/4", 1, 193),
                (2, "1/100", 4, 55), (4, "1/4", 4, 1077)),
    controls=[
        Control("eta = 1/5", breaks=length, measure=lambda _, p: measure(_, p, fixed(p))),
        Control("a layer fewer in the bound", breaks=length, where=Eq(short_2, 1),
                measure=lambda _, p: measure(_, p, lambda N: recurrent_norm(N, p.risk_0, p.depth - 1))),
        Control("one position fewer", breaks=length, asserts=[length.equals(stated - 1)]),
    ],
)
published = Claim(
    "Theorem 9, prompts covered by Lemma 36",
    role="variant", source="derived here: Theorem 9 with Lemma 36", scope={"every N": "points"},
    asserts=prompts.equals(stated), construct=lambda p: None, measure=cover,
    tabulated=[stated],
    grid=points("N risk_0 stated", (10**4, "1/100", 0), (221598, "1/100", 0), (221599, "1/100", 1), (10**6, "1/100", 1),
                (10**9, "1/100", 2), (10**12, "1/100", 5)),
    controls=[
        Control("Lemma 36 with an exponent less", breaks=prompts, where=stated >= 2,
                measure=lambda _, p: cover(_, p, 2)),
        Control("one prompt more", breaks=prompts, asserts=[prompts.equals(stated + 1)]),
    ],
)
