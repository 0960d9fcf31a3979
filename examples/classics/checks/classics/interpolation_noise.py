r"""Noise adds $\sigma^2\frac\ell{n-\ell-1}$ to the risk of the shortest interpolant of $\ell$ Gaussian rows.

Setting    $X$ of $\ell\le n-4$ rows of $n$ independent standard Gaussians; $\|w\|=1$; labels $Xw+\sigma\xi$ with
           $\xi$ standard Gaussian; $\hat w$ the shortest interpolant.
Statement  $E\|\hat w-w\|^2=1-\frac\ell n+\sigma^2\frac\ell{n-\ell-1}$, judged within 5 % at these points.
Proof      $\hat w-w$ is the projection of $-w$ on the kernel of $X$ and, at a right angle to it,
           $\sigma X^\top(XX^\top)^{-1}\xi$ of squared length $\sigma^2Q$, $Q=\xi^\top(XX^\top)^{-1}\xi$.  Given $\xi$,
           $Q=\|\xi\|^2/\chi^2$ with $n-\ell+1$ degrees of freedom (Schur), so that $EQ=\frac\ell{n-\ell-1}$ and
           $EQ^2=\frac{\ell(\ell+2)}{(n-\ell-1)(n-\ell-3)}$.
Measured   The mean over samples to 5 %, truncated at 400; what that hides is bounded by $E\|\hat
           w-w\|^4\le2+2\sigma^4EQ^2$.
Control    $\frac\ell{n-\ell}$; $\frac\ell n$, as of orthogonal rows.
Reads      Hastie, Montanari, Rosset, Tibshirani (2022), section 3, from memory; the proof is above.
"""

from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, points
from theorytools.statistics.sampled import truncated_mean, truncation_excess

from .interpolation import risk
from .notation import ell, n, s2


def measure(_, p):
    def draw(rng, size):  # w is the first unit vector: the law of the rows does not change under rotations
        X, noise = rng.standard_normal((size, p.ell, p.n)), rng.standard_normal((size, p.ell, 1)) * float(p.s2) ** 0.5
        found = np.swapaxes(X, 1, 2) @ np.linalg.solve(X @ np.swapaxes(X, 1, 2), X[:, :, :1] + noise)
        return ((found[:, :, 0] - np.eye(p.n)[0]) ** 2).sum(axis=1)

    fourth = 2 + 2 * p.s2**2 * Fraction(p.ell * (p.ell + 2), (p.n - p.ell - 1) * (p.n - p.ell - 3))
    return {risk: truncated_mean(draw, p.seed("rows"), tau=400, excess=truncation_excess(fourth, 2, 400))}


def near(value):
    return risk.equals(1 - ell / n + s2 * value, within=(1 - ell / n + s2 * value) / 20)


claim = Claim(
    "Interpolation of noise", role="variant", source="published: Hastie et al. (2022), section 3; none",
    scope={"every n, ell and s2": "points", "every sample": "drawn"}, requires=[ell >= 1, n >= ell + 4, s2 > 0],
    asserts=near(ell / (n - ell - 1)), construct=lambda p: None, measure=measure,
    grid=points("n ell s2", (9, 4, 1), (12, 2, 2)), controls=[
        Control("one more dimension", asserts=[near(ell / (n - ell))], breaks=risk, where=2 * ell > n - 2),
        Control("orthogonal rows", asserts=[near(ell / n)], breaks=risk)],
)
