r"""Fano's inequality for a memory: how often the best read-out of few bits can name a stored symbol.

Symbols :math:`s_1,\dots,s_N` are independent and uniform on :math:`\Sigma`, a memory of :math:`B` bits holds a function
of them, and a uniform position is asked.  A read-out that errs with probability :math:`\varepsilon` needs

.. math:: B\ge N\bigl[\log_2|\Sigma|-h_2(\varepsilon)-\varepsilon\log_2(|\Sigma|-1)\bigr],\qquad
          h_2(\varepsilon)=-\varepsilon\log_2\varepsilon-(1-\varepsilon)\log_2(1-\varepsilon),

because :math:`B\ge I(s;h)\ge\sum_pI(s_p;h)`, Fano bounds each term, and the bracket is convex in
:math:`\varepsilon`.  It falls from :math:`\log_2|\Sigma|` to 0 on :math:`0\le\varepsilon\le1-1/|\Sigma|` and rises
again beyond; the inverse on this branch is the ceiling of the accuracy.

References
----------
Cover, Thomas (2006), Elements of Information Theory, Theorem 2.10.1; for index lookup derived here.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from theorytools.arguments.checked import STEPS, NonNegativeInt, Real, at_most, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, between, working_precision
from theorytools.numbers.special import log_quotient

_WHY = "Fano's inequality for a uniform symbol"


@checked
def binary_entropy(x: Real) -> Enclosure:
    """Return the entropy of a coin in bits, exact at 0, 1/2 and 1; the whole line outside [0, 1].

    Examples
    --------
    >>> float(binary_entropy(0)), float(binary_entropy(Fraction(1, 2))), round(float(binary_entropy(Fraction(1, 8))), 4)
    (0.0, 1.0, 0.5436)
    """
    x = Enclosure(x)
    return -_plogp(x) - _plogp(1 - x)


@checked
def fano_bits(error: Real, letters: int = 2) -> Enclosure:
    r"""Return the bits per symbol that a read-out with error :math:`\varepsilon` needs, the bracket of this module.

    Exact at the two ends of the branch where that is rational.

    Parameters
    ----------
    error : probability that a symbol is read wrongly, an exact number.
    letters : size of the alphabet.

    Returns
    -------
    Enclosure : in bits.

    Raises
    ------
    DomainError
        For fewer than two letters, or an error that is not certainly in :math:`[0,1-1/|\Sigma|]`.

    References
    ----------
    Cover, Thomas (2006), Elements of Information Theory, Theorem 2.10.1; for index lookup derived here.

    Examples
    --------
    >>> fano_bits(0), fano_bits(Fraction(1, 2)), round(float(fano_bits(Fraction(1, 10))), 6)
    (Enclosure(1), Enclosure(0), 0.531004)
    """
    _letters(letters)
    box, chance = Enclosure(error), 1 - Fraction(1, letters)
    if not (box.lower >= 0 and box.upper <= Enclosure(chance).lower):
        raise DomainError(f"error = {error!r}", required=f"0 <= error <= {chance}", why="beyond, guessing does better")
    if box.exact and box.fraction() == chance:
        return Enclosure(0)
    return _log2(letters) - binary_entropy(box) - box * _log2(letters - 1)


@checked
def fano_accuracy(bits: Real, letters: int = 2) -> Enclosure:
    r"""Return the largest accuracy that Fano's inequality allows for a memory of so many bits per symbol.

    The inverse of :func:`fano_bits`, by bisection through signs of enclosures on the falling branch; 1 from
    :math:`\log_2|\Sigma|` bits on, exactly :math:`1/|\Sigma|` for none.

    Parameters
    ----------
    bits : :math:`B/N`, exact or an enclosure.
    letters : :math:`|\Sigma|`.

    Raises
    ------
    DomainError
        For fewer than two letters, or bits that may be negative.

    Examples
    --------
    >>> round(float(fano_accuracy(Fraction(4, 7))), 4), float(fano_accuracy(1)), float(fano_accuracy(0, letters=4))
    (0.9124, 1.0, 0.25)
    """
    _letters(letters)
    box = Enclosure(bits)
    if not box.lower >= 0:
        raise DomainError(f"bits = {bits!r}", required="bits >= 0", why=_WHY)
    if _log2(letters).certainly_le(box):
        return Enclosure(1)
    if box.exact and box.fraction() == 0:
        return Enclosure(Fraction(1, letters))
    low, high = Fraction(0), 1 - Fraction(1, letters)
    for _ in range(2 * working_precision()):
        for part in (2, 1, 3):  # a point that is the root itself stays undecided: then a quarter further
            point = low + (high - low) * part / 4
            enough = fano_bits(point, letters).certainly_le(box)
            if enough is not None:
                low, high = (low, point) if enough else (point, high)
                break
        else:
            break  # the ambient precision ends here
    return 1 - between(low, high)


@checked
@at_most(N=STEPS)
def fano_ceiling(states: int, N: NonNegativeInt, letters: int = 2) -> Enclosure:
    r"""Return the ceiling of the accuracy for a memory with so many states, :math:`B=\log_2(\text{states})`.

    Parameters
    ----------
    states : states reached after :math:`N` symbols, at least 1.
    N, letters : length of the words and size of the alphabet.

    Examples
    --------
    >>> [round(float(fano_ceiling(S, N)), 4) for S, N in ((15, 10), (46, 12), (57, 14), (16, 7))]
    [0.8502, 0.8764, 0.8603, 0.9124]
    """
    if states < 1 or N < 1:
        raise DomainError(f"{states} states, N = {N}", required="at least one state and one symbol", why=_WHY)
    _letters(letters)
    if states >= letters**N:  # decided in integers: |Sigma| may be no power of two
        return Enclosure(1)
    return _ceiling(states, N, letters, working_precision())


@lru_cache(maxsize=1024)
def _ceiling(states: int, N: int, letters: int, bits: int) -> Enclosure:
    return fano_accuracy(_log2(states) / N, letters)


@lru_cache(maxsize=1024)
def _logarithm(number: int, bits: int) -> Enclosure:
    return log_quotient(Enclosure(number), Enclosure(2))


def _log2(number: int) -> Enclosure:
    return _logarithm(number, working_precision())


def _plogp(x: Enclosure) -> Enclosure:
    if x.exact and (number := x.fraction()) in (0, 1):
        return Enclosure(0)
    if x.exact and number == Fraction(1, 2):
        return Enclosure(-number)
    return x * x.log() / Enclosure(2).log()


def _letters(letters: int) -> None:
    if letters < 2:
        raise DomainError(f"{letters} letters", required="at least 2", why=_WHY)
