r"""The exponentials that the construction needs on sign codes: few enough to enclose the error of each.

Setting    As in lemma_11_arithmetic: scores depend on the integers $K_{tj}$ alone, so at most $d_e+1$ differences
           $D_k$ of computed scores occur.  The machine computes $\hat w_k$ for $e^{D_k}$; $\lambda$ is its underflow
           threshold, $u_s$ the unit round-off of scores.
Statement  $|\hat w_k-e^{D_k}|\le6u_s\max(e^{D_k},\lambda)$ for every $k$: three units in the last place at most, for
           $0<\beta\le10^6$; from $2^{128}$ on a score is no number in single precision.
Witness    MachineWeights: the exponentials of numpy (float64, float32) and torch (bfloat16).
Measured   $D_k$ and $\hat w_k$ are dyadic rationals, $e^{D_k}$ is enclosed; all $d_e+1$ of them, observed.
Control    The rounding of the argument left out; powers of one exponential instead of an exponential each.
Reads      lemma_11_arithmetic takes correctly rounded ones.  A library's belong to the machine, which the row names.
           One unit was asserted first and failed for float32 on one machine; three is not derived here but taken from
           numpy's authors, who state 2.52 units for their vectorised single-precision exponential (numpy, pull request
           13134).
"""

from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, Enclosure, Quantity, observed, points
from theorytools.numbers import maximum
from theorytools.papers.qstr.precision.rounding import MachineWeights

from ..notation import beta, d_e, u_s

inexact = Quantity("error of an exponential", r"\max_k|\hat w_k-e^{D_k}|/\max(e^{D_k},\lambda)",
                   "relative to the exponential of the computed argument, the worst of all", (0, 1))


def construct(p) -> MachineWeights:
    return MachineWeights.of(range(0, 2 * p.d_e + 1, 2), p.d_e, p.beta, p.arithmetic)


def seen(value):
    return observed(value, "numpy", "torch")


def exact_arguments(made, p):
    """Compare with exponentials of the exact arguments, in place of the computed ones."""
    pairs = [(w, Fraction(p.beta) * Fraction(-gap, p.d_e)) for w, gap in zip(made.weights, made.gaps, strict=True)]
    return {inexact: seen(lambda: maximum(abs(w / Enclosure(exact).exp() - 1) for w, exact in pairs))}


def powers(p):
    made, power = construct(p), [Fraction(1)]
    while len(power) < len(made.weights):
        power.append(made.how.scores.nearest(power[-1] * made.weights[1]))
    return replace(made, weights=tuple(power))


claim = Claim(
    "Lemma 11, exponentials of a machine",
    role="precision", source="derived here: Lemma 11",
    scope={"every d_e, beta": "points", "every format arithmetic": "points",
           "every difference of scores": "enumeration"},
    asserts=inexact <= 6 * u_s, requires=[d_e >= 1, beta > 0, beta <= 10**6],
    derive=lambda made, p: {u_s: made.how.scores.unit_roundoff}, derived=[u_s],
    grid=points("arithmetic d_e beta", ("float64", 89, 26.26), ("float32", 89, 26.26), ("float32", 58, 59.7),
                ("bfloat16_scores", 67, 21.3), ("bfloat16_scores", 23, 52.92)),
    construct=construct, measure=lambda made, p: {inexact: seen(made.relative_error)},
    controls=[
        Control("the argument's rounding left out", breaks=inexact, measure=exact_arguments),
        Control("powers of one exponential", breaks=inexact, construct=powers),
    ],
)
