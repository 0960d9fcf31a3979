r"""Disjointness is equality up to an integer change of Bob's strings: its fooling set is inverted by Möbius' matrix.

Setting    $x,x'\in\{0,1\}^n$; the matrix $\zeta_{xx'}=\mathrm{DISJ}(x,\overline{x'})=[x\subseteq x']$ on the fooling
           set $(x,\bar x)$, and $\mu_{x'z}=(-1)^{|z\setminus x'|}[x'\subseteq z]$.
Statement  $\zeta\mu$ is the matrix of equality, the identity of size $2^n$, for every $n$: disjointness has rank $2^n$
           over every field, as equality has, and exactly $2^n$ of the pairs $(x,x')$ have answer 1 both ways, those
           with $x=x'$: the set fools.
Proof      Both matrices are Kronecker powers of 2 by 2 matrices, one for each bit, whose product is the identity; both
           ways means $x\subseteq x'\subseteq x$.
Witness    All strings.
Measured   Entries of $\zeta\mu$ that are not those of equality; pairs with answer 1 both ways.
Control    Signs left out of $\mu$; the columns $(x,x)$ that fool for equality; the last bit of $x$ not read.
Reads      Derived here. What a one-layer model then gets wrong is executed in onelayer_protocol_disjoint.
"""

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.errors import BudgetError
from theorytools.papers.sep.tasks.boolean import TASKS, fooling_pairs

from ..notation import n

differ = Quantity("entries not of equality", r"\#\{\zeta\mu\ne1\}", "of the product, all entries", (0, None))
both = Quantity("both ways", r"\#\{(x,x'):\zeta_{xx'}=\zeta_{x'x}=1\}", "pairs with answer 1 twice", (0, None))


def construct(p, task="disjointness", read=None) -> tuple[np.ndarray, np.ndarray]:
    if p.n > 8:
        raise BudgetError(f"all strings of {p.n} bits", required="n <= 8", why="a matrix of all pairs is multiplied")
    x, y = fooling_pairs(task, p.n)
    return TASKS["disjointness"]((x * (np.arange(p.n) < (read or p.n)))[:, None], y[None]), x


def moebius(x, signed=True):
    inside = (x[:, None] <= x[None]).all(axis=2)
    ones = x.sum(axis=1)
    return inside * (1 - 2 * signed * ((ones[None] + ones[:, None]) % 2))


def measure(made, p, signed=True):
    zeta, x = made
    equal = TASKS["equality"](x[:, None], x[None])
    return {differ: int((zeta @ moebius(x, signed) != equal).sum()), both: int((zeta & zeta.T).sum())}


claim = Claim(
    "Disjointness, its fooling set as equality",
    role="variant", source="derived here: equality and disjointness, lower bounds",
    scope={"every n": "proof", "every field": "proof", "every pair of strings": "enumeration"},
    asserts=[differ.equals(0), both.equals(2**n)], grid=points("n", (1,), (2,), (3,), (5,), (7,), (8,)),
    construct=construct, measure=measure, controls=[
        Control("signs left out", breaks=differ, measure=lambda made, p: measure(made, p, signed=False)),
        Control("the pairs of equality", breaks=differ, asserts=[differ.equals(0)],
                construct=lambda p: construct(p, "equality")),
        Control("the last bit not read", breaks=[differ, both], construct=lambda p: construct(p, read=p.n - 1),
                where=n >= 2),
    ],
)
