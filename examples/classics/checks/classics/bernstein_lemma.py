r"""The moment generating function of a variable of small variance is nearly that of a Gaussian, for a small argument.

Setting    One variable of a law $p$ on $m$ equally spaced values from 0 to 1, mean $\mu$, variance $v$; $c=1-\mu$.
Statement  $\log Ee^{s(X-\mu)}\le\frac{s^2v}{2(1-sc/3)}$ for $0\le sc<3$; attained by rare events as $s\to0$.
Proof      $(e^y-1-y)/y^2$ grows with $y$, and $j!\ge2\cdot3^{j-2}$: so $e^{sY}\le1+sY+\frac12s^2Y^2/(1-sc/3)$ for $Y\le
           c$ and $0\le sc<3$. Take expectations of $Y=X-\mu$, and $\log(1+z)\le z$.
Measured   The logarithm, in ball arithmetic.
Control    Without $sc/3$; a quarter for the third.
Reads      The lemma behind Bernstein's inequality, from memory; the proof is above.
"""

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.measures import log_moment_generating, variance
from theorytools.search.kinds import Laws

from ._shared import mean, spaced
from .notation import c, m, s, v

cumulant = Quantity("cumulant", r"\log Ee^{s(X-\mu)}", "of the centred variable")
rare, skew = '["99/100", "1/100"]', '["1/6", "1/3", "1/2"]'
wrong = {"without s c/3": s**2 * v / 2, "a quarter": s**2 * v / 2 / (1 - s * c / 4)}

claim = Claim(
    "Bernstein's lemma", role="statement", source="derived here: bernstein", requires=[m >= 2, s >= 0, s * c < 3],
    scope={"every m, s": "proof", "every law p, with its v, c": "proof"}, objects={"p": (Laws(), m, [rare, skew])},
    construct=lambda p: spaced(p.p), derive=lambda law, p: {v: variance(law), c: 1 - mean(law)}, derived=[v, c],
    measure=lambda law, p: {cumulant: enclosed(lambda: log_moment_generating(law, p.s) - p.s * mean(law))},
    asserts=cumulant <= s**2 * v / 2 / (1 - s * c / 3), grid=points("m s", (2, "1/10"), (2, 1), (3, 6)), controls=[
        Control(name, asserts=[cumulant <= bound], breaks=cumulant, where=m < 3) for name, bound in wrong.items()],
)
