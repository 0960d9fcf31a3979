"""Stacked recurrent networks against the plain loop, in float64.

Losses are of order 1.  An entry of a gradient errs by a few roundings, below 1e-15; AdamW divides it by at least 1e-8
and multiplies it by 1e-3, so that even a weight without gradient moves by less than 1e-10 out of place in a step, and
most move by 1e-16.  Losses are compared to 1e-10 and the controls have to move them by more than 1e-6.
"""

import pytest
import torch

from theorytools.papers.qstr.training import reference as plain
from theorytools.papers.qstr.training import search
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.prompts import World, draw, encode, generator
from theorytools.papers.qstr.training.reference import model
from theorytools.papers.qstr.training.stacks.cells import tanh_
from theorytools.papers.qstr.training.stacks.recurrent import StackedRecurrent

KINDS = ("gru", "lstm", "rnn")
TOLERANCE, SEEN = 1e-10, 1e-6
SMALL = {"N": 4, "d": 3, "q": 2, "d_e": 4, "width": 7, "batch": 6, "dtype": "float64"}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


class Pair:
    """Members of one cell twice, from equal weights: plain modules, and stacked."""

    def __init__(self, kind, members=2, *, grouped=False, **settings):
        self.cell = [Experiment(architecture=kind, repeat=k, **(SMALL | settings)) for k in range(members)]
        self.worlds = [World.of(one) for one in self.cell]
        self.modules = [model(one, generator(one, "weights")) for one in self.cell]
        self.descents = [plain.optimiser(one, module) for one, module in zip(self.cell, self.modules, strict=True)]
        self.net = StackedRecurrent(self.modules, torch.stack([w.codes for w in self.worlds]), self.cell[0])
        self.net.grouped = grouped
        self.streams = [generator(one, "train") for one in self.cell]

    def batch(self):
        drawn = zip(self.cell, self.worlds, self.streams, strict=True)
        batches = [draw(one, world, rng, one.batch, False) for one, world, rng in drawn]
        return [torch.stack([batch[k] for batch in batches]) for k in range(3)]

    def plain_step(self, X, T, y):
        parts = zip(self.modules, self.descents, self.worlds, X, T, y, strict=True)
        return torch.stack([plain.step(m, o, encode(w.codes, x, t), v) for m, o, w, x, t, v in parts])

    def apart(self, steps):
        """Return the greatest difference of the losses over some steps."""
        batches = (self.batch() for _ in range(steps))
        return max(float((self.net.step(*b) - self.plain_step(*b)).abs().max()) for b in batches)

    def keep(self, left):
        self.net.keep(left)
        for name in ("cell", "worlds", "modules", "descents", "streams"):
            setattr(self, name, [getattr(self, name)[k] for k in left])


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_members_follow_the_plain_loop_while_others_leave(kind, grouped):
    assert Pair(kind, grouped=grouped).apart(32) < TOLERANCE
    pair = Pair(kind, 3, grouped=grouped)
    assert pair.apart(8) < TOLERANCE
    pair.keep([2, 0])
    assert pair.net.members == 2
    assert pair.apart(8) < TOLERANCE


def test_the_path_of_a_simple_task_with_gradient_descent_and_the_quick_tanh():
    assert Pair("gru", 1, optimiser="sgd", lr="1/50", task="simple", link="he2").apart(32) < TOLERANCE
    x = torch.linspace(-30, 30, 10_001, dtype=torch.float64)
    # sigma errs by at most one rounding of 1, 2.2e-16, which is doubled
    assert float((tanh_(x.clone()) - torch.tanh(x)).abs().max()) <= 5e-16


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_the_comparison_sees_two_swapped_gates(kind):
    pair = Pair(kind)
    maps = pair.net.weights["cell.weight_hh_l0"]
    maps[:, :14] = maps[:, :14].roll(7, 1)
    assert pair.apart(3) > SEEN


@pytest.mark.parametrize("kind", KINDS)
def test_the_comparison_sees_swapped_directions_and_a_missing_weight_decay(kind):
    pair = Pair(kind)
    first, second = (pair.net.weights[f"cell.weight_hh_l0{end}"] for end in ("", "_reverse"))
    kept = first.clone()
    first.copy_(second), second.copy_(kept)
    assert pair.apart(3) > SEEN
    pair = Pair(kind, 1)
    pair.net.optimiser.param_groups[0]["weight_decay"] = 0.0
    assert pair.apart(32) > SEEN


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_is_that_of_autograd(kind, grouped):
    pair = Pair(kind, 3, grouped=grouped)
    X, T, y = pair.batch()
    direction = torch.randn(y.shape, generator=torch.Generator().manual_seed(0), dtype=y.dtype)
    with torch.no_grad():
        predictions = pair.net.forward(X, T, keep=True)
        pair.net.backward(direction)
    for m, (module, world) in enumerate(zip(pair.modules, pair.worlds, strict=True)):
        out = module(encode(world.codes, X[m], T[m]))
        (out * direction[m]).sum().backward()
        # sums of at most 24 positions of terms of order 1, through 4 steps: a few hundred roundings of 1e-16
        torch.testing.assert_close(predictions[m], out, rtol=0, atol=1e-13)
        for name, weights in module.named_parameters():
            torch.testing.assert_close(pair.net.gradients[name][m], weights.grad, rtol=0, atol=1e-13)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_evaluation_is_that_of_the_plain_module(kind, grouped):
    pair = Pair(kind, 3, grouped=grouped)
    pair.apart(2)
    X, T, y = pair.batch()
    losses = pair.net.losses(X, T, y)
    for m, world in enumerate(pair.worlds):
        module = pair.net.load(m, model(pair.cell[m], torch.Generator()))
        with torch.no_grad():
            expected = (module(encode(world.codes, X[m], T[m])) - y[m]).square().mean(-1)
        torch.testing.assert_close(losses[m], expected, rtol=0, atol=1e-13)
    for chosen in ([2, 0], [1, 2, 0]):
        some = pair.net.losses(*(part[chosen, :4] for part in (X, T, y)), chosen)
        torch.testing.assert_close(some, losses[chosen, :4], rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_few_test_prompts_find_the_same_end_as_all_and_as_the_plain_loop(kind):
    settings = {"N": 2, "d": 2, "d_e": 3, "width": 12, "lr": "1/100", "threshold": "3/5", "check_every": 5}
    settings |= {"test_size": 600, "batch": 16, "dtype": "float64"}
    cell = [Experiment(architecture=kind, repeat=k, **settings) for k in (0, 1)]
    few, full = (dict(search.run_cell(cell, full=f)) for f in (False, True))
    ends = {one: plain.run(one) for one in cell}
    for one, end in ends.items():
        assert few[one].samples == full[one].samples == end.samples
        assert not end.censored
        assert end.checks > 1
        assert abs(full[one].loss - end.loss) < TOLERANCE
    assert sum(o.tested for o in few.values()) < sum(o.tested for o in full.values())
