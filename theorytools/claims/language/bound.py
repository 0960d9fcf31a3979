r"""The right side of an inequality: one sympy expression, and everything that follows from it.

LaTeX, MathML, the float value, rigorous enclosures at any precision, the exponent at infinity and the
log-log slope on a window are all read off the same expression; nothing is typed twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy

from theorytools.arguments.checked import Precision, checked
from theorytools.claims.language.estimate import Recipe, certain, enclosed, exactly, observed
from theorytools.errors import DomainError
from theorytools.notebook import bound_html
from theorytools.numbers import Enclosure, at_precision, total
from theorytools.numbers.enclosure import EXACT_BITS
from theorytools.numbers.float_result import FloatResult
from theorytools.numbers.formulas import evaluate, evaluator
from theorytools.numbers.rational import shortest_fraction

Values = Mapping[str, Any]
_UNDEFINED = (sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, sympy.I, sympy.AccumBounds)

# integers up to which sympy may write out the exact value; beyond it is left to be enclosed
_WRITTEN_OUT = {sympy.harmonic: 2_000, sympy.polygamma: 2_000, sympy.zeta: 200, sympy.factorial: 10_000}


def expression(value: Any, what: str = "a bound") -> sympy.Expr:
    """Return ``value`` as a sympy expression; floats are refused, since 0.1 is not 1/10 in binary."""
    if isinstance(value, Bound):
        return value.expr
    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    if type(value) is int:
        return sympy.Integer(value)
    try:
        result = sympy.sympify(value, strict=True)
    except (sympy.SympifyError, TypeError):
        result = None
    if not isinstance(result, sympy.Expr):
        raise DomainError(f"{what} of type {type(value).__name__}", required="a sympy expression, int or Fraction")
    if result.has(sympy.Float):
        raise DomainError(
            f"a float in {what}: {result}",
            required="exact numbers",
            why="a float is a binary fraction and would be certified as such",
            advice="write Rational(1, 10) or Rational('0.1')",
        )
    if any(end.is_infinite for total in result.atoms(sympy.Sum) for _, *ends in total.limits for end in ends):
        evaluator(result)  # says what to write in place of an infinite sum
    if result.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo):
        raise DomainError(f"{what} that is not a finite formula: {result}", required="a finite expression")
    return result


def resolve(value: Any) -> Enclosure:
    """Return one letter's value as an enclosure at the ambient precision.

    A value is an exact number, a sympy number, or a *recipe*: a callable without arguments that computes at the
    ambient precision, so that it can be refined.
    """
    if callable(value) and not isinstance(value, sympy.Basic):
        value = value()
    if isinstance(value, sympy.Basic):
        return evaluate(value, {})
    return certain(value, "the value of a letter")


def enclose(expr: sympy.Expr, values: Values) -> Enclosure:
    """Return an enclosure of ``expr`` at these letters, at the ambient precision."""
    return evaluate(expr, {name: resolve(values[name]) for name in _letters(expr) if name in values})


@lru_cache(maxsize=4096)
def _letters(expr: sympy.Expr) -> frozenset[str]:
    return frozenset(symbol.name for symbol in expr.free_symbols)


def substitute(expr: sympy.Expr, values: Values) -> sympy.Expr:
    r"""Put exact letters into the expression where one of them is irrational.

    sympy then simplifies :math:`e^{\beta(1-\rho)}` at :math:`\beta=\frac{67}2\log2`, :math:`\rho=\frac{25}{67}` to
    :math:`2^{21}`, and the bound stays rational.  Where it is undefined the expression is left as it was, to be
    enclosed by the whole line.
    """
    if not any(isinstance(values.get(name), sympy.Basic) for name in _letters(expr)):
        return expr
    exact = {
        s: values[s.name] for s in expr.free_symbols if isinstance(values.get(s.name), int | Fraction | sympy.Basic)
    }
    if all(isinstance(value, int | Fraction | sympy.Rational) for value in exact.values()):
        return expr
    number = exact_value(expr, {s: expression(value) for s, value in exact.items()})
    return expr if number is None else number


def exact_value(expr: sympy.Expr, values: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Expr | None:
    r"""Put exact values into an expression from the leaves up; None where a part of it is undefined or too long.

    sympy alone forgets that a part was undefined: :math:`1/\log x` at 0 becomes 0, and
    :math:`\sqrt{-1}\sqrt{-2}` a negative number.  A power of more than two million bits is not written out.
    """
    if expr in values:
        return values[expr]
    if not expr.args:
        return expr
    if isinstance(expr, sympy.Sum | sympy.Piecewise):  # an index is no letter, and a case is decided by enclosures
        return None
    parts = [exact_value(part, values) for part in expr.args]
    if any(part is None for part in parts):
        return None
    if all(new is old for new, old in zip(parts, expr.args, strict=True)):
        return expr
    if _too_long(expr.func, parts):
        return None
    try:
        number = expr.func(*parts)
    except (TypeError, ValueError):  # an extremum of what cannot be compared
        return None
    return None if number.has(*_UNDEFINED) or getattr(number, "is_extended_real", True) is False else number


def _too_long(node: Any, parts: Sequence[Any]) -> bool:
    """Whether sympy would write out a number of enormous length: a power, the exponential of a logarithm, a sum."""
    if node is sympy.Pow and isinstance(parts[0], sympy.Rational) and isinstance(parts[1], sympy.Rational):
        bits = max(abs(int(parts[0].p)), int(parts[0].q)).bit_length()
        return bool(abs(parts[1]) * (bits - 1) > EXACT_BITS)
    if node in _WRITTEN_OUT and any(
        isinstance(part, sympy.Integer) and abs(part) > _WRITTEN_OUT[node] for part in parts
    ):
        return True
    if node is sympy.exp and not parts[0].free_symbols and parts[0].has(sympy.log):
        return abs(evaluate(parts[0], {})).certainly_le(EXACT_BITS) is not True
    return False


def recipe(expr: sympy.Expr, values: Values) -> Recipe:
    """Return the ladder of enclosures of ``expr`` at these letters."""
    expr = substitute(expr, values)
    return enclosed(lambda: enclose(expr, values))


@dataclass(frozen=True)
class Bound:
    r"""One symbolic expression in the paper's letters.

    Parameters
    ----------
    expr : sympy expression with exact numbers only.

    Raises
    ------
    DomainError : a float among the numbers, or an expression that is not finite.

    Examples
    --------
    >>> N = sympy.Symbol("N", positive=True)
    >>> b = Bound(N * sympy.log(N))
    >>> b.latex(), b(N=1), b.exponent(N), round(float(b.slope(N, [4, 8, 16])), 3)
    ('N \\log{\\left(N \\right)}', 0.0, 1, 1.5)
    """

    expr: sympy.Expr

    def __post_init__(self) -> None:
        object.__setattr__(self, "expr", expression(self.expr))

    @property
    def letters(self) -> tuple[str, ...]:
        """The names of the letters, sorted."""
        return tuple(sorted(symbol.name for symbol in self.expr.free_symbols))

    _repr_html_ = bound_html

    def latex(self) -> str:
        """The expression in LaTeX."""
        return str(sympy.latex(self.expr))

    def mathml(self) -> str:
        """The expression in presentation MathML (the inner part of a ``<math>`` element)."""
        return str(sympy.mathml(self.expr, printer="presentation"))

    def __call__(self, **letters: Any) -> float:
        """Return :meth:`value`."""
        return self.value(**letters)

    def value(self, **letters: Any) -> float:
        """Return the value in doubles at these letters (the middle of a 128-bit enclosure).

        Parameters
        ----------
        letters : a number for each of :attr:`letters`; floats mean their shortest decimal.

        Returns
        -------
        float : accurate to rounding.

        Raises
        ------
        DomainError : a letter without a value.
        """
        return float(self.enclosure(128, **letters))

    @checked
    def enclosure(self, bits: Precision = 64, **letters: Any) -> Enclosure:
        """Return a rigorous enclosure of the value.

        Parameters
        ----------
        bits : precision of the arithmetic.
        letters : a number for each of :attr:`letters`; floats mean their shortest decimal.

        Returns
        -------
        Enclosure : certainly holds the value; rational where sympy finds it so.

        Raises
        ------
        DomainError : a letter without a value.
        """
        values = self._exact(letters)
        return at_precision(bits, lambda: enclose(self.expr, values))

    @checked
    def exponent(self, letter: sympy.Symbol) -> sympy.Expr:
        r"""Return :math:`\lim\log b/\log N` as the letter tends to infinity, by sympy; the other letters stay symbolic.

        Parameters
        ----------
        letter : the symbol that grows.

        Returns
        -------
        sympy.Expr : the exponent, such as ``1/2``.

        Raises
        ------
        DomainError : sympy finds no limit.
        """
        positive = sympy.Dummy("N", positive=True)
        expr = self.expr.xreplace({letter: positive})
        # N b'/b has the same limit as log b / log N where it exists (l'Hopital) and is easier for sympy
        try:
            limit = sympy.limit(sympy.simplify(positive * sympy.diff(expr, positive) / expr), positive, sympy.oo)
        except NotImplementedError:  # of a maximum, say
            limit = sympy.nan
        if limit.has(sympy.Limit, sympy.AccumBounds, sympy.Derivative) or limit is sympy.nan:
            raise DomainError(f"the exponent of {self.expr} in {letter}", required="a limit that sympy finds")
        return limit

    @checked
    def slope(
        self, letter: sympy.Symbol, window: Sequence[int | Fraction], *, bits: Precision = 128, **others: Any
    ) -> Enclosure:
        """Return an enclosure of the least-squares log-log slope over the points of ``window``.

        Parameters
        ----------
        letter : the symbol of the sizes.
        window : two or more distinct positive sizes.
        bits : precision of the arithmetic.
        others : a number for each other letter.

        Returns
        -------
        Enclosure : the slope.

        Raises
        ------
        DomainError : a window that does not fit, or a letter without a value.
        """
        points = [shortest_fraction(x) for x in window]
        if len(set(points)) < 2 or min(points) <= 0:
            raise DomainError(f"the window {list(window)}", required="at least two distinct positive points")

        def compute() -> Enclosure:
            logs = [Enclosure(x).log() for x in points]
            heights = [enclose(self.expr, self._exact({**others, letter.name: x})).log() for x in points]
            return least_squares_slope(logs, heights)

        return at_precision(bits, compute)

    def _exact(self, letters: Values) -> dict[str, Any]:
        missing = set(self.letters) - set(letters)
        if missing:
            raise DomainError(
                f"no value for {', '.join(sorted(missing))}",
                required=f"a value for each of {', '.join(self.letters)}",
                advice=f"bound.value({', '.join(f'{name}=…' for name in self.letters)})",
            )
        return {
            n: v if isinstance(v, Enclosure | sympy.Basic) or callable(v) else shortest_fraction(v)
            for n, v in letters.items()
        }


def least_squares_slope(x: Iterable[Enclosure], y: Iterable[Enclosure]) -> Enclosure:
    r"""Return :math:`\sum(x_i-\bar x)y_i/\sum(x_i-\bar x)^2` in enclosures."""
    xs, ys = list(x), list(y)
    mean = total(xs) / len(xs)
    centred = [value - mean for value in xs]
    return total(c * v for c, v in zip(centred, ys, strict=True)) / total(c**2 for c in centred)


def as_recipe(value: Any, what: str = "a measured value") -> Recipe:
    """Return a recipe from a recipe, an exact number or a callable computing at the ambient precision."""
    if isinstance(value, Recipe):
        return value
    if callable(value):
        return enclosed(value)
    if isinstance(value, FloatResult):
        return observed(value)
    if not (number := certain(value, what)).exact:
        raise DomainError(f"{what}: a ball at one precision", required="a callable", advice="enclosed(lambda: ...)")
    return exactly(number)
