"""What is said of a network, row by row: its fields, its blocks in their order, and what is returned.

A row is read from the object alone: which fields it reads and which one it writes, its sizes, and the matrices between
them.  A matrix that hands a field on as it is, is told by the field's name and not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from theorytools.blocks.network import (
    ONE,
    PLACE,
    Activation,
    Attention,
    Block,
    Flatten,
    Head,
    Map,
    Network,
    Norm,
    Product,
    Recur,
)
from theorytools.numbers.boxes import Array

HEADS = 8  # of a block that are told one by one
GATES = {"gru": "r, z, n", "lstm": "i, f, g, o"}


@dataclass(frozen=True, eq=False)
class Panel:
    """A matrix with its heading.

    Attributes
    ----------
    title, note : its heading, and its shape and range in words.
    matrix : the middles of its intervals.
    cut : after how many rows another part of it begins, such as another gate; 0 for a matrix of one part.
    """

    title: str
    note: str
    matrix: Array
    cut: int = 0


@dataclass(frozen=True, eq=False)
class Part:
    """A line of words and the matrices that belong to it."""

    words: str
    panels: tuple[Panel, ...] = ()


@dataclass(frozen=True, eq=False)
class Row:
    """A field, a block, or the output.

    Attributes
    ----------
    name, said : what it is, and what is said of it on the same line.
    reads, writes : names of fields; ``""`` where nothing is written.
    parts : what stands below.
    """

    name: str
    said: str
    reads: tuple[str, ...]
    writes: str
    parts: tuple[Part, ...] = ()


def rows(net: Network) -> list[Row]:
    """Return the rows of a network; its position's own number is a field where something reads it."""
    found = [Row(f.name, _words(f.width) if f.word else _numbers(f.width), (), f.name) for f in net.fields]
    blocks = [_row(block, net) for block in net.blocks]
    last = _output(net)
    if any(PLACE in row.reads for row in [*blocks, last]):
        found.append(Row(PLACE, f"the position's own number, {_words(net.N)}", (), PLACE))
    return [*found, *blocks, last]


def sentence(net: Network) -> str:
    """Return a network in one sentence, which is read aloud instead of its picture."""
    told = [". ".join([f"{row.name}: {row.said}", *(p.words for p in row.parts if p.words)]) for row in rows(net)]
    return f"A network on {net.N} positions. " + ". ".join(told)


def _numbers(width: int) -> str:
    return "1 number" if width == 1 else f"{width} numbers"


def _words(width: int) -> str:
    return f"one of {width} words"


# -- blocks ------------------------------------------------------------------------------------------------------------
def _row(block: Block, net: Network) -> Row:
    if isinstance(block, Attention):
        return _attention(block, net.N)
    if isinstance(block, Product):
        parts = _mapped("left", block.left), _mapped("right", block.right)
        reads = (*block.left.parts, *block.right.parts)
        return Row("product", _to(block.out, block.left.width), _once(reads), block.out, parts)
    if isinstance(block, Recur):
        return _recurrent(block)
    name, width = _named(block, net.N)
    return Row(name, _to(block.out, width), _once(block.of.parts), block.out, (_mapped("of", block.of),))


def _named(block: Activation | Norm | Flatten, N: int) -> tuple[str, int]:
    if isinstance(block, Activation):
        return block.kind, block.of.width
    if isinstance(block, Norm):
        return f"{'layer' if block.centred else 'root mean square'} norm, ε = {block.eps:g}", block.of.width
    return "one vector for the prompt", N * block.of.width


def _to(out: str, width: int) -> str:
    return f"→ {out}, {_numbers(width)}"


def _once(names: Mapping[str, object] | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name != ONE))


def _attention(block: Attention, N: int) -> Row:
    heads = block.heads
    count = f"attention, {len(heads)} heads" if len(heads) > 1 else "attention"
    told = [_head(head, f"head {k}: " if len(heads) > 1 else "") for k, head in enumerate(heads[:HEADS], 1)]
    if len(heads) > HEADS:
        told.append(Part(f"and {len(heads) - HEADS} more heads"))
    if block.mask is not None:
        told.append(_mask(block.mask.astype(float), N))
    names = [name for head in heads for pair in head.scores for name in pair]
    reads = _once((*names, *(name for head in heads for name in head.value.parts)))
    return Row(count, _to(block.out, sum(head.value.width for head in heads)), reads, block.out, tuple(told))


def _head(head: Head, which: str) -> Part:
    compared = " + ".join(f"{a or '1'} · {b or '1'}" for a, b in head.scores) or "all alike"
    shown = [Panel(f"{a or '1'} · {b or '1'}", _note(G.mid, True), G.mid) for (a, b), G in head.scores.items()]
    plain = len(head.value.parts) == 1 and not list(_matrices(head.value))
    value = f"copies {formula(head.value)}" if plain else f"averages {formula(head.value)}"
    return Part(f"{which}compares {compared}, {value}", (*shown, *_matrices(head.value)))


def _mask(mask: Array, N: int) -> Part:
    if np.array_equal(mask, np.tril(np.ones((N, N)))):
        return Part("causal: a position sees itself and those before it")
    return Part("masked", (Panel("which keys a query sees", f"{N} × {N}", mask),))


def _recurrent(block: Recur) -> Row:
    k = block.weights["weight_hh"].shape[1]
    gates = f"gates {GATES[block.kind]}, " if block.kind in GATES else ""
    said = f"{gates}from the {'last' if block.reverse else 'first'} position on, reads {formula(block.of)}"
    shown = [
        Panel(name, _note(weight := _columned(block.weights[name])), weight, k if block.kind in GATES else 0)
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    ]
    name = block.kind if block.kind in GATES else f"recurrent {block.kind}"
    part = Part(said, (*_matrices(block.of), *shown))
    return Row(name, _to(block.out, k), _once(block.of.parts), block.out, (part,))


def _output(net: Network) -> Row:
    where = "once" if not net.each else "at every position" if net.at is None else f"at position {net.at}"
    shape = " × ".join(map(str, net.shape or (net.output.width,)))
    shape = _numbers(1) if shape == "1" else f"{shape} numbers"
    panels = tuple(_matrices(net.output))
    said = f"{formula(net.output)} {where}, {shape}" + (" for a prompt" if net.shape else "")
    return Row("returned", said, _once(net.output.parts), "", (Part("", panels),) if panels else ())


# -- maps --------------------------------------------------------------------------------------------------------------
def formula(of: Map) -> str:
    """Return an affine map as a sum of its fields: a field as it is by its name, with a matrix as ``M·name``."""
    terms = [name if _is_identity(part.mid) else f"M·{name}" for name, part in of.parts.items()]
    return " + ".join([*terms, *(["shift"] if np.any(of.shift.mid) or not terms else [])])


def _mapped(word: str, of: Map) -> Part:
    return Part(f"{word} {formula(of)}", tuple(_matrices(of)))


def _matrices(of: Map) -> Iterator[Panel]:
    for name, part in of.parts.items():
        if not _is_identity(part.mid):
            yield Panel(f"M of {name}", _note(part.mid), part.mid)
    if np.any(of.shift.mid):
        shift = _columned(of.shift.mid)
        yield Panel("shift", _note(shift), shift)


def _columned(v: Array) -> Array:
    return v.reshape(len(v), -1)


def _is_identity(A: Array) -> bool:
    return A.shape[0] == A.shape[1] and np.count_nonzero(A) == len(A) and bool((A.diagonal() == 1).all())


def _note(A: Array, table: bool = False) -> str:
    """Shape and range; of a square table with one score for equal words, above all others, these scores.

    What is below a part in 10^12 of the largest is rounding where weights were multiplied, and told as zero.
    """
    shape = " × ".join(map(str, A.shape))
    if not A.size:
        return shape
    A = np.where(np.abs(A) > 1e-12 * np.abs(A).max(), A, 0.0)
    low, high = float(A.min()), float(A.max())
    if table and len(A) == A.shape[1] > 1 and (A.diagonal() == high).all():
        other = float(A[~np.eye(len(A), dtype=bool)].max())
        if other < high:
            return f"{shape}: {_short(high)} for equal words, else at most {_short(other)}"
    return f"{shape}: {_short(low)}" + (f" to {_short(high)}" if high > low else "")


def _short(value: float) -> str:
    return f"{value + 0.0:.3g}".replace("-", "−")
