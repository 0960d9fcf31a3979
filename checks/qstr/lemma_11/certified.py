r"""The certificate of a network gives back the leakage and the largest error of one whose both are known.

Setting    Three codes of dimension 4, $\omega_3$ at distance 1 from $\omega_1$ and $\omega_2$, which are 2 apart;
           $z=e^{-2\beta/d_e}$; tokens in $\{\pm1\}^2$, one index, labels $\langle u,x_t\rangle$, $u=(3/5,4/5)$.
Statement  The network of the proof leaks $L=\frac{2z}{1+2z}$, at the third position, and errs by $\frac{14}5L$ on the
           worst prompt; from its module alone, as from any trained one, the certificate encloses both to a relative
           $10^{-6}$.
Proof      Its weights are $1$, $z$ and $z^2$ by distance, over their sum, whatever the tokens; the label is off by
           $\sum_{j\ne t}w_j\langle u,x_j-x_t\rangle$, at most $2\lVert u\rVert_1$ times the leakage and that much
           where $x_t=-x_j=\operatorname{sign}u$.
Witness    The module of the block construction, traced as any module is.
Measured   What the certificate says: an enclosure of the largest leakage, whose lower end is that of its own prompt,
           and one of the largest error, whose lower end is what the module does there; rounding included.
Control    A certificate that says no error; the leakage of the first position; the weights of another temperature.
Reads      Derived here. Nothing of the closed forms enters the certificate, which bounds what it finds in the module's
           operators, and the rounding of their floats.
"""

from fractions import Fraction

import numpy as np
from sympy import Rational, log

from theorytools import BlockAttention, Claim, Control, Quantity, SignCode, enclosed, grid
from theorytools.numbers import between
from theorytools.trained.certify import certify

from ..notation import z

leak = Quantity("certified leakage", r"\delta", "the largest weight outside the index, in the module's floats", (0, 1))
error = Quantity("certified error", r"\epsilon", "the largest error of a label over all prompts of signs", (0, None))
SIGNS, U = ((1, 1, 1, 1), (1, 1, -1, -1), (1, 1, -1, 1)), np.array([0.6, 0.8])


def construct(p, colder=1):
    return BlockAttention(SignCode(np.array(SIGNS)), -2 * colder * log(p.z), d=2).module()


def measure(module, p):
    made = certify(module, "qstr.lemma_11", direction=U)
    labels, looks = made.labels, made.mechanism
    return {leak: held(looks.leakage.floats[0], looks.delta), error: held(labels.found - labels.rounding, labels.error)}


def held(low, high):
    """What lies between two doubles of a certificate."""
    return enclosed(lambda: between(Fraction(low), Fraction(high)))


largest, first = 2 * z / (1 + 2 * z), (z + z**2) / (1 + z + z**2)
asserts = [leak.equals(largest, within=largest / 10**6),
           error.equals(Rational(14, 5) * largest, within=largest / 10**6)]
claim = Claim(
    "Lemma 11, a certificate of known weights",
    role="foundation", source="derived here: Lemma 11",
    scope={"every z": "points", "some network": "exhibited", "every prompt": "closed form"},
    asserts=asserts, requires=[z <= Rational(1, 16), z >= Rational(1, 256)], grid=grid(z=["1/16", "1/32"]),
    construct=construct, measure=measure, controls=[
        Control("a certificate that says no error", breaks=error, asserts=asserts[1:],
                measure=lambda module, p: {error: held(0.0, 0.0)}),
        Control("the leakage of the first position", breaks=leak, asserts=[leak.equals(first, within=first / 10**6)]),
        Control("weights of another temperature", breaks=error, asserts=asserts[1:],
                construct=lambda p: construct(p, colder=Rational(101, 100))),
    ],
)
