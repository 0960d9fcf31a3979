r"""The tail and the fourth moment of a label, from its moments: both bounds are attained.

Setting    $\mathbb{E}[|y|^r]^{1/r}\le\sqrt{C_yr^{s_y}}$ for all $r\ge1$ (Assumption 1).
Statement  $\Pr(|y|\ge v)\le\exp(-\frac{s_y}{2e}(v^2/C_y)^{1/s_y})$ for $v^2\ge C_ye^{s_y}$, and
           $\mathbb{E}[y^4]^{1/2}\le C_y4^{s_y}$.
Proof      $\Pr(|y|\ge v)\le\mathbb{E}|y|^r/v^r\le(C_yr^{s_y}/v^2)^{r/2}$, which at $r=\frac1e(v^2/C_y)^{1/s_y}\ge1$ is
           $e^{-s_yr/2}$; the fourth moment is the hypothesis at $r=4$.
Adversary  The label that is $v$ with probability $1/K_y$ and otherwise 0, $v^2=C_y(\frac{2e}{s_y}\log K_y)^{s_y}$: it
           attains the tail for every $K_y$, and the fourth moment up to 1 % where $K_y$ is near $e^{2s_y}$.
Measured   Its mass, rational; its least $C_y$ and its fourth moment, enclosed.
Control    The exponent doubled; the formula $e^{-\log2}$ at $v^2=C_y(e\log2)^2<C_ye^2$,
           $s_y=2$, where the moments allow $\Pr=0.53$; a label 10 % longer than
           its moments allow; half the fourth moment.
Reads      The condition $v^2\ge C_ye^{s_y}$ is where Lemma 20 needs $nE_2^2\ge e^{s_y/2}$.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import E, Eq, Rational, exp, log

from theorytools import Claim, Control, Quantity, enclosed, grid
from theorytools.papers.qstr.capacity.truncation import TwoPointLabels

from ..notation import C_y, K_y, s_y, v_2

mass = Quantity("tail", r"\Pr(|y|\ge v)", "the label's mass at v", (0, 1))
fourth = Quantity("fourth moment", r"\mathbb{E}[y^4]^{1/2}", "its square root", (0, None))
moment = Quantity("moments", r"\sup_r\mathbb{E}[|y|^r]^{2/r}r^{-s}", "least constant of Assumption 1", (0, None))
bound = exp(-s_y / (2 * E) * (v_2 / C_y) ** (1 / s_y))


def construct(p) -> TwoPointLabels:
    return TwoPointLabels.sharp(p.K_y, C_y=p.C_y, s=p.s_y)


def measure(law, p):
    return {mass: law.mass, fourth: enclosed(lambda: law.moment(4)),
            moment: enclosed(lambda: law.moment_constant(p.s_y))}


allowed = moment <= C_y
claim = Claim(
    "Lemma 20, labels",
    role="foundation", source="derived here: Lemma 20",
    scope={"every K_y, C_y, s_y": "proof", "every law of labels": "proof"},
    asserts=[mass <= bound, fourth <= 4**s_y * C_y, allowed], requires=[s_y >= 1, v_2 >= C_y * exp(s_y)],
    lets={v_2: C_y * (2 * E * log(K_y) / s_y) ** s_y}, grid=grid(K_y=[3, 7, 55, 10**6], C_y=[1], s_y=[1, 2]),
    construct=construct, measure=measure,
    controls=[
        Control("the exponent doubled", breaks=mass, asserts=[mass <= bound**2]),
        Control("the formula below its range", breaks=mass, where=Eq(s_y, 2), asserts=[mass <= Rational(1, 2), allowed],
                construct=lambda p: TwoPointLabels(p.C_y * (E * log(2)) ** 2, Fraction(53, 100))),
        Control("a label 10 % longer", breaks=moment, asserts=[allowed],
                construct=lambda p: replace(construct(p), v2=construct(p).v2 * Rational(121, 100))),
        Control("half the fourth moment", breaks=fourth, where=(K_y >= 7) & (K_y <= 55),
                asserts=[fourth <= 4**s_y * C_y / 2]),
    ],
)
