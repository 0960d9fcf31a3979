r"""A network whose state is a codeword has risk below $1-\frac2\pi$ with a slope that does not grow with $N$.

Setting    General 1STR, $N(0,1)$ payloads. State $h=D^{-1/2}(-1)^{\mathcal E(b)}$, $b$ the signs of the payloads read,
           $\mathcal E$ a binary linear code of length $D=6N$ and relative distance $\beta$; $U=I$, $r_h=1$.
Statement  The readout $\min_c\{\pm_{c_k}a+\ell\|v-c\|\}$, $a=\sqrt{2/\pi}$, reads the signs of every prompt for
           $\ell^2=\frac2{\pi\beta}$. The risk is $\frac{N-1}N(1-\frac2\pi)$; $\ell\le1.552$ if $\beta\ge0.26441$.
           $H(\beta)\le\frac56$ at $\beta=0.26441$, so that such a code exists for every $N$ by counting.
Proof      The $2^N-1$ nonzero words of a uniform linear code are uniform; at most $2^{H(\beta)D}$ of $2^D$ are short,
           so fewer than one is expected.
Witness    The best of eight random codes; all words enumerated.
Measured   For $N\le8$ every sign pattern, position and index is run through both directions: wrong reads counted, the
           risk from the values read. The slope from the least distance. $H$ in ball arithmetic;
           the expected number of short words, exactly.
Control    Nine tenths of the slope; a transition that forgets; no backward state; repeated bits for a code;
           a distance one in ten thousand larger; length $5N$.
Reads      The network is derived here; the paper has none.
"""

from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np
from sympy import Rational, pi

from theorytools import Claim, Control, Quantity, enclosed, grid
from theorytools.codes.linear import LinearCode
from theorytools.constructions.network import changed
from theorytools.numbers import Enclosure
from theorytools.papers.qstr.recurrent.code_state import GILBERT_DISTANCE, CodeStateRNN

from ..notation import N

wrong = Quantity("wrong", r"\Pr(\hat y\ne\pm a)", "fraction of reads that miss the value of the sign", (0, 1))
risk = Quantity("risk", "R", "mean squared error for Gaussian payloads", (0, None))
slope = Quantity("slope", r"\ell", "Lipschitz constant of the readout times the norm of U", (0, None))
entropy = Quantity("entropy", r"H(\beta)", "binary entropy in bits", (0, 1))
short = Quantity("short words", r"2^{-D}(2^N-1)\sum_{k\le\beta D}\binom Dk", "expected in a code", (0, None))
flat = slope <= Rational(1552, 1000)


def construct(p) -> CodeStateRNN:
    return CodeStateRNN.drawn(p.N, p.rng("code"))


def repeated(p):
    code = LinearCode(np.repeat(np.eye(p.N, dtype=np.uint8), 6, axis=1))
    return CodeStateRNN(p.N, 6 * p.N, Fraction(code.minimum_distance(), 6 * p.N), code)


def bits(beta):
    return -sum((Enclosure(x).log() * x for x in (beta, 1 - beta)), Enclosure(0)) / Enclosure(2).log()


def by_counting(beta, p, rate=6):
    D = rate * p.N
    words = sum(binomials(D, floor(beta * D)))
    return {entropy: enclosed(lambda: bits(beta)), short: Fraction((2**p.N - 1) * words, 2**D)}


def binomials(D, last):
    """Words of weight 0, 1, ..., last among all of length D."""
    count = 1
    for k in range(last + 1):
        yield count
        count = count * (D - k) // (k + 1)


claim = Claim(
    "Proposition 8, the codeword network",
    role="foundation", source="derived here: Proposition 8",
    scope={"every N": "points", "some network": "exhibited", "every prompt": "enumeration"},
    asserts=[wrong.equals(0), risk.equals((N - 1) / N * (1 - 2 / pi), within=Rational(1, 10**12)), flat],
    requires=[N >= 2], grid=grid(N=[2, 4, 6, 8]), construct=construct,
    measure=lambda net, p: {wrong: net.wrong(), risk: enclosed(net.risk), slope: enclosed(net.slope)},
    controls=[
        Control("nine tenths of the slope", breaks=[wrong, risk],
                construct=lambda p: replace(construct(p), scale=Fraction(9, 10))),
        Control("a transition that forgets", breaks=[wrong, risk], where=N >= 3,
                construct=lambda p: changed(construct(p), kept=0, written=2 * (2**p.N - 1,))),
        Control("no backward state", breaks=[wrong, risk],
                construct=lambda p: changed(construct(p), written=(2**p.N - 1, 0))),
        Control("every bit six times", breaks=slope, where=N >= 4, construct=repeated),
    ],
)
existence = Claim(
    "Proposition 8, existence of the codes",
    role="foundation", source="derived here: Proposition 8", scope={"every N": "proof"},
    asserts=[entropy <= Rational(5, 6), short < 1],
    grid=grid(N=[1, 2, 16, 128, 1024]), construct=lambda p: GILBERT_DISTANCE, measure=by_counting,
    controls=[
        Control("a larger distance", breaks=entropy, construct=lambda p: GILBERT_DISTANCE + Fraction(1, 10**4)),
        Control("length 5 N", breaks=short, where=N >= 128, measure=lambda beta, p: by_counting(beta, p, 5)),
    ],
)
