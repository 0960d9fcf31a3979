"""What is asked of a claim when it is made, so that a slip is an error here and not a silent green later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.relational import Relational

from theorytools.claims.language.assertion import Assertion, Quantity
from theorytools.claims.language.bound import expression
from theorytools.claims.language.claim import Claim, Control, refuse
from theorytools.claims.language.estimate import Budget
from theorytools.claims.language.grid import Grid
from theorytools.claims.language.limits import TIERS
from theorytools.claims.language.slope import without_slopes
from theorytools.claims.language.symbol import Letter
from theorytools.errors import CheckError, DomainError
from theorytools.numbers.formulas import evaluator

if TYPE_CHECKING:
    from collections.abc import Iterable


def examine(claim: Claim) -> None:
    """Raise ``CheckError`` unless the claim can be judged."""
    _examine_shape(claim)
    for condition in claim.requires:
        _relations(claim.label, condition)
    _examine_letters(claim)
    _examine_table(claim)
    _examine_controls(claim)
    _examine_formulas(claim)


def _examine_shape(claim: Claim) -> None:
    if not isinstance(claim.label, str) or not claim.label.strip():
        raise refuse(str(claim.label), "an empty label", "the statement's number in the paper, e.g. 'Lemma 11'")
    for field in ("controls", "requires", "derived", "uses", "tabulated", "listed"):
        if not isinstance(getattr(claim, field), list | tuple):
            raise refuse(claim.label, f"{field} = {getattr(claim, field)!r}", "a list", advice=f"{field}=[…]")
    listed = isinstance(claim.asserts, Assertion | list | tuple) and claim.assertions
    if not listed or not all(isinstance(a, Assertion) for a in claim.assertions):
        raise refuse(
            claim.label, f"asserts = {claim.asserts!r}", "one or more assertions such as leakage <= bound",
            "a relation between two sympy expressions is not an assertion", "make the left side a Quantity",
        )  # fmt: skip
    for field, kind, said in (("budget", Budget, "Budget(bits, samples, alpha)"), ("note", str, "a text"),
                              ("lets", Mapping, "letters and what they stand for: lets={beta: s*d}")):  # fmt: skip
        if not isinstance(getattr(claim, field), kind):
            raise refuse(claim.label, f"{field} = {getattr(claim, field)!r}", said)
    _examine_names(claim.label, claim.assertions)
    if len({q.name for q in claim.quantities}) < len(claim.quantities):
        raise refuse(claim.label, "two quantities with one name", "distinct names")
    if not isinstance(claim.grid, Grid) or not len(claim.grid):
        raise refuse(claim.label, f"grid = {claim.grid!r}", "grid(N=[…], …) or points('N d', (…), …), not empty")
    for field, allowed in (("force", ("witness", "corroborates")), ("tier", TIERS),
                           ("expect", ("HOLDS", "REFUTED"))):  # fmt: skip
        if getattr(claim, field) not in allowed:
            raise refuse(claim.label, f"{field} = {getattr(claim, field)!r}", f"one of {', '.join(allowed)}")
    if not all(isinstance(id, str) and "." in id for id in claim.uses):
        raise refuse(claim.label, f"uses = {claim.uses!r}", "ids of claims", advice="uses=['qstr.lemma_11']")
    if not callable(claim.construct) or not callable(claim.measure):
        raise refuse(claim.label, "construct or measure is not callable", "two functions: (p) and (object, p)")


def _examine_names(label: str, asserts: Iterable[Assertion]) -> None:
    names = [a.name for a in asserts]
    if len(set(names)) < len(names):
        raise refuse(label, "two assertions with one name", "distinct assertions or labels")


def _relations(label: str, condition: Any) -> list[Relational]:
    """The relations that a hypothesis consists of."""
    if isinstance(condition, bool):
        raise refuse(
            label, f"the hypothesis {condition}", "a symbolic relation",
            "Python compared the two sides itself: 2*q == N is False for symbols", "write Eq(2*q, N)",
        )  # fmt: skip
    if condition is sympy.true:
        return []
    if isinstance(condition, sympy.And | sympy.Or | sympy.Not):
        return [relation for part in condition.args for relation in _relations(label, part)]
    if not isinstance(condition, Relational):
        raise refuse(label, f"the hypothesis {condition!r}", "relations between letters that can hold, And, Or, Not")
    return [condition]


def _examine_formulas(claim: Claim) -> None:
    """Every formula has a rigorous value, and one name is one letter with a domain that every point is tested for."""
    spoiled = [a for control in claim.controls for a in control.asserts or ()]
    conditions = [*claim.requires, *(control.where for control in claim.controls)]
    relations = [relation for condition in conditions for relation in _relations(claim.label, condition)]
    asserts = [*claim.assertions, *spoiled]
    formulas = [side for a in asserts for side in (*a.sides(), a.tie, *a.quantity.trivial) if side is not None]
    formulas += [side for relation in relations for side in relation.args] + list(claim.lets.values())
    symbols: set[Any] = {*claim.lets, *claim.derived}
    for formula in formulas:
        try:
            compiled = expression(formula, "a formula")
            evaluator(without_slopes(compiled))
        except DomainError as error:
            raise refuse(claim.label, error.given, error.required, error.why, error.advice) from None
        symbols |= compiled.free_symbols
    names = [symbol.name for symbol in symbols]
    for symbol in symbols:
        if names.count(symbol.name) > 1:
            raise refuse(claim.label, f"two letters named {symbol}", "one letter, with one meaning and one domain")
        if not isinstance(symbol, Letter) and set(symbol._assumptions_orig) - {"commutative", "real"}:
            raise refuse(
                claim.label, f"the symbol {symbol} with {symbol._assumptions_orig}", "letter('…', '…', positive=True)",
                "sympy simplifies by an assumption, so every point must be tested against it",
            )  # fmt: skip


def _examine_letters(claim: Claim) -> None:
    axes, lets, derived = _numbers(claim), {s.name for s in claim.lets}, {s.name for s in claim.derived}
    for name in (axes & lets) | (axes & derived) | (lets & derived):
        raise refuse(claim.label, f"the letter {name} is defined twice", "an axis, a let or a derived letter, not two")
    try:
        definitions = claim.definitions
    except DomainError as error:
        raise refuse(claim.label, error.given, error.required, error.why, error.advice) from None
    for name, value in definitions.items():
        for symbol in value.free_symbols:
            if symbol.name not in axes:
                raise refuse(claim.label, f"the let {name} uses {symbol}", f"only axes: {', '.join(sorted(axes))}")
    for name in claim.all_letters():
        if name not in axes | lets | derived:
            raise refuse(
                claim.label, f"the letter {name} has no value",
                f"an axis ({', '.join(sorted(axes))}), a let or a derived letter",
                "every letter of a bound or hypothesis must be fixed at a point",
                f"add {name} to the grid, to lets, or to derived with derive=",
            )  # fmt: skip
    if bool(claim.derived) != (claim.derive is not None):
        raise refuse(claim.label, "derive without derived, or the reverse", "both: the letters and their values")


def _examine_table(claim: Claim) -> None:
    for field in ("tabulated", "listed"):
        for letter in getattr(claim, field):
            name = getattr(letter, "name", letter)
            if name not in claim.grid.axes:
                raise refuse(claim.label, f"{field} = {name}", f"an axis of the grid: {', '.join(claim.grid.axes)}")


def _numbers(claim: Claim) -> set[str]:
    """The axes that hold numbers rather than words."""
    return {name for name in claim.grid.axes if not any(isinstance(point[name], str) for point in claim.grid)}


def _examine_controls(claim: Claim) -> None:
    if not claim.controls or not all(isinstance(c, Control) for c in claim.controls):
        raise refuse(
            claim.label, f"controls = {list(claim.controls)!r}", "at least one Control(name, breaks=…, …)",
            "a check that no spoiled twin fails cannot tell a true theorem from a false one",
            "spoil one ingredient: a quarter of the temperature, a duplicate code, a bound divided by two",
        )  # fmt: skip
    for control in claim.controls:
        _examine_control(claim, control)
    if len({c.name for c in claim.controls}) < len(claim.controls):
        raise refuse(claim.label, "two controls with one name", "distinct names")
    if claim.expect == "REFUTED" and not any(control.repair for control in claim.controls):
        raise refuse(claim.label, "expect='REFUTED' without a repair", "a control with breaks=() that holds everywhere")
    if claim.expect == "HOLDS" and all(control.repair for control in claim.controls):
        raise refuse(claim.label, "only repairs among the controls", "at least one control that must break")


def _examine_control(claim: Claim, control: Control) -> None:
    asserts = control.asserts if control.asserts is not None else claim.assertions
    if control.construct is None and control.measure is None and control.asserts is None:
        raise refuse(claim.label, f"control {control.name!r} spoils nothing", "construct=, measure= or asserts=")
    if not isinstance(asserts, list | tuple) or not asserts or not all(isinstance(a, Assertion) for a in asserts):
        raise refuse(
            claim.label, f"control {control.name!r} asserts {asserts!r}", "None, or a list of one or more assertions",
            "without an assertion nothing can break and every repair would hold",
        )  # fmt: skip
    _examine_names(f"{claim.label}, control {control.name}", asserts)
    _relations(claim.label, control.where)
    known = _numbers(claim) | set(claim.definitions) | {s.name for s in claim.derived}
    used = {s.name for a in asserts for side in a.sides() for s in side.free_symbols}
    used |= {s.name for s in getattr(control.where, "free_symbols", ())}
    if used - known:
        raise refuse(
            claim.label,
            f"control {control.name!r} uses {sorted(used - known)}",
            f"letters among {sorted(known)}",
        )
    for target in control.targets:
        if not any(Control("", target).must_break(a) for a in asserts):
            what = target.name if isinstance(target, Quantity | Assertion) else target
            raise refuse(claim.label, f"control {control.name!r} breaks {what!r}", "an assertion of the claim")


__all__ = ["CheckError", "examine"]
