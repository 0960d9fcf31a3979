r"""A phase diagram as it is declared: two axes, a goal, and the claims that decide its cells.

A declaration stands in ``checks/<paper>/phase/<name>.py`` and is found by its place.  It types no cell.  A rule names a
claim, says at which of its points a cell is judged, and whom it speaks of; the cells follow from the claim's rows.

A claim speaks of a cell only where its hypotheses hold there.  That nothing of an architecture reaches a goal is a
universal statement: the quantifiers that a rule rests on are named, and each must be covered by a proof, a closed form,
an enumeration or an automaton.  That something reaches it is an existential one, and needs an exhibit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import sympy

from theorytools.claims.papers.catalogue import find_roots
from theorytools.errors import CheckError, DomainError, nearest
from theorytools.places import paper_folder

POSSIBLE, IMPOSSIBLE = "possible", "impossible"
RELATIONS = ("<=", ">=")
Number = int | Fraction
Cell = Mapping[str, Number]


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One side of a diagram: a letter, its values in increasing order, and whether they are drawn by logarithm.

    ``label`` is what is printed for the letter, ``means`` what it is.
    """

    letter: sympy.Symbol
    values: Sequence[int]
    means: str = ""
    label: str = ""
    logarithmic: bool = False

    def __post_init__(self) -> None:
        values = list(self.values)
        if len(values) < 2 or values != sorted(set(values)):
            raise _wrong(f"the values {values} of {self.letter}", "two values or more, each once, in increasing order")

    @property
    def name(self) -> str:
        """The letter's name."""
        return str(self.letter.name)


@dataclass(frozen=True, kw_only=True)
class Spread:
    """A stated monotonicity: a cell that is decided decides the next ones in that direction, for the reason given."""

    letter: sympy.Symbol
    direction: Literal["up", "down"]
    reason: str

    def __post_init__(self) -> None:
        if self.direction not in ("up", "down") or not self.reason.strip():
            raise _wrong(f"a spread of {self.letter}", "up or down, and the reason why it is monotone")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """How one claim decides cells.

    Parameters
    ----------
    kind : ``"possible"`` or ``"impossible"``.
    claim : the claim's id.
    quantity : name of the quantity of the claim that the goal is about.
    at : the claim's axes as formulas in the diagram's letters, or words.
    says : what a cell that it decides means: the learner or network, and the error.
    over : quantifiers of a scope that must be covered whole, ``"every read-out"`` or ``"qstr.theorem_06: every …"``.
    where : cells at which the claim is asked, a relation or ``where(cell)``; it is asked everywhere unless given.
    spreads : stated monotonicities.
    edge : what vanishes on the boundary: ``"bound"`` is the claim's bound less the level of the goal, a list holds
        hypotheses of the claim, a formula in the diagram's letters is itself; None draws nothing.
    """

    kind: Literal["possible", "impossible"]
    claim: str
    quantity: str
    at: Mapping[str, Any]
    says: str
    over: Sequence[str] = ()
    where: Any = sympy.true
    spreads: Sequence[Spread] = ()
    edge: Any = None

    def __post_init__(self) -> None:
        if self.kind not in (POSSIBLE, IMPOSSIBLE):
            raise _wrong(f"a rule of kind {self.kind!r}", f"{POSSIBLE} or {IMPOSSIBLE}")
        if not self.says.strip():
            raise _wrong(f"the rule of {self.claim}", "says=…, what exactly is reached or excluded")
        if self.kind == IMPOSSIBLE and not self.over:
            raise _wrong(f"the rule of {self.claim}", "over=[…], the quantifiers over what is excluded",
                         "that nothing reaches the goal is a universal statement")  # fmt: skip

    def asked(self, cell: Cell) -> dict[str, Any] | None:
        """Return the claim's point for a cell; None where it is not asked."""
        if not (self.where(cell) if callable(self.where) else bool(_at(self.where, cell))):
            return None
        point = {name: value if isinstance(value, str) else _exact(_at(value, cell)) for name, value in self.at.items()}
        return None if None in point.values() else point


@dataclass(frozen=True, kw_only=True)
class Trained:
    """Cells that a committed record reaches: ``read()`` returns pairs of cells and what was measured there."""

    sweep: str
    says: str
    read: Callable[[], Iterable[tuple[Mapping[str, int], str]]]
    spreads: Sequence[Spread] = ()


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One architecture: letters that are fixed, the rules, and what training reached.

    ``exists`` is a relation that holds at the cells that mean something, ``level`` stands in for that of the diagram.
    """

    title: str
    rules: Sequence[Rule]
    fixed: Mapping[sympy.Symbol, Number] = field(default_factory=dict)
    level: Any = None
    exists: Any = sympy.true
    trained: Trained | None = None


@dataclass(frozen=True, kw_only=True)
class Phase:
    """A phase diagram: one goal, ``quantity relation level``, for each architecture of its panels.

    Parameters
    ----------
    title, task : what is asked, and of what.
    goal : the goal in words; ``relation`` and ``level`` are its formula, in the units of the claims' quantities.
    across, up : the axes.
    panels : the architectures.
    agenda : what its open region asks.
    name, file : ``paper.name`` and the file, both by its place.

    Examples
    --------
    >>> load_phase(phases()["qstr.heads"]).across.name
    'q'
    """

    title: str
    task: str
    goal: str
    level: Any
    across: Axis
    up: Axis
    panels: Sequence[Panel]
    agenda: str
    relation: Literal["<=", ">="] = "<="
    name: str = ""
    file: Path | None = None

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise _wrong(f"the relation {self.relation!r}", " or ".join(RELATIONS))
        if not self.panels or len({panel.title for panel in self.panels}) < len(self.panels):
            raise _wrong(f"{len(self.panels)} panels", "panels with different titles")

    def cell(self, panel: Panel, place: tuple[int, int]) -> dict[str, Number]:
        """Return the letters of a cell.

        Parameters
        ----------
        panel : which of the architectures.
        place : row and column, the lowest row first.
        """
        fixed = {letter.name: value for letter, value in panel.fixed.items()}
        return {**fixed, self.across.name: self.across.values[place[1]], self.up.name: self.up.values[place[0]]}

    def places(self, panel: Panel) -> list[tuple[int, int]]:
        """Return the cells of a panel that mean something, by row and column."""
        every = [(i, j) for i in range(len(self.up.values)) for j in range(len(self.across.values))]
        return [place for place in every if bool(_at(panel.exists, self.cell(panel, place)))]

    def level_at(self, panel: Panel, cell: Cell) -> Fraction:
        """Return the level of the goal at a cell."""
        level = _exact(_at(self.level if panel.level is None else panel.level, cell))
        if level is None:
            raise _wrong(f"the level at {dict(cell)}", "a rational number")
        return Fraction(level)


def _wrong(given: str, required: str, why: str = "") -> CheckError:
    return CheckError(f"a phase diagram with {given}", required=required, why=why)


def _at(formula: Any, cell: Cell) -> sympy.Basic:
    formula = sympy.sympify(formula)
    names = {symbol: cell[symbol.name] for symbol in formula.free_symbols if symbol.name in cell}
    return formula.subs({symbol: sympy.Rational(value) for symbol, value in names.items()})


def _exact(number: Any) -> Number | None:
    """A rational number as an int or Fraction; None for anything else."""
    if not getattr(number, "is_Rational", False):
        return None
    return int(number) if number.is_Integer else Fraction(int(number.p), int(number.q))


# -- where diagrams stand ------------------------------------------------------------------------------------------
def phases(checks: str | Path | None = None) -> dict[str, Path]:
    """Return the declarations by ``paper.name``; one's own before the library's.

    Examples
    --------
    >>> "qstr.heads" in phases()
    True
    """
    found: dict[str, Path] = {}
    for root in find_roots(checks):
        for path in sorted(root.glob("*/phase/[!_]*.py")):
            if (path.parent.parent / "paper.toml").is_file():
                found.setdefault(f"{path.parent.parent.name}.{path.stem}", path)
    return found


def named(name: str, checks: str | Path | None = None) -> Path:
    """Return the declaration ``paper.name``, or ``name`` where one paper has it.

    Raises
    ------
    DomainError : another name, with the nearest ones.
    """
    every = phases(checks)
    found = [path for key, path in every.items() if name in (key, key.partition(".")[2])]
    if len(found) == 1:
        return found[0]
    ends = {key: key for key in every} | {key.partition(".")[2]: key for key in every}
    near = [ends[end] for end in nearest(name, ends, 3, 0.4)] or list(every)[:3]
    raise DomainError(
        f"the phase diagram {name!r}", required=f"one of {', '.join(every)}" if every else "a diagram; none is here",
        why="diagrams stand in checks/<paper>/phase/<name>.py",
        advice=f"did you mean {', '.join(dict.fromkeys(near))}?" if near else "",
    )  # fmt: skip


def load_phase(path: Path) -> Phase:
    """Return the diagram of a file: what it calls ``phase``.

    Raises
    ------
    CheckError : the file does not load, or holds no such thing.
    """
    from theorytools.claims.papers.loading import load_module

    one = getattr(load_module(path), "phase", None)
    if not isinstance(one, Phase):
        raise CheckError(
            f"{path.name}, which declares no diagram", required="phase = Phase(...) at its top level",
            why="a diagram is found by its place, phase/<name>.py", advice="docs/phase.md has an example",
        )  # fmt: skip
    return replace(one, name=f"{paper_folder(path).name}.{path.stem}", file=path)
