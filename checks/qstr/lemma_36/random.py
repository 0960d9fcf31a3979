r"""The memoryless interpolant of random prompts is short more often than the argument for it shows.

Setting    As in lemma_36: independent Gaussian tokens, labels $N(0,1)$ and a uniform direction $v$.
Statement  $\Pr(\|a\|^2+\|w\|^2+\|b\|^2\le Q)\ge\frac16$, $Q=6\sqrt{120/\pi}\,n^{5/2}\sqrt{10n+2}$, where it is close to
           1; the level that is kept with probability $\frac16$ lies between $\frac13n^{5/2}$ and $\frac32n^{5/2}$.
Witness    The interpolant of Lemma 38 on projected tokens, one balancing.
Measured   The proportion of draws below $Q$, and below the two levels.
Control    A token shown twice with two labels; a ten-thousandth of $Q$; labels four times as large, or a quarter.
Reads      Constants derived here, those of $n^{5/2}$ read off trials up to $n=1000$: the argument's $Q$ is of order
           $n^3$.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Quantity, grid
from theorytools.papers.qstr.interpolation.norm_gap import interpolant_norm
from theorytools.statistics.sampled import proportion

from ..lemma_37 import Projections
from ..notation import n

often = Quantity("short interpolant", r"\Pr(\|a\|^2+\|w\|^2+\|b\|^2\le Q)", "over the prompts", (0, 1))
sooner = Quantity("short at the upper level", r"\Pr(\|a\|^2+\|w\|^2+\|b\|^2\le\tfrac32n^{5/2})",
                  "over the prompts", (0, 1))
later = Quantity("short at the lower level", r"\Pr(\|a\|^2+\|w\|^2+\|b\|^2\le\tfrac13n^{5/2})",
                 "over the prompts", (0, 1))


@dataclass(frozen=True)
class Prompts:
    """The law of the data on the line: projected tokens, and normal labels times a factor."""

    tokens: Projections
    labels: Fraction = Fraction(1)

    def norms(self, rng, size):
        """The squared norms of the interpolants of so many prompts, one balancing; inf where a token has two labels."""
        z = self.tokens.draw(rng, size)
        y = float(self.labels) * rng.standard_normal(z.shape)  # independent of the tokens, so of their order
        with np.errstate(divide="ignore", invalid="ignore"):  # a repeated token: an infinite slope
            s = np.concatenate([y[:, :1], np.diff(y, axis=1) / np.diff(z, axis=1)], axis=1)
            a_2 = np.square(np.diff(s, axis=1, prepend=0)).sum(axis=1)
        b_2 = np.square(z[:, 0] - 1) + np.square(z[:, :-1]).sum(axis=1)
        norms = 2 * np.sqrt(a_2 * (z.shape[1] + b_2))
        return np.where(np.isfinite(norms), norms, np.inf)


def construct(p, repeated=False) -> Prompts:
    return Prompts(Projections(p.n, p.d, repeated=repeated))


def measure(law, p, share=1):
    levels = {often: float(interpolant_norm(p.n)) * share, sooner: 1.5 * p.n**2.5, later: p.n**2.5 / 3}
    return {name: proportion(lambda rng, size, level=level: law.norms(rng, size) <= level, p.seed("prompts"))
            for name, level in levels.items()}


claim = Claim(
    "Lemma 36, random prompts",
    role="variant", source="published: Lemma 36; prose", scope={"every n, d": "points", "every data set": "drawn"},
    asserts=[often >= Rational(1, 6), sooner >= Rational(1, 6), later <= Rational(1, 6)], requires=[n >= 2],
    grid=grid(n=[2, 5, 12], d=[1, 4]), construct=construct, measure=measure,
    controls=[
        Control("a token shown twice with two labels", breaks=[often, sooner],
                construct=lambda p: construct(p, repeated=True)),
        Control("a ten-thousandth of Q", breaks=often, where=n >= 5,
                measure=lambda law, p: measure(law, p, share=1e-4)),
        Control("labels four times as large", breaks=sooner, asserts=[sooner >= Rational(1, 6)],
                construct=lambda p: replace(construct(p), labels=Fraction(4))),
        Control("a quarter of the labels", breaks=later, asserts=[later <= Rational(1, 6)],
                construct=lambda p: replace(construct(p), labels=Fraction(1, 4))),
    ],
)
