"""Networks of several layers of attention, drawn at random, and one that follows pointers."""

import numpy as np
from tail_specimens import drawn_map

from theorytools.blocks.network import PLACE, Activation, Attention, Head, Map, Network, Norm
from theorytools.numbers.boxes import exact


def drawn_layers(prompts, seed, *, heads=1, beta=1.0, between=None, mask=None, at=None, residual=True):
    """Two attentions that read all that is written before them, and what may stand between or behind them."""
    rng = np.random.default_rng(seed)
    widths, blocks = dict(prompts.widths), []

    def attention(out, k, size):
        made = [
            Head({(a, b): exact(size * rng.standard_normal((widths[a], widths[b]))) for a in widths for b in widths},
                 drawn_map(rng, k, widths, 2.0)) for _ in range(heads)
        ]  # fmt: skip
        blocks.append(Attention(out, tuple(made), mask))
        widths[out] = k * heads

    attention("first", 3, beta)
    if between == "norm":
        blocks.append(Norm("between", drawn_map(rng, 3, widths), 0.1))
    elif between:
        blocks.append(Activation("between", between, drawn_map(rng, 3, widths)))
    widths |= {"between": 3} if between else {}
    attention("second", 2, beta / 2)
    read = widths if residual else {"second": widths["second"]}
    return Network(prompts.N, prompts.fields, tuple(blocks), drawn_map(rng, 1, read, 2.0), at=at)


def pointer_network(N, beta, *, keys=False):
    r"""Two hops of one-hot codes: the first layer hands on the index of the position that is asked, the second asks it.

    With ``keys`` the keys of the second layer are what the first retrieved, too: twice :math:`t_j` at no cost.
    """
    first = Attention("index", (Head({("slot1", PLACE): exact(beta * np.eye(N))},
                                     Map({"slot1": exact(np.eye(N))}, exact(np.zeros(N)))),))  # fmt: skip
    scores = {("index", PLACE): exact(2 * beta * np.eye(N))}
    if keys:
        scores["", "index"] = exact(0.01 * np.ones((1, N)))
    second = Attention("token", (Head(scores, Map({"x": exact(np.eye(1))}, exact(np.zeros(1)))),))
    return Network(N, (), (first, second), Map({"token": exact(np.eye(1))}, exact(np.zeros(1))))
