"""What an author's ``measure`` returns, held against the quantities of the claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from theorytools.arguments.kinds import shown
from theorytools.errors import CheckError

if TYPE_CHECKING:
    from theorytools.claims.language.quantity import Quantity

_ADVICE = "measure returns {Quantity: recipe or exact number}"


def by_quantity(given: Any, wanted: Iterable[Quantity], label: str) -> Mapping[Quantity, Any]:
    """Return the measured values by their quantities as they were given.

    Raises
    ------
    CheckError : where they are no mapping, or lack one of the quantities; the message names the claim.
    """
    if not isinstance(given, Mapping):
        raise CheckError(
            f"claim {label!r}: measure gave {shown(given)}", required="a dictionary of values by their quantities",
            why="the statement compares quantities", advice=_ADVICE,
        )  # fmt: skip
    missing = [quantity.name for quantity in wanted if quantity not in given]
    if missing:
        names = [getattr(quantity, "name", quantity) for quantity in given]
        raise CheckError(
            f"claim {label!r}: measure gave {names}", required=f"a value for {', '.join(missing)}", advice=_ADVICE
        )
    return given
