r"""Linear functions whose weights have moduli of sum at most one pay a logarithm of twice the dimension.

Setting    $n$ points $x_i\in\mathbb{R}^d$, whose $m=nd$ numbers are $x$; $r$ the largest norm of a coordinate
           $(x_{1j},\dots,x_{nj})$; weights with $\|w\|_1\le1$.
Statement  $E\sup_w\frac1n\sum_i\sigma_i\langle w,x_i\rangle\le\frac rn\sqrt{2\log2d}$; coordinates that are all sign
           vectors, up to their sign, attain 0.849 of it.
Proof      The supremum is that of the $2d$ vectors $\pm(x_{1j},\dots,x_{nj})$: Massart's lemma.
Measured   The average of the largest modulus of a coordinate over all $2^n$ signs, a rational.
Control    $\log d$ for $\log2d$, as without the signs; 0.84 of the bound.
Reads      Textbooks, from memory; the proof is above.
"""

from sympy import Eq, Rational, log, sqrt

from theorytools import Claim, Control, Enclosure, Quantity, points
from theorytools.measures import ball_complexity, squared_norm
from theorytools.search.kinds import Vectors

from ._shared import rows
from .notation import d, m, n, r

average = Quantity("average", r"E\max_j|\frac1n\sum_i\sigma_ix_{ij}|", "over all signs", (0, None))
units, halves = (1, 0, 0, 0, 1, 0, 0, 0, 1), [(1,), (1, 1, 1, -1), (1, 1, 1, 1, 1, 1, -1, -1, 1, -1, 1, -1)]
wrong = {"log d": r * sqrt(2 * log(d)), "0.84": Rational(21, 25) * r * sqrt(2 * log(2 * d))}

claim = Claim(
    "Rademacher average of a ball of sums of moduli", role="statement", source="derived here: ball_l1",
    scope={"every n, d, m": "proof", "every x, with its r": "proof"}, requires=[Eq(m, n * d)], derived=[r],
    objects={"x": (Vectors(), m, [units, *halves])}, construct=lambda p: rows(p.x, p.d), uses=("classics.massart",),
    derive=lambda X, p: {r: lambda: Enclosure(max(map(squared_norm, zip(*X, strict=True)))).sqrt()},
    measure=lambda X, p: {average: ball_complexity(X, ball=1)}, asserts=average <= r * sqrt(2 * log(2 * d)) / n,
    grid=points("n d m", (3, 3, 9), (1, 1, 1), (2, 2, 4), (3, 4, 12)), controls=[
        Control(what, asserts=[average <= b / n], breaks=average, where=Eq(2 * d, 2**n)) for what, b in wrong.items()],
)
