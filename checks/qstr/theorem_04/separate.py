r"""Separate query and key matrices: the norm of Lemma 11's attention is then of the published order $q^2/d$.

Setting    Heads with $W^{(h)}=W_Q^{(h)\top}W_K^{(h)}$, inner width $d_e$, and
           $\sum_h(\|W_Q^{(h)}\|_F^2+\|W_K^{(h)}\|_F^2)$ for the norm; $W^{(h)}$ as in lemma_11, scale
           $\alpha=\beta q/d$. $W_V$ stays in the head.
Statement  The least such norm for Lemma 11's matrices is $2q\alpha d_e=2\frac{q^2}d\beta d_e$, where the merged ones
           have $\frac{q^3}{d^2}\beta^2d_e$.
Witness    $W_Q=\sqrt\alpha$ on the index slot, $W_K=\sqrt\alpha$ on the own code; $\alpha$ is a square, so doubles hold
           both. Dual: the block $U^{(h)}$ with $I$ in the place of $\alpha I$.
Measured   The products and norms of the stored matrices and twice the sum of $\langle W,U\rangle$, in rationals.
Control    $W_Q$ twice and $W_K$ half as long; all of $\alpha$ in $W_Q$; an inner width of $d_e-1$; a dual that is
           longer by a tenth; the order $q^3/d^2$ of merged matrices.
Proof      For $\|U\|_{\mathrm{op}}\le1$: $\langle W_Q^\top W_K,U\rangle=\langle W_K,W_QU\rangle\le\|W_K\|_F\|W_Q\|_F
           \le\frac12(\|W_Q\|_F^2+\|W_K\|_F^2)$. The largest left side is the nuclear norm, here $\alpha d_e$.
Reads      Derived here. The order of $R^2$ as transcribed, $q^2/d$, is met for every $q$ and $d$ if $Q$ and $K$ are
           separate (lemma_11_norms has the merged class); the polylog factor is $\beta d_e$. Inner width $D_e$ allows
           every merged matrix; separate norm $R^2$ implies $\sum_h\|W^{(h)}\|_F\le\frac12R^2$. For the codes of
           needed, scores that compare codes cannot do with less than $1-\rho$ times that, up to $1-\frac1N$.
"""

from fractions import Fraction
from math import isqrt

import numpy as np
from sympy import Eq, Ne, Rational

from theorytools import Claim, Control, DomainError, Quantity, points
from theorytools.codes.signs import SignCode
from theorytools.papers.qstr.attention.stored_norms import scattered_norms

from ..lemma_11.norms import construct as merged
from ..notation import N, beta, d, d_e, q
from ._code_scores import SeparateScores, independent_words

paid = Quantity("separate norm", r"\sum_h\|W_Q^{(h)}\|_F^2+\|W_K^{(h)}\|_F^2", "of the factors", (0, None))
dual = Quantity("dual value", r"2\sum_h\langle W^{(h)},U^{(h)}\rangle", "at most every separate norm", (0, None))
length = Quantity("dual norm", r"\max_h\|U^{(h)}\|_{\mathrm{op}}", "largest over heads", (0, None))
missed = Quantity("difference", r"\sum_h\|W_Q^{(h)\top}W_K^{(h)}-W^{(h)}\|_F^2", "of the products", (0, None))


def root(x) -> Fraction:
    x = Fraction(x)
    over, under = isqrt(x.numerator), isqrt(x.denominator)
    if over**2 != x.numerator or under**2 != x.denominator:
        raise DomainError(f"a scale of {x}", required="the square of a rational")
    return Fraction(over, under)


def measure(net, p, tilt=1, short=0, stretch=1):
    """Factor every head: ``tilt`` times the root on the query side, ``short`` rows left out of both factors."""
    found = dict.fromkeys((paid, dual, length, missed), Fraction(0))
    query_side, k = root(net.alpha) * Fraction(tilt), net.codes.d_e
    for h, (slot, own) in enumerate(net.wiring):
        W, U = net.W_QK(h), np.zeros((net.D_e, net.D_e))
        U[net.d + slot * k : net.d + (slot + 1) * k, net.d + own * k : net.d + (own + 1) * k] = np.eye(k)
        select = np.eye(net.D_e)[net.d : net.d + (net.q + 1) * k].reshape(net.q + 1, k, net.D_e)
        W_Q, W_K = (float(c) * select[at][: k - short]
                    for c, at in ((query_side, slot), (net.alpha / query_side, own)))  # fmt: skip
        found[paid] += scattered_norms(W_Q).squared_frobenius + scattered_norms(W_K).squared_frobenius
        found[missed] += scattered_norms(W_Q.T @ W_K - W).squared_frobenius
        found[dual] += 2 * stretch * sum((Fraction(float(x)) for x in W[U == 1]), Fraction(0))
        found[length] = max(found[length], stretch * scattered_norms(U).operator)
    return found


size = 2 * q**2 / d * beta * d_e
claim = Claim(
    "Theorem 4, separate queries and keys",
    role="variant", source="derived here: Theorem 4",
    scope={"every code, N, d_e, q, d, beta": "points", "some network": "exhibited", "every factorisation": "proof"},
    asserts=[paid.equals(size), dual.equals(size), length <= 1, missed.equals(0)], requires=[N >= 2, q <= N],
    grid=points("code N d_e q d beta", ("rademacher", 64, 67, 3, 12, 16), ("rademacher", 100, 23, 1, 8, 18),
                ("hadamard", 16, 16, 4, 4, "25/4"), ("binary", 100, 7, 20, 4, 20), ("binary", 1000, 10, 1, 16, 36)),
    construct=merged, measure=measure, controls=[
        Control("a query matrix twice as long", breaks=paid, measure=lambda net, p: measure(net, p, tilt=2)),
        Control("the whole scale in the query matrix", breaks=paid,
                measure=lambda net, p: measure(net, p, tilt=root(net.alpha))),
        Control("an inner width less by one", breaks=[paid, missed], measure=lambda net, p: measure(net, p, short=1)),
        Control("a dual longer by a tenth", breaks=[dual, length],
                measure=lambda net, p: measure(net, p, stretch=Fraction(11, 10))),
        Control("the order of merged matrices", asserts=[paid.equals(q**3 / d**2 * beta**2 * d_e)], breaks=paid,
                where=Ne(beta * q, 2 * d)),
    ],
)

price = Quantity("price of a gap", r"\tfrac1\gamma\sum_h\|W_Q^{(h)}\|_F^2+\|W_K^{(h)}\|_F^2",
                 "separate norm over the least difference of the indexed score and another one", (0, None))
widest = Quantity("price of the largest gap", r"\tfrac1{\gamma_{\max}}\sum_h\|W_Q^{(h)}\|_F^2+\|W_K^{(h)}\|_F^2",
                  "separate norm over the largest such difference", (0, None))


def factors(p) -> SeparateScores:
    return SeparateScores(independent_words(p.N, p.d_e), p.kind, p.q, p.d)


def doubled(p) -> SeparateScores:
    words = independent_words(p.N, p.d_e).signs
    return SeparateScores(SignCode(np.hstack([words, words])), "folded", p.q, p.d)


def scores(net, p):
    low, high = net.gaps()
    return {price: net.norm() / low, widest: net.norm() / high}


def floor(slots=2, k=d_e):
    return 2 * q**slots / d ** (slots - 1) * k * (N - 1) / N


needed = Claim(
    "Theorem 4, separate queries and keys need that norm",
    role="necessity", source="derived here: Theorem 4",
    note=r"""Codes with coordinates of mean 0 and uncorrelated over the $N$ words; the score of $j$ under $t$ is
    $\frac dq\omega_t^\top W_Q^\top W_K\omega_j$ in each of $q$ heads. A gap of at least $\gamma$ costs at least
    $2\frac{q^2}d\gamma d_e(1-\frac1N)$: the sum of all gaps is $\frac dq\langle W,C\rangle$,
    $C=N\sum_t\omega_t\omega_t^\top=\frac{N^2}{d_e}I$, and the proof above has $U=I$. Equal with $N-1$ coordinates.""",
    scope={"every N, d_e, q, d": "points", "every code kind": "points", "every factorisation": "proof",
           "some network": "exhibited"},
    asserts=[price >= floor()], construct=factors, measure=scores,
    grid=points("kind N d_e q d", ("identity", 8, 7, 3, 2), ("identity", 64, 63, 1, 10), ("identity", 256, 255, 40, 4),
                ("identity", 64, 20, 3, 10), ("diagonal", 64, 40, 2, 2), ("full", 64, 20, 3, 10),
                ("full", 256, 40, 9, 4), ("diagonal", 1024, 60, 1, 10)),
    controls=[
        Control("N for N - 1", asserts=[price >= floor() * N / (N - 1)], breaks=price, where=Eq(d_e, N - 1)),
        Control("the largest gap for the least", asserts=[widest >= floor()], breaks=widest, where=d_e < N - 1),
        Control("every coordinate twice", asserts=[price >= floor(k=2 * d_e)], breaks=price,
                construct=doubled, where=Eq(d_e, N - 1)),
        Control("q^3/d^2 for q^2/d", asserts=[price >= floor(3)], breaks=price,
                where=(q >= Rational(3, 2) * d) & Eq(d_e, N - 1)),
    ],
)
