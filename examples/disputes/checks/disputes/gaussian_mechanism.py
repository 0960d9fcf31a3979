r"""Normal noise of the textbook size makes a query private, whatever the privacy loss is.

Setting    A query of sensitivity 1, with noise $N(0,\sigma^2)$, $\sigma=\sqrt{2\ln(1.25/\delta_0)}/\epsilon_0$.
Statement  For every $\epsilon_0>0$ and $0<\delta_0<1$ the answer is $(\epsilon_0,\delta_0)$-differentially private.
Measured   The least $\delta$ for which it is (Balle and Wang 2018, Theorem 8), in ball arithmetic:
           $\Phi(\frac1{2\sigma}-\epsilon_0\sigma)-e^{\epsilon_0}\Phi(-\frac1{2\sigma}-\epsilon_0\sigma)$.
Control    A fifth of the noise.
"""
from fractions import Fraction

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid

from .notation import fail

needed = Quantity("needed", r"\delta", "least failure probability", (0, 1))

def normal(x):
    return (1 + (x / Enclosure(2).sqrt()).apply("erf")) / 2

def least(p, times=1):
    sigma = times * (2 * Enclosure(Fraction(5, 4) / p.fail).log()).sqrt() / p.priv
    far, near = p.priv * sigma, 1 / (2 * sigma)
    return {needed: enclosed(lambda: normal(near - far) - Enclosure(p.priv).exp() * normal(-near - far))}

claim = Claim(
    "The Gaussian mechanism", role="statement", scope={"every priv, fail": "points"},
    source="published: programming-dp, issue 45; display", asserts=needed <= fail, requires=[fail < 1],
    construct=lambda p: p, measure=lambda _, p: least(p),
    grid=grid(priv=["1/4", "1/2"], fail=["1/100", "1/10"]), controls=[
        Control("a fifth of the noise", breaks=needed, measure=lambda _, p: least(p, Fraction(1, 5)))],
)
