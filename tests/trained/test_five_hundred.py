"""Five hundred certificates against every prompt: none is below the truth, and exact ones are the truth."""

import numpy as np
import pytest
from tail_specimens import KINDS, all_prompts, drawn_heads, drawn_map, drawn_network, true_errors

from theorytools.blocks.network import Activation, Attention, Network
from theorytools.trained.worst import cut_cases
from theorytools.trained.worst.prompts import Prompts
from theorytools.trained.worst.tail import tail_error

SIZES = [(3, 1), (3, 1), (3, 2), (4, 1)]  # N, d


def drawn(n, p):
    """The n-th network: of each kind, with one head or two, sharp or mild, or read by ReLUs of the averages alone."""
    heads, beta = 1 + n % 3 // 2, (0.0, 2.0, 5.0, 9.0)[n // 7 % 4]
    kind = (*KINDS, "averages")[n % 7]
    if kind != "averages":
        return drawn_network(kind, n, p, heads=heads, beta=beta)
    rng = np.random.default_rng(n)
    attention = Attention("a", drawn_heads(rng, p, dict(p.widths), 3, heads, beta), None)
    units = Activation("h", "relu", drawn_map(rng, 6, {"a": 3 * heads}))
    return Network(p.N, p.fields, (attention, units), drawn_map(rng, 1, {"h": 6}))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_none_is_below_the_truth(part, monkeypatch):
    monkeypatch.setattr(cut_cases, "CUTS", 2**22)  # what is cut is held elsewhere
    exact = 0
    for n in range(50 * part, 50 * part + 50):
        p = Prompts(*SIZES[n // 28 % 4])
        u = np.random.default_rng(n).standard_normal(p.d)
        net = drawn(n, p)
        made = tail_error(net, p, u)
        truth = float(np.abs(true_errors(net, p, u, *all_prompts(p)[:2])).max())
        assert truth * (1 - 1e-12) <= made.upper, n
        assert made.value <= truth * (1 + 1e-12), n
        if made.exact:
            exact += 1
            assert made.upper <= truth * (1 + 1e-8), n
    assert exact >= 3
