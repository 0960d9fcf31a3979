r"""With the attention of Lemma 11 and a fitted read-out, $qd+1$ labels are enough, whatever the length.

Setting    $N=2^k$ words of a linear code, products at most $\rho\le\frac12$ (Assumption 3), $q=2^r$ heads at
           $\beta=2\log N$, tokens $N(0,I_d)$, the linear link with unit $u$; tuples are translates of $(0,\dots,q-1)$,
           one label for each prompt; or one head and any $N$ orthonormal codes. The learner: least squares of the
           labels on the $qd$ attended coordinates.
Statement  The noise $s^2$ of the label given the attended tokens is at most $\nu=q(N-q)N^{-4(1-\rho)}<q/N$.
           After $n=qd+1$ labels the risk exceeds $\epsilon$ with probability at most $\frac{qd}{2\epsilon}\nu$; after
           $n\ge qd+2$ its mean is at most $\frac{n-1}{n-qd-1}\nu$. Fewer than $qd$ labels leave $1-\frac n{qd}$.
Witness    Hadamard words, equiangular vectors with product $\frac12$ and BCH words of guaranteed distance.
Measured   $s^2$ from the code by normal equations, rational or enclosed. Given the attended tokens the labels have
           Gaussian noise of variance $s^2$, so $R=s^2(1+g^\top\mathcal W^{-1}g)$, $g$ a standard normal vector and
           $\mathcal W$ a Wishart matrix with $n$ degrees of freedom: $s^2/R$ has the law
           $\mathrm{Beta}(\frac{n-qd+1}2,\frac{qd}2)$, and $P(R>\epsilon)=1-(1-s^2/\epsilon)^{qd/2}$ at $n=qd+1$.
Control    Half the temperature; every code twice; codes of dimension 1; products of 1/2; a head fewer; $N-2q$.
Proof      The tuple is a group, so the sum of all heads gives each indexed token one weight $v$, at least that of its
           own head. Divided by $v$ it misses the label by $\frac1q\sum_{j\notin T}W_j^2$, where
           $W_j\le\sum_he^{-\beta(1-G_{t_hj})}$, hence by at most $\sum_h\sum_{j\notin T}e^{-2\beta(1-\rho)}=\nu$
           (Cauchy-Schwarz). Bernoulli: $1-(1-x)^a\le ax$ for $a\ge1$.
Reads      Derived here. Attention is that of the proof, not learned (theorem_04_erm learns its temperature). Theorem 6
           asks of every feedforward network $n\ge(1-\epsilon)Nd$ at $q=1$.
"""

import numpy as np
from sympy import Eq, Rational, log

from theorytools import Claim, Control, DomainError, Enclosure, Quantity, points
from theorytools.codes.bch import bch
from theorytools.codes.families import hadamard
from theorytools.codes.gram import EquiangularCode
from theorytools.codes.signs import SignCode
from theorytools.numbers import maximum

from ..notation import N, d, n, q, rho, risk_0
from ._fitted_readout import FittedReadout

left = Quantity("noise", "s^2", "variance of a label given the attended tokens", (0, 1))
missed = Quantity("failure", r"P(R>\epsilon)", "probability that n = qd + 1 labels leave more risk", (0, 1))
mean = Quantity("mean risk", r"E\,R(\hat u)", "over the labelled prompts", (0, None))
CODES = {"hadamard": hadamard, "equiangular": lambda N: EquiangularCode(N, Rational(1, 2)),
         "bch": lambda N: bch(N).linear, "orthonormal": lambda N: EquiangularCode(N, Rational(0))}
noise = q * (N - q) * N ** (-4 * (1 - rho))


def construct(p, cooler=1, code=None, heads=None) -> FittedReadout:
    if p.q & (p.q - 1):
        raise DomainError(f"q = {p.q}", required="a power of 2", why="0, ..., q - 1 is a group, every tuple a coset")
    if p.code in ("hadamard", "bch") and p.N & (p.N - 1):
        raise DomainError(f"N = {p.N}", required="a power of 2", why="the words of a linear code are a group")
    return FittedReadout(code or CODES[p.code](p.N), 2 * log(p.N) / cooler, range(p.q), heads)


def repeated(p, words):
    return construct(p, code=SignCode(np.tile(words.signs, (p.N // words.N, 1))))


def measure(attention, p):
    def failure():
        kept = maximum([1 - attention.leftover() / Enclosure(p.risk_0), Enclosure(0)])  # R >= s^2
        return 1 - kept ** (p.q * p.d // 2) * (kept.sqrt() if p.q * p.d % 2 else 1)
    return {left: attention.leftover, missed: failure,
            mean: lambda: attention.leftover() * (p.n - 1) / (p.n - p.q * p.d - 1)}


one_bit = SignCode(np.array([[1], [-1]], dtype=np.int8))
common = {
    "role": "variant", "source": "derived here: Theorem 4", "construct": construct, "measure": measure,
    "scope": {"every code, q, d, n, risk_0": "points", "every N": "points", "some learner": "exhibited",
              "every sample": "closed form", "every tuple": "closed form"},
    "asserts": [left <= noise, missed <= q * d * noise / (2 * risk_0), mean <= (n - 1) * noise / (n - q * d - 1)],
    "requires": [rho <= Rational(1, 2), q * d >= 2, n >= q * d + 2, q < N, noise < risk_0], "derived": [rho],
    "derive": lambda attention, p: {rho: construct(p).coherence()},
}
claim = Claim(
    "Theorem 4, read-out fitted to frozen attention", **common,
    grid=points("code N q d n risk_0", *(
        (code, N, q, d, 2 * q * d + 2, "1/4") for code in ("hadamard", "equiangular", "bch") for N, q, d in
        ((16, 1, 2), (64, 1, 5), (64, 2, 3), (256, 4, 2))),
        ("hadamard", 1024, 1, 20, 42, "1/4"), ("bch", 4096, 4, 5, 42, "1/4"),
        ("bch", 2**16, 2, 10, 22, "1e-3"), ("bch", 2**16, 1, 64, 1000, "1/100"),
        ("bch", 2**20, 1, 10, 22, "1e-3")),
    controls=[
        Control("half the temperature", breaks=[left, missed, mean], where=N <= 2**16,
                construct=lambda p: construct(p, cooler=2)),
        Control("every code twice", breaks=[left, missed, mean], where=N <= 2**12,
                construct=lambda p: repeated(p, bch(p.N // 2).sign_code())),
        Control("codes of one dimension", breaks=[left, missed, mean], where=(q <= 2) & (N <= 2**12),
                construct=lambda p: repeated(p, one_bit)),
        Control("a head fewer", breaks=[left, missed, mean], where=q >= 2,
                construct=lambda p: construct(p, heads=p.q - 1)),
        Control("N - 2q for N - q", asserts=[left <= noise * (N - 2 * q) / (N - q)], breaks=left,
                where=(rho <= 0) & Eq(q, 1) & (N <= 64)),
    ],
)
any_length = Claim(
    "Theorem 4, read-out fitted to frozen attention, any length",
    **{**common, "requires": [Eq(q, 1), d >= 2, n >= d + 2, noise < risk_0]},
    grid=points("code N q d n risk_0", *(("orthonormal", N, 1, d, 2 * d + 2, "1/50")
                                         for N, d in ((6, 2), (27, 10), (33, 10), (100, 3), (1000, 20)))), controls=[
        Control("half the temperature", breaks=[left, missed, mean], construct=lambda p: construct(p, cooler=2)),
        Control("products of 1/2", breaks=left, asserts=[left <= noise],
                construct=lambda p: construct(p, code=EquiangularCode(p.N, Rational(1, 2)))),
        Control("N - 2q for N - q", asserts=[left <= noise * (N - 2 * q) / (N - q)], breaks=left, where=N <= 33),
    ],
)
