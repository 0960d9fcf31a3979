r"""Nearly orthogonal position codes: guaranteed by their design, or random in enough dimensions.

Setting    Unit codes $\omega_1,\dots,\omega_N\in\mathbb{R}^{d_e}$ with entries $\pm d_e^{-1/2}$.
Statement  At the $N$ judged some such codes, BCH words and rows of a Hadamard matrix, have
           $|\langle\omega_i,\omega_j\rangle|\le\frac12$ for $i\ne j$.
Witness    Words of a BCH code of designed distance $\delta$: at most $1-2(\delta+1)/d_e\le\frac12$ by the roots of
           its generator, no pair is searched.  Rows of a Hadamard matrix: 0.  Binary indices miss one half by a
           known amount: complementary indices have product $-1$, the largest product is $1-2/d_e$.
Measured   Largest product and modulus, integers over $d_e$: all pairs, above $N=2^{23}$ the pairs of 64 words.
           For random signs also the probability that no modulus exceeds $\frac12$: at least $1-E$ with the exact
           mean number $E$ of such pairs, at most $(1-p)/(1-p+E)$, $p=E/\binom N2$, by Cantelli's inequality, as
           the products of different pairs are pairwise independent.
Control    A code twice; a code and its negative; the last coordinate dropped; one third in place of one half;
           half of the sufficient dimension.
Reads      The threshold $\frac12$ is identified from the gate of the recurrent construction.  Random signs in
           $\lfloor5\log N\rfloor$ dimensions, the size in the public code, satisfy the assumption with probability
           at most $\frac14$ at $N=10$ and $\frac1{50}$ at $N=100$.  The constructions still work where the gap
           $1-\max_{i\ne j}\langle\omega_i,\omega_j\rangle$ is positive: they need no more.
"""

from fractions import Fraction
from math import comb

import numpy as np
from sympy import Rational, floor, log

from theorytools import Claim, Control, Quantity, grid, points
from theorytools.claims.language.estimate import enclosed
from theorytools.codes.bch import bch
from theorytools.codes.dimensions import expected_violations, hoeffding_dimension, threshold_dimension
from theorytools.codes.families import binary_index, hadamard, rademacher
from theorytools.codes.signs import SignCode
from theorytools.numbers import between

from ..notation import N, d_e, miss, rho_1, rho_2

pair = r"\langle\omega_i,\omega_j\rangle"
product = Quantity("product", rf"\max_{{i\ne j}}{pair}", "largest product (64 words if N > 2^23)", (-1, 1))
modulus = Quantity("modulus", rf"\max_{{i\ne j}}|{pair}|", "largest modulus (64 words if N > 2^23)", (0, 1))
design = Quantity("design", r"\bar\rho_\pm", "largest modulus that the design admits", (0, 1))
length = Quantity("length", "d_e", "coordinates of a code", (1, None))
chance = Quantity("chance", rf"\Pr(\max_{{i\ne j}}|{pair}|\le\tfrac12)", "over random signs", (0, 1))
half, likely = Rational(1, 2), chance >= Rational(99, 100)


def construct(p):
    return {"binary": binary_index, "hadamard": hadamard, "bch": bch}[p.code](p.N)


def derive(code, p):
    if p.code == "bch":
        return {rho_1: code.coherence_bound(), rho_2: code.absolute_coherence_bound(), miss: 0}
    binary = int(p.code == "binary")
    return {rho_1: binary * (1 - Fraction(2, code.d_e)), rho_2: binary, miss: Fraction(binary, 2)}


def measure(code, p):
    some = code if p.N <= 2**23 else SignCode(code.rows(np.unique(p.rng("words").integers(p.N, size=64))))
    return {product: some.coherence(), modulus: some.absolute_coherence(), length: code.d_e,
            chance: enclosed(lambda: probability(p.N, code.d_e))}


def probability(N, d_e):
    mean = expected_violations(N, d_e)
    rest = 1 - mean / comb(N, 2)
    return between(max(1 - mean, 0), rest / (rest + mean)).nonnegative_part()


def guaranteed(code, p):
    return {**measure(code, p), design: derive(construct(p), p)[rho_2]}


def changed(change):
    return {"where": (rho_2 < 1) & (N <= 1024), "construct": lambda p: SignCode(change(signs(p)))}


def signs(p):
    return construct(p).rows(range(p.N)) if p.code == "bch" else construct(p).signs


def random(dimension):
    return lambda p: rademacher(p.N, dimension(p), p.rng("codes"))


claim = Claim(
    "Assumption 3",
    role="statement", source="published: Assumption 3; prose",
    scope={"every N": "points", "some code": "exhibited", "every pair of positions": "closed form"},
    asserts=[modulus <= rho_2, product <= rho_1, design <= half + miss],
    grid=points("code N", ("binary", 64), ("binary", 100), ("hadamard", 100), ("hadamard", 1024), ("bch", 64),
                ("bch", 1000), ("bch", 1024), ("bch", 2**15), ("bch", 2**23), ("bch", 2**54)),
    derive=derive, derived=[rho_1, rho_2, miss], construct=construct, measure=guaranteed,
    controls=[
        Control("a code twice", breaks=[modulus, product], **changed(lambda E: np.vstack([E, E[:1]]))),
        Control("a code and its negative", breaks=modulus, **changed(lambda E: np.vstack([E, -E[:1]]))),
        Control("the last coordinate dropped", breaks=[modulus, product], **changed(lambda E: E[:, :-1])),
        Control("one third", asserts=[design <= Rational(1, 3) + miss], breaks=design, where=rho_2 > Rational(1, 3)),
    ],
)
experiments = Claim(
    "Assumption 3, random signs",
    role="pitfall", source="derived here: Assumption 3 and the public code",
    scope={"every N": "points", "every code": "closed form"},
    expect="REFUTED", note="Random signs in the dimension of the public code.",
    asserts=[modulus <= half, likely], lets={d_e: floor(5 * log(N))}, grid=grid(N=[10, 12, 25, 33, 100, 200, 1000]),
    construct=random(lambda p: p.d_e), measure=measure,
    controls=[
        Control("BCH words, no longer", asserts=[modulus <= half, length <= 5 * log(N)],
                construct=lambda p: bch(p.N)),
        Control("enough dimensions", asserts=[likely], construct=random(lambda p: threshold_dimension(p.N))),
        Control("Hoeffding's dimension", asserts=[likely], construct=random(lambda p: hoeffding_dimension(p.N))),
        Control("half of enough", asserts=[likely], breaks=chance,
                construct=random(lambda p: threshold_dimension(p.N) // 2)),
    ],
)
