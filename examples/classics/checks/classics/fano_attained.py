r"""Where all wrong guesses are as likely, Fano's inequality with $h(e)$ and $\log(M-1)$ is an equality.

Setting    $M$ laws on $M$ outcomes: $1-e$ on the own outcome, $\frac e{M-1}$ on each other one, $e\le\frac{M-1}M$.
Statement  The best guess errs with probability $e$, and $I+h(e)+e\log(M-1)=\log M$, up to $10^{-9}$, at these points.
Measured   As in `fano`.
Control    The textbook form with the nats of $I$ taken for bits; the equality with $I$ in bits.
"""

from dataclasses import replace

from sympy import Eq, Rational, log

from theorytools import Control, grid

from .fano import claim as inequality
from .fano import coin, error, information, measure, tiny
from .notation import M, e

claim = replace(
    inequality, label="Fano's inequality, attained", role="sharpness", source="derived here: errors that are as likely",
    scope={"every M and e": "points"}, listed=[M, e], objects={}, derived=[], derive=None,
    requires=[M >= 2, M * e <= M - 1], grid=grid(M=[2, 3, 10], e=["1/1000", "1/3", "1/2"]),
    asserts=[(information + coin + error * log(M - 1)).equals(log(M), within=tiny), error.equals(e)],
    construct=lambda p: [[1 - p.e if x == v else p.e / (p.M - 1) for x in range(p.M)] for v in range(p.M)], controls=[
        Control("nats for bits", asserts=[error >= 1 - (information + 1) * log(2) / log(M)], breaks=error,
                where=Eq(M, 10) & (e < Rational(1, 100))),
        Control("in bits", breaks=information, where=M * e < M - 1, measure=lambda rows, p: measure(rows, p, 2))],
)
