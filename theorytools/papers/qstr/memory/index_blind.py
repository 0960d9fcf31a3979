r"""The least squared error of predictors that see the indices only partly: exact, by listing all index tuples."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.amounts import amount
from theorytools.arguments.checked import STEPS, NonNegativeInt, at_most, checked
from theorytools.codes.protocol import Code
from theorytools.errors import BudgetError, DomainError

_TUPLES = 2**16


@checked
@at_most(q=STEPS)
def partial_index_risk(classes: Sequence[int], q: NonNegativeInt = 1, *, distinct: bool = False) -> Fraction:
    r"""Return the least :math:`E(y-\hat y)^2` when of each index only its class is seen.

    The link is ``lin``, :math:`y=q^{-1/2}\sum_j\langle u,x_{t_j}\rangle`, :math:`\lVert u\rVert=1`, tokens are
    independent with mean 0 and covariance ``I``, the tuple is uniform and independent of them, and the predictor
    knows the tokens and the classes of :math:`t_1,\dots,t_q`.  Given both, the label has the conditional mean
    :math:`q^{-1/2}\langle u,\sum_i\bar c_ix_i\rangle` with the mean counts :math:`\bar c` over the tuples of these
    classes, and

    .. math:: E(y-\hat y)^2=\frac1qE\lVert c(t)-\bar c\rVert^2,\qquad c_i(t)=\#\{j:t_j=i\}.

    Parameters
    ----------
    classes : the class of each position, ``N`` integers.
    q : indices per tuple.
    distinct : tuples without repetition, or all of :math:`[N]^q`.

    Returns
    -------
    Fraction : between 0 and 1, the variance of a label.

    Raises
    ------
    DomainError
        For no class, ``q < 1``, or ``q > N`` distinct indices.
    BudgetError
        For more than 2**16 tuples.

    Examples
    --------
    >>> partial_index_risk([0] * 4), partial_index_risk([0, 0, 1, 2]), partial_index_risk([0, 1, 2, 3])
    (Fraction(3, 4), Fraction(1, 4), Fraction(0, 1))
    """
    N = len(classes)
    if not N or q < 1 or (distinct and q > N):
        raise DomainError(f"N = {N}, q = {q}, distinct = {distinct}", required="N, q >= 1, and q <= N if distinct")
    if N**q > _TUPLES:
        raise BudgetError(f"{amount(N**q)} tuples", required=f"at most {_TUPLES}", why="all of them are listed")
    groups: dict[tuple[int, ...], list[NDArray[np.int64]]] = {}
    for t in permutations(range(N), q) if distinct else product(range(N), repeat=q):
        groups.setdefault(tuple(classes[j] for j in t), []).append(np.bincount(t, minlength=N))
    error, count = Fraction(0), 0
    for found in groups.values():
        counts = np.array(found)
        # sum |c - mean|^2 = sum |c|^2 - |sum c|^2 / size
        error += int(np.square(counts).sum()) - Fraction(int(np.square(counts.sum(axis=0)).sum()), len(counts))
        count += len(counts)
    return error / (count * q)


def code_classes(code: Code) -> list[int]:
    """Return for each position the first one with the same code, ``N`` integers."""
    equal = code.gram_numerators() == code.gram_denominator  # unit vectors with product 1 are equal
    return [int(np.flatnonzero(row)[0]) for row in equal]
