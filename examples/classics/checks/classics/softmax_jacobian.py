r"""At every law the Jacobian of softmax has norms of at most $\frac12$, $\frac12$, 1 and $\frac14$.

Setting    $J=\operatorname{diag}(p)-pp^\top$, a law $p$ on $N\ge2$ outcomes: the Jacobian of softmax.
Statement  $\|J\|_{2\to2}\le\frac12$, $\|J\|_{\infty\to\infty}\le\frac12$, $\|J\|_{\infty\to1}\le1$,
           $\|J\|_{1\to\infty}\le\frac14$.
Proof      That of `softmax`.
Measured   The norms, exactly, from the extreme points of the balls; the first as a root of a polynomial.
Control    $pp^\top$ added, not taken away.
"""

from theorytools import Claim, Control, enclosed, grid
from theorytools.measures import induced_norm
from theorytools.search.kinds import Laws

from .notation import N
from .softmax import NORMS, bounds, moved


def jacobian(law, sign=-1):
    return [[a * (i == j) + sign * a * b for j, b in enumerate(law)] for i, a in enumerate(law)]


claim = Claim(
    "Softmax's Jacobian", role="variant", source="derived here: softmax", scope={"every N and law p": "proof"},
    asserts=bounds, requires=[N >= 2], objects={"p": (Laws(), N, 6)}, grid=grid(N=[2, 3]),
    construct=lambda p: jacobian(p.p),
    measure=lambda J, p: {moved[k]: enclosed(lambda k=k: induced_norm(J, *NORMS[k])) for k in NORMS}, controls=[
        Control("added", asserts=bounds[1:], breaks=[*moved.values()][1:], construct=lambda p: jacobian(p.p, 1))],
)
