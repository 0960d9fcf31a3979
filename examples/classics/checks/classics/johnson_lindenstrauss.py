r"""Random signs in about $\log N$ dimensions keep all distances among $N$ points, but for a probability of $1/N$.

Setting    $x\ne0$ in $\mathbb{Z}^n$, or $N$ points; $R$ of $k\times n$ independent signs; $S=\|Rx\|^2/\|x\|^2$.
Statement  $\Pr(|S/k-1|\ge\varepsilon)\le2e^{-\frac k2(\varepsilon^2/2-\varepsilon^3/3)}$ for $0<\varepsilon<1$.  So for
           $k\ge\frac{6\log N}{\varepsilon^2/2-\varepsilon^3/3}$ all squared distances of $N$ points change by a factor
           within $1\pm\varepsilon$ with probability at least $1-\frac1N$: $\binom N2\cdot2N^{-3}\le\frac1N$.
Proof      $S$ is a sum of $k$ copies of $Q^2$, $Q=\langle\sigma,x\rangle/\|x\|$; each even moment of $Q$ is at most that of a
           standard Gaussian (term by term, $E\sigma^{2j}=1\le Eg^{2j}$), so $Ee^{hQ^2}\le(1-2h)^{-1/2}$ and $EQ^4\le3$.
           Above, $h=\frac\varepsilon{2(1+\varepsilon)}$: $\Pr\le((1+\varepsilon)e^{-\varepsilon})^{k/2}$ and
           $\log(1+u)\le u-\frac{u^2}2+\frac{u^3}3$.  Below, $h=\frac\varepsilon2$ and $Ee^{-hQ^2}\le1-h+\frac32h^2$: with the
           same bound of the logarithm, $-h\varepsilon+h^2+\frac76h^3+\frac38h^4-\frac94h^5+\frac98h^6\le-\frac{\varepsilon^2}4+
           \frac{\varepsilon^3}6$, which is $3\varepsilon-9\varepsilon^2+\frac94\varepsilon^3\le\frac83$ and true.
Measured   The probability for one vector, by convolution; for all pairs the largest change in each of 60 drawn matrices.
Control    $\varepsilon$ for $\varepsilon^2$; $\frac52$ of the exponent; a sixteenth of the dimensions.
Reads      Achlioptas (2003), Theorem 1.1 with $\beta=1$, and Lemma 5.1 of its proof, from memory.
"""
from collections import Counter
from dataclasses import replace
from fractions import Fraction
import numpy as np
from sympy import Rational, exp, log
from theorytools import Claim, Control, Quantity, points
from theorytools.measures import sign_vectors, squared_norm, tail_of_sum
from theorytools.search.kinds import Vectors
from .notation import N, eps, k, n

failure = Quantity("failure", r"\Pr(|S/k-1|\ge\varepsilon)", "of one vector", (0, 1))
change = Quantity("change", r"\max_{i\ne j}|\frac{\|R(e_i-e_j)\|^2}{2k}-1|", "of a squared distance, over all pairs", (0, None))
rate = eps**2 / 2 - eps**3 / 3

def row(x):
    """The law of the square that one row of signs adds to S."""
    found = Counter(sum(s * y for s, y in zip(signs, x)) ** 2 / Fraction(squared_norm(x)) for signs in sign_vectors(len(x)))
    return {square: Fraction(count, 2 ** len(x)) for square, count in found.items()}

def measure(law, p):
    below = {-square: mass for square, mass in law.items()}
    return {failure: tail_of_sum([law] * p.k, p.k * (1 + p.eps)) + tail_of_sum([below] * p.k, p.k * (p.eps - 1))}

ONES = [(1,) * 8, (1, 2, 3), (1,) * 4]
claim = Claim(
    "Johnson–Lindenstrauss lemma, one vector", role="statement", source="published: Achlioptas (2003), Lemma 5.1; none",
    scope={"every n, k, eps and vector x": "proof"}, asserts=failure <= 2 * exp(-k * rate / 2), requires=[eps < 1],
    objects={"x": (Vectors(denominator=1), n, ONES)}, such_that={"x is not zero": lambda p: any(p.x)},
    construct=lambda p: row(p.x), measure=measure, grid=points("n k eps", (4, 64, "1/4"), (3, 40, "1/2"), (8, 64, "1/2")), controls=[
        Control("eps for eps^2", asserts=[failure <= 2 * exp(-k * (eps / 2 - eps**2 / 3) / 2)], breaks=failure, where=eps < Rational(1, 2)),
        Control("5/2 of the exponent", asserts=[failure <= 2 * exp(-5 * k * rate / 4)], breaks=failure, where=n >= 8)],
)
exponent = replace(
    claim, label="Johnson–Lindenstrauss lemma, its exponent", role="sharpness", source="derived here: the sum of eight ones",
    scope={"some vector x": "exhibited", "some n, k, eps": "exhibited"}, asserts=failure >= 2 * exp(-5 * k * rate / 4),
    grid=points("n k eps", (8, 64, "1/2")), controls=[
        Control("twice the exponent", asserts=[failure >= 2 * exp(-k * rate)], breaks=failure)],
)
pairs = Claim(
    "Johnson–Lindenstrauss lemma, all pairs", role="statement", source="published: Achlioptas (2003), Theorem 1.1; none",
    scope={"every N, eps, k": "points", "every draw of R": "drawn"}, requires=[k >= 6 * log(N) / rate, eps < 1],
    asserts=change <= eps, draw=lambda rng, p: rng.choice([-1, 1], (p.k, p.N)), draws=60,
    measure=lambda R, p: {change: max(abs(Fraction(2 * len(R) - 2 * int(product), 2 * len(R)) - 1)
                                      for product in np.unique((R.T @ R)[np.triu_indices(p.N, 1)]))},
    grid=points("N eps k", (4, "3/4", 60), (16, "1/2", 200), (16, "1/4", 640)), controls=[
        Control("a sixteenth of the dimensions", breaks=change, draw=lambda rng, p: rng.choice([-1, 1], (p.k // 16, p.N)),
                share=Fraction(1, 2))],
)
