r"""The largest prime factor of a binomial coefficient exceeds two numbers, as an open problem was first written down.

Setting    $0<k<n$; $P(m)$ is the largest prime that divides $m$.
Statement  For some $c>0$ and all $0<k<n$: $P\binom nk>\min(n-k+1,k^{1+c})$. As $k^{1+c}\ge k$, whatever $c$ is, this
           contains $P\binom nk>\min(n-k+1,k)$, which is judged.
Proof      Of the repair, $P\binom nk\ge\min(n-k+1,k)$: $P\binom nk>k$ where $2k\le n$ (Sylvester; Erdős 1934), else
           $P\binom nk=P\binom n{n-k}>n-k$.
Measured   The largest prime factor, by trial division.
Control    The least prime factor in its place; repair: $\ge$ for $>$.
Reads      With a positive $c$ the problem is open for $2k\le n$; the formalisation asks for that today.
"""
from dataclasses import replace
from math import comb

from sympy import Min

from theorytools import Claim, Control, Quantity, points

from .notation import k, n

factor = Quantity("factor", r"P\binom nk", "largest prime factor", (2, None))

def primes(m, q=2):
    while m > 1:
        while m % q == 0:
            m //= q
            yield q
        q += 1

least = Control("the least prime factor", breaks=factor, where=k > 1, measure=lambda found, p: {factor: min(found)})
claim = Claim(
    "Problem 683 as first formalised", role="statement", expect="REFUTED", scope={"every n, k": "points"},
    source="published: formal-conjectures, Erdős problem 683; display", asserts=factor > Min(n - k + 1, k),
    requires=[k < n], construct=lambda p: list(primes(comb(p.n, p.k))), measure=lambda found, p: {factor: max(found)},
    grid=points("n k", (2, 1), (3, 1), (3, 2), (4, 1), (4, 2)), controls=[
        replace(least, where=(k > 1) & (k < n - 1)), Control("not less", asserts=[factor >= Min(n - k + 1, k)])],
)
repaired = replace(
    claim, label="Not less", role="variant", expect="HOLDS", asserts=factor >= Min(n - k + 1, k),
    grid=points("n k", (2, 1), (4, 3), (9, 3), (9, 6)),
    source="published: Erdős (1934), A theorem of Sylvester and Schur; none", scope={"every n, k": "proof"},
    controls=[least], statement=r"$P\binom nk\ge\min(n-k+1,k)$ for $0<k<n$.",
)
