r"""The least inverse temperature that meets a target leakage lies between two closed forms.

Setting    As in lemma_11; $\beta^*$ is the least $\beta$ with $L\le\delta$, for one given code; $o=(N-1)(1/\delta-1)$.
Statement  $(1-\frac1N)\log o\le\beta^*\le\frac1{1-\rho}\log o$, if $o\ge1$.
Witness    minimal_temperature, in steps of $10^{-6}$. The simplex needs the least; orthonormal codes and Hadamard words
           attain the upper end.
Measured   The temperature found, a rational number; the leakage there, one step below, and at the upper end.
Control    A temperature 1 % off either way; $\rho-\frac1{10}$; without $1-\frac1N$; $N$ for $N-1$.
Reads      Both constants are derived here.  Leakage decreases in $\beta$, so two comparisons locate $\beta^*$.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Rational, log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.by_family import code_of_family
from theorytools.constructions.attention.leakage import worst_leakage
from theorytools.constructions.attention.least_temperature import LeastTemperature, minimal_temperature
from theorytools.constructions.attention.temperature import sufficient_temperature

from ..notation import N, delta, rho

least = Quantity("least temperature", r"\hat\beta", "found by minimal_temperature, above the least by a step at most")
there = Quantity("leakage there", r"L(\hat\beta)", "weight outside the indexed position there", (0, 1))
before = Quantity("leakage a step before", r"L(\hat\beta-\text{step})", "the same one step below", (0, 1))
cooled = Quantity("leakage at the formula", "L", "the same at the temperature that suffices for all codes", (0, 1))
odds, step = (N - 1) * (1 / delta - 1), Rational(1, 10**6)
met, missed = there <= delta, before >= delta


def sufficient(rho):
    return log(odds) / (1 - rho)


def codes(p):
    return code_of_family(p.code, p.N, p.d_e, p.rng("codes"))


def construct(p, percent=0) -> LeastTemperature:
    best = minimal_temperature(codes(p), p.delta, step=step)
    return replace(best, steps=best.steps * (100 + percent) // 100)


def measure(best, p):
    code, formula = codes(p), sufficient_temperature(codes(p), p.delta)
    return {least: best.steps * Fraction(1, 10**6), there: lambda: worst_leakage(code, best.beta),
            before: lambda: worst_leakage(code, best.below), cooled: lambda: worst_leakage(code, formula)}


claim = Claim(
    "Lemma 11, the least temperature",
    role="sharpness", source="derived here: Lemma 11",
    scope={"every code, N, d_e": "points", "every target delta": "points", "every prompt": "closed form"},
    asserts=[least >= (1 - 1 / N) * log(odds), least <= sufficient(rho) + step, met, missed, cooled <= delta],
    grid=points("code N d_e delta", ("simplex", 8, 8, "1/1000"), ("simplex", 64, 64, "1e-9"),
                ("orthonormal", 16, 16, "1/17"), ("hadamard", 100, 128, "1e-4"), ("rademacher", 64, 67, "1e-4"),
                ("rademacher", 64, 20, "1e-4"), ("rademacher", 100, 23, "1e-4"), ("bch", 64, 8, "1e-3"),
                ("rademacher", 1024, 111, "1e-4")),
    requires=[N >= 2, rho < 1, odds > 1], derived=[rho], derive=lambda best, p: {rho: codes(p).coherence()},
    construct=construct, measure=measure, controls=[
        Control("1 % less", asserts=[met], breaks=there, construct=lambda p: construct(p, percent=-1)),
        Control("1 % more", asserts=[missed], breaks=before, construct=lambda p: construct(p, percent=1)),
        Control("coherence 1/10 too small", asserts=[least <= sufficient(rho - Rational(1, 10)) + step], breaks=least,
                where=rho <= 0),
        Control("without 1 - 1/N", asserts=[least >= log(odds)], breaks=least, where=rho < 0),
        Control("N for N - 1", asserts=[least >= (1 - 1 / N) * log(odds * N / (N - 1))], breaks=least, where=rho < 0),
    ],
)
