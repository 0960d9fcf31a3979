r"""Index tuples spread over few Gaussian tokens: what every network misses, and what one network misses at most.

A tuple that names Gaussian token :math:`j` in :math:`m_j` slots has the label
:math:`(qd)^{-1/2}\sum_jm_j(\|x_j\|^2-d)`.  Given the scores, heads show :math:`\mathcal A\otimes\mathbb R^d+\mathbb
R^K\otimes\mathcal W` (proposition_03); with :math:`M=\mathrm{diag}(m)` and the projector :math:`P` on
:math:`\mathcal A^\perp` they leave :math:`\frac{d-h_w}{qd}(2\|PMP\|^2+4\|PM(I-P)\|^2)`.  The eigenvalues of :math:`PMP`
interlace with those of :math:`M`: its squared norm is at least the sum of the :math:`K-h_a` smallest :math:`m_j^2`.
"""

from fractions import Fraction

import numpy as np

from theorytools.numbers import rational_inverse, rational_product


def even(slots, tokens):
    """How often each of so many tokens is named when the slots are spread evenly."""
    return [slots // tokens + (j < slots % tokens) for j in range(tokens)] if tokens else []


def least(m, H, d, q):
    """What H heads miss at least, whatever their weights and directions."""
    return Fraction(2 * max(d - H, 0), q * d) * sum(sorted(x * x for x in m)[: max(len(m) - H, 0)])


def average(N, q, late, early):
    """The risk: K early positions, which see their own token, and the N - K late ones."""
    K = (N + 1) // 2 - 1
    return (K * early(even(q, K - 1)) + (N - K) * late(even(q, K))) / Fraction(N)


def least_risk(N, d, q, H):
    """The risk of every network under the evenly spread law."""
    return average(N, q, *[lambda m: least(m, H, d, q)] * 2)


def left(m, weights, directions, d, q):
    """What heads with these rows of weights and a number of independent directions miss, exactly."""
    A = [list(map(Fraction, row)) for row in weights]
    seen = rational_product(rational_product(_transposed(A), rational_inverse(rational_product(A, _transposed(A)))), A)
    P = [[Fraction(i == j) - x for j, x in enumerate(row)] for i, row in enumerate(seen)]
    all_of_it = sum(m[j] ** 2 * P[j][j] for j in range(len(m)))  # |PM|^2, and |PMP|^2 by the cyclic trace
    inner = sum(P[i][j] ** 2 * m[i] * m[j] for i in range(len(m)) for j in range(len(m)))
    return Fraction(d - directions, q * d) * (4 * all_of_it - 2 * inner)


def drawn_risk(rng, N, d, q, H):
    """The risk behind H heads with drawn weights and H independent directions, under the evenly spread law."""
    def missed(m):
        return left(m, rng.integers(1, 100, (min(H, len(m)), len(m))).tolist(), H, d, q) if len(m) > H else Fraction(0)

    return average(N, q, missed, missed)


def most(tokens, H, q):
    """What the network that copies the H tokens named most often misses at most, over all tuples on these tokens."""
    return max((Fraction(2 * sum(sorted(m, reverse=True)[k] ** 2 for k in range(H, tokens)), q)
                for m in _compositions(q, tokens)), default=Fraction(0))


def most_risk(N, q, H):
    """The risk of that network under the law that is worst for it."""
    K = (N + 1) // 2 - 1
    return (K * most(K - 1, H, q) + (N - K) * most(K, H, q)) / Fraction(N)


def _compositions(total, parts):
    if parts == 1:
        yield (total,)
    elif parts > 1:
        yield from ((first, *rest) for first in range(total + 1) for rest in _compositions(total - first, parts - 1))


def _transposed(A):
    return np.array(A, dtype=object).T.tolist()
