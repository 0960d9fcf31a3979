"""Bounds of the library auto_LiRPA (Xu et al. 2020, arXiv 2002.12920) for a layer of attention with tokens in a box.

For each query position and index one graph is bounded, output minus label; tokens are in their box, the indices of
the other positions in the hull of the codes, the query's own code and index are fixed.  ``CROWN`` is one backward pass
(Zhang et al. 2018, arXiv 1811.00866; for attention Shi et al. 2020, arXiv 2002.06622), ``CROWN-Optimized`` descends on
its slopes.  The library is not on the package index in a version for today's torch; its head revision is, at
github.com/Verified-Intelligence/auto_LiRPA, and runs beside torch 2.13 with ``sparse_intermediate_bounds`` off.
"""

import numpy as np
import torch


class Difference(torch.nn.Module):
    """Output minus label for the query at ``i`` that asks for ``t``; the input is each position's token and index."""

    def __init__(self, layer, t, i):
        super().__init__()
        raw = {name: torch.as_tensor(array) for name, array in layer.raw.items()}
        N, d, k = layer.N, layer.d, layer.codes.shape[1]
        codes, u = torch.as_tensor(layer.codes), torch.as_tensor(layer.u)
        one = torch.eye(N, dtype=codes.dtype)
        free = [*range(d), *range(d + k, d + 2 * k)]
        for name in ("query", "key", "value"):
            weight, bias = raw[f"{name}.weight"], raw[f"{name}.bias"]
            self.register_buffer(f"{name}_map", weight[:, free].T.contiguous())
            at = codes if name != "query" else codes[[i]]
            self.register_buffer(f"{name}_rest", at @ weight[:, d : d + k].T + bias)
        for name in ("output", "hidden", "last"):
            self.register_buffer(f"{name}_weight", raw[f"{name}.weight"])
            self.register_buffer(f"{name}_bias", raw[f"{name}.bias"])
        self.register_buffer("here", one[None, [i]])
        self.register_buffer("asked", one[None, [t]])
        self.register_buffer("label", torch.cat([u, torch.zeros(k, dtype=u.dtype)])[:, None])
        self.scale = raw["query.weight"].shape[1] ** -0.5

    def forward(self, Z):
        query = torch.matmul(torch.matmul(self.here, Z), self.query_map) + self.query_rest
        keys = torch.matmul(Z, self.key_map) + self.key_rest
        values = torch.matmul(Z, self.value_map) + self.value_rest
        mean = torch.matmul(torch.softmax(torch.matmul(query, keys.transpose(1, 2)) * self.scale, -1), values)
        linear = torch.nn.functional.linear
        units = torch.relu(
            linear(linear(mean, self.output_weight, self.output_bias), self.hidden_weight, self.hidden_bias)
        )
        found = linear(units, self.last_weight, self.last_bias)
        return (found - torch.matmul(torch.matmul(self.asked, Z), self.label)).reshape(-1, 1)


def graphs(layer, radius):
    """What is bounded: a graph and its box of inputs for every query position and index."""
    from auto_LiRPA import BoundedModule, BoundedTensor, PerturbationLpNorm

    N, d, codes = layer.N, layer.d, torch.as_tensor(layer.codes)
    reach = torch.full((1, N, d), float(radius), dtype=codes.dtype)
    made, before = [], torch.get_default_dtype()
    torch.set_default_dtype(codes.dtype)  # the library makes constants of it
    for t, i in np.ndindex(N, N):
        low, high = (end.expand(1, N, -1).clone() for end in (codes.amin(0), codes.amax(0)))
        low[:, i] = high[:, i] = codes[t]
        low, high = torch.cat([-reach, low], 2), torch.cat([reach, high], 2)
        middle = (low + high) / 2
        options = {"sparse_intermediate_bounds": False, "optimize_bound_args": {"iteration": 20}, "verbosity": 0}
        graph = BoundedModule(Difference(layer, t, i), (middle,), bound_opts=options)
        made.append((graph, BoundedTensor(middle, PerturbationLpNorm(norm=np.inf, x_L=low, x_U=high))))
    torch.set_default_dtype(before)
    return made


def largest_error(made, method="CROWN"):
    """A bound of the label's error over the class, by one method for all graphs."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    ends = [graph.compute_bounds(x=(box,), method=method) for graph, box in made]
    torch.set_default_dtype(before)
    return max(max(-float(low), float(high)) for low, high in ends)
