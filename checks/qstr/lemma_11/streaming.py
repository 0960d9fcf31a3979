r"""The retrieved tokens of long prompts: near codes only, within an error that is known beforehand.

Setting    As in lemma_11, one head on sign codes, $\beta>0$, tokens of norm at most $r_x$; float64, $u=2^{-53}$;
           tolerances $\tau_f$ from $10^{-9}$ to $r_x$.
Statement  Leaving out the codes at Hamming distance above $r$ and rounding change a retrieved token by at most
           $2r_xR/(1+R)+\epsilon$, $R=(N-1)e^{-2\beta(r+1)/d_e}$,
           $\epsilon=\frac{(2N+4)u}{1-(2N+4)u}r_x+d(N+1)u^{19}$.  A radius
           $r\le\frac{d_e}{2\beta}\log\frac{2r_x(N-1)}{\tau_f-\epsilon}$ keeps that within $\tau_f$.
Witness    TruncatedAttention, which finds the least such radius before it sees a token, and streamed_retrieval, which
           counts distances in bit-packed tiles.  Rows of a Hadamard matrix attain the bound.
Measured   The computed float64 tokens, as rationals, against the exact weighted mean over all $N$ codes: tokens on a
           dyadic grid are summed as integers for each distance, weights are enclosed.  Prompts: $x_t=r_xv$ and all
           others $-r_xv$; random tokens in the ball.
Control    Half of the radius; one ring fewer; a radius for one dropped code; weights at half the temperature, in
           single precision; a tolerance ten times larger, ten times smaller.
Reads      The source states the construction for all codes.  The cut, its constants and the rounding bound are derived
           here.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sympy import Eq, Ne, Rational, exp, log

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import enclosed, observed
from theorytools.codes.by_family import code_of_family
from theorytools.constructions.attention.block import BlockAttention
from theorytools.numbers import maximum
from theorytools.papers.qstr.attention.streaming import streamed_retrieval
from theorytools.papers.qstr.attention.truncated_attention import TruncatedAttention

from ..notation import N, beta, d, d_e, r_x, radius, tol_f, u_64
from ._hamming_shells import HammingShells

error = Quantity("token error", r"\max_t\|\hat f_t-f_t\|", "largest error of a computed token", (0, 2 * r_x))
certificate = Quantity("certificate", r"\bar\epsilon", "error proved before the evaluation", (0, None))
reach = Quantity("radius", "r", "largest Hamming distance that is read", (0, d_e))
far = (N - 1) * exp(-2 * beta * (radius + 1) / d_e)
rounding = (2 * N + 4) * u_64 / (1 - (2 * N + 4) * u_64) * r_x + d * (N + 1) * u_64**19
GRID = 2**30


@dataclass(frozen=True, kw_only=True)
class Spoiled(TruncatedAttention):
    """A cut whose stored weights are changed."""

    change: Callable

    def weights(self):  # noqa: D102
        return self.change(super().weights())


def construct(p, cut=TruncatedAttention, **spoiled) -> TruncatedAttention:
    return cut(**{"N": p.N, "d_e": p.d_e, "d": p.d, "beta": p.beta, "r_x": p.r_x, "tolerance": p.tol_f} | spoiled)


def spoiled(change):
    return lambda p: construct(p, Spoiled, change=lambda weights: change(weights, p))


def prompts(p):
    """Integer tokens, within the ball by a grid step, with the positions to ask for."""
    rng, inside = p.rng("prompts"), int(p.r_x * GRID) - 1
    asked = rng.choice(p.N, size=min(p.N, 3), replace=False)
    opposite = np.zeros((p.N, p.d), dtype=np.int64)
    opposite[:, 0] = np.where(np.arange(p.N) == asked[0], inside, -inside)
    side = inside / np.sqrt(p.d) * (1 - 2.0**-20)
    return [(opposite, asked[:1]), (rng.uniform(-side, side, size=(p.N, p.d)).astype(np.int64), asked)]


def measure(cut, p):
    net, runs = BlockAttention(code_of_family(p.code, p.N, p.d_e, p.rng("codes")), beta=p.beta, d=p.d), []
    for tokens, asked in prompts(p):
        T = np.resize(asked, (p.N, 1))
        computed = streamed_retrieval(net, tokens / GRID, T, cut, rows=range(len(asked))).tokens[:, 0]
        shells = (HammingShells.around(net.codes, t, tokens, unit=GRID) for t in asked)
        runs += zip(shells, computed, strict=True)
    worst = observed(lambda: maximum(shells.error(row, net.temperature) for shells, row in runs), "numpy")
    return {error: worst, certificate: enclosed(lambda: cut.error), reach: cut.radius}


claim = Claim(
    "Lemma 11, long prompts",
    role="precision", source="derived here: Lemma 11",
    scope={"every code, N, d_e, d, beta, r_x, tol_f": "points", "some algorithm": "exhibited", "every prompt": "drawn"},
    asserts=[error <= 2 * r_x * far / (1 + far) + rounding, certificate <= tol_f,
             reach <= d_e / (2 * beta) * log(2 * r_x * (N - 1) / (tol_f - rounding))],
    requires=[N >= 2, beta > 0, tol_f >= Rational(1, 10**9), tol_f > rounding, tol_f <= r_x],
    lets={u_64: Rational(1, 2**53)},
    derived=[radius], derive=lambda cut, p: {radius: cut.radius},
    grid=points("code N d_e d beta r_x tol_f",
                ("hadamard", 64, 64, 1, 20, 5, 1.3e-6), ("hadamard", 64, 64, 1, 20, 5, 1.29e-6),
                ("rademacher", 64, 67, 10, 21.3, 5, 1e-6), ("rademacher", 1024, 111, 3, 28.9, 5, 1e-9),
                ("binary", 1024, 10, 10, 15, 5, 1e-9), ("bch", 4096, 32, 10, 33.3, 5, 1e-6),
                ("rademacher", 10**5, 57, 10, 46.05, 7, 1e-6)),
    construct=construct, measure=measure,
    controls=[
        Control("half of the radius", breaks=error, where=(N < 10**4) & Ne(N, d_e),
                construct=spoiled(lambda w, p: w[: len(w) // 2])),
        Control("one ring fewer", breaks=error, where=Eq(2 * radius, d_e), construct=spoiled(lambda w, p: w[:-1])),
        Control("a radius for one dropped code", breaks=error, where=Eq(2 * radius, d_e),
                construct=spoiled(lambda w, p: w[: construct(p, N=2).radius + 1])),
        Control("weights at half the temperature", breaks=error, where=Ne(N, d_e),
                construct=spoiled(lambda w, p: np.sqrt(w))),
        Control("weights in single precision", breaks=error, where=Eq(radius, d_e - 1),
                construct=spoiled(lambda w, p: w.astype(np.float32))),
        Control("ten times the tolerance", breaks=[certificate, error], where=Eq(2 * radius, d_e),
                construct=lambda p: construct(p, tolerance=10 * p.tol_f)),
        Control("a tenth of the tolerance", breaks=reach, where=N < 10**4,
                construct=lambda p: construct(p, tolerance=p.tol_f / 10)),
    ],
)
