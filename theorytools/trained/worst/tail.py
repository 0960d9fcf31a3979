r"""The largest label error over all prompts of one attention layer with position-wise blocks around it.

.. math:: \sup_{X,T,i}\Bigl|f_i(X,T)-\frac1{\sqrt q}\sum_{s=1}^q\langle u,x_{t_{is}}\rangle\Bigr|,

tokens of a class, indices any, for a network of blocks before one attention, the attention, and behind it
activations (ReLU, GELU, …), norms and residual connexions, read by a linear map: transformer encoder layers, post-norm
and pre-norm, and attention with a hidden layer.

*Signs.*  Every query's state (position, token, indices) is held, with it the tokens at the positions that it asks for;
the label is then a number.  The output is bounded by functionals that are carried backward to the attention
(:mod:`.carried`), whose suprema over the states of all other positions are exact (:mod:`.held`).  Where the bound is
above the largest error found, cases are cut (:mod:`.cut_cases`).

*Boxes and balls.*  Vertices do not decide a box behind a function that bends.  The asked tokens are held in cells,
which are cut where the bound is largest (:mod:`.cut_cells`); what other keys do is bounded by their weights
(:mod:`.rivals`).

Behind one head with nothing that bends the supremum is exact (:mod:`.supremum`), and boxes and balls are bounded there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from theorytools.blocks.network import Attention, Network
from theorytools.numbers.boxes import Array
from theorytools.trained.worst.all_cases import bounded_at_once, bounds
from theorytools.trained.worst.around import Spacious
from theorytools.trained.worst.cut_cases import Rounds
from theorytools.trained.worst.cut_cells import Cutting
from theorytools.trained.worst.expected import direction, expected, one_attention
from theorytools.trained.worst.one_layer import Layer
from theorytools.trained.worst.prompts import Indices, Prompts
from theorytools.trained.worst.supremum import largest_label_error
from theorytools.trained.worst.worst_prompt import Errors, drawn

LISTED = 2**21  # numbers of one field at all states of all positions, beyond which no case is bounded by itself


@dataclass(frozen=True, eq=False)
class TailBound:
    """A proved bound of the label error over all prompts, and a prompt.

    Attributes
    ----------
    upper : the bound.
    X, T, at, value : the worst prompt found, tokens ``(N, d)`` and indices ``(N, q)``, the position that is asked, and
        the label error there in doubles.
    exact : whether the bound is attained up to rounding; behind functions that bend it is not claimed.
    """

    upper: float
    X: Array
    T: Indices
    at: int
    value: float
    exact: bool = False


def tail_error(
    network: Network, prompts: Prompts, u: Any, *, progress: Callable[[int, int], None] | None = None
) -> TailBound:
    r"""Return a proved bound of the label error over all prompts, and the worst prompt found.

    Parameters
    ----------
    network : with fields among ``x``, ``slot1`` … ``slotq`` (and the place), one attention, and an output of width 1.
    prompts : tokens of signs, or in a box or a ball, where the attention comes first; any indices.
    u : the direction of the labels, ``(d,)``.
    progress : called with what is done and the total, in cases.

    Raises
    ------
    DomainError : a network, a class of prompts or a direction of another form; the block is named.
    BudgetError : queries that are too many to be held one by one.
    """
    place, u = one_attention(network), direction(u, prompts)
    expected(network, prompts)
    linear = place == len(network.blocks) - 1
    attention = network.blocks[place]
    assert isinstance(attention, Attention)
    # with nothing that bends behind one head the supremum itself is known; so are bounds for boxes and balls
    if linear and (prompts.tokens != "signs" or len(attention.heads) == 1):
        found = largest_label_error(network, prompts, u, progress=progress)
        return TailBound(found.upper, found.X, found.T, found.at, found.value, found.exact)
    if prompts.tokens != "signs":
        upper, worst = Cutting(Spacious.of(network, prompts, u, place), progress).run()
        return TailBound(upper, worst.X, worst.T, worst.at, worst.value)
    at_once = bounds(network, prompts, u, progress) if bounded_at_once(network, prompts) else None
    if at_once is not None and prompts.N**2 * len(prompts.vertices) * prompts.N > LISTED:
        worst = Errors(network, prompts, u).searched(*drawn(prompts, 1))
        return TailBound(max(at_once.rest, float(at_once.upper[0])), worst.X, worst.T, worst.at, worst.value)
    rounds = Rounds(Layer.of(network, prompts, u), progress, at_once)
    upper, worst = rounds.run(), rounds.worst
    return TailBound(upper, worst.X, worst.T, worst.at, worst.value)
