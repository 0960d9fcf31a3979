r"""More index slots than Gaussian tokens: a law of the indices gives the bound for few heads there too.

Setting    As in proposition_03, with $q>K=\lceil N/2\rceil-1$.  The statement asks for some law of the tuples, and
           repeated indices are allowed (Definition 2): at late positions the slots are spread evenly over the $K$
           Gaussian tokens, at early ones, which see their own token, over the $K-1$ others.
Statement  For $K\ge2H+1$ and $d\ge H$ every network has at least the published risk, whatever $q>K$ is.
Proof      A tuple with $m_j$ slots at token $j$: by interlacing $H$ heads leave at least $\frac{2(d-H)}{qd}$ times the
           sum of the $K-H$ smallest $m_j^2$, at early positions with $K-1$ for $K$. Of $q=fk+r$ slots spread over $k$
           tokens, $k\ge2H$, these are $(k-H)f^2$ and, for $r>H$, $(r-H)(2f+1)$ more; as $2(k-H)\ge k$ and $f\ge1$,
           twice the sum is at least $kf+(r-H)_+\ge q-H$. So at every position the error is at least $(1-\frac
           Hd)(1-\frac Hq)$, above the published bound by $H^2/(qd)$.
Adversary  Random weights of $H$ heads with $H$ independent directions, given the scores.
Measured   The least risk of every network, and that behind drawn heads as a trace, in rationals.  For the reading with
           no condition on $q$: the largest risk, over all laws, of the network that copies the $H$ tokens named most.
Control    The tuple $(1,\dots,q)$, which names zero tokens; one head more than Gaussian tokens; a longer prompt.
Reads      Printed: there exists a law of the tuples, and the proof takes $(1,\dots,q)$ at late positions, which asks
           for $q\le K$. With one Gaussian token, or two and $q=3$, one head knows too much: there no law of the indices
           gives the bound for these tokens. A longer prompt does.
"""

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.few_heads.visible_span import VisibleSpan
from theorytools.papers.qstr.tasks.few_heads import FewTokens

from ..notation import H, N, d, q
from ..proposition_21.proposition_21 import K
from ._spread import drawn_risk, least_risk, most_risk
from .proposition_03 import published

every = Quantity("least risk", r"\inf R", "of every network with H heads, under the law exhibited", (0, None))
drawn = Quantity("risk behind drawn heads", "R", "under the same law", (0, None))
largest = Quantity("largest risk of one network", r"\sup R", "over all laws of the index tuples", (0, None))


def construct(p, H=None):
    return p.N, p.d, p.q, H or p.H


def measure(sizes, p):
    return {every: least_risk(*sizes), drawn: drawn_risk(p.rng("heads"), *sizes)}


def zero_tokens(p):
    return VisibleSpan.random(p.rng("heads"), p.H, FewTokens(p.N, p.d, p.q, late=tuple(range(p.q)))).risk()


def longer(sizes, p):
    return {largest: VisibleSpan.random(p.rng("heads"), p.H, FewTokens(2 * p.q + 2, p.d, p.q)).risk()}


claim = Claim(
    "Proposition 3, more indices than Gaussian tokens",
    role="variant", source="published: Proposition 3; prose",
    scope={"every N, d, q, H": "proof", "some law of index tuples": "exhibited", "every network": "proof"},
    asserts=[every >= published, drawn >= published], requires=[q > K, K >= 2 * H + 1, d >= H],
    grid=points("N d q H", (8, 40, 4, 1), (9, 20, 6, 1), (16, 12, 16, 2), (33, 12, 20, 3), (64, 64, 124, 4),
                (256, 100, 512, 8)),
    construct=construct, measure=measure,
    controls=[
        Control("the tuple (1, ..., q), zero tokens among the indexed", asserts=[drawn >= published], breaks=drawn,
                where=N <= 16, measure=lambda sizes, p: {drawn: zero_tokens(p)}),
        Control("as many heads as Gaussian tokens", breaks=[every, drawn],
                construct=lambda p: construct(p, H=(p.N + 1) // 2 - 1)),
    ],
)
one_token = Claim(
    "Proposition 3, read without a condition on q",
    role="pitfall", source="derived here: Proposition 3",
    scope={"every N, d, q, H": "points", "some law of index tuples": "closed form", "every network": "points"},
    expect="REFUTED", asserts=[largest >= published], requires=[q > K, K >= H, d >= H],
    note="With one Gaussian token, or two and three indices, one head knows too much under every law of the indices.",
    grid=points("N d q H", (4, 8, 4, 1), (3, 40, 40, 1), (6, 40, 3, 1)),
    construct=construct, measure=lambda sizes, p: {largest: most_risk(p.N, p.q, sizes[3])},
    controls=[
        Control("a longer prompt, all indexed tokens Gaussian", measure=longer),
        Control("no head", asserts=[largest <= published], breaks=largest,
                measure=lambda sizes, p: {largest: most_risk(p.N, p.q, 0)}),
    ],
)
