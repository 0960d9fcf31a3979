r"""An inverse temperature of order $\log T$ over $1-\kappa$ reaches any prescribed loss.

Setting    As in expressivity, with $\kappa<1$.
Statement  $\mathbb{E}_X\|f-s\|^2\le\ell$ at $\beta=\frac1{1-\kappa}\log\bigl[\frac nq\bigl(\sqrt{d(1+1/q)/\ell}-1
           \bigr)\bigr]$, or at $\beta=0$ where the bracket is at most 1.
Proof      By expressivity the loss is at most $d(1+\frac1q)\bar\epsilon^2$, $\bar\epsilon=\frac
           n{n+qe^{\beta(1-\kappa)}}$, which is $\ell$ at that $\beta$ and falls in $\beta$.
Witness    SparseSelector at exactly that temperature, with sign and orthonormal encodings; equal at $T=q+1$.
Measured   The loss of the subset from its attention weights; rational for $d(1+\frac1q)/\ell$ a square.
Control    A factor $\frac{99}{100}$ on $e^{\beta(1-\kappa)}$ at $T=q+1$; the temperature for $\kappa=0$; a planted
           duplicate.
Reads      The display was not seen, the constant is derived here.  At $\ell=10^{-3}$ the control on $\kappa$ lies
           within the slack of the bound, so one point has $10^{-12}$.
"""

from sympy import Eq, Rational, log

from theorytools import Claim, Control, enclosed, points
from theorytools.codes.encodings import named_encodings
from theorytools.papers.stsq.attention.selector import SparseSelector

from ..notation import T, ell, gap_y, q
from .expressivity import chosen, loss


def construct(p, duplicate=False, gain=1, blind=False) -> SparseSelector:
    E, y = named_encodings(p.code, p.T, p.d_e, p.rng("encodings")), chosen(p)
    net = SparseSelector(E, 0, p.q, p.d, p.query)
    beta = net.sufficient_beta(y, p.ell)
    m = net.margin(y)
    if gain != 1:
        beta += log(gain) / Rational(m.numerator, m.denominator)
    if blind:
        beta *= Rational(m.numerator, m.denominator)
    if duplicate:
        E = E.duplicated(y[0], min(set(range(p.T)) - set(y)))
    return SparseSelector(E, beta, p.q, p.d, p.query)


claim = Claim(
    "Expressivity, temperature",
    role="statement", source="published: one softmax head selects the tokens; prose",
    scope={"every code, query, d, d_e": "proof", "every T, q and target ell": "proof", "some network": "exhibited",
           "every prompt": "closed form"},
    asserts=loss <= ell, requires=[q < T, gap_y > 0, ell > 0],
    derive=lambda net, p: {gap_y: net.margin(chosen(p))}, derived=[gap_y],
    grid=points("code query T q d d_e ell", ("orth", "dual", 4, 3, 3, 4, "1/25"), ("orth", "dual", 3, 2, 6, 3, "1/100"),
                ("orth", "lp", 9, 1, 2, 9, "1/10000"), ("orth", "dual", 5, 2, 1, 5, 1),
                ("rad", "dual", 20, 2, 3, 48, "1e-12"), ("rad", "lp", 16, 3, 1, 16, "1e-6")),
    construct=construct, measure=lambda net, p: {loss: enclosed(lambda: net.loss(chosen(p)))},
    controls=[
        Control("a hundredth less", breaks=loss, where=Eq(T, q + 1),
                construct=lambda p: construct(p, gain=Rational(99, 100))),
        Control("a planted duplicate", breaks=loss, where=ell < 1, construct=lambda p: construct(p, duplicate=True)),
        Control("the cross-talk forgotten", breaks=loss, where=(gap_y < 1) & (ell < Rational("1e-9")),
                construct=lambda p: construct(p, blind=True)),
    ],
)
