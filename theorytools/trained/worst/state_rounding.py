r"""How far a recurrent layer's own floats are from its states, over all prompts of a class that are few enough to list.

An error of a state is carried on by slopes of that state, most of them small where gates are shut; a bound from the
largest slopes of all states grows by the norm of the weights with each token.  So each list of tokens and indices is
followed by itself, in intervals that hold its real state and the module's
(:class:`~theorytools.trained.recurrent.Boxes` with ``own``); where the lists are too many, nothing is said.
"""

from __future__ import annotations

import numpy as np

from theorytools.blocks.network import PLACE, Network, Recur
from theorytools.errors import DomainError
from theorytools.numbers.boxes import Array, Box
from theorytools.trained.checkpoint import TYPES
from theorytools.trained.traced.program import RECURRENT, Program, Ref
from theorytools.trained.worst.listed_states import Choices, prefixes
from theorytools.trained.worst.prompts import Prompts
from theorytools.trained.worst.recurrences import Pass, Passes

LISTED = 2**23  # numbers of states that are kept of one position
WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def states_off(program: Program, network: Network, prompts: Prompts) -> dict[str, Array]:
    """Return bounds of how far states are off, by the node of the recurrent layer, where something is known.

    Parameters
    ----------
    program : the operators of the module.
    network : the same as blocks, on tokens and indices.
    prompts : the class; nothing is known unless its tokens are signs.

    Returns
    -------
    dict : ``(N, width)``, for an LSTM ``(N, 2 width)`` with its memory, infinite behind positions that are not
        listed.  They hold where the module gives the layer the numbers that the blocks define, not rounded.
    """
    own = {field.name for field in network.fields} | {PLACE}
    found = {}
    for block in network.blocks:
        if isinstance(block, Recur) and prompts.tokens == "signs" and set(block.of.parts) <= own:
            for name, dtype in _nodes(program, block):
                found[name] = _off(network, block, prompts, dtype)
    return found


def _nodes(program: Program, block: Recur) -> list[tuple[str, str]]:
    """The nodes that are this layer, and their types."""
    found = []
    for node in program.nodes:
        if node.operator != RECURRENT or node.given[5:7] != (block.kind, block.reverse) or node.dtype not in TYPES:
            continue
        given = [program.constants.get(part.name) if isinstance(part, Ref) else None for part in node.given[1:5]]
        if all(
            held is not None and np.array_equal(held.values, block.weights[name])
            for held, name in zip(given, WEIGHTS, strict=True)
        ):
            found.append((node.name, node.dtype))
    return found


def _off(network: Network, block: Recur, prompts: Prompts, dtype: str) -> Array:
    places = np.arange(prompts.N)[:: -1 if block.reverse else 1]
    one = Pass((block,), dtype)
    off = np.full((prompts.N, one.size), np.inf)
    tokens, tuples = prompts.states()
    alone = Network(network.N, network.fields, (block,), network.output)
    tables = {block.out: Passes.of(alone, prompts).tables[block.out]}
    zeros = np.zeros(len(tokens))
    choices = Choices.of(tokens, tuples, Box(zeros, zeros), tables)
    try:
        for state, filled in prefixes(one, places, choices, LISTED):
            if filled.shape[1]:
                # both the real state and the module's lie in the interval
                off[places[filled.shape[1] - 1]] = np.nextafter(2 * state.rad.max(0), np.inf)
    except DomainError:
        pass  # beyond doubles, from some position on
    return np.where(np.isnan(off), np.inf, off)
