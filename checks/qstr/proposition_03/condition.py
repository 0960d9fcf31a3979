r"""The bound for few heads needs all indexed tokens among the Gaussian ones, $q\le\lceil N/2\rceil-1$.

Setting    As in proposition_03, with $q>K=\lceil N/2\rceil-1$: the tuple $(1,\dots,q)$ also points to zero tokens.
Statement  $R\ge1-H(\frac1q+\frac1d)$, read without a condition on $q$.
Witness    RevealedTokens: $H$ heads on the $K$ Gaussian tokens; for $i<N/2$ all indices point to a zero token.
Measured   The least risk behind them, in rationals: the label of a late position has $K$ unknown terms, not $q$.
Control    Repairs: $R\ge\frac{\lfloor N/2\rfloor+1}N\cdot\frac{2(K-H)(d-H)}{qd}$; the tuple $(1,\dots,K)$ and
           $R\ge1-H(\frac1K+\frac1d)$.
Reads      The display was not available to us, and we found no condition on $q$ in the text we have.  It costs nothing:
           a longer prompt meets it.
"""

from sympy import Rational

from theorytools import Claim, Control, points
from theorytools.constructions.attention.few_heads.visible_span import RevealedTokens
from theorytools.tasks.few_heads import FewTokens

from ..notation import H, N, d, q
from ..proposition_21.proposition_21 import K, risk, share
from .proposition_03 import published


def construct(p, q=None) -> RevealedTokens:
    task = FewTokens(p.N, p.d, q or p.q, late=tuple(range(q or p.q)))
    return RevealedTokens.random(p.rng("heads"), p.H, task)


claim = Claim(
    "Proposition 3, read without a condition on q",
    role="pitfall", source="derived here: Proposition 3",
    scope={"every N and q": "points", "some law of index tuples": "exhibited"},
    expect="REFUTED", asserts=[risk >= published],
    note="Zero tokens among the indexed ones leave less to know.", requires=[q > K, q <= N, K >= H, d >= H],
    grid=points("N d q H", (8, 40, 4, 1), (9, 20, 6, 1), (4, 8, 4, 1), (16, 12, 16, 2), (33, 12, 20, 3)),
    construct=construct, measure=lambda shown, p: {risk: shown.risk()},
    controls=[
        Control("K unknown terms", asserts=[risk >= share * 2 * (K - H) * (d - H) / (q * d)]),
        Control("indices of Gaussian tokens only", asserts=[risk >= 1 - H * (1 / K + 1 / d)],
                construct=lambda p: construct(p, q=(p.N + 1) // 2 - 1)),
        Control("a tenth above K unknown terms", breaks=risk, where=K > H,
                asserts=[risk >= share * Rational(11, 5) * (K - H) * (d - H) / (q * d)]),
    ],
)
