"""Pictures of the constructions of this paper's room, and of shared ones whose example is of it.

The command that writes them is ``python -m theorytools.papers.sep.drawings``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from theorytools.constructions.network import changed
from theorytools.papers.sep.attention.equality import OneLayerEquality
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.recurrent.dyck import DyckRNN
from theorytools.papers.sep.tasks.dyck import BoundedDyck
from theorytools.reporting.shapes import heat, write
from theorytools.theory.communication.acceptance_matrix import AcceptanceMatrix
from theorytools.theory.communication.matrix import all_strings, equality
from theorytools.theory.communication.protocol import OneLayerProtocol


def _acceptance() -> str:
    """The matrix of accepted words of bounded Dyck."""
    M = AcceptanceMatrix(BoundedDyck(1, 3).automaton, 8, alice=range(4))
    return heat("AcceptanceMatrix of Dyck words of depth 3 and length 8 in halves: a kind of rows for each depth",
                [("accepted words", "first half", "second half", M.cells.astype(float).tolist())])  # fmt: skip


def _dyck() -> str:
    """The states of the stack network along a word."""
    net, word = DyckRNN.stack(1, 3), [0, 0, 1, 0, 0, 1, 1, 1]
    h, states = np.zeros((1, net.width)), []
    for symbol in word:
        h = np.asarray(net.step(h, np.array([symbol])), dtype=float)
        states.append(h[0])
    return heat("The state of DyckRNN along the word (()(()))", [
        ("state after each symbol of (()(()))", "unit", "symbol", np.array(states).T.tolist())])  # fmt: skip


def _lookup() -> str:
    """The scores of the last token for every index that it may hold."""
    net = IndexLookup.of("binary", 8, 2)
    words = np.zeros((8, 8), dtype=np.int64)
    scores = net.scores(net.stream(words, np.arange(8)))[:, :8]
    weights = np.exp(2 * (scores - scores.max(axis=1, keepdims=True)))
    shares = (weights / weights.sum(axis=1, keepdims=True)).tolist()
    return heat(
        "Attention of IndexLookup: the last token that holds index p looks at position p",
        [("attention, last token", "index it holds", "position", shares)],
    )


def _signed_weights() -> str:
    """The signed weights: equal strings cancel."""
    net = OneLayerEquality(4)
    return heat(
        "Signed weights of OneLayerEquality: Alice's bits count up, Bob's down, so that equal strings sum to zero",
        [("value of a one at each position", "", "position", [net.weights.tolist()])],
    )


def _protocol() -> str:
    """Alice's messages for a network with two equal weights: strings that send one message, and their targets."""
    x = all_strings(3)
    weights = np.array([2, 1, 1, -2, -1, -1])  # two are equal
    one = OneLayerProtocol(changed(OneLayerEquality(3), weights=weights), alice=range(3), bob=range(3, 6))
    _, label = np.unique(one.messages(x), axis=0, return_inverse=True)
    order = np.argsort(label.ravel(), kind="stable")
    same = (label.ravel()[order][:, None] == label.ravel()[order][None]).astype(float)
    wanted = np.asarray(equality(x[order][:, None], x[order][None]), dtype=float)
    return heat(
        "OneLayerProtocol of a network with five messages: the strings of a block send one message, and equality wants"
        " them apart",
        [("strings with one message", "string", "string", same.tolist()),
         ("pairs that are equal", "Alice's", "Bob's", wanted.tolist())],
    )  # fmt: skip


DRAWN: dict[str, Callable[[], str]] = {
    "AcceptanceMatrix": _acceptance,
    "DyckRNN": _dyck,
    "IndexLookup": _lookup,
    "OneLayerEquality": _signed_weights,
    "OneLayerProtocol": _protocol,
}

if __name__ == "__main__":
    print(*write(Path(__file__).with_name("pictures"), DRAWN), sep="\n")
