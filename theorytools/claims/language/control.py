"""A control: the claim with one ingredient spoiled, which must then be rejected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from theorytools.arguments.checked import checked
from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.draw import Draw
from theorytools.claims.language.grid import Point
from theorytools.claims.language.quantity import Quantity
from theorytools.claims.language.running import Run
from theorytools.errors import DomainError

Construct = Callable[[Point], Any]
Measure = Callable[[Any, Point], Mapping[Quantity, Any]]


@checked
@dataclass(frozen=True)
class Control:
    """The same claim with one ingredient spoiled; it must be rejected.

    Parameters
    ----------
    name : what is spoiled, in words.
    breaks : the quantities or assertions that must be decided REFUTED; every other must stay proved.  An empty
        tuple makes the control a *repair*: all of its assertions must hold at every point.
    construct, measure, asserts : the spoiled ingredient; what is None stays as in the claim.
    where : a condition on the letters; the control is applied only where it certainly holds.
    run : of a claim with ``run=`` the spoiled run, ``dataclasses.replace(run, step=…)``.
    draw : of a claim with ``draw=`` the spoiled draw; as many objects are drawn, from the same seeds.
    share : the share of these draws in which everything must break, counted and not estimated; of a claim that draws by
        itself the share of seeds, for ``theorytools reseed``.
    rival : made by the engine for a claim about growth: a family that grows like a rival.

    Raises
    ------
    DomainError : ``where`` is no condition, or ``share`` no exact number in (0, 1].

    Examples
    --------
    >>> total = Quantity("total", "S", "the sum of the first N numbers")
    >>> shorter = Control("the last term left out", breaks=total, construct=lambda p: range(p.N))
    >>> shorter.must_break(total <= 10), shorter.repair
    (True, False)
    """

    name: str
    breaks: Quantity | Assertion | str | Sequence[Quantity | Assertion | str] = ()
    construct: Construct | None = None
    measure: Measure | None = None
    asserts: Sequence[Assertion] | None = None
    where: Any = sympy.true
    draw: Draw | None = None
    share: Any = 1
    run: Run | None = None
    rival: bool = False

    def __post_init__(self) -> None:
        exact = isinstance(self.share, int | Fraction) and not isinstance(self.share, bool)
        if not exact or not 0 < self.share <= 1:
            raise DomainError(
                f"share = {self.share!r:.60} of the control {self.name!r}", required="an exact share, 0 < share <= 1",
                why="in at least so many of its draws it must break", advice="share=Fraction(9, 10)",
            )  # fmt: skip
        if isinstance(self.where, bool) or not isinstance(self.where, Boolean):
            required = "a condition such as N >= 4 or Eq(q, 1)"
            raise DomainError(f"where = {self.where!r:.60} of the control {self.name!r}", required=required)

    @property
    def repair(self) -> bool:
        """Whether this control is a repaired statement rather than a spoiled one."""
        return not self.targets

    @property
    def targets(self) -> tuple[Any, ...]:
        """What must break, as a tuple."""
        return (self.breaks,) if isinstance(self.breaks, Quantity | Assertion | str) else tuple(self.breaks)

    def must_break(self, assertion: Assertion) -> bool:
        """Whether this assertion is one of those that must be REFUTED."""
        return any(
            target == assertion.quantity or target in assertion.quantity.parts
            if isinstance(target, Quantity)
            else target == assertion
            if isinstance(target, Assertion)
            else target in (assertion.name, assertion.quantity.name, *(q.name for q in assertion.quantity.parts))
            for target in self.targets
        )
