r"""At which lengths a format is too coarse for the construction.

Setting    $N=2^3,2^4,\dots,N_{\max}$; random signs with $d_e=\lfloor5\log N\rfloor$, no two equal, or BCH codes.  At
           each length the temperature is the one that lemma_11 certifies for leakage $\delta$ in exact arithmetic.  A
           length fails if the certificate of lemma_11_arithmetic exceeds $\tau r_x$; it is seen to fail if some prompt
           errs by more.
Statement  The first failing length is at least $(\tau-\frac{2\hat S}{1+\hat S}-4u-5u_c-4u_a)/(8u_a)$ and at least
           $((\tau-u)/(37\hat S)-1)/u_a$, or none fails ($2N_{\max}$ stands for that); none else is seen to fail.
Witness    MachineAttention with correctly rounded exponentials: the same numbers on every machine.
Measured   The certificate, rational, and outputs on extremal and random prompts, at every length.  Failures need not
           be monotone in $N$: failing lengths are added up; as they are powers of two, the sum tells which they are.
Control    A quarter of the temperature; sums in bfloat16; an error below the round-off allowed.
Reads      All constants are derived here; $\hat S$ is the largest of all lengths, underflow counts at $N_{\max}$.
"""

from dataclasses import replace
from functools import lru_cache

from sympy import And, Max, Min, Rational

from theorytools import Claim, Control, Quantity, grid, points
from theorytools.claims.language.seeds import seed_sequence
from theorytools.constructions.attention.formats import arithmetic
from theorytools.papers.qstr.precision.frontier import counted_code, precision_frontier

from ..notation import N_max, delta, failing, r_x, spill, tiny, tol, u, u_a, u_c

first = Quantity("first failing length", r"N_{\mathrm{fail}}", "least N whose certificate misses the target", (8, None))
missed = Quantity("lengths seen to fail", r"\textstyle\sum_{N\text{ seen}}N", "sum of the lengths", (0, 2 * N_max - 8))
floor = 32 * N_max**2 * (1 + 1 / r_x) * tiny
room = tol - 2 * spill / (1 + spill) - 4 * u - 5 * u_c - 4 * u_a - floor
reach = Max(room / (8 * u_a), ((tol - u - floor) / (37 * spill) - 1) / u_a)


@lru_cache(maxsize=64)
def codes(family, N):
    """The codes of one family and length are the same for all formats, targets and controls; no two of them are equal:
    such codes have no temperature, and of eight random signs of dimension 10 one draw in forty has two.
    """
    import numpy as np

    rng = np.random.default_rng(seed_sequence("qstr.lemma_11_frontier", {"N": N}, family))
    while True:
        code, counts = counted_code(family, N, rng)
        if counts[0][0] < code.gram_denominator:
            return code, counts


def construct(p, cooling=1, target=None, how=""):
    lengths = [2**k for k in range(3, p.N_max.bit_length())]
    return precision_frontier((codes(p.code, N) for N in lengths), how or p.arithmetic, target or p.tol,
                              leakage=p.delta, r_x=p.r_x, cooling=cooling, seed=p.seed("prompts"))


def measure(found, p):
    return {first: found.first or 2 * p.N_max, missed: sum(found.missed)}


def derive(found, p):
    how = arithmetic(p.arithmetic)
    return {spill: found.spill, failing: sum(found.uncertified), u: how.u, u_a: how.u_a, u_c: how.u_c, tiny: how.tiny}


claim = Claim(
    "Lemma 11, precision frontier",
    role="precision", source="derived here: Lemma 11",
    scope={"every code, N_max, tol, delta, r_x": "points", "every format arithmetic": "points",
           "every power of two N": "enumeration", "every prompt": "closed form"},
    asserts=[first >= Min(2 * N_max, reach), missed <= failing],
    requires=[N_max >= 8, tol < 1, delta < 1, spill > 0],
    derive=derive, derived=[spill, failing, u, u_a, u_c, tiny],
    grid=points("arithmetic code N_max tol delta r_x",
                ("float64", "bch", 2**8, "1/100", "1/1000", "257/256"), ("float32", "bch", 2**8, "1/100", "1/1000", 5),
                ("float32", "rademacher", 2**6, "3/4", "1/4", 1),
                ("bfloat16", "bch", 2**8, "1/200", "1/1000", "257/256"),
                ("bfloat16_scores", "rademacher", 2**8, "1/100", "1/1000", "257/256"),
                ("bfloat16_sums", "bch", 2**8, "1/100", "1/1000", "257/256")),
    construct=construct, measure=measure,
    controls=[
        Control("a quarter of the temperature", breaks=[first, missed], where=reach > 8,
                construct=lambda p: construct(p, Rational(1, 4))),
        Control("sums in bfloat16", breaks=first, asserts=[first >= Min(2 * N_max, reach)],
                where=And(reach > 2**8, spill > Rational(1, 2000), tol < Rational(1, 50)),
                construct=lambda p: construct(p, how="bfloat16_sums")),
        Control("an error below the round-off allowed", breaks=missed, where=And(u > tol / 8, failing < 2 * N_max - 8),
                construct=lambda p: construct(p, target="1/1000"), asserts=[missed <= failing]),
    ],
)
recorded = replace(
    claim, label="Lemma 11, precision frontier to length 131072",
    role="precision", source="derived here: Lemma 11",
    scope={"every code, N_max, tol, delta, r_x": "points", "every format arithmetic": "points",
           "every power of two N": "enumeration", "every prompt": "closed form"},
    tier="minutes",
    grid=points("arithmetic code N_max tol delta r_x", ("float32", "bch", 2**6, "1/100", "1/1000", "257/256"))
    + grid(arithmetic=["float64", "float32", "bfloat16", "bfloat16_scores", "bfloat16_sums"],
           code=["bch", "rademacher"], N_max=[2**17], tol=["1/100", "1/200"], delta=["1/1000"], r_x=["257/256"]),
)
