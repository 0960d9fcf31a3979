r"""Random signs leak little on average, with no condition on their coherence.

Setting    $N$ independent uniform codes $\omega_i\in\{\pm d_e^{-1/2}\}^{d_e}$; $z=e^{-2\beta/d_e}$;
           $S_t=\sum_{j\ne t}e^{\beta(\langle\omega_t,\omega_j\rangle-1)}$, $L_t=S_t/(1+S_t)$; $p_{\mathrm{rep}}$ is the
           probability that two codes are equal.
Statement  With $m=(\frac{1+z}2)^{d_e}$: $\mathbb{E}S_t=(N-1)m$, hence $\mathbb{E}L_t\le(N-1)m$ and
           $\frac12p_{\mathrm{rep}}\le\mathbb{E}\max_tL_t\le\binom N2m$.
Witness    All codes of small $N$ and $d_e$, enumerated; two codes of any dimension, by the law of their distance;
           longer random codes of dimension $\lfloor5\log N\rfloor$, drawn.
Measured   The three means: rational, enclosed for two long codes, sampled for many.
Control    Base $z$ or $\frac{1+z}3$ for $\frac{1+z}2$; $N$ for $N-1$; coordinates that all codes share;
           $p_{\mathrm{rep}}$ not halved.
Reads      Derived here, as is $\binom N2$: the largest $S_t$ is at most the sum over pairs, each counted once.
"""

from sympy import Rational, binomial, floor, log

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.attention.average_leakage import RandomSigns
from theorytools.statistics.sampled import bounded_mean

from ..notation import N, d_e, repeat, z

excess = Quantity("mean excess", r"\mathbb{E}S_t", "weight of all others over that of the indexed position", (0, N - 1))
each = Quantity("mean leakage", r"\mathbb{E}L_t", "over random codes", (0, 1))
worst = Quantity("mean worst leakage", r"\mathbb{E}\max_tL_t", "over random codes", (0, 1))
names = {"excess": excess, "each": each, "worst": worst}


def mean(base=(1 + z) / 2, others=N - 1):
    return others * base**d_e


def construct(p, **spoiled) -> RandomSigns:
    return RandomSigns(p.N, p.d_e, p.z, **spoiled)


def measure(signs, p):
    found = signs.pair() if p.N == 2 else signs.enumerated()
    return {names[name]: value for name, value in found.items()}


def sample(signs, p):
    return {worst: bounded_mean(lambda rng, size: signs.draw(rng, size)["worst"], p.seed("codes"), low=0, high=1)}


few, most = each <= mean(), worst <= mean(others=binomial(N, 2))
too_few, too_most = each <= mean(z), worst <= mean(z, binomial(N, 2))
claim = Claim(
    "Lemma 11, random signs on average",
    role="variant", source="derived here: Lemma 11", scope={"every N, d_e, z": "points", "every code": "closed form"},
    asserts=[excess.equals(mean()), few, most, worst >= repeat / 2],
    requires=[N >= 2, z <= 1], derive=lambda signs, p: {repeat: signs.repeat_chance()}, derived=[repeat],
    grid=points("N d_e z", (3, 4, "1/4"), (3, 5, "1/2"), (4, 3, "1/16"), (3, 3, "1/1000000"),
                (2, 8, "1/1000000"), (2, 9, "1/16"), (2, 1000, "99/100")),
    construct=construct, measure=measure, controls=[
        Control("base z", asserts=[excess.equals(mean(z)), too_few, too_most], breaks=[excess, each, worst],
                where=z <= Rational(1, 4)),
        Control("base (1 + z)/3", asserts=[excess.equals(mean((1 + z) / 3))], breaks=excess),
        Control("N for N - 1", asserts=[excess.equals(mean(others=N))], breaks=excess),
        Control("a coordinate that all codes share", asserts=[excess.equals(mean())], breaks=excess,
                construct=lambda p: construct(p, idle=1)),
        Control("equal codes leak everything", asserts=[worst >= repeat], breaks=worst, where=z <= Rational(1, 1000)),
    ],
)
drawn = Claim(
    "Lemma 11, random signs of the dimension in use",
    role="variant", source="derived here: Lemma 11", scope={"every N, z": "points", "every code": "drawn"},
    note="The dimension 5 log N of the public code, rounded down.",
    asserts=[most], requires=[N >= 2, z <= 1], lets={d_e: floor(5 * log(N))},
    grid=points("N z", (12, "1/5"), (16, "1/10"), (32, "1/5")), construct=construct, measure=sample, controls=[
        Control("base z", asserts=[too_most], breaks=worst),
        Control("half the coordinates shared", breaks=worst, construct=lambda p: construct(p, idle=p.d_e // 2)),
    ],
)
