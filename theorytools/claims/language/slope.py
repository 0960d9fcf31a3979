r"""Log-log slopes: that of a formula on a window, as the right side of a statement, and that of a known curve.

A measured slope is compared with the least-squares slope of the bound *on the window that was measured*, never with
the exponent at infinity: :math:`N\log N` has the exponent 1, and on :math:`N=4,\dots,24` the slope 1.46.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from theorytools.arguments.checked import checked
from theorytools.claims.language.bound import as_recipe, least_squares_slope
from theorytools.claims.language.estimate import Budget, Estimate, Recipe, certain, enclosed, exactly
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure
from theorytools.numbers.rational import shortest_fraction


class LogLogSlope(sympy.Expr):  # type: ignore[misc]  # sympy has no types
    r"""The least-squares slope of :math:`\log b(N)` against :math:`\log N`, on a window that is not yet known.

    ``LogLogSlope(b, N)``; the letter ``N`` is bound, the other letters of ``b`` are free.
    """

    @property
    def curve(self) -> sympy.Expr:
        """The formula whose slope is meant."""
        return self.args[0]

    @property
    def variable(self) -> sympy.Symbol:
        """The letter against which the slope is taken."""
        return self.args[1]

    @property
    def free_symbols(self) -> set[sympy.Symbol]:
        """The letters of the curve except the bound one."""
        return set(self.curve.free_symbols) - {self.variable}

    def _eval_is_real(self) -> bool:
        return True

    def over(self, window: Sequence[Any]) -> sympy.Expr:
        r"""Return :math:`\sum_i(x_i-\bar x)\log b(N_i)/\sum_i(x_i-\bar x)^2` with :math:`x_i=\log N_i`."""
        sizes = checked_window(window)
        if self.variable not in self.curve.free_symbols:
            return sympy.Integer(0)
        at = [sympy.Rational(size.numerator, size.denominator) for size in sizes]
        x = [sympy.log(size) for size in at]
        centred = [value - sympy.Add(*x) / len(x) for value in x]
        heights = [sympy.log(self.curve.xreplace({self.variable: size})) for size in at]
        return sympy.Add(*(c * h for c, h in zip(centred, heights, strict=True))) / sympy.Add(*(c**2 for c in centred))

    def _latex(self, printer: Any) -> str:
        return rf"\operatorname{{slope}}_{{{printer.doprint(self.variable)}}}\left({printer.doprint(self.curve)}\right)"

    def _sympystr(self, printer: Any) -> str:
        return f"slope of {printer.doprint(self.curve)} in {printer.doprint(self.variable)}"


def checked_window(window: Sequence[Any]) -> list[Fraction]:
    """Return the sizes of a window exactly; ``DomainError`` unless two or more are distinct, and all positive."""
    sizes = [shortest_fraction(size) for size in window]
    if len(set(sizes)) < 2 or min(sizes) <= 0:
        raise DomainError(f"the window {list(window)}", required="at least two distinct positive sizes")
    return sizes


def slopes_in(expr: sympy.Expr) -> list[LogLogSlope]:
    """Return the slopes that occur in an expression."""
    return sorted(expr.atoms(LogLogSlope), key=str)


def over_window(expr: sympy.Expr, window: Sequence[Any]) -> sympy.Expr:
    """Return the expression with every slope taken on this window: a formula in the free letters."""
    return expr.xreplace({slope: slope.over(window) for slope in slopes_in(expr)})


def without_slopes(expr: sympy.Expr) -> sympy.Expr:
    """Return the expression with every slope replaced by its curve: what must have a rigorous value."""
    return expr.xreplace({slope: slope.curve for slope in slopes_in(expr)})


def window_text(window: Sequence[Any]) -> list[int | str]:
    """Return the sizes of a window as JSON types: integers, and other rationals as text."""
    return [int(size) if size.denominator == 1 else str(size) for size in checked_window(window)]


def on_window(recipe: Recipe, window: Sequence[Any]) -> Recipe:
    """Return the recipe of a slope with the window it was taken on, which a statement about slopes asks for."""
    shown = window_text(window)

    def steps(alpha: float, budget: Budget) -> Iterator[Estimate]:
        for step in recipe.steps(alpha, budget):
            yield replace(step, work={**step.work, "window": shown})

    return Recipe(recipe.evidence, steps)


@checked
def curve_slope(window: Sequence[Any], heights: Sequence[int | Fraction | Callable[[], Enclosure]]) -> Recipe:
    """Return the recipe of the least-squares log-log slope of a curve that is known at every size.

    Parameters
    ----------
    window : distinct positive sizes, two or more.
    heights : the positive values there: exact numbers, or callables computing at the ambient precision.

    Returns
    -------
    Recipe : an enclosed number.

    Raises
    ------
    DomainError
        For a window or a number of heights that does not fit, or an exact height that is not positive.

    Examples
    --------
    >>> str(next(curve_slope([1, 2, 4], [3, 12, 48]).steps(0.0, Budget())))
    '2'
    """
    sizes = checked_window(window)
    if len(heights) != len(sizes):
        raise DomainError(f"{len(heights)} heights", required=f"one for each of {len(sizes)} sizes")
    exact = [certain(h, "a height") for h in heights if not callable(h)]
    if any(h.certainly_le(0) for h in exact):
        raise DomainError("a height that is not positive", required="positive heights", why="they have no logarithm")
    if len(exact) == len(heights) and len({h.lower for h in exact}) == 1:
        return on_window(exactly(0), window)

    def compute() -> Enclosure:
        values = [h() if callable(h) else certain(h) for h in heights]
        return least_squares_slope([Enclosure(size).log() for size in sizes], [value.log() for value in values])

    return on_window(as_recipe(enclosed(compute)), window)
