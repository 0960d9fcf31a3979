r"""Position codes of index lookup: keys and queries whose score is largest at the position asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.arguments.values import checked_integer
from theorytools.codes.dimensions import hoeffding_dimension
from theorytools.codes.families import binary_index, rademacher
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import portable

_WHY = "a position code of index lookup"
_DRAWS = 64  # a draw fails with probability below 1/2, so all of them with probability below 2^-64
_LARGEST_SQUARE = 2**26  # squares of positions and their products with 2p stay below 2^63 (N^2 < 2^52)

Codes = tuple[NDArray[Any], NDArray[Any]]


@checked
def jl_length(N: int) -> int:
    r"""Return :math:`\lceil16\ln N\rceil`: random signs of this length have inner products at most half the length.

    By Hoeffding's inequality and the union bound that fails with probability at most
    :math:`\frac{N(N-1)}2e^{-k/8}<\frac12`.

    Examples
    --------
    >>> [jl_length(N) for N in (64, 256, 1024)]
    [67, 89, 111]
    """
    from fractions import Fraction

    return hoeffding_dimension(N, Fraction(1, 2), one_sided=True)  # (2/rho^2) log(N^2/(2 delta)) at delta = 1/2


def jl_signs(N: int, rng: np.random.Generator, *, length: int | None = None) -> NDArray[np.int64]:
    r"""Draw sign vectors until all inner products of two are at most half their length, shape ``(N, k)``.

    Raises
    ------
    DomainError : ``rng`` is not a ``numpy.random.Generator``, or a size is out of range.
    BudgetError : no code within 64 draws, as for a length far below ``jl_length(N)``.
    """
    k = jl_length(N) if length is None else checked_integer("length", length, least=1, why=_WHY)
    for _ in range(_DRAWS):
        code = rademacher(N, k, rng)
        if 2 * code.coherence() <= 1:
            return code.signs.astype(np.int64)
    raise BudgetError(
        f"{_DRAWS} draws of {N} sign vectors of length {k}", required="inner products at most half the length",
        why=_WHY, advice=f"take length = {jl_length(N)}",
    )  # fmt: skip


def binary_signs(N: int) -> NDArray[np.int64]:
    """Return the index in binary as signs, shape ``(N, ceil(log2 N))``: two codes differ in at least one sign."""
    return binary_index(N).signs.astype(np.int64)


def quadratic_pairs(N: int) -> Codes:
    r"""Return keys :math:`(i,i^2)` and queries :math:`(2p,-1)`: the score is :math:`p^2-(p-i)^2`, ``i, p = 1..N``."""
    i = np.arange(1, N + 1, dtype=np.int64)
    if N > _LARGEST_SQUARE:
        raise BudgetError(f"N = {N}", required=f"N <= {_LARGEST_SQUARE}", why="squares are held in 64 bits")
    return np.stack([i, i * i], axis=1), np.stack([2 * i, np.full(N, -1)], axis=1)


def circle_points(N: int) -> NDArray[np.float64]:
    r"""Return the points :math:`(\cos\frac{2\pi i}N,\sin\frac{2\pi i}N)`, shape ``(N, 2)``, to double precision."""
    return np.stack(portable.turn(np.arange(N), N), axis=1)


def lookup_codes(code: str, N: int, *, rng: np.random.Generator | None = None, length: int | None = None) -> Codes:
    r"""Return keys and queries, shape ``(N, k)`` each, of a named position code.

    ======================  ==========================  =================================  ==============
    name                    width :math:`k`             target minus any other score       query token
    ======================  ==========================  =================================  ==============
    ``binary``              :math:`\lceil\log_2N\rceil`  2 and more                         :math:`k`
    ``jl``                  :math:`\lceil16\ln N\rceil`  :math:`\frac k2` and more          :math:`k`
    ``quadratic``           2                           :math:`(p-i)^2\ge1`                :math:`p^2`
    ``circle``              2                           :math:`1-\cos\frac{2\pi(p-i)}N`    1
    ======================  ==========================  =================================  ==============

    The last column is the target score minus that of the query token, 0.  All but ``circle`` are integers.

    Raises
    ------
    DomainError : an unknown name, ``N < 2``, or ``jl`` without a generator.
    """
    N = checked_integer("N", N, least=2, why=_WHY)
    made: dict[str, Callable[[], Any]] = {
        "binary": lambda: (binary_signs(N),) * 2,
        "jl": lambda: (jl_signs(N, rng, length=length),) * 2,  # type: ignore[arg-type]
        "quadratic": lambda: quadratic_pairs(N),
        "circle": lambda: (circle_points(N),) * 2,
    }
    if code not in made or (length is not None and code != "jl"):
        given = f"the code {code!r}" if code not in made else f"length = {length} for the code {code!r}"
        raise DomainError(given, required=f"one of {', '.join(made)}; a length for jl only", why=_WHY)
    return made[code]()
