r"""A class of VC dimension $V\ge1$ takes at most $(e\ell/V)^V$ patterns on $\ell\ge V$ points.

Setting    As in `sauer_shelah`.
Statement  $\Pi_F(\ell)\le(e\ell/V)^V$ for $\ell\ge V\ge1$; for $\ell\le V/2$ it is false (a control of `sauer_shelah`).
Proof      $\sum_{i\le V}\binom\ell i\le(\frac\ell V)^V\sum_i\binom\ell i(\frac V\ell)^i=(\frac\ell V)^V(1+\frac
           V\ell)^\ell\le(\frac{e\ell}V)^V$, since $(V/\ell)^{i-V}\ge1$ for $i\le V\le\ell$.
Measured   Patterns on the best $\ell$ points, and $V$ on all $n$, both by enumeration.
Control    Without $e$, at $\ell=V$.
"""

from dataclasses import replace

from sympy import E, Eq

from theorytools import Control

from .notation import V, ell, n
from .sauer_shelah import claim as lemma
from .sauer_shelah import patterns

claim = replace(
    lemma, label="Sauer–Shelah lemma, as a power", role="variant", source="derived here: Sauer–Shelah lemma",
    scope={"every n, ell and class F": "proof"}, requires=[ell <= n, ell >= V, V >= 1],
    asserts=patterns <= (E * ell / V) ** V,
    controls=[Control("e left out", asserts=[patterns <= (ell / V) ** V], breaks=patterns, where=Eq(ell, V))],
)
