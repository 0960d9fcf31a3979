"""A minimum between two certificates: a feasible point from above, a dual one from below."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

from theorytools.claims.language.estimate import Recipe, enclosed_between
from theorytools.numbers import Enclosure, at_precision


class Bracket(ABC):
    """What has a certified lower and upper end."""

    @abstractmethod
    def lower(self) -> Enclosure:
        """Return the lower end at the ambient precision."""

    @abstractmethod
    def upper(self) -> Enclosure:
        """Return the upper end at the ambient precision."""

    @abstractmethod
    def require_feasible(self) -> None:
        """Raise ``CertificateError`` unless the point above is feasible."""

    def relative_width(self) -> Enclosure:
        """Return the width of the bracket over its lower end (the whole line where that is 0)."""
        return self.upper() / self.lower() - 1

    def within(self, width: Fraction) -> bool:
        """Whether the bracket is proved to be at most ``width`` wide, relative to its upper end."""
        gap = at_precision(128, lambda: self.upper() * (1 - Enclosure(width)) - self.lower())
        return gap.certainly_le(0) is True

    def recipe(self) -> Recipe:
        """Return the minimum as an interval between the two certificates."""
        self.require_feasible()
        return enclosed_between(self.lower, self.upper)
