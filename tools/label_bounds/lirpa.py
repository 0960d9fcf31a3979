r"""Bounds of the library auto_LiRPA (Xu et al. 2020, arXiv 2002.12920) for the networks of ``networks.py``.

One graph holds pairs of a query position ``i`` and an index ``t`` as a batch; it computes output minus label for that
query only, so of the scores only the asking row.  Tokens are in their box, the query's own index is fixed; indices of
other positions are in the hull of the codes (``hull``), the smallest box of the library that holds them, or, by a class
of inputs that we add (``codes``), one of the codes.  For linear functions tokens of signs are a box, so there is no
smaller class for signs.  ``IBP`` is interval arithmetic, ``CROWN`` one backward pass (Zhang et al. 2018, arXiv
1811.00866; the softmax of Wei et al. 2023), ``CROWN-IBP`` has intervals before the last pass, ``CROWN-Optimized``
descends on slopes.  The package index has only a version for older torch; the head revision, at
github.com/Verified-Intelligence/auto_LiRPA, runs beside torch 2.13 with ``sparse_intermediate_bounds`` off.  What is
normed is clipped at the root of its width, which changes no value and no library knows.
"""

import contextlib
import copy
import io
import time
import warnings
from functools import cache
from importlib import util

import numpy as np
import torch
from torch import nn
from torch.nn.functional import layer_norm, linear

from tools.label_bounds.networks import Encoder, Linear, Multihead, U, d

REVISION = "a050a3d61f4cb68b108fa7f07dcb3e4d7ef304df"  # the head when the record was made
STEPS, CHUNK = 20, 64  # of the descent; pairs that are descended on at once
LIMIT = 300  # seconds after which no further pairs are descended on; none are where one pass takes a tenth of it
SETTINGS = (
    ("hull", "IBP"), ("hull", "CROWN-IBP"), ("hull", "CROWN"), ("codes", "CROWN"), ("codes", "CROWN-Optimized"),
)  # fmt: skip
# the descent with the hull costs as much as with the codes, and ends above it: the hull holds them


def installed():
    """Whether the library is there, and which version."""
    if util.find_spec("auto_LiRPA") is None:
        return None
    import auto_LiRPA

    return auto_LiRPA.__version__


def every_pair(N):
    return [(t, i) for t in range(N) for i in range(N)]


class Asking(nn.Module):
    """Output minus label for pairs ``(t, i)``; given each position's token and index, ``(pairs, N, d + d_e)``."""

    def __init__(self, net, codes, pairs):
        super().__init__()
        self.net, (N, d_e) = net, codes.shape
        one = torch.eye(N)
        place = torch.zeros(d + d_e, d + 2 * d_e)
        place[:d, :d], place[d:, d + d_e :] = torch.eye(d), torch.eye(d_e)
        self.register_buffer("own", torch.cat([torch.zeros(N, d), codes, torch.zeros(N, d_e)], 1)[None])
        self.register_buffer("place", place)
        self.register_buffer("asked", one[[t for t, _ in pairs]][:, None])
        self.register_buffer("here", one[[i for _, i in pairs]][:, None])
        self.register_buffer("label", torch.cat([torch.tensor(U), torch.zeros(d_e)])[:, None])

    def forward(self, free):
        found = asking(self.net, torch.matmul(free, self.place) + self.own, self.here)
        return (found - torch.matmul(torch.matmul(self.asked, free), self.label)).reshape(-1, 1)


def asking(net, Z, here):
    """What the network returns at the position that is marked, ``(pairs, 1, 1)``, with only that row of scores."""
    x = torch.matmul(here, Z)
    if isinstance(net, Encoder):
        return net.read(encoded(net.layer, Z, x))
    if isinstance(net, Multihead):
        found = multihead(net.attention, Z, x)
        return net.read(x + found if net.residual else found)
    if hasattr(net, "cell"):
        return net.last(torch.matmul(here, torch.cat([states(net.cell, Z, end) for end in ("", "_reverse")], -1)))
    found = averaged(net.query(x), net.key(Z), net.value(Z))
    return net.read(found) if isinstance(net, Linear) else net.last(torch.relu(net.hidden(net.output(found))))


def averaged(query, key, value):
    return torch.matmul(torch.softmax(torch.matmul(query, key.transpose(1, 2)) * query.shape[-1] ** -0.5, -1), value)


def multihead(attention, Z, x):
    """torch's attention with one head, its packed weights taken apart."""
    maps = zip((x, Z, Z), attention.in_proj_weight.chunk(3), attention.in_proj_bias.chunk(3), strict=True)
    return attention.out_proj(averaged(*(linear(z, w, b) for z, w, b in maps)))


def normed(norm, x):
    """A norm; with weights set apart its entries are at most the root of the width, which two ReLUs say."""
    plain, reach = layer_norm(x, norm.normalized_shape, eps=norm.eps), x.shape[-1] ** 0.5
    return (reach - torch.relu(2 * reach - torch.relu(plain + reach))) * norm.weight + norm.bias


def encoded(layer, Z, x):
    def wide(y):
        return layer.linear2(torch.relu(layer.linear1(y)))

    if layer.norm_first:
        ask, keys = normed(layer.norm1, x), normed(layer.norm1, Z)
        x = x + multihead(layer.self_attn, keys, ask)
        return x + wide(normed(layer.norm2, x))
    x = normed(layer.norm1, x + multihead(layer.self_attn, Z, x))
    return normed(layer.norm2, x + wide(x))


def states(cell, Z, end):
    """The states of a GRU in one direction, unrolled."""
    names = (f"{name}_l0{end}" for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
    w_ih, w_hh, b_ih, b_hh = (getattr(cell, name) for name in names)
    h, found = torch.zeros(1, cell.hidden_size), [None] * Z.shape[1]
    for i in range(Z.shape[1])[:: -1 if end else 1]:
        given = [linear(Z[:, i], w, b) for w, b in zip(w_ih.chunk(3), b_ih.chunk(3), strict=True)]
        own = [linear(h, w, b) for w, b in zip(w_hh.chunk(3), b_hh.chunk(3), strict=True)]
        z = torch.sigmoid(given[1] + own[1])
        h = (1 - z) * torch.tanh(given[2] + torch.sigmoid(given[0] + own[0]) * own[2]) + z * h
        found[i] = h
    return torch.stack(found, 1)


@cache
def one_of():
    """A class of inputs: tokens in a box, and at each position one of the codes; the query's own index is fixed."""
    from auto_LiRPA.linear_bound import LinearBound
    from auto_LiRPA.perturbations import Perturbation

    class OneOf(Perturbation):
        def __init__(self, codes, pairs, radius):
            super().__init__()
            self.codes, self.radius = codes, radius
            self.t, self.i = (torch.tensor(part) for part in zip(*pairs, strict=True))
            self.eps, self.norm = 1.0, np.inf

        def concretize(self, x, A, sign=-1, aux=None):
            if A is None:
                return None
            n, N = len(self.t), len(self.codes)
            A = sign * A.reshape(n, -1, N, x.shape[-1])
            tokens = self.radius * A[..., :d].abs().sum((2, 3))
            indices = A[..., d:] @ self.codes.T  # (pairs, rows, N, N)
            rows = torch.arange(n)
            largest = indices.amax(-1)
            fixed = indices[rows, :, self.i, self.t] - largest[rows, :, self.i]
            return sign * (tokens + largest.sum(-1) + fixed).reshape(n, -1)

        def init(self, x, aux=None, forward=False):
            low, high = ends(self.codes, self.t.tolist(), self.i.tolist(), self.radius)
            return LinearBound(None, None, None, None, low, high), x, None

    return OneOf


def ends(codes, t, i, radius):
    """The box of the inputs of pairs, ``(pairs, N, d + d_e)``."""
    n, N = len(t), len(codes)
    low, high = (end.expand(n, N, -1).clone() for end in (codes.amin(0), codes.amax(0)))
    low[range(n), i] = high[range(n), i] = codes[t]
    reach = torch.full((n, N, d), float(radius))
    return torch.cat([-reach, low], 2), torch.cat([reach, high], 2)


def bounded(net, codes, pairs, inputs, method):
    """Bounds of the error for each pair, by one method."""
    from auto_LiRPA import BoundedModule, BoundedTensor, PerturbationLpNorm

    low, high = ends(codes, [t for t, _ in pairs], [i for _, i in pairs], 1.0)
    middle = (low + high) / 2
    given = one_of()(codes, pairs, 1.0) if inputs == "codes" else PerturbationLpNorm(norm=np.inf, x_L=low, x_U=high)
    options = {"sparse_intermediate_bounds": False, "optimize_bound_args": {"iteration": STEPS}, "verbosity": 0}
    graph = BoundedModule(Asking(net, codes, pairs), (middle,), bound_opts=options)
    low, high = graph.compute_bounds(x=(BoundedTensor(middle, given),), method=method)
    found = torch.maximum(-low, high)[:, 0].detach()
    return torch.where(found.isnan(), torch.inf, found)


def descended(net, codes, inputs, limit):
    """Slopes are optimised for the pairs whose bound is largest, until no other pair's bound is above theirs."""
    start, pairs = time.process_time(), every_pair(len(codes))
    found = bounded(net, codes, pairs, inputs, "CROWN")
    if (spent := time.process_time() - start) > limit / 10:
        raise TimeoutError(f"not tried in {limit:g} s: one pass takes {spent:.0f} s")
    order, done = found.argsort(descending=True).tolist(), 0
    while done < len(order) and time.process_time() - start < limit:
        if done and found[order[done]] <= found[order[:done]].max():
            break
        some = order[done : done + CHUNK]
        again = bounded(net, codes, [pairs[k] for k in some], inputs, "CROWN-Optimized")
        found[some], done = torch.minimum(found[some], again), done + CHUNK
    return found, min(done, len(order))


def largest_error(net, codes, inputs, method, limit=LIMIT):
    """A bound of the label's error over the class by one method, its seconds of one thread, or why it has none."""
    start, before = time.process_time(), torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)  # the library makes constants of it
    made = {}
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            net, codes = copy.deepcopy(net).double(), torch.as_tensor(codes, dtype=torch.float64)
            if method == "CROWN-Optimized":
                found, made["pairs"] = descended(net, codes, inputs, limit)
            else:
                found = bounded(net, codes, every_pair(len(codes)), inputs, method)
        error = float(found.max())
        made |= {"error": error} if np.isfinite(error) else {"error": None, "why": "infinite"}
    except Exception as failure:  # whatever the library raises is its answer
        made |= {"error": None, "why": f"{type(failure).__name__} {failure}".strip()[:120]}
    finally:
        torch.set_default_dtype(before)
    return made | {"seconds": round(time.process_time() - start, 2)}


def settings(net, codes, limit=LIMIT):
    """All settings, and the one of the smallest bound."""
    found = {f"{inputs}, {method}": largest_error(net, codes, inputs, method, limit) for inputs, method in SETTINGS}
    finite = [name for name in found if found[name]["error"] is not None]
    return {"limit": limit, "settings": found, "best": min(finite, key=lambda name: found[name]["error"], default=None)}
