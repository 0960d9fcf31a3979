r"""Constrained minimisers over temperature and read-out: excess about $\frac{qd}{n+1}$ of the risk, at every length.

Setting    $q$STR, tokens $N(0,I_d)$, labels $q^{-1/2}\sum_h\langle u,x_{t_h}\rangle$ of $n$ independent prompts, any
           tuples of distinct indices; codes of products at most $\frac12$; $q$ heads. The class: temperatures
           $\beta=\frac k{16}2\log N$, $k=1,\dots,16$, and read-outs $\|v\|\le2$; $R_{\min}$ is its least risk.
Statement  At the points, all with $n\ge qd+2$, the mean of $1-R_{\min}/R(\hat\Theta)$ over the samples is between
           $\frac34$ and $\frac54$ of $\frac{qd}{n+1}$, from $N=16$ to 1024 (4096 for equiangular codes). As
           $R_{\min}<\frac qN$ (theorem_04_frozen, with $\|v\|\le2$), at $q=1$, $N=1024$, $d=4$ nine in ten of the
           samples of 64 labels give $R\le\frac18$ (Markov); a feedforward network whose first layer is in the span of
           its prompts needs $\frac78Nd=3584$ for that, for some link (Theorem 6).
Witness    The learner: all prompts drawn, the best read-out of each temperature by least squares over the ball, and
           the best of the temperatures.
Measured   The mean, sampled, with its error probability over the draws. The risk is that over all prompts, from the
           code; a prompt enters by the sums of its tokens at each distance.
Control    Half of the temperatures; labels of another prompt; read-outs up to $\frac12$; the number of labels twice and
           half in the rate; the rate $n^{-1/2}$.
Reads      The points are sampled, nothing is said of every sample: at $n=qd$ the class fits the labels at every
           temperature. What is learned is $qd+1$ of the parameters; with the temperature fixed the law is exact
           (theorem_04_frozen), and the theorem's own rate is slower. One head for BCH words, whose positions have the
           same distances; equiangular codes have one distance, and any tuple is like any other.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sympy import Rational, sqrt, true

from theorytools import Claim, Control, DomainError, Quantity, points
from theorytools.codes.bch import bch
from theorytools.statistics.sampled import bounded_mean

from .._ball_least_squares import in_ball
from ..notation import N, d, n, q

excess = Quantity("excess", r"E[1-R_{\min}/R(\hat\Theta)]", "share of the risk above the least, over samples", (0, 1))
STEPS, RHO = 16, {"equiangular": 0.5, "orthonormal": 0.0}


@dataclass(frozen=True)
class Learner:
    """A class of temperatures and read-outs; prompts as sums of tokens, of ``A`` tokens each, the ``q`` indexed first.

    Parameters
    ----------
    p : the point: ``code``, ``N``, ``q``, ``d``, ``n``.
    hottest : how many of the 16 temperatures the class has, from 0 up.
    V : the largest norm of a read-out.
    foreign : whether the labels are those of another prompt.
    """

    p: object
    hottest: int = STEPS
    V: float = 2
    foreign: bool = False

    @cached_property
    def gates(self):
        """What each head takes of each sum, ``(temperatures, q, sums)``, and of how many tokens a sum consists."""
        p = self.p
        beta = 2 * np.log(p.N) * np.arange(1, self.hottest + 1) / STEPS
        if p.code == "bch":
            if p.q > 1 or p.N & (p.N - 1):
                raise DomainError(f"q = {p.q}, N = {p.N}", required="q = 1 and N = 2^k for the code bch",
                                  why="then every position has the same distances to the others")
            words = bch(p.N).sign_code()
            products = words.signs.astype(int) @ words.signs[0].astype(int)
            distance, A = np.unique(words.d_e - products, return_counts=True)
            kept = np.exp(-np.outer(beta, distance / words.d_e))[:, None]
        else:
            away = np.exp(-beta * (1 - RHO[p.code]))
            A = np.array([1] * p.q + [p.N - p.q])
            kept = np.where(np.arange(p.q)[:, None] == np.arange(p.q + 1), 1, away[:, None, None])
        return kept / (kept @ A)[..., None], A

    @cached_property
    def least(self):
        """The least risk of the class: read-outs along the direction of the label, one number for each head."""
        g, A = self.gates
        B = np.einsum("khc,c,kgc->khg", g, A, g)
        return 1 + in_ball(B, g[..., : self.p.q].sum(-1) / self.p.q**0.5, self.V)[0].min()

    def risks(self, rng, size):
        """Draw samples and return the risks of their minimisers, ``(size,)``."""
        p, (g, A) = self.p, self.gates
        X = rng.standard_normal((size, p.n, len(A), p.d)) * np.sqrt(A)[:, None]
        y = X[:, :, : p.q, 0].sum(2) / p.q**0.5
        y = np.roll(y, 1, axis=1) if self.foreign else y
        F = X.reshape(size, p.n, -1)
        G = (F.transpose(0, 2, 1) @ F / p.n).reshape(size, len(A), p.d, len(A), p.d)
        b = (F.transpose(0, 2, 1) @ y[..., None] / p.n).reshape(size, len(A), p.d)
        B = np.einsum("khc,scxey,kge->skhxgy", g, G, g, optimize=True)
        a = np.einsum("khc,scx->skhx", g, b)
        shape = (size, len(g), p.q * p.d)
        values, v = in_ball(B.reshape(*shape, -1), a.reshape(shape), self.V)
        best = values.argmin(axis=1)
        v = v[np.arange(size), best].reshape(size, p.q, p.d)
        missed = np.einsum("shc,shx->scx", g[best], v)
        missed[:, : p.q, 0] -= p.q**-0.5
        return (np.square(missed) * A[:, None]).sum((1, 2))


def construct(p, **spoiled) -> Learner:
    return Learner(p, **spoiled)


def measure(learner, p):
    least = Learner(p).least

    def share(rng, size):
        return 1 - least / learner.risks(rng, size)

    rounded = Rational(-1, 10**9)  # least and R are doubles
    return {excess: bounded_mean(share, p.seed("prompts"), low=rounded, high=1)}


def of_rate(name, rate, where=true):
    return Control(name, asserts=[excess.equals(rate, within=rate / 4)], breaks=excess, where=where)


law = q * d / (n + 1)
shared = {
    "role": "variant", "source": "derived here: Theorem 4", "construct": construct,
    "scope": {"every code, N, q, d, n": "points", "every sample": "drawn", "every tuple": "closed form",
              "every temperature": "enumeration", "every read-out": "closed form"},
}
claim = Claim(
    "Theorem 4, constrained minimisers at every length",
    asserts=excess.equals(law, within=law / 4), requires=[q < N, N >= 16, n >= q * d + 2], measure=measure,
    grid=points("code N q d n", ("bch", 16, 1, 4, 16), ("bch", 16, 1, 4, 64), ("bch", 1024, 1, 4, 8),
                ("bch", 1024, 1, 4, 64), ("equiangular", 64, 2, 3, 24),
                ("equiangular", 4096, 2, 3, 24), ("orthonormal", 256, 3, 2, 8), ("orthonormal", 256, 3, 2, 48)),
    controls=[
        Control("half of the temperatures", breaks=excess, construct=lambda p: construct(p, hottest=STEPS // 2)),
        Control("labels of another prompt", breaks=excess, where=N <= 64,
                construct=lambda p: construct(p, foreign=True)),
        Control("read-outs up to 1/2", breaks=excess, where=N <= 64, construct=lambda p: construct(p, V=0.5)),
        of_rate("half of the labels in the rate", 2 * law), of_rate("twice the labels in the rate", law / 2),
        of_rate("the rate of a square root", sqrt(law), n >= 4 * q * d),
    ], **shared,
)
