r"""What a set of sign words can say about its letters, and so the least error of every encoder with ``S`` values.

An encoder of ``m`` random signs with ``S`` values cuts the cube into ``S`` sets; a set ``C`` whose words have the sum
:math:`s_C` explains :math:`2^{-m}\|s_C\|^2/|C|` of the squares.  Let :math:`\varphi(k)` be the largest
:math:`\|s_C\|^2/k` of :math:`k` words and :math:`\hat\varphi` its least concave majorant: all sets together explain at
most :math:`2^{-m}S\,\hat\varphi(2^m/S)`.

A set that attains :math:`\varphi(k)` is :math:`\{x:\langle s_C,x\rangle>\theta\}`: if :math:`x\in C` gives way to
:math:`y\notin C` the square grows by :math:`2\langle s_C,y-x\rangle+\|y-x\|^2`.  After reflections and exchanges
:math:`s_C` falls and is not negative, and then :math:`C` contains with a word every word whose partial sums are as
large.  These sets are listed, 44315 of them for seven letters; a set and its complement have opposite sums.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise, product

from theorytools.errors import BudgetError

Set = int  # a set of words, as a mask
_LETTERS = 7


@cache
def least_error(m: int, S: int, balls: bool = False) -> Fraction:
    """Return a lower bound of the sum of the squared errors at ``m`` random signs, over all encoders with ``S`` values.

    Parameters
    ----------
    m, S : number of signs, and of values.
    balls : a spoiled bound, from sets around one word only; for a control.

    Raises
    ------
    BudgetError : more than seven signs.
    """
    if 2**m <= S:
        return Fraction(0)
    squares = _nested(m) if balls else largest_squares(m)
    x, hull = Fraction(2**m, S), _majorant([(k, Fraction(square, k)) for k, square in enumerate(squares) if k])
    (a, low), (b, high) = next(pair for pair in pairwise(hull) if x <= pair[1][0])
    return m - Fraction(S, 2**m) * (low + (high - low) * (x - a) / (b - a))


@cache
def largest_squares(m: int) -> tuple[int, ...]:
    r"""Return the largest :math:`\|s_C\|^2` over all sets of :math:`0,1,\dots,2^m` words of ``m`` signs."""
    if m > _LETTERS:
        raise BudgetError(f"{m} signs", required=f"at most {_LETTERS}", why="all monotone sets of words are listed")
    words = list(product((1, -1), repeat=m))
    above = _above(words)
    level: dict[Set, tuple[int, ...]] = {0: (0,) * m}
    squares = [0]
    for _ in range(2 ** (m - 1)):
        grown: dict[Set, tuple[int, ...]] = {}
        for chosen, total in level.items():
            for i, word in enumerate(words):
                if not chosen >> i & 1 and not above[i] & ~chosen and (new := chosen | 1 << i) not in grown:
                    grown[new] = tuple(a + b for a, b in zip(total, word, strict=True))
        level = grown
        squares.append(max(sum(a * a for a in total) for total in level.values()))
    return (*squares, *squares[-2::-1]) if m else (0, 0)


def _above(words: list[tuple[int, ...]]) -> list[Set]:
    """For each word the others whose partial sums are as large."""
    sums = [tuple(accumulate(word)) for word in words]
    return [
        sum(1 << j for j, b in enumerate(sums) if j != i and all(x >= y for x, y in zip(b, a, strict=True)))
        for i, a in enumerate(sums)
    ]


def _nested(m: int) -> list[int]:
    ordered = sorted(product((1, -1), repeat=m), key=sum, reverse=True)
    return [sum(sum(column) ** 2 for column in zip(*ordered[:k], strict=True)) for k in range(2**m + 1)]


def _majorant(points: list[tuple[int, Fraction]]) -> list[tuple[int, Fraction]]:
    """The corners of the least concave majorant of points with ascending abscissae."""
    hull: list[tuple[int, Fraction]] = []
    for x, y in points:
        while len(hull) >= 2:
            (a, low), (b, high) = hull[-2:]
            if (high - low) * (x - a) > (y - low) * (b - a):
                break
            hull.pop()
        hull.append((x, y))
    return hull
