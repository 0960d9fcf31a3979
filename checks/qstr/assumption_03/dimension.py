r"""How many coordinates nearly orthogonal codes need: guaranteed ones, random ones, and any at all.

Setting    $2^6\le N\le2^{54}$ unit codes with $|\langle\omega_i,\omega_j\rangle|\le\frac12$ for $i\ne j$.
Statement  Any such codes need $d_e\ge\log_3N$.  BCH words need $d_e=8,16,32,64,128,256$ up to $N=2^6,2^{10},2^{15},
           2^{23},2^{35},2^{54}$, no more than $\frac7{10}d_{\mathrm{rnd}}$.  Random signs have at most $\frac1{100}$
           larger products on average at $d_{\mathrm{rnd}}$, at every dimension from a threshold on, and by Hoeffding's
           inequality from $16\log N+8\log100$ on.
Witness    Extended BCH codes less their all-ones word, computed from the index.
Measured   Integers: lengths of the codes, thresholds by exact binomial tails.  In the dimension of the BCH words random
           signs have so many larger products, $E\ge40$ on average, that none is larger with probability at most
           $1/(1+E)$, by Cantelli's inequality and pairwise independence.  The lengths are constant between the grid's
           points and $d_{\mathrm{rnd}}$ does not fall with $N$, so a length that is passed at its least $N$ is passed
           up to its greatest.
Control    The all-ones word kept; indices in binary; orthonormal codes; one coordinate fewer than the threshold; half
           of Hoeffding's dimension as sufficient; seven times the packing bound as necessary.
Reads      The packing bound: balls of radius $\frac12$ around the codes are disjoint and lie in one of radius
           $\frac32$.  The comparison and its constants are derived here; $\frac1{100}$ is our choice.
"""

from sympy import Rational, ceiling, log

from theorytools import Claim, Control, Quantity, grid
from theorytools.codes.bch import BCHCode, bch, bch_generator
from theorytools.codes.dimensions import (
    expected_violations,
    hoeffding_dimension,
    smallest_dimension,
    threshold_dimension,
)
from theorytools.codes.equiangular import orthonormal
from theorytools.codes.families import binary_index

from ..notation import N, need

length = Quantity("length", "d_e", "coordinates of a guaranteed code", (1, None))
modulus = Quantity("modulus", r"\bar\rho_\pm", "largest modulus of a product that the design admits", (0, 1))
sure = Quantity("threshold", r"d_{\mathrm{thr}}", "random signs suffice at every dimension from here on", (1, None))
proven = Quantity("Hoeffding", r"d_{\mathrm{H}}", "random signs suffice by Hoeffding's inequality", (1, None))
mean = Quantity("mean", r"E(d_{\mathrm{rnd}})", "larger products among random signs there, on average", (0, None))
crowd = Quantity("crowd", r"E(d_e)", "the same in the dimension of the guaranteed code", (0, None))
hoeffding = 16 * log(N) + 8 * log(100)
shorter = length <= 7 * need / 10


def construct(p) -> BCHCode:
    return bch(p.N)


def measure(code, p, dimension=smallest_dimension):
    admitted = code.absolute_coherence_bound() if isinstance(code, BCHCode) else code.absolute_coherence()
    return {length: code.d_e, modulus: admitted, sure: threshold_dimension(p.N),
            proven: hoeffding_dimension(p.N), mean: expected_violations(p.N, dimension(p.N)),
            crowd: expected_violations(p.N, code.d_e)}


def derive(code, p):
    return {need: smallest_dimension(p.N)}


def whole(p):
    code = construct(p)
    words = 2 ** (code.d_e - bch_generator(code.m, code.delta).bit_length())
    return BCHCode(words, code.m, code.delta, one_sided=True)


claim = Claim(
    "Assumption 3, dimension",
    role="growth", source="derived here: Assumption 3",
    scope={"every N": "points", "some code": "exhibited", "every pair of positions": "closed form"},
    asserts=[length >= log(N) / log(3), shorter, modulus <= Rational(1, 2), crowd >= 40, mean <= Rational(1, 100),
             sure >= need, sure <= hoeffding, proven.equals(ceiling(hoeffding))],
    requires=[N >= 2**6, N <= 2**54],
    grid=grid(N=[2**6, 2**6 + 1, 2**10 + 1, 2**15 + 1, 2**23, 2**23 + 1, 2**35 + 1, 2**54]),
    derive=derive, derived=[need], construct=construct, measure=measure,
    controls=[
        Control("the all-ones word kept", breaks=modulus, construct=whole),
        Control("indices in binary", breaks=modulus, where=N <= 1025, construct=lambda p: binary_index(p.N)),
        Control("orthonormal codes", breaks=[shorter, crowd], where=N <= 1025,
                construct=lambda p: orthonormal(p.N)),
        Control("one coordinate fewer than the threshold", breaks=mean,
                measure=lambda code, p: measure(code, p, lambda N: threshold_dimension(N) - 1)),
        Control("half of Hoeffding's dimension", asserts=[sure <= hoeffding / 2], breaks=sure),
        Control("seven times the packing bound", asserts=[length >= 7 * log(N) / log(3)], breaks=length,
                where=N <= 2**23),
    ],
)
