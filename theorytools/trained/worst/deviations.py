r"""Lower bounds of what norms divide by, over all prompts of a class: :math:`\sigma` of :math:`v-\bar v`, or of ``v``.

Before the attention a position's state is one of a finite list, and :math:`\sigma` is enclosed at each.  Behind it
every query is held with its state and the tokens that it asks for; :math:`\sigma\ge|\langle w,n\rangle|/(\sqrt k\|w\|)`
for any ``w``, of which the infimum over the states of all other positions is known, and coordinate by coordinate
(:mod:`.carried`).  Behind a norm and a hidden layer the same functionals are carried backward, with lines above and
below each function: a bound, which is zero where the lines leave room for it.
"""

from __future__ import annotations

import numpy as np

from theorytools.blocks.network import Network, Norm
from theorytools.numbers.boxes import UNIT, Array
from theorytools.trained.worst.carried import Behind, Normed, Scale
from theorytools.trained.worst.enclosed import affine, centred, mean_square
from theorytools.trained.worst.one_layer import Layer
from theorytools.trained.worst.prompts import Indices, Prompts

BATCH = 96  # cases that are bounded together


def least_deviations(network: Network, prompts: Prompts) -> dict[str, float]:
    r"""Return for each norm, by the field that it writes, a lower bound of :math:`\sigma` over all prompts.

    Parameters
    ----------
    network : one attention, blocks before it that act on each position by itself, activations and norms behind it.
    prompts : tokens of signs, any indices; for tokens in a box or a ball nothing is returned.

    Raises
    ------
    DomainError : a network of another form.
    """
    norms = [block for block in network.blocks if isinstance(block, Norm)]
    if not norms or prompts.tokens != "signs":
        return {}
    layer = Layer.of(network, prompts, np.zeros(prompts.d))
    found = _behind(layer)
    for block in norms:
        if block.out in layer.keys.fields:
            v = affine(block.of, layer.keys.fields, prompts.N * len(layer.tokens))
            square = mean_square(centred(v) if block.centred else v)
            found[block.out] = float(_root(square.low).min())
    return {block.out: found[block.out] for block in norms}


def _root(square: Array) -> Array:
    """Lower bounds of roots of what is known from below."""
    return np.asarray(np.sqrt(np.maximum(square, 0.0)) * (1 - 4 * UNIT))


def _behind(layer: Layer) -> dict[str, float]:
    """The norms behind the attention, for every query; those that see no key have no average to speak of."""
    seen = np.ones(layer.prompts.N, dtype=bool) if layer.keys.mask is None else layer.keys.mask.any(1)
    queries: Indices = np.arange(layer.prompts.N * layer.keys.S)[np.repeat(seen, layer.keys.S)]
    steps = [step for step in layer.steps if isinstance(step, Normed)]
    found = dict.fromkeys((step.out for step in steps), np.inf if len(queries) else 0.0)
    for k in range(0, len(queries) if steps else 0, BATCH):
        cases = layer.cases(queries[k : k + BATCH])
        for c in range(0, len(cases), BATCH):
            behind = Behind(layer.keys, cases[slice(c, c + BATCH)], layer.averages, layer.steps)
            for step, bound in zip(layer.steps, behind.bounds, strict=True):
                if isinstance(step, Normed) and isinstance(bound, Scale):
                    # bound.most >= 1 / sqrt(sigma^2 + eps)
                    square = (1 / bound.most) ** 2 * (1 - 8 * UNIT) - step.eps * (1 + 4 * UNIT)
                    found[step.out] = min(found[step.out], float(_root(square).min()))
    return found
