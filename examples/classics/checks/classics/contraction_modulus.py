r"""With a modulus inside, contraction has a factor of 2, and $\varphi(0)$ must vanish.

Setting    $N$ vectors $a\in\mathbb{R}^n$, whose $m=Nn$ numbers are $x$; $\varphi(y)=f_1\max(y,0)+f_2\min(y,0)$.
Statement  $E\max_a|\frac1n\sum_i\sigma_i\varphi(a_i)|\le2LS$ for $S=E\max_a|\frac1n\sum_i\sigma_ia_i|$,
           $L=\max(|f_1|,|f_2|)$; three vectors need $\frac43L$.
Proof      With 0 among the vectors, whose image is 0, a modulus is its positive and its negative part, whose maxima
           have one mean: the left side is at most twice the average without modulus, by contraction $2L$ times that
           before, which the modulus only enlarges.
Measured   The average of the images over all $2^n$ signs, a rational.
Control    No factor of 2, and $\frac{13}{10}$ in its place; $\varphi(0)=1$.
Reads      Ledoux, Talagrand (1991), Theorem 4.12, from memory; the proof is above. That 2 is least is not said.
"""

from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.measures import rademacher_complexity
from theorytools.search.kinds import Vectors

from ._shared import kinked, mapped, rows
from .notation import L, N, S, m, n

image = Quantity("image", r"E\max_a|\frac1n\sum\sigma_i\varphi(a_i)|", "over all signs", (0, None))
few = [(1, 0, 1, -1), (1, 0, -1, 0, 1, -1, -1, 1, 0), (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0)]


def measure(A, p, start=0):
    images = mapped(kinked(start, *p.f), A)
    return {image: rademacher_complexity([*images, *mapped(lambda y: -y, images)])}


claim = Claim(
    "Contraction with a modulus", role="statement", source="published: Ledoux, Talagrand (1991), Theorem 4.12; none",
    uses=("classics.contraction",), requires=[Eq(m, N * n)], derived=[L, S],
    scope={"every N, n, m": "proof", "every x, f, with their L, S": "proof"},
    objects={"x": (Vectors(denominator=1), m, few), "f": (Vectors(), 2, [(1, -1)])}, construct=lambda p: rows(p.x, p.n),
    derive=lambda A, p: {L: max(map(abs, p.f)), S: rademacher_complexity([*A, *mapped(lambda y: -y, A)])},
    measure=measure, asserts=image <= 2 * L * S, grid=points("N n m", (2, 2, 4), (3, 3, 9), (3, 4, 12)), controls=[
        *(Control(c, asserts=[image <= Rational(c) * L * S], breaks=image, where=Eq(n, 3)) for c in ("1", "1.3")),
        Control("phi(0) = 1", measure=lambda A, p: measure(A, p, 1), breaks=image, where=n > 2)],
)
