r"""Most sign codes of length $\lceil16\ln N\rceil$ leave at least half of their length between target and others.

Setting    $N$ random sign vectors $t_i\in\{\pm1\}^k$ of length $k=\lceil16\ln N\rceil$, drawn again until
           $\mu=\max_{i\ne j}\langle t_i,t_j\rangle\le k/2$. The gap is $\Delta=k-\mu$.
Statement  Such codes exist for every $N\ge2$, with $\Delta\ge k/2$; a draw fails with probability at most
           $\frac{N(N-1)}2e^{-k/8}<\frac12$.
Proof      $\langle t_i,t_j\rangle$ is a sum of $k$ independent signs: above $\frac k2$ with probability at most
           $e^{-k/8}$ (Hoeffding), for one of $\frac{N(N-1)}2$ pairs at most that often, and $e^{-k/8}\le N^{-2}$.
Witness    Codes drawn by position; the least distance over all pairs.
Measured   $\Delta$ from inner products, an integer (at least $\frac k2$ by the stopping rule of the draw); the expected
           number of pairs with $\mu>k/2$, a binomial tail; and, beside the rule, the proportion of draws with such a
           pair, of signs drawn here.
Control    Codes of a quarter of the length; a code used twice; half of the exponent's length; draws half as long.
Reads      The abstract names nearly orthogonal vectors in $O(\log N)$ dimensions; the constant 16 is derived here
           (Hoeffding's inequality, union bound). The positive side suffices: far apart is harmless.
"""

import numpy as np
from sympy import Rational, ceiling, exp, log

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.codes.dimensions import expected_violations
from theorytools.codes.families import rademacher
from theorytools.codes.lookup import jl_signs
from theorytools.codes.signs import SignCode
from theorytools.codes.subcode import subcode
from theorytools.statistics.sampled import proportion

from ..notation import N, k

gap = Quantity("gap", r"\Delta", "target score minus the largest other one", (0, 2 * k))
length = Quantity("length", "k", "coordinates of a code")
fails = Quantity("failing pairs", r"E\,\#\{i<j:\langle t_i,t_j\rangle>k/2\}", "expected in one draw", (0, None))
misses = Quantity("failing draws", r"\Pr(\max_{i<j}\langle t_i,t_j\rangle>k/2)", "of independent draws", (0, 1))


def failing(p, length):
    """Draws in which two sign vectors have an inner product above half of their length."""
    def one(rng):
        T = 2 * rng.integers(0, 2, (p.N, length)).astype(np.float32) - 1
        products = T @ T.T
        np.fill_diagonal(products, -length)
        return 2 * products.max() > length
    return proportion(lambda rng, size: np.array([one(rng) for _ in range(size)]), p.seed("draws"))


def construct(p) -> SignCode:
    return SignCode(jl_signs(p.N, p.rng("codes")))


def measure(code, p):
    products = code.signs.astype(int) @ code.signs.astype(int).T
    return {gap: code.d_e - int(products[np.triu_indices(len(products), 1)].max()), length: code.d_e,
            fails: exactly(expected_violations(p.N, code.d_e, one_sided=True)), misses: failing(p, code.d_e)}


of_one_code = [gap >= k / 2, length.equals(ceiling(16 * log(N))), fails <= N * (N - 1) / 2 * exp(-k / 8),
               fails <= Rational(1, 2)]
claim = Claim(
    "Nearly orthogonal codes",
    role="statement", source="published: nearly orthogonal vectors in O(log N) dimensions; prose",
    scope={"every N": "proof", "some code": "exhibited", "every pair of positions": "enumeration"},
    asserts=[*of_one_code, misses <= Rational(1, 2)],
    grid=points("N", (2,), (16,), (64,), (200,)),
    derive=lambda code, p: {k: code.d_e}, derived=[k], construct=construct, measure=measure,
    controls=[
        Control("a quarter of the length", breaks=[gap, length, fails], where=N >= 64, asserts=of_one_code,
                construct=lambda p: rademacher(p.N, -(-construct(p).d_e // 4), p.rng("short"))),
        Control("a code used twice", breaks=gap, asserts=of_one_code,
                construct=lambda p: subcode(construct(p), [0, 0, *range(2, p.N)])),
        Control("natural logarithm read as binary", breaks=length,
                asserts=[gap >= k / 2, length.equals(ceiling(16 * log(N) / log(2)))]),
        Control("half of the exponent more", breaks=fails, where=N >= 64,
                asserts=[gap >= k / 2, fails <= N * (N - 1) / 2 * exp(-3 * k / 16)]),
        Control("draws half as long", breaks=misses, where=N >= 64, asserts=[misses <= Rational(1, 2)],
                measure=lambda code, p: {misses: failing(p, code.d_e // 2)}),
    ],
)
