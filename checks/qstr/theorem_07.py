r"""The generalisation bound of recurrent networks on simple qSTR does not grow with the length, up to logarithms.

Setting    Recurrent networks of the norms and widths of the network that tracks positions: binary index codes,
           $d_e=\lceil\log_2N\rceil$, $K=M/\gamma$, transitions that do not read the state, tokens with entries at most
           $M=\sqrt{2\log(2Nd/\delta)}$, $\delta=\frac1{100}$, $\tau=16$.
Statement  $R_\tau-\hat R_n\le4\sqrt{\tau/n}+2\tau\sqrt{2\log\mathcal{C}(n^{-1/2})/n}
           +3\tau\sqrt{\log(2/\delta)/(2n)}$; at fixed $n$ the complexity term is $c\,N^0(\log N)^{3/2}(1+o(1))$.  At
           the sizes of the grid the bound first falls below 1, the variance of a label, between $10^8$ and
           $10^9$ prompts.
Witness    RecurrentBound, the composition of Corollary 31, Lemma 32 and Corollary 33, at one network's norms.
Measured   Powers exactly, from the leading term; the bound below 1 at one $n$ and not below 1 at $n/1.001$; it
           falls with $n$.
Control    One-hot codes, $d_e=N$; labels of variance 4; exponents $\frac12$ and 1.
Reads      Shape as transcribed.  That it is vacuous below $10^8$ prompts says something about this proof with constants
           derived here, not about the theorem; its dependence on $N$ is what carries meaning.  The fit of the class is
           0 here, linear link, so the whole bound is this gap.  The two powers of ten describe this evaluator with our
           $\delta$ and $M$, and were read off it; other choices move the crossing.  At $d=2$, $q=1$ and $n=10^4,10^6,
           10^8,10^{10}$ it is 100, 10.3, 1.07, 0.110 for $N=64$ and 172, 17.7, 1.81, 0.185 for $N=4096$, by two
           routes.  With one norm for each layer in place of the norm of all parameters, and
           $M=\sqrt{2\log(Nd)}$, 1.07 becomes 0.99: the crossing is near $10^8$, on either side of it.
"""

from sympy import Rational, Symbol, ceiling, exp, log

from theorytools import Claim, Control, Enclosure, Quantity, enclosed_between, points
from theorytools.claims.language.growth import leading_term
from theorytools.theory.capacity.recurrent import RecurrentBound

from .notation import N, d, q

in_N = Quantity("power of N", r"r_0", "in the leading term of the complexity term, n fixed")
in_log = Quantity("power of log N", r"r_1", "in the same leading term")
size = Quantity("prompts", r"\log_{10}n_{\min}", "least number with a bound below the variance of a label")
x = Symbol("x", positive=True)
binary = {"codes": lambda length: ceiling(log(length) / log(2))}


def construct(p, codes=binary["codes"]):
    def bound(length, n=10**6) -> RecurrentBound:
        return RecurrentBound(N=length, n=n, d=p.d, q=p.q, d_e=codes(length))

    return bound


def measure(bound, p, variance=1):
    growth = leading_term(bound(exp(x)).terms()["complexity"], x)  # a power of N = e^x and one of x
    low, high = bound(p.N).required_n(variance)
    ten = Enclosure(10)
    return {in_N: growth.powers[0], in_log: growth.powers[1],
            size: enclosed_between(*(lambda n=n: Enclosure(n).log() / ten.log() for n in (low, high)))}


powers = [in_N.equals(0), in_log.equals(Rational(3, 2))]
claim = Claim(
    "Theorem 7, the growth of our evaluator",
    role="growth", source="reconstructed: Theorem 7; prose",
    scope={"every large N": "closed form", "every n": "points"},
    asserts=[*powers, size >= 8, size <= 9],
    grid=points("N d q", (64, 2, 1), (4096, 2, 1), (2**20, 2, 1), (64, 10, 1), (64, 2, 3)),
    listed=[N, d, q],  # for the two powers of ten
    construct=construct, measure=measure,
    controls=[
        Control("one-hot codes", breaks=[in_N, in_log, size <= 9], asserts=[*powers, size <= 9],
                construct=lambda p: construct(p, lambda length: length), where=N <= 64),
        Control("labels of variance 4", breaks=size >= 8, where=(N <= 64) & (d <= 2) & (q <= 1),
                measure=lambda bound, p: measure(bound, p, 4)),
        Control("exponents 1/2 and 1", breaks=[in_N, in_log], asserts=[in_N.equals(Rational(1, 2)), in_log.equals(1)]),
    ],
)
