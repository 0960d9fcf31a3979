r"""With indices drawn at random, one weight vector per index needs no fewer prompts than with indices dealt evenly.

Setting    As in theorem_06_per_index, minimum norm, any number $n$ of prompts; the number of prompts with a given index
           is $\mathrm{Bin}(n,\frac1N)$.
Statement  The mean risk is $1-\frac1{Nd}E\min(\mathrm{Bin}(n,\frac1N),Nd)\ge1-\frac n{N^2d}$, with equality exactly for
           $n\le Nd$: 0.1308 instead of 0 at $N=3,d=2,n=18$.
Witness    PerIndexRidge with $k=1,\dots,Nd$ prompts of every index; from $k=Nd$ on the fit is exact.
Measured   Its risk at every $k$, averaged over cyclic shifts of the tokens and a basis of links, then over the binomial
           law of $k$, in rationals.
Control    Every index equally often; the rate without the cut at $Nd$; the rate of the best network.
Reads      Derived here.
"""

from fractions import Fraction
from math import comb

from theorytools import Claim, Control, Quantity, points

from ..notation import N, d, kept, n
from ..theorem_01._prompts_needed import PromptsNeeded

mean = Quantity("mean risk", r"E\,R_0", "minimum norm, over data, indices and links", (0, 1))
rate = 1 - n / (N**2 * d)


def construct(p) -> PromptsNeeded:
    return PromptsNeeded(p.rng("prompts"), p.N, p.d, 1, Fraction(1, 2))


def risks(net, p):
    return [1, *(net.linear_risk(k) for k in range(1, p.N * p.d + 1))]


def measure(net, p):
    fitted, share = risks(net, p), Fraction(1, p.N)
    law = [comb(p.n, k) * share**k * (1 - share) ** (p.n - k) for k in range(p.n + 1)]
    return {mean: sum((chance * fitted[min(k, p.N * p.d)] for k, chance in enumerate(law)), Fraction(0))}


def balanced(net, p):
    return {mean: Fraction(risks(net, p)[min(p.n // p.N, p.N * p.d)])}


def derive(net, p):
    counts = [sum(comb(p.n, k) * (p.N - 1) ** (p.n - k) for k in range(j, p.n + 1)) for j in range(1, p.N * p.d + 1)]
    return {kept: Fraction(sum(counts), p.N**p.n)}  # E min(K, m) = sum of P(K >= j), j = 1..m


claim = Claim(
    "Theorem 6, one weight vector per index, any number of prompts",
    role="variant", source="derived here: Theorem 6",
    scope={"every N, d, n": "points", "every data set": "drawn"},
    asserts=[mean.equals(1 - kept / (N * d)), mean >= rate], derive=derive, derived=[kept],
    grid=points("N d n", (3, 2, 18), (3, 2, 6), (2, 2, 5), (2, 3, 12), (1, 3, 2), (4, 1, 40), (4, 1, 128)),
    construct=construct, measure=measure,
    controls=[
        Control("every index equally often", breaks=mean, where=(N >= 2) & (n > N * d), measure=balanced,
                asserts=[mean.equals(1 - kept / (N * d))]),
        Control("no cut", breaks=mean, where=(N >= 2) & (n > N * d), asserts=[mean.equals(rate)]),
        Control("the rate of the best network", breaks=mean, where=(N >= 2) & (n <= N * d),
                asserts=[mean.equals(1 - n / (N * d))]),
    ],
)
