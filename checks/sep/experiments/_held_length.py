r"""From accuracies of trained models to the length that a state can hold, and how that grows with the state's size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

from theorytools.errors import DomainError


def crossing_length(accuracies: Mapping[int, float], level: float = 0.5) -> float | None:
    r"""Return the length at which the accuracy falls to ``level``, linear in :math:`(\log N,\text{accuracy})` between.

    The first two neighbouring lengths with accuracy at least ``level`` at the shorter and below it at the longer one
    count; None where there are none.

    Parameters
    ----------
    accuracies : accuracy of each length.
    level : the accuracy asked for.

    Raises
    ------
    DomainError
        For lengths that are not positive, or accuracies that are not in [0, 1].

    Examples
    --------
    >>> crossing_length({8: 0.75, 16: 0.25}) == 8 * 2**0.5, crossing_length({8: 0.75, 16: 0.6})
    (True, None)
    """
    found = sorted(accuracies.items())
    if not all(N > 0 and 0 <= accuracy <= 1 for N, accuracy in found):
        raise DomainError(f"accuracies {dict(found)}", required="lengths above 0, accuracies in [0, 1]")
    for (N, above), (longer, below) in pairwise(found):
        if above >= level > below:
            return float(N * (longer / N) ** ((above - level) / (above - below)))
    return None


def size_exponent(small: Mapping[int, float], large: Mapping[int, float], factor: float, level: float = 0.5) -> float:
    r"""Return :math:`\log(N_{\text{large}}/N_{\text{small}})/\log(\text{factor})`, lengths by :func:`crossing_length`.

    It is 1 for accuracies that are a function of the length over the size.

    Parameters
    ----------
    small, large : accuracy of each length for two sizes of the state.
    factor : the larger size over the smaller one.
    level : the accuracy at which the lengths are read.

    Raises
    ------
    DomainError
        For a factor that is not above 1, or where the accuracy does not cross the level.

    Examples
    --------
    >>> round(size_exponent({8: 0.75, 16: 0.25}, {32: 0.75, 64: 0.25}, 4), 9)
    1.0
    """
    ends = [crossing_length(one, level) for one in (small, large)]
    lengths = [end for end in ends if end is not None]
    if factor <= 1 or len(lengths) < 2:
        raise DomainError(
            f"a factor of {factor}, lengths {ends} at accuracy {level}", required="factor > 1, both lengths",
            advice="lengths with accuracies on both sides of the level",
        )  # fmt: skip
    return math.log(lengths[1] / lengths[0]) / math.log(factor)
