"""What common practice finds in so many evaluations, told a box: draws, differential evolution, hypothesis.

An evaluation is one point proposed, outside the hypotheses or not.  Each rival judges another sample each time, so that
what fails for some samples only is not hidden from it.  Settings are those that find most on the seeds that may be
developed on: differential evolution on logarithms of whole numbers (rather than the numbers), where populations of
three, five and fifteen a letter found 127 to 128 of 180 in 500 points; hypothesis with the box, which found 131 (133
with a mixture of three ranges in its place, and fewer in 50 points; 126 with denominators of any size).
"""

from __future__ import annotations

import contextlib
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from typing import Any

import hypothesis
from hypothesis import strategies as st
from scipy.optimize import differential_evolution

from theorytools.search.protocols import Place, Result, Variable
from tools.planted.members import member, strategy
from tools.planted.statement import Planted

DENOMINATOR, WIDE = 32, 1024  # of the fractions that are drawn uniformly, and log-uniformly
OUTSIDE = 2.0  # slack of a point outside, more than any that is judged
POPULATION = 5  # of differential evolution, for each letter


class Enough(KeyboardInterrupt):
    """A violation is found, or the evaluations are spent; hypothesis lets an interrupt through at once."""


@dataclass
class Trial:
    """One search of one statement, point by point.

    Attributes
    ----------
    found : the number of the first evaluation that is a violation, from 1 on, or None.
    judged, outside : evaluations so far, and those outside the hypotheses.
    seconds : of processor time, until it was found or the evaluations were spent.
    """

    one: Planted
    most: int
    found: int | None = None
    judged: int = 0
    outside: int = 0
    seconds: float = 0.0

    def look(self, point: Place, sample: int | None = None) -> Result:
        """Judge a point; raise ``Enough`` where that ends the search."""
        result = self.one.judge(point, self.judged if sample is None else sample)
        self.judged += 1
        self.outside += result.status == "outside"
        if result.status == "false":
            self.found = self.judged
        if self.found or self.judged >= self.most:
            raise Enough
        return result

    def run(self, search: Callable[[Trial], None]) -> Trial:
        """Let a search look until it has enough, or has nothing more to propose."""
        start = time.process_time()
        with contextlib.suppress(Enough):
            search(self)
        self.seconds = time.process_time() - start
        return self


# -- draws -------------------------------------------------------------------------------------------------------------
def drawn(variable: Variable, one: Planted, rng: random.Random, wide: bool, point: Place) -> Any:
    """A value of a letter: uniform in its box, or uniform in the logarithm."""
    if variable.kind == "word":
        return rng.choice(variable.values)
    if variable.kind == "object":
        return member(variable.thing, rng, point[variable.size], wide)
    low, high = one.box[variable.name]
    if variable.kind == "int":
        return round(math.exp(rng.uniform(math.log(low), math.log(high)))) if wide else rng.randint(low, high)
    q = round(math.exp(rng.uniform(0, math.log(WIDE)))) if wide else rng.randint(1, DENOMINATOR)
    return Fraction(rng.randint(math.ceil(low * q), math.floor(high * q)), q)


def draws(wide: bool) -> Callable[[Trial], None]:
    """Independent points, uniform in the box or in its logarithms."""

    def search(trial: Trial) -> None:
        rng = random.Random(f"{'log ' * wide}draws {trial.one.name}")
        while True:
            point: dict[str, Any] = {}
            for variable in trial.one.variables:
                point[variable.name] = drawn(variable, trial.one, rng, wide, point)
            trial.look(point)

    return search


# -- differential evolution --------------------------------------------------------------------------------------------
def decoded(one: Planted, x: Any) -> dict[str, Any]:
    """The point of a place in the unit cube; an object is the one that a generator draws of its coordinate."""
    point: dict[str, Any] = {}
    for variable, u in zip(one.variables, map(float, x), strict=True):
        if variable.kind == "word":
            point[variable.name] = variable.values[min(int(u * len(variable.values)), len(variable.values) - 1)]
        elif variable.kind == "object":
            point[variable.name] = member(variable.thing, random.Random(int(u * 1e6)), point[variable.size])
        else:
            low, high = one.box[variable.name]
            if variable.kind == "rat":
                value = Fraction(float(low + (high - low) * Fraction(u))).limit_denominator(DENOMINATOR)
                point[variable.name] = value
            else:
                point[variable.name] = round(low * (high / low) ** u)
    return point


def evolution(trial: Trial) -> None:
    """Differential evolution on the slack, started anew with another seed where it has converged."""

    def slack(x: Any) -> float:
        result = trial.look(decoded(trial.one, x))
        return OUTSIDE if result.margin is None else result.margin

    rng = random.Random(f"evolution {trial.one.name}")
    cube = [(0.0, 1.0)] * len(trial.one.variables)
    while True:
        seed = rng.getrandbits(32)
        differential_evolution(slack, cube, popsize=POPULATION, maxiter=10**6, tol=1e-3, polish=False, seed=seed)


# -- hypothesis --------------------------------------------------------------------------------------------------------
def numbers(variable: Variable, one: Planted) -> Any:
    """Hypothesis's strategy for a letter of numbers or words."""
    if variable.kind == "word":
        return st.sampled_from(variable.values)
    low, high = one.box[variable.name]
    if variable.kind == "int":
        return st.integers(low, high)
    return st.fractions(low, high, max_denominator=DENOMINATOR)


def points(one: Planted) -> Any:
    """Hypothesis's strategy for the points of a statement, an object after its size."""
    plain = st.fixed_dictionaries({v.name: numbers(v, one) for v in one.variables if v.kind != "object"})
    objects = [v for v in one.variables if v.kind == "object"]

    def completed(point: Any) -> Any:
        return st.fixed_dictionaries({v.name: strategy(v.thing, point[v.size]) for v in objects}).map(point.__or__)

    return plain.flatmap(completed) if objects else plain


def by_hypothesis(trial: Trial) -> None:
    """Hypothesis alone: what is outside is rejected by ``assume``, and it generates only."""

    @hypothesis.seed(f"hypothesis {trial.one.name}")
    @hypothesis.settings(
        max_examples=trial.most, phases=[hypothesis.Phase.generate], database=None, deadline=None,
        derandomize=False, suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    @hypothesis.given(points(trial.one))
    def holds(point: Any) -> None:
        hypothesis.assume(trial.look(point).status != "outside")

    with contextlib.suppress(hypothesis.errors.Unsatisfiable):  # all that it was ready to try is outside
        holds()


RIVALS: dict[str, Callable[[Trial], None]] = {
    f"hypothesis {version('hypothesis')}": by_hypothesis,
    f"differential evolution, scipy {version('scipy')}": evolution,
    "uniform draws": draws(False),
    "log-uniform draws": draws(True),
}
