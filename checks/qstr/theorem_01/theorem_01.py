r"""Transformer row of the hierarchy: with $q$ heads only a temperature and a code length grow with $N$, as $\log N$.

Setting    $q$STR, simple or general, link $q^{-1/2}\sum_j\langle u,x_{t_j}\rangle$, isotropic tokens, $N\le2048$.
Statement  $H=q$ heads at inverse temperature $\beta\le2\log(N/\delta)$, on codes of $d_e\le6\log N$ dimensions with
           products $\le\frac12$, leave at most the weight $\delta=10^{-4}$ outside the indexed position, for every
           prompt; $E(y_i-\hat y_i)^2\le2q\delta^2$ for every index tuple, and a law of the tuples averages it.
Witness    BlockAttention on words of a BCH code, $\beta=\log((N-1)(1/\delta-1))/(1-\bar\rho)$; the two orthogonal
           words at $N=2$ attain both bounds.
Measured   Leakage over all prompts; the error by the exact forward pass, tokens averaged out, at tuples with $q$ equal
           indices (the worst) and with different ones.
Control    The last head copies the first slot; a temperature that does not grow, and twice the temperature; a duplicate
           code; one dimension per position.
Reads      6 and $N\le2048$ are ours, fitted to these codes: 4 fails at $N=2$, and 6 fails for
           longer prompts, as BCH codes only double in length.  The informal theorem speaks of sample size: this is its
           approximation half.  The learning half is Theorem 10, whose constants as derived here are far from practical
           sizes.  That fewer heads fail: Propositions 3 and 21, on the paper's hard instance exactly for
           $H<\min(q,d)$.  A floor for every learner: theorem_01_infolimit.
"""

from dataclasses import replace

import numpy as np
from sympy import Rational, log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.bch import bch
from theorytools.codes.equiangular import orthonormal
from theorytools.codes.subcode import subcode
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.network import changed
from theorytools.numbers import evaluate, maximum
from theorytools.papers.qstr.attention.tuple_risk import tuple_risk

from ..lemma_11.lemma_11 import leakage
from ..notation import N, beta, delta, q, rho, rho_1

risk = Quantity("error", r"\max_tE[(y_i-\hat y_i)^2\mid t]", "over index tuples, linear readout", (0, None))
temperature = Quantity("temperature", r"\beta", "effective inverse temperature", (0, None))
dimension = Quantity("dimension", "d_e", "of a position code", (1, None))


def construct(p, **spoiled) -> BlockAttention:
    return replace(BlockAttention(bch(p.N), p.beta, p.q, p.d), **spoiled)


def tuples(p, t):
    return [np.full((p.N, p.q), t), np.tile((t + np.arange(p.q)) % p.N, (p.N, 1))]


def measure(net, p):
    return {leakage: net.leakage(), temperature: lambda: evaluate(net.temperature), dimension: net.codes.d_e,
            risk: lambda: maximum(tuple_risk(net, T, (t + 1) % p.N) for t in net.probes(2) for T in tuples(p, t))}


def duplicate(p):
    return changed(construct(p), codes=subcode(construct(p).codes, [0, 0, *range(2, p.N)]))


claim = Claim(
    "Theorem 1, Transformers with q heads",
    role="variant", source="published: Theorem 1, the approximation half; prose",
    scope={"every N, d, q, rho_1": "points", "some network": "exhibited", "every prompt": "closed form"},
    asserts=[leakage <= delta, risk <= 2 * q * delta**2, temperature <= 2 * log(N / delta), dimension <= 6 * log(N)],
    requires=[N >= 2, N <= 2048, rho <= rho_1, rho_1 <= Rational(1, 2)],
    lets={delta: Rational(1, 10**4), beta: log((N - 1) * (10**4 - 1)) / (1 - rho_1)},
    derive=lambda net, p: {rho: net.codes.coherence()}, derived=[rho],
    grid=points("N d q rho_1", (2, 1, 1, 0), (2, 1, 2, 0), (64, 10, 3, "1/2"), (100, 10, 1, "1/2"), (256, 4, 4, "1/2"),
                (1024, 10, 2, "1/2")),
    construct=construct, measure=measure, controls=[
        Control("the last head copies the first slot", breaks=risk, where=q >= 2,
                construct=lambda p: construct(p, blocks=(*((h, 0) for h in range(1, p.q)), (1, 0)))),
        Control("the temperature 8 log 2 at all lengths", breaks=[leakage, risk],
                construct=lambda p: construct(p, beta=8 * log(2))),
        Control("twice the temperature", breaks=temperature, where=rho_1 > 0,
                construct=lambda p: construct(p, beta=2 * p.beta)),
        Control("a duplicate code", breaks=[leakage, risk], construct=duplicate),
        Control("one dimension per position", breaks=dimension, where=N >= 64,
                construct=lambda p: construct(p, codes=orthonormal(p.N))),
    ],
)
