"""A recipe being climbed, one estimate after the other, for as long as its readers ask for more."""

from __future__ import annotations

import copy
from collections.abc import Iterator

from theorytools.claims.language.estimate import Budget, Estimate, Recipe


class Ladder:
    """A recipe being climbed; remembers its steps, so every reader sees the same numbers."""

    def __init__(self, recipe: Recipe, alpha: float, budget: Budget) -> None:
        self.evidence, self.alpha = recipe.evidence, alpha
        self._steps = recipe.steps(alpha, budget)
        self.climbed: list[Estimate] = []
        self._failed: Exception | None = None

    def at(self, rung: int) -> Estimate | None:
        """Return the estimate number ``rung`` (0 first), or None when the ladder ended before it.

        A step that cannot be computed raises for every reader: it is no end of the ladder.
        """
        while len(self.climbed) <= rung:
            if self._failed is not None:
                raise self._failed
            try:
                step = next(self._steps, None)
            except Exception as error:
                self._failed = error
                raise
            if step is None:
                return None
            self.climbed.append(step)
        return self.climbed[rung]

    def again(self) -> Ladder:
        """Return the ladder from its first step: the same numbers, computed once, whoever climbs higher."""
        view = copy.copy(self)
        view._steps, view.climbed = self._climbed_again(), []
        return view

    def _climbed_again(self) -> Iterator[Estimate]:
        rung = 0
        while (step := self.at(rung)) is not None:
            yield step
            rung += 1

    @property
    def best(self) -> Estimate:
        """The last estimate reached so far."""
        return self.climbed[-1]
