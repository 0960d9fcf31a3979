"""The hypotheses of a claim one by one: each with the others, and the next weaker form of it.

The letters' own domains are no cells: the formulas were simplified by them, so outside a domain they state nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from theorytools.claims.language.claim import Claim
from theorytools.errors import CheckError

_Linear = tuple[dict[Any, Fraction], Fraction, bool]  # coefficients, constant, strict: their sum is >= 0 or > 0


@dataclass(frozen=True)
class Hypothesis:
    """One hypothesis of a claim.

    Parameters
    ----------
    condition : the hypothesis.
    others : all that the claim asks for besides, domains of letters apart.
    weaker : what it becomes when it is weakened by one notch; ``true`` where nothing is left.
    change : the notch in words.
    """

    condition: Any
    others: tuple[Any, ...]
    weaker: Any
    change: str

    @property
    def text(self) -> str:
        """The hypothesis as it is printed, by which records and notes name it."""
        return str(self.condition)

    @property
    def implied(self) -> bool:
        """Whether the letters' domains alone give the hypothesis."""
        return bool(sympy.Not(self.condition) is sympy.false)

    @classmethod
    def of(cls, claim: Claim) -> list[Hypothesis]:
        """Return the hypotheses of a claim, conjunctions taken apart, each once."""
        every = [part for condition in claim.requires for part in sympy.And.make_args(condition)]
        distinct = [part for part in dict.fromkeys(every) if part is not sympy.true]
        made = []
        for place, part in enumerate(distinct):
            weaker, change = weakened(part)
            made.append(cls(part, (*distinct[:place], *distinct[place + 1 :]), weaker, change))
        return made

    def beyond(self, claim: Claim, *, notch: bool) -> Claim | None:
        """Return the claim where the hypothesis fails and all others hold; None where there is no such place.

        Parameters
        ----------
        claim : whose hypothesis this is.
        notch : only where the weaker form still holds; else only where it fails too.
        """
        extra = self.weaker if notch else sympy.Not(self.weaker)
        # a letter that only the hypothesis names keeps its domain, because the hypothesis is denied and not left out
        conditions = [c for c in (*self.others, sympy.Not(self.condition), extra) if c is not sympy.true]
        if notch and self.weaker is sympy.true:
            return replace(claim, requires=conditions)
        if self.weaker is sympy.true or sympy.false in conditions:
            return None
        return replace(claim, requires=conditions)


def weakened(condition: Any) -> tuple[Any, str]:
    """Return the next weaker form of a hypothesis, and what was done to it.

    Strict becomes weak; between integers one side moves by one; else a positive side is doubled or halved, or one is
    added where no side is known to be positive.  Everything else is left out at once: no equation has a next one.
    """
    kind = type(condition)
    if kind in (sympy.Gt, sympy.Lt):
        weak = sympy.Ge if kind is sympy.Gt else sympy.Le
        return weak(condition.lhs, condition.rhs), "strict to weak"
    if kind not in (sympy.Ge, sympy.Le):
        return sympy.true, "left out"
    small, large = (condition.lhs, condition.rhs) if kind is sympy.Le else (condition.rhs, condition.lhs)
    if small.is_integer and large.is_integer:
        moved, said = (small, large + 1), "by one"
        if small.is_number:
            moved = (small - 1, large)
    elif large.is_number and large.is_positive:
        moved, said = (small, 2 * large), "constant doubled"
    elif small.is_positive:
        moved, said = (small / 2, large), "constant halved" if small.is_number else "a side halved"
    elif large.is_positive:
        moved, said = (small, 2 * large), "a side doubled"
    else:
        moved, said = (small, large + 1), "one added"
    return (sympy.Le(*moved) if kind is sympy.Le else sympy.Ge(moved[1], moved[0])), said


def spoiled(claim: Claim, name: str) -> Claim:
    """Return a claim with the object of one of its controls in place of its own, and what that control must break.

    Raises
    ------
    CheckError : no such control, or one that breaks nothing of what the claim asserts.
    """
    control = next((one for one in claim.controls if one.name == name), None)
    asserts = [a for a in claim.assertions if control is not None and control.must_break(a)]
    if control is None or not asserts:
        raise CheckError(
            f"the control {name!r} of {claim.label!r}", required="a control that breaks what the claim asserts",
            why="its object stands for one that lies outside a hypothesis",
            advice=f"it has {', '.join(repr(one.name) for one in claim.controls)}",
        )  # fmt: skip
    construct, measure = control.construct or claim.construct, control.measure or claim.measure
    return replace(claim, construct=construct, measure=measure, asserts=asserts, controls=[control])


def follows(claim: Claim, hypothesis: Hypothesis) -> bool:
    """Whether the others and the domains of the letters give a hypothesis: nothing then lies outside it.

    Only what is linear in the letters is used, by elimination; a strict relation between integers gains one.  Where
    few integers are left outside, each is put into the others, one of which then says what is false.
    """
    if (few := _few(hypothesis.condition)) is not None:
        symbol, values = few
        parts = [resolved(claim, part) for part in hypothesis.others]
        if all(any(sympy.simplify(part.subs(symbol, n)) is sympy.false for part in parts) for n in values):
            return True
    denied = resolved(claim, sympy.Not(hypothesis.condition))
    known = [resolved(claim, part) for part in hypothesis.others]
    letters = {s for part in (denied, *known) for s in getattr(part, "free_symbols", ())}
    known += [part for symbol in letters for part in getattr(symbol, "domain", [])]
    rows = [row for part in known for row in _rows(part) or []]
    branches = sympy.Or.make_args(denied)
    if isinstance(denied, sympy.Ne):
        branches = (sympy.Lt(denied.lhs, denied.rhs), sympy.Gt(denied.lhs, denied.rhs))
    return all((made := _rows(branch)) is not None and _empty([*rows, *made]) for branch in branches)


def _few(condition: Any) -> tuple[sympy.Symbol, range] | None:
    """The letter and the integers of its domain, at most eight, below the bound that a hypothesis on it alone gives."""
    if not isinstance(condition, sympy.Ge | sympy.Gt) or not isinstance(condition.lhs, sympy.Symbol):
        return None
    symbol, bound = condition.args
    least = 1 if symbol.is_positive else 0 if symbol.is_nonnegative else None
    if not symbol.is_integer or not bound.is_Integer or least is None:
        return None
    values = range(least, int(bound) + isinstance(condition, sympy.Gt))
    return (symbol, values) if len(values) <= 8 else None


def resolved(claim: Claim, condition: Any) -> Any:
    """Return a condition in axes and derived letters, with what a claim defines put in."""
    return condition.xreplace({symbol: claim.definitions[symbol.name] for symbol in claim.lets})


def _rows(condition: Any) -> list[_Linear] | None:
    """A relation as linear forms that are not negative, or None where it is not linear."""
    if condition is sympy.true or not isinstance(condition, sympy.core.relational.Relational):
        return None
    gap = condition.lhs - condition.rhs
    symbols = sorted(gap.free_symbols, key=lambda s: str(s.name))
    poly = gap.as_poly(*symbols) if symbols else None
    if poly is None or poly.total_degree() > 1 or not all(c.is_Rational for c in poly.coeffs()):
        return None
    form = {s: Fraction(str(poly.coeff_monomial(s))) for s in symbols}
    constant = Fraction(str(poly.coeff_monomial(1)))
    whole = all(s.is_integer for s in symbols) and all(c.denominator == 1 for c in (*form.values(), constant))
    strict = isinstance(condition, sympy.Lt | sympy.Gt)
    one, strict = (Fraction(1), False) if strict and whole else (Fraction(0), strict)
    upper = ({s: -c for s, c in form.items()}, -constant - one, strict)
    lower = (form, constant - one, strict)
    kinds = {sympy.Le: [upper], sympy.Lt: [upper], sympy.Ge: [lower], sympy.Gt: [lower], sympy.Eq: [upper, lower]}
    return kinds.get(type(condition))


def _empty(rows: list[_Linear]) -> bool:
    """Whether no real numbers satisfy all rows: one letter after the other is eliminated."""
    for symbol in sorted({s for form, _, _ in rows for s in form}, key=lambda s: str(s.name)):
        signed = [(form.get(symbol, Fraction(0)), form, constant, strict) for form, constant, strict in rows]
        kept = [(form, constant, strict) for c, form, constant, strict in signed if c == 0]
        for a, low, low_constant, low_strict in (row for row in signed if row[0] > 0):
            for b, high, high_constant, high_strict in (row for row in signed if row[0] < 0):
                names = {*low, *high} - {symbol}
                form = {s: -b * low.get(s, Fraction(0)) + a * high.get(s, Fraction(0)) for s in names}
                kept.append((form, -b * low_constant + a * high_constant, low_strict or high_strict))
        rows = kept
    return any(constant < 0 or (strict and constant <= 0) for _, constant, strict in rows)
