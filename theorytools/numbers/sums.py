r"""Finite sums and harmonic numbers: exact while fractions are short, enclosed beyond, within a limit of terms."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, fmpq

from theorytools.errors import BudgetError
from theorytools.numbers.balls import whole_line
from theorytools.numbers.enclosure import Enclosure, wrap
from theorytools.numbers.special import digamma, hurwitz, integer, zeta

TERMS = 1 << 17  # of one sum, those of the sums within it counted too
_FRACTION_BITS = 1 << 16  # a partial sum with longer fractions is rounded outward: adding them is what takes the time
_SHORT = 16  # so few terms are added one after the other
_EXACT_HARMONIC = 20_000  # H_20000 has 29,000 bits


class _Work:
    """How many terms the outermost sum that is being evaluated has spent."""

    terms, open = 0, False


def finite_sum(low: Enclosure, high: Enclosure, term: Callable[[int], Enclosure], what: str = "a sum") -> Enclosure:
    r"""Return :math:`\sum_{k=a}^bf(k)`, 0 where :math:`b<a`; the whole line where an end is not certainly an integer.

    Parameters
    ----------
    low, high : the ends, both included.
    term : from an integer to the enclosure of that term.
    what : the sum, for the message.

    Raises
    ------
    BudgetError : more terms than ``TERMS``, with those of sums within it.

    Examples
    --------
    >>> finite_sum(Enclosure(1), Enclosure(4), lambda k: 1 / Enclosure(k))
    Enclosure(25/12)
    """
    first, last = integer(low), integer(high)
    if first is None or last is None:
        return wrap(whole_line())
    if last < first:
        return Enclosure(0)
    outermost = not _Work.open
    if outermost:
        _Work.open, _Work.terms = True, 0
    try:
        _Work.terms += last - first + 1
        if _Work.terms > TERMS:
            raise BudgetError(
                f"{what} from {first} to {last}", required=f"at most {TERMS} terms, those of inner sums counted",
                why="it is added term by term", advice="a closed form such as harmonic(N), or a smaller point",
            )  # fmt: skip
        return _added(first, last, term)
    finally:
        if outermost:
            _Work.open = False


def _added(first: int, last: int, term: Callable[[int], Enclosure]) -> Enclosure:
    """Add halves: fractions then grow evenly, and a ball collects as many roundings as the tree is high."""
    if last - first >= _SHORT:
        middle = (first + last) // 2
        return _short(_added(first, middle, term) + _added(middle + 1, last, term))
    result = term(first)
    for k in range(first + 1, last + 1):
        result = result + term(k)
    return _short(result)


def _short(box: Enclosure) -> Enclosure:
    return box if not box.exact or box.value.height_bits() <= _FRACTION_BITS else wrap(arb(box.value))


def harmonic(n: Enclosure, order: Enclosure) -> Enclosure:
    r"""Return :math:`H_n^{(m)}=\sum_{k=1}^nk^{-m}`, exact for a small integer ``n`` and an integer ``m``.

    Beyond, and for other numbers, :math:`H_n=\psi(n+1)+\gamma` and
    :math:`H_n^{(m)}=\zeta(m)-\zeta(m,n+1)` for :math:`m>1,\ n>-1`; the whole line where neither is defined.
    """
    k, m = integer(n), integer(order)
    if k == 0:
        return Enclosure(0)
    if k is not None and m is not None and 0 < k <= _EXACT_HARMONIC and abs(m) * k <= _FRACTION_BITS:
        if m == 1:
            return Enclosure(fmpq.harmonic(k))
        return _added(1, k, lambda j: wrap(fmpq(j) ** -m))
    if m == 1:
        return digamma(n + 1) + wrap(arb.const_euler())
    return zeta(order) - hurwitz(order, n + 1)
