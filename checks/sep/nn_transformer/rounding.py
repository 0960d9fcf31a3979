r"""A fetched position has the right signs at every temperature, and rounds exactly from $e^{\beta_1\gamma}=N+1+\nu$ on.

Setting    As in nn_transformer, $N=2^k$ equidistant vectors, $N$ a divisor of $d_x$; $R=e^{\beta_1\gamma}$.
Statement  All coordinates of the fetched code have $z_it_{j^*,i}=\frac{R-1}{R+N-1+\nu}>0$, $\nu=(N+1)R^{1-3/\gamma}$
           for the tokens that hold no vector; $|z_i|\ge\frac12$, hence exact rounding, if and only if $R\ge N+1+\nu$.
Witness    NearestNeighbour, by position.
Measured   The least coordinate and the error of the rounded code, rational.
Control    The other tokens left out of $\nu$; $R=N+1$, their threshold; below it $\frac12$, and $2R$.
Reads      Derived here. The threshold is $R=N+1$ without the other tokens, that is up to $\nu$. At
           $N=64$, $\gamma=1$ the point 65.02 is the first hundredth above $N+1+\nu$; 65.01 is below.
           Where $N$ does not divide $d_x$ the other tokens weigh more: at $N=2$, $d_x=3$, $R=2$ it is 0.312, not 0.306.
"""

from sympy import Eq, Ge, Mod, Rational

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour

from ..notation import N, d_x, gamma, pull
from .direct import joint

sign = Quantity("least coordinate", r"\min_{q,i}z_it_{j^*,i}", "of the fetched code, times its right sign", (-1, 1))
code = Quantity("code error", r"\max_q\|\hat z-t_{j^*}\|_\infty", "of the fetched position, rounded", (0, 2))
nu = (N + 1) * pull ** (1 - 3 / gamma)


def construct(p, pull=None) -> NearestNeighbour:
    return NearestNeighbour(joint(p), pull=pull or p.pull)


def fetched(net, p):
    z = min(v * int(t) for q, code in enumerate(net.codes) for v, t in zip(net.fetch(q)[1], code, strict=True))
    return {sign: exactly(z), code: exactly(net.code_error())}


def rounding(value):
    return [sign.equals((pull - 1) / (pull + N - 1 + value)), code.equals(0)]


claim = Claim(
    "Nearest neighbour, rounding of a fetched position",
    role="precision", source="derived here: nearest neighbour by two layers",
    scope={"every N, d_x, pull": "points", "some network": "exhibited", "every query": "closed form"},
    asserts=rounding(nu),
    requires=[pull >= N + 1 + nu, Ge(d_x, N), Eq(Mod(d_x, N), 0)],
    grid=points("N d_x pull", (4, 16, 6), (16, 64, 18), (64, 256, 66), (64, 64, "6502/100"), (64, 256, 896)),
    construct=construct, measure=fetched, derive=lambda net, p: {gamma: net.task.margin}, derived=[gamma],
    controls=[
        Control("the other tokens left out", breaks=sign, measure=lambda net, p: {sign: fetched(net, p)[sign]},
                asserts=rounding(0)[:1]),
        Control("N + 1 without the other tokens", breaks=code, where=pull <= N + 2, asserts=rounding(nu)[1:],
                construct=lambda p: construct(p, p.N + 1), measure=lambda net, p: {code: fetched(net, p)[code]}),
    ],
)
below = Claim(
    "Nearest neighbour, signs of a fetched position",
    role="precision", source="derived here: nearest neighbour by two layers",
    scope={"every N, d_x, pull": "points", "some network": "exhibited", "every query": "closed form"},
    asserts=rounding(nu)[:1], requires=[pull > 1, pull < N + 1 + nu, Ge(d_x, N), Eq(Mod(d_x, N), 0)],
    grid=points("N d_x pull", (4, 16, 2), (16, 64, 3), (64, 256, 20), (64, 64, 30)),
    construct=construct, measure=lambda net, p: {sign: fetched(net, p)[sign]},
    derive=lambda net, p: {gamma: net.task.margin}, derived=[gamma],
    controls=[
        Control("the other tokens left out", breaks=sign, asserts=rounding(0)[:1]),
        Control("rounded exactly", breaks=sign, asserts=[sign >= Rational(1, 2)]),
        Control("twice the weight", breaks=sign, construct=lambda p: construct(p, 2 * p.pull)),
    ],
)
