r"""On the simple task the two empirical risks coincide if the outputs are equal at all positions, else they may differ.

Setting    $n$ prompts, squared loss; $\hat R_{n,N}$ averages all positions, $\hat R_n$ takes one position $j^{(i)}$ of
           each prompt (Definition 2).  Feedforward networks $x\mapsto A\sigma(Bx)\in\mathbb{R}^N$ of the whole prompt.
Statement  On the simple task, with outputs equal at all positions, $\hat R_n=\hat R_{n,N}$ for every choice of the
           $j^{(i)}$.  The reading "for simple models the two coincide", without equal outputs, fails: an $N$-output
           network may have $\hat R_n=0<\hat R_{n,N}$.
Witness    The network whose output at $j$ is $\langle u,x_j\rangle$ of its own token, right where $j^{(i)}=t^{(i)}$;
           for the repair its rows of $A$ are replaced by their sum, or drawn once.
Measured   The largest $|\hat R_n-\hat R_{n,N}|$ over all $N^n$ choices, which is attained at the best or the worst
           position of every prompt, and the least $\hat R_n$, in rationals.
Control    Outputs that differ; a different index at every position; the first row of $A$ doubled; the repair.
Reads      That outputs are equal is clear for the attention and recurrent networks of the paper on this task, and an
           assumption for a network with $N$ outputs.  In the mean the two risks always coincide: definition_02_risks.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points

from ..notation import N

apart = Quantity("difference", r"\max_j|\hat R_n-\hat R_{n,N}|", "over all choices of the positions", (0, None))
least = Quantity("least", r"\min_j\hat R_n", "over all choices of the positions", (0, None))


@dataclass(frozen=True)
class FeedforwardN:
    """A two-layer ReLU network of the whole prompt, with one output per position."""

    A: np.ndarray
    B: np.ndarray

    def __call__(self, X):
        """Return the outputs, shape (n, N), for tokens (n, N, d)."""
        return np.maximum(X.reshape(len(X), -1) @ self.B.T, 0) @ self.A.T


def construct(p, kind=None) -> FeedforwardN:
    own = np.kron(np.eye(p.N, dtype=int), p.rng("link").integers(1, 4, p.d))
    each = np.eye(p.N, dtype=int)
    rows = {"drawn": lambda: p.rng("readout").integers(-3, 4, p.N), "sum": lambda: np.ones(p.N, dtype=int)}
    kind = kind or p.outputs
    A = each if kind == "own" else np.repeat(rows[kind]()[None], p.N, axis=0)
    return FeedforwardN(np.hstack([A, -A]), np.vstack([own, -own]))


def measure(net, p, task="simple"):
    X = p.rng("tokens").integers(-5, 6, (p.n, p.N, p.d))
    T = p.rng("indices").integers(0, p.N, (p.n, 1)) + np.arange(p.N) * (task == "general")
    payload = X @ p.rng("link").integers(1, 4, p.d)
    losses = (net(X) - np.take_along_axis(payload, T % p.N, axis=1)) ** 2
    high, low = (Fraction(int(end.sum()), p.n) for end in (losses.max(axis=1), losses.min(axis=1)))
    mean = Fraction(int(losses.sum()), losses.size)
    return {apart: max(high - mean, mean - low), least: low}


def uneven(p):
    net = construct(p)
    return FeedforwardN(np.vstack([2 * net.A[:1], net.A[1:]]), net.B)


claim = Claim(
    "Definition 2, equal outputs",
    role="variant", source="derived here: Definition 2",
    scope={"every N, d, n": "points", "every network with equal outputs": "points",
           "every choice of positions": "enumeration"},
    asserts=apart.equals(0), requires=[N >= 2], construct=construct, measure=measure,
    grid=points("outputs N d n", ("sum", 2, 1, 3), ("sum", 8, 3, 20), ("drawn", 5, 2, 7), ("drawn", 16, 4, 40),
                ("drawn", 4, 2, 200)),
    controls=[
        Control("outputs that differ", breaks=apart, construct=lambda p: construct(p, "own")),
        Control("a different index at every position", breaks=apart,
                measure=lambda net, p: measure(net, p, "general")),
        Control("one output twice as large", breaks=apart, construct=uneven),
    ],
)
reading = Claim(
    "Definition 2, any outputs",
    role="pitfall", source="derived here: Definition 2",
    scope={"every outputs, N, d, n": "points", "every network": "points", "every choice of positions": "enumeration"},
    asserts=[apart.equals(0), least.equals(0)], expect="REFUTED",
    note="The two empirical risks of the simple task read as equal for networks with N outputs.",
    grid=points("outputs N d n", ("own", 2, 1, 3), ("own", 8, 3, 20), ("own", 4, 2, 200)),
    construct=construct, measure=measure,
    controls=[Control("equal outputs", asserts=[apart.equals(0)], construct=lambda p: construct(p, "sum"))],
)
