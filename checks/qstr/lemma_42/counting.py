r"""Functions of $k$ directions at once need $(LR/\epsilon)^k$ units up to a logarithm.

Setting    Networks $c+\sum_{j\le m}a_j\sigma(\langle w_j,x\rangle+b_j)$ on the ball of radius $R$ in $\mathbb R^k$,
           all $f$ with Lipschitz constant $L_f$; $n_p=s^k$ points, $s-1$ steps of $2\epsilon/L_f$ in every coordinate,
           $\frac{L_fR}\epsilon\ge\sqrt k\,(s-1)$.
Statement  If for every such $f$ a network of $m$ units is closer than $\epsilon$, then $2^{n_p}\le
           D^m\cdot2\sum_{i<P}\binom{n_p-1}i$ with $D=2\sum_{i\le k}\binom{n_p-1}i$, $P=m(k+1)+1$; the least such $m$
           is at least $\frac{n_p}{4(k+1)\log_2n_p}$.
Adversary  All networks, by counting.
Measured   The least $m$, by big integers, one unit after the other.
Control    The logarithm left out; a constant eight times as large; a dimension more; units that take every pattern.
Proof      The points lie in the ball and $2\epsilon/L_f$ apart, so for all signs there is an $f$ with
           $f(x_i)=\pm\epsilon$ (McShane), whose network has these signs. A unit is on at the points of a half-space:
           at most $D$ patterns (Cover 1965). Given the patterns the outputs are linear in $(a_jw_j,a_jb_j)_j$ and $c$,
           $P$ numbers, and linear functions of $P$ numbers have at most $2\sum_{i<P}\binom{n_p-1}i$ sign patterns at
           $n_p$ points. Both sums are at most $n_p^k$ and $n_p^{m(k+1)}$, so with $l=\log_2n_p\ge1$ the count is below
           $2^{m(1+kl)+1+m(k+1)l}$; for $m<\frac{n_p}{4(k+1)l}$ the exponent is below $\frac{n_p}2+1\le n_p$: no such
           $m$.
Reads      Derived here; weak in its constants: at $k=1$ about $n_p$ units are needed. Lemma 42's exponent of
           $\frac{L_fR}\epsilon$ is $k$ too, from above.
"""

from sympy import log

from theorytools import Claim, Control, Quantity, letter, points

from ..notation import k

side = letter("side", "points in every coordinate", latex="s", integer=True, positive=True)
least = Quantity("least width", "m", "of networks that may approximate all functions", (1, None))
n_p = side**k


def patterns(count, dimension) -> int:
    """Twice the sum of the first binomials: sign patterns of linear functions of so many numbers at count points."""
    term, total = 1, 0
    for i in range(min(dimension, count)):
        total, term = total + term, term * (count - 1 - i) // (i + 1)
    return 2 * total


def construct(p) -> int:
    return p.side**p.k


def measure(count, p, any_pattern=False):
    width, signs = 1, 2**count if any_pattern else patterns(count, p.k + 1)
    own = signs
    while own * patterns(count, width * (p.k + 1) + 1) < 2**count:
        width, own = width + 1, own * signs
    return {least: width}


bound = n_p / (4 * (k + 1) * log(n_p) / log(2))
claim = Claim(
    "Lemma 42, functions of several directions at once",
    role="necessity", source="derived here: Lemma 42",
    scope={"every network": "proof", "every size k, side": "proof"},
    asserts=[least >= bound], construct=construct, measure=measure, requires=[side >= 2, n_p <= 1500],
    grid=points("k side", (1, 8), (1, 64), (1, 1024), (2, 4), (2, 16), (2, 32), (3, 4), (3, 8), (4, 5), (6, 3)),
    controls=[
        Control("the logarithm left out", asserts=[least >= n_p / (4 * (k + 1))], breaks=least, where=n_p >= 60),
        Control("units that take every pattern", breaks=least, where=bound > 1,
                measure=lambda count, p: measure(count, p, any_pattern=True)),
        Control("a constant eight times as large", asserts=[least >= 8 * bound], breaks=least, where=n_p >= 60),
        Control("a dimension more in the exponent", asserts=[least >= bound * side], breaks=least, where=side >= 8),
    ],
)
