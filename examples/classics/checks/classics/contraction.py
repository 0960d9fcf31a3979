r"""An $L$-Lipschitz function of the coordinates enlarges a Rademacher average by a factor of at most $L$.

Setting    $N$ vectors $a\in\mathbb{R}^n$, whose $m=Nn$ numbers are $x$; $\varphi(y)=f_1+f_2\max(y,0)+f_3\min(y,0)$,
           $L=\max(|f_2|,|f_3|)$.
Statement  $E\max_a\sum\sigma_i\varphi(a_i)\le L\,E\max_a\sum\sigma_ia_i$, with equality for $\varphi(y)=y$, and with the modulus inside
           $E\max_a|\sum\sigma_i(\varphi(a_i)-\varphi(0))|\le2L\,E\max_a|\sum\sigma_ia_i|$.
Proof      One sign at a time, $g$ the rest of the sum: $2E_{\sigma_1}\max_a(\sigma_1\varphi(a_1)+g(a))=\max_{a,b}(\varphi(a_1)-\varphi(b_1)+g(a)+g(b))$
           is at most $\max_{a,b}(L|a_1-b_1|+g(a)+g(b))$, where the modulus may go: exchange $a$ and $b$. With 0 among the vectors
           the modulus of a sum is its positive and its negative part, whose maxima have one mean: twice the first bound.
Measured   All averages over $2^n$ signs, rationals.
Control    With the modulus no factor of 2, or $\varphi(0)$ kept; 0.9 of the slope.
Reads      Ledoux, Talagrand (1991), Theorem 4.12, and Meir, Zhang (2003), Theorem 7, from memory; the proof is above.
"""

from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.measures import rademacher_complexity
from theorytools.search.kinds import Vectors

from .notation import L, N, R, S, m, n, rows

image = Quantity("image", r"E\max_a\sum\sigma_i\varphi(a_i)", "one-sided")
modulus = Quantity("modulus", r"E\max_a|\sum\sigma_i(\varphi(a_i)-\varphi(0))|", "of the sum", (0, None))
A, B = (1, 0, 1, -1), (1, 0, -1, 0, 1, -1, -1, 1, 0)


def average(p, values, both=False):
    signs = (1, -1) if both else (1,)
    return p.n * rademacher_complexity([[sign * y for y in row] for row in rows(values, p.n) for sign in signs])


def measure(x, p, start=0):
    phi = [p.f[1] * max(y, 0) + p.f[2] * min(y, 0) for y in x]
    return {image: average(p, [p.f[0] + y for y in phi]), modulus: average(p, [start + y for y in phi], both=True)}


one, two = image <= L * R, modulus <= 2 * L * S
claim = Claim(
    "Contraction", role="statement", source="derived here: contraction", asserts=[one, two], measure=measure,
    scope={"every N, n, m": "proof", "every x, f, with their L, R, S": "proof"}, requires=[Eq(m, N * n)],
    objects={"x": (Vectors(denominator=1), m, [A, B]), "f": (Vectors(), 3, [(5, 1, -1)])}, construct=lambda p: p.x,
    derived=[L, R, S], grid=points("N n m", (2, 2, 4), (3, 3, 9)), controls=[
        Control("the modulus without 2", asserts=[one, modulus <= L * S], breaks=modulus, where=N >= 3),
        Control("phi(0) kept", measure=lambda x, p: measure(x, p, p.f[0]), breaks=modulus),
        Control("0.99 of it", asserts=[image <= Rational(99, 100) * L * R, two], breaks=image, where=N < 3),
    ],
    derive=lambda x, p: {L: max(abs(p.f[1]), abs(p.f[2])), R: average(p, x), S: average(p, x, both=True)},
)
