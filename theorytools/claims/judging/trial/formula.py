"""Is one thing compared with itself: a formula on both sides, or a constant that is read off what it bounds.

A tie says nothing by itself, an equality ties everywhere.  What tells a formula that was typed twice is that nothing is
made, counted or summed: construct and measure are arithmetic in the letters alone.  A derived letter says nothing where
an inequality that holds it stays a tie whatever object is put in, the letter being derived anew from each.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from theorytools.claims.judging.remark import Remark
from theorytools.claims.judging.trial.spoils import spoiled_claims
from theorytools.claims.judging.trial.variants import Numbers, Trial
from theorytools.claims.language.assertion import Assertion

# calls that compute with numbers and look at nothing
ARITHMETIC = frozenset((
    "Fraction", "Rational", "Integer", "Enclosure", "enclosed", "exactly", "int", "abs", "max", "min", "pow",
    "round", "divmod", "bool", "exp", "log", "log2", "log10", "sqrt", "ceil", "floor", "factorial", "gamma", "sin",
    "cos", "tan", "atan", "expm1", "log1p", "bit_length", "limit_denominator",
))  # fmt: skip
LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.With, ast.Try)


def one_formula(trial: Trial) -> Iterable[Remark]:
    """Say that an equality holds between two formulas in the letters, where no object is looked at."""
    equal = [a for a in trial.claim.assertions if a.relation == "==" and a.within == 0 and not a.sloped]
    if not equal or not _arithmetic(trial):
        return
    for assertion in equal:
        if all(_tied(trial.honest(point), assertion) for point in trial.points):
            yield Remark(
                "one formula",
                f"measured and bound of '{assertion.name}' are formulas that agree at every point: nothing "
                "is constructed, counted or summed; is this one formula on both sides?",
                trial.line(node) if (node := trial.node(trial.claim.measure)) is not None else "",
                "measure an object, or give a second route at small sizes (second=)",
            )  # fmt: skip


def derived_ties(trial: Trial) -> Iterable[Remark]:
    """Say that a derived letter is computed from what it bounds, where an inequality stays a tie under every spoil."""
    names = {symbol.name for symbol in trial.claim.derived} - _bounded_elsewhere(trial)
    suspects = [
        a for a in trial.claim.assertions
        if a.relation != "==" and len(names & {s.name for side in a.sides() for s in side.free_symbols}) == 1
        and all(_tied(trial.honest(point), a) for point in trial.points)
        and all(row.slack == 1 for row in trial.verdict.rows if row.assertion == a.name and not row.control)
    ]  # fmt: skip
    if not suspects:
        return
    ties = {a.name: 0 for a in suspects}
    for _, claim, _ in spoiled_claims(trial):
        for point in trial.points:
            found = trial.numbers(claim, point)
            if not found.judged or not trial.honest(point).moved(found):
                continue
            for a in list(suspects):
                if not _tied(found, a):
                    suspects.remove(a)
                else:
                    ties[a.name] += 1
    for a in suspects:
        letters = ", ".join(sorted(names & {s.name for side in a.sides() for s in side.free_symbols}))
        if ties[a.name]:
            yield Remark(
                "derived tie",
                f"{letters} is computed from what it bounds: with any object '{a.name}' is a tie, so it says nothing",
                trial.line(node) if (node := trial.node(trial.claim.derive)) is not None else "",
                f"fix {letters} before the object, as a number or a rule of earlier letters (lets=)",
            )


def _bounded_elsewhere(trial: Trial) -> set[str]:
    """The letters of hypotheses, and those of several assertions: what is read off the object is then held to more."""
    used = [{s.name for side in a.sides() for s in side.free_symbols} for a in trial.claim.assertions]
    several = {name for letters in used for name in letters if sum(name in other for other in used) > 1}
    return several | {s.name for condition in trial.claim.requires for s in getattr(condition, "free_symbols", ())}


def _tied(numbers: Numbers, assertion: Assertion) -> bool:
    """Whether both sides of an assertion are one exact number."""
    rows = [row for row in numbers.rows if row.assertion == assertion.name]
    ends = [(end.low, end.high) for row in rows for end in (row.measured, row.bound[0])]
    return bool(rows) and all(low == high for low, high in ends) and ends[0] == ends[1]


def _arithmetic(trial: Trial) -> bool:
    """Whether construct and measure are arithmetic in the letters: no loop, and no call but of numbers."""
    functions = [trial.claim.construct, trial.claim.measure]
    if trial.claim.run is not None or any(trial.node(f) is None for f in functions):
        return False
    own = {n.name for n in trial.tree.body if isinstance(n, ast.FunctionDef)}
    own |= {t.id for n in trial.tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    for node in (inner for function in trial.functions for inner in ast.walk(function)):
        if isinstance(node, LOOPS):
            return False
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called not in ARITHMETIC and called not in own:
                return False
    return True
