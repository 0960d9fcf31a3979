r"""Tokens of any covariance, as handwritten digits: $1-n/(N\operatorname{rank}\Sigma)$ of the variance stays.

Setting    Theorem 6 with independent tokens of one law with mean $\mu$ and covariance $\Sigma$; $y=\langle
           u,x_t\rangle$ with $u^\top\Sigma u=1$; networks $f(T,Wx)$, rows of $W$ in the span of the $n$ inputs, $f$
           affine in $Wx$. Here: the uniform law on the 500 held-out digits, $x$ the $d$ pixels of largest variance.
Statement  $\sup_uR\ge1-\frac n{N\operatorname{rank}\Sigma}$. More exactly the least risk is $D(u)=1-\frac1N\sum_t
           c_t^\top K^{-1}c_t$ with $K=W(I\otimes\Sigma)W^\top$, $c_t=W_t\Sigma u$ ($W_t$ the columns of token $t$),
           and its mean over a $\Sigma$-orthonormal basis is $1-\operatorname{rank}K/(N\operatorname{rank}\Sigma)$. For
           Gaussian tokens it holds for any $f$. For digits and any $f$ it is refuted: their values are finitely many.
Witness    Layers $W=AX$, integer $A$, prompts of digits. Refuted by the mean of $x_t$ given $Wx$, over all prompts.
Measured   $D$ by normal equations on a $\Sigma$-orthogonal basis $b_k$, rational. $\operatorname{rank}K$ and
           $\operatorname{rank}\Sigma$ by elimination. Without $f$ affine: $\sup_uE\operatorname{Var}(y\mid Wx,t)$ is
           the largest $\lambda$ at which $\lambda\Sigma-E\operatorname{Cov}(x_t\mid Wx,t)$ is not positive definite,
           by bisection.
Control    The identity in place of $\Sigma$; a prompt too many; $d$ for the rank; $f$ affine as the repair.
Proof      $c_t^\top K^{-1}c_t$ is the squared $\Sigma$-length of the projection of $P_tu$ on the rows of $W$; summed
           over a $\Sigma$-orthonormal basis and over $t$ it is the trace of a projection, so $\operatorname{rank}K\le
           n$. The least risk of an affine function needs the first two moments only. Gaussian tokens: $E(x_t\mid Wx)$
           is affine.
Reads      Derived here; the theorem has $\Sigma=I$ and any $f$. The largest loss is at least the mean.
"""

from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, DomainError, Quantity, enclosed_between, letter, points
from theorytools.numbers import first_independent, rational_product, rational_rank, solve_rational
from theorytools.tasks.digits import digit_images
from theorytools.theory.first_layers.exact_span import positive_definite

from ..notation import N, d, n

rank_S = letter("rank_S", "rank of the covariance of a token", latex=r"\operatorname{rank}\Sigma", integer=True,
                positive=True)
rank_K = letter("rank_K", "rank of the first layer on centred tokens", latex=r"\operatorname{rank}K", integer=True,
                positive=True)
average = Quantity("average loss", r"\frac1{\operatorname{rank}\Sigma}\sum_kD(b_k)", "over a basis", (0, 1))
worst = Quantity("worst loss", r"\sup_uD(u)", "of the links of the basis, or of all links", (0, 1))


def images(p) -> np.ndarray:
    """The pixels of largest variance of the held-out images, one row each."""
    X, _ = digit_images(held_out=True)
    if p.d > X.shape[1]:
        raise DomainError(f"d = {p.d}", required=f"d <= {X.shape[1]}", why="the images have no more pixels")
    spread = len(X) * (X * X).sum(axis=0) - X.sum(axis=0) ** 2
    return X[:, np.argsort(-spread, kind="stable")[:p.d]]


def covariance(rows) -> np.ndarray:
    """The covariance of the uniform law on the rows times the square of their number."""
    mean = rows.sum(axis=0)
    return len(rows) * rows.T @ rows - np.outer(mean, mean)


def construct(p):
    """The images, and the first layer: integers, shape (m_1, N, d)."""
    rows = images(p)
    X = rows[p.rng("prompts").integers(0, len(rows), (p.n, p.N))].reshape(p.n, -1)
    return rows, (p.rng("layer").integers(-9, 10, (p.m_1, p.n)) @ X).reshape(p.m_1, p.N, p.d)


def orthogonal_basis(S) -> list[list[Fraction]]:
    """Gram and Schmidt in the inner product of ``S``; vectors of length 0 are left out.

    The vector of an axis has products 0 with all axes before it and its own entry 1: it is the last column of the
    inverse of the block of these axes, over the last entry.
    """
    places, found = first_independent(S.tolist()), []
    for k in range(1, len(places) + 1):
        axes, v = places[:k], [Fraction(0)] * len(S)
        column = solve_rational(S[np.ix_(axes, axes)], [0] * (k - 1) + [1])
        for j, x in zip(axes, column, strict=True):
            v[j] = x / column[-1]
        found.append(v)
    return found


def losses(W, S, basis):
    """The least risk of an affine function of Wx at each link of the basis, over the label's variance."""
    WS = W.astype(object) @ S.astype(object)  # shape (m_1, N, d)
    K = np.einsum("atk,btk->ab", WS, W.astype(object))
    rows = first_independent(K.tolist())
    inverse = np.array(solve_rational(K[np.ix_(rows, rows)], np.eye(len(rows), dtype=int)), dtype=object)
    seen = sum(rational_product(c.T, rational_product(inverse, c)) for c in WS[rows].swapaxes(0, 1))
    B, N = np.array(basis, dtype=object).T, W.shape[1]
    explained, variance = ((B * rational_product(A, B)).sum(axis=0) for A in (seen, S))
    return [1 - x / (N * v) for x, v in zip(explained, variance, strict=True)]


def measure(network, p, identity=False):
    rows, W = network
    S = np.eye(p.d, dtype=np.int64) if identity else covariance(rows)
    found = losses(W, covariance(rows), orthogonal_basis(S))
    return {average: sum(found, Fraction(0)) / len(found), worst: max(found)}


def derive(network, p):
    rows, W = network
    S = covariance(rows)
    centred = rows * len(rows) - rows.sum(axis=0)
    K = np.concatenate([W[:, t] @ centred.T for t in range(p.N)], axis=1)  # its rank is that of W (I x S) W'
    return {rank_S: rational_rank(S.tolist()),
            rank_K: rational_rank((K.astype(object) @ K.T.astype(object)).tolist())}


def any_function(network, p):
    """The same supremum over all functions of Wx and t, by all prompts of two images."""
    rows, W = network
    if p.N != 2:
        raise DomainError(f"N = {p.N}", required="N = 2", why="all prompts are enumerated")
    size = len(rows)
    seen = np.zeros(size * size, dtype=np.int64)  # which value of Wx, for all pairs of images
    for row in W:
        key = ((rows @ row[0])[:, None] + rows @ row[1]).ravel()
        seen = np.unique(seen * (int(np.ptp(key)) + 1) + key - key.min(), return_inverse=True)[1]
    counts = np.bincount(seen)
    explained = [[Fraction(0)] * p.d for _ in range(p.d)]
    for t in range(2):
        tokens = np.repeat(rows, size, axis=0) if t == 0 else np.tile(rows, (size, 1))
        sums = np.stack([np.bincount(seen, weights=column) for column in tokens.T]).astype(np.int64)  # below 2^53
        for count in np.unique(counts):
            part = sums[:, counts == count]
            inner = part @ part.T
            explained = [[e + Fraction(int(x), int(count) * 2 * size**2) for e, x in zip(*pair, strict=True)]
                         for pair in zip(explained, inner, strict=True)]
    second, S = rows.T @ rows, covariance(rows)
    C = [[Fraction(int(second[k, j]), size) - explained[k][j] for j in range(p.d)] for k in range(p.d)]

    def positive(level):
        return positive_definite([[level * Fraction(int(S[k, j]), size**2) - C[k][j] for j in range(p.d)]
                                  for k in range(p.d)], Fraction(0))
    low, high = Fraction(0), Fraction(1)
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if positive(middle) else (middle, high)
    return {worst: enclosed_between(lambda: low, lambda: high)}


bound = worst >= 1 - n / (N * rank_S)
shared = {"construct": construct, "derive": derive, "derived": [rank_S, rank_K], "source": "derived here: Theorem 6"}
claim = Claim(
    "Theorem 6, any covariance",
    role="variant", **shared,
    scope={"every N, d, n, m_1": "points", "every data set": "drawn", "every affine network in the span": "proof",
           "every link": "proof"},
    asserts=[average.equals(1 - rank_K / (N * rank_S)), bound], measure=measure, requires=[n <= N * rank_S],
    grid=points("N d n m_1", (2, 4, 1, 1), (8, 4, 5, 9), (64, 4, 9, 12), (4, 16, 6, 6), (8, 16, 20, 8), (2, 64, 3, 5),
                (4, 32, 12, 16)), controls=[
        Control("the identity as covariance", asserts=[average.equals(1 - rank_K / (N * rank_S))], breaks=average,
                where=rank_S >= d, measure=lambda network, p: measure(network, p, identity=True)),
        Control("a prompt too many", asserts=[average.equals(1 - (rank_K + 1) / (N * rank_S))], breaks=average),
        Control("the dimension for the rank", asserts=[average.equals(1 - rank_K / (N * d))], breaks=average,
                where=rank_S < d),
    ],
)
discrete = Claim(
    "Theorem 6, digits and any function",
    role="pitfall", **shared, expect="REFUTED",
    scope={"every N, d, n, m_1": "points", "every network in the span": "drawn", "every link": "closed form",
           "every prompt": "enumeration"},
    note="One number computed from the prompt tells apart most of the finitely many prompts of images.",
    asserts=[bound], measure=any_function, grid=points("N d n m_1", (2, 8, 1, 1), (2, 8, 2, 2), (2, 16, 1, 1)),
    controls=[Control("affine functions", asserts=[bound], measure=measure)],
)
