r"""At $N=16$ and $64$ at least half of all samples of eight labels make every recurrent minimiser good.

Setting    Simple 1STR, $d=1$, tokens and labels $\pm1$, codes with gap $\gamma=\frac12$. The network that tracks
           positions (proposition_26) with two learned parameters: the slope $K\ge0$ of its gate and the read-out
           $|v|\le V$, $V\ge1$, of its state, to which position $j$ adds $x_j$, cut by
           $K(1-\langle\omega_t,\omega_j\rangle)$. All slopes from $1/\gamma$ on give one network.
Statement  At $N=16$ and $64$ with $n=8$, with probability at least $\frac12$ over the sample, every parameter within
           $2^{-14}$ of the least empirical risk has $R\le\frac1{512}$: four times the length needs no more labels.
           Feedforward networks need $(1-\frac1{512})N$ (Theorem 6), on every sample.
Adversary  Branch and bound over $K$ in rationals; the read-out is a quadratic minimum, clipped.
Measured   Of 48 samples: the range of $R$, closed form in the code's weights, over all these parameters; the
           probability between samples certified to be good and to be bad.
Control    Slopes up to $\frac1{2\gamma}$ only; no gate; labels of another position; read-outs up to $\frac12$.
Reads      Two parameters of many are learned. On some samples the range of these risks reaches beyond $\frac1{512}$.
           What the class of the theorem costs in labels is in theorem_07.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, points

from .._share_of_samples import samples, share
from .._two_parameters import GateLearner
from ..notation import N, d, n, q
from ..theorem_10.erm import V

good = Quantity("good samples", r"\Pr(\max_{\hat\Theta}R\le\tfrac1{512})", "every minimiser is good", (0, 1))


def construct(p, steepest=2, foreign=0):
    gates = Fraction(-steepest), Fraction(0)
    return samples(p, lambda one: GateLearner.drawn(one, gates, foreign=foreign, recurrent=True))


claim = Claim(
    "Theorem 7, constrained minimisers at every length",
    role="statement", source="published: Theorem 7; prose",
    scope={"every N, n, d, q, V": "points", "every sample": "drawn", "every minimiser": "enumeration"},
    measure=lambda learners, p: {good: share(learners, Fraction(1, 512), Fraction(1, 2**14))},
    asserts=good >= Rational(1, 2), listed=[N, n, d, q, V], tier="minutes",
    grid=points("N n d q V", (16, 8, 1, 1, 1), (64, 8, 1, 1, 1)),
    construct=construct, controls=[
        Control("gentle slopes", breaks=good, where=N <= 16, construct=lambda p: construct(p, steepest=1)),
        Control("no gate", breaks=good, where=N <= 16, construct=lambda p: construct(p, steepest=0)),
        Control("read-outs up to 1/2", breaks=good, where=N <= 16,
                construct=lambda p: [replace(one, V=Fraction(1, 2)) for one in construct(p)]),
        Control("labels of another position", breaks=good, where=N <= 16, construct=lambda p: construct(p, foreign=1)),
    ],
)
