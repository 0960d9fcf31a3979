"""The optimiser's kernel called by ourselves moves every bit as torch's optimiser does, in steps and in whole runs."""

import pytest
import torch

from theorytools.papers.qstr.training import search
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.prompts import World, draw, generator
from theorytools.papers.qstr.training.stacks.feedforward import StackedFeedForward
from theorytools.papers.qstr.training.stacks.recurrent import StackedRecurrent
from theorytools.papers.qstr.training.stacks.stacked import Stacked

SMALL = {"transformer": {}, "merged": {"heads": 2}, "ffn": {"width": 40}, "gru": {"width": 12}, "lstm": {"width": 8}}


def cell(architecture, **fields):
    fields = {"N": 4, "test_size": 400, "cap": 1280, **SMALL[architecture], **fields}
    return [Experiment(architecture=architecture, repeat=r, **fields) for r in range(3)]


def by_torch(net):
    """The step of torch's optimiser itself, as the stacked networks made it before they called its kernel."""
    net.optimiser.step()


@pytest.fixture
def torchs_own(monkeypatch):
    monkeypatch.setattr(Stacked, "descend", by_torch)


@pytest.mark.parametrize("architecture", SMALL)
@pytest.mark.parametrize("fields", [{}, {"dtype": "float64"}, {"weight_decay": 0}, {"optimiser": "sgd"}], ids=str)
def test_every_bit_of_weights_and_averages_is_that_of_torch(architecture, fields):
    row = cell(architecture, **fields)
    worlds = [World.of(one) for one in row]
    ours, theirs = (search.ensemble(row, worlds) for _ in range(2))
    kind = type(theirs)
    theirs.__class__ = type("ByTorch", (kind,), {"descend": _through(kind)})
    streams = [generator(one, "train") for one in row]
    for k in range(8):
        if k == 5:
            ours.keep([2, 0]), theirs.keep([2, 0])
            row, worlds, streams = ([part[2], part[0]] for part in (row, worlds, streams))
            theirs.optimiser.param_groups[0]["lr"] = ours.optimiser.param_groups[0]["lr"] = 1e-4
        parts = [draw(one, world, rng, 8, False) for one, world, rng in zip(row, worlds, streams, strict=True)]
        batch = [torch.stack(arrays) for arrays in zip(*parts, strict=True)]
        assert torch.equal(ours.step(*batch), theirs.step(*batch))
        assert torch.equal(ours.flat, theirs.flat)
        states = [net.optimiser.state[net.flat] for net in (ours, theirs)]
        assert states[0].keys() == states[1].keys()
        assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def _through(kind):
    """Return the architecture's own step around torch's optimiser."""

    def descend(self):
        if kind is StackedFeedForward:
            original, Stacked.descend = Stacked.descend, by_torch
            try:
                StackedFeedForward.descend(self)
            finally:
                Stacked.descend = original
            return
        if kind is StackedRecurrent:
            self._turned = {}
        by_torch(self)

    return descend


@pytest.mark.parametrize("architecture", SMALL)
def test_outcomes_are_those_of_torchs_optimiser(architecture, request):
    row = cell(architecture)
    ours = list(search.run_cell(row))
    request.getfixturevalue("torchs_own")
    assert list(search.run_cell(row)) == ours


@pytest.mark.parametrize("architecture", ["transformer", "gru"])
def test_a_step_returns_the_losses_of_the_errors_that_it_leaves_out(architecture):
    row = cell(architecture)
    worlds = [World.of(one) for one in row]
    nets = [search.ensemble(row, worlds) for _ in range(2)]
    parts = [draw(one, world, generator(one, "train"), 8, False) for one, world in zip(row, worlds, strict=True)]
    batch = [torch.stack(arrays) for arrays in zip(*parts, strict=True)]
    with torch.no_grad():
        errors = nets[0].advance(*batch)
    torch.testing.assert_close(nets[1].step(*batch), errors.square().mean((1, 2)), rtol=1e-6, atol=0)
    assert torch.equal(nets[0].flat, nets[1].flat)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("architecture", ["transformer", "ffn"])
def test_a_weight_that_is_not_finite_is_found_wherever_it_is(architecture, value):
    row = cell(architecture)
    net = search.ensemble(row, [World.of(one) for one in row])
    assert net.finite() == [True] * 3
    for view in net.weights.values():
        for member in range(3):
            for at in {0, view[member].numel() // 2, view[member].numel() - 1}:
                before = view[member].view(-1)[at].clone()
                view[member].view(-1)[at] = value
                assert net.finite() == [k != member for k in range(3)]
                view[member].view(-1)[at] = before
    assert net.finite() == [True] * 3
