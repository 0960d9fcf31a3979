r"""A two-layer ReLU network of small norm passes through separated data on the line.

Setting    Data $(z_i,y_i)$, $i\le n$, $y\ne0$, with $z_1<\dots<z_n$ and gaps at least $\epsilon\le1$; networks
           $\sum_ka_k\sigma(w_kx+b_k)$ with the squared norm $\|a\|^2+\|w\|^2+\|b\|^2$.
Statement  With knots $\kappa_1=z_1-1$, $\kappa_i=z_{i-1}$ and the changes of slope as output weights, $w'=1$,
           $g(z_i)=y_i$, $\|b'\|^2\le2+3\|z\|^2$, $\|a'\|^2\le20\|y\|^2/\epsilon^2$, and after balancing the squared
           norm is at most $2\sqrt{20}\,\frac{\|y\|}{\epsilon}\sqrt{3\|z\|^2+n+2}$ (C.16); with the printed factor
           $\alpha=((\|z\|^2+n)\epsilon^2/\|y\|^2)^{1/4}$ at most $19\frac{\|y\|}\epsilon\sqrt{\|z\|^2+n}$.
Proof      $g$ is 0 up to $\kappa_1$ and has the slope $s_1=y_1$ up to $z_1=\kappa_1+1$, then
           $s_i=\frac{y_i-y_{i-1}}{z_i-z_{i-1}}$ up to $z_i$: it passes through the data. $(1-z_1)^2\le2+2z_1^2$ bounds
           $b'=(1-z_1,-z_1,\dots,-z_{n-1})$. $s_1^2\le y_1^2/\epsilon^2$ and $s_i^2\le2(y_i^2+y_{i-1}^2)/\epsilon^2$
           sum to $4\|y\|^2/\epsilon^2$ at most, and $a_i'=s_i-s_{i-1}$, $s_0=0$, to
           $\|a'\|^2\le4\|s\|^2\le16\|y\|^2/\epsilon^2$. One factor between the layers makes
           $\alpha^2\|a'\|^2+\alpha^{-2}(n+\|b'\|^2)$, at its best $2\|a'\|\sqrt{n+\|b'\|^2}$; at the printed $\alpha$
           the first term is at most 16 and, as $n+2+3\|z\|^2\le3(n+\|z\|^2)$, the second at most 3 times the bound's
           product. A factor for each neuron gives no more (Cauchy, Schwarz).
Witness    Interpolant1D on random data and where a bound is attained: $z=(-1,0)$ for $b'$, one datum for the two
           balancings.
Measured   The network in rationals; its norms as square roots of rationals, enclosed.
Control    The unit offset dropped; slopes of the wrong interval; unsorted data; constants lowered; a separation above
           1; no balancing; the printed factor without its root.
Reads      Shape and $\alpha$ as printed, constants as transcribed and derived again; 16 does for 20 (lemma_38_sharp).
"""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from sympy import Rational, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import Enclosure, total
from theorytools.papers.qstr.feedforward.interpolant import (
    Interpolant1D,
    alternating_data,
    knots_before,
    slopes_through,
    squared_norm,
)

from ..notation import eps, gap, n, y_2, z_2

hits = Quantity("data hit", r"\#\{i:g(z_i)=y_i\}", "data that the network passes through exactly", (0, n))
a_2 = Quantity("output weights", r"\|a'\|^2", "squared norm of the output weights, unbalanced", (0, None))
b_2 = Quantity("biases", r"\|b'\|^2", "squared norm of the biases, unbalanced", (0, None))
norm = Quantity("common balancing", r"\|a\|^2+\|w\|^2+\|b\|^2", "norm after one common balancing", (0, None))
told = Quantity("printed balancing", r"\alpha^2\|a'\|^2+\alpha^{-2}(n+\|b'\|^2)", "norm after the printed one",
                (0, None))
each = Quantity("neurons balanced", r"\sum_i|a_i'|\sqrt{1+b_i'^2}/(\|a'\|\sqrt{n+\|b'\|^2})",
                "norm after balancing each, over that with one factor", (0, None))
through = hits.equals(n)
scale = sqrt(y_2) / eps * sqrt(3 * z_2 + n + 2)
C16 = 2 * sqrt(20) * scale
with_alpha = 19 * sqrt(y_2) / eps * sqrt(z_2 + n)


def data(p):
    if p.data == "random":
        z, y = p.rng("data").permutation(513)[: p.n], p.rng("values").integers(-64, 64, p.n)
        return [Fraction(int(x) - 256, 64) for x in sorted(z)], [Fraction(2 * int(v) + 1, 64) for v in y]
    return {
        "wide": ([10 * i + Fraction(1, 4) for i in range(p.n)], [5, *[0] * (p.n - 1)]),
        "spike": ([i + Fraction(3, 4) for i in range(p.n)], [5, *[0] * (p.n - 1)]),
        "unit": ([i - 1 for i in range(p.n)], [3 - 5 * (i % 2) for i in range(p.n)]),
        "ray": (range(p.n), range(0, 5 * p.n, 5)),
        "alternating": alternating_data(p.n, Fraction(1, 4096)),
    }[p.data]


def construct(p) -> Interpolant1D:
    return Interpolant1D(*data(p))


def least_gap(z):
    return min([b - a for a, b in pairwise(z)], default=1)


def derive(net, p):
    z, y = net.data
    return {eps: net.separation, gap: least_gap(z), y_2: squared_norm(y), z_2: squared_norm(z)}


def by_alpha(net, power=Fraction(1, 2)):
    """The norm with the printed factor, of which alpha^2 is that root."""
    z, y = net.data
    square = Enclosure((squared_norm(z) + net.n) * net.separation**2 / squared_norm(y)) ** power
    return square * net.squared_a() + (net.n + net.squared_b()) / square


def saved(net):
    """The norm with a factor for each neuron over that with one for all: exactly 1 for one neuron."""
    square = net.squared_a() * (net.n + net.squared_b())
    return total(Enclosure(a**2 * (1 + b**2) / square).sqrt() for a, b in zip(net.a, net.b, strict=True))


def measure(net, p):
    return {hits: net.hits(), a_2: net.squared_a(), b_2: net.squared_b(), norm: net.global_norm,
            told: lambda: by_alpha(net), each: lambda: saved(net)}


def no_offset(p):
    z, _ = construct(p).data
    return replace(construct(p), knots=[z[0], *z[:-1]])


def next_slopes(p):
    slopes = slopes_through(*construct(p).data)
    return replace(construct(p), slopes=[*slopes[1:], slopes[-1]])


def exchanged(p):
    z, y = ([v[1], v[0], *v[2:]] for v in construct(p).data)
    return replace(construct(p), knots=knots_before(z), slopes=slopes_through(z, y))


claim = Claim(
    "Lemma 38",
    role="statement", source="published: Lemma 38, eq. (C.16); prose",
    scope={"every n": "proof", "every data set": "proof", "some network": "exhibited"},
    asserts=[through, b_2 <= 2 + 3 * z_2, a_2 <= 20 * y_2 / eps**2, norm <= C16, told <= with_alpha, each <= 1],
    requires=[n >= 1, eps <= 1],
    grid=points("data n", ("wide", 1), ("unit", 2), ("wide", 2), ("random", 5), ("random", 8), ("random", 12),
                ("alternating", 32), ("alternating", 64)),
    derive=derive, derived=[eps, gap, y_2, z_2], construct=construct, measure=measure,
    controls=[
        Control("the first knot without its unit offset", breaks=hits, construct=no_offset),
        Control("slopes one gap late", breaks=hits, where=n >= 2, construct=next_slopes, asserts=[through]),
        Control("the first two data exchanged", breaks=hits, where=n >= 2, construct=exchanged),
        Control("the 2 dropped", breaks=b_2, where=z_2 <= Rational(1, 10), asserts=[b_2 <= 3 * z_2]),
        Control("(C.16) times 0.01", breaks=norm, where=gap <= 1, asserts=[norm <= C16 / 100]),
        Control("a separation above 1", breaks=a_2, where=gap >= 10, asserts=[a_2 <= 20 * y_2 / gap**2]),
        Control("the printed factor without its root", breaks=told, where=eps <= Rational(1, 1000),
                asserts=[told <= with_alpha], measure=lambda net, p: {told: lambda: by_alpha(net, Fraction(1))}),
        Control("layers not balanced", breaks=[norm, each], where=eps <= Rational(1, 1000),
                measure=lambda net, p: {**measure(net, p), norm: net.plain_norm(),
                                         each: lambda: net.plain_norm() / net.global_norm()}),
    ],
)
