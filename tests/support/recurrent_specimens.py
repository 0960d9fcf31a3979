"""Networks with recurrent layers, drawn at random, and one that retrieves without error."""

import numpy as np
from tail_specimens import drawn_map

from theorytools.blocks.network import Activation, Map, Network, Recur
from theorytools.numbers.boxes import exact
from theorytools.trained.recurrent import GATES


def drawn_layer(rng, kind, out, of, k, size, reverse=False):
    rows = GATES[kind] * k
    shapes = {"weight_ih": (rows, of.width), "weight_hh": (rows, k), "bias_ih": (rows,), "bias_hh": (rows,)}
    return Recur(out, kind, of, {name: size * rng.standard_normal(shape) for name, shape in shapes.items()}, reverse)


def drawn_recurrence(prompts, kind, seed, *, k=4, at=None, both=False, layers=1, behind=False, size=0.9):
    """Stacked layers of one direction or of both, read linearly or through ReLUs that also see the position itself."""
    rng = np.random.default_rng(seed)
    blocks, last = [], []
    for way in ("f", "b")[: 1 + both]:
        of = drawn_map(rng, 5, prompts.widths, 3 * size)
        for depth in range(layers):
            blocks.append(drawn_layer(rng, kind, f"{way}{depth}", of, k, size, way == "b"))
            of = drawn_map(rng, 4, {f"{way}{depth}": k})
        last.append(f"{way}{layers - 1}")
    read = {**dict.fromkeys(last, k), **prompts.widths}
    if behind:
        blocks.append(Activation("h", "relu", drawn_map(rng, 3, read, 2.0)))
        read = {"h": 3, last[0]: k}
    return Network(prompts.N, prompts.fields, tuple(blocks), drawn_map(rng, 1, read, 2.0), at=at)


def delay_line(N, slope=1.0):
    r"""A plain ReLU recurrence that keeps the last tokens, :math:`h_k=x_{i-k}+1`, and passes the one asked for.

    Behind it ReLUs of :math:`h_k-2` are 0 except at the index: the label at the last position is without error.
    """
    shift = np.eye(N, k=-1)
    w = {"weight_ih": np.eye(N, 1), "weight_hh": shift, "bias_ih": np.eye(N)[0], "bias_hh": np.zeros(N)}
    recur = Recur("kept", "relu", Map({"x": exact(np.eye(1))}, exact(np.zeros(1))), w)
    fence = Map({"kept": exact(np.eye(N)[::-1]), "slot1": exact(2 * np.eye(N))}, exact(np.full(N, -2.0)))
    read = Map({"passed": exact(np.full((1, N), slope))}, exact(np.full(1, -slope)))
    return recur, Activation("passed", "relu", fence), read
