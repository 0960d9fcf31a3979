r"""A gate that leaks a share of every other token: the error of the slot, by every prompt of signs.

Setting    The tracker of proposition_26 with tokens $\pm1$; every increment at $i\ne t$ carries a leak $\epsilon x_i$.
           Errors of the slot after the pass, $h_N-x_t$, are counted in units of $\epsilon$.
Statement  The error is $\sum_{i\ne t}x_i$: its mean square is $N-1$ for independent tokens, and its largest value, for
           equal tokens, is $N-1$.  Behind a rectifier of threshold $\epsilon$ it is 1, at the match, whatever $N$ is.
Witness    PositionTracker on binary codes, $\epsilon=1/64$, where doubles are exact.
Measured   All $2^N$ prompts, the index at both ends.
Control    The leak at the match too; tokens that come in equal pairs; no rectifier.
Reads      Derived here.
"""

from dataclasses import dataclass, replace

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Quantity, grid
from theorytools.codes.by_family import code_of_family
from theorytools.constructions.recurrent.position_tracker import PositionTracker

from ..notation import N

EPS = 1 / 64
square = Quantity("mean square", r"\mathbb{E}(h_N-x_t)^2/\epsilon^2", "over all sign prompts", (0, None))
worst = Quantity("worst", r"\max|h_N-x_t|/\epsilon", "over all sign prompts", (0, None))
bounded = Quantity("worst, rectified", r"\max|\rho_\epsilon(h)_N-x_t|/\epsilon", "behind a rectifier", (0, None))


@dataclass(frozen=True)
class LeakyPass:
    """A tracker whose gate passes a share of every other token, with or without a rectifier behind it."""

    tokens: str = "independent"
    rectified: bool = False
    at_match: bool = False

    def errors(self, X, t):
        """Return the errors of the slot in units of the leak, shape (n, d), for sign tokens (n, N, d)."""
        n, length, d = X.shape
        d_e = (length - 1).bit_length()
        net = PositionTracker(code_of_family("binary", length, d_e).signs, d_e, 1, d)
        increments = net(net.encode(X, np.full((n, length, 1), t)))
        increments = increments + EPS * (X if self.at_match else X - increments)
        if self.rectified:
            increments = np.maximum(increments - EPS, 0) - np.maximum(-increments - EPS, 0)
        return (increments.sum(axis=1) - X[:, t]) / EPS


def construct(p, **spoiled) -> LeakyPass:
    return LeakyPass(**spoiled)


def measure(net, p, pairs=False, rectified=True):
    signs = 1.0 - 2 * (np.arange(2**p.N)[:, None] >> np.arange(p.N) & 1)
    X = (np.repeat(signs[:, ::2], 2, axis=1) if pairs else signs)[..., None]
    found, kept = (np.concatenate([each.errors(X, t) for t in (0, p.N - 1)])
                   for each in (net, replace(net, rectified=rectified)))
    return {square: Rational(int((found**2).sum()), found.size), worst: int(np.abs(found).max()),
            bounded: int(np.abs(kept).max())}


claim = Claim(
    "Corollary 27, a leaking gate",
    role="necessity", source="derived here: Corollary 27",
    scope={"every N": "points", "every prompt of signs": "enumeration"},
    asserts=[square.equals(N - 1), worst.equals(N - 1), bounded.equals(1)],
    requires=[N >= 4], grid=grid(N=[4, 8, 10]), construct=construct, measure=measure,
    controls=[
        Control("the leak at the match too", breaks=[square, worst, bounded],
                construct=lambda p: construct(p, at_match=True)),
        Control("tokens in equal pairs", breaks=square, measure=lambda net, p: measure(net, p, pairs=True)),
        Control("no rectifier", breaks=bounded, measure=lambda net, p: measure(net, p, rectified=False)),
    ],
)
