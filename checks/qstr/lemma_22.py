r"""Inner products of unit vectors by a two-layer network: an error of order one over the squared number of cells.

Setting    Unit vectors $a,b\in\mathbb{R}^{d_e}$ with rational entries, $|a_k|,|b_k|\le1$.
Statement  $2d_em$ rectifiers, $m$ even, give $\langle a,b\rangle$ up to $d_e/m^2$: $ab=[(a+b)^2-(a-b)^2]/4$ with the
           square interpolated on $m$ cells; with rows and biases halved $\|W^\top\|_{1,\infty}\le1$, $\|b\|_\infty\le1$
           and $\|a\|^2\le32d_e/m$. For sign codes $2d_e$ units suffice, without error:
           $\langle\omega,\omega'\rangle=1-d_e^{-1/2}\sum_k|\omega_k-\omega_k'|$.
Proof      On cells of width $\frac4m$ in $[-2,2]$ the interpolant of a square is above it by at most $\frac4{m^2}$, so
           the quarter of the difference of two is within $\frac1{m^2}$ of $a_kb_k$, and $d_e$ of these add up. Its
           slope changes by $\frac8m$ at a knot: a quarter, doubled for the halved rows, is $\frac4m$, in $2d_em$ units.
           For signs $|\omega_k-\omega_k'|$ is 0 or $2d_e^{-1/2}$, with $\omega_k\omega_k'=\pm\frac1{d_e}$.
Witness    InnerProductUnits on random rational unit vectors, and on $a=b$ with odd multiples of $1/m$, where each
           coordinate has the largest error; random, binary and Hadamard sign codes.
Measured   Largest error, number of units, rows and output weights, in rationals; number of exact products of sign
           codes.
Control    Half the cells; the quarter left out; half the error; an eighth of the output weights' bound; rows not
           halved; half the width; one of the two units per sign.
Reads      Printed: width $O(d_e^3(\log(d_e/\varepsilon)/\varepsilon)^2)$, $\|a\|\le
           O(d_e^{5/2}(\log(d_e/\varepsilon)/\varepsilon)^{3/2}/\sqrt m)$, $\|b\|_\infty\le1$,
           $\|W^\top\|_{1,\infty}\le1$, by a general approximation lemma. The networks here are derived for this
           purpose, with width $2d_em$, $m$ the least even number with $m^2\ge d_e/\varepsilon$, and $\|a\|$ of at most
           $8d_e$ over the root of the width: they imply it.
"""

from fractions import Fraction

from sympy import Eq, Rational, floor

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.by_family import code_of_family
from theorytools.constructions.feedforward.inner_products import InnerProductUnits, rational_unit_vector, sign_product
from theorytools.errors import DomainError

from .notation import N, d_e, m

error = Quantity("error", r"\max|\hat s-\langle a,b\rangle|", "largest error over the pairs tried", (0, 2))
units = Quantity("units", "m_1", "rectifiers of the network", (0, None))
rows = Quantity("rows", r"\max(\|W^\top\|_{1,\infty},\|b\|_\infty)", "with rows and biases halved", (0, None))
norm = Quantity("output weights", r"\|a\|^2", "of the same network", (0, None))
exact = Quantity("products exact", r"\#\{(i,j):\hat s=\langle\omega_i,\omega_j\rangle\}", "pairs of codes", (0, N**2))
ODD = {2: (1, 1, 1, 1), 6: (1, 1, 3, 5), 10: (1, 3, 3, 9), 14: (1, 1, 5, 13), 34: (1, 1, 23, 25),
       130: (1, 7, 35, 125), 258: (1, 9, 59, 251)}  # squares that add up to m^2


def construct(p, part=1) -> InnerProductUnits:
    return InnerProductUnits(p.m // part)


def odd(p):
    if p.m not in ODD or p.d_e != 4:
        raise DomainError(f"m = {p.m}, d_e = {p.d_e}", required=f"d_e = 4 and m in {sorted(ODD)}")
    return [Fraction(x, p.m) for x in ODD[p.m]]


def pairs(p):
    if p.vectors == "odd":
        return [(odd(p),) * 2]
    drawn = p.rng("vectors").integers(-3, 4, (6, 2, p.d_e - 1))
    return [tuple(rational_unit_vector(v) for v in two) for two in drawn]


def inner(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def measure(net, p, factor=1):
    worst = max(abs(factor * net(a, b) - inner(a, b)) for a, b in pairs(p))
    square = net.square.units  # of a_k + b_k or a_k - b_k, each in d_e times, with a quarter of its output weights
    halved = max(max(abs(Fraction(2 * w)), abs(Fraction(b))) for _, w, b in square) / 2
    return {error: worst, units: net.units(p.d_e), rows: halved,
            norm: 2 * p.d_e * sum((2 * Fraction(c) / 4) ** 2 for c, _, _ in square)}


claim = Claim(
    "Lemma 22",
    role="statement", source="published: Lemma 22; prose",
    scope={"every m": "proof", "every dimension d_e": "proof", "some network": "exhibited",
           "every pair of vectors": "proof"},
    asserts=[error <= d_e / m**2, units.equals(2 * d_e * m), rows <= 1, norm <= 32 * d_e / m],
    requires=[Eq(floor(m / 2), m / 2)],
    grid=points("vectors d_e m", *(("odd", 4, m) for m in (2, 6, 10, 14, 130, 258)),
                ("random", 4, 8), ("random", 6, 20), ("random", 384, 64)),
    construct=construct, measure=measure,
    controls=[
        Control("half the cells", breaks=[units], asserts=[units.equals(2 * d_e * m)], where=m >= 4,
                construct=lambda p: construct(p, 2)),
        Control("the quarter left out", breaks=error, where=m >= 6, measure=lambda net, p: measure(net, p, 4)),
        Control("half the error", breaks=error, where=Eq(d_e, 4) & (Eq(m, 6) | Eq(m, 10) | (m >= 14)),
                asserts=[error <= d_e / (2 * m**2)]),
        Control("an eighth of the output weights", breaks=norm, where=m >= 6, asserts=[norm <= 4 * d_e / m]),
        Control("rows that are not halved", breaks=rows, asserts=[rows <= Rational(1, 2)]),
        Control("half the width", breaks=units, asserts=[units.equals(d_e * m)]),
    ],
)


def products(code, p, spoil=1):
    rows = [[int(x) for x in row] for row in code.signs]
    found = [sign_product(a, b) for a in rows for b in rows]
    wanted = [Fraction(inner(a, b), code.d_e) for a in rows for b in rows]
    return {exact: sum(1 - spoil * (1 - x) == y for x, y in zip(found, wanted, strict=True))}


signs = Claim(
    "Lemma 22, sign codes",
    role="variant", source="derived here: Lemma 22",
    scope={"every code, N, d_e": "proof", "some network": "exhibited", "every pair of positions": "enumeration"},
    asserts=exact.equals(N**2),
    grid=points("code N d_e", ("binary", 8, 3), ("hadamard", 8, 8), ("rademacher", 12, 15), ("rademacher", 4, 1024)),
    construct=lambda p: code_of_family(p.code, p.N, p.d_e, p.rng("codes")), measure=products,
    controls=[
        Control("one of the two units", breaks=exact, measure=lambda code, p: products(code, p, Fraction(1, 2))),
    ],
)
