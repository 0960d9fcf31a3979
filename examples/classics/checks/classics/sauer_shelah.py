r"""A class of VC dimension $V$ takes at most $\sum_{i\le V}\binom\ell i$ patterns on $\ell$ points.

Setting    A class $F$ of functions from $n$ points to $\{0,1\}$, as a table: which of the $2^n$ patterns it has; $\ell\le n$.
Statement  $\Pi_F(\ell)\le\sum_{i\le V}\binom\ell i$, and $\Pi_F(\ell)\le(e\ell/V)^V$ where $\ell\ge V\ge1$.
Proof      $F$ on $S$ shatters at least as many sets as it has patterns there, and no shattered set has more than $V$
           points.  By induction on $|S|$: fix $x\in S$; let $A$ be the patterns on $S\setminus x$ and $B$ those with both
           values at $x$, so that $|A|+|B|=|F|_S|$.  What $A$ shatters $F$ shatters, and with $T$ that $B$ shatters also
           $T\cup x$.  For $\ell\ge V$: $\sum_{i\le V}\binom\ell i\le(\frac\ell V)^V\sum_i\binom\ell i(\frac V\ell)^i=(\frac
           \ell V)^V(1+\frac V\ell)^\ell\le(\frac{e\ell}V)^V$.
Witness    The class itself; for equality all patterns with at most $V$ ones, on $\ell$ points the subsets of at most $V$ of them.
Measured   Patterns on the best $\ell$ points, and $V$ on all $n$, by enumeration.
Control    The sum to $V-1$; $\ell^V$; $(e\ell/V)^V$ below $\ell=V$.
Reads      Sauer (1972), Theorem 1, and Shelah (1972), from memory; the induction is Pajor's.
"""
from dataclasses import replace
from sympy import E, Eq, Sum, binomial
from theorytools import Claim, Control, Quantity, points
from theorytools.measures import growth_function, vc_dimension
from theorytools.search.kinds import Booleans
from .notation import V, i, ell, n

patterns = Quantity("patterns", r"\Pi_F(\ell)", "on the best points", (1, None))
dimension = Quantity("dimension", r"\operatorname{VC}(F)", "of the class", (0, None))
total = Sum(binomial(ell, i), (i, 0, V))

def construct(p):
    return [[x >> j & 1 for j in range(p.n)] for x, held in enumerate(p.F.table) if held]

claim = Claim(
    "Sauer–Shelah lemma", role="statement", source="published: Sauer (1972), Theorem 1; none",
    scope={"every n, ell and class F": "proof"}, asserts=patterns <= total, requires=[ell <= n], construct=construct,
    objects={"F": (Booleans(), n, 9)}, such_that={"F has a function": lambda p: 1 in p.F.table},
    derived=[V], derive=lambda rows, p: {V: vc_dimension(rows)}, grid=points("n ell", (2, 2), (3, 1), (3, 3), (4, 2), (4, 4)),
    measure=lambda rows, p: {patterns: growth_function(rows, p.ell)}, controls=[
        Control("the sum to V - 1", asserts=[patterns <= total - binomial(ell, V)], breaks=patterns, where=Eq(ell, V)),
        Control("(11l/4V)^V, above (el/V)^V, for ell <= V/2", asserts=[patterns <= (11 * ell / (4 * V)) ** V], breaks=patterns,
                where=(ell >= 1) & (2 * ell <= V))],
)
power = replace(
    claim, label="Sauer–Shelah lemma, as a power", role="variant", source="derived here: Sauer–Shelah lemma",
    scope={"every n, ell and class F": "proof"}, asserts=patterns <= (E * ell / V) ** V, requires=[ell <= n, ell >= V, V >= 1],
    controls=[Control("e left out", asserts=[patterns <= (ell / V) ** V], breaks=patterns, where=Eq(ell, V))],
)
attained = replace(
    claim, label="Sauer–Shelah lemma, attained", role="sharpness", source="derived here: all patterns with few ones",
    scope={"every n, ell and V": "proof"}, requires=[V <= n, ell <= n], derived=[], derive=None, objects={}, such_that={},
    asserts=[patterns.equals(total), dimension.equals(V)], grid=points("n ell V", (3, 2, 1), (5, 1, 2), (5, 5, 2), (6, 4, 3)),
    construct=lambda p: [[x >> j & 1 for j in range(p.n)] for x in range(2**p.n) if x.bit_count() <= p.V],
    measure=lambda rows, p: {patterns: growth_function(rows, p.ell), dimension: vc_dimension(rows)}, controls=[
        Control("ell to the power V", asserts=[patterns <= ell**V], breaks=patterns, where=Eq(V, 1) | Eq(ell, 1))],
)
