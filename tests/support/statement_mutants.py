"""Mutants of a statement: the relation swapped, a logarithm dropped, an index shifted, the constant off."""

import functools
import itertools
from dataclasses import replace
from fractions import Fraction

import sympy
from shared_verdicts import claim_of, entries

from theorytools.claims.judging import row as rows
from tools.bench.mutations import index_shifted as shifted
from tools.bench.mutations import log_dropped

ENTRIES = entries()
FACTORS = [Fraction(str(factor)) for factor in rows.FACTORS]


REVERSE = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}


def swapped(claim, assertion):
    """``<=`` read as ``>=``, ``<`` as ``>`` and the reverse; an equality has no other side."""
    if assertion.relation != "==":
        yield "swapped", replace(assertion, relation=REVERSE[assertion.relation])


def rescaled(claim, assertion):
    """The right side moved by 1 %, 5 %, 25 % and the other factors that a power can be, either way."""
    for factor, sign in itertools.product(FACTORS, (1, -1)):
        f = sympy.Rational(factor.numerator, factor.denominator) ** sign
        yield f"times {f}", replace(assertion, rhs=assertion.expr * f)


KINDS = {"relation swapped": swapped, "log dropped": log_dropped, "index shifted": shifted, "constant off": rescaled}


@functools.cache
def mutants(id, kind):
    """The mutants of all assertions of a claim: (assertion, name, mutant)."""
    claim = claim_of(id)
    return [(a, name, replace(m, tie=0, label=f"{name}: {a.name}"))
            for a in claim.assertions for name, m in KINDS[kind](claim, a)]  # fmt: skip


def exclusion(id, kind):
    """Why a kind of mutation says nothing about this claim, as far as its formulas tell; empty where it applies."""
    found, lets = mutants(id, kind), dict(claim_of(id).lets)
    if not found:
        return {"relation swapped": "only equalities", "log dropped": "no logarithm"}.get(kind, "no integer letter")
    if kind == "log dropped":
        ratios = [(a.relation, m.expr / a.expr.xreplace(lets)) for a, _, m in found]
        if all(
            r.is_number and (r >= 1 if relation[0] == "<" else r <= 1) for relation, r in ratios if relation != "=="
        ):
            return f"dropping it moves the bound the true way, by {[str(sympy.N(r, 3)) for _, r in ratios]}"
    return ""


@functools.cache
def applicable(id):
    return [kind for kind in KINDS if not exclusion(id, kind)]
