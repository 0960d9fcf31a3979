r"""The four Lipschitz constants of softmax are best: its Jacobian has these norms where two scores share all the mass.

Setting    $J=\operatorname{diag}(p)-pp^\top$, the Jacobian at $p=\sigma(x)$, on the closure of the laws it takes.
Statement  At $p=(\frac12,\frac12,0,\dots,0)$, $N\ge2$, the norms of $J$ are $\frac12$ ($2\to2$, $\infty\to\infty$),
           $1$ ($\infty\to1$) and $\frac14$ ($1\to\infty$); so no smaller constants hold in `softmax`.
Proof      There $J=\frac14vv^\top$ with $v=(1,-1,0,\dots)$: $Jv=\frac12v$, two rows with moduli $\frac14,\frac14$.
           Quotients of close pairs near $p$ tend to these norms.
Measured   As in `softmax_jacobian`.
Control    $p=(0.51,0.49,0,\dots)$.
"""

from dataclasses import replace
from fractions import Fraction

from theorytools import Control, grid

from .softmax import BEST, moved
from .softmax_jacobian import claim as every
from .softmax_jacobian import jacobian


def halves(p, more=0):
    return jacobian([Fraction(1, 2) + more, Fraction(1, 2) - more] + [0] * (p.N - 2))


claim = replace(
    every, label="Softmax's constants are best", role="sharpness", source="derived here: softmax",
    scope={"every N": "proof"}, asserts=[moved[k].equals(BEST[k]) for k in moved], objects={}, grid=grid(N=[2, 3, 6]),
    construct=halves, controls=[
        Control("0.51", breaks=[*moved.values()], construct=lambda p: halves(p, Fraction(1, 100)))],
)
