"""A network's picture: its rows are the network's, its cells the weights, its lines go from disc to ring."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from theorytools import BlockAttention, from_torch, hadamard
from theorytools.blocks.drawing import LARGEST, drawing, within
from theorytools.blocks.network import (
    PLACE,
    Activation,
    Attention,
    Field,
    Flatten,
    Head,
    Map,
    Network,
    Norm,
    Product,
    Recur,
)
from theorytools.blocks.told import HEADS, rows, sentence
from theorytools.constructions.attention.layer import AttentionLayer
from theorytools.errors import DomainError
from theorytools.numbers.boxes import exact
from theorytools.papers.qstr import TwoStepAttention
from theorytools.papers.sep import IndexLookup

SVG = "{http://www.w3.org/2000/svg}"
RNG = np.random.default_rng(0)


def drawn(*shape):
    return RNG.uniform(-1, 1, shape)


def map_of(m, bias=True, **fields):
    return Map({name: exact(drawn(m, width)) for name, width in fields.items()}, exact(drawn(m) if bias else [0.0] * m))


def every_block(N=5):
    """A network with each kind of block, a mask, a table of places, and two fields that are read late."""
    head = Head({("x", "x"): exact(drawn(3, 3)), (PLACE, PLACE): exact(drawn(N, N))}, map_of(2, x=3, t=4))
    mask = np.triu(np.ones((N, N), dtype=bool))
    weights = {"weight_ih": drawn(6, 2), "weight_hh": drawn(6, 2), "bias_ih": drawn(6), "bias_hh": drawn(6)}
    blocks = (
        Attention("a", (head, head), mask), Norm("n", map_of(2, a=4), 1e-5), Activation("r", "gelu", map_of(2, n=2)),
        Product("p", map_of(2, r=2), map_of(2, x=3)), Recur("g", "gru", map_of(2, False, p=2), weights, reverse=True),
        Flatten("f", map_of(1, g=2)),
    )  # fmt: skip
    fields = (Field("x", 3), Field("t", 4, word=True))
    return Network(N, fields, blocks, map_of(1, f=N), each=False, shape=(1,))


def constructed():
    return {
        "block": BlockAttention(hadamard(8), beta=6, q=2, d=2).network(),
        "two steps": TwoStepAttention(hadamard(8), 12, 24, d=2).network(),
        "lookup": IndexLookup.of("binary", 8, 2).network(),
        "table": AttentionLayer.of(hadamard(4), 3).network(2),
        "every block": every_block(),
    }


NETWORKS = constructed()


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("width", [240, 340, 720])
def test_rows_are_the_network_s_and_all_is_inside(name, width):
    """A block that is left out or written twice, an output elsewhere, words or cells that are cut off."""
    net = NETWORKS[name]
    told = rows(net)
    used = [f.name for f in net.fields] + [b.out for b in net.blocks]
    assert [row.writes for row in told if row.writes not in ("", PLACE)] == used
    root = ElementTree.fromstring(drawing(net, width))
    wide, high = (float(v) for v in root.get("viewBox").split()[2:])
    assert wide <= max(width, 13 * (len(told) + 2) + 200)
    assert root.findtext(f"{SVG}title") == sentence(net)
    bold = [node.text for node in root.iter(f"{SVG}tspan")]
    assert bold == [row.name for row in told]
    assert len(root.findall(f"{SVG}circle[@class='o']")) == sum(len(row.reads) for row in told)
    assert len(root.findall(f"{SVG}circle[@class='w']")) == sum(bool(row.writes) for row in told)
    for node in root.iter():
        x, y = float(node.get("x") or 0), float(node.get("y") or 0)
        said = "".join(node.itertext()) if node.tag == f"{SVG}text" else ""
        assert 0 <= x <= wide, said
        assert 0 <= y <= high
        assert x + 5 * len(said) <= wide + 1, said


@pytest.mark.parametrize("name", NETWORKS)
def test_a_line_goes_from_a_disc_to_the_last_ring_and_crosses_no_other(name):
    """A lane that is given away before its field is read for the last time."""
    root = ElementTree.fromstring(drawing(NETWORKS[name]))
    told = rows(NETWORKS[name])
    lines = [tuple(map(float, re.fullmatch(r"M([\d.]+) ([\d.]+)V([\d.]+)", node.get("d")).groups()))
             for node in root.findall(f"{SVG}path[@class='r']")]  # fmt: skip
    discs = {(float(c.get("cx")), float(c.get("cy"))) for c in root.findall(f"{SVG}circle[@class='w']")}
    rings = {(float(c.get("cx")), float(c.get("cy"))) for c in root.findall(f"{SVG}circle[@class='o']")}
    read = {name for row in told for name in row.reads}
    assert len(lines) == len(read)
    for x, start, end in lines:
        assert (x, start) in discs
        assert (x, end) in rings
        assert not any(other == x and start < low < end for other, low in discs)
    assert rings <= {(x, y) for x, start, end in lines for _, y in rings if start < y <= end}


def cells(svg, title):
    """The shades of a matrix, signed and in place, from the paths of its group."""
    root = ElementTree.fromstring(svg)
    group = next(g for g in root.iter(f"{SVG}g") if g.findtext(f"{SVG}title").startswith(f"{title}, "))
    *shades, frame = group.findall(f"{SVG}path")
    x0, y0, across, down = map(int, re.match(r"M(\d+) (\d+)h(\d+)v(\d+)", frame.get("d")).groups())
    size = int(shades[0].get("stroke-width"))
    found = np.zeros((down // size, across // size))
    for node in shades:
        sign = 1 if node.get("class") == "c" else -1
        for x, y, run in re.findall(r"M(\d+) ([\d.]+)h(\d+)", node.get("d")):
            at = (int(x) - x0) // size
            row = found[int((float(y) - y0) // size)]
            assert not row[at : at + int(run) // size].any()
            row[at : at + int(run) // size] = sign * float(node.get("opacity"))
    return found


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (LARGEST, LARGEST), (1, LARGEST)])
def test_cells_are_the_weights(shape):
    """A transposed matrix, a colour of the wrong sign, shades by the smallest instead of the largest."""
    A = drawn(*shape)
    net = Network(2, (Field("x", shape[1]),), (), Map({"x": exact(A)}, exact(np.zeros(shape[0]))))
    shown = cells(drawing(net), "M of x")
    assert shown.shape == shape
    assert np.abs(shown - A / np.abs(A).max()).max() <= 1 / 24 + 0.005  # half a shade of twelve, two digits


def test_a_matrix_that_is_too_large_is_told_and_not_drawn():
    net = Network(2, (Field("x", LARGEST + 1),), (), map_of(2, False, x=LARGEST + 1))
    svg = drawing(net)
    assert f"2 × {LARGEST + 1}: −" in svg
    assert 'class="c"' not in svg


def test_what_is_copied_has_no_matrix_and_what_is_nearly_copied_has_one():
    def said(A):
        return rows(Network(2, (Field("x", 3),), (), Map({"x": exact(A)}, exact(np.zeros(3)))))[-1]

    assert said(np.eye(3)).parts == ()
    for spoiled in (np.eye(3)[::-1], np.eye(3) * (1 + 2**-52), np.eye(3) + 1e-300 * np.ones((3, 3))):
        assert [panel.title for panel in said(spoiled).parts[0].panels] == ["M of x"]


def test_what_heads_compare_copy_and_score_is_read_from_them():
    one, two = rows(NETWORKS["block"])[4].parts
    assert one.words == "head 1: compares slot1 · place, copies x"
    assert two.words == "head 2: compares slot2 · place, copies x"
    assert one.panels[0].note == "8 × 8: 6 for equal words, else at most 0"
    assert "at position 8" in rows(NETWORKS["lookup"])[-1].said
    many = Attention("a", (Head({}, map_of(1, x=3)),) * (HEADS + 2), np.tril(np.ones((2, 2), dtype=bool)))
    row = rows(Network(2, (Field("x", 3),), (many,), map_of(1, a=HEADS + 2)))[1]
    assert [part.words for part in row.parts[-2:]] == [
        "and 2 more heads",
        "causal: a position sees itself and those before it",
    ]
    assert row.parts[0].words == "head 1: compares all alike, averages M·x + shift"


def test_the_table_as_blocks_is_the_layer():
    """Queries and keys exchanged, or another scale."""
    layer = AttentionLayer(np.array([[2, 0, 0], [0, 3, 1]]), 1, over=2)
    net, X = layer.network(2), drawn(1, 3, 2)
    asked = np.array([[1, 0, 1]])
    assert np.abs(net(x=X, asked=asked)[0] - layer(X[0])[asked[0]]).max() < 1e-15
    with pytest.raises(DomainError, match="width"):
        layer.network(0)


def test_a_construction_on_a_plain_layer_of_torch_is_read_back_as_itself():
    """An embedding that is not traced, a code that is taken for a token."""
    net = BlockAttention(hadamard(4), beta=6, q=1, d=2)
    X, T = torch.zeros(1, 4, 2, dtype=torch.float64), torch.zeros(1, 4, 1, dtype=torch.int64)
    _, _, place, attention, _ = rows(from_torch(net.multihead(), (X, T)).network)
    assert place.writes == PLACE
    assert attention.parts[0].words.startswith("compares T[0] · place, ")
    assert np.abs(attention.parts[0].panels[0].matrix - 6 * np.eye(4)).max() < 1e-12


def test_what_from_torch_returns_shows_its_network_and_escapes_names():
    made = from_torch(torch.nn.GRU(2, 3, batch_first=True).eval(), torch.zeros(1, 4, 2))
    assert made._repr_svg_() == drawing(made.network)
    net = Network(2, (Field("<x & y>", 2),), (), Map({"<x & y>": exact(np.eye(2))}, exact(np.zeros(2))))
    assert ElementTree.fromstring(within(net)).get("aria-label").count("<x & y>") == 2
