r"""A transition network of three layers writes the indexed token at its position, and nothing elsewhere, exactly.

Setting    Tokens with $\|x\|_\infty\le M$, $q$ indices, sign codes with gap
           $\gamma=1-\max_{i\ne j}\langle\omega_i,\omega_j\rangle>0$; the input of position $i$ is
           $(x,\omega_i,\omega_{t_1},\dots,\omega_{t_q})$, with any state $h$.
Statement  For a slope $K\ge M/\gamma$, slot $l$ of the output is $x$ if $i=t_l$ and exactly $0$ otherwise, whatever $h$
           is.  Squared norm of all weights: $2d+4qd_e+4qd(1+K^2/d_e)+2qd$.
Proof      Slot $l$ of the output is $\sigma(x-v)-\sigma(-x-v)$ entry by entry,
           $v=K(1-\langle\omega_i,\omega_{t_l}\rangle)$. For $i=t_l$ is $v=0$ and it is $x$, else $v\ge K\gamma\ge
           M\ge|x_k|$ and it is 0. Rows: $2d$ with one $\pm1$, $2qd_e$ with two; $2qd$ with two $\pm1$ and $2d_e$
           entries $\pm K/d_e$; in the last layer $2qd$ entries $\pm1$.
Witness    PositionTracker on binary, random and Hadamard codes; $K$ the least multiple of $d_e$ with $K\gamma\ge M$,
           with $K\gamma=M$ on the first, third and last row.
Measured   Integer forward pass at every position, for every index; tokens $\pm M$, worst because the gate is monotone
           in $|x_k|$, and random integers.
Control    The next smaller slope; a duplicate code; the gate without its second ReLU; the norm for unit codes.
Reads      Printed: four layers, an error $\varepsilon$ on a match, norms and widths polynomial in $r_x$, $D_e$,
           $\frac1\varepsilon$, by $\varepsilon_2=\frac\varepsilon4$ and $\varepsilon_1=\varepsilon/(4\|A_2\|\|W_2\|)$.
           Three layers without error, the condition on $K$ and the norm, polynomial as well, are derived here for sign
           codes, so this implies it; only $\gamma>0$ is needed.
"""

from dataclasses import replace

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.by_family import code_of_family
from theorytools.constructions.network import changed
from theorytools.constructions.recurrent.position_tracker import PositionTracker
from theorytools.errors import DomainError

from ..notation import K_g, M_x, N, d, d_e, gamma_c, q

hits = Quantity("pairs exact", r"\#\{(i,t):f(h,z_i)=(x\mathbb{1}[i=t_l])_l\}",
                "positions and indices with the exact output for all tokens tried", (0, N**2))
norm = Quantity("squared norm", r"\|\mathrm{vec}\,\Theta\|^2", "sum of the squares of all weights", (0, None))


def codes(p):
    return code_of_family(p.code, p.N, p.d_e, p.rng("codes"))


def slope(p):
    """The least multiple of d_e that is at least M / gamma."""
    distance = codes(p).minimum_distance() if p.N >= 2 else 0
    if not distance:
        raise DomainError("codes that coincide, or one code", required="a gap")
    return p.d_e * -(-p.M_x // (2 * distance))


def construct(p, lower=0, **spoiled) -> PositionTracker:
    K = p.axes.get("K_g") or slope(p)
    return replace(PositionTracker(codes(p).signs, K - lower * p.d_e, p.q, p.d), **spoiled)


def duplicate(p):
    return construct(p, signs=codes(p).signs[[0, 0, *range(2, p.N)]])


def linear(p):  # the second ReLU left out
    return changed(construct(p), leak=1)


def outputs(net, p):
    """Outputs and targets, shape (tokens, t, i, q, d): every index t, slot l holding t + l."""
    shape, rng = (3, p.N, p.N), p.rng("tokens")
    X = rng.integers(-p.M_x, p.M_x + 1, (*shape, p.d))
    X[0], X[1] = p.M_x, -p.M_x
    T = np.broadcast_to(((np.arange(p.N)[:, None] + np.arange(p.q)) % p.N)[:, None], (*shape, p.q))
    flat = net.encode(X.reshape(-1, p.N, p.d), T.reshape(-1, p.N, p.q))
    h = rng.integers(-p.M_x, p.M_x + 1, (*flat.shape[:2], p.q * p.d))
    match = np.arange(p.N)[:, None] == T
    return net(flat, h).reshape(*shape, p.q, p.d), X[..., None, :] * match[..., None], match


def measure(net, p):
    out, wanted, _ = outputs(net, p)
    return {hits: int((out == wanted).all(axis=(0, 3, 4)).sum()), norm: net.squared_norm()}


def gap(net, p):
    return {gamma_c: 1 - codes(p).coherence()}


claim = Claim(
    "Proposition 26",
    role="statement", source="published: Proposition 26; prose",
    scope={"every code, N, d_e, q, d, M_x": "proof", "some network": "exhibited",
           "every position and index": "enumeration", "every token": "proof"},
    asserts=[hits.equals(N**2), norm.equals(2 * d + 4 * q * d_e + 4 * q * d * (1 + K_g**2 / d_e) + 2 * q * d)],
    requires=[gamma_c > 0, K_g * gamma_c >= M_x],
    grid=points("code N d_e q d M_x", ("binary", 4, 2, 1, 1, 8), ("rademacher", 16, 20, 2, 3, 50),
                ("hadamard", 16, 16, 3, 2, 64), ("binary", 64, 6, 2, 3, 20), ("binary", 256, 8, 1, 1, 8)),
    derive=lambda net, p: {K_g: net.K, **gap(net, p)}, derived=[K_g, gamma_c], construct=construct, measure=measure,
    controls=[
        Control("the next smaller slope", breaks=[hits, norm], where=K_g > d_e, construct=lambda p: construct(p, 1)),
        Control("a duplicate code", breaks=hits, construct=duplicate),
        Control("the second ReLU left out", breaks=hits, construct=linear),
        Control("the norm for unit codes", breaks=norm,
                asserts=[norm.equals(2 * d + 4 * q * d_e + 4 * q * d * (1 + K_g**2) + 2 * q * d)]),
    ],
)
