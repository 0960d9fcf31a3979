r"""With a clip of every slot the readout of the network with one number per position is $\sqrt2$-Lipschitz everywhere.

Setting    As in theorem_01_store_all; the readout cuts each payload $m_k$, stored or current, at $\pm M_c$ before
           its gate.
Statement  With $dM\le M_c\le K\gamma$ it has four layers, $\hat y_j=y_j$ as before, and
           $\sup|f_y(h,z)-f_y(h',z)|^2/\|h-h'\|^2=2$ over all pairs of states $(h^\to,h^\leftarrow)$.
Witness    StoreAllRNN on binary and random codes with $M_c=dM$; on the binary rows $M_c=K\gamma$ is the largest level.
Measured   The readout is a sum of functions of the slots' sums, linear between neighbouring integers and constant far
           out.  So 2 times the sum over slots of the largest squared step, over the whole range, is the supremum;
           the largest over all indices.  Also the largest ratio over random pairs of states, far from any run.
Control    Three layers, without the clip, $2N$ in place of 2; a level above $K\gamma$; a level below the payloads; one
           direction counted.
Reads      Derived here.  With three layers the constant holds where $|m_k|\le K\gamma$ for all $k$, as in every run.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.recurrent.store_all import StoreAllRNN
from theorytools.constructions.recurrent.store_all_weights import feed

from ..notation import K_g, N, d_e
from . import store_all as plain
from .store_all import hits, wide

steep = Quantity("squared slope", r"\mathrm{Lip}(f_y)^2", "squared Lipschitz constant of the readout", (0, 2 * N))
drawn = Quantity("largest ratio", r"\max|f_y-f_y'|^2/\|h-h'\|^2", "over pairs of integer states", (0, 2 * N))
rows = points("code N d_e d M_x", ("binary", 4, 2, 1, 8), ("binary", 16, 4, 2, 4), ("rademacher", 8, 16, 2, 5))


def construct(p, level=0, lower=0) -> StoreAllRNN:
    return replace(plain.construct(p, lower), clip=p.d * p.M_x + level)


def inputs(net, p):
    """The first position's encoded token, the largest payload, for every index: shape (N, D_e)."""
    X = np.broadcast_to(p.M_x * net.u, (p.N, p.N, p.d))
    return net.inputs.encode(X, np.broadcast_to(np.arange(p.N)[:, None, None], (p.N, p.N, 1)))[:, 0]


def read(net, h, z):
    """The readout at states (n, 2N), for one token or n; doubles hold these integers exactly."""
    z = np.broadcast_to(z, (len(h), z.shape[-1]))
    return feed(np.hstack([h, z]).astype(float), net.readout)[:, 0].astype(int)


def slope(net, p):
    far = 2 * net.K + 2 * p.d * p.M_x + 4 + (net.clip or 0)  # no gate or clip has a corner beyond
    line = np.arange(-far, far + 1)
    h = np.kron(np.eye(p.N, 2 * p.N, dtype=int), line[:, None])  # slot by slot, the forward state
    steps = [np.abs(np.diff(read(net, h, z).reshape(p.N, -1))).max(axis=1) for z in inputs(net, p)]
    return 2 * max(int((step**2).sum()) for step in steps)


def ratio(net, p):
    rng, Z = p.rng("states"), inputs(net, p)[np.arange(20 * p.N) % p.N]
    h = rng.integers(-1, 2, (len(Z), 2 * p.N)) * rng.integers(0, 3 * net.K, (len(Z), 1))
    other = h + rng.integers(-2, 3, h.shape)
    h[: p.N], other[: p.N] = 0, np.eye(p.N, dtype=int)[:, np.arange(2 * p.N) % p.N]  # the indexed slot, in both states
    gaps, lengths = (read(net, h, Z) - read(net, other, Z)) ** 2, ((h - other) ** 2).sum(axis=1)
    return max(Fraction(int(a), int(b)) for a, b in zip(gaps, lengths, strict=True) if b)


def measure(net, p):
    return {hits: plain.measure(net, p)[hits], steep: slope(net, p), drawn: ratio(net, p)}


claim = Claim(
    "Theorem 1, general 1STR with a Lipschitz readout",
    role="variant", source="derived here: Theorem 1",
    scope={"every code, N, d_e, d, M_x": "points", "some network": "exhibited", "every pair of states": "closed form"},
    asserts=[hits.equals(N**2), steep.equals(2), drawn <= 2],
    **{**wide, "grid": rows},
    construct=construct, measure=measure,
    controls=[
        Control("three layers, no clip", breaks=[steep, drawn], construct=plain.construct),
        Control("a level above the gates", breaks=[steep, drawn],
                construct=lambda p: construct(p, 3 * plain.construct(p).K)),
        Control("a level below the payloads", breaks=hits, construct=lambda p: construct(p, -1)),
        Control("the next smaller slope", breaks=hits, asserts=[hits.equals(N**2)], where=K_g > d_e,
                construct=lambda p: construct(p, lower=1)),
        Control("one direction counted", asserts=[steep.equals(1)], breaks=steep),
    ],
)
