"""Networks trained on the spot: the optimiser's bits, what is trained once, and what is not loaded for it."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import torch

from theorytools import DomainError
from theorytools.papers.qstr import Experiment
from theorytools.papers.qstr.training import reference as plain
from theorytools.papers.qstr.training import trained_source as trained
from theorytools.papers.qstr.training.prompts import World, encode, generator
from theorytools.papers.qstr.training.reference import model
from theorytools.papers.qstr.training.trained_source import trained_source
from theorytools.training.adamw import AdamW

CELL = {"architecture": "gru", "N": 3, "d": 1, "d_e": 4, "width": 5, "lr": Fraction(1, 50), "batch": 16}
SEED = np.random.SeedSequence(3)


@pytest.mark.parametrize("architecture", ["gru", "lstm", "ffn", "transformer"])
@pytest.mark.parametrize(("dtype", "decay"), [("float64", 0), ("float32", Fraction(1, 10))])
def test_the_optimiser_has_the_bits_of_torch(architecture, dtype, decay):
    trial = Experiment(**{**CELL, "architecture": architecture, "dtype": dtype, "weight_decay": decay})
    world, finished = World.of(trial), []
    for make in (
        lambda m: plain.optimiser(trial, m),
        lambda m: AdamW(m.parameters(), lr=float(trial.lr), weight_decay=float(trial.weight_decay)),
    ):
        module = model(trial, generator(trial, "weights"))
        descent = make(module)
        for _, (X, T, y) in zip(range(40), plain.batches(trial, world), strict=False):
            plain.step(module, descent, encode(world.codes, X, T), y)
        finished.append(torch.cat([p.detach().flatten() for p in module.parameters()]))
    start = torch.cat([p.detach().flatten() for p in model(trial, generator(trial, "weights")).parameters()])
    assert torch.equal(*finished)
    assert not torch.equal(finished[0], start)


def test_parameters_without_a_gradient_stay_and_other_optimisers_are_refused():
    still, moved = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    descent = AdamW([still, moved], lr=0.1, weight_decay=0.5)
    descent.step()
    moved.grad = torch.ones(2)
    descent.step()
    assert still.tolist() == [1, 1]
    assert moved.tolist() != [1, 1]
    descent.zero_grad()
    assert moved.grad is None
    with pytest.raises(DomainError, match="adamw"):
        trained_source({**CELL, "optimiser": "sgd"}, SEED, steps=1)


def test_a_network_is_trained_once_for_a_cell_a_seed_and_a_number_of_steps(monkeypatch):
    trained._trained.cache_clear()
    made, whole = [], trained.model
    monkeypatch.setattr(trained, "model", lambda *given: made.append(1) or whole(*given))
    first, source = trained_source(CELL, SEED, steps=3)
    again, other = trained_source(dict(CELL), np.random.SeedSequence(3), steps=3)
    assert again is first
    assert len(made) == 1
    for Z, z in zip(source(np.random.default_rng(1), 4), other(np.random.default_rng(1), 4), strict=True):
        assert torch.equal(Z, z)
    assert not any(p.requires_grad for p in first.parameters())
    assert trained_source(CELL, SEED, steps=4)[0] is not first
    assert trained_source(CELL, np.random.SeedSequence(4), steps=3)[0] is not first
    assert trained_source({**CELL, "lr": Fraction(1, 40)}, SEED, steps=3)[0] is not first
    assert len(made) == 4


def test_training_on_the_spot_does_not_load_the_compiler():
    script = (
        "import sys, numpy as np\nfrom theorytools.papers.qstr.training.trained_source import trained_source\n"
        "cell = {'architecture': 'gru', 'N': 3, 'd': 1, 'width': 4}\n"
        "trained_source(cell, np.random.SeedSequence(1), steps=2)\n"
        "print('torch' in sys.modules, 'torch._dynamo' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]
