r"""The memoryless interpolant of random prompts is short more often than the argument for it shows.

Setting    As in lemma_36: independent Gaussian tokens, labels $N(0,1)$ and a uniform direction $v$.
Statement  $\Pr(\|a\|^2+\|w\|^2+\|b\|^2\le Q)\ge\frac16$, $Q=6\sqrt{120/\pi}\,n^{5/2}\sqrt{10n+2}$, where it is close to
           1; the level that is kept with probability $\frac16$ lies between $\frac13n^{5/2}$ and $\frac32n^{5/2}$.
Witness    The interpolant of Lemma 38 on projected tokens, one balancing.
Measured   The proportion of draws below $Q$, and below the two levels.
Control    A token shown twice with two labels; a ten-thousandth of $Q$; labels four times as large, or a quarter.
Reads      Constants derived here, those of $n^{5/2}$ after trials up to $n=1000$: the argument's $Q$ is of order $n^3$.
"""

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Quantity, grid
from theorytools.statistics.sampled import proportion
from theorytools.theory.interpolation.norm_gap import interpolant_norm

from ..lemma_37 import projected
from ..notation import n

often = Quantity("short interpolant", r"\Pr(\|a\|^2+\|w\|^2+\|b\|^2\le Q)", "over the prompts", (0, 1))
sooner = Quantity("short at the upper level", r"\Pr(\|a\|^2+\|w\|^2+\|b\|^2\le\tfrac32n^{5/2})",
                  "over the prompts", (0, 1))
later = Quantity("short at the lower level", r"\Pr(\|a\|^2+\|w\|^2+\|b\|^2\le\tfrac13n^{5/2})",
                 "over the prompts", (0, 1))


def draw_norms(p, repeated, level, labels=1):
    def draw(rng, size):
        z, y = projected(rng, size, p.n, p.d, repeated=repeated), labels * rng.standard_normal((size, p.n))
        order = np.argsort(z, axis=1)
        z, y = np.take_along_axis(z, order, 1), np.take_along_axis(y, order, 1)
        with np.errstate(divide="ignore", invalid="ignore"):  # a repeated token: an infinite slope
            s = np.concatenate([y[:, :1], np.diff(y, axis=1) / np.diff(z, axis=1)], axis=1)
            a_2 = np.square(np.diff(s, axis=1, prepend=0)).sum(axis=1)
        b_2 = np.square(z[:, 0] - 1) + np.square(z[:, :-1]).sum(axis=1)
        return 2 * np.sqrt(a_2 * (p.n + b_2)) <= level
    return draw


def sample(p, _, repeated=False, share=1):  # the object is the law of the prompts, at these sizes
    whole = float(interpolant_norm(p.n)) * share
    return {often: proportion(draw_norms(p, repeated, whole), p.seed("prompts")), **levels(p)}


def levels(p, labels=1):
    return {name: proportion(draw_norms(p, False, p.n**2.5 * part, labels), p.seed("prompts"))
            for name, part in ((sooner, 3 / 2), (later, 1 / 3))}


claim = Claim(
    "Lemma 36, random prompts",
    role="variant", source="published: Lemma 36; prose", scope={"every n, d": "points", "every data set": "drawn"},
    asserts=[often >= Rational(1, 6), sooner >= Rational(1, 6), later <= Rational(1, 6)], requires=[n >= 2],
    grid=grid(n=[2, 5, 12], d=[1, 4]), construct=lambda p: p, measure=sample,
    controls=[
        Control("a token shown twice with two labels", breaks=often,
                measure=lambda net, p: sample(net, p, repeated=True)),
        Control("a ten-thousandth of Q", breaks=often, where=n >= 5,
                measure=lambda net, p: sample(net, p, share=1e-4)),
        Control("labels four times as large", breaks=sooner, asserts=[sooner >= Rational(1, 6)],
                measure=lambda net, p: levels(p, labels=4)),
        Control("a quarter of the labels", breaks=later, asserts=[later <= Rational(1, 6)],
                measure=lambda net, p: levels(p, labels=1 / 4)),
    ],
)
