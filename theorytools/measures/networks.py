r"""Networks of one number: the linear pieces of what rectifiers compute on an interval."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from theorytools.errors import BudgetError, DomainError
from theorytools.measures.anchors import Anchors, Known
from theorytools.measures.inputs import fraction, items, matrix, same_length, vector

Layer = tuple[list[list[Fraction]], list[Fraction]]
Line = tuple[Fraction, Fraction]  # slope, value at 0
_PIECES = 200_000  # of one layer


def linear_pieces(layers: Any, low: Any, high: Any) -> int:
    r"""Return into how few intervals :math:`[a,b]` falls so that a network of rectifiers is affine on each.

    The network is :math:`A_L\circ\sigma\circ A_{L-1}\circ\dots\circ\sigma\circ A_1` with
    :math:`A_l(h)=W_lh+b_l` and :math:`\sigma(h)=\max(h,0)`, of one number, with one number as its value.

    Parameters
    ----------
    layers : pairs ``(W, b)`` of exact rows and an exact vector, the first layer first; the last has one row and no
        rectifier.
    low, high : the ends :math:`a<b` of the interval, exact.

    Returns
    -------
    int : 1 for an affine function; two neighbouring intervals with one slope are one piece.

    Raises
    ------
    DomainError : floats or balls, layers that do not fit together, or an interval without points inside.
    BudgetError : more than 200000 pieces on the way.

    Examples
    --------
    >>> linear_pieces([([[1], [1]], [0, -1]), ([[1, -2]], [0])], -1, 3)  # max(x, 0) - 2 max(x - 1, 0)
    3
    """
    return len(kinks(layers, low, high)) + 1


def kinks(layers: Any, low: Any, high: Any) -> list[Fraction]:
    r"""Return the places inside an interval where the slope of a network of rectifiers changes.

    Parameters
    ----------
    layers, low, high : as in :func:`linear_pieces`.

    Returns
    -------
    list : Fractions, increasing; one fewer than the linear pieces.

    Raises
    ------
    DomainError, BudgetError : as :func:`linear_pieces`.

    Examples
    --------
    >>> kinks([([[1], [1]], [0, -1]), ([[1, -2]], [0])], -1, 3)
    [Fraction(0, 1), Fraction(1, 1)]
    """
    made, a, b = _layers(layers), fraction("low", low), fraction("high", high)
    if not a < b:
        raise DomainError(f"an interval from {a} to {b}", required="low < high", why="it has no inside")
    pieces: list[tuple[Fraction, list[Line]]] = [(a, [(Fraction(1), Fraction(0))])]  # left end, what the layer is fed
    for k, (W, shifts) in enumerate(made):
        pieces = [
            (left, [_combined(row, lines, c) for row, c in zip(W, shifts, strict=True)]) for left, lines in pieces
        ]
        if k < len(made) - 1:
            pieces = _rectified(pieces, b)
    outputs = [(left, lines[0][0]) for left, lines in pieces]
    return [left for (_, slope), (left, after) in pairwise(outputs) if slope != after]


def _combined(row: Sequence[Fraction], lines: Sequence[Line], shift: Fraction) -> Line:
    slope = sum((w * line[0] for w, line in zip(row, lines, strict=True)), Fraction(0))
    return slope, sum((w * line[1] for w, line in zip(row, lines, strict=True)), shift)


def _rectified(pieces: Sequence[tuple[Fraction, list[Line]]], high: Fraction) -> list[tuple[Fraction, list[Line]]]:
    """Cut each piece where one of its lines meets 0, and set to 0 what is negative there."""
    found: list[tuple[Fraction, list[Line]]] = []
    for (left, lines), right in zip(pieces, [*(left for left, _ in pieces[1:]), high], strict=True):
        zeros = {-value / slope for slope, value in lines if slope and left < -value / slope < right}
        for start, end in pairwise([left, *sorted(zeros), right]):
            middle = (start + end) / 2  # no line changes its sign inside
            none = (Fraction(0), Fraction(0))
            found.append((start, [line if line[0] * middle + line[1] > 0 else none for line in lines]))
        if len(found) > _PIECES:
            raise BudgetError(
                f"more than {_PIECES} pieces of one layer", required="fewer", why="each is looked at",
                advice="fewer layers",
            )  # fmt: skip
    return found


def _layers(layers: Any) -> list[Layer]:
    """The layers in fractions, from one number to one number, each with the width that the next one takes."""
    made, width = list[Layer](), 1
    for k, layer in enumerate(items("layers", layers)):
        if not isinstance(layer, list | tuple) or len(layer) != 2:
            raise DomainError(f"layers[{k}] = {layer!r:.60}", required="pairs (W, b)", advice="W a list of rows")
        W, b = matrix(f"W of layers[{k}]", layer[0], fraction), vector(f"b of layers[{k}]", layer[1], fraction)
        same_length(W, b, f"rows of W and entries of b in layers[{k}]")
        if len(W[0]) != width:
            raise DomainError(f"rows of length {len(W[0])} in layers[{k}]", required=f"length {width}: what it is fed")
        made.append((W, b))
        width = len(W)
    if width != 1:
        raise DomainError(f"a network with {width} outputs", required="one output", why="its slope is one number")
    return made


_TENT = ([[1], [1]], [0, Fraction(-1, 2)]), ([[2, -4]], [0])  # 2 min(x, 1 - x) on [0, 1]

ANCHORS: Anchors = {
    "linear_pieces": [
        Known((_TENT, 0, 1), 2, "by hand: up and down"),
        Known((_TENT, -1, 1), 3, "by hand: level, up and down"),
        Known(([_TENT[0], ([[2, -4], [2, -4]], [0, Fraction(-1, 2)]), _TENT[1]], 0, 1), 4,
              "by hand: the tent of the tent, kinks at 1/4, 1/2 and 3/4"),
        Known(([([[1], [-1]], [0, 0]), ([[1, -1]], [0])], -2, 2), 1, "by hand: max(x, 0) - max(-x, 0) = x"),
        Known(([([[3]], [1])], 0, 1), 1, "by hand: a line"),
        Known(([([[2], [1], [-1]], [-2, -1, 1]), ([[1, 1, 1]], [0])], 0, 3), 2, "by hand: three units, all at 1"),
    ],
}  # fmt: skip
