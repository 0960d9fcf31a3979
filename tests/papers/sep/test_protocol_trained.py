"""A trained layer that is too small: quantised, run as a protocol, and given two inputs, one of which it gets wrong."""

import numpy as np
import pytest
import torch
from two_halves import halves, pairs

from theorytools import DomainError
from theorytools.constructions.attention.attention_tables import FixedPointTables
from theorytools.constructions.attention.fixed_point import admitted
from theorytools.theory.communication.matrix import equality


def trained(n, steps, seed):
    """One softmax head over tables and a small network, trained on equality with balanced, close negatives."""
    g = torch.Generator().manual_seed(seed)

    class OneLayer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.logits = torch.nn.Parameter(0.1 * torch.randn(2 * n, 2, 1, generator=g))
            self.values = torch.nn.Parameter(torch.randn(2 * n, 2, 1, 2, generator=g))
            self.rest = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
            for weights in self.rest.parameters():
                weights.data = torch.randn(weights.shape, generator=g) * weights.shape[-1] ** -0.5

        def forward(self, tokens):
            j = torch.arange(2 * n)
            a = torch.softmax(self.logits[j, tokens], dim=1)
            return self.rest((a[..., None] * self.values[j, tokens]).sum(1).flatten(1))[:, 0]

    model = OneLayer()
    weights = list(model.parameters())
    mean, square = ([torch.zeros_like(w) for w in weights] for _ in range(2))
    for _ in range(steps):
        x = torch.randint(0, 2, (128, n), generator=g)
        y = torch.where(torch.rand(128, 1, generator=g) < 0.5, x, torch.randint(0, 2, (128, n), generator=g))
        target = (x == y).all(1).float()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(torch.cat([x, y], 1)), target)
        for w, g1, m, v in zip(weights, torch.autograd.grad(loss, weights), mean, square, strict=True):
            m.lerp_(g1, 0.1), v.lerp_(g1**2, 0.01)  # Adam, without its corrections of the start
            w.data -= 0.005 * m / (v.sqrt() + 1e-8)
    return model


def test_a_trained_model_that_is_too_small_is_shown_to_be_wrong():
    n = 8
    module = trained(n, 300, seed=0)
    with pytest.raises(DomainError, match=r"torch.float32\) of the module OneLayer"):
        halves(admitted(module))

    def rest(o):  # the module's own network behind the head, in doubles
        with torch.no_grad():
            return (module.rest.double()(torch.tensor(o).flatten(1))[:, 0] > 0).numpy()

    tables = [t.detach().double().numpy() for t in (module.logits, module.values)]
    fine = FixedPointTables.quantised(*tables, 16, rest)  # of 16 bits: the trained model, to rounding
    x, y = pairs(n)
    y[::2] = x[::2]
    tokens = np.concatenate([x, y], axis=1)
    with torch.no_grad():
        learnt = (module.float()(torch.tensor(tokens)) > 0).numpy()
    assert (learnt == equality(x, y)).mean() > 0.75  # it has learnt something: half of the pairs are equal
    assert (fine.execute(tokens) == learnt).mean() > 0.99

    protocol = halves(FixedPointTables.quantised(*tables, 2, rest))
    report = protocol.report(equality)
    assert protocol.mismatches(x[::16], y[::16]) == 0
    assert report.messages < report.rows == report.fooling == 256
    one = report.wrong
    assert one is not None
    given = np.array([[*one.x, *one.y], [*one.other, *one.y]])
    executed = protocol.model.execute(given)
    assert executed[0] == executed[1]
    assert one.x == one.y != one.other
    assert one.wrong == 1
    assert protocol.colliding() >= 2
    assert report.errors >= protocol.colliding()

    # the module itself, with the quantised tables in place of its own, gives these answers too
    scale = np.abs(tables[1]).max() / 2
    module.double()
    module.logits.data = torch.tensor(np.log(protocol.model.e))
    module.values.data = torch.tensor(scale * (protocol.model.v + 0.5))
    with torch.no_grad():
        assert ((module(torch.tensor(given)) > 0).numpy() == executed).all()
