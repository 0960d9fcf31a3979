r"""A random map of signs keeps the length of a vector but for a probability that falls like $e^{-k\varepsilon^2/4}$.

Setting    $x\ne0$ in $\mathbb{Z}^n$, $R$ of $k\times n$ independent signs, $S=\|Rx\|^2/\|x\|^2$, $0<\varepsilon<1$.
Statement  $\Pr(|S/k-1|\ge\varepsilon)\le2e^{-\frac k2(\varepsilon^2/2-\varepsilon^3/3)}$.
Proof      $S$ is a sum of $k$ copies of $Q^2$, $Q=\langle\sigma,x\rangle/\|x\|$; its even moments are at most those of
           a Gaussian $g$ (term by term, $E\sigma^{2j}=1\le Eg^{2j}$): so $Ee^{hQ^2}\le(1-2h)^{-1/2}$, $EQ^4\le3$.
           Above, $h=\frac\varepsilon{2(1+\varepsilon)}$: $\Pr\le((1+\varepsilon)e^{-\varepsilon})^{k/2}$, and
           $\log(1+u)\le u-\frac{u^2}2+\frac{u^3}3$.  Below, $h=\frac\varepsilon2$, $Ee^{-hQ^2}\le1-h+\frac32h^2$ and
           the same logarithm: $-h\varepsilon+h^2+\frac76h^3+\frac38h^4-\frac94h^5+\frac98h^6\le-\frac{\varepsilon^2}4+
           \frac{\varepsilon^3}6$, which is $3\varepsilon-9\varepsilon^2+\frac94\varepsilon^3\le\frac83$.
Measured   The probability, a rational: the law of $Q^2$ over all signs, its $k$-fold sum by convolution.
Control    $\varepsilon$ for $\varepsilon^2$; an exponent $\frac52$ times as large.
Reads      Achlioptas (2003), Lemma 5.1, from memory.
"""

from collections import Counter
from fractions import Fraction

from sympy import Rational, exp

from theorytools import Claim, Control, Quantity, points
from theorytools.measures import sign_vectors, squared_norm, tail_of_sum
from theorytools.search.kinds import Vectors

from .notation import eps, k, n

failure = Quantity("failure", r"\Pr(|S/k-1|\ge\varepsilon)", "of one vector", (0, 1))
rate = eps**2 / 2 - eps**3 / 3


def construct(p):
    """The law of what one row of signs adds to S."""
    sums = Counter(abs(sum(s * y for s, y in zip(signs, p.x, strict=True))) for signs in sign_vectors(p.n))
    return {y**2 / squared_norm(p.x): Fraction(count, 2**p.n) for y, count in sums.items()}


def measure(law, p):
    below = {-square: mass for square, mass in law.items()}
    return {failure: tail_of_sum([law] * p.k, p.k * (1 + p.eps)) + tail_of_sum([below] * p.k, p.k * (p.eps - 1))}


claim = Claim(
    "Johnson–Lindenstrauss lemma, one vector", role="statement", source="published: Achlioptas (2003), Lemma 5.1; none",
    scope={"every n, k, eps and vector x": "proof"}, requires=[eps < 1],
    objects={"x": (Vectors(denominator=1), n, [(1,) * 8, (1, 2, 3), (1,) * 4])},
    such_that={"x is not zero": lambda p: any(p.x)}, construct=construct, measure=measure,
    asserts=failure <= 2 * exp(-k * rate / 2),
    grid=points("n k eps", (4, 64, "1/4"), (3, 40, "1/2"), (8, 64, "1/2")), controls=[
        Control("eps for its square", asserts=[failure <= 2 * exp(-k * (eps / 2 - eps**2 / 3) / 2)], breaks=failure,
                where=eps < Rational(1, 2)),
        Control("5/2 of the exponent", asserts=[failure <= 2 * exp(-5 * k * rate / 4)], breaks=failure, where=n >= 8)],
)
