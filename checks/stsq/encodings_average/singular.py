r"""Random signs on a set are dependent with a probability above that of two equal ones; then there is no dual query.

Setting    $q$ uniform sign vectors in $d_e\ge q$ dimensions.
Statement  $\Pr(\text{some }e_i=\pm e_j)\le\binom q22^{1-d_e}$; they are dependent with at least the left
           side's probability, with just that for $q\le3$, and with probability $\frac{43264}{65536}$ at $q=d_e=4$.
Witness    All sign matrices, up to the signs of rows and columns, which change nothing.
Measured   Integer determinants of the Gram matrices; equal rows counted apart.
Control    Only equal rows counted; a dimension more; half of the pairs.
Reads      Derived here.  Read for dependence itself the bound $\binom q22^{1-d_e}$ fails at $(q,d_e)=(4,6)$, where the
           probability is $\frac{3169}{16384}>\frac3{16}$: there are dependences among four vectors.
"""

from sympy import Rational, binomial

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.selection.cross_talk import dependence_probability, parallel_probability

from ..notation import d_e, printed, q

singular = Quantity("dependent", r"\Pr(\operatorname{rank}E_y<q)", "probability that the set has no dual query", (0, 1))
parallel = Quantity("equal up to sign", r"\Pr(\exists i\ne j: e_i=\pm e_j)", "in the set", (0, 1))
pairs = binomial(q, 2) * Rational(2) ** (1 - d_e)


def construct(p) -> tuple[int, int]:
    return p.q, p.d_e


def measure(sizes, p):
    return {singular: dependence_probability(*sizes), parallel: parallel_probability(*sizes)}


def only_pairs(sizes, p):
    return {singular: parallel_probability(*sizes), parallel: parallel_probability(*sizes)}


claim = Claim(
    "Encodings, dependent signs",
    role="necessity", source="derived here: encodings, average case",
    scope={"every q and dimension": "points", "every sign matrix": "enumeration"},
    asserts=[parallel <= pairs, singular.equals(printed)], requires=[d_e >= q, q >= 2],
    tabulated=[printed],
    grid=points("q d_e printed", (2, 2, "1/2"), (2, 9, "1/256"), (3, 3, "5/8"), (3, 4, "11/32"), (4, 4, "43264/65536"),
                (4, 6, "3169/16384")),
    construct=construct, measure=measure,
    controls=[
        Control("only equal rows counted", breaks=singular, where=q >= 4, measure=only_pairs),
        Control("the count of pairs read as a bound for dependence", breaks=singular, where=(q >= 4) & (d_e >= 6),
                asserts=[singular <= pairs]),
        Control("a dimension more", breaks=singular, where=(q - 1) * d_e <= 16,
                measure=lambda sizes, p: measure((p.q, p.d_e + 1), p)),
        Control("half of the pairs", breaks=parallel, asserts=[parallel <= pairs / 2]),
    ],
)
