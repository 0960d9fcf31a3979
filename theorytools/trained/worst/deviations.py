r"""Lower bounds of what norms divide by, over all prompts of a class: :math:`\sigma` of :math:`v-\bar v`, or of ``v``.

Before the attention a position's state is one of a finite list, and :math:`\sigma` is enclosed at each.  Behind it
every query is held with its state and the tokens that it asks for, and coordinate by coordinate or, for any ``w``,

.. math:: \sigma\ge\frac{|\langle w,n\rangle|}{\sqrt k\|w\|},

of which the infimum over the states of all other positions is known (:mod:`.carried`).  The best ``w`` is the point
nearest to zero of what ``n`` may be; Gilbert's steps go there from the middle, each towards the prompt at which the
last projection is least.  Behind a norm and a hidden layer the same functionals are carried backward, with lines above
and below each function: a bound, which is zero where the lines leave room for it.

References
----------
Gilbert (1966), An iterative procedure for computing the minimum of a quadratic form on a convex set, SIAM J. Control 4.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from theorytools.blocks.network import Network, Norm
from theorytools.numbers.boxes import UNIT, Array, exact
from theorytools.trained.worst.carried import Behind, Normed, Scale, sum_above
from theorytools.trained.worst.enclosed import affine, centred, mean_square
from theorytools.trained.worst.held import Cases
from theorytools.trained.worst.one_layer import Layer
from theorytools.trained.worst.prompts import Indices

BATCH, STEPS = 96, 4  # cases that are bounded together; projections that are tried


def least_deviations(network: Network, layer: Layer) -> dict[str, float]:
    r"""Return for each norm, by the field that it writes, a lower bound of :math:`\sigma` over all prompts.

    Parameters
    ----------
    network : one attention, blocks before it that act on each position by itself, activations and norms behind it.
    layer : the same as the states of its prompts.
    """
    norms = [block for block in network.blocks if isinstance(block, Norm)]
    found = _behind(network, layer)
    for block in norms:
        if block.out in layer.keys.fields:
            v = affine(block.of, layer.keys.fields, layer.keys.N * layer.keys.S)
            square = mean_square(centred(v) if block.centred else v)
            found[block.out] = float(_root(square.low).min())
    return {block.out: found[block.out] for block in norms}


def _root(square: Array) -> Array:
    """Lower bounds of roots of what is known from below."""
    return np.asarray(np.sqrt(np.maximum(square, 0.0)) * (1 - 4 * UNIT))


class Nearest(Behind):
    """The blocks behind one attention, with better projections of what is normed.

    Parameters
    ----------
    network, layer : the network, and the same as the states of its prompts.
    cases : what is held of its prompts.
    """

    def __init__(self, network: Network, layer: Layer, cases: Cases) -> None:
        self.network, self.layer = network, layer
        super().__init__(layer.keys, cases, layer.averages, layer.steps)

    def _scale(self, step: Normed, low: Array, high: Array, index: int) -> Scale:
        found = super()._scale(step, low, high, index)
        k, w, most = low.shape[1], (low + high) / 2, found.most
        for _ in range(STEPS):
            bounds, states = self.above(self.through(exact(w[:, None]), step.of).both(), index, mirrored=True)
            square = sum_above((exact(w) * exact(w)).high)
            least = np.maximum(-bounds[:, 1], 0.0) ** 2 / np.where(square > 0, square, 1.0) / k * (1 - 8 * UNIT)
            most = np.minimum(most, 1 / np.sqrt(least + step.eps) * (1 + 8 * UNIT))
            if states is None:
                break
            n = self._at(step, states[0, :, 1])
            apart = w - n
            far = (apart**2).sum(1)
            share = np.clip((w * apart).sum(1) / np.where(far > 0, far, 1.0), 0.0, 1.0)
            w = w - share[:, None] * apart
        return replace(found, most=most)

    def _at(self, step: Normed, states: Indices) -> Array:
        """What is normed at the query, for one prompt of each case, in doubles."""
        place = next(k for k, block in enumerate(self.network.blocks) if block.out == step.out)
        block = self.network.blocks[place]
        assert isinstance(block, Norm)
        net = replace(self.network, blocks=self.network.blocks[:place], output=block.of, at=None)
        v = net(**self.layer.prompts.inputs(self.layer.tokens[states], self.layer.tuples[states]))
        n = v[np.arange(len(v)), self.cases.query // self.layer.keys.S]
        return np.asarray(n - n.mean(-1, keepdims=True)) if block.centred else np.asarray(n)


def _behind(network: Network, layer: Layer) -> dict[str, float]:
    """The norms behind the attention, for every query; those that see no key have no average to speak of."""
    seen = np.ones(layer.keys.N, dtype=bool) if layer.keys.mask is None else layer.keys.mask.any(1)
    queries: Indices = np.arange(layer.keys.N * layer.keys.S)[np.repeat(seen, layer.keys.S)]
    steps = [step for step in layer.steps if isinstance(step, Normed)]
    found = dict.fromkeys((step.out for step in steps), np.inf if len(queries) else 0.0)
    for k in range(0, len(queries) if steps else 0, BATCH):
        cases = layer.cases(queries[k : k + BATCH])
        for c in range(0, len(cases), BATCH):
            behind = Nearest(network, layer, cases[slice(c, c + BATCH)])
            for step, bound in zip(layer.steps, behind.bounds, strict=True):
                if isinstance(step, Normed) and isinstance(bound, Scale):
                    # bound.most >= 1 / sqrt(sigma^2 + eps)
                    square = (1 / bound.most) ** 2 * (1 - 8 * UNIT) - step.eps * (1 + 4 * UNIT)
                    found[step.out] = min(found[step.out], float(_root(square).min()))
    return found
