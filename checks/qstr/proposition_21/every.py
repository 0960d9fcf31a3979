r"""No choice of attention weights and readout beats the bound of Proposition 21.

Setting    As in proposition_21, with any $H$ rows of attention weights that do not depend on the tokens.
Statement  The least error over all readouts is at least $2(1-H/q)$, with equality where $q=K$ and the rows are
           independent.
Proof      The nonzero eigenvalues of $S$ are those of $P_{\mathcal A}JP_{\mathcal A}$, $\mathcal A$ the span of the
           rows: at most $H$, all in $[0,1]$, so $\operatorname{tr}S^2\le H$.
Adversary  Random rational rows, and rows drawn by falsify.
Measured   $2(1-\operatorname{tr}S^2/q)$ with $S=(VV^\top)^{-1}VJV^\top$, $J$ the projection on the indexed
           tokens, in rationals.
Control    A head more; twice the bound.
Reads      Derived here: the trace formula holds for every $d$.
"""

from dataclasses import replace

from sympy import Eq

from theorytools import Control, points
from theorytools.papers.qstr.few_heads.quadratic_readout import AttentionRows

from ..notation import H, q
from .exact import above, late
from .exact import claim as witness_claim
from .proposition_21 import K, bound


def weights(p, more=0) -> AttentionRows:
    return AttentionRows.random(p.rng("weights"), p.H + more, (p.N + 1) // 2 - 1, p.q)


claim = replace(
    witness_claim, label="Proposition 21, random attention weights",
    role="statement", source="published: Proposition 21; prose",
    scope={"every N, q, H": "proof", "every set of heads": "proof", "every read-out": "closed form"},
    asserts=above, requires=[q > H, q <= K], lets={},
    grid=points("N q H", (8, 3, 1), (16, 7, 4), (33, 16, 15), (64, 8, 3)),
    construct=weights, search=AttentionRows.search,
    controls=[
        Control("a head more", breaks=late, where=Eq(q, K), construct=lambda p: weights(p, more=1)),
        Control("twice the bound", breaks=late, where=Eq(q, K), asserts=[late >= 2 * bound]),
    ],
)
