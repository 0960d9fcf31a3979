"""Pictures of the constructions, as small SVG files made from the constructions themselves.

``python -m theorytools.reporting.drawings`` writes them into the folder ``pictures`` beside this module; a report links
those of the constructions that it names, so that it need not build one.  A test makes them again and compares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import sympy

from theorytools.codes.encodings import orthonormal_encodings
from theorytools.codes.families import hadamard
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.feedforward.link_heads import link_head
from theorytools.constructions.feedforward.lipschitz_units import LipschitzUnits
from theorytools.constructions.feedforward.piecewise_linear import LineUnits
from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.constructions.network import changed
from theorytools.constructions.recurrent.store_all import StoreAllRNN
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention
from theorytools.papers.qstr.feedforward.interpolant import Interpolant1D
from theorytools.papers.qstr.few_heads.block_diagonal import FewHeads
from theorytools.papers.qstr.tasks.few_heads import FewTokens
from theorytools.papers.sep.attention.equality import OneLayerEquality
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.recurrent.dyck import DyckRNN
from theorytools.papers.sep.tasks.dyck import BoundedDyck
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.theory.communication.acceptance_matrix import AcceptanceMatrix
from theorytools.theory.communication.matrix import CommunicationMatrix, all_strings, equality
from theorytools.theory.communication.protocol import OneLayerProtocol

PICTURES = Path(__file__).with_name("pictures")
STYLE = (
    "text{font:11px sans-serif;fill:#333}.c{fill:#1d5c9e}.n{fill:#ad4f0c}.g{fill:none;stroke:#888;stroke-width:.6}"
    ".l{fill:none;stroke:#1d5c9e;stroke-width:1.6}.d{fill:none;stroke:#ad4f0c;stroke-width:1.2;stroke-dasharray:4 3}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.c{fill:#7db4ec}.n{fill:#f0a065}.l{stroke:#7db4ec}.d{stroke:#f0a065}}"
)
Matrix = Sequence[Sequence[float]]


def document(width: int, height: int, title: str, body: Sequence[str]) -> str:
    """Return a whole SVG with a text alternative."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style>{''.join(body)}</svg>\n"
    )


def heat(title: str, panels: Sequence[tuple[str, str, str, Matrix]]) -> str:
    """Return matrices side by side: cells as dark as their modulus, the colour their sign.

    Parameters
    ----------
    title : the text alternative.
    panels : for each a heading, what its rows and its columns are, and the numbers.
    """
    body, left, bottom = [], 0, 0
    for head, down, across, matrix in panels:
        rows, columns = len(matrix), len(matrix[0])
        size = min(18, 180 // max(rows, columns))
        x0, y0, largest = left + 22, 34, max(abs(v) for row in matrix for v in row) or 1.0
        body.append(f'<text x="{left + 22}" y="13">{escape(head)}</text>')
        body.append(f'<text x="{x0}" y="29" font-size="9">{escape(across)} →</text>')
        body.append(f'<text transform="translate({left + 13},{y0 + 2}) rotate(90)">{escape(down)} →</text>')
        for i, row in enumerate(matrix):
            for j, value in enumerate(row):
                if abs(value) > 0.004 * largest:
                    sign = "c" if value > 0 else "n"
                    body.append(
                        f'<rect class="{sign}" x="{x0 + j * size}" y="{y0 + i * size}" width="{size}" height="{size}" '
                        f'opacity="{abs(value) / largest:.2f}"/>'
                    )
        body.append(f'<rect class="g" x="{x0}" y="{y0}" width="{columns * size}" height="{rows * size}"/>')
        left = max(x0 + columns * size, left + 22 + 6 * len(head)) + 26
        bottom = max(bottom, y0 + rows * size)
    return document(left, bottom + 8, title, body)


def graph(
    title: str, xs: Sequence[float], line: Sequence[float], *, dashed: Sequence[float] = (),
    dots: Sequence[tuple[float, float]] = (), names: tuple[str, str] = ("", ""),
) -> str:  # fmt: skip
    """Return a function as a line, another one dashed, and points that it passes through.

    Parameters
    ----------
    title : the text alternative.
    xs, line, dashed, dots : points of the line, its values, those of the dashed one, and single points.
    names : what the line and the dashed line are.
    """
    ys = [*line, *dashed, *(y for _, y in dots)]
    (left, right), (low, high) = (min(xs), max(xs)), (min(ys), max(ys))

    def at(x: float, y: float) -> str:
        # six digits first: a tie of the tenth falls the same way whatever the last bit of a machine is
        across, up = 14 + 232 * (x - left) / (right - left), 140 - 116 * (y - low) / ((high - low) or 1)
        return f"{round(across, 6):.1f},{round(up, 6):.1f}"

    body = [f'<path class="g" d="M14,{at(left, max(low, min(0.0, high))).split(",")[1]}h232"/>']
    for values, style in ((dashed, "d"), (line, "l")):
        if len(values):
            body.append(f'<polyline class="{style}" points="{" ".join(map(at, xs, values))}"/>')
    body += ['<circle class="n" cx="{}" cy="{}" r="3"/>'.format(*at(x, y).split(",")) for x, y in dots]
    body.append(f'<text class="a" x="14" y="13">{escape(names[0])}</text>')
    if names[1]:
        body.append(f'<text x="246" y="13" text-anchor="end">dashed: {escape(names[1])}</text>')
    body.append(f'<text x="14" y="156">{left:g}</text><text x="246" y="156" text-anchor="end">{right:g}</text>')
    return document(260, 162, title, body)


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


def _two_steps() -> str:
    """The weights of the second layer: a pointer's pointer."""
    net = TwoStepAttention(hadamard(8), 12, 24, d=2)
    rows = [[float(w) for w in net.weights(np.array(_POINTERS), i)] for i in range(8)]
    return heat(
        "Attention of the second layer of TwoStepAttention: the position that the pointed position points to",
        [("weights of layer 2", "position asks", "for position", rows)],
    )


def _few_heads() -> str:
    """What one head knows of three indices: the row that asks for several."""
    net = FewHeads(hadamard(8), beta=sympy.log(16), task=FewTokens(N=8, d=2, q=3), H=1)
    W = net.attention.W_QK(0)
    return heat("The merged matrix of the one head of FewHeads", [("W_QK of the head", "query", "key", W.tolist())])


def _signed_weights() -> str:
    """The signed weights: equal strings cancel."""
    net = OneLayerEquality(4)
    return heat(
        "Signed weights of OneLayerEquality: Alice's bits count up, Bob's down, so that equal strings sum to zero",
        [("value of a one at each position", "", "position", [net.weights.tolist()])],
    )


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


def _selector() -> str:
    """The weights for several sets: the selected positions share them equally."""
    net = SparseSelector(orthonormal_encodings(8), beta=sympy.log(40), q=2, d=5)
    sets = [(0, 2), (1, 5), (3, 4), (6, 7)]
    return heat(
        "Attention of SparseSelector for four sets of two positions: half on each of them",
        [("weights for four sets", "set", "position", [[float(w) for w in net.attention(y)] for y in sets])],
    )


def _interpolant() -> str:
    """The interpolant of least norm through three points."""
    data = [(-1.0, 2.0), (0.0, -1.0), (0.5, 3.0)]
    net = Interpolant1D([-1, 0, "1/2"], [2, -1, 3])
    xs = [Fraction(k, 40) for k in range(-60, 41)]
    values = [float(net.evaluate(x)) for x in xs]
    return graph("Interpolant1D through three points: straight between them", [float(x) for x in xs], values,
                 dots=data, names=("the network", ""))  # fmt: skip


def _line_units() -> str:
    """Straight pieces for z² - 1."""
    net = LineUnits.square(radius=2, cells=4)
    xs = [Fraction(k, 20) for k in range(-40, 41)]
    return graph(
        "LineUnits: a layer of ReLU units through z² - 1 at five points", [float(x) for x in xs],
        [float(net(x)) for x in xs], dashed=[float(x * x - 1) for x in xs], names=("4 cells", "z² - 1"),
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


def _label_head() -> str:
    """The label of one token as its first coordinate moves."""
    head = link_head("sq", None, q=1, d=2, radius=2, cells=8)
    xs = [Fraction(k, 20) for k in range(-20, 21)]
    return graph(
        "LinkHead: the label of a token (x, 1/2) by ReLU units, beside the label itself", [float(x) for x in xs],
        [float(head(np.array([[float(x), 0.5]]))[0]) for x in xs],
        dashed=[float(head.label([x, Fraction(1, 2)])) for x in xs], names=("the network", "the label"),
    )  # fmt: skip


def _dyck() -> str:
    """The states of the stack network along a word."""
    net, word = DyckRNN.stack(1, 3), [0, 0, 1, 0, 0, 1, 1, 1]
    h, states = np.zeros((1, net.width)), []
    for symbol in word:
        h = np.asarray(net.step(h, np.array([symbol])), dtype=float)
        states.append(h[0])
    return heat("The state of DyckRNN along the word (()(()))", [
        ("state after each symbol of (()(()))", "unit", "symbol", np.array(states).T.tolist())])  # fmt: skip


def _store_all() -> str:
    """What the network that stores everything holds before each position."""
    net = StoreAllRNN.binary(6, 100)
    X, T = np.array([5, -6, 2, 1, 4, -3]).reshape(1, 6, 1), np.array([2, 0, 3, 3, 5, 1]).reshape(1, 6, 1)
    forward, backward = net.states(X, T)
    return heat("States of StoreAllRNN on one prompt, forward and backward: a slot for each position", [
        ("forward", "before position", "slot", np.asarray(forward[0], dtype=float).tolist()),
        ("backward", "before position", "slot", np.asarray(backward[0], dtype=float).tolist())])  # fmt: skip


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


def _answers() -> str:
    """The matrix of answers for equality."""
    x = all_strings(3)
    M = CommunicationMatrix.of(equality, x, x)
    return heat("CommunicationMatrix of equality on 3 bits: all rows differ, so a message takes 3 bits",
                [("answer 1 (dark) or 0", "Alice's", "Bob's", M.answers.tolist())])  # fmt: skip


def _acceptance() -> str:
    """The matrix of accepted words of bounded Dyck."""
    M = AcceptanceMatrix(BoundedDyck(1, 3).automaton, 8, alice=range(4))
    return heat("AcceptanceMatrix of Dyck words of depth 3 and length 8 in halves: a kind of rows for each depth",
                [("accepted words", "first half", "second half", M.cells.astype(float).tolist())])  # fmt: skip


def _sign_code() -> str:
    """Inner products of random signs beside those of a Hadamard code."""
    drawn = SignCode(np.random.default_rng(0).choice([-1, 1], (8, 24)))
    grams = [code.matrix() @ code.matrix().T for code in (drawn, hadamard(8))]
    return heat("SignCode: inner products of 8 random words of 24 signs, and of a Hadamard code, where all vanish",
                [("random signs", "word", "word", grams[0].round(9).tolist()),
                 ("Hadamard", "word", "word", grams[1].round(9).tolist())])  # fmt: skip


DRAWN: dict[str, Callable[[], str]] = {
    "AcceptanceMatrix": _acceptance, "BlockAttention": _block_attention, "CommunicationMatrix": _answers,
    "DyckRNN": _dyck, "FewHeads": _few_heads, "IndexLookup": _lookup, "Interpolant1D": _interpolant,
    "LineUnits": _line_units, "LinkHead": _label_head, "LipschitzUnits": _lipschitz_units,
    "OneLayerEquality": _signed_weights, "OneLayerProtocol": _protocol, "ReluHead": _relu_head,
    "SignCode": _sign_code, "SparseSelector": _selector, "StoreAllRNN": _store_all, "TwoStepAttention": _two_steps,
}  # fmt: skip


def main() -> None:
    """Write all pictures."""
    PICTURES.mkdir(exist_ok=True)
    for name, draw in DRAWN.items():
        (PICTURES / f"{name}.svg").write_text(draw(), encoding="utf-8")
        print(PICTURES / f"{name}.svg")


if __name__ == "__main__":
    main()
