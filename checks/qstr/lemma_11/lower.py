r"""No position codes leak less than the regular simplex does at the same temperature.

Setting    As in lemma_11; any $N$ unit codes, at any inverse temperature $\beta>0$.
Statement  $L\ge(N-1)/(N-1+e^{\beta N/(N-1)})$.
Proof      $\sum_t\sum_j\langle\omega_t,\omega_j\rangle=\|\sum_t\omega_t\|^2\ge0$, so some position has $\sum_{j\ne
           t}\langle\omega_t,\omega_j\rangle\ge-1$, and by convexity $\sum_{j\ne
           t}e^{\beta(\langle\omega_t,\omega_j\rangle-1)}\ge (N-1)e^{-\beta N/(N-1)}$.
Adversary  The simplex, which attains it; random signs, BCH and Hadamard words; Gram matrices between a random sign
           code and the simplex; one code opposite to $N-1$ equal ones.
Measured   Leakage from the code's distances; rational where the powers of 2 are.
Control    Exponent $\beta$, the limit $N\to\infty$; $N$ for $N-1$; twice the temperature; the least leakage of a
           position for the largest.
Reads      Derived here: it makes the temperature of Lemma 11 necessary up to $1-\rho$ for blocks $\alpha I$.
"""

from fractions import Fraction

from sympy import Eq, exp, log

from theorytools import Claim, Control, points
from theorytools.codes.by_family import code_of_family
from theorytools.codes.equiangular import simplex
from theorytools.codes.families import rademacher
from theorytools.codes.mixture import mixture
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.attention.leakage import Profiles, excess_weights
from theorytools.constructions.network import changed
from theorytools.numbers import minimum

from ..notation import N, beta, halvings, rho
from .lemma_11 import leakage

tight = Eq(rho * (N - 1), -1)  # the simplex


def least_leakage(exponent=N / (N - 1), others=N - 1):
    return others / (others + exp(beta * exponent))


def codes(p):
    if p.code == "opposite":
        return SignCode([[-1], *[[1]] * (p.N - 1)])
    if p.code == "mixed":
        share = Fraction(int(p.rng("share").integers(1, 8)), 8)
        return mixture(rademacher(p.N, p.d_e, p.rng("codes")), simplex(p.N), share)
    return code_of_family(p.code, p.N, p.d_e, p.rng("codes"))


def network(code, beta) -> BlockAttention:  # the bound holds for equal codes too, which the construction refuses
    return changed(BlockAttention(simplex(code.N), beta), codes=code)


def construct(p, factor=1) -> BlockAttention:
    return network(codes(p), p.beta * factor)


def smallest(net, p):
    def compute():
        excess = minimum(excess_weights(Profiles.of(net.codes), net.temperature))
        return excess / (1 + excess)
    return {leakage: compute}


def drawn_code(draw, N, d_e):
    """A sign code mixed with the simplex; signs come first, so that a counterexample shrinks to few of them."""
    from hypothesis import strategies as st

    words = draw(st.lists(st.integers(0, 2**d_e - 1), min_size=N, max_size=N))
    signs = [[1 - 2 * (word >> k & 1) for k in range(d_e)] for word in words]
    return mixture(simplex(N), SignCode(signs), Fraction(draw(st.integers(0, 8)), 8))


def search(draw, p):
    from hypothesis import assume

    assume(p.N >= 2 and p.halvings > 0)
    return network(drawn_code(draw, p.N, p.d_e), p.beta)


claim = Claim(
    "Lemma 11, matching lower bound",
    role="sharpness", source="derived here: Lemma 11",
    scope={"every N, d_e": "proof", "every code": "proof", "every temperature halvings": "proof",
           "every prompt": "closed form"},
    asserts=leakage >= least_leakage(), requires=[N >= 2], lets={beta: halvings * log(2)},
    derive=lambda net, p: {rho: net.codes.coherence()}, derived=[rho],
    grid=points("code N d_e halvings",
                ("simplex", 2, 2, 1), ("simplex", 4, 4, 3), ("simplex", 8, 8, 7), ("simplex", 32, 32, 31),
                ("rademacher", 2, 1, 1), ("rademacher", 16, 5, 6), ("rademacher", 32, 20, 30), ("hadamard", 32, 32, 8),
                ("bch", 32, 8, 16), ("mixed", 6, 4, 3), ("mixed", 12, 9, 10), ("mixed", 20, 12, 20),
                ("opposite", 8, 1, 3), ("simplex", 128, 128, 127)),
    construct=construct, measure=lambda net, p: {leakage: net.leakage()}, search=search,
    controls=[
        Control("exponent beta", breaks=leakage, where=tight, asserts=[leakage >= least_leakage(1)]),
        Control("N for N - 1", breaks=leakage, where=tight, asserts=[leakage >= least_leakage(others=N)]),
        Control("the leakage of the best position", breaks=leakage, where=Eq(rho, 1) & Eq(N, 8), measure=smallest),
        Control("twice the temperature", breaks=leakage, where=tight, construct=lambda p: construct(p, 2)),
    ],
)
