r"""A function of slope at most $L$, applied to all coordinates, enlarges a Rademacher average at most $L$ times.

Setting    $N$ vectors $a\in\mathbb{R}^n$, whose $m=Nn$ numbers are $x$; $\varphi(y)=f_1+f_2\max(y,0)+f_3\min(y,0)$.
Statement  $E\max_a\frac1n\sum_i\sigma_i\varphi(a_i)\le LR$ for $R=E\max_a\frac1n\sum_i\sigma_ia_i$ and
           $L=\max(|f_2|,|f_3|)$ whatever $\varphi(0)$ is; $|y|$ attains it at two vectors.
Proof      One sign at a time, with $g(a)$ the rest of the sum: twice its mean over $\sigma_1$ is
           $\max_{a,b}(\varphi(a_1)-\varphi(b_1)+g(a)+g(b))$. As $|\varphi(a_1)-\varphi(b_1)|\le L|a_1-b_1|$, it is at
           most that for $Ly$: exchange $a$ and $b$ where $a_1<b_1$.
Measured   The average of the images over all $2^n$ signs, a rational.
Control    A jump, which has no slope; 0.99 of the bound. (With a modulus inside: `contraction_modulus`.)
Reads      Ledoux, Talagrand (1991), Theorem 4.12; Meir, Zhang (2003), Theorem 7; from memory; the proof is above.
"""

from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.measures import rademacher_complexity
from theorytools.search.kinds import Vectors

from ._shared import kinked, mapped, rows
from .notation import L, N, R, m, n

image = Quantity("image", r"E\max_a\frac1n\sum\sigma_i\varphi(a_i)", "over all signs", (0, None))
few = [(1, 0, 1, -1), (1, 0, -1, 0, 1, -1, -1, 1, 0)]

claim = Claim(
    "Contraction", role="statement", source="published: Meir, Zhang (2003), Theorem 7; none", derived=[L, R],
    scope={"every N, n, m": "proof", "every x, f, with their L, R": "proof"}, requires=[Eq(m, N * n)],
    construct=lambda p: rows(p.x, p.n),
    objects={"x": (Vectors(denominator=1), m, few), "f": (Vectors(), 3, [(5, 1, -1)])}, asserts=image <= L * R,
    derive=lambda A, p: {L: max(abs(p.f[1]), abs(p.f[2])), R: rademacher_complexity(A)},
    measure=lambda A, p: {image: rademacher_complexity(mapped(kinked(*p.f), A))},
    grid=points("N n m", (2, 2, 4), (3, 3, 9)), controls=[
        Control("a jump", measure=lambda A, p: {image: rademacher_complexity(mapped(lambda y: 5 * (y > 0), A))},
                breaks=image, where=N >= 3),
        Control("0.99", asserts=[image <= Rational(99, 100) * L * R], breaks=image, where=N < 3)],
)
