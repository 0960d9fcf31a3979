"""What a network must be for its label error to be bounded behind one attention; else which block is in the way."""

from __future__ import annotations

from typing import Any

import numpy as np

from theorytools.blocks.network import ONE, Activation, Attention, Block, Map, Network, Norm, Product, Recur
from theorytools.errors import DomainError
from theorytools.numbers.boxes import Array, exact
from theorytools.trained.worst.curves import SMOOTH
from theorytools.trained.worst.prompts import Prompts
from theorytools.trained.worst.queries import fitting


def one_attention(network: Network) -> int:
    """Return the place of the one attention among the blocks.

    Raises
    ------
    DomainError : none or several, or a block that no lines bound.
    """
    found = [k for k, block in enumerate(network.blocks) if isinstance(block, Attention)]
    if len(found) != 1:
        raise DomainError(
            f"{len(found)} attentions" + (f" ({', '.join(network.blocks[k].out for k in found)})" if found else ""),
            required="one", why="behind a first one a position's state is no longer one of a finite list",
            advice="a network of one layer",
        )  # fmt: skip
    for block in network.blocks[: found[0]]:
        if not isinstance(block, Norm | Activation | Product):
            raise DomainError(
                f"the block {block.out!r}, {type(block).__name__}, before the attention",
                required="Norm, Activation or Product", why="states of one position are enumerated, each by itself",
                advice="a network without this block",
            )  # fmt: skip
    for block in network.blocks[found[0] :]:
        if isinstance(block, Norm | Attention) or (isinstance(block, Activation) and block.kind in (*SMOOTH, "relu")):
            continue
        kind = f"{type(block).__name__} {block.kind}" if isinstance(block, Activation) else type(block).__name__
        raise DomainError(
            f"the block {block.out!r}, {kind}", required=f"activations (relu, {', '.join(SMOOTH)}) and norms",
            why="of these, lines above and below are proved", advice="a network without this block",
        )  # fmt: skip
    return found[0]


def expected(network: Network, prompts: Prompts) -> None:
    """Refuse a network that does not read these prompts, or that does not return one number at a position.

    Raises
    ------
    DomainError : other fields, widths, sizes; weights that are not finite; a mask that hides all keys.
    """
    if network.output.width != 1 or not network.each:
        raise DomainError(
            f"an output of width {network.output.width}" + ("" if network.each else " for the whole prompt"),
            required="width 1 at each position, or at one", why="a label is one number",
            advice="the coordinate of the output that is meant",
        )  # fmt: skip
    if network.N != prompts.N or prompts.q < 1:
        raise DomainError(
            f"N = {network.N} for prompts of N = {prompts.N}, q = {prompts.q}", required="the same N, and q >= 1",
            why="labels are tokens at indexed positions",
        )  # fmt: skip
    wanted = {field.name: (field.width, field.word) for field in prompts.fields}
    for field in network.fields:
        if wanted.get(field.name) != (field.width, field.word):
            raise DomainError(
                f"the field {field.name!r} of width {field.width}",
                required=", ".join(f"{name} of width {width}" for name, (width, _) in wanted.items()),
                why="a prompt of this class holds these",
                advice="blocks.substitute.substituted writes a network on encoded tokens as one on these fields",
            )  # fmt: skip
    widths = prompts.widths | {ONE: 1}
    for block in network.blocks:
        _fits(block, widths, network)
        widths[block.out] = _width(block)
    _map(network.output, widths, "the output")


def first_of_all(network: Network, place: int) -> None:
    """Refuse blocks before an attention whose tokens are in a box or a ball.

    Raises
    ------
    DomainError : such a block.
    """
    if place:
        block = network.blocks[0]
        raise DomainError(
            f"the block {block.out!r}, {type(block).__name__}, before the attention, and tokens in a box or a ball",
            required="attention first", why="scores and values are then affine in a token",
            advice='tokens="signs", or a network without this block',
        )  # fmt: skip


def direction(u: Any, prompts: Prompts) -> Array:
    """Return the direction of the labels, shape ``(d,)``.

    Raises
    ------
    DomainError : something else.
    """
    try:
        given = np.asarray(u, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.full(1, np.nan)
    if given.shape != (prompts.d,) or not np.isfinite(given).all():
        raise DomainError(
            f"a direction u of shape {given.shape}", required=f"{prompts.d} finite numbers",
            why="labels are <u, x>, as wide as a token",
        )  # fmt: skip
    return given


def _fits(block: Block, widths: dict[str, int], network: Network) -> None:
    if isinstance(block, Attention):
        for h, head in enumerate(block.heads):
            _map(head.value, widths, f"the values of head {h} of {block.out!r}")
            for (a, b), G in head.scores.items():
                for name, part in ((a, G.T), (b, G)):
                    _map(Map({name: part}, exact(np.zeros(part.shape[0]))), widths, f"head {h} of {block.out!r}")
        _sees(block, network)
        return
    if isinstance(block, Product):
        for of in (block.left, block.right):
            _map(of, widths, f"the block {block.out!r}")
        return
    assert isinstance(block, Activation | Norm | Recur)
    _map(block.of, widths, f"the block {block.out!r}")
    if isinstance(block, Norm) and not (np.isfinite(block.eps) and block.eps > 0):
        raise DomainError(
            f"the norm {block.out!r} with eps = {block.eps}", required="eps > 0",
            why="without it the scale of a constant vector is unbounded",
        )  # fmt: skip


def _map(of: Map, widths: dict[str, int], what: str) -> None:
    fitting(of, widths, what)
    if not (np.isfinite(of.shift.mid).all() and np.isfinite(of.shift.rad).all()):
        raise DomainError(f"{what} with a shift that is not finite", required="finite weights", why="it is bounded")


def _sees(block: Attention, network: Network) -> None:
    N = network.N
    if block.mask is None:
        return
    mask = np.asarray(block.mask)
    if mask.shape != (N, N) or mask.dtype != np.bool_:
        raise DomainError(
            f"a mask of shape {mask.shape} and type {mask.dtype}", required=f"truth values of shape ({N}, {N})",
            why="queries by keys",
        )  # fmt: skip
    asked = range(N) if network.at is None else [network.at]
    for i in asked:
        if not mask[i].any():
            raise DomainError(
                f"a mask that shows position {i} no key", required="a key for each query", why="its softmax is 0/0"
            )


def _width(block: Block) -> int:
    if isinstance(block, Attention):
        return sum(head.value.width for head in block.heads)
    if isinstance(block, Recur):
        return int(block.weights["weight_hh"].shape[-1])
    assert isinstance(block, Activation | Norm | Product)
    return block.left.width if isinstance(block, Product) else block.of.width
