r"""Rectifier units approximate a Lipschitz function on an interval with one unit per cell, and one more.

Setting    $f$ on $[-R,R]$ with Lipschitz constant $L_f$ and $|f|\le L_fR$; networks $\sum_ka_k\sigma(w_kx+b_k)$.
Statement  The interpolant on $m$ equal cells is at most $L_fR/m$ away, its slope changes by at most $2L_f$ at a knot,
           and it has $m+1$ units with $|w_k|\le1/R$, $|b_k|\le1$ and $\|a\|^2\le(4m-2)L_f^2R^2$.
Proof      In a cell of width $h=\frac{2R}m$, at $s$ from its left end, $g$ is the mean of the values at the ends with
           weights $1-\frac sh$, $\frac sh$, which are $L_fs$ and $L_f(h-s)$ from $f$ at most:
           $|g-f|\le2L_fs(h-s)/h\le\frac12L_fh$. Slopes are at most $L_f$, so they change by $2L_f$. The units are
           $\sigma(1)$ with weight $f(-R)$ and $\sigma(\frac{x-\kappa_k}R)$, $k<m$, with $R$ times the first slope or a
           change: $\|a\|^2\le(1+1+4(m-1))L_f^2R^2$. Teeth with tips amid the cells, or at the knots, make the first
           and the second equal.
Witness    LipschitzUnits on random paths, on teeth with tips amid the cells (the error attained) or at the knots (the
           slope changes attained), and on a line (the norm attained).
Measured   All in rationals; the error at every knot and break point, between which both functions are linear.
Control    Half of the cells; a steeper function; values of the next knot; half of each constant; a lifted function.
Reads      The lemma is in any dimension with constants that are not explicit; this is its one-dimensional,
           constructive form, derived here.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.feedforward.lipschitz_units import LipschitzUnits

from ..notation import R_f, cells, lip_f, top_f

error = Quantity("error", r"\max_{|x|\le R}|g(x)-f(x)|", "largest distance of the network from the function", (0, None))
bend = Quantity("slope change", r"\max_k|s_{k+1}-s_k|", "at a knot", (0, None))
inputs = Quantity("input weights", r"\max_k\max(R|w_k|,|b_k|)", "largest", (0, None))
outputs = Quantity("output weights", r"\|a\|^2", "squared norm", (0, None))
steep = Quantity("steepness", r"\mathrm{Lip}(f)", "of the function", (0, None))


def path(p, steepness=1):
    count = {"random": 7 * p.cells + 3, "amid": 2 * p.cells, "knots": p.cells, "line": 1}[p.teeth]
    step = Fraction(2 * p.R_f, count)
    x = [-p.R_f + step * k for k in range(count + 1)]
    if p.teeth == "line":
        return x, [-steepness * p.lip_f * t for t in x]
    if p.teeth == "random":
        slopes, y = [Fraction(int(s), 8) for s in p.rng("path").integers(-8, 9, count)], [Fraction(0)]
        for s in slopes:
            y.append(y[-1] + s * p.lip_f * step)
        return x, [value * steepness for value in y]
    return x, [steepness * p.lip_f * step * (k % 2) for k in range(count + 1)]


def construct(p, steepness=1) -> LipschitzUnits:
    return LipschitzUnits(*path(p, steepness), p.cells)


def measure(net, p):
    return {error: net.error(), bend: net.largest_bend(), inputs: net.largest_input(), outputs: net.squared_output(),
            steep: net.steepness()}


def derive(net, p):
    return {top_f: net.largest_value()}


def lifted(p):
    x, y = path(p)
    return LipschitzUnits(x, [value + 2 * p.cells * p.lip_f * p.R_f for value in y], p.cells)


def late(net, p):  # every knot takes the value of the next one
    x, y = path(p)
    late = LipschitzUnits(x, [*y[1:], y[-1]], p.cells)
    return {error: max(abs(late(t) - net.target(t)) for t in {*net.knots, *(v for v, _ in net.points)})}


asserts = [error <= lip_f * R_f / cells, bend <= 2 * lip_f, inputs <= 1,
           outputs <= (4 * cells - 2) * (lip_f * R_f) ** 2, steep <= lip_f]
claim = Claim(
    "Lemma 42, one dimension",
    role="statement", source="derived here: Lemma 42, in one dimension",
    scope={"every teeth, cells, lip_f, R_f": "proof", "every function": "proof", "some network": "exhibited",
           "every input": "closed form"},
    asserts=asserts, construct=construct, measure=measure,
    requires=[top_f <= lip_f * R_f], derive=derive, derived=[top_f],
    grid=points("teeth cells lip_f R_f",
                ("amid", 4, 3, 2), ("knots", 9, 2, 5), ("line", 1, 3, 2), ("random", 6, 3, 2),
                ("random", 16, 1, 5), ("random", 64, 2, 3)),
    controls=[
        Control("a function four times as steep", breaks=steep, asserts=asserts[4:5],
                construct=lambda p: construct(p, 4)),
        Control("a function lifted by 2 m L R", breaks=outputs, asserts=asserts[3:4], construct=lifted),
        Control("input weights half as large", breaks=inputs, asserts=[inputs <= Rational(1, 2)]),
    ],
)
amid = replace(
    claim, label="Lemma 42, error attained",
    role="sharpness", source="derived here: Lemma 42, in one dimension",
    scope={"every teeth, cells, lip_f, R_f": "proof", "some function": "exhibited"},
    asserts=[asserts[0], asserts[4]],
    grid=points("teeth cells lip_f R_f", ("amid", 1, 1, 1), ("amid", 4, 3, 2), ("amid", 9, 2, 5),
                ("amid", 100, 3, 1)), controls=[
        Control("a function twice as steep", breaks=[error, steep], construct=lambda p: construct(p, 2)),
        Control("one cell more in the bound", breaks=error, asserts=[error <= lip_f * R_f / (cells + 1)]),
        Control("a radius for a diameter", breaks=error, asserts=[error <= lip_f * R_f / (2 * cells)]),
    ],
)
knots = replace(
    claim, label="Lemma 42, slope changes attained",
    role="sharpness", source="derived here: Lemma 42, in one dimension",
    scope={"every teeth, cells, lip_f, R_f": "proof", "some function": "exhibited"},
    asserts=[asserts[1], asserts[4]],
    grid=points("teeth cells lip_f R_f", ("knots", 2, 1, 1), ("knots", 4, 3, 2), ("knots", 9, 2, 5),
                ("knots", 128, 3, 1)),
    controls=[
        Control("half of the slope change", breaks=bend, asserts=[bend <= lip_f]),
        Control("half of the cells", breaks=error, asserts=asserts[:1],
                measure=lambda net, p: {error: replace(net, cells=p.cells // 2).error()}),
        Control("a function twice as steep", breaks=[bend, steep], construct=lambda p: construct(p, 2)),
        Control("values of the next knot", breaks=error, measure=late, asserts=asserts[:1]),
        Control("slope changes of size L", breaks=outputs, asserts=[outputs <= (cells + 1) * (lip_f * R_f) ** 2]),
    ],
)
