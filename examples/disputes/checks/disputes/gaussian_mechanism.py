r"""Normal noise of the textbook size makes a query private, whatever the privacy loss is.

Setting    A query of sensitivity 1, with noise $N(0,\sigma^2)$, $\sigma=\sqrt{2\ln(1.25/\delta_0)}/\epsilon_0$.
Statement  For every $\epsilon_0>0$ and $0<\delta_0<1$ the answer is $(\epsilon_0,\delta_0)$-differentially private.
Proof      For $\delta_0\le\frac12$, $c^2=2\ln\frac1{2\delta_0}$, $\sigma=(c+\sqrt{c^2+2\epsilon_0})/2\epsilon_0$:
           $\epsilon_0\sigma-\frac1{2\sigma}=c$; the first term is $\Phi(-c)\le\frac12e^{-c^2/2}=\delta_0$,
           and the second is taken off.
Measured   The least $\delta$ for which it is (Balle and Wang 2018, Theorem 8), in ball arithmetic:
           $\Phi(\frac1{2\sigma}-\epsilon_0\sigma)-e^{\epsilon_0}\Phi(-\frac1{2\sigma}-\epsilon_0\sigma)$.
Control    A fifth of the noise; repair: the noise of the proof.
"""
from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid

from .notation import fail

needed = Quantity("needed", r"\delta", "least failure probability", (0, 1))

def normal(x):
    return (1 + (x / Enclosure(2).sqrt()).apply("erf")) / 2

def printed(p, times=1):
    return times * (2 * Enclosure(Fraction(5, 4) / p.fail).log()).sqrt() / p.priv

def mended(p, times=1):
    square = 2 * Enclosure(1 / (2 * p.fail)).log()
    return times * (square.sqrt() + (square + 2 * p.priv).sqrt()) / (2 * p.priv)

def least(noise, p):
    def difference():
        far, near = p.priv * noise(p), 1 / (2 * noise(p))
        return normal(near - far) - Enclosure(p.priv).exp() * normal(-near - far)
    return {needed: enclosed(difference)}

claim = Claim(
    "The Gaussian mechanism", role="statement", expect="REFUTED", scope={"every priv, fail": "points"},
    source="published: programming-dp, issue 45; display", asserts=needed <= fail, requires=[fail < 1],
    construct=lambda p: printed, measure=least,
    grid=grid(priv=["1/4", "1/2"], fail=["1/100", "1/10"]), controls=[
        Control("a fifth of the noise", breaks=needed,
                construct=lambda p: lambda p: printed(p, Fraction(1, 5))),
        Control("more noise", construct=lambda p: mended, where=2 * fail <= 1)],
)
repaired = replace(
    claim, label="Other noise", role="variant", expect="HOLDS", source="derived here: the Gaussian mechanism",
    scope={"every priv, fail": "proof"}, requires=[2 * fail <= 1], construct=lambda p: mended,
    grid=grid(priv=["1/2", 1, 8], fail=["1/100", "1/10", "1/2"]),
    statement=r"The same for $2\delta_0\le1$ with the noise of the proof.",
    controls=[Control("a quarter of it", breaks=needed, construct=lambda p: lambda p: mended(p, Fraction(1, 4)))],
)
