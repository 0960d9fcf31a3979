"""Harmless rewordings: the same statement in another form, which a judge must accept where it accepts the claim.

A form of the right side is proved equal to it by the evaluation of :mod:`tools.bench.evaluation` at random
rational points (integers where a letter is one), to fifty digits or exactly.  Both sides scaled, and sides moved,
are equal by construction.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import sympy

from theorytools.claims.judging.hypotheses import letters as letters_at
from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.bound import as_recipe, recipe
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.control import Control, Measure
from theorytools.claims.language.estimate import Budget, Estimate, Evidence, Recipe
from theorytools.claims.language.grid import Point
from theorytools.claims.language.ladder import Ladder
from theorytools.claims.language.quantity import Quantity
from theorytools.numbers import Enclosure, End, at_precision
from tools.bench.evaluation import Unknown, Value, apart, value
from tools.bench.mutations import full, moved, rational

POINTS = 5  # at which a form is compared; fewer than THREE with a value prove nothing
THREE = 3
SCALES = (Fraction(7, 3), Fraction(-2), Fraction(1, 5))
LONGEST = 60  # nodes of a right side that is rewritten by sympy
Rule = Callable[[sympy.Expr], sympy.Expr]


@dataclass(frozen=True)
class Reworded:
    """A statement in another form.

    Parameters
    ----------
    kind : which form.
    assertion : the statement in this form.
    scale : of "both sides scaled", the factor.
    moved : whether the right side was brought to the left.
    """

    kind: str
    assertion: Assertion
    scale: Fraction | None = None
    moved: bool = False


def _split(expr: sympy.Expr) -> sympy.Expr:
    """The difference of two squares that the expression is."""
    return ((expr + 1) ** 2 - (expr - 1) ** 2) / 4


def _multiplied(expr: sympy.Expr) -> sympy.Expr:
    """The fraction whose numerator and denominator are multiplied by one more than the first letter's square."""
    letter = min(expr.free_symbols, key=str)
    return sympy.expand(expr * (letter**2 + 1)) / (letter**2 + 1)


FORMS: dict[str, Rule] = {
    "expanded": sympy.expand,
    "factored": sympy.factor,
    "over one denominator": sympy.together,
    "logs combined": lambda expr: sympy.logcombine(expr),
    "logs split": lambda expr: sympy.expand_log(expr),
    "powers combined": lambda expr: sympy.powsimp(expr),
    "fraction extended": _multiplied,
    "difference of squares": _split,
}
KINDS: Sequence[str] = (*FORMS, "letters written out", "both sides scaled", "sides moved")


def forms(claim: Claim, assertion: Assertion) -> Iterator[tuple[str, sympy.Expr]]:
    """Yield the right side in other forms, none twice and none as it was."""
    seen = {assertion.expr}
    if claim.lets and (whole := full(claim, assertion)) not in seen:
        seen.add(whole)
        yield "letters written out", whole
    if not assertion.expr.free_symbols or sum(1 for _ in sympy.preorder_traversal(assertion.expr)) > LONGEST:
        return
    for kind, rule in FORMS.items():
        try:
            other = rule(assertion.expr)
        except (sympy.PolynomialError, ValueError, TypeError, NotImplementedError):
            continue
        if other not in seen and not other.has(sympy.Float):
            seen.add(other)
            yield kind, other


def equal(claim: Claim, one: sympy.Expr, other: sympy.Expr, rng: random.Random) -> bool:
    """Return whether two right sides agree at random rational points, at least at three of them."""
    lets, agreed = dict(claim.lets), 0
    for letters in _drawn(claim, one.xreplace(lets), rng):
        try:
            a, b = value(one.xreplace(lets), letters), value(other.xreplace(lets), letters)
        except Unknown:
            continue
        if apart(a, b) or not _close(a, b):
            return False
        agreed += 1
    return agreed >= THREE


def _close(a: Value, b: Value) -> bool:
    """Whether the margins are small enough for agreement to mean something."""
    import mpmath

    with mpmath.workdps(60):
        return bool(a.margin + b.margin <= mpmath.mpf(10) ** -30 * (1 + abs(a.number)))


def _drawn(claim: Claim, expr: sympy.Expr, rng: random.Random) -> Iterator[dict[str, Fraction]]:
    """Random points around the grid: of each letter between its sizes there, else between 1 and 40."""
    for _ in range(4 * POINTS):
        found = {}
        for letter in sorted(expr.free_symbols, key=str):
            sizes = [Fraction(p[letter.name]) for p in claim.grid
                     if not isinstance(p.get(letter.name, ""), str)]  # fmt: skip
            low, high = (min(sizes), max(sizes)) if sizes else (Fraction(1), Fraction(40))
            if letter.is_integer:
                found[letter.name] = Fraction(rng.randint(int(low), max(int(high), int(low) + 3)))
            else:
                found[letter.name] = low + (high - low) * Fraction(rng.randint(1, 96), 97)
        yield found


def rewordings(claim: Claim, assertion: Assertion, evidence: Evidence, rng: random.Random) -> Iterator[Reworded]:
    """Yield the statement in every form that applies to it."""
    for kind, other in forms(claim, assertion):
        if equal(claim, assertion.expr, other, rng):
            yield Reworded(kind, moved(assertion, other))
    if evidence >= Evidence.ENCLOSED and assertion.tie == 0:
        scale = rng.choice(SCALES)
        yield Reworded("both sides scaled", _scaled_assertion(assertion, scale), scale=scale)
        if not claim.derived:
            yield Reworded("sides moved", _moved_assertion(assertion), moved=True)


def _scaled_assertion(assertion: Assertion, scale: Fraction) -> Assertion:
    low, high = (None if t is None else sympy.sympify(t) * rational(scale) for t in assertion.quantity.trivial)
    ends = (low, high) if scale > 0 else (high, low)
    quantity = Quantity(f"{scale} times {assertion.quantity.name}", assertion.quantity.latex, trivial=ends)
    turned: Any = {"<=": ">=", ">=": "<=", "==": "==", "<": ">", ">": "<", "!=": "!="}
    relation = assertion.relation if scale > 0 else turned[assertion.relation]
    within = sympy.sympify(assertion.within) * rational(abs(scale))
    return Assertion(quantity, relation, assertion.expr * rational(scale), within)


def _moved_assertion(assertion: Assertion) -> Assertion:
    low, high = (None if t is None else sympy.sympify(t) - assertion.expr for t in assertion.quantity.trivial)
    quantity = Quantity(f"{assertion.quantity.name} less the right side", assertion.quantity.latex, trivial=(low, high))
    return Assertion(quantity, assertion.relation, sympy.Integer(0), assertion.within)


def reworded_claim(claim: Claim, honest: Assertion, made: Reworded) -> Claim:
    """Return the claim with one assertion in the other form; controls measure the new left side too."""
    if made.scale is None and not made.moved:
        return with_assertion(claim, honest, made.assertion)
    scale = made.scale

    def changed(value: Any, point: Point) -> Recipe:
        source = as_recipe(value)
        return _times(source, scale) if scale is not None else _less(claim, source, honest, point)

    def measuring(measure: Measure) -> Measure:
        def measured(thing: Any, point: Point) -> Mapping[Quantity, Any]:
            given = dict(measure(thing, point))
            own, new = cast("tuple[Quantity, Quantity]", (honest.quantity, made.assertion.quantity))
            source = given.get(own)  # a control with assertions of its own may not measure it
            return given if source is None else {**given, new: changed(source, point)}

        return measured

    def control(one: Control) -> Control:
        if not one.repair:
            listed = claim.assertions if one.asserts is None else one.asserts
            broken = [_said(claim, a, honest, made) for a in listed if one.must_break(a)]
            own = None if one.asserts is None else [_said(claim, a, honest, made) for a in listed]
            one = replace(one, asserts=own, breaks=broken)
        return replace(one, measure=measuring(one.measure)) if one.measure is not None else one

    asserts = [made.assertion if a is honest else _said(claim, a, honest, made) for a in claim.assertions]
    controls = [control(one) for one in claim.controls]
    return replace(claim, asserts=asserts, controls=controls, measure=measuring(claim.measure), uses=())


def _said(claim: Claim, own: Assertion, honest: Assertion, made: Reworded) -> Assertion:
    """An assertion of the claim, or of a control, beside the reworded one.

    A control is asked for the evidence that the claim has in the same quantity, so what is compared must stay together:
    a factor is put to all assertions on the quantity; the right side of one is moved in that one, and in what a control
    says in its place.
    """
    if own == honest:
        return made.assertion
    if own.quantity != honest.quantity or own.sloped or own.tie != 0:
        return own
    if made.scale is not None:
        return _scaled_assertion(own, made.scale)
    if own in claim.assertions or own.relation != honest.relation:
        return own
    rivals = [a for a in claim.assertions if (a.quantity, a.relation) == (own.quantity, own.relation) and a != honest]
    if rivals and own.expr.free_symbols != honest.expr.free_symbols:
        return own
    return Assertion(made.assertion.quantity, own.relation, own.expr - honest.expr, own.within)


def _times(source: Recipe, scale: Fraction) -> Recipe:
    def steps(alpha: float, budget: Budget) -> Iterator[Estimate]:
        for step in source.steps(alpha, budget):
            if step.low.finite and step.high.finite:
                low, high = (_combined(step, end, lambda x: x * scale) for end in (step.low, step.high))
                low, high = (low, high) if scale > 0 else (high, low)
                yield replace(step, low=low.lower, high=high.upper)

    return Recipe(source.evidence, steps)


def _combined(step: Estimate, end: End, change: Callable[[Enclosure], Enclosure]) -> Enclosure:
    """Change an end with the bits of a step and a few more; a step that does not name its bits has a budget's worth."""
    bits = int(step.work.get("bits", Budget().bits)) + 64
    return at_precision(bits, lambda: change(Enclosure(end.value)))


def _less(claim: Claim, source: Recipe, honest: Assertion, point: Point) -> Recipe:
    """The left side less the right one, each enclosed at the same step."""
    values = letters_at(claim, point)

    def steps(alpha: float, budget: Budget) -> Iterator[Estimate]:
        right, left = Ladder(recipe(honest.expr, values), 0.0, budget), Ladder(source, alpha, budget)
        rung = 0
        while any([left.at(rung) is not None, right.at(rung) is not None]):  # both are climbed
            a, b, rung = left.best, right.best, rung + 1
            if a.low.finite and a.high.finite and b.low.finite and b.high.finite:
                low = _combined(b, a.low, lambda x, right=b.high: x - Enclosure(right.value))  # type: ignore[misc]
                high = _combined(b, a.high, lambda x, right=b.low: x - Enclosure(right.value))  # type: ignore[misc]
                yield replace(a, low=low.lower, high=high.upper, evidence=min(a.evidence, b.evidence))

    return Recipe(source.evidence, steps)


def alone(claim: Claim, honest: Assertion, *, sampled: bool = False) -> Claim:
    """Return the claim with one assertion and the controls that must break it, and that alone.

    The whole claim stays where something is sampled, so that error probabilities are divided as they were, and where
    no control is the assertion's own.
    """
    own = [c for c in claim.controls if not c.repair and c.must_break(honest) and c.asserts is None]
    if sampled or not own or len(claim.assertions) == 1:
        return claim
    return replace(claim, asserts=[honest], controls=[replace(c, breaks=honest) for c in own], uses=())


def with_assertion(claim: Claim, honest: Assertion, mutant: Assertion) -> Claim:
    """Return the claim with one assertion replaced; what its controls must break is named anew."""
    asserts = [mutant if a is honest else a for a in claim.assertions]
    controls = [retargeted(control, claim, honest, mutant) for control in claim.controls]
    return replace(claim, asserts=asserts, controls=controls, expect="HOLDS", uses=())


def retargeted(control: Control, claim: Claim, honest: Assertion, mutant: Assertion) -> Control:
    """Return the control of a claim one of whose assertions was replaced; one with assertions of its own stays."""
    if control.repair or control.asserts is not None:
        return control
    broken = [a for a in claim.assertions if control.must_break(a)]
    return replace(control, breaks=[mutant if a is honest else a for a in broken])
