r"""Tokens whose moments are bounded are all shorter than $r_x$, up to a small probability.

Setting    $nN$ tokens in $\mathbb{R}^d$, dependent or not; $\mathbb{E}[\|x\|^r]^{1/r}\le\sqrt{C_xdr}$ for $r\ge1$.
Statement  $\Pr(\max\|x\|\ge r_x)\le nN\exp(-r_x^2/(2C_xed))$ for $r_x^2\ge C_xed$; at
           $r_x=\sqrt{3C_xed\log(nN)}$ that is $(nN)^{-1/2}$.
Proof      With $p=r_x^2/(C_xed)\ge1$ Markov's inequality gives $\Pr(\|x\|\ge
           r_x)\le\mathbb{E}\|x\|^p/r_x^p\le(C_xdp/r_x^2)^{p/2} =e^{-p/2}$ for each token, and a union over $nN$ of them
           asks for no independence. At the stated radius $p=3\log(nN)\ge1$ for $nN\ge2$, and $nNe^{-p/2}=(nN)^{-1/2}$.
Witness    Tokens of length $r_x$ with probability $1/K=\exp(-r_x^2/(2C_xed))$, else zero; at the stated radius
           $K=\lceil(nN)^{3/2}\rceil$. One token attains the bound; $nN$ attain it if two are never long at once.
Measured   The probability, rational; the least $C_x$ for which the moments are bounded, exact.
Control    The exponent without $\frac12$ or without $d$; no union; a smaller radius; a radius below
           $\sqrt{C_xed}$; tokens that are long with probability $K^{-1/2}$.
Reads      The radius, the probability $1-(nN)^{-1/2}$, the exponent $p$ and that prompts need not be independent are as
           printed: the same statement. $r_x^2\ge C_xed$ is implicit there; for the stated $r_x$ it needs only $nN\ge2$.
           The display has the strict event, whose probability comes as close as one likes.
"""

from fractions import Fraction
from math import isqrt

from sympy import E, Eq, Rational, ceiling, exp, log, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.capacity.token_norms import TwoPointTokens, token_failure, token_radius

from ..notation import C_x, K, N, d, n, r_x

failure = Quantity("failure", r"\Pr(\max\|x\|\ge r_x)", "probability that one of nN tokens is too long", (0, 1))
moments = Quantity("moments", r"\sup_r\mathbb{E}[\|x\|^r]^{2/r}/(dr)", "least constant of the moment bound", (0, None))
bound = token_failure(r_x, n=n, N=N, d=d, C_x=C_x).expr
too_short = sqrt(2 * C_x * E * d * log(Rational(6, 5)))  # its square is 0.991 C_x d, below C_x e d


def construct(p) -> TwoPointTokens:
    return TwoPointTokens.sharp(p.d, p.C_x, p.K, p.joint)


def measure(law, p, radius=None):
    return {failure: lambda: law.failure(p.n * p.N, p.r_x if radius is None else radius),
            moments: law.moment_constant}


def often(p):
    return TwoPointTokens(p.d, construct(p).v2, Fraction(1, isqrt(p.K)))


def always(p):
    return TwoPointTokens(p.d, Rational(p.C_x) * p.d, Fraction(1))


def at_its_length(law, p):
    return measure(law, p, sqrt(law.v2))


claim = Claim(
    "Lemma 12",
    role="statement", source="published: Lemma 12; prose",
    scope={"every joint, n, N, d, C_x, K": "proof", "every law of tokens": "proof"},
    asserts=[failure <= bound, moments <= C_x], requires=[r_x**2 >= C_x * E * d],
    lets={r_x: sqrt(2 * C_x * E * d * log(K))},
    grid=points("joint n N d C_x K", ("independent", 1, 1, 1, 1, 4), ("independent", 1, 1, 10, "1/2", 100),
                ("disjoint", 10, 10, 3, 1, 144), ("independent", 10, 10, 3, 2, 900),
                ("disjoint", 100, 10, 10, 1, 10000)),
    construct=construct, measure=measure, controls=[
        Control("exponent without 1/2", asserts=[failure <= n * N * exp(-(r_x**2) / (C_x * E * d))], breaks=failure),
        Control("exponent without d", asserts=[failure <= n * N * exp(-(r_x**2) / (2 * C_x * E))], breaks=failure,
                where=d >= 2),
        Control("no union over the tokens", asserts=[failure <= bound / (n * N)], breaks=failure, where=n * N >= 2),
        Control("long with the square root of the probability", breaks=[failure, moments], construct=often),
        Control("a radius below the condition", asserts=[failure <= bound.subs(r_x, too_short), moments <= C_x],
                breaks=failure, where=Eq(n * N, 1), construct=always, measure=at_its_length),
    ],
)
stated = Claim(
    "Lemma 12, at the stated radius",
    role="statement", source="published: Lemma 12; prose",
    scope={"every joint, n, N, d, C_x": "proof", "every law of tokens": "proof"},
    asserts=[failure <= 1 / sqrt(n * N), moments <= C_x], requires=[n * N >= 2],
    lets={r_x: token_radius(n=n, N=N, d=d, C_x=C_x), K: ceiling((n * N) ** Rational(3, 2))},
    grid=points("joint n N d C_x", ("disjoint", 4, 4, 1, 1), ("disjoint", 64, 4, 3, 2), ("independent", 64, 4, 3, 2),
                ("disjoint", 100, 100, 10, 1)),
    construct=construct, measure=measure, controls=[
        Control("2 in place of 3", breaks=failure, measure=at_its_length,
                construct=lambda p: TwoPointTokens.sharp(p.d, p.C_x, p.n * p.N, p.joint)),
        Control("a power of nN too many", asserts=[failure <= 1 / (n * N)], breaks=failure),
        Control("long with the square root of the probability", breaks=[failure, moments], construct=often),
    ],
)
