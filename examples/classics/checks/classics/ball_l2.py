r"""The Rademacher average of a Euclidean ball of weights is the root of a sum of squares, up to a factor of $\sqrt2$.

Setting    $n$ points $x_i\in\mathbb{R}^d$, whose $m=nd$ numbers are $x$; $q=\sum_i\|x_i\|^2$; weights with $\|w\|\le1$.
Statement  $\frac1n\sqrt{q/2}\le E\sup_w\frac1n\sum_i\sigma_i\langle w,x_i\rangle\le\frac1n\sqrt q$; two equal points
           attain the left, orthogonal ones the right.
Proof      The supremum is $f/n$, $f(\sigma)=\|\sum\sigma_ix_i\|$, and $Ef^2=q$. The sum of $f$ over the $n$ neighbours
           of $\sigma$ is at least $(n-2)f(\sigma)$, so $\sum_A|A|\hat f(A)^2\le Ef^2$ (Walsh); $f$ is even, so
           $2(Ef^2-(Ef)^2)\le Ef^2$.
Measured   The average over all $2^n$ signs, in ball arithmetic, squared on the left.
Control    The Gaussian constant $\sqrt{2/\pi}$ on the left; one norm for all of them on the right.
Reads      Szarek (1976); Latała, Oleszkiewicz (1994), whose proof for any norm is above, from memory.
"""

from sympy import Eq, pi, sqrt

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.measures import ball_complexity, squared_norm
from theorytools.search.kinds import Vectors

from ._shared import rows
from .notation import d, m, n, q, r

average = Quantity("average", r"E\|\frac1n\sum\sigma_ix_i\|", "over all signs", (0, None))
few = [(3, 4), (1, 0, 1, 0), (2, -1, 0, 3, 1, 1), (1, *(0, 0, 0, 0, 1) * 3)]
low, high = average**2 >= q / n**2 / 2, average <= sqrt(q) / n
gauss, one = average >= sqrt(2 * q / pi) / n, average <= r / n

claim = Claim(
    "Rademacher average of a Euclidean ball", role="statement", source="published: Latała, Oleszkiewicz (1994); none",
    scope={"every n, d, m": "proof", "every x, with its q, r": "proof"}, requires=[Eq(m, n * d)], derived=[q, r],
    objects={"x": (Vectors(), m, few)}, construct=lambda p: rows(p.x, p.d),
    derive=lambda X, p: {q: sum(map(squared_norm, X)), r: lambda: Enclosure(max(map(squared_norm, X))).sqrt()},
    measure=lambda X, p: {average: enclosed(lambda: ball_complexity(X, ball=2))}, asserts=[low, high],
    grid=points("n d m", (1, 2, 2), (2, 2, 4), (3, 2, 6), (4, 4, 16)), controls=[
        Control("the Gaussian constant", asserts=[gauss, high], breaks=gauss, where=Eq(n, 2)),
        Control("one norm for all", asserts=[low, one], breaks=one, where=n > 3)],
)
