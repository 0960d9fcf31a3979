"""The statement of a claim as plain text: what another program needs to judge the stored intervals again.

Formulas are sympy's own text of the very expressions that are judged, with exact numbers; ``slope(b, N)`` is the
least-squares log-log slope of ``b`` on the window that a row was measured on.  A hypothesis is a relation, or
``every(…)``, ``some(…)`` and ``no(…)`` of relations; ``integer(N)`` is one too.  What object letters stand for, and
what is demanded of the objects, is said in words, which no other program judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy

from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.bound import expression, resolve
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.relation import trivial_end
from theorytools.claims.language.slope import slopes_in
from theorytools.errors import CheckError
from theorytools.numbers import at_precision

_CONNECTIVES = {sympy.And: "every", sympy.Or: "some", sympy.Not: "no"}
LEAST_BITS = 256  # of a derived letter that is not rational


def plain(value: Any) -> str:
    """Return the text of a formula; ``CheckError`` for a letter with the name of a constant."""
    expr = expression(value)
    taken = {symbol.name for symbol in expr.free_symbols} & {"E", "pi"}
    if taken:
        raise CheckError(
            f"the letter {taken.pop()} in {expr}", required="another name",
            why="in plain text it cannot be told from the constant", advice="letter('E_0', …, latex='E')",
        )  # fmt: skip
    slope = sympy.Function("slope")
    return str(expr.xreplace({node: slope(*node.args) for node in slopes_in(expr)}))


def relation_text(condition: Any) -> str:
    """Return the text of a hypothesis."""
    for kind, word in _CONNECTIVES.items():
        if isinstance(condition, kind):
            return f"{word}({', '.join(sorted(map(relation_text, condition.args)))})"
    return f"{plain(condition.lhs)} {condition.rel_op} {plain(condition.rhs)}"


def statement(claim: Claim) -> dict[str, Any]:
    """Return assertions, what controls assert and must break, lets and hypotheses as plain text, and the alpha."""
    own = [_assertion(a) for a in claim.assertions]
    controls = {}
    for control in claim.controls:
        spoiled = claim.assertions if control.asserts is None else control.asserts
        made = [_assertion(a) for a in spoiled]
        breaks = [a.name for a in spoiled if control.must_break(a)]
        controls[control.name] = {"breaks": breaks, **({} if made == own else {"assertions": made})}
    time = None if claim.run is None else claim.run.time
    letters = [s for name, s in claim.all_letters().items() if name != time]
    return {
        **({} if time is None else {"time": time}),
        "assertions": own, "controls": controls, "alpha": claim.budget.alpha,
        "lets": {name: plain(value) for name, value in claim.definitions.items()},
        "hypotheses": [
            *(relation_text(c) for c in claim.requires if c is not sympy.true),
            *(f"integer({s.name})" for s in letters if s.is_integer),
            *(relation_text(c) for s in letters for c in getattr(s, "domain", [])),
        ],
        **({"objects": {name: stand.words for name, stand in claim.things.items()}} if claim.things else {}),
        **({"such_that": list(claim.such_that)} if claim.such_that else {}),
    }  # fmt: skip


def _assertion(made: Assertion) -> dict[str, Any]:
    trivial = trivial_end(made.quantity.trivial, made.relation)
    parts = {"within": made.within, "tie": made.tie}
    return {
        "name": made.name, "quantity": made.quantity.name, "relation": made.relation, "bound": plain(made.expr),
        **{name: plain(value) for name, value in parts.items() if value != 0},
        **({} if trivial is None else {"trivial": plain(trivial)}),
        **({"parts": [part.name for part in made.quantity.parts]} if made.quantity.parts != (made.quantity,) else {}),
        **({} if made.premise is None else {"premise": _assertion(made.premise)}),
    }  # fmt: skip


def derived_values(claim: Claim, values: Mapping[str, Any], bounds: Sequence[Any]) -> dict[str, Any]:
    """Return the letters that the honest construction fixed: a formula, or the ends of an interval.

    An interval has twice the bits that the right sides of this point were computed with.
    """
    spent = max((int(b.work.get("bits", 0)) for b in bounds), default=0)
    bits = min(max(LEAST_BITS, 2 * spent), max(claim.budget.bits, LEAST_BITS))
    return {s.name: _value(values[s.name], bits) for s in claim.derived}


def _value(value: Any, bits: int) -> Any:
    if isinstance(value, sympy.Basic):
        return plain(value)
    box = at_precision(bits, lambda: resolve(value))
    return [box.lower.to_json(), box.upper.to_json()]
