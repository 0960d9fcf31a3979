r"""The Rademacher average of finitely many vectors grows with the root of the logarithm of their number.

Setting    $N$ vectors in $\mathbb{R}^n$ of norm at most $r$, whose $m=Nn$ numbers are $x$; signs $\sigma$ uniform.
Statement  $E\max_a\frac1n\langle\sigma,a\rangle\le\frac rn\sqrt{2\log N}$; all sign vectors attain 0.849 of it.
Proof      $e^{sE\max\langle\sigma,a\rangle}\le\sum_aEe^{s\langle\sigma,a\rangle}=\sum_a\prod_i\cosh sa_i\le
           Ne^{s^2r^2/2}$ since $\cosh y\le e^{y^2/2}$; put $s=\sqrt{2\log N}/r$.
Measured   The average over all $2^n$ signs, a rational.
Control    For the sign vectors: half of the logarithm, none, and 0.84 of the bound.
Reads      Massart, Some applications of concentration inequalities to statistics (2000), Lemma 5.2.
"""

from sympy import Eq, Rational, log, sqrt

from theorytools import Claim, Control, Enclosure, Quantity, points
from theorytools.measures import rademacher_complexity, sign_vectors, squared_norm
from theorytools.search.kinds import Vectors

from ._shared import rows
from .notation import N, m, n, r

average = Quantity("average", r"E\max_a\frac1n\langle\sigma,a\rangle", "over all signs", (0, None))
cubes = [sum(sign_vectors(size), ()) for size in (1, 2, 3)]
wrong = {"half of the logarithm": r * sqrt(log(N)), "no logarithm": r, "0.84": Rational(21, 25) * r * sqrt(2 * log(N))}

claim = Claim(
    "Massart's finite class lemma", role="statement", source="published: Massart (2000), Lemma 5.2; none",
    scope={"every N, n, m": "proof", "every vector x, r": "proof"}, requires=[Eq(m, N * n)], derived=[r],
    objects={"x": (Vectors(), m, [(1, 0, 0, 0, 1, 0, 0, 0, 1), (0, 0, 0, 2, 0, -5), *cubes])},
    derive=lambda A, p: {r: lambda: Enclosure(max(map(squared_norm, A))).sqrt()}, construct=lambda p: rows(p.x, p.n),
    measure=lambda A, p: {average: rademacher_complexity(A)}, asserts=average <= r * sqrt(2 * log(N)) / n,
    grid=points("N n m", (3, 3, 9), (2, 3, 6), (2, 1, 2), (4, 2, 8), (8, 3, 24)),
    controls=[Control(name, asserts=[average <= bound / n], breaks=average, where=Eq(N, 2**n) & (n >= 2))
              for name, bound in wrong.items()],
)
