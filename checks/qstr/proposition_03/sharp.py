r"""The sharp constant for few heads: the bound is positive for every $H<\min(q,d)$.

Finding    Fewer than $\min(q,d)$ heads cannot add up $q$ looked-up tokens, whatever their attention matrices and
           whatever reads them out.
Setting    As in proposition_03.
Statement  $E(y_i-\hat y_i)^2\ge2(1-\frac Hq)_+(1-\frac Hd)_+$ for the $\lfloor N/2\rfloor+1$ positions $i\ge N/2$,
           hence $R\ge(1-\frac Hq)_+(1-\frac Hd)_+$, which is positive for every $H<\min(q,d)$: there the late error is
           at least $2/(qd)$. By multiplying out it is larger than the published bound by $H^2/(qd)$.
Proof      As in proposition_03 the variance left at a late position, $qd$ times the error, is on average at least
           $2(d-h_w)(q-h_a)_+$ for each value of the scores, and both ranks are at most $H$.
Adversary  Random integer directions and weights on all $K=\lceil N/2\rceil-1$ Gaussian tokens, given the scores; those
           drawn by falsify.
Measured   The least error of any readout, as a trace in rationals.  Equality where $q=K$; for $q=d=H+1$ one direction
           is left.
Control    A head more; no direction left; twice the bound; the published bound with the overlap counted twice.
Reads      Derived here: what the heads show spans $\mathbb{R}^q\otimes\mathcal{W}+\mathcal{A}\otimes\mathbb{R}^d$, and
           $\mathcal{A}^\perp\otimes\mathcal{W}^\perp$ is left.
"""

from sympy import Eq, Max

from theorytools import Claim, Control, points
from theorytools.papers.qstr.few_heads.visible_span import VisibleSpan
from theorytools.papers.qstr.tasks.few_heads import FewTokens

from ..notation import H, d, q
from ..proposition_21.exact import late
from ..proposition_21.proposition_21 import K, risk, share
from .proposition_03 import published

sharp = Max(0, 1 - H / q) * Max(0, 1 - H / d)
above, some = late >= 2 * sharp, late >= 2 / (q * d)


def construct(p, more=0, everywhere=True) -> VisibleSpan:
    task = FewTokens(p.N, p.d, p.q)
    return VisibleSpan.random(p.rng("heads"), p.H + more, task, task.K if everywhere else p.q)


claim = Claim(
    "Proposition 3, sharp",
    role="sharpness", source="derived here: Proposition 3",
    scope={"every N, d, q, H": "proof", "every set of heads": "proof", "every read-out": "closed form"},
    asserts=[above, risk >= 2 * share * sharp, some], requires=[q <= K, q > H, d > H],
    grid=points("N d q H", (7, 4, 3, 1), (7, 4, 3, 2), (9, 10, 4, 3), (9, 4, 4, 3), (25, 8, 12, 3), (17, 9, 8, 7),
                (33, 16, 16, 1), (16, 6, 4, 2), (20, 3, 5, 2), (33, 4, 8, 3)),
    construct=construct, measure=lambda shown, p: {late: shown.late_error(), risk: shown.risk()},
    search=VisibleSpan.search,
    controls=[
        Control("a head more", breaks=above, asserts=[above], where=Eq(q, K),
                construct=lambda p: construct(p, more=1)),
        Control("no direction left", breaks=[above, some], asserts=[above, some],
                construct=lambda p: construct(p, more=min(p.q, p.d) - p.H, everywhere=False)),
        Control("twice the bound", breaks=late, asserts=[late >= 4 * sharp], where=Eq(q, K)),
        Control("the overlap counted twice", breaks=late, where=Eq(q, K),
                asserts=[late >= 2 * (published + 2 * H**2 / (q * d))]),
    ],
)
