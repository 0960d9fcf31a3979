r"""Where the variance is small a mean stays closer to its expectation than its range alone says.

Setting    $n$ independent variables of one law $p$ on $m$ equally spaced values from 0 to 1, not all at 1; $\mu$, $v$
           their mean and variance; $c=1-\mu$.
Statement  $\Pr(\frac1n\sum_iX_i\ge\mu+u)\le\exp\frac{-nu^2}{2(v+cu/3)}$ for $u>0$; a likely event attains 0.949 of it.
Proof      Markov's inequality for $e^{s\sum_i(X_i-\mu)}$ and the lemma with $s=u/(v+cu/3)$, so $sc<3$, where
           $1-sc/3=v/(v+cu/3)$: the exponent is $-nsu+\frac n2s^2(v+cu/3)=-\frac n2su$. At $v=0$ the event is empty.
Measured   The probability, a rational by convolution.
Control    Without $cu/3$; the 2 on the variance alone, $2v+cu/3$, which only a sum of many rare variables shows.
Reads      Bernstein's inequality as textbooks have it, from memory; the proof is above, the lemma a claim of its own.
"""

from sympy import exp

from theorytools import Claim, Control, Quantity, points
from theorytools.measures import tail_of_sum, variance
from theorytools.search.kinds import Laws

from ._shared import mean, spaced
from .notation import c, m, n, u, v

tail = Quantity("tail", r"\Pr(\frac1n\sum X_i\ge\mu+u)", "of the mean", (0, 1))
often, rare = '["1/10", 0, "9/10"]', '["19/20", "1/20"]'
wrong = {"without c u/3": 2 * v, "the 2 on the variance alone": 2 * v + c * u / 3}

claim = Claim(
    "Bernstein's inequality", role="statement", source="derived here: bernstein", uses=("classics.bernstein_lemma",),
    scope={"every n, m, u": "proof", "every law p, with its v, c": "proof"}, requires=[m >= 2, u > 0], derived=[v, c],
    objects={"p": (Laws(), m, [rare, often])}, such_that={"not all at 1": lambda p: p.p[-1] < 1},
    construct=lambda p: spaced(p.p), derive=lambda law, p: {v: variance(law), c: 1 - mean(law)},
    measure=lambda law, p: {tail: tail_of_sum([law] * p.n, p.n * (mean(law) + p.u))},
    asserts=tail <= exp(-n * u**2 / (2 * (v + c * u / 3))), controls=[
        Control(what, asserts=[tail <= exp(-n * u**2 / by)], breaks=tail, where=n > 4) for what, by in wrong.items()],
    grid=points("n m u", (1, 2, "19/20"), (2, 2, "1/20"), (64, 2, "21/80"), (1, 3, "1/10")),
)
