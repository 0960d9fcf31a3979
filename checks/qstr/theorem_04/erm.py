r"""At $N=16$ and $32$ at least half of all samples of eight labels make every Transformer of least empirical risk good.

Setting    As in theorem_10_erm: one head, $d=q=1$, tokens and labels $\pm1$, codes of products at most $\frac12$. The
           class: all temperatures up to $2\log N$ (rounded up as there) and read-outs $|v|\le V$, $V\ge2$.
Statement  At $N=16$ and $32$ with $n=8$, with probability at least $\frac12$ over the sample, every minimiser has
           $R\le\frac1N$: twice the length needs no more labels. Feedforward networks need $(1-\frac1N)N$ for that
           risk (Theorem 6, $d=1$), on every sample.
Adversary  Branch and bound over $z=e^{-2\beta/d_e}$ in rationals; the read-out is a quadratic minimum, clipped.
Measured   Of 48 samples: the range of $R$, closed form in the code's weights, over all parameters within $2^{-13}$ of
           the least empirical risk; the probability between samples certified to be good and to be bad.
Control    Half of the temperatures; $V=1$; uniform attention; labels of another position.
Reads      Not every sample will do: at $N=16$ about one in fifty of eight labels has minimisers of larger risk. Only
           temperature and read-out are learned, two of the parameters. $1/N$ is what theorem_04_frozen leaves at
           $\rho=\frac12$.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, points

from .._share_of_samples import samples, share
from ..notation import N, d, n, q
from ..theorem_10.erm import V
from ..theorem_10.erm import construct as learner

good = Quantity("good samples", r"\Pr(\max_{\hat\Theta}R\le\tfrac1N)", "share on which every minimiser is good", (0, 1))


def construct(p, **spoiled):
    return samples(p, lambda one: learner(one, **spoiled))


def measure(learners, p):
    return {good: share(learners, Fraction(1, p.N))}


claim = Claim(
    "Theorem 4, constrained minimisers at every length",
    role="statement", source="published: Theorem 4; prose",
    scope={"every N, n, d, q, V": "points", "every sample": "drawn", "every minimiser": "enumeration"},
    asserts=good >= Rational(1, 2), listed=[N, n, d, q, V], tier="minutes",
    grid=points("N n d q V", (16, 8, 1, 1, 2), (32, 8, 1, 1, 2)),
    construct=construct, measure=measure, controls=[
        Control("half of the temperatures", breaks=good, where=N <= 16, construct=lambda p: construct(p, top=1)),
        Control("a read-out that cannot rescale", breaks=good, where=N <= 16,
                construct=lambda p: [replace(one, V=Fraction(1)) for one in construct(p)]),
        Control("uniform attention", breaks=good, construct=lambda p: construct(p, top=0)),
        Control("labels of another position", breaks=good, where=N <= 16, construct=lambda p: construct(p, foreign=1)),
    ],
)
