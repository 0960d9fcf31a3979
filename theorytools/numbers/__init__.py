"""The one place that touches python-flint: enclosures, exact ends, powers, the sympy evaluator, rationals."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from theorytools.numbers.balls import KeptAtPrecision, at_precision, working_precision
from theorytools.numbers.combine import between, euclidean, maximum, minimum, total, union
from theorytools.numbers.enclosure import Enclosure, ipow, power, root
from theorytools.numbers.endpoint import (
    NEGATIVE_INFINITY,
    POSITIVE_INFINITY,
    End,
    float_lower,
    float_upper,
)
from theorytools.numbers.linear_algebra import (
    ball_matmul,
    first_independent,
    rational_dot,
    rational_inverse,
    rational_product,
    rational_rank,
    solve_ball,
    solve_rational,
)
from theorytools.numbers.quadrature import integrate
from theorytools.numbers.rational import fraction, over_one, quick, shortest_fraction
from theorytools.numbers.special import chi_square_tail, pi

if TYPE_CHECKING:
    from theorytools.numbers.formulas import evaluate, evaluator
    from theorytools.numbers.logic import decide, truth

__all__ = [
    "NEGATIVE_INFINITY",
    "POSITIVE_INFINITY",
    "Enclosure",
    "End",
    "KeptAtPrecision",
    "at_precision",
    "ball_matmul",
    "between",
    "chi_square_tail",
    "decide",
    "euclidean",
    "evaluate",
    "evaluator",
    "first_independent",
    "float_lower",
    "float_upper",
    "fraction",
    "integrate",
    "ipow",
    "maximum",
    "minimum",
    "over_one",
    "pi",
    "power",
    "quick",
    "rational_dot",
    "rational_inverse",
    "rational_product",
    "rational_rank",
    "root",
    "shortest_fraction",
    "solve_ball",
    "solve_rational",
    "total",
    "truth",
    "union",
    "working_precision",
]

# these import sympy, which arithmetic does not need
_LATER = {"evaluate": "formulas", "evaluator": "formulas", "truth": "logic", "decide": "logic"}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
