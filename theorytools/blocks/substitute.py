r"""The same network on other fields: what it read becomes affine maps of what it reads now.

With :math:`r_f=\sum_gM_{fg}r'_g+m_f` a map :math:`\sum_fA_fr_f+b` has the parts :math:`\sum_fA_fM_{fg}` and the
shift :math:`b+\sum_fA_fm_f`, and a score :math:`r_{i,a}^\top G_{ab}\,r_{j,b}` becomes
:math:`\sum_{g,k}r_{i,g}'^\top M_{ag}^\top G_{ab}M_{bk}\,r'_{j,k}`, with :math:`m_a`, :math:`m_b` as the maps of the
constant one.  Products of weights are enclosed.  So a network on encoded tokens, columns of codes, becomes one on
tokens and words, and a table of codes times a matrix becomes a column for each position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from theorytools.blocks.network import (
    ONE,
    PLACE,
    Activation,
    Attention,
    Block,
    Field,
    Flatten,
    Head,
    Map,
    Network,
    Norm,
    Product,
    Recur,
)
from theorytools.errors import DomainError
from theorytools.numbers.boxes import Box, exact, times


def substituted(net: Network, fields: Sequence[Field], maps: Mapping[str, Map]) -> Network:
    """Return the same network on other fields.

    Parameters
    ----------
    net : the network.
    fields : what a prompt holds now; :data:`~theorytools.blocks.network.PLACE` is there without being given.
    maps : for each field of ``net`` that is none of the new ones, what it is of the new ones and ``PLACE``.

    Raises
    ------
    DomainError : a field without a map, a map of another width or of other fields, or a name that a block writes.
    """
    widths = {field.name: field.width for field in fields} | {PLACE: net.N}
    for old in net.fields:
        if old.name not in maps and widths.get(old.name) != old.width:
            raise DomainError(
                f"the field {old.name!r} of width {old.width} without a map",
                required="a map of the new fields, or a new field of that name and width",
                why="the network reads it",
            )
        if old.name in maps:
            _fitting(old, maps[old.name], widths)
    taken = [block.out for block in net.blocks if block.out in widths]
    if taken:
        raise DomainError(
            f"the field {taken[0]!r}", required="a name that no block writes", why="a block would overwrite it",
        )  # fmt: skip
    used = {old.name: maps[old.name] for old in net.fields if old.name in maps}
    blocks = tuple(_block(block, used) for block in net.blocks)
    return replace(net, fields=tuple(fields), blocks=blocks, output=through(net.output, used))


def _fitting(old: Field, of: Map, widths: Mapping[str, int]) -> None:
    wrong = [name for name, part in of.parts.items() if part.shape != (old.width, widths.get(name))]
    if of.width != old.width or wrong:
        raise DomainError(
            f"a map of width {of.width} of the fields {', '.join(map(repr, of.parts))} for {old.name!r}",
            required=f"width {old.width}, and the new fields' own widths: {dict(widths)}",
            why=f"it is what stands in the place of {old.name!r}",
        )


def through(of: Map, maps: Mapping[str, Map]) -> Map:
    """Return an affine map with maps put in the place of fields; fields without a map stay."""
    parts: dict[str, Box] = {}
    shift = of.shift
    for name, part in of.parts.items():
        if name not in maps:
            _add(parts, name, part)
            continue
        for new, inner in maps[name].parts.items():
            _add(parts, new, times(part, inner))
        if _some(maps[name].shift):
            shift = shift + times(part, maps[name].shift.reshape(-1, 1)).reshape(-1)
    return Map(parts, shift)


def _add(parts: dict[str, Box], name: str, part: Box) -> None:
    parts[name] = parts[name] + part if name in parts else part


def _block(block: Block, maps: Mapping[str, Map]) -> Block:
    if isinstance(block, Attention):
        return replace(block, heads=tuple(_head(head, maps) for head in block.heads))
    if isinstance(block, Product):
        return replace(block, left=through(block.left, maps), right=through(block.right, maps))
    assert isinstance(block, Activation | Norm | Flatten | Recur)
    return replace(block, of=through(block.of, maps))


def _head(head: Head, maps: Mapping[str, Map]) -> Head:
    scores: dict[tuple[str, str], Box] = {}
    for (a, b), G in head.scores.items():
        for new_a, left in _terms(a, G.shape[0], maps):
            half = G if left is None else times(left.T, G)
            for new_b, right in _terms(b, G.shape[1], maps):
                found = half if right is None else times(half, right)
                key = new_a, new_b
                scores[key] = scores[key] + found if key in scores else found
    return Head(scores, through(head.value, maps))


def _terms(name: str, width: int, maps: Mapping[str, Map]) -> list[tuple[str, Box | None]]:
    """What stands in the place of a field, by the new names; None is the identity."""
    if name not in maps:
        return [(name, None)]
    found: list[tuple[str, Box | None]] = list(maps[name].parts.items())
    shift = maps[name].shift
    return [*found, (ONE, shift.reshape(width, 1))] if _some(shift) else found


def _some(of: Box) -> bool:
    """Whether it is anything but zero."""
    return bool(np.any(of.mid) or np.any(of.rad))


def encoded(d: int, codes: Box | np.ndarray, q: int, own: bool = True) -> Map:
    r"""Return encoded tokens :math:`Z=(x,\omega_i,\omega_{t_1},\dots,\omega_{t_q})` as a map of tokens and words.

    Parameters
    ----------
    d, q : the width of a token, and how many indices follow.
    codes : :math:`\omega_1,\dots,\omega_N` as rows, as the module sees them, in its own type.
    own : whether the position's own code stands between them.
    """
    table = (codes if isinstance(codes, Box) else exact(codes)).T
    k, N = table.shape
    names = [PLACE] * own + [f"slot{s}" for s in range(1, q + 1)]
    width = d + k * len(names)
    parts = {"x": exact(np.eye(width, d))}
    for at, name in enumerate(names):
        mid, rad = np.zeros((width, N)), np.zeros((width, N))
        rows = slice(d + at * k, d + (at + 1) * k)
        mid[rows], rad[rows] = table.mid, table.rad
        parts[name] = Box(mid, rad)
    return Map(parts, exact(np.zeros(width)))
