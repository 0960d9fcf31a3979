r"""One sympy expression, evaluated rigorously: a whitelist translation into :class:`Enclosure` arithmetic.

Every node class has its own translation; any other node is refused.  (A printer that inherits translations
falls back to ``math.erf`` or ``math.gamma`` for nodes it was not asked about, and encloses a rounded number.)
Rational arithmetic stays exact, and so does what is rational by way of logarithms: ``exp(c*log(2))`` is
``2**c`` and ``log(N)/log(2)`` is an integer at powers of two.
"""

from __future__ import annotations

import numbers
from functools import lru_cache
from typing import Any

import sympy

from theorytools.algebra.rigorous.enclosure import Enclosure
from theorytools.algebra.rigorous.lookup import Environment, Evaluator, environment, show
from theorytools.algebra.rigorous.nodes import compile_node
from theorytools.errors import DomainError


def evaluator(expr: Any) -> Evaluator:
    r"""Return the function that maps values of the letters to an enclosure of the expression.

    Parameters
    ----------
    expr : sympy expression, int or Fraction
        Without floats.

    Returns
    -------
    callable
        ``f(env)`` at the ambient precision; ``env`` maps symbol *names* to enclosures or exact numbers.
        Where the expression is undefined (a root or logarithm that may be of a negative number, a pole) the
        result is the whole line.

    Raises
    ------
    DomainError
        For a node without a rigorous translation; on evaluation, for a letter without a value.
    """
    if isinstance(expr, numbers.Rational) and not isinstance(expr, bool | sympy.Basic):
        expr = sympy.Rational(int(expr.numerator), int(expr.denominator))
    if not isinstance(expr, sympy.Expr):
        raise DomainError(
            f"{show(expr)} of type {type(expr).__name__}",
            required="a sympy expression, an int or a Fraction",
            why="only exact formulas have a rigorous value",
            advice="Rational('0.1') for a float; truth(condition, env) for a relation",
        )
    return _compiled(expr)


def evaluate(expr: Any, env: Environment | None = None) -> Enclosure:
    """Return an enclosure of the expression at these letters, at the ambient precision."""
    return evaluator(expr)(environment(env))


@lru_cache(maxsize=4096)
def _compiled(expr: sympy.Expr) -> Evaluator:
    return compile_node(expr, None)
