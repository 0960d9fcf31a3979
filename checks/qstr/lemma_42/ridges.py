r"""Sums of Lipschitz functions of single directions: the units grow like $1/\epsilon$ in every dimension.

Setting    $f(x)=\sum_{i\le k}f_i(\langle u_i,x\rangle)$ on $\|x\|\le R$ in $\mathbb R^d$, unit vectors $u_i$, each
           $f_i$ with constant $L_f$ and $|f_i|\le L_fR$; networks $\sum_ja_j\sigma(\langle w_j,x\rangle+b_j)$.
Statement  The interpolants of all $f_i$ on $m$ equal cells give $k(m+1)$ units with $\|w_j\|\le1/R$, $|b_j|\le1$,
           $\|a\|^2\le k(4m-2)L_f^2R^2$ and an error of at most $kL_fR/m$. For orthonormal $u_i$ and $m^2\ge k$ the
           error is attained. $k=d$: an additive function with constant $L$ in $\mathbb R^d$ takes
           $d^{3/2}LR/\epsilon+d$ units.
Witness    Rational orthonormal bases (reflections), one for every $d$ directions; functions as in lemma_42.
Measured   The sum of the errors of all directions, exactly, an upper bound on the ball; the error of the network
           itself at the point of the ball with all coordinates amid a cell; norms of the stored weights. All in
           rationals.
Control    Half of the error; directions of length 2; a unit less; the bound $L_fR/m$ of one
           direction; a point amid a cell in one direction only.
Reads      Derived here. The lemma's functions need not be sums of such functions: for them its units grow like
           $\epsilon^{-d}$, and no construction of that kind is here. The paper needs sums only: products of codes and
           links of one direction.
"""

from fractions import Fraction

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.feedforward.piecewise_linear import LipschitzUnits
from theorytools.numbers import rational_dot
from theorytools.theory.first_layers.exact_span import orthonormal_basis

from ..notation import R_f, cells, d, k, lip_f
from .lemma_42 import inputs, outputs, path

total_error = Quantity("error", r"\sum_i\max|g_i-f_i|", "at least the largest distance on the ball", (0, None))
reached = Quantity("error reached", r"|g(x)-f(x)|", "at the point amid cells in every direction", (0, None))
units = Quantity("units", r"\#\{j\}", "of the network", (0, None))


class Ridges:
    """A sum of interpolants along unit vectors, and its function."""

    def __init__(self, directions, parts):
        self.directions, self.parts = directions, parts
        pairs = zip(directions, parts, strict=True)
        self.weights = [(a, [w * x for x in u], b) for u, g in pairs for a, w, b in g.units]

    def __call__(self, x):
        """Return the output of the network."""
        sums = [(a, rational_dot(w, x) + b) for a, w, b in self.weights]
        return sum((a * s for a, s in sums if s > 0), Fraction(0))

    def target(self, x):
        """Return the function."""
        pairs = zip(self.directions, self.parts, strict=True)
        return sum((g.target(rational_dot(u, x)) for u, g in pairs), Fraction(0))


def construct(p, length=1) -> Ridges:
    directions = []
    while len(directions) < p.k:
        directions += orthonormal_basis(p.d, p.rng(f"basis {len(directions)}"))
    scaled = [[length * x for x in u] for u in directions[: p.k]]
    return Ridges(scaled, [LipschitzUnits(*path(p), p.cells) for _ in range(p.k)])


def measure(net, p, single=False):
    near = net.directions[: 1 if single else p.d]
    x = [sum((Fraction(p.R_f * (p.cells % 2 == 0), p.cells) * u[j] for u in near), Fraction(0)) for j in range(p.d)]
    return {
        total_error: sum((g.error() for g in net.parts), Fraction(0)), reached: abs(net(x) - net.target(x)),
        inputs: max(max(p.R_f**2 * rational_dot(w, w), b * b) for _, w, b in net.weights),
        outputs: sum((a * a for a, _, _ in net.weights), Fraction(0)), units: len(net.weights),
    }


error = total_error <= k * lip_f * R_f / cells
asserts = [error, inputs <= 1, outputs <= k * (4 * cells - 2) * (lip_f * R_f) ** 2, units.equals(k * (cells + 1))]
claim = Claim(
    "Lemma 42, sums over directions",
    role="variant", source="derived here: Lemma 42",
    scope={"every function": "drawn", "every dimension": "points", "some network": "exhibited"},
    asserts=asserts, construct=construct, measure=measure,
    grid=points("teeth d k cells lip_f R_f", ("random", 2, 2, 6, 3, 2), ("random", 3, 7, 16, 1, 5),
                ("amid", 4, 4, 4, 3, 2), ("amid", 16, 16, 8, 1, 1), ("knots", 8, 3, 9, 2, 5),
                ("amid", 64, 64, 8, 2, 3)),
    controls=[
        Control("directions of length 2", breaks=inputs, construct=lambda p: construct(p, length=2),
                asserts=asserts[1:2]),
        Control("half of the error", breaks=total_error, where=Eq(k, d) & (k >= 4),
                asserts=[total_error <= k * lip_f * R_f / (2 * cells)]),
        Control("a unit less", asserts=[units <= k * (cells + 1) - 1], breaks=units),
    ],
)
attained = Claim(
    "Lemma 42, sums over directions, error attained",
    role="sharpness", source="derived here: Lemma 42",
    scope={"every dimension": "points", "some function": "exhibited"},
    asserts=[reached.equals(k * lip_f * R_f / cells), error], requires=[cells**2 >= k, k <= d],
    construct=construct, measure=measure,
    grid=points("teeth d k cells lip_f R_f", ("amid", 1, 1, 1, 1, 1), ("amid", 4, 4, 4, 3, 2),
                ("amid", 16, 16, 8, 1, 1), ("amid", 9, 9, 4, 2, 7), ("amid", 64, 64, 8, 2, 3)),
    controls=[
        Control("half of the bound", asserts=[total_error <= k * lip_f * R_f / (2 * cells)], breaks=total_error),
        Control("the bound of one direction", asserts=[total_error <= lip_f * R_f / cells], breaks=total_error,
                where=k >= 2),
        Control("amid a cell in one direction only", breaks=reached, where=k >= 2,
                measure=lambda net, p: measure(net, p, single=True)),
    ],
)
