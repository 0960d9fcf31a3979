r"""The largest prime factor of a binomial coefficient exceeds both of two numbers, or so an open problem was written down.

Setting    $0<k<n$; $P(m)$ is the largest prime that divides $m$.
Statement  For some $c>0$ and all $0<k<n$: $P\binom nk>\min(n-k+1,k^{1+c})$. As $k^{1+c}\ge k$, whatever $c$ is, this
           contains $P\binom nk>\min(n-k+1,k)$, which is judged.
Measured   The largest prime factor, by trial division.
Control    The least prime factor in its place.
"""
from math import comb
from sympy import Min
from theorytools import Claim, Control, Quantity, grid
from .notation import k, n

factor = Quantity("factor", r"P\binom nk", "largest prime factor", (2, None))

def primes(m):
    found, q = [], 2
    while m > 1:
        while m % q == 0:
            m //= q
            found.append(q)
        q += 1
    return found

claim = Claim(
    "Problem 683 as first formalised", role="statement", scope={"every n, k": "points"},
    source="published: formal-conjectures, Erdős problem 683; display", asserts=factor > Min(n - k + 1, k),
    requires=[k < n], construct=lambda p: primes(comb(p.n, p.k)), measure=lambda found, p: {factor: max(found)},
    grid=grid(n=[2, 3, 4], k=[1, 2]),
    controls=[Control("the least prime factor", breaks=factor, where=k < n - 1, measure=lambda found, p: {factor: min(found)})],
)
