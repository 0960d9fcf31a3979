"""What a cell costs, by closed form: the multiplications of a prompt, and about the bytes of its arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from theorytools.arguments.checked import checked

if TYPE_CHECKING:
    pass
from theorytools.papers.qstr.training.experiment import Experiment


@checked
def multiplications(experiment: Experiment) -> int:
    r"""Return the multiplications of one prompt's forward pass; a training step takes three times as many.

    With :math:`D=D_e`, width :math:`w` and :math:`H` heads:

    * ``transformer``: :math:`N(4HD^2+2HND+wD+w)`; ``merged``: :math:`N(HD^2+2HND+wHD+w)`;
    * ``ffn``: :math:`ND\cdot Ndq+Ndq\cdot w+wN`;
    * recurrent, :math:`g=3,4,1` gates for GRU, LSTM, ReLU: :math:`2N\,gw(D+w)+2Nw`.
    """
    e, N, D, w, H = experiment, experiment.N, experiment.D_e, experiment.width, experiment.heads
    if e.architecture == "transformer":
        return N * (4 * H * D**2 + 2 * H * N * D + w * D + w)
    if e.architecture == "merged":
        return N * (H * D**2 + 2 * H * N * D + w * H * D + w)
    if e.architecture == "ffn":
        first = N * e.d * e.q
        return N * D * first + first * w + w * N
    gates = {"gru": 3, "lstm": 4, "rnn": 1}[e.architecture]
    return 2 * N * gates * w * (D + w) + 2 * N * w


ROOM = 2**33  # bytes that the temporaries of one evaluation may take on an accelerator


SHORT = 2**15  # lengths whose indices an accelerator is sent in 16 bits


TOKENS, BLOCK = 6000, {"ffn": 500, "gru": 250, "lstm": 250, "rnn": 250}  # that a CPU evaluates together


LARGE = 10**6  # weights of a member from which on the CPU evaluates one member at a time


GATES, STATES = {"gru": 3, "lstm": 4, "rnn": 1}, {"gru": 5, "lstm": 7, "rnn": 2}  # widths kept of a position


PASSING = {"gru": 8, "lstm": 8, "rnn": 3}  # widths of an evaluation, which passes from one position to the next


def kept(one: Experiment) -> int:
    r"""Return about the numbers that one prompt keeps for the way back.

    With :math:`D=D_e+1`: :math:`N(D+4HD+2HN+w)` for attention, :math:`2(Ndq+w)+N` and the inputs for the feedforward
    network; for a recurrent one, in both directions, its tokens and :math:`s` states and gates of width :math:`w` for
    each position, :math:`s=5,7,2` for GRU, LSTM and ReLU.
    """
    N, D, w, H = one.N, one.D_e + 1, one.width, one.heads
    if one.architecture in STATES:
        return 2 * (STATES[one.architecture] * N + 2) * w + 3 * N * D
    if one.architecture == "ffn":
        return 2 * (N * one.d * one.q + w) + N * (1 + one.D_e - one.d_e)
    return N * (D + 4 * D * H + 2 * H * N + w)


def evaluated(one: Experiment) -> int:
    """Return about the numbers that one prompt needs while an accelerator evaluates it: all directions at once."""
    N, D, w, H = one.N, one.D_e + 1, one.width, one.heads
    if one.architecture in STATES:  # one position after the other; tokens, reversed, both, and both of the last time
        return 6 * N * D + 2 * PASSING[one.architecture] * w
    if one.architecture == "ffn":
        return N * one.d * one.q + w + N * (1 + one.D_e - one.d_e)
    return N * (D + 2 * D * H + H * N + w)


def together(one: Experiment, members: int, numbers: int) -> int:
    """Return how many test prompts of each member an accelerator evaluates at once, at ``numbers`` a prompt."""
    size = 8 if one.dtype == "float64" else 4
    return max(1, min(one.test_size, ROOM // (members * numbers * size)))


def cell_bytes(experiments: Sequence[Experiment], device: str = "cpu") -> int:
    r"""Return about the bytes of the arrays of a cell whose repeats train together, at its largest.

    While the test sets are stacked they are there twice, beside weights and gradients.  Later there are the test sets,
    two periods of prompts, four copies of the weights, what a batch keeps (:func:`kept`) and an evaluation takes.
    """
    one, M = experiments[0], len(experiments)
    size = 8 if one.dtype == "float64" else 4
    prompt = one.N * ((one.d + 1) * size + 8 * one.q)
    inputs = one.D_e - (one.d_e if one.architecture == "ffn" else 0)
    weights = size * _parameters(one.architecture, one.N, inputs, one.d * one.q, one.heads, one.width)
    fixed = one.N * one.d_e * one.N * one.d * one.q * size if one.architecture == "ffn" else 0  # the folded columns
    # as drawn: one tuple for all positions, or of several indices the whole order that they are the beginning of
    rows = [1 if simple else one.N for simple in (one.task == "simple", one.simple_tests)]
    drawn = [prompt - 8 * one.q * one.N + 8 * row * (one.N if one.q > 1 else 1) for row in rows]
    tests = one.test_size * (prompt + 16)
    sent = prompt - 6 * one.q * one.N * (one.N <= SHORT)  # two bytes an index
    periods = one.batch * one.check_every * (prompt + drawn[0] if device == "cpu" else 2 * sent)
    later = M * (tests + periods + 4 * weights + fixed)
    if device != "cpu":
        return later + 2 * M * weights * (one.architecture in STATES) + size * _on_accelerator(one, M)
    first = M * (tests + one.test_size * (drawn[1] + 16 * one.N) + 2 * weights + fixed)
    return max(first, later + size * _on_cpu(one, M, weights // size))


def _on_accelerator(one: Experiment, members: int) -> int:
    """Return about the numbers of steps and evaluations beside weights and prompts, some of one member apart."""
    block, D = together(one, members, evaluated(one)), one.D_e + 1
    own = members * (one.batch * kept(one) + block * evaluated(one))
    if one.architecture in STATES:
        return own + block * (2 * one.N * D + 2 * (PASSING[one.architecture] - 1) * one.width)
    if one.architecture == "ffn":
        return own + block * one.N * (D - 1 - one.d_e)
    shared = one.N * (2 * D * one.heads + one.width)  # arrays that grow with the first evaluation, one after the other
    return own + block * one.N * D - members * min(one.batch, block) * shared


def _on_cpu(one: Experiment, members: int, weights: int) -> int:
    """Return the same, on a CPU."""
    N, D, named = one.N, one.D_e + 1, one.q * one.d_e
    block = min(BLOCK.get(one.architecture, max(1, TOKENS // N)), one.test_size)
    if one.architecture in STATES:  # members and directions take turns; the transposed maps are kept
        passing = 3 * N * D + (STATES[one.architecture] + 3) * one.width
        return one.batch * kept(one) + members * 2 * GATES[one.architecture] * one.width**2 + block * passing
    at_once = 1 if weights > LARGE else members
    if one.architecture == "ffn":  # the hidden layers have one array each
        shared = min(members * one.batch, at_once * block) * (N * one.d * one.q + one.width)
        return members * one.batch * kept(one) + at_once * block * (evaluated(one) + N * (named + 2 * one.q)) - shared
    return members * one.batch * kept(one) + at_once * block * (evaluated(one) + N * (D + named))


def group_bytes(group: Sequence[Mapping[str, Any]], device: str = "cpu") -> int | None:
    """Return about the bytes of a group, or None if its trials train no stacked network.

    A trial of another kind that names an architecture is estimated as the experiment in it, with its fixed set of
    ``samples`` or ``n`` prompts beside the batch.
    """
    if "architecture" not in group[0]:
        return None
    cell = [Experiment.within(spec) for spec in group]
    one, more = cell[0], max(int(spec.get("samples", spec.get("n", 0))) for spec in group)
    return cell_bytes(cell, device) + len(cell) * more * one.N * (4 * (one.d + 1) + 8 * one.q)


@cache
def _parameters(architecture: str, N: int, D_e: int, payload: int, heads: int, width: int) -> int:
    if architecture == "transformer":
        return 4 * heads * D_e**2 + (D_e + 2) * width
    if architecture == "merged":
        return heads * D_e**2 + (heads * D_e + 2) * width
    if architecture == "ffn":
        return N * D_e * N * payload + N * payload * width + width * N
    return 2 * GATES[architecture] * width * (D_e + width + 2) + 2 * width
