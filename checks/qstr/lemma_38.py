r"""A two-layer ReLU network of small norm passes through separated data on the line.

Setting    Data $(z_i,y_i)$, $i\le n$, with $z_1<\dots<z_n$ and gaps at least $\epsilon\le1$; networks
           $\sum_ka_k\sigma(w_kx+b_k)$ with the squared norm $\|a\|^2+\|w\|^2+\|b\|^2$.
Statement  With knots $\kappa_1=z_1-1$, $\kappa_i=z_{i-1}$ and the changes of slope as output weights,
           $g(z_i)=y_i$, $\|b'\|^2\le2+3\|z\|^2$, $\|a'\|^2\le20\|y\|^2/\epsilon^2$, and after balancing the
           squared norm is at most $2\sqrt{20}\,\frac{\|y\|}{\epsilon}\sqrt{3\|z\|^2+n+2}$ (C.16).
Witness    Interpolant1D on random data and where a bound is attained: $z=(-1,0)$ for $b'$, one datum for the
           two balancings; values of alternating sign under one arch of a sine approach 16 in place of 20.
Measured   The network in rationals. The least norm over all networks: between an interpolant solved in
           rationals and a multiplier divided by its exact supremum, whatever the solver reported. With
           the affine part free, both certificates equal the closed form $\sum_i|s_{i+1}-s_i|$.
Control    The unit offset dropped; slopes of the wrong interval; unsorted data; constants lowered; a
           separation above 1; no balancing; a multiplier not divided; weights rounded; knots off the data.
Reads      Constants as transcribed. Derived here: 16, the best constant, in place of 20 (two difference
           operators, each of norm below 2); one datum alone forces the norm $2|y_i|/\sqrt{1+z_i^2}$.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from sympy import Eq, Rational, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.algebra.rigorous import Enclosure, maximum
from theorytools.constructions import Interpolant1D, alternating_data
from theorytools.constructions.interpolant import knots_before, slopes_through, squared_norm
from theorytools.quantities.min_norm import MinNorm, min_norm_interpolant
from theorytools.quantities.total_variation import TotalVariation, least_total_variation, total_slope_change

from .notation import M_up, Q_all, Q_each, bend, eps, gap, n, y_2, y_top, z_2

hits = Quantity("data hit", r"\#\{i:g(z_i)=y_i\}", "data that the network passes through exactly", (0, n))
a_2 = Quantity("output weights", r"\|a'\|^2", "squared norm of the output weights, unbalanced", (0, None))
b_2 = Quantity("biases", r"\|b'\|^2", "squared norm of the biases, unbalanced", (0, None))
norm = Quantity("common balancing", r"\|a\|^2+\|w\|^2+\|b\|^2", "norm after one common balancing", (0, None))
each = Quantity("neurons balanced", r"2\sum_i|a_i'|\sqrt{1+b_i'^2}", "norm after balancing each", (0, None))
minimum = Quantity("least norm", "M", "least squared norm over all networks through the data", (0, None))
lower = Quantity("dual bound", r"2\lambda^\top y/\sup_\theta|\Lambda|", "certified lower bound", (0, None))
width = Quantity("width", "M_+/M_--1", "relative width of the bracket around the least norm", (0, None))
above = Quantity("bending", r"\sum_k|c_k|", "total variation of the slope of an interpolant", (0, None))
below = Quantity("bending, dual", r"\lambda^\top y", "lower bound of every interpolant's bending", (0, None))
through = hits.equals(n)
scale = sqrt(y_2) / eps * sqrt(3 * z_2 + n + 2)
C16 = 2 * sqrt(20) * scale
extremal = (n >= 16) & (eps <= Rational(1, 1000))  # only the alternating data
generic = (n >= 3) & (gap < 1)  # only random data


def data(p):
    if p.data == "random":
        z, y = p.rng("data").permutation(513)[: p.n], p.rng("values").integers(-64, 64, p.n)
        return [Fraction(int(x) - 256, 64) for x in sorted(z)], [Fraction(2 * int(v) + 1, 64) for v in y]
    return {
        "wide": ([10 * i + Fraction(1, 4) for i in range(p.n)], [5, *[0] * (p.n - 1)]),
        "spike": ([i + Fraction(3, 4) for i in range(p.n)], [5, *[0] * (p.n - 1)]),
        "unit": ([i - 1 for i in range(p.n)], [3 - 5 * (i % 2) for i in range(p.n)]),
        "ray": (range(p.n), range(0, 5 * p.n, 5)),
        "alternating": alternating_data(p.n, Fraction(1, 4096)),
    }[p.data]


def construct(p) -> Interpolant1D:
    return Interpolant1D(*data(p))


def least_gap(z):
    return min([b - a for a, b in pairwise(z)], default=1)


def derive(net, p):
    z, y = net.data
    return {eps: net.separation, gap: least_gap(z), y_2: squared_norm(y), z_2: squared_norm(z),
            Q_all: net.global_norm}


def measure(net, p):
    return {hits: net.hits(), a_2: net.squared_a(), b_2: net.squared_b(), norm: net.global_norm,
            each: net.neuron_norm}


def no_offset(p):
    z, _ = construct(p).data
    return replace(construct(p), knots=[z[0], *z[:-1]])


def next_slopes(p):
    slopes = slopes_through(*construct(p).data)
    return replace(construct(p), slopes=[*slopes[1:], slopes[-1]])


def exchanged(p):
    z, y = ([v[1], v[0], *v[2:]] for v in construct(p).data)
    return replace(construct(p), knots=knots_before(z), slopes=slopes_through(z, y))


claim = Claim(
    "Lemma 38",
    asserts=[through, b_2 <= 2 + 3 * z_2, a_2 <= 20 * y_2 / eps**2, norm <= C16, each <= Q_all],
    requires=[n >= 1, eps <= 1],
    grid=points("data n", ("wide", 1), ("unit", 2), ("wide", 2), ("random", 5), ("random", 8), ("random", 12),
                ("alternating", 32)),
    derive=derive, derived=[eps, gap, y_2, z_2, Q_all], construct=construct, measure=measure,
    controls=[
        Control("the first knot without its unit offset", breaks=hits, construct=no_offset),
        Control("slopes one gap late", breaks=hits, where=n >= 2, construct=next_slopes, asserts=[through]),
        Control("the first two data exchanged", breaks=hits, where=n >= 2, construct=exchanged),
        Control("the 2 dropped", breaks=b_2, where=z_2 <= Rational(1, 10), asserts=[b_2 <= 3 * z_2]),
        Control("(C.16) times 0.01", breaks=norm, where=gap <= 1, asserts=[norm <= C16 / 100]),
        Control("a separation above 1", breaks=a_2, where=gap >= 10, asserts=[a_2 <= 20 * y_2 / gap**2]),
        Control("layers not balanced", breaks=[norm, each], where=eps <= Rational(1, 1000),
                measure=lambda net, p: {**measure(net, p), norm: net.plain_norm(), each: net.plain_norm()}),
    ],
)

sharp = replace(
    claim, label="Lemma 38, the constant 16", asserts=[a_2 <= 16 * y_2 / eps**2, norm <= 8 * scale],
    grid=points("data n", ("random", 12), ("alternating", 16), ("alternating", 32)),
    controls=[
        Control("a hundredth of the bound", breaks=norm, where=gap <= 1, asserts=[norm <= 8 * scale / 100]),
        Control("twice the separation", breaks=[a_2, norm], where=extremal,
                asserts=[a_2 <= 4 * y_2 / eps**2, norm <= 4 * scale]),
        Control("input weights not counted", breaks=norm, where=extremal,
                asserts=[norm <= 8 * sqrt(y_2) / eps * sqrt(3 * z_2 + 2)]),
    ],
)


def bracket(p) -> MinNorm:
    return min_norm_interpolant(*data(p))


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


least = Claim(
    "Lemma 38, the least norm",
    asserts=[through, minimum <= Q_each, minimum >= 2 * y_top, lower <= M_up, width <= Rational(5, 10**9)],
    grid=points("data n", ("spike", 1), ("ray", 2), ("random", 5), ("random", 8), ("random", 12)),
    derive=surround, derived=[Q_each, M_up, y_top, gap], construct=bracket, measure=certify,
    controls=[
        Control("the multiplier not divided by its supremum", breaks=lower, where=generic, measure=undivided),
        Control("the factor 2 counted twice", breaks=lower,
                measure=lambda best, p: {**certify(best, p), lower: lambda: best.lower() * 2}),
        Control("weights rounded to doubles", breaks=hits, where=generic, measure=rounded),
        Control("only one layer paid for", breaks=minimum >= 2 * y_top, where=Eq(n, 1),
                measure=lambda best, p: {**certify(best, p), minimum: lambda: best.upper() / 2}),
    ],
)


def bending(p, **knots) -> TotalVariation:
    return least_total_variation(*data(p), **knots)


def between_data(p):
    return bending(p, knots=[(a + b) / 2 for a, b in pairwise(construct(p).data[0])])


total_variation = Claim(
    "Lemma 38, the affine part free", asserts=[above.equals(bend), below.equals(bend)], requires=[n >= 3],
    grid=points("data n", ("alternating", 5), ("random", 5), ("random", 8), ("random", 12), ("random", 20)),
    derive=lambda found, p: {bend: total_slope_change(*data(p))}, derived=[bend], construct=bending,
    measure=lambda found, p: {above: found.upper(), below: found.lower()},
    controls=[
        Control("knots between the data only", breaks=[above, below], construct=between_data),
        Control("a multiplier above 1 at the data", breaks=below,
                measure=lambda found, p: {above: found.upper(), below: between_data(p).gain()}),
    ],
)
