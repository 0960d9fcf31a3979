r"""Sums of Lipschitz functions of single directions: the units grow like $1/\epsilon$ in every dimension.

Setting    $f(x)=\sum_{i\le k}f_i(\langle u_i,x\rangle)$ on $\|x\|\le R$ in $\mathbb R^d$, unit vectors $u_i$, each
           $f_i$ with constant $L_f$ and $|f_i|\le L_fR$; networks $\sum_ja_j\sigma(\langle w_j,x\rangle+b_j)$.
Statement  The interpolants of all $f_i$ on $m$ equal cells give $k(m+1)$ units with $\|w_j\|\le1/R$, $|b_j|\le1$,
           $\|a\|^2\le k(4m-2)L_f^2R^2$ and an error of at most $kL_fR/m$. For orthonormal $u_i$, $m^2\ge k$, the
           error is attained.
Proof      By lemma_42 for each $f_i$, with $w=u_i/R$ times the weight on the line: errors and squared norms add, and
           $|\langle u_i,x\rangle|\le R$. With $f_i$ of the largest weights (lemma_42, knots) the norm is attained. With
           a tent in the cell next to 0 all errors have one sign at the point of coordinates $\pm\frac Rm$ (or 0), which
           lies in the ball for $k\le m^2$.
Witness    Rational orthonormal bases (reflections), one for every $d$ directions; functions as in lemma_42; a tent in
           the cell next to 0 of a line, for the error.
Measured   The sum of the errors of all directions, exactly, an upper bound on the ball; the error of the network
           itself at the point of the ball with all coordinates amid that cell; norms of the stored weights. All in
           rationals.
Control    $k-1$ for $k$; $m+1$ for $m$; directions of length 2; a unit less; directions of the network reversed; a
           point amid a cell in one direction only.
Reads      Derived here. If $f$ is an additive function with constant $L$ on all of $\mathbb R^d$, $\sum_iL_i^2\le
           L^2$, so that $k=d$ and equal constants take $d(\lceil\sqrt dLR/\epsilon\rceil+1)$ units for the error
           $\epsilon$. Other functions of $k$ directions need $(LR/\epsilon)^k$ units up to a logarithm
           (lemma_42_counting), and no construction for them is here. The paper needs sums: products of codes and links
           of one direction.
"""

from fractions import Fraction

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.feedforward.lipschitz_units import LipschitzUnits
from theorytools.numbers import rational_dot
from theorytools.theory.first_layers.exact_span import orthonormal_basis

from ..notation import R_f, cells, d, k, lip_f
from .lemma_42 import outputs, path

total_error = Quantity("error", r"\sum_i\max|g_i-f_i|", "at least the largest distance on the ball", (0, None))
reached = Quantity("error reached", r"|g(x)-f(x)|", "at the point amid a cell in every direction", (0, None))
inputs = Quantity("squared input weights", r"\max_j\max(R^2\|w_j\|^2,b_j^2)", "largest", (0, None))
units = Quantity("units", r"\#\{j\}", "of the network", (0, None))


class Ridges:
    """A sum of interpolants along unit vectors, and its function."""

    def __init__(self, directions, parts, reverse=False):
        self.directions, self.parts, sign = directions, parts, 1 - 2 * reverse
        pairs = zip(directions, parts, strict=True)
        self.weights = [(a, [sign * w * x for x in u], b) for u, g in pairs for a, w, b in g.units]

    def __call__(self, x):
        """Return the output of the network."""
        sums = [(a, rational_dot(w, x) + b) for a, w, b in self.weights]
        return sum((a * s for a, s in sums if s > 0), Fraction(0))

    def target(self, x):
        """Return the function."""
        pairs = zip(self.directions, self.parts, strict=True)
        return sum((g.target(rational_dot(u, x)) for u, g in pairs), Fraction(0))


def paths(p):
    """Break points and values: as in lemma_42, or a line with a tent in one cell."""
    R, h, L = Fraction(p.R_f), Fraction(2 * p.R_f, p.cells), p.lip_f
    if p.teeth != "tent":
        return path(p)
    left = h * (p.cells // 2) - R  # 0, or the start of the middle cell
    low = -L * (R - h / 2)
    x = [-R, left, left + h / 2, left + h, R]
    y = [low, low + L * (left + R), low + L * (left + R - h / 2), low + L * (left + R), -low]
    kept = [j for j in range(5) if j in (0, 2, 4) or (x[j] not in (-R, R))]
    return [x[j] for j in kept], [y[j] for j in kept]


def construct(p, length=1, reverse=False) -> Ridges:
    directions = []
    while len(directions) < p.k:
        directions += orthonormal_basis(p.d, p.rng(f"basis {len(directions)}"))
    scaled = [[length * x for x in u] for u in directions[: p.k]]
    return Ridges(scaled, [LipschitzUnits(*paths(p), p.cells) for _ in range(p.k)], reverse)


def measure(net, p, single=False):
    # amid the cell next to 0: coordinates of size R/m, or 0 amid the middle one, so |x|^2 <= k R^2/m^2
    near = net.directions[: 1 if single else p.d]
    x = [sum((Fraction(p.R_f * (p.cells % 2 == 0), p.cells) * u[j] for u in near), Fraction(0)) for j in range(p.d)]
    return {
        total_error: sum((g.error() for g in net.parts), Fraction(0)), reached: abs(net(x) - net.target(x)),
        inputs: max(max(p.R_f**2 * rational_dot(w, w), b * b) for _, w, b in net.weights),
        outputs: sum((a * a for a, _, _ in net.weights), Fraction(0)), units: len(net.weights),
    }


error = total_error <= k * lip_f * R_f / cells
heavy = k * (4 * cells - 2) * (lip_f * R_f) ** 2
asserts = [error, inputs <= 1, outputs <= heavy, units.equals(k * (cells + 1))]
shared = {"source": "derived here: Lemma 42", "construct": construct, "measure": measure}
claim = Claim(
    "Lemma 42, sums over directions",
    role="variant", **shared,
    scope={"every teeth, cells, lip_f, R_f": "proof", "every function": "proof", "every dimension d, k": "proof",
           "some network": "exhibited"}, asserts=asserts,
    grid=points("teeth d k cells lip_f R_f", ("random", 2, 2, 6, 3, 2), ("random", 3, 7, 16, 1, 5),
                ("tent", 4, 4, 4, 3, 2), ("tent", 8, 3, 9, 1, 1), ("knots", 8, 3, 9, 2, 5), ("tent", 20, 20, 6, 2, 3)),
    controls=[
        Control("directions of length 2", breaks=inputs, construct=lambda p: construct(p, length=2),
                asserts=asserts[1:2]),
        Control("a unit less", asserts=[units <= k * (cells + 1) - 1], breaks=units),
    ],
)
attained = Claim(
    "Lemma 42, sums over directions, error attained",
    role="sharpness", **shared,
    scope={"every teeth, cells, lip_f, R_f": "proof", "every dimension d, k": "proof", "some network": "exhibited"},
    asserts=[reached.equals(k * lip_f * R_f / cells), error], requires=[cells**2 >= k, k <= d, cells >= 3],
    grid=points("teeth d k cells lip_f R_f", ("tent", 1, 1, 4, 1, 1), ("tent", 4, 4, 4, 3, 2), ("tent", 5, 2, 4, 1, 1),
                ("tent", 9, 9, 5, 2, 7), ("tent", 20, 20, 6, 2, 3)), listed=["teeth"],
    controls=[
        Control("k - 1 for k", asserts=[total_error <= (k - 1) * lip_f * R_f / cells], breaks=total_error),
        Control("m + 1 for m", asserts=[total_error <= k * lip_f * R_f / (cells + 1)], breaks=total_error),
        Control("directions of the network reversed", breaks=reached, asserts=[reached.equals(k * lip_f * R_f / cells)],
                where=cells <= 4, construct=lambda p: construct(p, reverse=True)),
        Control("amid a cell in one direction only", breaks=reached, where=(k >= 2) & (cells <= 4),
                asserts=[reached.equals(k * lip_f * R_f / cells)],
                measure=lambda net, p: measure(net, p, single=True)),
    ],
)
