"""Statements made by hand: near misses of well-known facts, each with a witness and why it is false."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from theorytools.claims.judging.verdict import Outcome, Verdict
from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.control import Control
from theorytools.claims.language.grid import Grid, Point
from theorytools.claims.language.quantity import Quantity
from theorytools.claims.language.relation import UPPER
from theorytools.errors import CertificateError
from tools.bench.evaluation import Value, value
from tools.bench.score import furthest, verdict_of
from tools.bench.witness import Left, violated


@dataclass(frozen=True)
class HandMade:
    """A false statement with what refutes it.

    Parameters
    ----------
    name : an identifier.
    kind : what was done to the true statement.
    left, relation, right, within : the statement; ``left`` in words.
    grid : where its author would have tested it.
    measure : the left side at a point, for the judge: an exact number, a callable, or a sampled recipe.
    at : the axes of the witness.
    again : the left side at the witness by another formula or enumeration: a Fraction, or a formula without letters.
    why : why it is false, in a sentence.
    requires : its hypotheses.
    """

    name: str
    kind: str
    left: str
    relation: Any
    right: sympy.Expr
    grid: Grid
    measure: Callable[[Point], Any]
    at: Mapping[str, Any]
    again: Any
    why: str
    requires: Sequence[Any] = ()
    within: Any = 0

    @property
    def quantity(self) -> Quantity:
        """The left side."""
        return Quantity(self.name, rf"\mathrm{{{self.name.replace('_', ' ')}}}", self.left)

    @property
    def assertion(self) -> Assertion:
        """The statement."""
        return Assertion(self.quantity, self.relation, self.right, self.within)

    @property
    def seen(self) -> bool:
        """Whether it is false at a point of its own grid."""
        return dict(self.at) in list(self.grid)

    def claim(self) -> Claim:
        """Return the statement as its author would have written it, with a control that is far off."""
        quantity, room = self.quantity, 1 + sympy.Abs(self.right)
        far = self.right if self.relation == "!=" else -room if self.relation in UPPER else self.right + 1000 * room
        spoiled = Assertion(quantity, self.relation, far, self.within)
        return Claim(
            self.name, self.assertion, self.grid, lambda p: p, lambda thing, p: {quantity: self.measure(p)},
            [Control("far on the other side", breaks=spoiled, asserts=[spoiled])], requires=self.requires,
        )  # fmt: skip

    def refuted(self) -> Value:
        """Return the left side at the witness, by the second route.

        Raises
        ------
        CertificateError : the statement is not false there.
        """
        known = value(sympy.sympify(self.again), {})
        letters = {name: Fraction(x) for name, x in self.at.items()}
        sides = [value(side, letters) for side in self.assertion.sides()]
        if not violated(self.assertion, sides, Left(known, known, "by hand")):
            raise CertificateError(f"{self.name} at {dict(self.at)}: {known.text()}", required="a violation")
        return known


def _beyond(verdict: Verdict, at: Mapping[str, Any]) -> bool:
    """Whether a verdict says of some letter that it was not tested as far as the witness, or so near to zero."""
    reach = [(Fraction(part["low"]), Fraction(at[name]), max(Fraction(part["high"]), furthest(verdict, name)))
             for name, part in verdict.tested.items()]  # fmt: skip
    return any(not low <= here <= high for low, here, high in reach)


def judged(statements: Sequence[HandMade]) -> list[dict[str, Any]]:
    """Return the verdict on each statement made by hand, beside its witness, in JSON types."""
    found = []
    for one in statements:
        known, verdict = one.refuted(), verdict_of(one.claim(), f"bench.{one.name}")
        false = verdict.outcome in (Outcome.REFUTED, Outcome.WITNESS_FAILS)
        fails = verdict.witness.point if false and verdict.witness else {}
        found.append({
            "name": one.name, "kind": one.kind, "statement": f"{one.left} {one.assertion.name[len(one.name) + 1 :]}",
            "why": one.why, "at": {name: str(x) for name, x in one.at.items()}, "left": known.text(),
            "seen": one.seen, "outcome": str(verdict.outcome), "fails": dict(fails),
            "named": verdict.outcome is Outcome.HOLDS and _beyond(verdict, one.at),
        })  # fmt: skip
    return found
