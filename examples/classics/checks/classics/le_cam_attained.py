r"""Between a law and its reverse the best test has the larger error $\frac12(1-T)$: Le Cam's bound is attained.

Setting    A law $P$ on $n$ outcomes, $Q$ its reverse, $T$ their total variation.
Statement  The least larger error of a test is $\frac12(1-T)$.
Proof      The test of the least mean, with a coin where $Q=P$, is turned into its opposite by the reversal, which
           changes the two laws for each other: so its two errors are equal, and both are their mean.
Measured   The larger error, exactly, by its least favourable prior.
Control    The unit law for $Q$.
"""

from dataclasses import replace

from theorytools import Control, grid
from theorytools.search.kinds import Laws

from .le_cam import claim as two_points
from .le_cam import worst
from .notation import T, n

claim = replace(
    two_points, label="Le Cam's two points, attained", role="sharpness", source="derived here: a law and its reverse",
    scope={"every n and law P": "proof"}, objects={"P": (Laws(), n, 9)}, grid=grid(n=[2, 3]),
    asserts=worst.equals((1 - T) / 2), construct=lambda p: (p.P, p.P[::-1]), controls=[
        Control("a unit law", breaks=worst, where=(T > 0) & (T < 1), construct=lambda p: (p.P, (1, *[0] * (p.n - 1))))],
)
