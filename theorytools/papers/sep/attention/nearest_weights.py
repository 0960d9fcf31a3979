"""Weights of nearest-neighbour networks: rational powers, and labels read off one softmax directly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from theorytools.arguments.checked import Real, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, minimum, total
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask


def root_above(number: Fraction, degree: int) -> Fraction:
    """Return the least multiple of 1/64 whose power is at least ``number``; the number itself for degree 1."""
    numerator = int(64 * float(number) ** (1 / degree))  # doubles only propose
    while numerator**degree < number * 64**degree:
        numerator += 1
    return number if degree == 1 else Fraction(numerator, 64)


@checked
def direct_margin(task: NearestTask, pull: Real) -> Enclosure:
    r"""Return the least margin of one layer on joint tokens :math:`(x_j,y_j)`, ``pull`` :math:`=e^{\beta\gamma}`.

    The label is read off weights :math:`e^{\beta\langle x_q,x_j\rangle}` directly; at worst labels and with all others
    exactly :math:`\gamma` farther than the nearest it is
    :math:`\tanh\frac{\beta\gamma-\ln(N-1)}2`, positive if and only if :math:`\beta\gamma>\ln(N-1)`.
    """
    rate, found = Enclosure(pull), []
    if rate.certainly_lt(0) is not False or rate.contains(0):
        raise DomainError(f"pull = {pull}", required="pull > 0", why="it is an exponential")
    for gaps in task.gaps:
        steps, counts = np.unique(gaps, return_counts=True)
        w = [int(c) * power(rate, Fraction(-int(s), task.gap)) for s, c in zip(steps, counts, strict=True)]
        found.append((w[0] - total(w[1:])) / total(w))
    return minimum(found)


def power(base: Enclosure, exponent: Fraction) -> Enclosure:
    """Return a power, rational where halves of integers allow it."""
    return base**exponent if exponent.denominator <= 2 else (base.log() * exponent).exp()
