r"""The generalisation bound of recurrent networks on simple qSTR does not grow with the length, up to logarithms.

Setting    Recurrent networks of the norms and widths of the network that tracks positions: binary index codes,
           $d_e=\lceil\log_2N\rceil$, $K=M/\gamma$, transitions that do not read the state, tokens with entries at most
           $M=\sqrt{2\log(2Nd/\delta)}$, $\delta=\frac1{100}$, $\tau=16$.
Statement  $R_\tau-\hat R_n\le4\sqrt{\tau/n}+2\tau\sqrt{2\log\mathcal{C}(n^{-1/2})/n}
           +3\tau\sqrt{\log(2/\delta)/(2n)}$; as $N\to\infty$ the complexity term, which alone depends on $N$, is
           $c\,N^0(\log N)^{3/2}(1+o(1))$ with $c$ depending on $n$, $d$ and $q$.
Witness    RecurrentBound, the composition of Corollary 31, Lemma 32 and Corollary 33, at one network's norms.
Measured   Powers exactly, from the leading term in $\log N$.
Control    One-hot codes, $d_e=N$; exponents $\frac12$ and 1.
Reads      Shape as transcribed. The constants are derived here, and no size at which the bound falls below 1 is
           claimed: that moves with $\delta$, $M$ and how norms are counted. With ours it needs about $10^8$ prompts,
           which says something about this proof, not about the theorem. The fit of the class is 0 here, linear link,
           so the whole bound is this gap.
"""

from sympy import Rational, Symbol, ceiling, exp, log

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.growth import leading_term
from theorytools.papers.qstr.capacity.recurrent import RecurrentBound

in_N = Quantity("power of N", r"r_0", "in the leading term of the complexity term, n fixed")
in_log = Quantity("power of log N", r"r_1", "in the same leading term")
x = Symbol("x", positive=True)


def construct(p, codes=lambda length: ceiling(log(length) / log(2))) -> RecurrentBound:
    return RecurrentBound(N=exp(x), n=p.n, d=p.d, q=p.q, d_e=codes(exp(x)))


def measure(bound, p):
    growth = leading_term(bound.terms()["complexity"], x)  # a power of N = e^x and one of x
    return {in_N: growth.powers[0], in_log: growth.powers[1]}


claim = Claim(
    "Theorem 7, the growth of our evaluator",
    role="growth", source="published: Theorem 7; prose",
    scope={"every d, q": "points", "every large N": "closed form", "every n": "points"},
    asserts=[in_N.equals(0), in_log.equals(Rational(3, 2))],
    grid=points("n d q", (10**4, 2, 1), (10**6, 2, 1), (10**9, 2, 1), (10**6, 10, 1), (10**6, 2, 3), (10**6, 64, 16)),
    construct=construct, measure=measure,
    controls=[
        Control("one-hot codes", breaks=[in_N, in_log], construct=lambda p: construct(p, lambda length: length)),
        Control("exponents 1/2 and 1", breaks=[in_N, in_log], asserts=[in_N.equals(Rational(1, 2)), in_log.equals(1)]),
    ],
)
