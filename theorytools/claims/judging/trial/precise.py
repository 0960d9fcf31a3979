"""Numbers of 250 bits that behave as doubles do, so that a check's own float code can be run again with them.

They are no enclosures and prove nothing: where a result in doubles differs from the one here by more than rounding,
the doubles had lost it.  What rounding at 250 bits leaves of a tie is taken away: two numbers that agree to 200 bits
compare as equal, and a number that agrees to 200 bits with a small fraction is that fraction.
"""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np

from theorytools.errors import BudgetError

BITS = 250
NOISE_BITS = 200  # what fifty lost bits, some 2^50 roundings of a sum without cancellation, leave
DENOMINATORS = 2**40  # two of their fractions differ by 2^-80 at least: 200 bits tell which one is meant
OPERATIONS = 200_000  # of one run; a tenth of a second to a second
_context = mpmath.MPContext()
_context.prec = BITS


_left = [OPERATIONS]
_UNARY = {
    **{name: name for name in (
        "sqrt", "exp", "log10", "log1p", "expm1", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
        "tanh", "asinh", "acosh", "atanh", "gamma", "erf", "erfc", "fabs", "radians", "degrees",
    )},
    "lgamma": "loggamma", "arctan": "atan", "arcsin": "asin", "arccos": "acos",
}  # fmt: skip
_INTEGRAL = frozenset({"power", "absolute", "sum", "prod", "dot", "cumsum", "cumprod"})
NUMPY = frozenset(_UNARY) | _INTEGRAL | {"log", "log2", "exp2", "hypot", "mean", "var"}


@contextmanager
def limited() -> Iterator[None]:
    """Give the run in this block its operations; beyond them it ends with a ``BudgetError``."""
    _left[0] = OPERATIONS
    try:
        yield
    finally:
        _left[0] = OPERATIONS


def _spend(operations: int = 1) -> None:
    _left[0] -= operations
    if _left[0] < 0:
        raise BudgetError(f"more than {OPERATIONS} operations at {BITS} bits", required="a small run")


def _mpf(value: Any) -> Any:
    """The number at 250 bits, None of anything that is none."""
    if isinstance(value, Precise):
        return value.value
    if isinstance(value, numbers.Rational):
        return _context.mpf(int(value.numerator)) / int(value.denominator)
    if isinstance(value, float | np.floating) and math.isfinite(value):
        top, bottom = value.as_integer_ratio()
        return _context.mpf(int(top)) / int(bottom)
    return _context.mpf(float(value)) if isinstance(value, float | np.floating) else None


def _binary(apply: Callable[[Any, Any], Any], *, reverse: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        right = _mpf(other)
        if right is None:
            return NotImplemented
        _spend()
        left = self.value
        return Precise(apply(right, left) if reverse else apply(left, right))

    return method


def _compare(apply: Callable[[int, int], bool]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        right = _mpf(other)
        if right is None:
            return NotImplemented
        _spend()
        gap = self.value - right
        noise = max(abs(self.value), abs(right)) * _context.ldexp(1, -NOISE_BITS)
        return apply(0 if abs(gap) <= noise else 1 if gap > 0 else -1, 0)

    return method


def _power(base: Any, exponent: Any) -> Any:
    result = base**exponent
    if isinstance(result, _context.mpc):
        raise ValueError("a power that is no real number")
    return result


class Precise(numbers.Real):
    """A real number of 250 bits.

    Parameters
    ----------
    value : a decimal text, a rational, a float (its exact value), or another such number.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        if isinstance(value, _context.mpf):
            self.value = value
        elif isinstance(value, str):
            self.value = _context.mpf(value)
        else:
            self.value = _mpf(value)
            if self.value is None:
                raise TypeError(f"{value!r:.60} is no real number")

    def exact(self) -> Fraction:
        """The number as a fraction: the small one that it agrees with to 200 bits, else its own binary value."""
        if not _context.isfinite(self.value):
            raise OverflowError("an infinite number as a fraction")
        sign, top, power, _ = self.value._mpf_
        own = Fraction(-int(top) if sign else int(top)) * (Fraction(2**power) if power >= 0 else Fraction(1, 2**-power))
        near = own.limit_denominator(DENOMINATORS)
        return near if abs(near - own) <= abs(own) / 2**NOISE_BITS else own

    def as_integer_ratio(self) -> tuple[int, int]:
        """The number as a fraction, which is how an enclosure takes a real number."""
        return self.exact().as_integer_ratio()

    def __float__(self) -> float:
        return float(self.value)

    def __trunc__(self) -> int:
        return math.trunc(self.exact())

    __int__ = __trunc__

    def __floor__(self) -> int:
        return math.floor(self.exact())

    def __ceil__(self) -> int:
        return math.ceil(self.exact())

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.exact()) if digits is None else Precise(round(self.exact(), digits))

    def is_integer(self) -> bool:
        """Whether the number is an integer, as a float says it."""
        return self.exact().denominator == 1

    def __bool__(self) -> bool:
        return bool(self.value != 0)

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.exact())

    def __neg__(self) -> Precise:
        return Precise(-self.value)

    def __pos__(self) -> Precise:
        return self

    def __abs__(self) -> Precise:
        return Precise(abs(self.value))

    __add__, __radd__ = _binary(operator.add), _binary(operator.add, reverse=True)
    __sub__, __rsub__ = _binary(operator.sub), _binary(operator.sub, reverse=True)
    __mul__, __rmul__ = _binary(operator.mul), _binary(operator.mul, reverse=True)
    __truediv__, __rtruediv__ = _binary(operator.truediv), _binary(operator.truediv, reverse=True)
    __pow__, __rpow__ = _binary(_power), _binary(_power, reverse=True)
    __mod__, __rmod__ = _binary(operator.mod), _binary(operator.mod, reverse=True)
    __lt__, __le__ = _compare(operator.lt), _compare(operator.le)
    __gt__, __ge__ = _compare(operator.gt), _compare(operator.ge)
    __eq__, __ne__ = _compare(operator.eq), _compare(operator.ne)

    def __floordiv__(self, other: Any) -> Any:
        quotient = self / other
        return quotient if quotient is NotImplemented else math.floor(quotient)

    def __rfloordiv__(self, other: Any) -> Any:
        return math.floor(other / self)

    def _sympy_(self) -> Any:
        import sympy

        return sympy.Rational(*self.as_integer_ratio())

    def __repr__(self) -> str:
        return f"Precise({_context.nstr(self.value, 20)})"

    def __getattr__(self, name: str) -> Any:
        """The functions that numpy asks of the entries of an array of objects: ``sqrt``, ``exp``, ``log1p``, …"""
        function = getattr(PRECISE_MATH, name, None) if name in _UNARY else None
        if function is None:
            raise AttributeError(name)
        return lambda: function(self)


def _function(name: str) -> Callable[..., Any]:
    there = getattr(_context, _UNARY[name])

    def function(x: Any) -> Any:
        number = _mpf(x)
        if number is None:
            raise TypeError(f"{name}({x!r:.60})")
        _spend()
        found = there(number)
        if isinstance(found, _context.mpc):
            raise ValueError(f"{name}({x!r:.60}) is no real number")
        return Precise(found)

    return function


def _log(x: Any, base: Any = None) -> Precise:
    _spend()
    value = _mpf(x)
    if value is None or value <= 0:
        raise ValueError(f"log({x!r:.60})")
    return Precise(_context.log(value) if base is None else _context.log(value) / _context.log(_mpf(base)))


def _fsum(values: Any) -> Precise:
    return sum(values, Precise(0))


# a logarithm to base two, a power and a distance are what their names say; the rest of math works on integers
PRECISE_MATH: SimpleNamespace = SimpleNamespace(
    **{name: value for name, value in vars(math).items() if not name.startswith("_")}
    | {name: _function(name) for name in _UNARY}
    | {
        "log": _log, "log2": lambda x: _log(x, 2), "pow": lambda x, y: Precise(x) ** y, "fsum": _fsum,
        "exp2": lambda x: Precise(2) ** x, "hypot": lambda *xs: PRECISE_MATH.sqrt(_fsum(Precise(x) ** 2 for x in xs)),
        "atan2": lambda y, x: Precise(_context.atan2(_mpf(y), _mpf(x))),
        "pi": Precise(+_context.pi), "e": Precise(+_context.e), "tau": Precise(2 * _context.pi),
    }
)  # fmt: skip


def _scalar(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating | Precise)


def _each(value: Any, kinds: str = "biuf") -> Any:
    """An array of numbers as one of numbers of 250 bits; anything else as it is."""
    if isinstance(value, np.ndarray) and value.dtype.kind in kinds:
        _spend(value.size)
        return np.vectorize(Precise, otypes=[object])(value) if value.size else value
    return value


def divided(a: Any, b: Any) -> Any:
    """Return ``a / b``, at 250 bits where Python would make a double of it."""
    if _scalar(a) and _scalar(b):
        return Precise(a) / b
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return _each(a) / _each(b)
    return a / b


def raised(a: Any, b: Any) -> Any:
    """Return ``a ** b``, at 250 bits where Python would make a double of it."""
    if isinstance(a, int | Fraction | np.integer) and isinstance(b, Fraction) and b.denominator != 1:
        return Precise(a) ** b
    if _scalar(a) and _scalar(b) and not (isinstance(a, int | np.integer) and isinstance(b, int) and b >= 0):
        return Precise(a) ** b
    return a**b


def as_double(value: Any = 0) -> Any:
    """Return what stands for ``float(value)``."""
    if isinstance(value, str | numbers.Real):
        return Precise(value)
    return float(value)


def as_fraction(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a constructor of rationals that takes numbers of 250 bits, too."""
    return lambda *parts, **named: make(*(p.exact() if isinstance(p, Precise) else p for p in parts), **named)


def as_numpy(function: Any) -> Callable[..., Any]:
    """Return a function of numpy that computes a single number at 250 bits, and arrays of them entry by entry.

    Sums and products of integer arrays make no doubles and stay what they are.
    """
    name = {"absolute": "fabs", "power": "pow"}.get(function.__name__, function.__name__)

    def applied(*arguments: Any, **named: Any) -> Any:
        if not named and hasattr(PRECISE_MATH, name) and all(map(_scalar, arguments)):
            return getattr(PRECISE_MATH, name)(*arguments)
        whole = function.__name__ in _INTEGRAL
        return function(*(_each(a, kinds="f" if whole else "biuf") for a in arguments), **named)

    return applied
