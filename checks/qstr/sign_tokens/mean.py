r"""On average over sign prompts, a first layer in their span leaves little from about $2N/\log_2N$ prompts on.

Setting    As in sign_tokens, $p=Nd$; the $n$ training inputs are independent and uniform on $\{\pm1\}^p$, $W=X$.
Statement  With $\pi_w=2^{-w}\binom w{w/2}$ for even $w$, $$E_XR\le\sum_{w\text{ even}}\binom{p-1}{w-1}\pi_w^n,\qquad
           P_X(R>0)\le\sum_{w\text{ even}}2^{w-1}\binom pw\pi_w^n,$$ $R$ the least risk averaged over a basis of links;
           at $p=2$ both are equalities. For large $p$ the first sum tends to 0 from $(2+\delta)p/\log_2p$ prompts on,
           the second from $(2\log_23+\delta)p/\log_2p$.
Proof      In a set of $k$ prompts with one $Xx$, $k_+$ of them with $x_j=1$, $\operatorname{Var}=4k_+k_-/k^2$, and
           $4k_+k_-/k\le2k_+k_-$ for $k\ge2$; so $E\operatorname{Var}(x_j|Xx)$ is at most the mean number of prompts
           that agree with $x$ in $Xx$ and differ at $j$. One that differs at $w$ places agrees with probability
           $\pi_w^n$: a sum of $w$ signs is 0 for every input; $\binom{p-1}{w-1}$ of them differ at $j$. $R>0$ iff two
           prompts agree; their half difference has entries $0,\pm1$, $2^{w-1}\binom pw$ of weight $w$ up to sign. For
           large $p$: $\pi_w\le\min(\frac12,\sqrt{2/(\pi w)})$; weights up to $p/\log_2^2p$ have $2^{o(n)}$ members, and
           the others add at most $2^p(2\log_2^2p/(\pi p))^{n/2}$ and $3^p(2\log_2^2p/(\pi p))^{n/2}$.
Witness    All data sets with a first row of ones: signs of columns change nothing.
Measured   $R$ by enumeration of the prompts, rational.
Control    Half of the weights; one row fewer; a row that repeats another.
Reads      Derived here; the second sum is the union bound of the weighing problem (Erdős and Rényi 1963).
"""

from fractions import Fraction
from itertools import product

import numpy as np
from sympy import Eq, Sum, Symbol, binomial, floor

from theorytools import Anchor, BudgetError, Claim, Control, Quantity, points
from theorytools.papers.qstr.first_layers.sign_tokens import SignPrompts

from ..notation import N, d, n

mean = Quantity("mean risk", r"E_XR", "least risk over a basis of links, over data sets", (0, 1))
merged = Quantity("chance of confusion", r"P_X(R>0)", "that two prompts look the same, over data sets", (0, 1))
k = Symbol("k", integer=True, positive=True)


def share(rows):
    return (binomial(2 * k, k) / 4**k) ** rows


def summed(term):
    return Sum(term, (k, 1, floor(N * d / 2)))


def bounds(rows=n, first=1):
    pairs = binomial(N * d - 1, 2 * k - 1), 2 ** (2 * k - 1) * binomial(N * d, 2 * k)
    one, two = (summed(count * share(rows)) for count in pairs)
    return [mean <= first * one, merged <= first * two]


def construct(p) -> list[SignPrompts]:
    """All data sets, up to signs of columns."""
    size = p.N * p.d
    if size * (p.n - 1) > 12:
        raise BudgetError(f"2^{size * (p.n - 1)} data sets", required="at most 2^12", why="all are visited")
    rest = product((-1, 1), repeat=size * (p.n - 1))
    return [SignPrompts.of(np.vstack([np.ones((1, size), dtype=int), np.array(signs, dtype=int).reshape(-1, size)]))
            for signs in rest]


def measure(sets, p):
    return {mean: sum(each.risk for each in sets) / Fraction(len(sets)),
            merged: Fraction(sum(not each.injective for each in sets), len(sets))}


def repeated(sets, p):  # the last row repeats the first
    return measure([SignPrompts.of(np.vstack([each.rows[:-1], each.rows[:1]])) for each in sets], p)


claim = Claim(
    "Sign tokens, the mean over data sets",
    role="statement", source="derived here: Theorem 6",
    scope={"every N, d, n": "proof", "every data set": "enumeration", "some network in the span": "exhibited",
           "every basis of links": "closed form"},
    asserts=bounds(), grid=points("N d n", (2, 1, 1), (2, 1, 4), (3, 1, 3), (2, 2, 3), (4, 1, 2), (5, 1, 3), (3, 2, 2)),
    construct=construct, measure=measure,
    anchors=[Anchor("the two data sets of two signs", [SignPrompts.of([[1, 1]]), SignPrompts.of([[1, -1]])],
                    {mean: Fraction(1, 2), merged: 1}, at={"N": 2, "d": 1, "n": 1}, source="by hand")],
    controls=[
        Control("half of the sum over weights", breaks=[mean, merged], where=Eq(N * d, 2) & (n >= 1),
                asserts=bounds(first=Fraction(1, 2))),
        Control("one row more than there are", breaks=[mean, merged], where=Eq(N * d, 2), asserts=bounds(rows=n + 1)),
        Control("a row that repeats another", breaks=mean, where=(N * d >= 2) & (N * d <= 4) & (n >= 3),
                asserts=bounds()[:1], measure=repeated),
    ],
)

