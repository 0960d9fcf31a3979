"""What one party of the margin protocol knows of a head, exactly or at the ambient precision, and its cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from theorytools.errors import DomainError, UndecidedError
from theorytools.numbers import Enclosure, at_precision, total

_BITS = 4096


@dataclass(frozen=True)
class Share:
    """What one party knows of one head, as callables at the ambient precision.

    Attributes
    ----------
    mean : the means of its values, one for each coordinate.
    excess : the logarithm of its normaliser over its number of positions, in ``[-S, S]``.
    count : its number of positions.
    """

    mean: tuple[Callable[[], Enclosure], ...]
    excess: Callable[[], Enclosure]
    count: int

    def log(self) -> Enclosure:
        """Return the logarithm of the normaliser."""
        return Enclosure(self.count).log() + self.excess()

    def means(self) -> list[Enclosure]:
        """Return the means of all coordinates."""
        return [one() for one in self.mean]


def bounded(array: Any, what: str, shape: tuple[int, ...], bound: Fraction) -> Any:
    """Return numbers as Fractions, or refuse another shape, numbers beyond the bound, and what is no finite number."""
    given = np.asarray(array)
    if given.dtype.kind not in "iufO" or (given.dtype.kind == "f" and not np.isfinite(given).all()):
        raise DomainError(
            f"{what} of type {given.dtype}", required="finite real numbers", why="they are taken as exact"
        )
    exact = np.array([Fraction(x) for x in given.ravel().tolist()], dtype=object).reshape(given.shape)
    if exact.shape != shape or any(abs(x) > bound for x in exact.flat):
        given_text = f"{what} of shape {exact.shape} up to {max(map(abs, exact.flat), default=0)}"
        raise DomainError(given_text, required=f"shape {shape}, at most {bound}", why="the bounds enter the message")
    return exact


def share_of(logits: Any, values: Any) -> Share:
    """One head's share of one party; exact where it is rational, so that every cell is decided.

    Exponentials of different rationals are linearly independent over the rationals (Lindemann, Weierstrass).  So a
    mean is rational only if the values at each logit have one mean, the logarithm only if all logits are equal.
    """
    weights = {logit: int((logits == logit).sum()) for logit in set(logits)}

    def normaliser() -> Enclosure:
        return total([Enclosure(logit).exp() * k for logit, k in weights.items()])

    def mean(c: int) -> Enclosure:
        sums = {logit: sum(values[logits == logit, c], Fraction(0)) for logit in weights}
        if len(means := {sums[logit] / k for logit, k in weights.items()}) == 1:
            return Enclosure(means.pop())
        return total([Enclosure(logit).exp() * sums[logit] for logit in weights]) / normaliser()

    def excess() -> Enclosure:
        return Enclosure(logits[0]) if len(weights) == 1 else (normaliser() / len(logits)).log()

    return Share(tuple(partial(mean, c) for c in range(values.shape[1])), excess, len(logits))


def mixed(hers: list[Enclosure], log_a: Enclosure, his: list[Enclosure], log_b: Enclosure) -> list[Enclosure]:
    """Return one head's outputs from the means and the logarithms of the normalisers of both parties."""
    w = 1 / ((log_b - log_a).exp() + 1)
    return [b + w * (a - b) for a, b in zip(hers, his, strict=True)]


def cell_of(offset: Callable[[], Enclosure], cells: Fraction) -> int:
    """The number of the cell, decided at a precision that suffices; the upper end belongs to the last cell."""
    last = max(-(-cells.numerator // cells.denominator) - 1, 0)
    bits = 64
    while bits <= _BITS:
        where = at_precision(bits, lambda: offset().floor())
        if where.exact:
            return min(max(int(where.fraction()), 0), last)
        bits *= 2
    raise UndecidedError(
        "a number on the border of two cells", required=f"decided within {_BITS} bits", why="a message"
    )
