r"""What the floats of a module can add to its labels, with what is proved of its norms and of single positions.

Interval arithmetic over a class of prompts knows no lower bound of the :math:`\sigma` that a norm divides by, and an
error is then multiplied by :math:`1/\sqrt\epsilon`, some 300, at each norm.  The network that was traced from the same
operators knows one (:mod:`.worst.deviations`), and the node that each of its norms stands for.  What a node computes
before the attention is a function of one position's state: its ranges are enumerated, rows by their lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from theorytools.blocks.network import Attention, Map, Network, Norm
from theorytools.numbers.boxes import Array, Box, exact
from theorytools.trained.answers import Answers
from theorytools.trained.floats.module_rounding import ModuleRounding, rounding
from theorytools.trained.floats.reach import Known, up
from theorytools.trained.traced.forms import Forms
from theorytools.trained.traced.tracing import Traced
from theorytools.trained.worst.deviations import least_deviations
from theorytools.trained.worst.enclosed import affine
from theorytools.trained.worst.one_layer import Layer
from theorytools.trained.worst.state_rounding import states_off

KEEPS = frozenset({"alias", "clone", "detach", "expand", "unsqueeze"})  # rows and entries that are known already


def label_rounding(net: Answers, network: Network) -> tuple[ModuleRounding, str]:
    """Return what rounding can add to what a module returns, and why that is infinite, or which norms may divide by 0.

    Parameters
    ----------
    net : the module, its operators, and which of them each block stands for.
    network : its blocks on tokens and indices.
    """
    traced, prompts = net.traced, net.prompts
    spreads: dict[str, float] = {}
    ranges: dict[str, Known] = {}
    norms = [block for block in network.blocks if isinstance(block, Norm)]
    one = sum(isinstance(block, Attention) for block in network.blocks) == 1
    if (
        prompts.tokens == "signs"
        and one
        and norms
        and all(block.eps > 0 for block in norms)
        and network.output.width == 1
    ):
        layer = Layer.of(network, prompts, np.zeros(prompts.d))
        spreads = by_node(traced, network, least_deviations(network, layer))
        ranges = known_ranges(traced, net.canonical, layer)
    states = states_off(traced.program, net.network, prompts)
    made = rounding(traced.program, net.bounds(), spreads=spreads, ranges=ranges, states=states)
    flat = [f"what {name} norms may be constant, as far as is proved" for name, least in spreads.items() if not least]
    return made, "; ".join([made.unbounded] * bool(made.unbounded) + flat)


def by_node(traced: Traced, network: Network, least: Mapping[str, float]) -> dict[str, float]:
    """Return the least of the bounds of all norms that a node stands for; none where one of them is not known."""
    found: dict[str, float] = {}
    for out, node in traced.nodes.items():
        found[node] = min(found.get(node, np.inf), least.get(out, -1.0))
    norms = {traced.nodes[block.out] for block in network.blocks if isinstance(block, Norm)}
    return {node: least for node, least in found.items() if node in norms and least >= 0}


def known_ranges(traced: Traced, canonical: Callable[[Network], Network], layer: Layer) -> dict[str, Known]:
    """Return what is known of the nodes that read one position's state alone, over all states."""
    found = {}
    for node in traced.program.nodes:
        f = traced.forms.get(node.name)
        short = node.operator.removeprefix("aten.").split(".")[0]
        if f is None or short in KEEPS or f.constant or f.shape != node.shape:
            continue
        if not np.isfinite(f.shift.mid).all() or (f.at >= layer.keys.N).any():
            continue
        names = {block.out for block in traced.network.blocks} | {one.name for one in traced.network.fields}
        if set(f.rows) <= names | {"place"}:
            m = max(len(part.mid) for part in f.rows.values())
            of = canonical(replace(traced.network, output=Map(f.rows, exact(np.zeros(m))))).output
            if set(of.parts) <= set(layer.keys.fields):
                found[node.name] = _known(f, affine(of, layer.keys.fields, layer.keys.N * layer.keys.S), layer)
    return found


def _known(f: Forms, values: Box, layer: Layer) -> Known:
    """Ends of the entries of forms over the states of their positions, and lengths of their rows."""
    N, S, m = layer.keys.N, layer.keys.S, values.shape[1]
    read, at, form = f.form >= 0, np.maximum(f.at, 0), np.maximum(f.form, 0)
    low, high = (part.reshape(N, S, m) for part in (values.low, values.high))
    ends = np.where(read, low.min(1)[at, form], 0.0), np.where(read, high.max(1)[at, form], 0.0)
    bottom = np.nextafter(ends[0] + f.shift.low, -np.inf)
    top = np.nextafter(ends[1] + f.shift.high, np.inf)
    rows = f.reshape(-1, f.shape[-1])
    length = np.array([_length(rows[k], low, high) for k in range(len(rows.form))])
    return Known(bottom, top, length.reshape(f.shape[:-1]))


def _length(row: Forms, low: Array, high: Array) -> float:
    """The largest Euclidean norm of a row over the states of the one position that it reads; else infinity."""
    at = np.unique(row.at[row.form >= 0])
    if len(at) > 1:
        return float(np.inf)
    size = np.abs(row.shift.mid) + row.shift.rad
    if len(at):
        sides = [np.where(row.form >= 0, part[at[0]][:, np.maximum(row.form, 0)], 0.0) for part in (low, high)]
        size = np.maximum(
            *(np.abs(side + end) for side, end in zip(sides, (row.shift.low, row.shift.high), strict=True))
        )
    return float(np.max(up(np.sqrt((size**2).sum(-1)))))
