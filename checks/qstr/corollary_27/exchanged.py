r"""With the two cases of the gate exchanged the states hold the sum of all tokens but the one that is asked for.

Finding    In one sentence of its proof, as printed, the gate of Corollary 27 passes the token where $t_l\ne i$ and is
           zero where $t_l=i$; the construction needs it the other way round, and the network of the printed sentence
           holds no indexed token.
Setting    As in corollary_27, with a radius that no state reaches and the transition $x\,\mathbb{1}[i\ne t_l]$ for
           $x\,\mathbb{1}[i=t_l]$.
Statement  Read as printed: $h^\to_j(l)=x_{t_l}\mathbb{1}[t_l<j]$ and $h^\leftarrow_j(l)=x_{t_l}\mathbb{1}[t_l>j]$ for
           all $j$ and $l$.
Witness    The network with the cases as printed: $h^\to_j(l)=\sum_{i<j,\,i\ne t_l}x_i$. At $N=2$, $q=d=1$, tokens
           $(1,0)$ and $t=1$ the slot is 0 after the first step, and the token is 1.
Measured   As in corollary_27: number of exact slots, in integers.
Control    The cases as the construction needs them.
Reads      A slip of the printed proof, in the text that was read; its symbol may have lost a stroke there. The
           statement and the claims about it have the cases as they are needed: corollary_27, corollary_27_approximate.
"""

from dataclasses import dataclass, replace

import numpy as np

from theorytools import Claim, Control, points
from theorytools.constructions.recurrent.position_tracker import PositionTracker
from theorytools.constructions.recurrent.simple_retrieval import SimpleRetrievalRNN

from ..notation import M_x, N, d, gamma_c, q, r_h
from ..proposition_26.proposition_26 import gap
from . import corollary_27 as states


@dataclass(frozen=True)
class ExchangedTracker(PositionTracker):
    """The tracker with its two cases exchanged: the token wherever the codes differ, zero where they agree."""

    def __call__(self, Z, h=None):
        """Return the increment, q slots of d entries."""
        return np.tile(np.asarray(Z)[..., : self.d], self.q) - super().__call__(Z, h)


def construct(p) -> SimpleRetrievalRNN:
    net = states.construct(p)
    tracker = net.tracker
    return replace(net, tracker=ExchangedTracker(tracker.signs, tracker.K, tracker.q, tracker.d))


claim = Claim(
    "Corollary 27, the gate as printed",
    role="pitfall", source="published: Corollary 27, its proof; prose",
    scope={"every code, N, d_e, q, d, M_x, r_h": "points", "every index": "enumeration", "every token": "points"},
    note="Said by the printed proof, in one sentence: zero where the index is met.",
    asserts=states.held.equals(4 * q * N**2), expect="REFUTED",
    requires=[N >= 2, gamma_c > 0, r_h >= 2 * N * q * d * M_x],
    grid=points("code N d_e q d M_x r_h", ("binary", 2, 1, 1, 1, 1, 4), ("binary", 16, 4, 1, 1, 30, 960),
                ("binary", 16, 4, 3, 2, 30, 5760)),
    derive=gap, derived=[gamma_c], construct=construct,
    measure=lambda net, p: {states.held: states.measure(net, p)[states.held]},
    controls=[Control("zero where the index is not met", construct=states.construct)],
)
