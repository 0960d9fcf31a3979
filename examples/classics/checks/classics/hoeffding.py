r"""A mean of bounded variables exceeds its expectation by $u$ with a probability that falls like a Gaussian.

Setting    $n$ independent variables of one law $p$ on $m$ equally spaced values from $a$ to $b>a$, mean $\mu$.
Statement  $\Pr(\frac1n\sum_iX_i\ge\mu+u)\le e^{-2nu^2/(b-a)^2}$ for $u>0$; one fair coin attains 0.82 of it.
Proof      Markov's inequality for $e^{s\sum_i(X_i-\mu)}$, and Hoeffding's lemma: the exponent $-nsu+\frac18ns^2(b-a)^2$
           is least at $s=4u/(b-a)^2$.
Measured   The probability, a rational by convolution.
Control    $b-a$ for its square; $(nu)^2$ for $nu^2$, the deviation of the sum with $n$ forgotten; $u$ for $2u^2$;
           3 for 2 in the exponent.
Reads      Hoeffding (1963), Theorem 2, from memory; the proof is above, the lemma a claim of its own.
"""

from sympy import exp

from theorytools import Claim, Control, Quantity, points
from theorytools.measures import tail_of_sum
from theorytools.search.kinds import Laws

from ._shared import mean, spaced
from .notation import a, b, m, n, u

tail = Quantity("tail", r"\Pr(\frac1n\sum X_i\ge\mu+u)", "of the mean", (0, 1))
coin, skew = '["1/2", "1/2"]', '["1/6", "1/3", "1/2"]'
wrong = {"b - a for its square": (2 * n * u**2 / (b - a), b > a + 1),
         "the sum's, n forgotten": (2 * u**2 / (b - a) ** 2 * n**2, n > 4),
         "u for 2 u^2": (n * u / (b - a) ** 2, n > 4), "3 for 2": (3 * n * u**2 / (b - a) ** 2, n < 2)}

claim = Claim(
    "Hoeffding's inequality", role="statement", source="published: Hoeffding (1963), Theorem 2; none",
    uses=("classics.hoeffding_lemma",), requires=[m >= 2, a < b, u > 0],
    scope={"every n, m, a, b, u": "proof", "every law p": "proof"},
    objects={"p": (Laws(), m, [coin, skew])}, construct=lambda p: spaced(p.p, p.a, p.b),
    measure=lambda law, p: {tail: tail_of_sum([law] * p.n, p.n * (mean(law) + p.u))},
    asserts=tail <= exp(-2 * n * u**2 / (b - a) ** 2), controls=[
        Control(name, asserts=[tail <= exp(-bound)], breaks=tail, where=on) for name, (bound, on) in wrong.items()],
    grid=points("n m a b u", (1, 2, 0, 1, "1/2"), (1, 2, -1, 1, 1), (16, 2, 0, 1, "1/16"), (4, 3, 0, 1, "1/4")),
)
