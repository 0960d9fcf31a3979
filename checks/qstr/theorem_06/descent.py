r"""Descent with decay forgets what lies outside the span of the data, also in doubles and after thousands of steps.

Setting    As in theorem_06_optimisers; $W_k$ after $k$ steps of gradient descent, in doubles, from a Gaussian start.
Statement  $\|W_k(I-\Pi)\|_F=(1-\eta\lambda)^k\|W_0(I-\Pi)\|_F$ up to rounding.
Adversary  3000 steps; the ReLU on, so that the loss has kinks.
Measured   The norm outside the span of the floats that come out, in balls. The bound $\epsilon_{\mathrm{fl}}$ of the
           rounding of all steps, in any order of sums, is derived and comes along with them.
Control    AdamW; no decay; one step more.
Reads      Derived here.
"""

from theorytools import Claim, Control, Quantity, observed, points
from theorytools.theory.first_layers.certified_span import CertifiedSpan

from ..notation import N, d, drift, lam, n, off_0, rate, updates
from .optimisers import construct

outside = Quantity("outside the span", r"\|W_k(I-\Pi)\|_F", "norm after k steps", (0, None))


def start(p):
    return p.rng("start").standard_normal((p.m_1, p.N * p.d))


def measure(task, p, W=None):
    W = task.descend(start(p), p.updates)[0] if W is None else W
    return {outside: observed(lambda: CertifiedSpan.of(task.X).outside(W).sqrt(), "numpy")}


def derive(task, p):
    span = CertifiedSpan.of(task.X)
    return {drift: task.descend(start(p), p.updates)[1], off_0: lambda: span.outside(start(p)).sqrt()}


claim = Claim(
    "Theorem 6, descent in doubles",
    role="variant", source="derived here: Theorem 6",
    scope={"every N, d, n, m_1, rate, lam": "points", "every start": "drawn", "every step updates": "points"},
    requires=[n < N * d], derive=derive, derived=[drift, off_0],
    asserts=outside.equals((1 - rate * lam) ** updates * off_0, within=drift),
    grid=points("N d n m_1 rate lam updates", (5, 2, 6, 8, "1/64", "1/16", 3000)),
    construct=construct, measure=measure,
    controls=[
        Control("AdamW", breaks=outside, measure=lambda task, p: measure(task, p, task.adam(start(p), p.updates))),
        Control("no decay", breaks=outside, where=lam > 0,
                asserts=[outside.equals(off_0, within=drift)]),
        Control("one step more", breaks=outside, where=lam > 0,
                asserts=[outside.equals((1 - rate * lam) ** (updates + 1) * off_0, within=drift)]),
    ],
)
