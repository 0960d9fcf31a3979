r"""Boolean functions of two bit strings: equality, disjointness, inner product.

For :math:`x,y\in\{0,1\}^n`

.. math:: \mathrm{EQ}=[x=y],\qquad\mathrm{DISJ}=[\text{no }i\text{ with }x_i=y_i=1],\qquad
          \mathrm{IP}=\#\{i:x_i=y_i=1\}\bmod2 .

Strings are the last axis, answers 0 and 1; leading axes broadcast.  Other symbols and different lengths are refused.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), equality and disjointness, arXiv 2406.09347v1; Kushilevitz, Nisan (1997),
Communication Complexity, chapter 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.errors import BudgetError, DomainError
from theorytools.tasks.automaton import symbols_of

Bits = NDArray[np.int64]
Answers = NDArray[np.int64]
_LONGEST = 10  # 4^10 pairs


@checked
def equality(x: NDArray[Any], y: NDArray[Any]) -> Answers:
    """Return whether strings agree everywhere."""
    x, y = _checked(x, y)
    return np.asarray((x == y).all(axis=-1)).astype(np.int64)


@checked
def disjointness(x: NDArray[Any], y: NDArray[Any]) -> Answers:
    """Return whether no position holds two ones."""
    x, y = _checked(x, y)
    return 1 - np.asarray((x & y).any(axis=-1)).astype(np.int64)


@checked
def inner_product(x: NDArray[Any], y: NDArray[Any]) -> Answers:
    """Return the parity of the number of common ones."""
    x, y = _checked(x, y)
    return np.asarray((x & y).sum(axis=-1) % 2).astype(np.int64)


def _checked(x: Any, y: Any) -> tuple[Bits, Bits]:
    """Return two strings of bits of one length; ``DomainError`` for other symbols or lengths that differ."""
    x, y = symbols_of(x, 2, "bits"), symbols_of(y, 2, "bits")
    if x.shape[-1:] != y.shape[-1:]:
        given = f"strings of {x.shape[-1]} and {y.shape[-1]} bits"
        raise DomainError(given, required="one length", why="bits are compared position by position")
    return x, y


TASKS: dict[str, Callable[[Any, Any], Answers]] = {
    "equality": equality,
    "disjointness": disjointness,
    "inner_product": inner_product,
}


def checked_task(name: str) -> Callable[[Any, Any], Answers]:
    """Return the function of that name; ``DomainError`` for any other."""
    if name not in TASKS:
        raise DomainError(f"the task {name!r}", required=f"one of {', '.join(TASKS)}", why="functions of two strings")
    return TASKS[name]


@checked
def bit_strings(n: int) -> Bits:
    """Return all bit strings in increasing order, the first bit the highest: shape ``(2**n, n)``."""
    if not 1 <= n <= 20:
        raise BudgetError(f"all strings of {n} bits", required="1 <= n <= 20", why="they are enumerated")
    return np.arange(1 << n)[:, None] >> np.arange(n - 1, -1, -1) & 1


@checked
def all_pairs(n: int) -> tuple[Bits, Bits]:
    """Return every pair of strings: two arrays of shape ``(4**n, n)``, ``n <= 10``."""
    if n > _LONGEST:
        raise BudgetError(f"4^{n} pairs", required=f"n <= {_LONGEST}", why="all of them are run")
    strings = bit_strings(n)
    return np.repeat(strings, len(strings), axis=0), np.tile(strings, (len(strings), 1))


@checked
def fooling_pairs(task: str, n: int) -> tuple[Bits, Bits]:
    r"""Return :math:`2^n` pairs that fool: :math:`(x,x)` for equality, :math:`(x,\bar x)` for disjointness.

    Each has answer 1.  For two of them, at least one mixed pair has answer 0: :math:`x\ne x'`; and where :math:`x` has
    a one that :math:`x'` has not, :math:`x` meets :math:`\bar x'`.
    """
    if task not in ("equality", "disjointness"):
        raise DomainError(f"the task {task!r}", required="equality or disjointness", why="these sets are proved")
    x = bit_strings(n)
    return x, x if task == "equality" else 1 - x
