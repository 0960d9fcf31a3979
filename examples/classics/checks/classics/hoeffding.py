r"""A mean of bounded variables leaves its expectation by $u$ with a probability that falls like a Gaussian.

Setting    $n$ independent variables of one law on $m$ equally spaced values from $a$ to $b$, with mean $\mu$.
Statement  $\Pr(\frac1n\sum_iX_i\ge\mu+u)\le e^{-2nu^2/(b-a)^2}$ and $\log Ee^{s(X-\mu)}\le\frac{s^2(b-a)^2}8$, for $a<b$.
Proof      The second derivative in $s$ is the variance of $X$ under the law tilted by $e^{sx}$, at most $(b-a)^2/4$;
           value and slope vanish at 0. Then Markov's inequality for $e^{s\sum X_i}$, with $s=4u/(b-a)^2$.
Measured   The tail, a rational by convolution; the logarithm, in ball arithmetic.
Control    $b-a$ for its square, no $n$, $u$ for $2u^2$; a ninth for the eighth, which a fair coin nearly attains.
Reads      Hoeffding (1963), Theorem 2 and inequality (4.16), from memory; the proof is above.
"""

from fractions import Fraction

from sympy import Eq, exp

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.measures import Law, expectation, log_moment_generating, tail_of_sum
from theorytools.search.kinds import Laws

from .notation import a, b, m, n, s, u

tail = Quantity("tail", r"\Pr(\frac1n\sum X_i\ge\mu+u)", "of the mean", (0, 1))
cumulant = Quantity("cumulant", r"\log Ee^{s(X-\mu)}", "of one centred variable", (0, None))
coin, skew = (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2))


def measure(law, p):
    mu = expectation(law, lambda x: x)
    centred = enclosed(lambda: log_moment_generating(law, p.s) - p.s * mu)
    return {tail: tail_of_sum([law] * p.n, p.n * (mu + p.u)), cumulant: centred}


gauss, small = tail <= exp(-2 * n * u**2 / (b - a) ** 2), cumulant <= s**2 * (b - a) ** 2 / 8
claim = Claim(
    "Hoeffding's inequality and lemma", role="statement", source="derived here: hoeffding", asserts=[gauss, small],
    scope={"every n, m, a, b, u, s": "proof", "every law p": "proof"}, requires=[m >= 2, a < b, u > 0],
    objects={"p": (Laws(), m, [coin, skew])},
    construct=lambda p: Law({p.a + Fraction(i, p.m - 1) * (p.b - p.a): mass for i, mass in enumerate(p.p)}), measure=measure,
    grid=points("n m a b u s", (1, 2, 0, 1, "1/2", "1/8"), (1, 2, -1, 1, 1, "1/8"), (16, 2, 0, 1, "1/16", "1/4"),
                (4, 3, 0, 1, "1/4", -1)), controls=[
        Control("the range for its square", breaks=tail, where=b > a + 1,
                asserts=[tail <= exp(-2 * n * u**2 / (b - a)), small]),
        Control("without n", asserts=[tail <= exp(-2 * u**2 / (b - a) ** 2 * n**2), small], breaks=tail, where=n >= 16),
        Control("u for its square", asserts=[tail <= exp(-n * u / (b - a) ** 2), small], breaks=tail, where=n >= 16),
        Control("a ninth", asserts=[gauss, cumulant <= s**2 * (b - a) ** 2 / 9], breaks=cumulant, where=Eq(m, 2)),
    ],
)
