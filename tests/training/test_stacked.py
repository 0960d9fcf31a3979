"""Stacked members against the plain loop: equal weights, equal batches, float64.

Both sum the same numbers in another order.  A sum of n terms errs by at most n 2^-53 of the sum of their moduli, here
below 1e-12 of the largest gradient.  AdamW divides a gradient by its own root mean square, so relative errors of
gradients stay relative errors of steps; only entries that are themselves round-off become steps of size lr.  Those are
the biases of the keys, which no loss depends on.  60 steps leave losses within 1e-10; a control counts as seen if it
moves them by a hundred times that.
"""

from dataclasses import replace
from fractions import Fraction

import pytest
import torch

from theorytools import DomainError
from theorytools.papers.qstr import Experiment
from theorytools.papers.qstr.training import reference as plain
from theorytools.papers.qstr.training import search
from theorytools.papers.qstr.training.prompts import World, encode, generator
from theorytools.papers.qstr.training.reference import model
from theorytools.papers.qstr.training.stacks.ensemble import stacked
from theorytools.papers.qstr.training.stacks.feedforward import StackedFeedForward
from theorytools.training import products as matmul

TOLERANCE, SEEN = 1e-10, 1e-8
SMALL = {"dtype": "float64", "batch": 16, "check_every": 5, "d": 4}
CELLS = [
    {"architecture": "transformer", "N": 4, "width": 20},
    {"architecture": "transformer", "N": 5, "q": 2, "heads": 2, "width": 13, "optimiser": "sgd"},
    {"architecture": "merged", "N": 5, "q": 2, "heads": 3, "width": 13},
    {"architecture": "ffn", "N": 4, "width": 30},
    {"architecture": "ffn", "N": 5, "q": 2, "width": 30, "task": "simple"},
    {"architecture": "ffn", "N": 3, "width": 20, "optimiser": "sgd"},
]


class Pair:
    """Plain modules and the ensemble that starts from their weights, fed the same batches."""

    def __init__(self, cell, make=stacked, members=3, **changes):
        self.experiments = [Experiment(repeat=r, **SMALL, **cell) for r in range(members)]
        self.worlds = [World.of(e) for e in self.experiments]
        self.modules = [model(e, generator(e, "weights")) for e in self.experiments]
        self.descents = [plain.optimiser(e, m) for e, m in zip(self.experiments, self.modules, strict=True)]
        self.streams = [plain.batches(e, w) for e, w in zip(self.experiments, self.worlds, strict=True)]
        codes = torch.stack([world.codes for world in self.worlds])
        self.net = make(self.modules, codes, replace(self.experiments[0], **changes))

    def keep(self, left):
        for row in (self.experiments, self.worlds, self.modules, self.descents, self.streams):
            row[:] = [row[k] for k in left]
        self.net.keep(left)

    def batch(self):
        return [next(stream) for stream in self.streams]

    def difference(self, steps):
        """Return the largest relative difference of two losses in so many steps."""
        worst = 0.0
        for _ in range(steps):
            batch = self.batch()
            parts = zip(self.modules, self.descents, self.worlds, batch, strict=True)
            theirs = torch.stack([plain.step(m, o, encode(w.codes, X, T), y) for m, o, w, (X, T, y) in parts])
            ours = self.net.step(*(torch.stack([b[k] for b in batch]) for k in range(3)))
            worst = max(worst, float(((ours - theirs) / theirs).abs().max()))
        return worst


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell['architecture']}-{cell['N']}")
def test_losses_and_weights_are_those_of_the_plain_loop(cell):
    pair = Pair(cell)
    assert pair.difference(20) < TOLERANCE
    pair.keep([2, 0])
    assert pair.difference(40) < TOLERANCE
    for k, (experiment, module) in enumerate(zip(pair.experiments, pair.modules, strict=True)):
        found = pair.net.load(k, model(experiment, generator(experiment, "other weights")))
        for (name, a), b in zip(found.named_parameters(), module.parameters(), strict=True):
            # an entry near zero may move by another fraction of lr = 1e-3; its gradient's relative error is below 1e-6
            assert name == "key.bias" or (a - b).abs().max() < 1e-9


def test_folded_columns_are_exact_and_controls_are_seen():
    assert Pair(CELLS[3], members=2).difference(150) < 1e-12
    assert Pair(CELLS[0], weight_decay=Fraction(0)).difference(60) > SEEN
    assert Pair(CELLS[3], make=OneEpsilon).difference(60) > SEEN
    transposed = Pair(CELLS[0])
    key = transposed.net.weights["key"][:, :, :-1]
    key.copy_(key.mT.clone())
    assert transposed.difference(1) > SEEN
    pair = Pair(CELLS[0])
    with torch.no_grad():
        for module in pair.modules:
            module.query.weight *= 3000
    codes = torch.stack([world.codes for world in pair.worlds])
    net, batch = stacked(pair.modules, codes, pair.experiments[0]), pair.batch()
    X, T, y = (torch.stack([b[k] for b in batch]) for k in range(3))
    with torch.no_grad():
        expected = [m(encode(w.codes, *b[:2])) for m, w, b in zip(pair.modules, pair.worlds, batch, strict=True)]
    # scores up to 1e4 err by 1e4 2^-53 n, n below 100 roundings
    assert (net.losses(X, T, y) - (torch.stack(expected) - y).square().mean(-1)).abs().max() < 1e-8


class OneEpsilon(StackedFeedForward):
    """The folded vector without its own epsilon."""

    def descend(self):
        before, one = self.offset.clone(), self.experiment
        super().descend()
        m, v = self.moments
        root = (v / (1 - 0.999**self.steps)).sqrt() + 1e-8
        lr = float(one.lr)
        step = lr * one.N * one.d_e**0.5 * m / (1 - 0.9**self.steps) / root
        self.offset = before * (1 - lr * float(one.weight_decay)) - step


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell['architecture']}-{cell['N']}")
def test_gradient_is_that_of_autograd(cell):
    pair = Pair(cell)
    batch = pair.batch()
    X, T, y = (torch.stack([b[k] for b in batch]) for k in range(3))
    with torch.no_grad():
        pair.net.backward(pair.net.forward(X, T, keep=True) - y)
    expected = {name: torch.empty_like(view) for name, view in pair.net.gradients.items()}
    for k, (module, world) in enumerate(zip(pair.modules, pair.worlds, strict=True)):
        (module(encode(world.codes, X[k], T[k])) - y[k]).square().sum().div(2).backward()
        with torch.no_grad():
            for weights in module.parameters():
                weights.copy_(weights.grad)  # the layout is linear, so it carries gradients as it carries weights
            pair.net.store({name: view[k] for name, view in expected.items()}, module)
    for name, gradient in pair.net.gradients.items():
        assert (gradient - expected[name]).abs().max() < 1e-12 * max(1, float(expected[name].abs().max()))


RACES = [
    {"architecture": "transformer", "N": 3, "width": 20, "lr": Fraction(1, 250), "protocol": "released"},
    {"architecture": "ffn", "N": 2, "width": 60, "lr": Fraction(1, 500)},
    {"architecture": "merged", "N": 3, "width": 20, "lr": Fraction(1, 250)},
]


@pytest.mark.parametrize("race", RACES, ids=lambda race: race["architecture"])
def test_few_test_prompts_give_the_outcome_of_all(race):
    settings = {"dtype": "float64", "d": 3, "batch": 64, "test_size": 1000, "check_every": 3, "cap": 20_000, **race}
    cell = [Experiment(repeat=r, **settings) for r in range(3)]
    few, full = dict(search.run_cell(cell)), dict(search.run_cell(cell, full=True))
    for experiment in cell:
        assert few[experiment].samples == full[experiment].samples
        assert few[experiment].loss == pytest.approx(full[experiment].loss, rel=TOLERANCE)
    assert all(outcome.checks > 5 for outcome in few.values())
    assert sum(outcome.tested for outcome in few.values()) < 0.8 * sum(outcome.tested for outcome in full.values())
    one = plain.run(cell[0])
    assert (one.samples, one.censored, one.checks) == (few[cell[0]].samples, False, few[cell[0]].checks)
    assert one.loss == pytest.approx(few[cell[0]].loss, rel=TOLERANCE)


def test_the_route_is_measured_and_put_back(monkeypatch):
    before = torch.get_float32_matmul_precision()
    with matmul.fast_products() as route:
        assert torch.get_float32_matmul_precision() == route.precision
        assert route.precision == "highest" or route.error <= matmul.TOLERANCE
    assert torch.get_float32_matmul_precision() == before
    with matmul.fast_products("cuda") as none:
        assert none is None
        assert torch.get_float32_matmul_precision() == before
    monkeypatch.setattr(matmul, "TOLERANCE", 0.0)
    assert matmul.route.__wrapped__().precision == "highest"


def test_refusals():
    pair = Pair(CELLS[3])
    codes = torch.stack([world.codes for world in pair.worlds]) * torch.tensor([1.0, 2.0, 1.0])[:, None, None]
    with pytest.raises(DomainError, match="absolute values"):
        stacked(pair.modules, codes, pair.experiments[0])
    with pytest.raises(DomainError, match="one cell"):
        next(search.run_cell([pair.experiments[0], replace(pair.experiments[0], N=6)]))
