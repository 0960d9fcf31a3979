r"""A trained GRU's state holds what its answers need and a few per cent more, and at four times the length too little.

Setting    $N$ independent uniform signs are read by a GRU of $N$ units; a linear map of the last state, of slope
           $\Lambda$ and mean squared error $c$ over all $2^N$ prompts, was trained with it to answer each sign.
           $P_\epsilon(m)$ is the largest number of states after $m$ signs that are pairwise more than $\epsilon$ apart.
Statement  With $p=(\sqrt c+\Lambda\epsilon)^2$ the need $N(1-h(p))$ is at most the bits held, $\log_2P_\epsilon(N)$,
           and at least $\frac{19}{20}$ of them, at $\Lambda\epsilon=\frac1{100}$. At $\Lambda\epsilon=\frac1{10}$ and
           $4N$ signs the need $4N(1-h(p))$ is at least a quarter of a bit more than the state holds: no read-out of
           this slope, linear or not, answers there with this error.
Proof      In a largest set of states that are more than $\epsilon$ apart a member is within $\epsilon$ of every state:
           answers from it have error at most $p$, and their sign is wrong only where they are off by 1, with
           probability at most $p$ on average over positions. The member has $P_\epsilon$ values: Fano's inequality
           for each of the independent signs, $h$ being concave.
Adversary  Networks that were trained, every prompt, every read-out of the slope.
Measured   Bits of the state, error and slope are enclosed for the weights as real numbers, over all prompts of both
           lengths. The certificate rounds the need down, by less than $10^{-8}$ bits a sign: $p$ by three factors
           $1+10^{-9}$ and some roundoff, and $p\log_2\frac1p<\frac35$.
Control    The need of one sign more; a need that does not know the error, of a network that forgets; states told apart
           at ten times the distance; a read-out of ten times the slope; the length of training.
Reads      That a network so trained fails at a length that it never saw is no surprise; that no other read-out can mend
           it is what is proved. At a slope ten times as large nothing is. The form of $p$ is hardly tested: where it is
           small it could be several times as large.  Sizes, steps and resolutions come from trial networks of other
           seeds.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import enclosed_between

from ..notation import N
from ._recalled import Recaller, recaller

share = Quantity("needed share", r"N(1-h(p))/\log_2P_\epsilon(N)", "of the bits held, what answers need", (0, None))
short = Quantity("shortage", r"4N(1-h(p))-\log_2P_\epsilon(4N)", "bits needed beyond those held", (None, None))


def construct(p) -> Recaller:
    return recaller(p.N, p.seed("network"), steps=200 * p.N)


def sides(found):
    """The ends of the bits that the state holds, and those of the need."""
    low, need = Fraction(found.bits.floats[0]), Fraction(found.need)
    return low, Fraction(found.bits.floats[1]), need, need + Fraction(found.m, 10**8)


def measure(net, p, more=0, apart=0.01, need=None):
    low, high, *needs = sides(net.certificate(p.N, apart))
    least, most = (need, need) if need else needs
    asked = 1 + Fraction(more, p.N)
    return {share: enclosed_between(lambda: asked * least / high, lambda: asked * most / low)}


def measure_long(net, p, times=4, steeper=1.0):
    low, high, need, above = sides(net.certificate(times * p.N, 0.1, steeper))
    return {short: enclosed_between(lambda: need - high, lambda: above - low)}


common = {"role": "found", "source": "derived here: Proposition 35", "construct": construct,
          "scope": {"every N, repeat": "points", "every trained network": "drawn", "every prompt": "enumeration",
                    "every read-out": "proof"}}
claim = Claim(
    "Proposition 35, trained, over all prompts", **common, asserts=[share <= 1, share >= Rational(19, 20)],
    measure=measure, grid=points("N repeat", (1, 0), (2, 0), (3, 0), (3, 1), (4, 0), (4, 1), (5, 0)), controls=[
        Control("the need of one sign more", breaks=share <= 1, measure=lambda net, p: measure(net, p, more=1)),
        Control("the same need whatever the error, where signs are forgotten", breaks=share <= 1, where=N >= 2,
                construct=lambda p: construct(p).forgetful(), measure=lambda net, p: measure(net, p, need=p.N)),
        Control("ten times the distance", breaks=share >= Rational(19, 20),
                measure=lambda net, p: measure(net, p, apart=0.1)),
    ],
)
longer = Claim(
    "Proposition 35, trained, at four times the length", **common, asserts=[short >= Rational(1, 4)],
    measure=measure_long, grid=points("N repeat", (1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)), controls=[
        Control("a read-out of ten times the slope", breaks=short,
                measure=lambda net, p: measure_long(net, p, steeper=10.0)),
        Control("the length of training", breaks=short, measure=lambda net, p: measure_long(net, p, times=1)),
    ],
)
