r"""The shortest interpolant of $\ell$ rows misses the share $1-\ell/n$ of the squared length of the true vector.

Setting    $\ell$ independent rows $X\in\mathbb{Q}^{\ell\times n}$, $w\in\mathbb{R}^n$; the design is $XG$ with $G$ uniform among
           the $2^nn!$ signed permutations; labels $XGw$.  A Gaussian, spherical or sign design is a mixture of such.
Statement  $E\|\hat w-w\|^2=(1-\frac\ell n)\|w\|^2$ for the shortest $\hat w$ with $XG\hat w=XGw$: the risk of new isotropic data.
Proof      $\hat w$ is the projection of $w$ on the row space of $XG$, so that $E\|\hat w-w\|^2=w^\top Aw$ with
           $A=E[G^\top PG]$, $P$ the projection on the kernel of $X$.  $A$ commutes with all signed permutations: with
           sign changes, so it is diagonal; with permutations, so it is $aI$; $an=\operatorname{tr}P=n-\ell$.
           With Gaussian rows and noise $\sigma\xi$ on the labels it is more by $\sigma^2E\,\xi^\top(XX^\top)^{-1}\xi$, and
           $\xi^\top(XX^\top)^{-1}\xi=|\xi|^2/\chi^2$ with $n-\ell+1$ degrees of freedom, so by $\sigma^2\frac\ell{n-\ell-1}$.
Measured   The mean over the whole group of the squared distance, each $\hat w$ solved in rationals; with noise over samples.
Control    The square of the share; $\ell/n$; permutations without signs; $\frac\ell{n-\ell}$ for the noise.
Reads      Hastie, Montanari, Rosset, Tibshirani (2022), section 3, from memory; the proof is above.
"""
from dataclasses import replace
from fractions import Fraction
import numpy as np
from sympy import Ne
from theorytools import Claim, Control, Quantity, grid, points
from theorytools.measures import Law, Space, expectation, minimum_norm_interpolant, permutations, rank, signed_permutations
from theorytools.measures import squared_distance, squared_norm
from theorytools.search.kinds import Matrices, Vectors
from theorytools.statistics.sampled import truncated_mean, truncation_excess
from .notation import ell, n, s2, w2

risk = Quantity("risk", r"E\|\hat w-w\|^2", "over the design, on new isotropic data", (0, None))
ROWS = [((1, 1), (0, 1)), ((1, 1, 1), (0, 1, 2), (0, 0, 1)), ((1, 1, 1, 1), (0, 1, 2, 3), (0, 0, 1, 0), (0, 0, 0, 1))]

def unsigned(size):
    return Space(lambda: (tuple((k, 1) for k in g) for g in permutations(size)), permutations(size).count)

def measure(thing, p, group=signed_permutations):
    def missed(g):
        rows = [[row[place] * sign for place, sign in g] for row in thing[0]]
        labels = [sum(a * b for a, b in zip(row, thing[1])) for row in rows]
        return squared_distance(minimum_norm_interpolant(rows, labels), thing[1])
    return {risk: expectation(Law.uniform(group(p.n)), missed)}

claim = Claim(
    "Bias of interpolation", role="statement", source="published: Hastie et al. (2022), section 3; none",
    scope={"every n, ell, first ell rows of A and vector w": "proof"}, asserts=risk.equals((1 - ell / n) * w2), requires=[ell >= 1, ell < n],
    objects={"A": (Matrices(denominator=1), n, ROWS), "w": (Vectors(denominator=1), n, [(1, 1), (1, 2), (1, 1, 1), (0, 1, 1, 3)])},
    such_that={"the first ell rows of A are independent": lambda p: rank(p.A[: p.ell]) == p.ell}, measure=measure,
    construct=lambda p: (p.A[: p.ell], p.w), derived=[w2], derive=lambda thing, p: {w2: squared_norm(thing[1])},
    grid=points("n ell", (2, 1), (3, 1), (3, 2), (4, 2)), controls=[
        Control("the square of the share", asserts=[risk.equals((1 - ell / n) ** 2 * w2)], breaks=risk),
        Control("ell/n", asserts=[risk.equals(ell / n * w2)], breaks=risk, where=Ne(2 * ell, n)),
        Control("permutations without signs", breaks=risk, measure=lambda thing, p: measure(thing, p, unsigned))],
)

def sampled(thing, p):
    def draw(rng, size):  # w is the first unit vector: the law of the rows does not change under rotations
        X, noise = rng.standard_normal((size, p.ell, p.n)), rng.standard_normal((size, p.ell, 1)) * float(p.s2) ** 0.5
        found = np.swapaxes(X, 1, 2) @ np.linalg.solve(X @ np.swapaxes(X, 1, 2), X[:, :, :1] + noise)
        return ((found[:, :, 0] - np.eye(p.n)[0]) ** 2).sum(axis=1)
    second = 2 + 2 * p.s2**2 * Fraction(p.ell * (p.ell + 2), (p.n - p.ell - 1) * (p.n - p.ell - 3))  # of the risk, at most
    return {risk: truncated_mean(draw, p.seed("rows"), tau=400, excess=truncation_excess(second, 2, 400))}

value = 1 - ell / n + s2 * ell / (n - ell - 1)
noise = replace(
    claim, label="Interpolation of noise", role="variant", source="published: Hastie et al. (2022), section 3; none",
    scope={"every n, ell and s2": "points", "every sample": "drawn"}, asserts=risk.equals(value, within=value / 20),
    requires=[ell >= 1, n >= ell + 4, s2 > 0], objects={}, such_that={}, derived=[], derive=None, construct=lambda p: None,
    measure=sampled, grid=points("n ell s2", (9, 4, 1), (12, 2, 2)), controls=[
        Control("ell/(n - ell)", asserts=[risk.equals(1 - ell / n + s2 * ell / (n - ell), within=value / 20)], breaks=risk, where=2 * ell > n - 2),
        Control("ell/n", asserts=[risk.equals(1 - ell / n + s2 * ell / n, within=value / 20)], breaks=risk)],
)
