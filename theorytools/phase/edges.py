"""The boundary of a rule as a line: where its claim's own bound, or hypothesis, stops deciding."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import sympy
from sympy.core.relational import Relational

from theorytools.claims.language.bound import expression
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.relation import LOWER, UPPER
from theorytools.errors import CheckError
from theorytools.phase.declaration import IMPOSSIBLE, Axis, Panel, Phase, Rule

Line = list[tuple[float, float]]
STEPS, HALVINGS = 48, 40


def margin_of(phase: Phase, panel: Panel, rule: Rule, claim: Claim) -> sympy.Expr | None:
    """Return what vanishes on the boundary of a rule, in the diagram's letters; None where nothing is drawn.

    Parameters
    ----------
    phase, panel, rule, claim : whose boundary.

    Raises
    ------
    CheckError : a relation that is no hypothesis of the claim, or a bound that its axes do not determine.
    """
    if rule.edge is None:
        return None
    level = phase.level if panel.level is None else panel.level
    if rule.edge == "bound":
        shown = (*(UPPER if (rule.kind == IMPOSSIBLE) != (phase.relation == "<=") else LOWER), "==")
        found = [a for a in claim.assertions if a.quantity.name == rule.quantity and a.relation in shown]
        if not found:
            raise CheckError(f"the edge of {rule.claim}", required=f"a bound of {rule.quantity} on the side it decides")
        formula = _in_letters(rule, claim, expression(found[0].expr, "a bound")) - sympy.sympify(level)
    elif isinstance(rule.edge, list | tuple):
        formula = sympy.Max(*(_in_letters(rule, claim, _excess(rule, claim, one)) for one in rule.edge))
    else:
        formula = sympy.sympify(rule.edge)
    fixed = {str(letter): value for letter, value in panel.fixed.items()}
    formula = formula.subs({s: fixed[s.name] for s in formula.free_symbols if s.name in fixed})
    unknown = {s.name for s in formula.free_symbols} - {phase.across.name, phase.up.name}
    if unknown:
        raise CheckError(f"the edge of {rule.claim}, with {', '.join(sorted(unknown))}",
                         required="a formula in the letters of the two axes")  # fmt: skip
    return formula


def _excess(rule: Rule, claim: Claim, hypothesis: Relational) -> sympy.Expr:
    """What is positive where a hypothesis of the claim fails."""
    if hypothesis not in list(claim.requires):
        raise CheckError(f"the edge {hypothesis} of {rule.claim}", required="hypotheses of the claim")
    sign = 1 if hypothesis.rel_op in ("<", "<=") else -1
    return sign * (hypothesis.lhs - hypothesis.rhs)


def _in_letters(rule: Rule, claim: Claim, formula: sympy.Expr) -> sympy.Expr:
    """A formula in the claim's letters, in those of the diagram."""
    for _ in claim.definitions:
        formula = formula.subs(
            {s: claim.definitions[s.name] for s in formula.free_symbols if s.name in claim.definitions}
        )
    values = {s: sympy.sympify(rule.at[s.name]) for s in formula.free_symbols if s.name in rule.at}
    return formula.subs(values, simultaneous=True)


def edge_of(phase: Phase, panel: Panel, rule: Rule, claim: Claim) -> list[Line]:
    """Return the boundary of a rule within the axes, as lines of points, by bisection along the upward axis.

    Parameters
    ----------
    phase, panel, rule, claim : whose boundary.
    """
    formula = margin_of(phase, panel, rule, claim)
    if formula is None:
        return []
    names = [next((s for s in formula.free_symbols if s.name == axis.name), sympy.Symbol(axis.name))
             for axis in (phase.across, phase.up)]  # fmt: skip
    margin = sympy.lambdify(names, formula, modules="math")
    (low, high), lines = _range(phase.up), list[Line]()
    open_line: Line = []
    for x in _samples(phase.across):
        y = _root(lambda y, x=x: _value(margin, x, y), low, high, phase.up.logarithmic)  # type: ignore[misc]
        if y is not None:
            open_line.append((x, y))
        elif open_line:
            lines, open_line = [*lines, open_line], []
    return [line for line in [*lines, open_line] if len(line) > 1]


def _value(margin: Callable[[float, float], Any], x: float, y: float) -> float:
    try:
        return float(margin(x, y))
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
        return math.nan


def _range(axis: Axis) -> tuple[float, float]:
    """From half a cell before the first value to half a cell behind the last."""
    first, second, last = float(axis.values[0]), float(axis.values[1]), float(axis.values[-1])
    before = float(axis.values[-2])
    if axis.logarithmic:
        return first / math.sqrt(second / first), last * math.sqrt(last / before)
    return first - (second - first) / 2, last + (last - before) / 2


def _samples(axis: Axis) -> Sequence[float]:
    low, high = _range(axis)
    if axis.logarithmic:
        return [low * (high / low) ** (k / STEPS) for k in range(STEPS + 1)]
    return [low + (high - low) * k / STEPS for k in range(STEPS + 1)]


def _root(margin: Callable[[float], float], low: float, high: float, logarithmic: bool) -> float | None:
    """Where a function changes its sign, by bisection from the first of equal steps that does; None where none does."""

    def between(share: float) -> float:
        return low * (high / low) ** share if logarithmic else low + (high - low) * share

    values = [margin(between(k / STEPS)) for k in range(STEPS + 1)]
    at = next((k for k in range(STEPS) if values[k] * values[k + 1] < 0 or values[k] == 0 != values[k + 1]), None)
    if at is None:
        return None
    left, right = at / STEPS, (at + 1) / STEPS
    for _ in range(HALVINGS):
        middle = (left + right) / 2
        left, right = (middle, right) if margin(between(middle)) * values[at] > 0 else (left, middle)
    return between((left + right) / 2)
