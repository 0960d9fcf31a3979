r"""How many states a recurrent network needs for a Boolean function, in each order of the symbols.

After :math:`t` symbols a network must tell two prefixes apart iff some continuation has different answers.  The number
of such classes, the *residuals* of the cut, is the least number of states that suffices there and is necessary; a
network of :math:`m` numbers with :math:`p` bits has :math:`2^{mp}`.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), lower bounds for recurrent models, arXiv 2406.09347v1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from theorytools.arguments.checked import STEPS, NonNegativeInt, at_most, checked
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.sep.tasks.boolean import all_pairs, checked_task

_LONGEST = 8


@checked
@at_most(n=STEPS)
def symbol_order(n: NonNegativeInt, *, interleaved: bool = False) -> list[int]:
    r"""Return the order :math:`x_1,\dots,x_n,y_1,\dots,y_n`, or :math:`x_1,y_1,x_2,y_2,\dots`; positions from 0.

    Parameters
    ----------
    n : length of each string.
    interleaved : one symbol of each string in turn.

    Returns
    -------
    list of int : a permutation of 0 to 2 n - 1, as :func:`residual_counts` takes it.

    Examples
    --------
    >>> symbol_order(2), symbol_order(2, interleaved=True)
    ([0, 1, 2, 3], [0, 2, 1, 3])
    """
    return [i + n * which for i in range(n) for which in (0, 1)] if interleaved else list(range(2 * n))


@checked
def residual_counts(task: str, n: int, order: Sequence[int]) -> list[int]:
    r"""Return the number of residuals after 0, 1, ..., 2 n symbols read in this order, over all :math:`4^n` inputs.

    Parameters
    ----------
    task : ``equality``, ``disjointness`` or ``inner_product``.
    n : length of each string, at most 8.
    order : positions of :math:`x_1\dots x_ny_1\dots y_n` as they are read.

    Returns
    -------
    list of int : ``2 n + 1`` numbers.

    Raises
    ------
    BudgetError
        For ``n > 8``.
    DomainError
        If the order is no permutation.

    Examples
    --------
    >>> max(residual_counts("equality", 4, symbol_order(4)))
    16
    >>> residual_counts("equality", 4, symbol_order(4, interleaved=True))
    [1, 2, 2, 3, 2, 3, 2, 3, 2]
    """
    if n > _LONGEST:
        raise BudgetError(f"4^{n} inputs", required=f"n <= {_LONGEST}", why="all of them are compared")
    if sorted(order) != list(range(2 * n)):
        raise DomainError(f"the order {list(order)}", required=f"a permutation of 0 .. {2 * n - 1}", why="each is read")
    answers = checked_task(task)(*all_pairs(n)).reshape((2,) * (2 * n)).transpose(order).astype(np.uint8)
    counts = []
    for t in range(2 * n + 1):
        rows = np.packbits(answers.reshape(1 << t, -1), axis=1)
        counts.append(len({row.tobytes() for row in rows}))
    return counts
