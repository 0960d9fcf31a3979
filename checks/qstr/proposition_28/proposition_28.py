r"""A recurrent network whose norm depends on the length through its codes only solves simple $q$STR exactly.

Setting    Simple $q$STR, integer tokens with $\|x\|_\infty\le M$, sign codes with gap $\gamma>0$; states as in
           corollary_27, readout $\hat y_j=f_y(h^\to_j,h^\leftarrow_j,z_j)$ with four layers.
Statement  With $K\ge M/\gamma$ and $r_h\ge\sqrt{qd}\,M$: $\hat y_j=a_g^\top\sigma(W_gx_t+b_g)$ at every $j$, so
           $\hat y=y$ on every prompt for a linear link.  With $\tau=2d+4qd_e+4qd(1+K^2/d_e)$ the squared norm is
           $2(\tau+2qd)+\tau+12qd+4\|W_g\|_F^2+\|b_g\|^2+\|a_g\|^2$.
Proof      $h_j^\to$ holds the slots with $t_l<j$, $h_j^\leftarrow$ those with $t_l>j$ (corollary_27), and the gate of
           the current token those with $t_l=j$ (proposition_26): in each slot one of the three is $x_{t_l}$, the others
           0, so their sum is $x_t$, to which the head is applied. A transition has $\tau+2qd$ (proposition_26). The
           read-out has its first two layers, $\tau$, beside $4qd$ entries $\pm1$ for both states and $8qd$ that add
           them up, the rows of $W_g$ four times, $b_g$ and $a_g$.
Witness    SimpleRetrievalRNN at every $j$, for every index, $1$ and $N$ included, different and repeated indices; the
           linear link and a drawn one of five units with biases.
Measured   Number of exact predictions and the norm, in integers.
Control    A radius one too small; the next smaller slope; a duplicate code; a readout without the current token; the
           norm without the second direction; biases left out, not counted.
Reads      Printed is an approximation with polynomial norm, for $r_h\ge\sqrt qr_x+\sqrt{\varepsilon_{2NN}}/(r_ar_w)$;
           that is proposition_28_approximate. The exact network and its norm are derived here.
"""

from dataclasses import replace

import numpy as np

from theorytools import Control, Quantity
from theorytools.constructions.feedforward.readout import ReluHead

from ..corollary_27.corollary_27 import batch, construct, duplicate, roomy
from ..corollary_27.corollary_27 import claim as states
from ..notation import K_g, N, d, d_e, gamma_c, head_2, q
from ..proposition_26.proposition_26 import gap

hits = Quantity("labels exact", r"\#\{\hat y_j=y_j\}", "exact predictions, all prompts and positions", (0, 2 * N**2))
norm = Quantity("squared norm", r"\|\mathrm{vec}\,\Theta\|^2", "sum of the squares of all weights, biases", (0, None))
tau = 2 * d + 4 * q * d_e + 4 * q * d * (1 + K_g**2 / d_e)


def labels(net, X, T, linear=True):
    tokens = X[np.arange(len(X))[:, None, None], T].reshape(*T.shape[:2], -1)
    return tokens @ net.head.W[0] if linear else np.maximum(tokens @ net.head.W.T + net.head.b, 0) @ net.head.a


def measure(net, p, linear=True):
    X, T = batch(p)
    return {hits: int((net(X, T) == labels(net, X, T, linear)).sum()), norm: net.squared_norm()}


def only_states(net, p, linear=True):
    X, T = batch(p)
    return {**measure(net, p), hits: int((net.head(sum(net.states(X, T))) == labels(net, X, T, linear)).sum())}


def derive(net, p):
    squares = [int((A * A).sum()) for A in (net.head.W, net.head.b, net.head.a)]
    return {K_g: net.tracker.K, **gap(net, p), head_2: 4 * squares[0] + squares[1] + squares[2]}


claim = replace(
    states, label="Proposition 28",
    role="statement", source="published: Proposition 28; prose",
    scope={"every code, N, d_e, q, d, M_x, r_h": "proof", "some network": "exhibited",
           "every position and index": "enumeration", "every token": "proof"},
    asserts=[hits.equals(2 * N**2), norm.equals(2 * (tau + 2 * q * d) + tau + 12 * q * d + head_2)],
    derive=derive, derived=[K_g, gamma_c, head_2], measure=measure,
    controls=[
        replace(states.controls[0], breaks=hits),
        replace(states.controls[1], breaks=[hits, norm]),
        Control("a duplicate code", breaks=hits, where=roomy, construct=duplicate),
        Control("a readout without the current token", breaks=hits, measure=only_states),
        Control("one direction not counted", breaks=norm,
                asserts=[norm.equals(2 * tau + 2 * q * d + 12 * q * d + head_2)]),
    ],
)


def drawn(p, **spoiled):
    rng = p.rng("link")
    return replace(construct(p, **spoiled), head=ReluHead(*(rng.integers(1, 4, shape) * rng.choice([-1, 1], shape)
                                                 for shape in ((5,), (5, p.q * p.d), (5,)))))


def unbiased(net, p):
    X, T = batch(p)
    found = replace(net, head=replace(net.head, b=0 * net.head.b))(X, T)
    return {hits: int((found == labels(net, X, T, linear=False)).sum()), norm: net.squared_norm()}


links = replace(
    claim, label="Proposition 28, a link with biases",
    role="variant", source="published: Proposition 28; prose",
    scope={"every code, N, d_e, q, d, M_x, r_h": "proof", "some network": "exhibited",
           "every position and index": "enumeration", "every token": "proof"},
    construct=drawn,
    measure=lambda net, p: measure(net, p, linear=False),
    controls=[
        Control("a readout without the current token", breaks=hits, measure=lambda net, p: only_states(net, p, False)),
        replace(claim.controls[1], construct=lambda p: drawn(p, lower=1)),
        Control("biases left out", breaks=hits, measure=unbiased),
        Control("biases not counted", breaks=norm,
                asserts=[norm.equals(2 * (tau + 2 * q * d) + tau + 12 * q * d + head_2 - 5)]),
    ],
)
