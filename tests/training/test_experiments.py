"""Experiments are values: what they specify, refuse and share, and what they multiply."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from theorytools import DomainError
from theorytools.papers.qstr import Experiment
from theorytools.papers.qstr.training.costs import multiplications
from theorytools.papers.qstr.training.prompts import generator
from theorytools.papers.qstr.training.reference import model
from theorytools.training.trials.trial import trial_key


def test_an_experiment_is_its_specification():
    one = Experiment(architecture="gru", N=6, lr=Fraction(3, 1000), q=2)
    assert Experiment.of(json.loads(json.dumps(one.spec()))) == one
    assert trial_key(one.spec()) != trial_key(replace(one, repeat=1).spec())
    assert one.d_e == 8  # floor(5 log 6)
    assert one.D_e == 10 + 3 * 8
    with pytest.raises(DomainError, match="colour"):
        Experiment.of({"architecture": "ffn", "N": 4, "colour": "red"})


@pytest.mark.parametrize(
    "wrong",
    [{"architecture": "cnn"}, {"N": 1}, {"N": 2.5}, {"q": 9}, {"lr": 0}, {"protocol": "mine"}, {"link": "cubic"},
     {"repeat": -1}, {"optimiser": "adam"}, {"batch": True}],
)  # fmt: skip
def test_what_is_no_experiment_is_refused(wrong):
    with pytest.raises(DomainError):
        Experiment(**{"architecture": "ffn", "N": 4, **wrong})


def test_the_protocols_never_share_a_trial_and_share_worlds_as_they_say():
    released, corrected = (
        [Experiment(architecture="ffn", N=4, protocol=name, repeat=r) for r in range(2)]
        for name in ("released", "corrected")
    )
    assert len({trial_key(one.spec()) for one in released + corrected}) == 4
    worlds = [tuple(one.seed("world").generate_state(4)) for one in released + corrected]
    assert worlds[0] == worlds[1]  # one world for all repeats
    assert len(set(worlds)) == 3
    other = Experiment(architecture="gru", N=4, protocol="corrected", lr=Fraction(1, 100))
    assert tuple(other.seed("world").generate_state(4)) == worlds[2]  # architectures meet the same worlds
    assert tuple(other.seed("train").generate_state(4)) != tuple(corrected[0].seed("train").generate_state(4))
    assert [one.simple_tests for one in (released[0], corrected[0])] == [True, False]


@pytest.mark.parametrize("kind", ["transformer", "merged", "ffn", "gru", "lstm", "rnn"])
def test_the_multiplications_are_those_that_torch_counts(kind):
    one = Experiment(architecture=kind, N=5, d=3, d_e=4, width=7, heads=2 if kind in ("transformer", "merged") else 1)
    net = model(one, generator(one, "weights"))
    if kind in ("gru", "lstm", "rnn"):  # torch does not look into its fused cells: count a cell's four products
        gates = {"gru": 3, "lstm": 4, "rnn": 1}[kind]
        shapes = [(gates * 7, one.D_e), (gates * 7, 7)]
        assert [tuple(net.cell.weight_ih_l0.shape), tuple(net.cell.weight_hh_l0.shape)] == shapes
        assert multiplications(one) == 2 * 5 * sum(a * b for a, b in shapes) + 5 * 14
        return
    with FlopCounterMode(display=False) as counter:
        net(torch.zeros(1, 5, one.D_e))
    assert 2 * multiplications(one) == counter.get_total_flops()


@pytest.mark.parametrize("protocol", ["released", "corrected"])
def test_a_numbered_world_is_shared_by_its_repeats_and_by_no_other_world(protocol):
    def drawn(role, **fields):
        one = Experiment(architecture="ffn", N=8, protocol=protocol, **fields)
        return tuple(one.seed(role).generate_state(4))

    for role in ("world", "test"):
        first = drawn(role, world=1)
        assert drawn(role, world=1, repeat=3) == first
        assert drawn(role, world=2) != first
        assert drawn(role) != first
    assert drawn("train", world=1) != drawn("train", world=1, repeat=3)  # repeats see other prompts
    assert "world" not in Experiment(architecture="ffn", N=8).spec()  # trials were recorded before worlds had numbers
    one = Experiment(architecture="ffn", N=8, world=2)
    assert Experiment.of(one.spec()) == one
    with pytest.raises(DomainError, match="world"):
        Experiment(architecture="ffn", N=8, world=-1)
