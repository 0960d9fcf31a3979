r"""Rationals that came out of a run in floats: every double is one, and none of them is a fact about the reals.

A :class:`FloatResult` is a fraction that knows where it comes from.  Arithmetic keeps the origin, an enclosure of it is
refused, and what is measured as such a number is OBSERVED, never EXACT.
"""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from theorytools.errors import DomainError


class FloatResult(Fraction):
    """A rational that libraries computed in floats.

    Parameters
    ----------
    value : what came out, a finite float or a rational made of some.
    libraries : the packages whose arithmetic ran, by their names on PyPI.

    Raises
    ------
    DomainError : no library, or no finite number.

    Examples
    --------
    >>> seen = FloatResult(0.1, "numpy")
    >>> type(1 - 2 * seen).__name__, (1 - 2 * seen).libraries
    ('FloatResult', ('numpy',))
    """

    __slots__ = ("libraries",)
    libraries: tuple[str, ...]

    def __new__(cls, value: Any, *libraries: str) -> FloatResult:
        """Return the number with its origin, that of ``value`` included."""
        try:
            made = super().__new__(cls, Fraction(value))
        except (TypeError, ValueError, OverflowError):
            raise DomainError(f"the result {value!r:.60}", required="a finite float or a rational") from None
        known = value.libraries if isinstance(value, FloatResult) else ()
        made.libraries = tuple(sorted({*known, *libraries}))
        if not made.libraries:
            raise DomainError(
                "a result of a run in floats without a library", required="the packages whose arithmetic ran",
                why="an observed number names its machine", advice='FloatResult(value, "numpy")',
            )  # fmt: skip
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return FloatResult, (self.exact, *self.libraries)

    @property
    def exact(self) -> Fraction:
        """The number itself, without its origin."""
        return Fraction(self.numerator, self.denominator)


def _kept(work: Callable[..., Any]) -> Any:
    """An operation of fractions whose result keeps the origin of both sides."""

    def applied(self: FloatResult, *others: Any) -> Any:
        if not all(isinstance(other, numbers.Rational) for other in others):
            return NotImplemented
        origins = [part.libraries for part in (self, *others) if isinstance(part, FloatResult)]
        plain = [part.exact if isinstance(part, FloatResult) else part for part in (self, *others)]
        return FloatResult(work(*plain), *(name for origin in origins for name in origin))

    return applied


for _name in ("add", "sub", "mul", "truediv", "pow"):
    _work = getattr(operator, _name)
    setattr(FloatResult, f"__{_name}__", _kept(_work))
    setattr(FloatResult, f"__r{_name}__", _kept(lambda a, b, work=_work: work(b, a)))
for _name in ("neg", "pos", "abs"):
    setattr(FloatResult, f"__{_name}__", _kept(getattr(operator, _name)))
