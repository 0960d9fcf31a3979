r"""The least first layer of a fully-connected network that loses at most $\theta$ of the trivial loss, Gaussian tokens.

Setting    As in fcn, $q<T$; predicting 0 loses $d/q$, and $0\le\theta\le\frac{T-q}T$.
Statement  The least width with a network of loss at most $\theta\frac dq$ is
           $\lceil Td(1-\theta\frac{T-1}{T-q})\rceil$: three quarters of $Td$ at $\theta=\frac14$ and large $T$
           at fixed $q$, and $d$ at $\theta=\frac{T-q}T$.
Proof      By fcn no layer of $m$ neurons is below $R_m$, and the first $m$ rows attain it. $R_m$ falls in $m$, and
           $R_d=\frac{d(T-q)}{qT}\ge\theta\frac dq$; for $m\ge d$ it is $(Td-m)\frac{T-q}{qT(T-1)}$: solve for $m$.
Witness    OptimalLinearBottleneck of every width; below, the certificate of its layer, the best of that width.
Measured   The least $m$ for which the layer's exact certificate is at most $\theta\frac dq$.
Control    Half of $Td$; one neuron fewer; a layer whose first neurons leave out the sum of the tokens.
Reads      Recovered is that the width is linear in $Td$ on average over inputs; the constant is derived here.
"""

from sympy import Rational, ceiling

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.stsq.feedforward.bottleneck import OptimalLinearBottleneck
from theorytools.theory.first_layers.compressor_certificate import certify_compressor

from ..notation import T, d, q, theta

width = Quantity("least width", "m_*", "at which the best network loses at most theta of the trivial loss", (0, None))
needed = ceiling(T * d * (1 - theta * (T - 1) / (T - q)))
half, fewer = width <= T * d / 2, width <= needed - 1


def construct(p) -> OptimalLinearBottleneck:
    return OptimalLinearBottleneck.of(p.T * p.d, p.T, p.d, p.q)


def measure(net, p):
    def loss(m):
        return certify_compressor(net.W[:m], T=p.T, d=p.d, q=p.q).risk

    low, high = 0, p.T * p.d  # the loss falls with m, and is d/q > theta d/q at m = 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if loss(middle) * p.q <= p.theta * p.d else (middle, high)
    return {width: high}


claim = Claim(
    "Fully-connected networks, width",
    role="statement", source="published: fully-connected networks need width of order Td; prose",
    scope={"every d": "proof", "every T, q and loss theta": "proof", "every network of smaller width": "proof"},
    asserts=width.equals(needed), requires=[q < T, theta >= 0, theta * T <= T - q],
    grid=points("T d q theta", (8, 2, 2, "1/8"), (12, 1, 1, "1/4"), (16, 1, 2, "1/4"), (6, 2, 2, 0), (64, 1, 1, "1/4"),
                (4, 2, 2, "1/2"), (6, 1, 1, "5/6"), (5, 3, 4, "1/5")),
    construct=construct, measure=measure,
    controls=[
        Control("half of Td", breaks=width, where=theta * (T - 1) <= Rational(27, 100) * (T - q), asserts=[half]),
        Control("one neuron fewer", breaks=width, asserts=[fewer]),
        Control("the sum of the tokens last", breaks=width, where=(q >= 2) & (theta > 0),
                construct=lambda p: OptimalLinearBottleneck(construct(p).W[::-1], p.T, p.d, p.q),
                asserts=[width.equals(needed)]),
    ],
)
