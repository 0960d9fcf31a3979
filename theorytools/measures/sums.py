r"""Sums of independent variables of finite laws: variances, moment generating functions, tails by convolution."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.arguments.values import within_budget
from theorytools.measures.anchors import Anchors, Known
from theorytools.measures.inputs import Number, added, fraction, items, number
from theorytools.measures.laws import Law, finite_law
from theorytools.numbers import Enclosure, total

_PRODUCTS = 1_000_000  # of two words of 64 bits, in all convolutions together


@checked
def variance(law: Any) -> Number:
    r"""Return :math:`\mathbb E(X-\mathbb EX)^2` under a finite law on numbers.

    Parameters
    ----------
    law : a :class:`Law`, a dictionary from numbers to masses, or a sequence of masses of 0, 1, ...

    Returns
    -------
    Fraction or Enclosure : exact where masses and outcomes are.

    Raises
    ------
    DomainError : no law, or an outcome that is no exact number.

    Examples
    --------
    >>> variance(Law.uniform(range(1, 7)))
    Fraction(35, 12)
    """
    masses = _on_numbers(law)
    mean = added(mass * x for x, mass in masses)
    return added(mass * (x - mean) ** 2 for x, mass in masses)


def log_moment_generating(law: Any, s: Any) -> Enclosure:
    r"""Return :math:`\log\mathbb Ee^{sX}` under a finite law on numbers; natural logarithm, not centred.

    Of the centred variable it is less :math:`s\,\mathbb EX`.

    Parameters
    ----------
    law : as in :func:`variance`.
    s : an exact number or a ball, of either sign.

    Returns
    -------
    Enclosure : at the ambient precision.

    Raises
    ------
    DomainError : no law, or an argument that is no exact number.

    Examples
    --------
    >>> round(float(log_moment_generating({-1: Fraction(1, 2), 1: Fraction(1, 2)}, 1)), 12)  # log cosh 1
    0.433780830483
    """
    point = Enclosure(number("s", s))
    return total(mass * (point * x).exp() for x, mass in _on_numbers(law)).log()


@checked
def tail_of_sum(laws: Any, level: Any) -> Fraction:
    r"""Return :math:`\Pr(X_1+\dots+X_n\ge c)` for independent variables of finite laws on numbers.

    The level counts: the event is *at least*, not *above*.

    Parameters
    ----------
    laws : the law of each variable, as in :func:`variance`, with exact masses; ``[law] * n`` where they have one.
    level : :math:`c`, an exact number.

    Returns
    -------
    Fraction : by convolution of the laws.

    Raises
    ------
    DomainError : no laws, or a mass or an outcome that is no exact number.
    BudgetError : more than 1000000 products of words of 64 bits, such as 500 coins.

    Examples
    --------
    >>> tail_of_sum([Law.uniform(range(1, 7))] * 2, 10)  # two dice
    Fraction(1, 6)
    """
    goal = fraction("level", level)
    exact = [[(x, fraction("a mass", m)) for x, m in _on_numbers(law)] for law in items("laws", laws)]
    steps = math.lcm(goal.denominator, *(x.denominator for law in exact for x, _ in law))
    reached, spent, whole = Counter({0: 1}), 0, 1
    for law in exact:
        parts = math.lcm(*(mass.denominator for _, mass in law))
        spent += len(reached) * len(law) * (1 + whole.bit_length() // 64)
        within_budget(
            "products of words", spent, _PRODUCTS, why="a sum takes many values, and their masses are long",
            advice="fewer variables, outcomes on a coarser grid, or masses of a small denominator",
        )  # fmt: skip
        before, reached, whole = reached, Counter(), whole * parts
        for x, mass in ((int(x * steps), int(mass * parts)) for x, mass in law if mass):
            for y, weight in before.items():
                reached[x + y] += mass * weight
    return Fraction(sum(weight for y, weight in reached.items() if y >= goal * steps), whole)


def _on_numbers(law: Any) -> list[tuple[Fraction, Number]]:
    return [(fraction("an outcome", x), mass) for x, mass in finite_law("law", law).masses.items()]


_COIN, _SIGN = {0: Fraction(1, 2), 1: Fraction(1, 2)}, {-1: Fraction(1, 2), 1: Fraction(1, 2)}
_SKEW = {1: Fraction(1, 2), 5: Fraction(1, 3), 2: Fraction(1, 6)}

ANCHORS: Anchors = {
    "variance": [
        Known((_SKEW,), Fraction(13, 4), "by hand: 19/2 - 25/4"),
        Known((Law.uniform(range(1, 7)),), Fraction(35, 12), "a die, from print"),
        Known(([Fraction(3, 4), Fraction(1, 4)],), Fraction(3, 16), "a Bernoulli variable: p(1 - p)"),
    ],
    "log_moment_generating": [
        Known((_SIGN, 1), "0.433780830483027187", "log cosh 1, from print"),
        Known((_COIN, 1), "0.620114506958277525", "log((1 + e)/2), from print"),
        Known((_COIN, -2), "-0.566219169516972813", "by hand: log((1 + e^-2)/2) = log cosh 1 - 1"),
        Known(({3: 1}, 2), "6.000000000000", "by hand: a constant"),
    ],
    "tail_of_sum": [
        Known(([_COIN] * 10, 8), Fraction(7, 128), "ten coins: (45 + 10 + 1) / 1024"),
        Known(([Law.uniform(range(1, 7))] * 2, 10), Fraction(1, 6), "two dice, by hand: 6 of 36"),
        Known(([_SKEW, _COIN, _SIGN], 2), Fraction(17, 24), "by hand: 1/2 * 1/2 + 1/3 + 1/6 * 3/4, for 1, 5 and 2"),
        Known(([_SIGN], -1), 1, "by hand: at least -1 is certain"),
    ],
}  # fmt: skip
