r"""A bounded variable has at most the moment generating function of a Gaussian whose deviation is half of its range.

Setting    One variable of a law $p$ on $m$ equally spaced values from $a$ to $b$, $a<b$, with mean $\mu$.
Statement  $\log Ee^{s(X-\mu)}\le\frac18s^2(b-a)^2$ for every $s$, of either sign; a fair coin attains it as $s\to0$.
Proof      The second derivative in $s$ is the variance of $X$ under the law tilted by $e^{sx}$, at most $(b-a)^2/4$,
           since $X$ is within $(b-a)/2$ of the middle; value and slope vanish at 0.
Measured   The logarithm, in ball arithmetic.
Control    $X$ not centred; $b-a$ for its square; $b^2$, as if $a=0$; 0.99 of the bound.
Reads      Hoeffding (1963), inequality (4.16), from memory; the proof is above.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.measures import log_moment_generating
from theorytools.search.kinds import Laws

from ._shared import mean, spaced
from .notation import a, b, m, s

cumulant = Quantity("cumulant", r"\log Ee^{s(X-\mu)}", "of the centred variable")
coin, skew = '["1/2", "1/2"]', '["1/6", "1/3", "1/2"]'
wrong = {"b - a for its square": (s**2 * (b - a) / 8, b > a + 1), "b for b - a": (s**2 * b**2 / 8, a < 0),
         "0.99": (s**2 * (b - a) ** 2 * Rational(99, 800), m < 3)}

claim = Claim(
    "Hoeffding's lemma", role="statement", source="published: Hoeffding (1963), (4.16); none", requires=[m >= 2, a < b],
    scope={"every m, a, b, s": "proof", "every law p": "proof"}, objects={"p": (Laws(), m, [coin, skew])},
    construct=lambda p: spaced(p.p, p.a, p.b), asserts=cumulant <= s**2 * (b - a) ** 2 / 8,
    measure=lambda law, p: {cumulant: enclosed(lambda: log_moment_generating(law, p.s) - p.s * mean(law))},
    grid=points("m a b s", (2, 0, 1, "1/4"), (2, -1, 1, "1/8"), (3, 0, 1, -1)), controls=[
        *(Control(name, asserts=[cumulant <= bound], breaks=cumulant, where=on) for name, (bound, on) in wrong.items()),
        Control("not centred", breaks=cumulant, where=(m < 3) & (a >= 0),
                measure=lambda law, p: {cumulant: enclosed(lambda: log_moment_generating(law, p.s))})],
)
