"""What all instruments of a trial share: the claim, the points they look at, and variants of its check.

A variant is the claim compiled from a changed syntax tree of its file, in a module of the same name; what the file
imports stays honest.  Points are the cheapest two of the grid by their sizes, never by the clock, so that the same
remarks come out on every machine.
"""

from __future__ import annotations

import ast
import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from theorytools.claims.judging.point import Judgement, PointResult, measure_point
from theorytools.claims.judging.verdict import Row, Verdict
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Budget
from theorytools.claims.language.grid import Point
from theorytools.claims.papers.catalogue import Entry
from theorytools.claims.papers.loading import load_module

POINTS = 2
_BITS, _SAMPLES = 256, 20_000  # of one measurement: a spoiled row would climb to the end of the claim's budget


@dataclass(frozen=True)
class Numbers:
    """What a claim, or a variant of it, gives at one point: measured intervals and truths by assertion, or an error.

    ``error`` is the class name and text of what was raised, empty where rows came out; ``skipped`` the reason of a
    point outside the hypotheses.
    """

    measured: Mapping[str, Any]
    truths: Mapping[str, bool | None]
    error: str = ""
    skipped: str = ""
    rows: tuple[Row, ...] = ()

    @property
    def judged(self) -> bool:
        """Whether there are rows."""
        return not self.error and not self.skipped

    def same(self, other: Numbers) -> bool:
        """Whether the other numbers are these to the last digit, as where nothing that was changed is looked at."""
        ends = [{name: (e.low, e.high) for name, e in each.measured.items()} for each in (self, other)]
        return self.judged and other.judged and ends[0] == ends[1]

    def moved(self, other: Numbers) -> bool:
        """Whether the other numbers differ from these: an error is a movement, exact numbers differ by any amount,
        intervals where they are disjoint.
        """
        if self.judged != other.judged:
            return True
        return any(
            a.low > other.measured[name].high or a.high < other.measured[name].low
            for name, a in self.measured.items()
            if name in other.measured
        )


class Trial:
    """One claim on trial.

    Parameters
    ----------
    claim, entry : the claim and where it stands.
    verdict : its verdict before the trial; only one that HOLDS is tried.
    """

    def __init__(self, claim: Claim, entry: Entry, verdict: Verdict) -> None:
        self.claim, self.entry, self.verdict = claim, entry, verdict
        self.check = ".".join(entry.id.split(".")[:2])
        self._given: dict[str, Numbers] = {}
        self._things: dict[str, Any] = {}

    @cached_property
    def points(self) -> list[Point]:
        """The cheapest points of the grid at which there are rows, by the product of their sizes."""
        judged = {tuple(sorted(row.point.items())) for row in self.verdict.rows if not row.control}
        whole = [self.claim.point(axes, self.check) for axes in self.claim.grid]
        inside = [p for p in whole if tuple(sorted(p.text().items())) in judged]
        return sorted(inside, key=_size)[:POINTS]

    def numbers(self, claim: Claim, point: Point) -> Numbers:
        """Return what a claim gives at a point, without powers and controls; whatever is raised is told, not raised."""
        full = claim.budget
        budget = Budget(min(_BITS, full.bits), min(_SAMPLES, full.samples), full.alpha)
        bench = Judgement(replace(claim, budget=budget), claim.row_alpha(), user=True, brief=True, fresh=True)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a spoiled object: whoever reads them would look for a mistake
                found: PointResult = measure_point(bench, point)
        except Exception as error:
            return Numbers({}, {}, error=f"{type(error).__name__}: {error}")
        if found.skipped is not None:
            raised = found.open or found.refused
            return Numbers({}, {}, found.skipped if raised else "", "" if raised else found.skipped)
        return Numbers(
            {part.quantity: part.measured for row in found.rows for part in (row, row.premise) if part is not None},
            {row.assertion: row.truth for row in found.rows},
            rows=tuple(found.rows),
        )

    def honest(self, point: Point) -> Numbers:
        """Return what the claim itself gives at a point, measured once."""
        key = str(point)
        if key not in self._given:
            self._given[key] = self.numbers(self.claim, point)
        return self._given[key]

    def with_thing(self, change: Callable[[Any, Point], Any]) -> Claim:
        """Return the claim with its object changed after it was constructed."""
        return replace(self.claim, construct=lambda p: change(self.thing(p), p))

    def thing(self, point: Point) -> Any:
        """Return the object that the claim constructs at a point, made once; never to be changed in place."""
        if (key := str(point)) not in self._things:
            self._things[key] = self.claim.construct(point)
        return self._things[key]

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree of the check file; never to be changed in place."""
        return ast.parse(self.entry.path.read_text(encoding="utf-8"))

    @cached_property
    def functions(self) -> list[ast.AST]:
        """The functions of this file that the claim runs: construct, measure, derive and what they call by name."""
        return self.reached(*self._roots())

    def reached(self, *functions: Any) -> list[ast.AST]:
        """Return the syntax of functions of this file, and of what they call by name."""
        named: dict[str, ast.AST] = {n.name: n for n in self.tree.body if isinstance(n, ast.FunctionDef)}
        named |= {
            target.id: n.value
            for n in self.tree.body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Lambda)
            for target in n.targets if isinstance(target, ast.Name)
        }  # fmt: skip
        todo: list[ast.AST] = [found for f in functions if (found := self.node(f)) is not None]
        seen: list[ast.AST] = []
        while todo:
            node = todo.pop()
            if node in seen:
                continue
            seen.append(node)
            used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            todo += [named[name] for name in sorted(used & named.keys())]
        return seen

    def _roots(self) -> list[Any]:
        step = None if self.claim.run is None else self.claim.run.step
        return [f for f in (self.claim.construct, step, self.claim.measure, self.claim.derive) if f is not None]

    def node(self, function: Any) -> ast.AST | None:
        """Return the syntax of a function of this check file, None of one that stands elsewhere."""
        code = getattr(inspect.unwrap(getattr(function, "func", function)), "__code__", None)
        if code is None or Path(code.co_filename) != self.entry.path.resolve():
            return None
        kinds = (ast.FunctionDef, ast.Lambda)
        near = [
            n for n in ast.walk(self.tree)
            if isinstance(n, kinds) and n.lineno == code.co_firstlineno
            and (getattr(n, "name", "<lambda>") == code.co_name)
        ]  # fmt: skip
        names = code.co_varnames[: code.co_argcount]
        fitting = [n for n in near if tuple(a.arg for a in (*n.args.posonlyargs, *n.args.args)) == names]
        return fitting[0] if fitting else None

    def variant(self, change: Callable[[ast.Module], ast.Module]) -> Claim | None:
        """Return the claim of the changed file, None where that does not load.

        Parameters
        ----------
        change : gets a fresh tree of the file, which it may change in place, and returns it.
        """
        honest = load_module(self.entry.path)
        changed = change(ast.parse(self.entry.path.read_text(encoding="utf-8")))
        module = ModuleType(honest.__name__)
        vars(module).update(__file__=honest.__file__, __package__=honest.__package__)
        try:
            exec(compile(ast.fix_missing_locations(changed), str(self.entry.path), "exec"), vars(module))
        except Exception:
            return None
        found = vars(module).get(self.entry.name)
        return found if isinstance(found, Claim) else None

    def line(self, node: ast.AST) -> str:
        """Return where a node stands, as a remark says it."""
        return f"{self.entry.path.name}, line {getattr(node, 'lineno', 1)}"


def _size(point: Point) -> tuple[Fraction, str]:
    product = Fraction(1)
    for value in point.axes.values():
        if not isinstance(value, str):
            product *= max(abs(Fraction(value)), Fraction(1))
    return product, str(point)
