r"""No hidden layer of fewer than $2^k$ rectifiers computes the $k$-fold tent map on $[0,1]$.

Setting    $f^k$ as in `sawtooth`; networks $c_0+\sum_jc_j\max(w_jx+b_j,0)$ of $2^k-1$ units.
Statement  None of them is $f^k$ on $[0,1]$.  Judged are those with a unit at each kink of $f^k$, as they would have to
           have: at the kinks, the ends and the middles between them the differences do not all vanish.
           (With units elsewhere they can, as at $k=3$, and the functions differ between these places.)
Proof      $f^k$ has $2^k-1$ kinks inside, and one layer has a kink for a unit at most; so the units stand one at each
           kink and turn the slope there by $\Delta=\pm2^{k+1}$.  On the left of its kink a unit has the slope $0$ or,
           where it faces left, $-\Delta$; these sum to a multiple of $2^{k+1}$, but $f^k$ starts with the slope $2^k$.
           With units at the kinks both are linear between these places, so differences there decide.
Measured   The squared distance of $f^k$ at these places from the span of the constant and the units at the kinks, least
           over all $2^{2^k-1}$ choices of the sides to which they face.
Control    A function with the same kinks that starts level: there $2^k-1$ units are enough.
"""

from fractions import Fraction

from theorytools import Claim, Control, Quantity, grid
from theorytools.measures import infimum, sign_vectors, span_loss

from .notation import k
from .sawtooth import deep, places, value, wide

missed = Quantity("missed", r"\min_h\sum(f^k-h)^2", "over networks h of a unit at each kink", (0, None))


def measure(net, p):
    at = places(p)
    units = [[[max(s * (x - Fraction(j, 2**p.k)), 0) for x in at] for s in (-1, 1)] for j in range(1, 2**p.k)]
    target = [value(net, [x]) for x in at]

    def loss(faces):
        return span_loss(target, [[1] * len(at), *(unit[s > 0] for unit, s in zip(units, faces, strict=True))])

    return {missed: infimum(sign_vectors(len(units)), loss)}


claim = Claim(
    "Telgarsky's sawtooth, units needed", role="sharpness", source="derived here: Telgarsky's sawtooth", listed=[k],
    scope={"every depth k": "proof"}, asserts=missed > 0, construct=lambda p: deep(p.k), measure=measure,
    grid=grid(k=[1, 2, 3]), controls=[
        Control("a level start", breaks=missed, construct=lambda p: wide(p.k, 2**p.k, 0))],
)
