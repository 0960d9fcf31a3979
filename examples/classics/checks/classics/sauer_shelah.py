r"""A class of VC dimension $V$ takes at most $\sum_{i\le V}\binom\ell i$ patterns on $\ell$ points.

Setting    A class $F$ of functions from $n$ points to $\{0,1\}$: which of the $2^n$ patterns it has; $\ell\le n$.
Statement  $\Pi_F(\ell)\le\sum_{i\le V}\binom\ell i$.
Proof      $F$ on $S$ shatters at least as many sets as it has patterns there, all of at most $V$ points.  By induction:
           fix $x\in S$; let $A$ be the patterns on $S\setminus x$, $B$ those that come with both values at $x$, so that
           $|A|+|B|=|F|_S|$.  $F$ shatters what $A$ shatters, and $T\cup x$ where $B$ shatters $T$.
Witness    The class; equality for all patterns of at most $V$ ones, in `sauer_shelah_attained`.
Measured   Patterns on the best $\ell$ points, and $V$ on all $n$, both by enumeration.
Control    The sum to $V-1$; $(\frac{11\ell}{4V})^V$, which is more than $(\frac{e\ell}V)^V$, where $\ell\le V/2$.
Reads      Sauer (1972), Theorem 1, and Shelah (1972), from memory; the induction is Pajor's.
"""

from sympy import Eq, Sum, Symbol, binomial

from theorytools import Claim, Control, Quantity, points
from theorytools.measures import growth_function, vc_dimension
from theorytools.search.kinds import Booleans

from .notation import V, ell, n

patterns = Quantity("patterns", r"\Pi_F(\ell)", "on the best points", (1, None))
total = Sum(binomial(ell, i := Symbol("i", integer=True)), (i, 0, V))

claim = Claim(
    "Sauer–Shelah lemma", role="statement", source="published: Sauer (1972), Theorem 1; none", requires=[ell <= n],
    scope={"every n, ell and class F": "proof"}, objects={"F": (Booleans(), n, 9)}, asserts=patterns <= total,
    such_that={"F has a function": lambda p: 1 in p.F.table}, derived=[V], derive=lambda F, p: {V: vc_dimension(F)},
    construct=lambda p: [[x >> j & 1 for j in range(p.n)] for x, held in enumerate(p.F.table) if held],
    measure=lambda F, p: {patterns: growth_function(F, p.ell)},
    grid=points("n ell", (2, 2), (3, 1), (3, 3), (4, 2), (4, 4)), controls=[
        Control("a term less", asserts=[patterns <= total - binomial(ell, V)], breaks=patterns, where=Eq(ell, V)),
        Control("the power below V", asserts=[patterns <= (11 * ell / (4 * V)) ** V], breaks=patterns,
                where=(ell >= 1) & (2 * ell <= V))],
)
