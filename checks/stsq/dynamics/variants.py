r"""Factored query and key matrices, or an attended query column, have other curves.

Setting    As in dynamics, at rational $e^\beta>1$.  Variants: $W=W_K^\top W_Q$ trained in both factors, from balanced
           $W_K=W_Q=\sqrt\beta I$; the query column $[0;e_y]$ attended to as well, $\|e_y\|^2=q$ (orthonormal).
Statement  Folk reading: "the curve and the loss of the merged matrix with a masked query column hold for these too".
           In truth $\dot\beta$ gains the factor $2\beta$, so that training from exact zero never starts; the attended
           query column has score $q\beta$, and for $q\ge2$ it takes all the attention as $\beta$ grows.
Witness    The chain rule on the gradient of the flow; the attention with one more key, rational.
Measured   $\dot\beta$ of the factored matrix, enclosed ($\beta$ is a logarithm); the loss with the query attended.
Control    Repair: one merged matrix, and the query column masked.
Reads      Derived here.  Only that the constants of dynamics are those of the merged matrix; no statement that the
           variants fail to learn.  Adam and normalisation layers are further variants, not treated.
"""

from fractions import Fraction

from theorytools import Claim, Control, Enclosure, Quantity, points
from theorytools.theory.selection.flow import SelectionFlow

from ..notation import T, d, d_e, q, u

speed = Quantity("speed of the attention", r"\dot\beta", "at scale 1, by gradient flow in all trained matrices")
loss = Quantity("loss", r"L", "at scale 1", (0, None))
n, w = T - q, T - q + q * u
p_, e_ = q * u / w, n / w


def construct(p) -> SelectionFlow:
    return SelectionFlow(p.T, p.q, p.d, p.d_e)


def factored(flow, mass, u):
    """W_K = k I moves by -k dL/dW, likewise W_Q; beta = k^2, and dL/dW is dL/dbeta / d_e times I."""
    pull = Fraction(-flow.slopes(Fraction(1), mass)[1]) / flow.d_e  # the same for both factors, times k
    return lambda: 2 * Enclosure(u).log() * pull


def attended(flow, u):
    whole = flow.q * u + flow.n + u**flow.q  # the query column scores q beta and carries no token
    a, b = u / whole, 1 / whole
    return flow.d * (flow.q * (a - Fraction(1, flow.q)) ** 2 + flow.n * b * b)


def measure(flow, p):
    u = Fraction(p.u)
    return {speed: factored(flow, flow.mass(u), u), loss: attended(flow, u)}


def repaired(flow, p):
    mass = flow.mass(Fraction(p.u))
    return {speed: flow.velocity(Fraction(1), mass)[1], loss: flow.loss(Fraction(1), mass)}


claim = Claim(
    "Dynamics, variants",
    role="pitfall", source="derived here: gradient flow of the reduced model",
    scope={"every variant of the model": "points"},
    asserts=[speed.equals(2 * d / (q * d_e) * p_ * e_ * T * e_ / n), loss.equals(d * T / (q * n) * e_**2)],
    requires=[q < T, u > 1], expect="REFUTED", construct=construct, measure=measure,
    note="the folk reading; refuted, and repaired by merging and masking",
    grid=points("T q d d_e u", (4, 2, 5, 8, 2), (20, 3, 5, 64, 10), (20, 1, 5, 20, 30), (64, 4, 8, 128, 200)),
    controls=[Control("merged and masked", measure=repaired)],
)
