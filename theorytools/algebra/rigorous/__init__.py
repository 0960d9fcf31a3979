"""The one place that touches python-flint: enclosures, exact ends, powers, the sympy evaluator, rationals."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from theorytools.algebra.rigorous.combine import between, maximum, minimum, total, union
from theorytools.algebra.rigorous.enclosure import Enclosure
from theorytools.algebra.rigorous.end import (
    NEGATIVE_INFINITY,
    POSITIVE_INFINITY,
    End,
    float_lower,
    float_upper,
)
from theorytools.algebra.rigorous.powers import ipow, power, root
from theorytools.algebra.rigorous.precision import at_precision, working_precision
from theorytools.algebra.rigorous.quadrature import integrate
from theorytools.algebra.rigorous.rational import (
    ball_matmul,
    fraction,
    quick,
    rational_dot,
    rational_inverse,
    rational_product,
    rational_rank,
    shortest_fraction,
    solve_ball,
    solve_rational,
)
from theorytools.algebra.rigorous.special import pi

if TYPE_CHECKING:
    from theorytools.algebra.rigorous.logic import decide, truth
    from theorytools.algebra.rigorous.printer import evaluate, evaluator

__all__ = [
    "NEGATIVE_INFINITY",
    "POSITIVE_INFINITY",
    "Enclosure",
    "End",
    "at_precision",
    "ball_matmul",
    "between",
    "decide",
    "evaluate",
    "evaluator",
    "float_lower",
    "float_upper",
    "fraction",
    "integrate",
    "ipow",
    "maximum",
    "minimum",
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
_LATER = {"evaluate": "printer", "evaluator": "printer", "truth": "logic", "decide": "logic"}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
