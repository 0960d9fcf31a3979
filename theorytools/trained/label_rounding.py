r"""What the floats of a module can add to its labels, with what is proved of its norms.

Interval arithmetic over a class of prompts knows no lower bound of the :math:`\sigma` that a norm divides by, and an
error is then multiplied by :math:`1/\sqrt\epsilon`, some 300, at each norm.  The network that was traced from the same
operators knows one (:mod:`.worst.deviations`), and the node that each of its norms stands for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from theorytools.blocks.network import Network, Norm
from theorytools.trained.floats.module_rounding import rounding
from theorytools.trained.traced.tracing import Traced
from theorytools.trained.worst.deviations import least_deviations
from theorytools.trained.worst.prompts import Prompts


def label_rounding(
    traced: Traced, network: Network, prompts: Prompts, bounds: Mapping[str, Any]
) -> tuple[float, str]:  # fmt: skip
    """Return what rounding can add to a label, and, where that is infinite or a norm may divide by nothing, why.

    Parameters
    ----------
    traced : the module's operators, and which of them each block stands for.
    network : the same blocks on tokens and indices.
    prompts : the class.
    bounds : for each argument of ``forward`` what :func:`~.floats.module_rounding.rounding` takes.
    """
    spreads = by_node(traced, network, least_deviations(network, prompts))
    made = rounding(traced.program, bounds, spreads=spreads)
    flat = [f"what {name} norms may be constant, as far as is proved" for name, least in spreads.items() if not least]
    return float(np.max(made.output)), "; ".join([made.unbounded] * bool(made.unbounded) + flat)


def by_node(traced: Traced, network: Network, least: Mapping[str, float]) -> dict[str, float]:
    """Return the least of the bounds of all norms that a node stands for; of none of which one is not known."""
    left = {block.out for block in network.blocks if isinstance(block, Norm)}
    found: dict[str, float] = {}
    lost = {node for out, node in traced.nodes.items() if out not in left}
    for out in left:
        node = traced.nodes[out]
        if node not in lost and out in least:
            found[node] = min(found.get(node, np.inf), least[out])
    return found
