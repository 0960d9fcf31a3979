r"""The least norm of all networks through the data lies between a network and a multiplier, both certified.

Setting    Data as in lemma_38; the minimum $M$ of $\|a\|^2+\|w\|^2+\|b\|^2$ over all two-layer ReLU networks of any
           width through the data, which is $2\min\|\mu\|_{TV}$ over measures on the circle.
Statement  $M$ is at most the norm of the explicit network with each neuron balanced and at least
           $2|y_i|/\sqrt{1+z_i^2}$ for every datum; it is known within a relative width of $5\cdot10^{-9}$.
Witness    Upper end: a network whose equations are solved again in rationals.  Lower end: a multiplier divided by its
           supremum over the circle, whose square is rational.  A solver proposes both; its status is no evidence.
Measured   Both ends enclosed; one datum, and data on a ray, are exact ties.
Control    The multiplier not divided; the factor 2 counted twice; weights rounded; only one layer paid for.
Reads      Derived here.  The bracket is valid whatever grid of angles the linear program used.  Where the
           breakpoints and the data suffice the supremum is 1 and not dividing by it no fault: at $n=12$, and at $n=8$
           for one data set in twenty.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import Enclosure, maximum
from theorytools.papers.qstr.interpolation.line import MinNorm, min_norm_interpolant

from ..notation import M_up, Q_each, gap, n, y_top
from .lemma_38 import construct, data, hits, least_gap, through

minimum = Quantity("least norm", "M", "least squared norm over all networks through the data", (0, None))
lower = Quantity("dual bound", r"2\lambda^\top y/\sup_\theta|\Lambda|", "certified lower bound", (0, None))
width = Quantity("width", "M_+/M_--1", "relative width of the bracket around the least norm", (0, None))
generic = (n >= 3) & (gap < 1)  # only random data


def bracket(p) -> MinNorm:
    return min_norm_interpolant(*data(p), rounds=12)


def surround(best, p):
    return {Q_each: construct(p).neuron_norm, M_up: best.upper, gap: least_gap(best.z),
            y_top: lambda: maximum(abs(y) / Enclosure(1 + z**2).sqrt() for z, y in best.data)}


def certify(best, p):
    return {hits: best.hits(), minimum: best.recipe(), width: best.relative_width, lower: best.lower}


def undivided(best, p):
    return {**certify(best, p), lower: min_norm_interpolant(*data(p), angles=4, rounds=0).gain()}


def rounded(best, p):
    doubles = tuple(Fraction(float(a)) for a in best.weights)
    return {**certify(best, p), hits: replace(best, weights=doubles).hits()}


claim = Claim(
    "Lemma 38, the least norm",
    role="sharpness", source="derived here: Lemma 38",
    scope={"every n": "points", "every data set": "points", "every network": "closed form"},
    asserts=[through, minimum <= Q_each, minimum >= 2 * y_top, lower <= M_up, width <= Rational(5, 10**9)],
    grid=points("data n", ("spike", 1), ("ray", 2), ("random", 5), ("random", 8), ("random", 12)),
    derive=surround, derived=[Q_each, M_up, y_top, gap], construct=bracket, measure=certify,
    controls=[
        Control("the multiplier not divided by its supremum", breaks=lower, where=generic & Eq(n, 8), measure=undivided,
                share=Fraction(4, 5)),
        Control("the factor 2 counted twice", breaks=lower,
                measure=lambda best, p: {**certify(best, p), lower: lambda: best.lower() * 2}),
        Control("weights rounded to doubles", breaks=hits, where=generic, measure=rounded),
        Control("only one layer paid for", breaks=minimum >= 2 * y_top, where=Eq(n, 1),
                measure=lambda best, p: {**certify(best, p), minimum: lambda: best.upper() / 2}),
    ],
)
