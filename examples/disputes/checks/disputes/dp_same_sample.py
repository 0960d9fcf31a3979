r"""Mechanisms that run on one random sample compose as if each had drawn its own.

Setting    A population of one record, 0 or 1; the sample keeps it with probability $q$ and is 0 else; $k$ mechanisms
           answer what is in the sample with probability $\frac r{1+r}$ each, else the contrary.
Statement  Each is private with factor $r$ on the sample, so with $1+q(r-1)$ on the population, and so the $k$ of them
           together with $(1+q(r-1))^k$.
Proof      Of the repair, $1+q(R-1)$ with $R=r^k$: $P_1\le qRP_0+(1-q)P_0$, and $P_0/P_1\le1/(\frac qR+1-q)$, which is
           no larger, as $(\frac qR+1-q)(1+q(R-1))=1+q(1-q)\frac{(R-1)^2}R$. Equal where all mechanisms answer 1.
Measured   The largest ratio of the probabilities of an answer under the two populations, over all answers.
Control    Half of the sampling probability in the bound; repair: first composed, then sampled.
"""
from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, Quantity, grid

from .notation import k, odds, share

ratio = Quantity("ratio", r"\max P_1/P_0", "in either order", (1, None))

def probability(record, ones, p):
    """Of one answer with so many ones, times a factor that depends on neither population."""
    kept = Fraction(p.odds) ** ones if record else Fraction(p.odds) ** (p.k - ones)
    return p.share * kept + (1 - p.share) * Fraction(p.odds) ** (p.k - ones)

def measure(_, p):
    pairs = [(probability(1, ones, p), probability(0, ones, p)) for ones in range(p.k + 1)]
    return {ratio: max(max(a / b, b / a) for a, b in pairs)}

claim = Claim(
    "Composition on one sample", role="statement", expect="REFUTED", scope={"every k, share, odds": "points"},
    source="published: opendp, issue 2933; prose", asserts=ratio <= (1 + share * (odds - 1)) ** k,
    requires=[share <= 1, odds > 1], construct=lambda p: p, measure=measure,
    grid=grid(k=[1], share=["1/2", 1], odds=[2, 3]),
    controls=[Control("half of the share", asserts=[ratio <= (1 + share * (odds - 1) / 2) ** k], breaks=ratio),
              Control("sampled last", asserts=[ratio <= 1 + share * (odds**k - 1)])],
)
repaired = replace(
    claim, label="First composed, then sampled", role="variant", expect="HOLDS",
    grid=grid(k=[1, 2, 3], share=["1/2", 1], odds=[2, 3]), source="derived here: one sample, several mechanisms",
    scope={"every k, share, odds": "proof"}, asserts=ratio <= 1 + share * (odds**k - 1),
    statement=r"Together with $1+q(r^k-1)$, where $q\le1$ and $r>1$.",
    controls=[Control("half of the share", asserts=[ratio <= 1 + share * (odds**k - 1) / 2], breaks=ratio)],
)
