"""A recipe being climbed, one estimate after the other, for as long as its readers ask for more."""

from __future__ import annotations

from theorytools.claims.language.estimate import Budget, Estimate, Recipe


class Ladder:
    """A recipe being climbed; remembers its steps, so every reader sees the same numbers."""

    def __init__(self, recipe: Recipe, alpha: float, budget: Budget) -> None:
        self.evidence, self.alpha = recipe.evidence, alpha
        self._steps = recipe.steps(alpha, budget)
        self.climbed: list[Estimate] = []

    def at(self, rung: int) -> Estimate | None:
        """Return the estimate number ``rung`` (0 first), or None when the ladder ended before it."""
        while len(self.climbed) <= rung:
            step = next(self._steps, None)
            if step is None:
                return None
            self.climbed.append(step)
        return self.climbed[rung]

    @property
    def best(self) -> Estimate:
        """The last estimate reached so far."""
        return self.climbed[-1]
