r"""Functions of one number that networks bend by: enclosed values, steepest slopes, least values.

Steepest are GELU at :math:`\sqrt2`, 1.12890, its approximation by tanh at 1.41, 1.12892, SiLU at 2.40, 1.09984, and
the error function at 0, :math:`2/\sqrt\pi=1.12838`; least are GELU at -0.752, -0.16997, its approximation, -0.17004,
and SiLU at -1.278, -0.27846.  ``gelu_tanh`` is torch's approximation of ``gelu``.
"""

from __future__ import annotations

from fractions import Fraction

from theorytools.numbers import Enclosure
from theorytools.numbers.special import pi

SLOPES = {
    "relu": 1.0, "relu6": 1.0, "tanh": 1.0, "sigmoid": 0.25, "erf": 1.1284, "gelu": 1.129, "gelu_tanh": 1.129,
    "silu": 1.1, "elu": 1.0, "log1p": 1.0, "sin": 1.0, "cos": 1.0,
}  # fmt: skip
LEAST = {"gelu": -0.17, "gelu_tanh": -0.1701, "silu": -0.2785}  # below zero these fall before they rise


def value(kind: str, x: Enclosure) -> Enclosure:
    """Return an enclosure of a smooth function."""
    if kind in ("tanh", "erf", "sin", "cos"):
        return x.apply(kind)
    if kind == "gelu":
        return x * (1 + (x / Enclosure(2).sqrt()).apply("erf")) / 2
    if kind == "gelu_tanh":
        inner = (2 / pi()).sqrt() * (x + Enclosure(Fraction(44715, 10**6)) * x * x * x)
        return x * (1 + inner.apply("tanh")) / 2
    logistic = (1 + (x / 2).apply("tanh")) / 2
    return logistic if kind == "sigmoid" else x * logistic
