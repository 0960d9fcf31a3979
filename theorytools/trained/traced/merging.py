"""Heads that a program computes one after the other, as the heads of one attention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from theorytools.blocks.network import Attention, Block, Head, Map, Product
from theorytools.numbers.boxes import Box


def merged(blocks: tuple[Block, ...], output: Map) -> tuple[tuple[Block, ...], Map]:
    """Attentions under one mask that read what stood before the first of them, as one attention."""
    kept: list[Block] = []
    written = {block.out: k for k, block in enumerate(blocks)}
    moved: dict[str, tuple[str, int]] = {}
    widths: dict[str, int] = {}
    for block in blocks:
        if not isinstance(block, Attention):
            kept.append(block)
            continue
        last = max((written[name] for name in _fields_of(block) if name in written), default=-1)
        k = next((k for k, one in enumerate(kept) if written[one.out] > last and _same_mask(one, block)), None)
        if k is None:
            k = len(kept)
            kept.append(Attention(block.out, (), block.mask))
        first = kept[k]
        assert isinstance(first, Attention)
        moved[block.out] = (first.out, widths.get(first.out, 0))
        widths[first.out] = widths.get(first.out, 0) + sum(head.value.width for head in block.heads)
        kept[k] = replace(first, heads=first.heads + block.heads)
    move = _Moved(moved, widths)
    return needed([move.block(block) for block in kept], move.map(output))


def needed(blocks: list[Block], output: Map) -> tuple[tuple[Block, ...], Map]:
    """Return the blocks that the output reads, by way of others too: not the squares of a norm written by hand."""
    read, kept = set(output.parts), []
    for block in reversed(blocks):
        if block.out in read:
            kept.append(block)
            read |= _read(block)
    return tuple(reversed(kept)), output


def _read(block: Block) -> set[str]:
    if isinstance(block, Attention):
        return _fields_of(block)
    return {*block.left.parts, *block.right.parts} if isinstance(block, Product) else set(block.of.parts)


def _same_mask(one: Block, other: Attention) -> bool:
    if not isinstance(one, Attention) or (one.mask is None) != (other.mask is None):
        return False
    return one.mask is None or bool((one.mask == other.mask).all())


def _fields_of(block: Attention) -> set[str]:
    return {name for head in block.heads for name in (*head.value.parts, *(a for pair in head.scores for a in pair))}


@dataclass(frozen=True)
class _Moved:
    """Fields that became columns of another: where they went, and how wide that one is."""

    to: Mapping[str, tuple[str, int]]
    widths: Mapping[str, int]

    def map(self, of: Map) -> Map:
        """Return a map that reads the new fields."""
        found: dict[str, Box] = {}
        for name, part in of.parts.items():
            self._put(found, name, part)
        return Map(found, of.shift)

    def _put(self, found: dict[str, Box], name: str, part: Box) -> None:
        into, begin = self.to.get(name, (name, 0))
        width = self.widths.get(into, part.shape[1])
        if part.shape[1] == width:
            found[into] = part
            return
        empty = Box(np.zeros((part.shape[0], width)), np.zeros((part.shape[0], width)))
        whole = found.setdefault(into, empty)
        columns = slice(begin, begin + part.shape[1])
        whole.mid[:, columns], whole.rad[:, columns] = part.mid, part.rad

    def head(self, head: Head) -> Head:
        """Return a head that reads the new fields: columns of keys, then of queries."""
        keys: dict[str, dict[str, Box]] = {}
        for (a, b), G in head.scores.items():
            self._put(keys.setdefault(a, {}), b, G)
        found: dict[str, dict[str, Box]] = {}
        for a, row in keys.items():
            for b, G in row.items():
                self._put(found.setdefault(b, {}), a, G.T)
        scores = {(a, b): G.T for b, row in found.items() for a, G in row.items()}
        return Head(scores, self.map(head.value))

    def block(self, block: Block) -> Block:
        """Return a block that reads the new fields."""
        if isinstance(block, Attention):
            return replace(block, heads=tuple(self.head(head) for head in block.heads))
        if isinstance(block, Product):
            return replace(block, left=self.map(block.left), right=self.map(block.right))
        return replace(block, of=self.map(block.of))
