r"""The cells of a phase diagram, judged: every decided cell has its claim, its point and the evidence of its row.

A rule is asked at the cells where it applies; the claim is judged at the claim's own point for that cell, hypotheses
first.  A row decides where it holds, with exact or enclosed numbers, and its bound lies beyond the level of the goal.
A stated monotonicity carries a decided cell on, and a cell that is reached that way is not judged again.

*Nothing is overruled.*  A cell that is both possible and impossible, a claim that fails at a point within its
hypotheses, and a trained network where a theorem excludes one are contradictions, and an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from theorytools.claims.judging.point import Judgement, PointResult, measure_point
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Evidence
from theorytools.claims.language.relation import LOWER, UPPER
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import load
from theorytools.errors import CheckError
from theorytools.meaning import COVERED, WHOLE
from theorytools.phase.declaration import IMPOSSIBLE, POSSIBLE, Panel, Phase, Rule, Spread
from theorytools.phase.edges import edge_of

TRAINED, OPEN = "trained", "open"
STATES = (POSSIBLE, IMPOSSIBLE, TRAINED, OPEN)
PROVED = (Evidence.EXACT, Evidence.ENCLOSED)
Place = tuple[int, int]  # row and column
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Decision:
    """What decides a cell: the number of the rule, the evidence, and the cell whose point was judged."""

    rule: int
    evidence: Evidence
    judged: Place


@dataclass(frozen=True)
class PanelCells:
    """A panel with its cells decided; ``places`` are the cells that mean something.

    ``decided`` has a decision for each cell that a claim decides, ``trained`` what was measured where a record reaches
    the goal, ``edges`` the boundary of each rule as lines of points in the diagram's letters.
    """

    panel: Panel
    places: Sequence[Place]
    decided: Mapping[Place, Decision]
    trained: Mapping[Place, str]
    edges: Sequence[Sequence[Sequence[tuple[float, float]]]] = ()

    def state(self, place: Place) -> str:
        """Return the state of a cell."""
        if place in self.decided:
            return str(self.panel.rules[self.decided[place].rule].kind)
        return TRAINED if place in self.trained else OPEN

    def counts(self) -> dict[str, int]:
        """Return how many cells have each state."""
        states = [self.state(place) for place in self.places]
        return {name: states.count(name) for name in STATES}


@dataclass(frozen=True)
class Diagram:
    """A phase diagram whose cells are decided.

    Examples
    --------
    >>> from theorytools.phase.declaration import load_phase, named
    >>> heads = load_phase(named("heads"))
    >>> across, up = (replace(axis, values=(1, 2, 3)) for axis in (heads.across, heads.up))
    >>> decide(replace(heads, across=across, up=up, panels=heads.panels[:1])).counts()
    {'possible': 6, 'impossible': 3, 'trained': 0, 'open': 0}
    """

    phase: Phase
    panels: Sequence[PanelCells] = field(repr=False)

    def counts(self) -> dict[str, int]:
        """Return how many cells of all panels have each state."""
        return {name: sum(panel.counts()[name] for panel in self.panels) for name in STATES}


def decide(phase: Phase, *, progress: Progress | None = None) -> Diagram:
    """Return a diagram with every cell decided.

    Parameters
    ----------
    phase : the declaration.
    progress : called with (done, total) after each rule.

    Raises
    ------
    CheckError : a contradiction, a rule whose claim does not say what the rule rests on, or a claim that fails.
    """
    claims = Claims(phase)
    total, done, panels = sum(len(panel.rules) for panel in phase.panels), 0, []
    for panel in phase.panels:
        every: list[dict[Place, Decision]] = []
        for number in range(len(panel.rules)):
            every.append(_decided(phase, panel, number, claims))
            done += 1
            if progress is not None:
                progress(done, total)
        trained = _trained(phase, panel)
        decided = _united(phase, panel, every, trained)
        edges = [edge_of(phase, panel, rule, claims.of(rule.claim)) for rule in panel.rules]
        panels.append(PanelCells(panel, phase.places(panel), decided, trained, edges))
    return Diagram(phase, panels)


class Claims:
    """The claims that the rules of a diagram name, loaded once and asked whether they say what a rule rests on."""

    def __init__(self, phase: Phase) -> None:
        root = phase.file.parent.parent.parent if phase.file else None
        self._catalogue = Catalogue(find_roots(root))
        self._known: dict[str, Claim] = {}
        for panel in phase.panels:
            for rule in panel.rules:
                self._examine(rule)

    def of(self, id: str) -> Claim:
        """Return the claim of an id."""
        if id not in self._known:
            found = [entry for entry in self._catalogue.select([id]) if entry.id == id]
            if not found:
                raise CheckError(f"a rule of the claim {id!r}", required="the whole id of one claim")
            self._known[id] = load(found[0])
        return self._known[id]

    def _examine(self, rule: Rule) -> None:
        claim = self.of(rule.claim)
        if claim.expect != "HOLDS":
            raise _unfit(rule, f"expects {claim.expect}", "a claim that is meant to hold")
        if set(rule.at) != set(claim.grid.axes):
            raise _unfit(rule, f"is asked at {sorted(rule.at)}", f"a value for each of {', '.join(claim.grid.axes)}")
        if rule.quantity not in {q.name for q in claim.quantities}:
            raise _unfit(rule, f"has no quantity {rule.quantity!r}", ", ".join(q.name for q in claim.quantities))
        if rule.kind == POSSIBLE and "exhibited" not in claim.scope.values():
            raise _unfit(rule, f"has the scope {dict(claim.scope)}", "'some …: exhibited', an object that is built")
        for said in rule.over:
            other, _, quantifier = said.rpartition(": ")
            scope = self.of(other).scope if other else claim.scope
            if scope.get(quantifier) not in WHOLE:
                how = COVERED.get(scope.get(quantifier, ""), "not in the scope")
                raise _unfit(rule, f"has {said!r} {how}", f"one of {', '.join(WHOLE)}")


def _unfit(rule: Rule, given: str, required: str) -> CheckError:
    return CheckError(
        f"the claim {rule.claim}, which {given}, deciding what is {rule.kind}", required=required,
        why="a diagram says no more than its claims do",
    )  # fmt: skip


def judged(phase: Phase, panel: Panel, rule: Rule, claim: Claim, place: Place) -> PointResult | None:
    """Return what the claim of a rule says at a cell; None where it is not asked.

    Parameters
    ----------
    phase, panel, rule, claim : whose cell.
    place : row and column.
    """
    asked = rule.asked(phase.cell(panel, place))
    if asked is None:
        return None
    point = claim.point(asked, ".".join(rule.claim.split(".")[:2]))
    return measure_point(Judgement(claim, claim.row_alpha(1), user=True), point)


def decision(phase: Phase, panel: Panel, rule: Rule, found: PointResult, place: Place) -> Evidence | None:
    """Return the evidence with which rows decide a cell, or None where they do not.

    Raises
    ------
    CheckError : the claim fails at this point, within its hypotheses.
    """
    cell = phase.cell(panel, place)
    wrong = next((row for row in found.rows if row.truth is False), None)
    if wrong is not None:
        raise CheckError(
            f"the claim {rule.claim} at {dict(wrong.point)}, whose {wrong.assertion} fails", required="one that holds",
            why="the diagram rests on it", advice=f"theorytools verify {rule.claim} "
            + " ".join(f"--at {name}={value}" for name, value in wrong.point.items()),
        )  # fmt: skip
    if found.skipped is not None or any(row.truth is None for row in found.rows):
        return None
    level = phase.level_at(panel, cell)
    enough = [row.evidence for row in found.rows if row.quantity == rule.quantity and _beyond(phase, rule, row, level)]
    strongest = max(enough, default=None)
    return strongest if strongest in PROVED else None


def _beyond(phase: Phase, rule: Rule, row: Row, level: Fraction) -> bool:
    """Whether the bound of a row that holds puts the quantity on the goal's side of the level, or on the other."""
    small = (phase.relation == "<=") == (rule.kind == POSSIBLE)  # the quantity must be small for what is to be shown
    if row.relation in (*(UPPER if small else LOWER), "=="):
        end = row.bound[-1].high if small else row.bound[0].low
        reached = rule.kind == POSSIBLE  # a goal is reached with equality, and missed without it
        if small:
            return bool(end <= level) if reached else bool(end < level)
        return bool(end >= level) if reached else bool(end > level)
    return False


def _decided(phase: Phase, panel: Panel, number: int, claims: Claims) -> dict[Place, Decision]:
    rule, found = panel.rules[number], dict[Place, Decision]()
    claim, places = claims.of(rule.claim), set(phase.places(panel))
    for place in _order(phase, rule.spreads):
        if place in found or place not in places or (answer := judged(phase, panel, rule, claim, place)) is None:
            continue
        evidence = decision(phase, panel, rule, answer, place)
        if evidence is not None:
            for other in places.intersection(_carried(phase, panel, place, rule.spreads)):
                found.setdefault(other, Decision(number, evidence, place))
    return found


def _order(phase: Phase, spreads: Sequence[Spread]) -> Iterator[Place]:
    """All cells, each after those that could decide it."""
    ups, acrosses = range(len(phase.up.values)), range(len(phase.across.values))
    down = {str(spread.letter) for spread in spreads if spread.direction == "down"}
    for i in reversed(ups) if phase.up.name in down else ups:
        for j in reversed(acrosses) if phase.across.name in down else acrosses:
            yield i, j


def _carried(phase: Phase, panel: Panel, place: Place, spreads: Sequence[Spread]) -> list[Place]:
    """The cell and those that it decides; a level that moves with the cell must not become harder on the way."""
    found = {place}
    for spread in spreads:
        side = (phase.up.name, phase.across.name).index(str(spread.letter))
        size, step = len((phase.up, phase.across)[side].values), 1 if spread.direction == "up" else -1
        for start in list(found):
            at = list(start)
            while 0 <= at[side] + step < size:
                at[side] += step
                found.add((at[0], at[1]))
    fixed = not _moves(phase, panel)
    level = None if fixed else phase.level_at(panel, phase.cell(panel, place))
    moved = None if fixed else next((p for p in found if phase.level_at(panel, phase.cell(panel, p)) != level), None)
    if moved is not None:
        raise CheckError(f"a spread along {', '.join(str(s.letter) for s in spreads)}", required="a level that stays",
                         why="a cell decides another one for the same goal only")  # fmt: skip
    return sorted(found)


def _moves(phase: Phase, panel: Panel) -> bool:
    """Whether the level of the goal depends on the cell."""
    level = phase.level if panel.level is None else panel.level
    axes = {phase.across.name, phase.up.name}
    return any(symbol.name in axes for symbol in getattr(level, "free_symbols", ()))


def _trained(phase: Phase, panel: Panel) -> dict[Place, str]:
    """The cells that the record reaches; a size that the axes do not have is left out."""
    found: dict[Place, str] = {}
    if panel.trained is None:
        return found
    for cell, said in panel.trained.read():
        x, y = cell[phase.across.name], cell[phase.up.name]
        if x in phase.across.values and y in phase.up.values:
            place = list(phase.up.values).index(y), list(phase.across.values).index(x)
            for other in _carried(phase, panel, place, panel.trained.spreads):
                found.setdefault(other, said)
    return found


def _united(
    phase: Phase, panel: Panel, every: Sequence[Mapping[Place, Decision]], trained: Mapping[Place, str]
) -> dict[Place, Decision]:
    """One decision for each cell, the first rule's; raise where two rules, or a rule and a record, contradict."""
    united: dict[Place, Decision] = {}
    for found in every:
        for place, one in found.items():
            other = united.setdefault(place, one)
            if panel.rules[one.rule].kind != panel.rules[other.rule].kind:
                raise _contradiction(phase, panel, place, _said(phase, panel, other), _said(phase, panel, one))
    for place, said in trained.items():
        if place in united and panel.rules[united[place].rule].kind == IMPOSSIBLE:
            record = f"the record {panel.trained.sweep if panel.trained else ''} ({said})"
            raise _contradiction(phase, panel, place, _said(phase, panel, united[place]), record)
    return united


def _said(phase: Phase, panel: Panel, one: Decision) -> str:
    rule = panel.rules[one.rule]
    point = rule.asked(phase.cell(panel, one.judged)) or {}
    return f"{rule.kind} by {rule.claim} at {', '.join(f'{name}={value}' for name, value in point.items())}"


def _contradiction(phase: Phase, panel: Panel, place: Place, *said: str) -> CheckError:
    cell = phase.cell(panel, place)
    at = ", ".join(f"{axis.name} = {cell[axis.name]}" for axis in (phase.across, phase.up))
    return CheckError(
        f"the cell {at} of {phase.name or phase.title}, {panel.title}: {' and '.join(said)}",
        required="a cell that is not both", why="one of the claims is wrong, or they do not speak of one goal",
        advice="judge both claims at that point; compare their settings, hypotheses and the quantifiers over= names",
    )  # fmt: skip


def spoiled(phase: Phase, panel: int, rule: int, **changes: Any) -> Phase:
    """Return the diagram with one rule changed: a control, which must be refused or change the cells.

    Parameters
    ----------
    phase : the declaration.
    panel, rule : numbers of the panel and of its rule.
    changes : fields of the rule.
    """
    panels = list(phase.panels)
    rules = list(panels[panel].rules)
    rules[rule] = replace(rules[rule], **changes)
    panels[panel] = replace(panels[panel], rules=rules)
    return replace(phase, panels=panels)
