r"""Runs: regret, the first step at which something holds, and its expectation in a finite Markov chain."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import count
from typing import Any

from theorytools.arguments.checked import NonNegativeInt, checked
from theorytools.errors import BudgetError, DomainError
from theorytools.measures.anchors import Anchors, Known
from theorytools.measures.inputs import Number, added, fraction, items, matrix, place, same_length, smallest
from theorytools.measures.spaces import yes_or_no
from theorytools.numbers import solve_rational


def regret(losses: Any, actions: Any) -> Number:
    r"""Return :math:`\sum_t\ell_t(a_t)-\min_a\sum_t\ell_t(a)`, the regret against the best fixed action.

    Parameters
    ----------
    losses : :math:`\ell_t(a)`, a row for each step with a loss for each action, exact or enclosed.
    actions : :math:`a_t`, the actions that were taken, from 0.

    Returns
    -------
    Fraction or Enclosure : exact where the losses are; it may be negative.

    Raises
    ------
    DomainError : floats, another number of actions than of steps, or an action that there is not.

    Examples
    --------
    >>> regret([[1, 0], [0, 1], [1, 0]], [0, 0, 0])
    Fraction(1, 1)
    """
    table, taken = matrix("losses", losses), items("actions", actions)
    same_length(table, taken, "losses and actions")
    taken = [place("an action", a, len(table[0])) for a in taken]
    suffered = added(row[a] for row, a in zip(table, taken, strict=True))
    fixed = smallest([added(column) for column in zip(*table, strict=True)])
    return added([suffered, -fixed])


@checked
def first_passage(states: Iterable[Any], reached: Callable[..., Any], *, limit: NonNegativeInt = 10**6) -> int:
    """Return the first step at which something holds; the state at the start is that of step 0.

    Parameters
    ----------
    states : the states of a run in their order, the start among them; an iterator that does not end is followed up to
        the limit.
    reached : says True or False of a state.
    limit : the last step that is looked at.

    Returns
    -------
    int : the step.

    Raises
    ------
    DomainError : a run that ends before, or an answer that is neither True nor False.
    BudgetError : nothing up to the limit.

    Examples
    --------
    >>> first_passage([5, 16, 8, 4, 2, 1], lambda n: n == 1)
    5
    """
    run = iter(states)
    for step in count():
        if step > limit:
            raise BudgetError(
                f"a run of {limit} steps", required="a step at which it holds", why="its first passage is asked",
                advice="a larger limit",
            )  # fmt: skip
        try:
            state = next(run)
        except StopIteration:
            raise DomainError(
                f"a run of {step} states", required="a state at which it holds", why="its first passage is asked",
                advice="a longer run; that it is never reached is another statement",
            ) from None  # fmt: skip
        if yes_or_no(reached(state), "reached"):
            return step
    raise AssertionError  # count() does not end


def expected_first_passage(transition: Any, start: Any, targets: Any) -> Fraction:
    r"""Return the expected number of steps until a finite Markov chain first meets its targets.

    With :math:`Q` the transitions among the other states, :math:`h=(I-Q)^{-1}\mathbf 1`, solved in exact numbers.

    Parameters
    ----------
    transition : the probabilities of a step, a row for each state it leaves, exact.
    start : the state at step 0, from 0.
    targets : the states that end the run.

    Returns
    -------
    Fraction : exact; 0 where the start is a target.

    Raises
    ------
    DomainError : floats, rows that are no laws, states that there are not, or a target that is missed with a positive
        probability: the expectation is infinite.

    Examples
    --------
    >>> expected_first_passage([[Fraction(2, 3), Fraction(1, 3)], [0, 1]], 0, [1])
    Fraction(3, 1)
    """
    P = matrix("transition", transition, fraction)
    first, ends = place("start", start, len(P)), {place("a target", x, len(P)) for x in items("targets", targets)}
    if any(len(row) != len(P) or min(row) < 0 or sum(row) != 1 for row in P):
        raise DomainError("a row of the transition matrix", required="a square matrix whose rows are laws: >= 0, sum 1")
    passed = sorted(_reached(P, {first}, ends) - ends)
    if any(not _reached(P, {state}, ends) & ends for state in passed):
        raise DomainError(
            "a chain that may stay away from its targets for ever", required="a target reached with probability 1",
            why="the expected first passage is infinite",
        )  # fmt: skip
    if not passed:
        return Fraction(0)
    system = [[int(i == j) - P[i][j] for j in passed] for i in passed]
    steps: Fraction = solve_rational(system, [1] * len(passed))[passed.index(first)]
    return steps


def _reached(P: list[list[Fraction]], start: set[int], ends: set[int]) -> set[int]:
    """The states that are met from the start on, no further than the ends."""
    found, new = set(start), set(start)
    while new:
        new = {j for i in new - ends for j, p in enumerate(P[i]) if p} - found
        found |= new
    return found


def _walk(N: int) -> list[list[Fraction]]:
    """A fair walk on 0, ..., N that stays at its ends."""
    half = Fraction(1, 2)
    inner = [[half if abs(i - j) == 1 else Fraction(0) for j in range(N + 1)] for i in range(1, N)]
    return [[Fraction(int(j == 0)) for j in range(N + 1)], *inner, [Fraction(int(j == N)) for j in range(N + 1)]]


def _collector(N: int) -> list[list[Fraction]]:
    """How many of N coupons one has."""
    return [[Fraction(i, N) * (j == i) + Fraction(N - i, N) * (j == i + 1) for j in range(N + 1)] for i in range(N + 1)]


_LOSSES = [[1, 3, 0], [2, 0, 5], [4, 1, 2]]

ANCHORS: Anchors = {
    "regret": [
        Known((_LOSSES, [0, 0, 0]), 3, "by hand: 7, and the sums of the actions are 7, 4, 7"),
        Known((_LOSSES, [2, 1, 1]), -3, "by hand: 0 + 0 + 1 less 4: better than every fixed action"),
        Known((_LOSSES, [1, 2, 0]), 8, "by hand: 3 + 5 + 4 less 4"),
    ],
    "first_passage": [
        Known(([5, 16, 8, 4, 2, 1], lambda n: n == 1), 5, "by hand: 3n + 1 from 5, five steps"),
        Known(([3, 8, 1, 9, 8], lambda n: n >= 8), 1, "by hand: the second state, and two later ones"),
        Known(([0, 1], lambda n: n == 0), 0, "by hand: the start"),
    ],
    "expected_first_passage": [
        Known((_walk(5), 2, [0, 5]), 6, "Feller (1968), volume I, chapter XIV.3: k (N - k)"),
        Known((_walk(7), 3, [0, 7]), 12, "Feller (1968), volume I, chapter XIV.3: k (N - k)"),
        Known((_collector(4), 0, [4]), Fraction(25, 3), "Feller (1968), volume I, chapter IX.3: N H_N"),
        Known((_collector(4), 4, [4]), 0, "by hand: there at the start"),
    ],
}  # fmt: skip
