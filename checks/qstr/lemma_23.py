r"""The first map of the transition passes the token and compares its position with every index, side by side.

Setting    Input $(h,z)$ with $z=(x,\omega_i,\omega_{t_1},\dots,\omega_{t_q})$, sign codes, any state $h$.
Statement  $(h,z)\mapsto(x,\langle\omega_i,\omega_{t_1}\rangle,\dots,\langle\omega_i,\omega_{t_q}\rangle)$ is a
           two-layer network of width $2d+q\cdot2d_e$, without error; it does not read $h$.
Proof      For signs $\langle\omega,\omega'\rangle=1-d_e^{-1/2}\sum_k|\omega_k-\omega_k'|$ (lemma_22), two units for
           each $|\cdot|$ and two for each entry of $x=\sigma(x)-\sigma(-x)$.
Witness    The first layer of PositionTracker, followed by the linear read-out of the differences.
Measured   Pairs (position, index) with all entries exact, in integers ($d_e\langle\omega,\omega'\rangle$); the width.
Control    A first layer that reads the state; read-outs of the slots exchanged; half of the units for a slot.
Reads      Printed: width $m_1=2d+q\bar m_1$ with an inner-product network of width $\bar m_1$ and error $\varepsilon$
           for each slot (Lemma 22), $\|W_1^\top\|_{1,\infty}\le1$, and an identity part with norms 1 and 2. The width
           is the same with $\bar m_1=2d_e$, without error, which is derived here for sign codes; entries of the rows
           are $\pm1$, two in each.
"""

from dataclasses import dataclass

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.recurrent.position_tracker import PositionTracker

from .notation import N, d, d_e, q
from .proposition_26.proposition_26 import codes

hits = Quantity("pairs exact", r"\#\{(i,t):(x,s_1,\dots,s_q)\text{ exact}\}", "positions and indices", (0, N**2))
width = Quantity("width", "m_1", "rectifiers of the first layer", (0, None))


@dataclass(frozen=True)
class FirstMap:
    """Two layers: rows on the state and the encoded token, and a read-out with an offset."""

    tracker: PositionTracker
    rows: np.ndarray
    read: np.ndarray

    def __call__(self, h, Z):
        """Return the token and d_e times the products, shape (..., d + q)."""
        offset = np.repeat([0, self.tracker.d_e], [self.tracker.d, self.tracker.q])
        return np.maximum(np.concatenate([h, Z], axis=-1) @ self.rows.T, 0) @ self.read.T + offset


def construct(p, state=0, order=1, sign=-1) -> FirstMap:
    net = PositionTracker(codes(p).signs, p.d_e, p.q, p.d)
    unit = np.eye(p.d, dtype=int)
    slots = np.kron(np.eye(p.q, dtype=int)[::order], np.ones((1, p.d_e), dtype=int))
    read = np.block([[unit, -unit, np.zeros((p.d, 2 * p.q * p.d_e), dtype=int)],
                     [np.zeros((p.q, 2 * p.d), dtype=int), -slots, sign * slots]])
    rows = net.layers[0].copy()
    rows[:, 0] += state
    return FirstMap(net, rows, read)


def measure(net, p):
    rng, X = p.rng("tokens"), p.rng("values").integers(-9, 10, (p.N, p.N, p.d))
    T = np.broadcast_to(((np.arange(p.N)[:, None] + np.arange(p.q)) % p.N)[:, None], (p.N, p.N, p.q))
    out = net(rng.integers(1, 9, (p.N, p.N, p.q * p.d)), net.tracker.encode(X, T))
    own = net.tracker.signs
    products = np.einsum("ik,tiqk->tiq", own, own[T])
    exact = (out == np.concatenate([X, products], axis=-1)).all(axis=-1)
    return {hits: int(exact.sum()), width: len(net.rows)}


claim = Claim(
    "Lemma 23",
    role="statement", source="published: Lemma 23; prose",
    scope={"every code, N, d_e, q, d": "proof", "some network": "exhibited", "every pair of positions": "enumeration"},
    asserts=[hits.equals(N**2), width.equals(2 * d + 2 * q * d_e)],
    grid=points("code N d_e q d", ("binary", 4, 2, 1, 1), ("hadamard", 8, 8, 2, 3), ("rademacher", 12, 20, 3, 2),
                ("binary", 64, 6, 1, 1), ("rademacher", 4, 768, 1, 1)),
    construct=construct, measure=measure,
    controls=[
        Control("a first layer that reads the state", breaks=hits, construct=lambda p: construct(p, state=1)),
        Control("the slots exchanged", breaks=hits, where=q >= 2, construct=lambda p: construct(p, order=-1)),
        Control("half of the units of a slot", breaks=hits, construct=lambda p: construct(p, sign=0)),
        Control("one unit per entry", breaks=width, asserts=[width.equals(d + q * d_e)]),
    ],
)
