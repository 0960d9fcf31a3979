r"""The certificate of a network gives back the leakage and the risk of one whose both are known.

Setting    Three codes of dimension 4, $\omega_3$ at distance 1 from $\omega_1$ and $\omega_2$, which are 2 apart;
           $z=e^{-2\beta/d_e}$; tokens uniform on $\{\pm1\}^2$, one index, labels $\langle u,x_t\rangle$, $\|u\|=1$.
Statement  The network of the proof leaks $L=\frac{2z}{1+2z}$, at the third position, and has the risk
           $R=\frac13\left(2\frac{(z+z^2)^2+z^2+z^4}{(1+z+z^2)^2}+\frac{6z^2}{(1+2z)^2}\right)$; from its weights alone,
           as those of a trained one, the certificate encloses both to a relative $10^{-4}$ and $10^{-6}$.
Proof      Its weights are $1$, $z$ and $z^2$ by distance, over their sum, whatever the tokens; with independent signs
           the error $\sum_jw_j\langle u,x_j\rangle-\langle u,x_t\rangle$ has the mean square
           $(1-w_t)^2+\sum_{j\ne t}w_j^2$.
Witness    The module of the block construction, its weights read as those of any module.
Measured   What the certificate says: an enclosure of the risk, and one of the largest leakage, from the prompt that it
           runs up to its bound, rounding included.
Control    A certificate that says no risk; the leakage of the first position; the weights of another temperature.
Reads      Derived here. Nothing of the closed forms enters the certificate, which bounds scores, the kinks of the
           read-out and the rounding of a module of which it knows the weights.
"""

from fractions import Fraction

import numpy as np
from sympy import Rational, log

from theorytools import BlockAttention, Claim, Control, Quantity, SignCode, enclosed, grid
from theorytools.constructions.feedforward.link_heads import linear_head
from theorytools.numbers import between
from theorytools.trained.certify import certify

from ..notation import z

leak = Quantity("certified leakage", r"\delta", "the largest weight outside the index, in the module's floats", (0, 1))
risk = Quantity("certified risk", r"R", "mean square error over uniform signs and indices", (0, None))
SIGNS, U = ((1, 1, 1, 1), (1, 1, -1, -1), (1, 1, -1, 1)), np.array([0.6, 0.8])


def construct(p, colder=1):
    net = BlockAttention(SignCode(np.array(SIGNS)), -2 * colder * log(p.z), d=2, head=linear_head(U, 1))
    return net.module()


def measure(module, p):
    made = certify(module, direction=U)
    return {leak: held(made.leakage.floats[0], made.delta), risk: held(*made.risk.floats)}


def held(low, high):
    """What lies between two doubles of a certificate."""
    return enclosed(lambda: between(Fraction(low), Fraction(high)))


shared = (2 * ((z + z**2) ** 2 + z**2 + z**4) / (1 + z + z**2) ** 2 + 6 * z**2 / (1 + 2 * z) ** 2) / 3
largest, first = 2 * z / (1 + 2 * z), (z + z**2) / (1 + z + z**2)
asserts = [leak.equals(largest, within=largest / 10**4), risk.equals(shared, within=shared / 10**6)]
claim = Claim(
    "Lemma 11, a certificate of known weights",
    role="foundation", source="derived here: Lemma 11",
    scope={"every z": "points", "some network": "exhibited", "every prompt": "closed form"},
    asserts=asserts, requires=[z <= Rational(1, 16), z >= Rational(1, 256)], grid=grid(z=["1/16", "1/32"]),
    construct=construct, measure=measure, controls=[
        Control("a certificate that says no risk", breaks=risk, asserts=asserts[1:],
                measure=lambda module, p: {risk: held(0.0, 0.0)}),
        Control("the leakage of the first position", breaks=leak, asserts=[leak.equals(first, within=first / 10**4)]),
        Control("weights of another temperature", breaks=risk, asserts=asserts[1:],
                construct=lambda p: construct(p, colder=Rational(101, 100))),
    ],
)
