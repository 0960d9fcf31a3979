r"""Reading labels off one softmax is right exactly from $\beta\gamma=\ln(N-1)$ on; fetching a position is not so bound.

Setting    $N$ equidistant vectors, all but the nearest exactly at the margin $\gamma$, with the opposite label.
Statement  Labels read directly off weights $e^{\beta\langle x_q,x_j\rangle}$, $\beta\gamma=r\ln(N-1)$, have margin
           $\tanh\frac{\beta\gamma-\ln(N-1)}2$, of the sign of $r-1$. A fetched code has $|z|=\frac{R-1}{R+N-1+\nu}$ for
           $N=2^k$, $\nu=(N+1)R^{1-3/\gamma}$, $R=e^{\beta\gamma}$: the right sign for all $R>1$, rounding from
           $R=N+1+\nu$ on.
Witness    Joint tokens $(x_j,y_j)$ in one layer; NearestNeighbour by position.
Measured   The margin in balls (attained at irrational numbers, hence the tie); coordinates as rationals.
Control    Ratio 0.99 for 1, whose sign flips; a count of $N$ for $N-1$; the other tokens left out of $\nu$.
Reads      Derived here. The threshold $R=N+1$ for rounding holds without the other tokens, that is up to $\nu$.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Eq, Rational, log, tanh

from theorytools import Claim, Control, Quantity, enclosed, exactly, points
from theorytools.algebra.rigorous import Enclosure
from theorytools.constructions import NearestNeighbour, direct_margin
from theorytools.tasks.nearest_neighbour import NearestTask, equidistant

from .notation import N, gamma, pull, sharp

direct = Quantity("direct margin", r"\min_qy_{j^*}f", "label read off one layer, all others opposite", (-1, 1))
sign = Quantity("least coordinate", r"\min_{q,i}z_it_{j^*,i}", "of the fetched code, times its right sign", (-1, 1))
code = Quantity("code error", r"\max_q\|\hat z-t_{j^*}\|_\infty", "of the fetched position, rounded", (0, 2))
tie = Rational(1, 10**100)
nu = (N + 1) * pull ** (1 - 3 / gamma)


def joint(p) -> NearestTask:
    return NearestTask(equidistant(p.N, p.d_x - p.N))


def read(task, p, change=1):
    return {direct: enclosed(lambda: direct_margin(task, Enclosure(p.N - 1) ** Enclosure(p.sharp * change)))}


def formula(count):
    return replace(direct.equals(tanh((sharp * log(N - 1) - log(count)) / 2)), tie=tie)


claim = Claim(
    "Nearest neighbour, labels read directly", asserts=formula(N - 1), requires=[N >= 3],
    grid=points("N d_x sharp", *((N, 2 * N, r) for N in (4, 64) for r in ("1/2", "99/100", "101/100", 2))),
    construct=joint, measure=read,
    controls=[
        Control("a ratio of 0.99", breaks=direct, measure=lambda task, p: read(task, p, Fraction(99, 100))),
        Control("a count of N", breaks=direct, asserts=[formula(N)]),
    ],
)


def rational(task, p, change=1):
    return {direct: exactly(direct_margin(task, p.pull * change))}


threshold = Claim(
    "Nearest neighbour, threshold of a direct label", requires=[N >= 3, pull >= N - 1],
    asserts=[direct >= 0, direct.equals((pull - N + 1) / (pull + N - 1))],
    grid=points("N d_x pull", (4, 8, 3), (16, 16, 15), (64, 256, 63), (64, 128, 64), (64, 128, 3969)),
    construct=joint, measure=rational,
    controls=[
        Control("one hundredth less", breaks=direct, where=Eq(pull, N - 1),
                measure=lambda task, p: rational(task, p, Fraction(99, 100))),
        Control("a count of N", breaks=direct, asserts=[direct.equals((pull - N) / (pull + N))]),
    ],
)


def construct(p, pull=None) -> NearestNeighbour:
    return NearestNeighbour(joint(p), pull=pull or p.pull)


def fetched(net, p):
    z = min(v * int(t) for q, code in enumerate(net.codes) for v, t in zip(net.fetch(q)[1], code, strict=True))
    return {sign: exactly(z), code: exactly(net.code_error())}


def rounding(value):
    return [sign.equals((pull - 1) / (pull + N - 1 + value)), code.equals(0)]


position = Claim(
    "Nearest neighbour, rounding of a fetched position", asserts=rounding(nu), requires=[pull >= N + 1 + nu],
    grid=points("N d_x pull", (4, 16, 6), (16, 64, 18), (64, 256, 66), (64, 64, "6501/100"), (64, 256, 896)),
    construct=construct, measure=fetched, derive=lambda net, p: {gamma: net.task.margin}, derived=[gamma],
    controls=[
        Control("the other tokens left out", breaks=sign, measure=lambda net, p: {sign: fetched(net, p)[sign]},
                asserts=rounding(0)[:1]),
        Control("N + 1 without the other tokens", breaks=code, where=pull <= N + 2, asserts=rounding(nu)[1:],
                construct=lambda p: construct(p, p.N + 1), measure=lambda net, p: {code: fetched(net, p)[code]}),
    ],
)
