"""Pictures of the constructions of this paper's room; ``python -m theorytools.papers.qstr.drawings`` writes them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import sympy

from theorytools.codes.families import hadamard
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention
from theorytools.papers.qstr.feedforward.interpolant import Interpolant1D
from theorytools.papers.qstr.few_heads.block_diagonal import FewHeads
from theorytools.papers.qstr.tasks.few_heads import FewTokens
from theorytools.reporting.shapes import graph, heat, write

_POINTERS = [3, 5, 5, 6, 0, 1, 2, 2]


def _few_heads() -> str:
    """What one head knows of three indices: the row that asks for several."""
    net = FewHeads(hadamard(8), beta=sympy.log(16), task=FewTokens(N=8, d=2, q=3), H=1)
    W = net.attention.W_QK(0)
    return heat("The merged matrix of the one head of FewHeads", [("W_QK of the head", "query", "key", W.tolist())])


def _interpolant() -> str:
    """The interpolant of least norm through three points."""
    data = [(-1.0, 2.0), (0.0, -1.0), (0.5, 3.0)]
    net = Interpolant1D([-1, 0, "1/2"], [2, -1, 3])
    xs = [Fraction(k, 40) for k in range(-60, 41)]
    values = [float(net.evaluate(x)) for x in xs]
    return graph("Interpolant1D through three points: straight between them", [float(x) for x in xs], values,
                 dots=data, names=("the network", ""))  # fmt: skip


def _two_steps() -> str:
    """The weights of the second layer: a pointer's pointer."""
    net = TwoStepAttention(hadamard(8), 12, 24, d=2)
    rows = [[float(w) for w in net.weights(np.array(_POINTERS), i)] for i in range(8)]
    return heat(
        "Attention of the second layer of TwoStepAttention: the position that the pointed position points to",
        [("weights of layer 2", "position asks", "for position", rows)],
    )


DRAWN: dict[str, Callable[[], str]] = {
    "FewHeads": _few_heads, "Interpolant1D": _interpolant, "TwoStepAttention": _two_steps,
}  # fmt: skip

if __name__ == "__main__":
    print(*write(Path(__file__).with_name("pictures"), DRAWN), sep="\n")
