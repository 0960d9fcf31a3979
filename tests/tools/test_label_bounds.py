"""Bounds of labels, compared: what was seen is below every bound, and intervals hold every prompt."""

import json

import numpy as np
import pytest
import torch
from source_tree import ROOT
from torch import nn

from theorytools.trained.worst.prompts import Prompts
from tools.label_bounds import intervals, lirpa
from tools.label_bounds import networks as twelve
from tools.label_bounds.__main__ import RULE, SCHEMA, recorded
from tools.label_bounds.table import HEADS, markdown

FILE = ROOT / "reports" / "label_bounds.json"
RECORD = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {"rows": []}
N, D_E = 3, 2
CODES = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
PAIRS = lirpa.every_pair(N)


def drawn(make, seed=0):
    """A module of the twelve with drawn weights, in doubles."""
    rng, module = torch.Generator().manual_seed(seed), make(twelve.d + 2 * D_E)
    with torch.no_grad():
        for weights in module.parameters():
            weights.copy_(0.7 * torch.randn(weights.shape, generator=rng))
    return module.double().eval()


def given(module, X, T):
    with torch.no_grad():
        return module(torch.tensor(twelve.encoded(CODES, X, T))).numpy()


def test_the_record_is_of_the_twelve_and_of_this_rule():
    assert RECORD["schema"] == SCHEMA
    assert RECORD["rule"] == RULE
    assert [row["name"] for row in RECORD["rows"]] == [task.name for task in twelve.TASKS]
    assert len({row["digest"] for row in RECORD["rows"]}) == len({row["name"] for row in RECORD["rows"]}) == 12
    assert RECORD["provenance"]["threads"] == 1
    lines = markdown(RECORD).splitlines()
    assert len(lines) == 14
    assert {line.count(" | ") for line in lines} == {len(HEADS) - 1}


@pytest.mark.parametrize("row", RECORD["rows"], ids=lambda row: row["name"])
def test_what_was_seen_is_below_every_bound(row):
    """A rival of a smaller class, a bound of another network, a prompt of another class."""
    for tokens in ("signs", "box"):
        one = row[tokens]
        assert one["found"] <= one["seen"]
        assert one["drawn"] <= one["seen"]
        if one["bound"] is None:
            assert one["why"]
        else:
            floats = one["floats"] or np.inf
            assert one["seen"] <= floats
            assert one["bound"] <= floats
            assert one["found"] <= one["bound"] * (1 + 1e-4)  # floats of 32 bits
    assert row["signs"]["seen"] <= row["box"]["seen"] <= row["intervals"]["error"]
    if row["signs"]["bound"] and row["box"]["bound"]:
        assert row["signs"]["bound"] <= row["box"]["bound"] * (1 + 1e-9)
    made = row.get("auto_LiRPA", {"settings": {}})
    for found in made["settings"].values():
        assert found["why"] if found["error"] is None else row["box"]["seen"] <= found["error"]
    if made["settings"]:
        errors = {name: one["error"] for name, one in made["settings"].items() if one["error"] is not None}
        assert errors[made["best"]] == min(errors.values())


@pytest.mark.parametrize("name", twelve.MODULES)
def test_intervals_hold_every_prompt_and_shrink_to_what_is_computed(name):
    """An end left out of a product, a norm, a softmax or a recurrence; free words taken as known ones."""
    module, prompts, rng = drawn(twelve.MODULES[name]), Prompts(N, twelve.d, 1, "box"), np.random.default_rng(0)
    network = twelve.blocks(module, CODES)
    X, T = prompts.draw(2000, rng)
    seen = given(module, X, T[..., 0])
    for t, i in PAIRS:
        low, high = (end[i, 0] for end in intervals.ranges(network, prompts, t, i))
        at = T[:, i, 0] == t
        assert low < seen[at, i].min()
        assert seen[at, i].max() < high
    error = np.abs(seen - np.take_along_axis(X @ np.array(twelve.U), T[..., 0], 1)).max()
    assert error < intervals.label_error(network, prompts, np.array(twelve.U))


@pytest.mark.parametrize("name", twelve.MODULES)
def test_the_graph_of_the_rival_is_the_module_less_the_label(name):
    """The wrong row of scores, codes in another order, a norm or a gate of another form."""
    module, rng = drawn(twelve.MODULES[name]), np.random.default_rng(1)
    X, T = rng.uniform(-1, 1, (len(PAIRS), N, twelve.d)), rng.integers(0, N, (len(PAIRS), N))
    rows, t, i = np.arange(len(PAIRS)), *np.array(PAIRS).T
    T[rows, i] = t
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        graph = lirpa.Asking(module, torch.tensor(CODES), PAIRS)
        with torch.no_grad():
            found = graph(torch.tensor(np.concatenate([X, CODES[T]], -1)))[:, 0].numpy()
        low, high = lirpa.ends(torch.tensor(CODES), t.tolist(), i.tolist(), 1.0)
    finally:
        torch.set_default_dtype(before)
    wanted = given(module, X, T)[rows, i] - (X @ np.array(twelve.U))[rows, t]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
    free = np.concatenate([X, CODES[T]], -1)
    assert (low.numpy() <= free).all()
    assert (free <= high.numpy()).all()
    assert (low == high)[rows, i, twelve.d :].all()


@pytest.mark.skipif(lirpa.installed() is None, reason="auto_LiRPA is not installed")
def test_the_class_that_we_add_is_held_and_is_inside_the_hull():
    module = drawn(lambda width: nn.Sequential(twelve.Linear(width))[0])
    X, T = Prompts(N, twelve.d, 1, "box").draw(2000, np.random.default_rng(2))
    seen = np.abs(given(module, X, T[..., 0]) - np.take_along_axis(X @ np.array(twelve.U), T[..., 0], 1)).max()
    hull, codes = (lirpa.largest_error(module, CODES, inputs, "CROWN")["error"] for inputs in ("hull", "codes"))
    assert seen < codes <= hull * (1 + 1e-9)


def test_rows_that_were_not_made_anew_are_kept_in_their_order_and_without_the_library_the_record_says_so():
    first, last = ({"name": twelve.TASKS[k].name} for k in (0, 5))
    old = {"rows": [first, last | {"auto_LiRPA": {}}], "auto_LiRPA": "as it was"}
    made = recorded([last | {"loss": 1.0}], None, old, 0)
    assert made["rows"] == [first, last | {"loss": 1.0}]
    assert "left out" in made["auto_LiRPA"]
    assert recorded([first], None, old, 0)["auto_LiRPA"] == "as it was"
    assert recorded([first], "1", None, 0)["auto_LiRPA"]["revision"] == lirpa.REVISION
