r"""The states of the recurrent network hold the indexed tokens they have passed, without any error.

Setting    Simple $q$STR with integer tokens, $\|x\|_\infty\le M$; states
           $h^\to_{j+1}=\Pi_{r_h}(h^\to_j+f(h^\to_j,z_j))$ from $h^\to_1=0$, and backward from $h^\leftarrow_N=0$, with
           the transition of proposition_26 and $r_h\ge\sqrt{qd}\,M$.
Statement  $h^\to_j(l)=x_{t_l}\mathbb{1}[t_l<j]$ and $h^\leftarrow_j(l)=x_{t_l}\mathbb{1}[t_l>j]$ for all $j,l$: errors
           do not add up over the sequence, because each slot is written once and other increments are exactly 0.
           Hence $\|h_j\|^2\le qdM^2$, and the projection is never active.
Proof      By induction on $j$: as long as a state is $(x_{t_l}\mathbb{1}[t_l<j])_l$ its squared norm is at most
           $\sum_l\|x_{t_l}\|^2\le qdM^2\le r_h^2$, so the projection leaves it, and the increment at $j$ is $x_j$ in
           the slots with $t_l=j$ and 0 in the others (proposition_26).
Witness    SimpleRetrievalRNN on binary, random and Hadamard codes, for every index: different indices with random
           tokens, and $q$ equal indices with tokens $\pm M$, where the bound on the norm, and the smallest radius, are
           attained.
Measured   Number of exact slots and the largest squared norm, in integers.
Control    A radius one too small; the next smaller slope; a duplicate code (two tokens are added); increments without
           the second ReLU, whose error grows with the sequence.
Reads      Printed with an error $\varepsilon$ and $r_h\ge\sqrt q(r_x+\sqrt d\,\varepsilon)$; here $\varepsilon=0$, and
           $r_x=\sqrt d\,M$. With errors it is corollary_27_approximate; the gate's cases as one printed sentence has
           them, corollary_27_exchanged.
"""

from dataclasses import replace

import numpy as np
from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.constructions.recurrent.simple_retrieval import SimpleRetrievalRNN

from ..notation import K_g, M_x, N, d, d_e, gamma_c, q, r_h
from ..proposition_26 import proposition_26

held = Quantity("slots exact", r"\#\{h_j(l)\text{ exact}\}", "slots of both directions over all prompts, positions",
                (0, 4 * q * N**2))
top = Quantity("largest state", r"\max_j\|h_j\|^2", "largest squared norm of a state", (0, r_h**2))
roomy = r_h >= 2 * N * q * d * M_x  # no spoiled state reaches the radius


def head(p):
    """The link sum_l <u_l, x_l> with integer directions: two units."""
    u = p.rng("link").integers(1, 4, p.q * p.d)
    return ReluHead(np.array([1, -1]), np.stack([u, -u]), np.zeros(2, dtype=int))


def construct(p, radius=0, **spoiled) -> SimpleRetrievalRNN:
    return SimpleRetrievalRNN(proposition_26.construct(p, **spoiled), head(p), p.r_h + radius)


def duplicate(p):
    return replace(construct(p), tracker=proposition_26.duplicate(p))


def batch(p):
    """2N prompts: q consecutive indices and random tokens, then q equal indices and tokens +M or -M."""
    X = p.rng("tokens").integers(-p.M_x, p.M_x + 1, (2 * p.N, p.N, p.d))
    X[p.N :: 2], X[p.N + 1 :: 2] = p.M_x, -p.M_x
    t = np.arange(p.N)[:, None]
    T = np.concatenate([(t + np.arange(p.q)) % p.N, np.repeat(t, p.q, axis=1)])
    return X, np.repeat(T[:, None], p.N, axis=1)


def targets(X, T):
    """The tokens x_{t_l} of each prompt, and on which side of position j they lie."""
    tokens = X[np.arange(len(X))[:, None], T[:, 0]]
    return tokens[:, None], np.sign(np.arange(X.shape[1])[:, None] - T)


def measure(net, p):
    X, T = batch(p)
    tokens, side = targets(X, T)
    both = [h.reshape(*T.shape, p.d) for h in net.states(X, T)]
    right = [(h == tokens * (side == sign)[..., None]).all(axis=-1) for h, sign in zip(both, (1, -1), strict=True)]
    return {held: int(np.sum(right)), top: max((h * h).sum(axis=(-1, -2)).max() for h in both)}


claim = Claim(
    "Corollary 27",
    role="statement", source="published: Corollary 27; prose",
    scope={"every code, N, d_e, q, d, M_x, r_h": "proof", "some network": "exhibited", "every index": "enumeration",
           "every token": "proof"},
    asserts=[held.equals(4 * q * N**2), top <= q * d * M_x**2],
    requires=[N >= 2, gamma_c > 0, K_g * gamma_c >= M_x, r_h**2 >= q * d * M_x**2],
    grid=points("code N d_e q d M_x r_h", ("binary", 4, 2, 1, 1, 8, 8), ("binary", 16, 4, 1, 1, 30, 960),
                ("binary", 16, 4, 3, 2, 30, 5760), ("rademacher", 12, 20, 2, 3, 50, 7200),
                ("hadamard", 16, 16, 2, 2, 64, 128)),
    derive=lambda net, p: {K_g: net.tracker.K, **proposition_26.gap(net, p)}, derived=[K_g, gamma_c],
    construct=construct, measure=measure,
    controls=[
        Control("a radius one too small", breaks=held, where=Eq(q * d, 1) & Eq(r_h, M_x),
                construct=lambda p: construct(p, radius=-1)),
        Control("the next smaller slope", breaks=[held, top], where=roomy & (K_g > d_e),
                construct=lambda p: construct(p, lower=1)),
        Control("a duplicate code", breaks=[held, top], where=roomy, construct=duplicate),
        Control("the second ReLU left out", breaks=[held, top], where=roomy,
                construct=lambda p: replace(construct(p), tracker=proposition_26.linear(p))),
    ],
)
