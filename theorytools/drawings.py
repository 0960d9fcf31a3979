"""Pictures of the constructions that the library shares; ``python -m theorytools.drawings`` writes them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np

from theorytools.codes.families import hadamard
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.feedforward.link_heads import link_head
from theorytools.constructions.feedforward.lipschitz_units import LipschitzUnits
from theorytools.constructions.feedforward.piecewise_linear import LineUnits
from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.constructions.recurrent.store_all import StoreAllRNN
from theorytools.reporting.shapes import graph, heat, write
from theorytools.theory.communication.matrix import CommunicationMatrix, all_strings, equality

_POINTERS = [3, 5, 5, 6, 0, 1, 2, 2]


def _block_attention() -> str:
    """The pattern of attention on one prompt, and the merged matrix with its one block."""
    net = BlockAttention(hadamard(8), beta=8, q=1, d=2)
    weights = net.attention(np.zeros((1, 8, 2)), np.array(_POINTERS).reshape(1, 8, 1))[0, 0]
    asked = ", ".join(str(t) for t in _POINTERS)
    return heat(
        f"Attention of BlockAttention where the positions ask for {asked}: each row has its weight there",
        [("attention weights", "position asks", "for position", weights.tolist()),
         ("the matrix W_QK, one block", "token, own code, index", "token, own code, index", net.W_QK(0).tolist())],
    )  # fmt: skip


def _answers() -> str:
    """The matrix of answers for equality."""
    x = all_strings(3)
    M = CommunicationMatrix.of(equality, x, x)
    return heat("CommunicationMatrix of equality on 3 bits: all rows differ, so a message takes 3 bits",
                [("answer 1 (dark) or 0", "Alice's", "Bob's", M.answers.tolist())])  # fmt: skip


def _line_units() -> str:
    """Straight pieces for z² - 1."""
    net = LineUnits.square(radius=2, cells=4)
    xs = [Fraction(k, 20) for k in range(-40, 41)]
    return graph(
        "LineUnits: a layer of ReLU units through z² - 1 at five points", [float(x) for x in xs],
        [float(net(x)) for x in xs], dashed=[float(x * x - 1) for x in xs], names=("4 cells", "z² - 1"),
    )  # fmt: skip


def _label_head() -> str:
    """The label of one token as its first coordinate moves."""
    head = link_head("sq", None, q=1, d=2, radius=2, cells=8)
    xs = [Fraction(k, 20) for k in range(-20, 21)]
    return graph(
        "LinkHead: the label of a token (x, 1/2) by ReLU units, beside the label itself", [float(x) for x in xs],
        [float(head(np.array([[float(x), 0.5]]))[0]) for x in xs],
        dashed=[float(head.label([x, Fraction(1, 2)])) for x in xs], names=("the network", "the label"),
    )  # fmt: skip


def _lipschitz_units() -> str:
    """A tent by units."""
    net = LipschitzUnits([-1, 0, 1], [0, 1, 0], cells=4)
    xs = [Fraction(k, 40) for k in range(-40, 41)]
    return graph("LipschitzUnits: a tent by one layer of ReLU units", [float(x) for x in xs],
                 [float(net(x)) for x in xs],
                 names=("the tent", ""))  # fmt: skip


def _relu_head() -> str:
    """The absolute value of two units."""
    head = ReluHead(np.array([1, 1]), np.array([[1], [-1]]), np.array([0, 0]))
    xs = [k / 10 for k in range(-30, 31)]
    return graph("ReluHead: two units make the absolute value", xs, head(np.array(xs)[:, None]).tolist(),
                 names=("two units", ""))  # fmt: skip


def _sign_code() -> str:
    """Inner products of random signs beside those of a Hadamard code."""
    drawn = SignCode(np.random.default_rng(0).choice([-1, 1], (8, 24)))
    grams = [code.matrix() @ code.matrix().T for code in (drawn, hadamard(8))]
    return heat("SignCode: inner products of 8 random words of 24 signs, and of a Hadamard code, where all vanish",
                [("random signs", "word", "word", grams[0].round(9).tolist()),
                 ("Hadamard", "word", "word", grams[1].round(9).tolist())])  # fmt: skip


def _store_all() -> str:
    """What the network that stores everything holds before each position."""
    net = StoreAllRNN.binary(6, 100)
    X, T = np.array([5, -6, 2, 1, 4, -3]).reshape(1, 6, 1), np.array([2, 0, 3, 3, 5, 1]).reshape(1, 6, 1)
    forward, backward = net.states(X, T)
    return heat("States of StoreAllRNN on one prompt, forward and backward: a slot for each position", [
        ("forward", "before position", "slot", np.asarray(forward[0], dtype=float).tolist()),
        ("backward", "before position", "slot", np.asarray(backward[0], dtype=float).tolist())])  # fmt: skip


DRAWN: dict[str, Callable[[], str]] = {
    "BlockAttention": _block_attention,
    "CommunicationMatrix": _answers,
    "LineUnits": _line_units,
    "LinkHead": _label_head,
    "LipschitzUnits": _lipschitz_units,
    "ReluHead": _relu_head,
    "SignCode": _sign_code,
    "StoreAllRNN": _store_all,
}

if __name__ == "__main__":
    print(*write(Path(__file__).with_name("pictures"), DRAWN), sep="\n")
