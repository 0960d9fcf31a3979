r"""With the attention of Lemma 11 and a fitted read-out $16qd$ labels are enough, for any length and tuples.

Setting    Codes with products at most $\rho$, from each position the same ones in some order (words of a linear code,
           equiangular vectors), $q$ heads at $\beta=2\log N$, tokens $N(0,I_d)$, the linear link with unit $u$; $n$
           independent prompts with one label each, tuples of $q$ distinct indices of any kind that do not depend on the
           tokens. The learner: least squares of the labels on the $qd$ attended coordinates.
Statement  Let $\nu=q(N-1)N^{-4(1-\rho)}$. One read-out misses the label of every tuple, of indices distinct or not, by
           at most $\nu$ in mean square. If $n\ge16qd$ and $128qd\,\nu\le1$, the learner's largest risk over all tuples
           of distinct indices exceeds $27\nu$ with probability at most $3e^{-n/32}$ (proof); at the points the largest
           over five tuples, cut at $2\nu$, is at most $\frac54\nu$ on average (samples and their tuples drawn).
           `group`: for translates of $(0,\dots,q-1)$, $q=2^r$, and for one head (`any_length`), the law of the risk is
           exact: after $n=qd+1$ labels it exceeds $\epsilon$ with probability at most $\frac{qd}{2\epsilon}\nu_0$,
           $\nu_0=q(N-q)N^{-4(1-\rho)}$; after $n\ge qd+2$ its mean is at most $\frac{n-1}{n-qd-1}\nu_0$.
Witness    Orthonormal and equiangular codes, a code with its negatives, Hadamard and BCH words.
Measured   The noise of the one read-out, enclosed, and of samples the largest risk, both over five tuples. `group`:
           $s^2$ by normal equations, rational or enclosed; given the attended tokens labels have Gaussian noise of
           variance $s^2$, so $R=s^2(1+g^\top\mathcal W^{-1}g)$, $\mathcal W$ Wishart: $s^2/R$ has the law
           $\mathrm{Beta}(\frac{n-qd+1}2,\frac{qd}2)$, and $P(R>\epsilon)=1-(1-s^2/\epsilon)^{qd/2}$ at $n=qd+1$.
Control    Half the temperature; every code twice; codes of dimension 1; products of 1/2; a head fewer; labels of
           another prompt; $N-2$ and $N-2q$ in the bounds.
Proof      Times the normaliser $Z$ of softmax, head $h$ gives $x_{t_h}+\delta_h$,
           $\delta_h=\sum_{j\ne t_h}e_{t_hj}x_j$, $e_{ij}=e^{-\beta(1-G_{ij})}\le N^{-2(1-\rho)}$. For
           $w\in\mathbb R^{q\times d}$ the variance of $\langle w,\delta\rangle$ is
           $\sum_j\|\sum_he_{t_hj}w_h\|^2\le\|w\|^2\sum_h\sum_{j\ne t_h}e_{t_hj}^2\le\nu\|w\|^2$ (Cauchy-Schwarz);
           with $w=v_0$, all $w_h=u/\sqrt q$: the noise. *Least squares.* With rows $x_{T_i}$ in $G$, standard Gaussian
           $n\times qd$ as indices are distinct, $\Delta$ of the $\delta$, $\varepsilon=-\Delta v_0$ the misses: the
           fit is off by $(G+\Delta)^+\varepsilon$, and its risk at any tuple of distinct indices satisfies
           $\sqrt R\le\sqrt\nu+(1+\sqrt\nu)\|\varepsilon\|/(\sigma_{\min}(G)-\|\Delta\|_F)$. $\|\varepsilon\|^2$ is a
           sum of $n$ squares of variance at most $\nu$, $\|\Delta\|_F^2$ at most $\nu$ times a $\chi^2_{nqd}$: they
           exceed twice their bounds $n\nu$, $nqd\nu$ with probability at most $(2/e)^{n/2}\le e^{-n/32}$ each;
           $\sigma_{\min}(G)\ge\sqrt n-\sqrt{qd}-\frac14\sqrt n\ge\frac12\sqrt n$ but with $e^{-n/32}$ (Davidson and
           Szarek). Then $\|\Delta\|_F\le\frac18\sqrt n$ and
           $\sqrt R\le\sqrt\nu(1+(1+128^{-1/2})\frac{8\sqrt2}3)<\sqrt{27\nu}$.
           *Group.* The sum of all heads gives each indexed token one weight $v$, at least that of its own head. Divided
           by $v$ it misses the label by $\frac1q\sum_{j\notin T}W_j^2$, where $W_j\le\sum_he_{t_hj}$, hence by at most
           $\sum_h\sum_{j\notin T}e_{t_hj}^2\le\nu_0$. Bernoulli: $1-(1-x)^a\le ax$ for $a\ge1$.
Reads      Derived here. Attention is that of the proof, not learned (theorem_04_erm learns its temperature). Theorem 6
           asks $n\ge(1-\epsilon)Nd$ at $q=1$ of a feedforward network whose first layer is in the span of its prompts.
           $qd$ is what this learner needs: with one $u$ for all slots a learner that ties its heads has $d$ unknowns;
           $1-\frac n{qd}$ is the floor of links with $qd$ (theorem_01_infolimit).
"""

import numpy as np
from sympy import Eq, Rational, log

from theorytools import Claim, Control, DomainError, Enclosure, Quantity, points
from theorytools.codes.bch import bch
from theorytools.codes.equiangular import EquiangularCode
from theorytools.codes.families import hadamard
from theorytools.codes.signs import SignCode
from theorytools.numbers import maximum
from theorytools.statistics.sampled import bounded_mean

from ..notation import N, d, n, q, rho, risk_0
from ._any_tuple import AnyTuple
from ._fitted_readout import FittedReadout

missed_by = Quantity("noise of one read-out", r"\max_TE[(y-\hat y)^2]", "over tuples, the same for all", (0, None))
fitted = Quantity("risk over its bound", r"E\min(R/\nu,2)", "largest over tuples, mean over samples", (0, 2))
TABLES = {"orthonormal": lambda N: EquiangularCode(N, Rational(0)), "bch": lambda N: bch(N).sign_code(),
          "quarter": lambda N: EquiangularCode(N, Rational(1, 4)),
          "biorthogonal": lambda N: SignCode(np.vstack([hadamard(N // 2).signs, -hadamard(N // 2).signs]))}


def heads(p, cooler=1, heads=None, code=None) -> AnyTuple:
    code = code or TABLES[p.code](p.N)
    if code.N != p.N:
        raise DomainError(f"N = {p.N}", required="a power of 2", why=f"the code {p.code} has no other length")
    return AnyTuple(code, p.q, cooler, heads)


def tuples(p):
    """Return neighbours, a position with its negative where the code has them, and three that are drawn."""
    rng = p.rng("tuples")
    pair = [0, p.N // 2, *range(1, p.q - 1)][: p.q]
    return [list(range(p.q)), pair, *(rng.permutation(p.N)[: p.q].tolist() for _ in range(3))]


def any_tuple(attention, p, foreign=False):
    bound = float(p.q * (p.N - 1)) * p.N ** (-4 * (1 - float(heads(p).coherence())))

    def draw(rng, size):
        return np.minimum(attention.risks(rng, size, p.n, p.d, tuples(p), foreign=foreign) / bound, 2)

    return {missed_by: lambda: attention.noise(tuples(p)), fitted: bounded_mean(draw, p.seed("prompts"), low=0, high=2)}


nu = q * (N - 1) * N ** (-4 * (1 - rho))
claim = Claim(
    "Theorem 4, read-out fitted to frozen attention",
    role="statement", source="published: Theorem 4, attention fixed; prose",
    scope={"every code, N, q, d, n": "points", "some learner": "exhibited", "every tuple": "proof",
           "every sample": "drawn"},
    asserts=[missed_by <= nu, fitted <= Rational(5, 4)],
    requires=[q <= N, n >= 16 * q * d, 128 * q * d * nu <= 1, N >= 2], derived=[rho],
    derive=lambda attention, p: {rho: heads(p).coherence()}, construct=heads, measure=any_tuple,
    grid=points("code N q d n", ("orthonormal", 27, 1, 2, 32), ("quarter", 81, 2, 2, 64),
                ("biorthogonal", 32, 3, 2, 96), ("bch", 256, 1, 1, 32)),
    controls=[
        Control("half the temperature", breaks=[missed_by, fitted], where=N < 256,
                construct=lambda p: heads(p, cooler=2)),
        Control("a head fewer", breaks=fitted, where=q >= 2, construct=lambda p: heads(p, heads=p.q - 1)),
        Control("labels of another prompt", breaks=fitted, where=N < 64,
                measure=lambda attention, p: any_tuple(attention, p, foreign=True)),
        Control("N - 2 for N - 1", asserts=[missed_by <= nu * (N - 2) / (N - 1)], breaks=missed_by,
                where=Eq(q, 1) & (N < 64)),
    ],
)

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
              "every sample": "closed form", "every translate of the tuple": "closed form"},
    "asserts": [left <= noise, missed <= q * d * noise / (2 * risk_0), mean <= (n - 1) * noise / (n - q * d - 1)],
    "requires": [rho <= Rational(1, 2), q * d >= 2, n >= q * d + 2, q < N, noise < risk_0], "derived": [rho],
    "derive": lambda attention, p: {rho: construct(p).coherence()},
}
group = Claim(
    "Theorem 4, read-out fitted to frozen attention, translates of one tuple", **common,
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
