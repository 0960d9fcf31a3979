r"""Two layers of attention look up two steps, $x_{t_{t_i}}$: a bound on the weight elsewhere, attained.

Setting    1STR prompts $(x_i,t_i)$, any tokens with $\|x_i\|\le r_x$ and any pointers; unit codes with
           $\rho_{\min}\le\langle\omega_i,\omega_j\rangle\le\rho$ for $i\ne j$. Layer 1 is that of Lemma 11, at
           $\beta^{(1)}$, and hands on the index slot; layer 2 compares it with the own codes, at $\beta^{(2)}$.
Statement  If layer 1 leaks $L^{(1)}\le\frac12$, the weight outside $t_{t_i}$ is at most $S/(1+S)$ for all prompts,
           $S=e^{-\beta^{(2)}(1-\rho)(1-2L^{(1)})}+(N-2)e^{-\beta^{(2)}(1-\rho-L^{(1)}(1-\rho_{\min}))}$, and a token
           is off by at most $2r_x$ times this. Equiangular codes attain it.
Witness    TwoStepAttention: two heads in all, tokens of $d+3d_e$ numbers.
Measured   The leakage over all pointers from the code's products (by convexity $N^2$ cases); by the forward pass, in
           enclosures, the token error on pointers that leak most, and all $N^N$ pointers for $N\le4$.
Control    One layer; a first layer that hands on its own code; either temperature at a quarter; equal codes; $L^{(1)}$
           left out; $N-3$ for $N-2$; layer 2 one per cent off where the bound is attained.
Reads      The two-step look-up is taken as a pointer to a pointer, the hierarchy as depth two. Equality of
           transcendental numbers is shown to $10^{-40}$. Construction and constants are derived here. Temperatures:
           question_e_temperature; what one layer cannot do: question_e_one_layer, question_e_message; trained networks:
           question_e_trained.
"""

from dataclasses import replace
from itertools import product

from sympy import Eq, Rational, exp

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import enclosed
from theorytools.codes.by_family import code_of_family
from theorytools.codes.subcode import subcode
from theorytools.constructions.network import changed
from theorytools.numbers import maximum
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention, least_product

from ..notation import N, beta_2, leak_1, r_x, rho, rho_min

leakage = Quantity("leakage", r"\max_{p,i}L^{(2)}_i", "largest weight outside the position sought", (0, 1))
error = Quantity("token error", r"\|f_i(p)-x_{t_{t_i}}\|", "of a retrieved token, extremal prompt", (0, 2 * r_x))
executed = Quantity("leakage executed", r"\max_pL^{(2)}", "on all pointers for N up to 4, else extremal ones", (0, 1))
S = exp(-beta_2 * (1 - rho) * (1 - 2 * leak_1)) + (N - 2) * exp(-beta_2 * (1 - rho - leak_1 * (1 - rho_min)))
tiny = Rational(1, 10**40)
bound, one_less = S / (1 + S), S - exp(-beta_2 * (1 - rho - leak_1 * (1 - rho_min)))


def codes(p):
    return code_of_family(p.code, p.N, p.d_e, p.rng("codes"))


def construct(p, one=1, two=1, **spoiled) -> TwoStepAttention:
    return changed(TwoStepAttention(codes(p), p.beta_1 * one, p.beta_2 * two), **spoiled)


def duplicate(p):
    return construct(p, codes=subcode(codes(p), [0, 0, *range(2, p.N)]))


def moved(net, p):
    return {error: enclosed(lambda: 2 * p.r_x * net.escaped(*net.extremal()))}


def measure(net, p):
    return {leakage: net.leakage(), **moved(net, p)}


def every(net, p):
    prompts = [(T, i) for T in product(range(p.N), repeat=p.N) for i in range(p.N)] if p.N <= 4 else [net.extremal()]
    return {executed: enclosed(lambda: maximum(net.escaped(T, i) for T, i in prompts))}


def derive(net, p):
    return {rho: net.codes.coherence(), rho_min: least_product(net.codes), leak_1: net.first_leakage}


short = {"breaks": error, "asserts": [error <= 2 * r_x * bound], "measure": moved}
shared = {"requires": [N >= 2, rho < 1, leak_1 <= Rational(1, 2)], "derive": derive, "derived": [rho, rho_min, leak_1]}
cold = [Control("layer 1 at a quarter", construct=lambda p: construct(p, one=Rational(1, 4)), breaks=()),
        Control("layer 2 at a quarter", construct=lambda p: construct(p, two=Rational(1, 4)), breaks=())]
claim = Claim(
    "Question (e), two layers",
    role="variant", source="derived here: question (e)",
    scope={"every code, N, d_e, beta_1, beta_2, r_x": "points", "some network": "exhibited",
           "every prompt": "closed form"},
    # equiangular codes attain transcendental numbers
    asserts=[replace(leakage <= bound, tie=tiny), replace(error <= 2 * r_x * bound, tie=tiny)],
    grid=points("code N d_e beta_1 beta_2 r_x",
                ("orthonormal", 16, 16, 5, 12, 1), ("simplex", 8, 8, 3, 9, 1), ("hadamard", 32, 32, 5, 14, 2),
                ("bch", 64, 8, 12, 40, 5), ("rademacher", 64, 67, 9, 30, 5), ("rademacher", 32, 48, 8, 25, 1)),
    construct=construct, measure=measure, controls=[
        *(replace(one, breaks=[leakage, error]) for one in cold),
        Control("layer 2 one per cent colder, equiangular codes", breaks=[leakage, error], where=Eq(rho, rho_min),
                construct=lambda p: construct(p, two=Rational(99, 100))),
        Control("two equal codes", breaks=[leakage, error], construct=duplicate),
        Control("one layer", construct=lambda p: construct(p, asked="index"), **short),
        Control("layer 1 hands on its own code", construct=lambda p: construct(p, handed="own"), **short),
    ], **shared,
)
attained = Claim(
    "Question (e), attained",
    role="sharpness", source="derived here: question (e)",
    scope={"every N, d_e, beta_1, beta_2": "points", "some code": "exhibited", "every pointer": "closed form"},
    asserts=executed.equals(bound, within=tiny),
    grid=points("code N d_e beta_1 beta_2", ("orthonormal", 3, 3, 3, 7), ("simplex", 4, 4, 2, 5),
                ("orthonormal", 32, 32, 6, 14), ("simplex", 16, 16, 4, 10)),
    construct=construct, measure=every, controls=[
        *(replace(one, breaks=executed) for one in cold),
        Control("the first leakage left out", breaks=executed,
                asserts=[executed.equals(bound.subs(leak_1, 0), within=tiny)]),
        Control("N - 3 for N - 2", breaks=executed,
                asserts=[executed.equals(one_less / (1 + one_less), within=tiny)]),
    ], **shared,
)
