r"""Where the variance is small a mean stays closer to its expectation than the range alone says.

Setting    $n$ independent variables of one law on $m$ equally spaced values from 0 to 1, mean $\mu$, variance $v$; $c=1-\mu$.
Statement  $\Pr(\frac1n\sum_iX_i\ge\mu+u)\le e^{-nu^2/(2(v+cu/3))}$ and, for $0\le s<3$, $\log Ee^{s(X-\mu)}\le\frac{s^2v/2}{1-sc/3}$.
Proof      $(e^y-1-y)/y^2$ grows and $j!\ge2\cdot3^{j-2}$, so $e^{sY}\le1+sY+\frac{s^2Y^2/2}{1-sc/3}$ for $Y\le c$; take expectations.
           Then Markov's inequality for $e^{s\sum X_i}$, with $s=u/(v+cu/3)$, where $1-sc/3=v/(v+cu/3)$.
Measured   The tail, a rational by convolution; the logarithm, in ball arithmetic.
Control    Without $cu/3$; the 2 on the variance alone; a quarter for the third, which a rare event nearly attains.
Reads      Bernstein's inequality as textbooks have it, from memory; the proof is above.
"""

from fractions import Fraction

from sympy import Eq, exp

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.measures import Law, expectation, log_moment_generating, tail_of_sum, variance
from theorytools.search.kinds import Laws

from .notation import c, m, n, s, u, v

tail = Quantity("tail", r"\Pr(\frac1n\sum X_i\ge\mu+u)", "of the mean", (0, 1))
cumulant = Quantity("cumulant", r"\log Ee^{s(X-\mu)}", "of one centred variable", (0, None))
rare, skew = (Fraction(19, 20), Fraction(1, 20)), (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2))


def measure(law, p):
    mu = expectation(law, lambda x: x)
    centred = enclosed(lambda: log_moment_generating(law, p.s) - p.s * mu)
    return {tail: tail_of_sum([law] * p.n, p.n * (mu + p.u)), cumulant: centred}


most, small = tail <= exp(-n * u**2 / (2 * (v + c * u / 3))), cumulant <= s**2 * v / 2 / (1 - s * c / 3)
claim = Claim(
    "Bernstein's inequality", role="statement", source="derived here: bernstein", asserts=[most, small],
    scope={"every n, m, u, s": "proof", "every law p": "proof", "every v, c": "proof"},
    requires=[m >= 2, u > 0, s >= 0, s < 3], objects={"p": (Laws(), m, [rare, skew])},
    such_that={"p is not all at 1": lambda p: p.p[-1] < 1}, derived=[v, c],
    derive=lambda law, p: {v: variance(law), c: 1 - expectation(law, lambda x: x)}, measure=measure,
    construct=lambda p: Law({Fraction(i, p.m - 1): mass for i, mass in enumerate(p.p)}),
    grid=points("n m u s", (1, 2, "19/20", "1/10"), (64, 2, "21/80", "1/10"), (4, 3, "1/4", 1)), controls=[
        Control("without c u/3", asserts=[tail <= exp(-n * u**2 / (2 * v)), small], breaks=tail, where=Eq(m, 2)),
        Control("the 2 on the variance alone", asserts=[tail <= exp(-n * u**2 / (2 * v + c * u / 3)), small],
                breaks=tail, where=n >= 64),
        Control("a quarter", asserts=[most, cumulant <= s**2 * v / 2 / (1 - s * c / 4)], breaks=cumulant, where=Eq(m, 2)),
    ],
)
