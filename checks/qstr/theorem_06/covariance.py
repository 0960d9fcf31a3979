r"""Tokens of any covariance, as handwritten digits: $1-n/(N\operatorname{rank}\Sigma)$ of the variance stays.

Setting    Theorem 6 with independent tokens of one law with mean $\mu$ and covariance $\Sigma$; $y=\langle
           u,x_t\rangle$ with $u^\top\Sigma u=1$; networks $f(T,Wx)$, rows of $W$ in the span of the $n$ inputs, $f$
           affine in $Wx$. Here: the uniform law on the 500 held-out digits, $x$ the $d$ pixels of largest variance.
Statement  $\sup_uR\ge1-\frac n{N\operatorname{rank}\Sigma}$. More exactly the least risk is $D(u)=1-\frac1N\sum_t
           c_t^\top K^+c_t$ with $K=W(I\otimes\Sigma)W^\top$, $c_t=W_t\Sigma u$ ($W_t$ the columns of token $t$), and
           its mean over a $\Sigma$-orthonormal basis is $1-\operatorname{rank}K/(N\operatorname{rank}\Sigma)$. For
           Gaussian tokens it holds for any $f$; for discrete ones and any $f$ it does not (sign_tokens).
Adversary  Layers $W=AX$, integer $A$, prompts of digits.
Measured   $D$ by normal equations on a $\Sigma$-orthogonal basis $b_k$, rational. $\sup_uD$ over all links: bisected by
           whether what is explained less a share of $\Sigma$ is positive definite on the basis, by exact pivots; 1
           where some link is not explained at all. $\operatorname{rank}K$ and $\operatorname{rank}\Sigma$ by
           elimination.
Control    The identity in place of $\Sigma$; a prompt too many; $d$ for the rank; at one dimension, where the supremum
           is the mean, a prompt too few in the bound.
Proof      $c_t^\top K^+c_t$ is the squared $\Sigma$-length of the projection of $P_tu$ on the rows of $W$; summed over
           a $\Sigma$-orthonormal basis and over $t$ it is the trace of a projection, so $\operatorname{rank}K\le n$.
           The least risk of an affine function needs the first two moments only. Gaussian tokens: $E(x_t\mid Wx)$ is
           affine.
Reads      Derived here; the theorem has $\Sigma=I$ and any $f$. The largest loss of a basis is no supremum: it was .934
           at $N=3,d=6,n=4,m_1=5$, where the supremum is .99947.
"""

from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, DomainError, Enclosure, Quantity, enclosed, letter, points
from theorytools.numbers import between, first_independent, rational_product, rational_rank, solve_rational
from theorytools.tasks.digits import digit_images
from theorytools.theory.first_layers.exact_span import positive_definite

from ..notation import N, d, n

rank_S = letter("rank_S", "rank of the covariance of a token", latex=r"\operatorname{rank}\Sigma", integer=True,
                positive=True)
rank_K = letter("rank_K", "rank of the first layer on centred tokens", latex=r"\operatorname{rank}K", integer=True,
                positive=True)
average = Quantity("average loss", r"\frac1{\operatorname{rank}\Sigma}\sum_kD(b_k)", "over a basis", (0, 1))
worst = Quantity("worst loss", r"\sup_uD(u)", "over all links", (0, 1))
BISECTIONS = 12  # within 2^-12


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


def explained(W, S):
    """N times what an affine function of Wx explains of the covariance of a token, on average over the indices."""
    WS = W.astype(object) @ S.astype(object)  # shape (m_1, N, d)
    K = np.einsum("atk,btk->ab", WS, W.astype(object))
    rows = first_independent(K.tolist())
    inverse = np.array(solve_rational(K[np.ix_(rows, rows)], np.eye(len(rows), dtype=int)), dtype=object)
    return sum(rational_product(c.T, rational_product(inverse, c)) for c in WS[rows].swapaxes(0, 1))


def on_basis(A, basis):
    """A quadratic form in the coordinates of a basis."""
    B = np.array(basis, dtype=object)
    return rational_product(B, rational_product(A, B.T))


def losses(W, S, basis):
    """The least risk of an affine function of Wx at each link of the basis, over the label's variance."""
    return of_links(*forms(W, S, basis), W.shape[1])


def forms(W, S, basis):
    """What is explained, and the covariance, in the coordinates of a basis."""
    return on_basis(explained(W, S), basis), on_basis(S, basis)


def of_links(seen, own, N):
    return [1 - x / (N * v) for x, v in zip(np.diag(seen), np.diag(own), strict=True)]


def supremum(seen, own, N):
    r"""The largest loss over all links, :math:`1-\lambda_{\min}/N` of what is explained relative to the variance.

    A share c is certainly explained of every link where explained - N c S is positive definite on the basis.
    """
    found = of_links(seen, own, N)
    if len(found) == 1:
        return Enclosure(found[0])
    if rational_rank(seen.tolist()) < len(found):
        return Enclosure(1)
    low, high = Fraction(0), Fraction(1)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        rest = seen - (1 - middle) * N * own
        low, high = (low, middle) if positive_definite(rest.tolist(), Fraction(0)) else (middle, high)
    return between(max([low, *found]), high)  # a link of the basis is a link


def measure(network, p):
    rows, W = network
    S = covariance(rows)
    both = forms(W, S, orthogonal_basis(S))
    found = of_links(*both, p.N)
    return {average: sum(found, Fraction(0)) / len(found), worst: enclosed(lambda: supremum(*both, p.N))}


def identity(network, p):
    rows, W = network
    found = losses(W, covariance(rows), orthogonal_basis(np.eye(p.d, dtype=np.int64)))
    return {average: sum(found, Fraction(0)) / len(found)}


def derive(network, p):
    rows, W = network
    S = covariance(rows)
    centred = rows * len(rows) - rows.sum(axis=0)
    K = np.concatenate([W[:, t] @ centred.T for t in range(p.N)], axis=1)  # its rank is that of W (I x S) W'
    return {rank_S: rational_rank(S.tolist()),
            rank_K: rational_rank((K.astype(object) @ K.T.astype(object)).tolist())}


bound = worst >= 1 - n / (N * rank_S)
claim = Claim(
    "Theorem 6, any covariance",
    role="variant", source="derived here: Theorem 6",
    scope={"every N, d, n, m_1": "proof", "every data set": "proof", "every affine network in the span": "proof",
           "every link": "proof"},
    asserts=[average.equals(1 - rank_K / (N * rank_S)), bound], requires=[n <= N * rank_S],
    construct=construct, measure=measure, derive=derive, derived=[rank_S, rank_K],
    grid=points("N d n m_1", (2, 4, 1, 1), (6, 1, 4, 4), (8, 4, 5, 9), (64, 4, 9, 12), (4, 16, 6, 6), (8, 16, 20, 8),
                (2, 64, 3, 5)), controls=[
        Control("the identity as covariance", asserts=[average.equals(1 - rank_K / (N * rank_S))], breaks=average,
                where=(rank_S >= d) & (d >= 2), measure=identity),
        Control("a prompt too many", asserts=[average.equals(1 - (rank_K + 1) / (N * rank_S))], breaks=average),
        Control("a prompt too few in the bound", asserts=[worst >= 1 - (n - 1) / (N * rank_S)], breaks=worst,
                where=d <= 1),
        Control("the dimension for the rank", asserts=[average.equals(1 - rank_K / (N * d))], breaks=average,
                where=rank_S < d),
    ],
)
