r"""A network without memory passes through $n$ labels with a squared norm of order $n^3$ at most, often enough.

Setting    Prompts with independent Gaussian tokens and labels $y^{(i)}\sim N(0,1)$; at the sampled position the
           network sees a token $x^{(i)}\in\mathbb R^d$ and computes $\sum_ka_k\sigma(w_k\langle v,x\rangle+b_k)$.
Statement  For every $n$ and $d$, with probability at least $1/3$, so at least the printed $1/6$, some unit $v$ and
           some weights pass through all labels with $\|a\|^2+\|w\|^2+\|b\|^2\le
           Q=6\sqrt{120/\pi}\,n^{5/2}\sqrt{10n+2}\le128.5\,n^3$.
Proof      Draw $v$ uniformly. Lemma 37 gives gaps of at least $\epsilon=\sqrt\pi/(3n^2)\le1$ and $\|z\|^2\le3n$ but
           for probability $\frac12$, and $\mathbb E\|y\|^2=n$ gives $\|y\|^2\le6n$ but for $\frac16$ (Markov): both
           hold with probability $\frac13$ at least, whatever $y$ has to do with $x$, and then some $v$ exists as
           often. (C.16) of Lemma 38 is $2\sqrt{20}\frac{\sqrt{6n}}\epsilon\sqrt{10n+2}=Q$, and $10+\frac2n\le12$.
Witness    The interpolant of Lemma 38 on the projections of Lemma 37 with these three numbers in (C.16).
Measured   The bound (C.16) with these three numbers, and the interpolant on one set of data so crowded, enclosed;
           $\Pr(\|y\|^2>6n)$ from its law.
Control    37.08 without its further digits; a gap of order $1/n$; data a thousand times as crowded; labels of norm
           $n$.
Reads      $\frac16$ and $O(n^3)$ are printed; the constants are derived here. $6\sqrt{120/\pi}=37.0823$ to four
           places.
"""

from fractions import Fraction

from sympy import Rational, pi, sqrt

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid
from theorytools.numbers import chi_square_tail
from theorytools.numbers import pi as pi_box
from theorytools.papers.qstr.feedforward.interpolant import Interpolant1D

from ..notation import n

chain = Quantity("chain", r"2\sqrt{20}\tfrac{\|y\|}\epsilon\sqrt{3\|z\|^2+n+2}", "(C.16) at its bounds", (0, None))
crowded = Quantity("crowded data", r"\|a\|^2+\|w\|^2+\|b\|^2", "of the interpolant, one balancing", (0, None))
tail = Quantity("large labels", r"\Pr(\|y\|^2>6n)", "over the labels", (0, 1))
Q = 6 * sqrt(120 / pi) * n ** Rational(5, 2) * sqrt(10 * n + 2)


def data(p, crowd=1):  # gaps just above sqrt(pi)/(3 n^2), labels +-22/9 with (22/9)^2 < 6
    step = Fraction(591, 1000 * p.n**2 * crowd)
    return [i * step for i in range(p.n)], [Fraction(22, 9) * (-1) ** i for i in range(p.n)]


def construct(p) -> Interpolant1D:
    return Interpolant1D(*data(p))


def printed(p, order=2):
    eps = pi_box().sqrt() / (3 * p.n**order)
    return 2 * Enclosure(20 * 6 * p.n * (10 * p.n + 2)).sqrt() / eps


def measure(net, p):
    return {chain: enclosed(lambda: printed(p)), crowded: enclosed(net.global_norm),
            tail: enclosed(lambda: chi_square_tail(p.n, Enclosure(6 * p.n)))}


claim = Claim(
    "Lemma 36",
    role="statement", source="published: Lemma 36; prose",
    scope={"every n": "proof", "some network": "exhibited"},
    asserts=[chain <= Rational(37083, 1000) * n ** Rational(5, 2) * sqrt(10 * n + 2), chain <= Rational(257, 2) * n**3,
             crowded <= Q, tail <= Rational(1, 6)],
    grid=grid(n=[1, 2, 5, 12, 30, 128]), construct=construct, measure=measure,
    controls=[
        Control("37.08 without its further digits", breaks=chain,
                asserts=[chain <= Rational(3708, 100) * n ** Rational(5, 2) * sqrt(10 * n + 2)]),
        Control("a gap of order 1/n", breaks=chain, where=n >= 2, asserts=[chain <= Rational(257, 2) * n**2]),
        Control("data a thousand times as crowded", breaks=crowded, where=n >= 2,
                measure=lambda net, p: {
                    **measure(net, p), crowded: enclosed(Interpolant1D(*data(p, 1000)).global_norm)}),
        Control("labels of norm n", breaks=tail, where=n >= 2,
                measure=lambda net, p: {
                    **measure(net, p), tail: enclosed(lambda: chi_square_tail(p.n, Enclosure(p.n)))}),
    ],
)
