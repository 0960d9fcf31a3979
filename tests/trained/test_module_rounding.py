"""Bounds on the floats of a trained module are attained to within a factor, by drawn weights and prompts of signs.

Attention by itself: weights of one head.  The read-out by itself: scores are zero, so that weights are exact at a power
of two.  A module in doubles is what the others are compared with, so there is none of it here.
"""

import numpy as np
import pytest
import torch
from trained_specimens import KINDS, attention, drawn, encoded, errors

from theorytools.trained.layer import TrainedLayer
from theorytools.trained.leaks import Tokens
from theorytools.trained.rounding import Pass

FLOATS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
# how much larger than what is found a bound is at most: 10, or what is named
LOOSE = {("factor", "separate", "float32"): 32, ("factor", "merged", "float32"): 19,
         ("output", "separate", "float32"): 90, ("output", "merged", "float32"): 92}  # fmt: skip
PAIRS = [(kind, name) for kind in sorted(KINDS) for name in FLOATS]


def both(kind, name, seed, N, size, *, silent):
    """A module, its twin in doubles, its bounds and prompts for it; silent heads have scores of zero."""
    module, codes, u = drawn(kind, seed, N, 1, size=size, dtype=FLOATS[name], d_e=1)
    if silent:
        with torch.no_grad():
            for part, weights in module.named_parameters():
                if part.startswith(("query", "scores")):
                    weights.zero_()
    twin = KINDS[kind](3, 1, 5).double()
    twin.load_state_dict({part: tensor.double() for part, tensor in module.state_dict().items()})
    layer = TrainedLayer.of(module.state_dict(), codes=codes, direction=u)
    rng = np.random.default_rng(seed)
    X, T = rng.choice([-1.0, 1.0], (200, N, 1)), rng.integers(0, N, (200, N, 1))
    return module, twin, Pass(layer, Tokens("signs", 1.0, 1)).rounding(), codes, u, X, T


def held(what, kind, name, found):
    part = max(found)
    assert part <= 1
    loose = LOOSE.get((what, kind, name))
    if loose is None:
        assert part >= 1 / 10
    else:
        assert 1 / loose <= part <= 5 / loose  # tightened: then the factor is to be lowered here


@pytest.mark.parametrize(("kind", "name"), PAIRS)
def test_weights_come_near_to_what_rounding_can_multiply_them_by(kind, name):
    found = []
    for seed in range(12):
        for N, size in ((2, 0.6), (3, 1.5)):
            module, twin, bounds, codes, _, X, T = both(kind, name, seed, N, size, silent=False)
            seen, true = (attention(m, encoded(m, codes, X, T), 0) for m in (module, twin))
            ratio = np.maximum(seen / true, true / np.maximum(seen, 1e-300)).max()
            found.append((ratio - 1) / (bounds.factor[0] - 1))
    held("factor", kind, name, found)


@pytest.mark.parametrize(("kind", "name"), PAIRS)
def test_outputs_come_near_to_what_rounding_can_add_to_them(kind, name):
    found = []
    for seed in (4, 7, 16, 20):
        for N, size in ((2, 0.6), (4, 1.5)):
            module, twin, bounds, codes, u, X, T = both(kind, name, seed, N, size, silent=True)
            off = np.abs(errors(module, codes, u, X, T) - errors(twin, codes, u, X, T)).max()
            found.append(off / bounds.output)
    held("output", kind, name, found)
