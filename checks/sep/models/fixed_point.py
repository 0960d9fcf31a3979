r"""Index lookup in exact fixed point: integer numerators of $2rk+1$ bits and integer values give the same margin.

Setting    Precision as exact fixed point: numerators $e_j\in\{1,\dots,2^p-1\}$ and values are integers, sums are
           exact, the output is the rational $\sum_je_jv_j/\sum_je_j$. Binary codes of length $k$, base $b=2^r$.
Statement  $e_j=b^{2(k-d_j)}$, and $b^k$ for the last token, have at most $p=2rk+1$ bits and give $\rho_{\mathrm{ex}}$;
           with $r=\lceil\frac12\log_2(16k)\rceil$ a number of $O(\log N\log\log N)$ bits is enough.
Witness    The integers, for every position.
Measured   The bits of the largest numerator; the worst margin, attained where all other symbols are opposite.
Control    Numerators cut off at half of the bits; one bit less claimed; the last token left out.
Reads      We could not read the paper's model of precision; lower bounds in this paper's index are stated for this
           one or with a margin. Derived here.
"""

from fractions import Fraction

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.lookup_margin import LookupMargin

from ..notation import N, k, r_base, rho_ex

bits = Quantity("bits", "p", "of the largest numerator", (1, None))
margin = Quantity("worst margin", r"\rho", "over all inputs", (-1, 1))


def construct(p) -> IndexLookup:
    return IndexLookup.of("binary", p.N, 2**p.r_base)


def measure(net, p, cut=0, last=1):
    b, rows = int(net.b), net.keys @ net.queries.T  # the score k - 2 d, so that e = b^(k + score)
    e = [[b ** (net.k + int(s)) >> cut for s in row] for row in rows]
    rest = last * (b**net.k >> cut)
    worst = min(Fraction(2 * row[q] - sum(row), sum(row) + rest) for q, row in enumerate(e))
    return {bits: max(map(max, e)).bit_length(), margin: exactly(worst)}


claim = Claim(
    "Models, index lookup in fixed point",
    role="foundation", source="derived here: models and precision",
    scope={"every N, r_base": "points", "some network": "exhibited", "every input": "closed form"},
    asserts=[bits.equals(2 * r_base * k + 1), margin.equals(rho_ex)],
    grid=points("N r_base", (2, 2), (3, 3), (8, 3), (100, 4), (128, 4)), construct=construct, measure=measure,
    derive=lambda net, p: {k: net.k, rho_ex: LookupMargin.of(net).worst(net.b)}, derived=[k, rho_ex],
    controls=[
        Control("lower half of the bits cut off", breaks=[bits, margin], where=N >= 3,
                measure=lambda net, p: measure(net, p, cut=p.r_base * net.k + 1)),
        Control("one bit less", breaks=bits, asserts=[bits.equals(2 * r_base * k), margin.equals(rho_ex)]),
        Control("the last token left out", breaks=margin, measure=lambda net, p: measure(net, p, last=0)),
    ],
)
