r"""The shortest interpolant of $\ell$ rows misses the share $1-\ell/n$ of the squared length of the true vector.

Setting    $X$ of $\ell<n$ independent rows, $w\in\mathbb{R}^n$; the design is $XG$ with $G$ uniform among the $2^nn!$
           signed permutations, labels $XGw$.  Designs of Gaussian or of spherical rows are mixtures of such ones.
Statement  The shortest $\hat w$ with $XG\hat w=XGw$ has $E\|\hat w-w\|^2=(1-\frac\ell n)\|w\|^2$, the risk on new
           isotropic data.
Proof      $\hat w$ is the projection of $w$ on the span of the rows of $XG$, so $E\|\hat w-w\|^2=w^\top Aw$,
           $A=E[G^\top PG]$, $P$ the projection on the kernel of $X$.  $A$ commutes with every $G$: with changes of
           sign, so that it is diagonal, and with permutations, so that it is $aI$; $an=\operatorname{tr}P=n-\ell$.
Measured   The mean over the whole group of the squared distance, each $\hat w$ solved in rationals.
Control    The square of the share; $\ell/n$; permutations alone, which do not move $(1,\dots,1)$.
Reads      Hastie, Montanari, Rosset, Tibshirani (2022), section 3, from memory; the proof is above.
"""

from sympy import Ne

from theorytools import Claim, Control, Quantity, points
from theorytools.measures import Law, expectation, minimum_norm_interpolant, rank, signed_permutations, squared_norm
from theorytools.search.kinds import Matrices, Vectors

from .notation import ell, n, w2

risk = Quantity("risk", r"E\|\hat w-w\|^2", "over the design, on new isotropic data", (0, None))
ROWS = [((1, 1), (0, 1)), ((1, 1, 1), (0, 1, 2), (0, 0, 1)), ((1, 1, 1, 1), (0, 1, 2, 3), (0, 0, 1, 0), (0, 0, 0, 1))]
VECTORS = [(1, 1), (1, 2), (1, 1, 1), (0, 1, 1, 3)]


def measure(thing, p, flips=1):
    def missed(g):
        rows = [[row[place] * sign**flips for place, sign in g] for row in thing[0]]
        found = minimum_norm_interpolant(rows, [sum(a * b for a, b in zip(row, thing[1], strict=True)) for row in rows])
        return squared_norm([a - b for a, b in zip(found, thing[1], strict=True)])
    return {risk: expectation(Law.uniform(signed_permutations(p.n)), missed)}


claim = Claim(
    "Bias of interpolation", role="statement", source="published: Hastie et al. (2022), section 3; none",
    scope={"every n, ell, first rows of A and vector w": "proof"}, requires=[ell >= 1, ell < n],
    objects={"A": (Matrices(denominator=1), n, ROWS), "w": (Vectors(denominator=1), n, VECTORS)},
    such_that={"the first ell rows of A are independent": lambda p: rank(p.A[: p.ell]) == p.ell}, measure=measure,
    construct=lambda p: (p.A[: p.ell], p.w), derived=[w2], derive=lambda thing, p: {w2: squared_norm(thing[1])},
    grid=points("n ell", (2, 1), (3, 1), (3, 2), (4, 2)), asserts=risk.equals((1 - ell / n) * w2), controls=[
        Control("the square of the share", asserts=[risk.equals((1 - ell / n) ** 2 * w2)], breaks=risk),
        Control("the other share", asserts=[risk.equals(ell / n * w2)], breaks=risk, where=Ne(2 * ell, n)),
        Control("permutations alone", breaks=risk, measure=lambda thing, p: measure(thing, p, 2))],
)
