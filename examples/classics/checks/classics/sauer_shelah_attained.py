r"""All patterns with at most $V$ ones are as many as the Sauer–Shelah lemma allows, on any number of points.

Setting    The class of all functions on $n\ge V$ points that are 1 at $V$ points at most; $\ell\le n$.
Statement  Its VC dimension is $V$, and $\Pi_F(\ell)=\sum_{i\le V}\binom\ell i$.
Proof      On $\ell$ points it has the subsets of at most $V$ of them: all where $\ell\le V$, and never all of $V+1$.
Measured   Patterns on the best $\ell$ points and the VC dimension, by enumeration.
Control    $\ell^V$ in place of the sum.
"""

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.measures import growth_function, vc_dimension

from .notation import V, ell, n
from .sauer_shelah import patterns, total

dimension = Quantity("dimension", r"\operatorname{VC}(F)", "of the class", (0, None))

claim = Claim(
    "Sauer–Shelah lemma, attained", role="sharpness", source="derived here: all patterns with few ones",
    scope={"every n, ell and V": "proof"}, requires=[n >= V, n >= ell],
    asserts=[patterns.equals(total), dimension.equals(V)],
    construct=lambda p: [[x >> j & 1 for j in range(p.n)] for x in range(2**p.n) if x.bit_count() <= p.V],
    measure=lambda F, p: {patterns: growth_function(F, p.ell), dimension: vc_dimension(F)},
    grid=points("n ell V", (3, 2, 1), (5, 1, 2), (5, 5, 2), (6, 4, 3)), controls=[
        Control("a power", asserts=[patterns <= ell**V], breaks=patterns, where=Eq(V, 1) | Eq(ell, 1))],
)
