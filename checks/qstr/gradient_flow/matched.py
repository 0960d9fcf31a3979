r"""One gradient step of the read-out through the codes themselves takes $\frac{N}{d_e}d$ labels or more, not $d$.

Setting    Simple 1STR, $t$ uniform, tokens $N(0,I_d)$, linear link with unit $u$, unit codes, $n$ independent prompts
           with one label each; the read-out is linear in $s_i=\sum_j\langle\omega_{t_i},\omega_j\rangle x_j$, attention
           without a softmax at $W=I$. The first step from 0, at rate $\frac12$, is $\hat v=\frac1n\sum_iy_is_i$.
Statement  $E\hat v=u$ and $E\|\hat v-u\|^2=\frac1n(d+1+d\gamma)$, $\gamma$ the mean over the indices of
           $\sum_{j\ne t}\langle\omega_t,\omega_j\rangle^2$; and $\gamma\ge\frac N{d_e}-1$ for all unit codes. So an
           error of at most 1, that of $\hat v=0$, takes $n\ge d\frac N{d_e}+1$ labels.
Proof      The $y_is_i$ are independent with mean $u$, so the error is $\frac1n(E\,y^2\|s\|^2-1)$; with $x_t$ apart
           $E\langle u,x\rangle^2\|x\|^2=d+2$, and every other token adds $d\langle\omega_t,\omega_j\rangle^2$. The Gram
           matrix has trace $N$ and rank at most $d_e$: the sum of all squared products is at least $N^2/d_e$.
Witness    Hadamard words with columns left out; orthonormal codes; a code and its copies.
Measured   $E\,y^2\|s\|^2$ by the sum over pairs of tokens and coordinates; $\gamma$ from the products.
Control    A fourth moment of 1; the indexed token left out; a Gram matrix whose rank is $2d_e$.
Reads      Derived here. It is the first step of training, not the best that $n$ labels allow ($d$ of order 1 in $N$:
           theorem_04_frozen), nor the end of training, in which the weights of other tokens fall.
"""

from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, DomainError, Quantity, points
from theorytools.codes.families import hadamard

from ..notation import N, cross, d, d_e, n

error = Quantity("error of the first step", r"E\|\hat v-u\|^2", "that of no step is 1", (0, None))
mass = Quantity("squared products", r"\gamma", "with the other codes, mean over indices", (0, None))


def construct(p, columns=0) -> np.ndarray:
    if p.d_e > p.N or p.N & (p.N - 1):
        raise DomainError(f"N = {p.N}, d_e = {p.d_e}", required="d_e <= N = 2^k", why="columns of a Hadamard matrix")
    words = np.asarray(hadamard(p.N).signs, dtype=object)[:, : columns or p.d_e]
    return words @ words.T * Fraction(1, words.shape[1])


def moment(row, t, d, fourth):
    """The mean of y^2 |s|^2: over pairs of tokens and coordinates, u the first unit vector."""
    pairs = ((j, k, r) for j in range(len(row)) for k in range(len(row)) for r in range(d) if j == k)
    return sum(row[j] * row[k] * (fourth if (j, r) == (t, 0) else 1) for j, k, r in pairs)


def measure(gram, p, fourth=3, without=False):
    rows = [[0 if without and j == t else x for j, x in enumerate(row)] for t, row in enumerate(gram)]
    total = sum(moment(row, t, p.d, fourth) for t, row in enumerate(rows))
    others = sum(x * x for t, row in enumerate(rows) for j, x in enumerate(row) if j != t)
    return {error: (total / Fraction(p.N) - 1) / p.n, mass: others / Fraction(p.N)}


claim = Claim(
    "Gradient flow, the first step from samples",
    role="variant", source="derived here: question (d)",
    scope={"every N, d_e, d, n": "proof", "every code": "proof"},
    asserts=[error.equals((d + 1 + d * cross) / n), error >= (d * N / d_e + 1) / n, mass >= N / d_e - 1],
    requires=[d_e <= N], derived=[cross], construct=construct, measure=measure,
    derive=lambda gram, p: {cross: (np.trace(gram @ gram) - p.N) / Fraction(p.N)},
    grid=points("N d_e d n", (2, 1, 1, 1), (8, 3, 2, 5), (16, 16, 3, 10), (16, 4, 3, 100), (32, 8, 1, 40)),
    controls=[
        Control("a fourth moment of 1", breaks=error, measure=lambda gram, p: measure(gram, p, fourth=1)),
        Control("the indexed token left out", breaks=error, measure=lambda gram, p: measure(gram, p, without=True)),
        Control("twice the dimensions", breaks=mass, where=2 * d_e <= N, asserts=[mass >= N / d_e - 1],
                construct=lambda p: construct(p, 2 * p.d_e)),
    ],
)
