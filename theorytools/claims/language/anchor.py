"""An anchor: an object whose value is known from elsewhere, measured before anything else is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.claims.language.bound import expression
from theorytools.claims.language.quantity import Quantity
from theorytools.errors import DomainError


@checked
@dataclass(frozen=True)
class Anchor:
    """An object whose measured value is known: by hand, from print, or by another library.

    A measurement that takes the largest for the least, nats for bits or training rows for new ones is right on no
    such object that tells them apart: two words that differ from a third by unlike amounts, entries that are not equal.

    Parameters
    ----------
    name : the object in words, ``"three words at distances 1, 2 and 3"``.
    thing : the object, as ``construct`` would return it; a callable of a point makes it there.
    values : of some quantities the known value: an exact number, or a formula such as ``log(2)``.
    at : letters that ``measure`` reads there; those that are not given are the first point's.
    source : where the value is known from.

    Raises
    ------
    DomainError : no value, or one that is no exact formula.

    Examples
    --------
    >>> gap = Quantity("least distance", r"d", "least distance of two words")
    >>> Anchor("distances 1, 2, 3", ["000", "001", "110"], {gap: 1}, source="counted by hand").known
    {'least distance': 1}
    """

    name: str
    thing: Any
    values: Mapping[Quantity, Any]
    at: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""

    def __post_init__(self) -> None:
        if not self.values:
            raise DomainError(
                f"the anchor {self.name!r} without a value", required="values={quantity: number}, at least one",
                why="an anchor is an object whose value is known",
            )  # fmt: skip
        for quantity, value in self.values.items():
            expression(value, f"the value of {quantity.name} at the anchor {self.name!r}")

    @property
    def known(self) -> dict[str, Any]:
        """The values by the names of their quantities, as expressions."""
        return {quantity.name: expression(value) for quantity, value in self.values.items()}
