r"""A theorem as a claim: assertions, hypotheses, a grid, a construction, a measurement, and controls.

A claim without a control is refused: a check that nothing can fail says nothing.  The fields are kept exactly
as typed (the paper's letters), so ``dataclasses.replace`` makes a variant by changing one of them.  What is asked of a
claim when it is made makes a slip an error here and not a silent green later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import sympy
from sympy.core.relational import Relational

from theorytools.arguments.checked import NonNegativeInt, checked
from theorytools.claims.language import TIERS
from theorytools.claims.language.anchor import Anchor
from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.binders import Binder, binders, later, seen
from theorytools.claims.language.bound import expression
from theorytools.claims.language.control import Construct, Control, Measure
from theorytools.claims.language.draw import Draw, FirstDraw
from theorytools.claims.language.estimate import Budget
from theorytools.claims.language.fitted import Fitted, examine_families
from theorytools.claims.language.grid import Grid, Point, Thing, Value, axis_value
from theorytools.claims.language.object_letters import Stands, read_grid, stands, with_members
from theorytools.claims.language.quantity import Combined, Part, Quantity, parts_of
from theorytools.claims.language.running import Look, Run, Start
from theorytools.claims.language.slope import without_slopes
from theorytools.claims.language.symbol import Letter
from theorytools.errors import CheckError, DomainError, did_you_mean
from theorytools.meaning import TRAINED, Source, check_role, check_scope, counts_trials
from theorytools.notebook import claim_html
from theorytools.numbers.formulas import evaluator

if TYPE_CHECKING:
    from collections.abc import Iterable


def _nothing(*_: Any) -> Any:
    """What a claim constructs and measures as long as nothing is given."""


@dataclass(frozen=True)
class Claim:
    """A statement of a paper in executable form; ``CheckError`` where it is not well formed.

    Parameters
    ----------
    label : the statement as the paper numbers it ("Lemma 11", "Lemma 41, operator-norm reading").
    asserts : one assertion or several.
    grid : the points where it is tested.
    construct : point -> object (a network, a code, a data set).
    measure : (object, point) -> {Quantity: recipe, exact number, or callable at the ambient precision}.
    controls : at least one :class:`Control`.
    requires : hypotheses on the letters, sympy relations, printed; they validate points and generate random ones.
    lets : letters defined by others, ``{beta: s*d_e*log(2)/2}``.
    derive, derived : values the honest construction fixes (exact, or callables at the ambient precision) and the
        letters they are bound to; controls keep the honest values.
    role : what the claim is to its statement, of :data:`~theorytools.meaning.ROLES`.
    scope : the quantifiers of what is claimed, in the order of the sentence, each with the letters that it binds and
        how it is covered: ``{"every N, d": "points", "some network": "exhibited", "every prompt": "closed form"}``.
        What is chosen before a letter cannot depend on it: ``construct`` and ``derive`` of *some network* do not see
        what is bound after it.
    source : whose statement it is, where, and what of its display was available:
        ``"published: Lemma 11, appendix B; display"``, ``"derived here: Lemma 11"``.
    tier : ``"seconds"``, ``"minutes"`` or ``"hours"``.
    expect : ``"HOLDS"`` or ``"REFUTED"`` (a reading known to fail, with its repair among the controls), where one
        witness is exhibited ``"WITNESS FAILS"``; of a claim about training also ``"UNDECIDED"``, where the runs
        leave it open.
    budget : bits, samples and error probability.
    note : what distinguishes this claim from others in its file.
    statement : the sentence that this claim asserts, where the *Statement* of its file is that of another; its page
        shows it in that place.
    uses : ids of the claims this one rests on, ``("qstr.lemma_11",)``; they must exist, hold and not use it in turn.
    tabulated : axes whose values were read or computed for the points of the grid (a number printed in a table); at
        another point such a value states nothing, so a user who moves the other axes gives it too.
    listed : axes whose values the statement names together (the sizes of a table, the runs of a record, a curve); at
        any other combination of them it says nothing.
    objects : letters that stand for objects, each with its kind, its size and how many of its first members the grid
        has at each size, or which: ``{"G": (Graphs(), n)}``, ``{"G": (Graphs(), n, 8)}``, ``{"G": (Graphs(), n,
        [path, star])}``.  Such a letter is an axis that the grid need not name; ``p.G`` is the object.
    such_that : hypotheses on objects that no formula says, ``{"G is connected": lambda p: p.G.connected}``, printed by
        their words.
    search : for statements over objects of which there is no kind, ``search(draw, point)`` draws a random one for
        ``falsify``.
    anchors : objects whose value is known from elsewhere, :class:`~theorytools.claims.language.anchor.Anchor`; they are
        measured first, and one that fails is an error of the check.
    second : another route to the measured quantities, ``second(object, point)``, such as an enumeration for a closed
        form; None where it would take too long.  Where it gives other numbers, that is an error of the check.
    draw, draws : in place of ``construct`` a pure function ``draw(rng, point)`` that returns one object, and how many
        the engine draws at each point; each is measured, none may be left out, and the worst one decides a row.  Rows
        that hold are told with the share of draws that is certified at 95 %.
    run : in place of ``construct`` and ``measure`` a :class:`~theorytools.Run`, whose every step is judged; right sides
        may have its letter of time.
    seed : what seeds are keyed by, in place of the name of the check's file: a file that is renamed keeps its draws.

    Examples
    --------
    >>> from theorytools import grid, letter
    >>> N, total = letter("N", "number of terms", integer=True, positive=True), Quantity("total", "S", "the sum")
    >>> claim = Claim(
    ...     "Gauss", asserts=total.equals(N * (N + 1) / 2), grid=grid(N=[1, 10, 100]),
    ...     construct=lambda p: range(p.N + 1), measure=lambda terms, p: {total: sum(terms)},
    ...     controls=[Control("the last term left out", breaks=total, construct=lambda p: range(p.N))],
    ... )
    >>> claim.expect, claim.quantities == (total,), claim.row_alpha() == claim.budget.alpha / 6
    ('HOLDS', True, True)
    """

    label: str
    asserts: Assertion | Sequence[Assertion]
    grid: Grid
    construct: Construct = _nothing
    measure: Measure = _nothing
    controls: Sequence[Control] = ()
    requires: Sequence[Any] = ()
    lets: Mapping[sympy.Symbol, Any] = field(default_factory=dict)
    derive: Callable[[Any, Point], Mapping[Any, Any]] | None = None
    derived: Sequence[sympy.Symbol] = ()
    role: str = ""
    scope: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    tier: Literal["seconds", "minutes", "hours"] = "seconds"
    expect: Literal["HOLDS", "REFUTED", "WITNESS FAILS", "UNDECIDED"] = "HOLDS"
    budget: Budget = field(default_factory=Budget)
    note: str = ""
    statement: str = ""
    tabulated: Sequence[Any] = ()
    listed: Sequence[Any] = ()
    search: Callable[[Any, Point], Any] | None = None
    uses: Sequence[str] = ()
    anchors: Sequence[Anchor] = ()
    second: Callable[[Any, Point], Mapping[Quantity, Any] | None] | None = None
    draw: Draw | None = None
    draws: int = 0
    seed: str = ""
    objects: Mapping[str, Any] = field(default_factory=dict)
    such_that: Mapping[str, Callable[[Point], bool]] = field(default_factory=dict)
    run: Run | None = None

    _repr_html_ = claim_html

    def __post_init__(self) -> None:
        if self.draw is not None and self.construct is _nothing:
            object.__setattr__(self, "construct", FirstDraw(self.draw))
        if self.objects and isinstance(self.objects, Mapping) and isinstance(self.grid, Grid):
            object.__setattr__(self, "grid", self._with_objects())
        if isinstance(self.run, Run):
            for part, kind in (("construct", Start), ("measure", Look)):
                if getattr(self, part) is _nothing or isinstance(getattr(self, part), kind):
                    object.__setattr__(self, part, kind(self.run))
        _with_families(self)
        examine(self)

    def _with_objects(self) -> Grid:
        """The grid with members for the object letters that it does not name."""
        _examine_such_that(self)
        try:
            letters = self.things
            rows = with_members(read_grid(self.grid, letters), letters.values(), self.such_that, self.definitions)
        except DomainError as error:
            raise refuse(self.label, error.given, error.required, error.why, error.advice) from None
        return Grid(rows)

    @cached_property
    def things(self) -> dict[str, Stands]:
        """What the object letters stand for, by name."""
        return stands(self.objects)

    @property
    def assertions(self) -> tuple[Assertion, ...]:
        """The assertions as a tuple."""
        return (self.asserts,) if isinstance(self.asserts, Assertion) else tuple(self.asserts)

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """The distinct quantities that ``measure`` returns, in the order of the assertions."""
        return parts_of(self.assertions)

    @property
    def fixed(self) -> bool:
        """Whether the points of the grid are all that the statement speaks of."""
        names = {getattr(letter, "name", letter) for letter in self.listed}
        return bool(self.tabulated) or names == set(self.grid.axes)

    @cached_property
    def binders(self) -> tuple[Binder, ...]:
        """The quantifiers of the scope in their order, each with the letters that it binds."""
        names = [*self.grid.axes, *self.definitions, *(s.name for s in self.derived)]
        return binders(self.scope, names if self.run is None else [*names, self.run.time])

    @property
    def witnessed(self) -> bool:
        """Whether an object or a value is exhibited: then a row that is false says nothing of others."""
        return any(binder.witness for binder in self.binders)

    @property
    def fitted(self) -> frozenset[str]:
        """The assertions whose constant is that of the first sizes: a row that fails says nothing of another."""
        return frozenset(a.name for a in self.assertions if a.growth and a.growth.constant is not None)

    @property
    def trials(self) -> tuple[str, ...]:
        """The axes that number or count trials, and are no sizes."""
        return tuple(n for n in self.grid.axes if counts_trials(n, getattr(self._letters.get(n), "meaning", "")))

    @property
    def witnesses(self) -> tuple[str, ...]:
        """The axes whose values are witnesses; a search moves them no more than the sentence does."""
        return tuple(name for b in self.binders if b.witness for name in b.letters if name in self.grid.axes)

    @checked
    def seen(self, point: Point) -> Point:
        """Return what the construction may see of a point: the letters that are bound before its object."""
        return seen(point, self._later, self.definitions)

    @cached_property
    def _later(self) -> dict[str, str]:
        return later(self.binders, [s.name for s in self.derived])

    @property
    def drawn(self) -> bool:
        """Whether the engine draws the objects; a variant that constructs one by itself draws none."""
        return self.draw is not None and isinstance(self.construct, FirstDraw)

    @property
    def definitions(self) -> dict[str, sympy.Expr]:
        """The ``lets`` by name, as expressions in axes only."""
        return {symbol.name: expression(value, f"the let {symbol}") for symbol, value in self.lets.items()}

    @property
    def sizes(self) -> dict[str, tuple[str, ...]]:
        """The axes in each assertion's right side, at once or by a let; all where it has none: then nothing grows.

        How long a run is counts as one only where the right side has it.
        """
        found = {}
        for assertion in self.assertions:
            used = {symbol for side in assertion.sides() for symbol in side.free_symbols}
            used |= {s for name, value in self.definitions.items() if name in {u.name for u in used}
                     for s in value.free_symbols}  # fmt: skip
            names = tuple(name for name in self.grid.axes if name in {symbol.name for symbol in used})
            rest = (name for name in self.grid.axes if self.run is None or name != self.run.horizon)
            found[assertion.name] = names or tuple(rest)
        return found

    def all_letters(self) -> dict[str, sympy.Symbol]:
        """Every letter that occurs in the statement, by name."""
        return dict(self._letters)

    @cached_property
    def _letters(self) -> dict[str, sympy.Symbol]:
        found: set[sympy.Symbol] = set(self.lets) | set(self.derived)
        for value in self.definitions.values():
            found |= value.free_symbols
        for assertion in self.assertions:
            found |= assertion.letters
        for condition in self.requires:
            found |= getattr(condition, "free_symbols", set())
        return {symbol.name: symbol for symbol in sorted(found, key=lambda s: s.name)}

    @checked
    def point(self, axes: Mapping[str, Any], check: str) -> Point:
        """Return the point with these axes, its seeds keyed by the claim's ``seed``, else by the check file.

        The value of an object letter may be the object itself.
        """
        values = {n: self.things[n].thing(v) if n in self.things and not isinstance(v, Thing) else v
                  for n, v in axes.items()}  # fmt: skip
        return Point(self.seed or check, values, self.definitions)

    @checked
    def value(self, name: str, given: Any) -> Value:
        """Return one value of an axis: an exact number or a word, of an object letter an object, validated by its kind.

        Parameters
        ----------
        name : the axis.
        given : a number, a word, an object, or an object's JSON as a text.

        Raises
        ------
        DomainError : no such value, or a word where the grid has numbers.
        """
        if name in self.things:
            return self.things[name].thing(given)
        value = axis_value(given, name)
        if isinstance(value, str) and name in _numbers(self):
            raise DomainError(f"{name} = {value!r}", required="a number", why=f"{self.label} has numbers for {name}")
        return value

    @checked
    def row_alpha(self, count: NonNegativeInt | None = None) -> float:
        """The error probability of one quantity at one of ``count`` points, of the grid's where those are more.

        It is fixed before anything is sampled.  Each control counts as much as whichever measures the most quantities,
        so the parts never exceed the whole.
        """
        asserted = [self.assertions, *(c.asserts for c in self.controls if c.asserts is not None)]
        most = max(len(parts_of(asserts)) for asserts in asserted)
        places = len(self.grid) if count is None else max(len(self.grid), count)
        return self.budget.alpha / (places * (1 + len(self.controls)) * most)


def _with_families(claim: Claim) -> None:
    """Give a claim about growth the constants of its first sizes as derived letters, and its rivals as controls."""
    asserts = (claim.asserts,) if isinstance(claim.asserts, Assertion) else claim.asserts
    before = claim.derive if isinstance(claim.derive, Fitted) else None
    growing = [a for a in asserts if isinstance(a, Assertion) and a.growth] if isinstance(asserts, list | tuple) else []
    if before is None and not growing:
        return
    constants = [a.growth.constant for a in growing if a.growth and a.growth.constant is not None]
    inner = claim.derive if before is None else before.inner
    made = Fitted(claim, inner, frozenset(symbol.name for symbol in constants))
    if constants or before is not None:
        old = before.names if before else frozenset()
        kept = [symbol for symbol in claim.derived if symbol.name not in old]
        object.__setattr__(claim, "derive", made if constants else inner)
        object.__setattr__(claim, "derived", [*kept, *constants])
    own = [control for control in claim.controls if not getattr(control, "rival", False)]
    if isinstance(claim.grid, Grid) and len(claim.grid) and own:  # a claim without controls of its own is refused
        examine_families(str(claim.label), claim)
        object.__setattr__(claim, "controls", [*own, *(c for a in growing for c in made.rivals(a))])


def refuse(label: str, given: str, required: str, why: str = "", advice: str = "") -> CheckError:
    """Return the error of a claim that is not well formed."""
    return CheckError(f"claim {label!r}: {given}", required=required, why=why, advice=advice)


def examine(claim: Claim) -> None:
    """Raise ``CheckError`` unless the claim can be judged."""
    _examine_shape(claim)
    _examine_meaning(claim)
    for condition in claim.requires:
        _relations(claim.label, condition)
    _examine_letters(claim)
    _examine_table(claim)
    _examine_controls(claim)
    _examine_formulas(claim)
    _examine_order(claim)


def _examine_shape(claim: Claim) -> None:
    if not isinstance(claim.label, str) or not claim.label.strip():
        raise refuse(str(claim.label), "an empty label", "the statement's number in the paper, e.g. 'Lemma 11'")
    for part in ("controls", "requires", "derived", "uses", "tabulated", "listed", "anchors"):
        if not isinstance(getattr(claim, part), list | tuple):
            raise refuse(claim.label, f"{part} = {getattr(claim, part)!r}", "a list", advice=f"{part}=[…]")
    listed = isinstance(claim.asserts, Assertion | list | tuple) and claim.assertions
    if not listed or not all(isinstance(a, Assertion) for a in claim.assertions):
        raise refuse(
            claim.label, f"asserts = {claim.asserts!r}", "one or more assertions such as leakage <= bound",
            "a relation between two sympy expressions is not an assertion", "make the left side a Quantity",
        )  # fmt: skip
    for part, kind, said in (("budget", Budget, "Budget(bits, samples, alpha)"), ("note", str, "a text"),
                              ("statement", str, "a sentence"),
                              ("lets", Mapping, "letters and what they stand for: lets={beta: s*d}"),
                              ("objects", Mapping, "letters and kinds: objects={'G': (Graphs(), n)}")):  # fmt: skip
        if not isinstance(getattr(claim, part), kind):
            raise refuse(claim.label, f"{part} = {getattr(claim, part)!r}", said)
    _examine_such_that(claim)
    _examine_names(claim.label, claim.assertions)
    if len({q.name for q in claim.quantities}) < len(claim.quantities):
        raise refuse(claim.label, "two quantities with one name", "distinct names")
    if not isinstance(claim.grid, Grid) or not len(claim.grid):
        raise refuse(claim.label, f"grid = {claim.grid!r}", "grid(N=[…], …) or points('N d', (…), …), not empty")
    for part, allowed in (("tier", TIERS), ("expect", ("HOLDS", "REFUTED", "WITNESS FAILS", "UNDECIDED"))):
        if getattr(claim, part) not in allowed:
            raise refuse(claim.label, f"{part} = {getattr(claim, part)!r}", f"one of {', '.join(allowed)}")
    if not all(isinstance(id, str) and "." in id for id in claim.uses):
        raise refuse(claim.label, f"uses = {claim.uses!r}", "ids of claims", advice="uses=['qstr.lemma_11']")
    if not all(isinstance(anchor, Anchor) for anchor in claim.anchors):
        raise refuse(claim.label, f"anchors = {claim.anchors!r:.80}", "Anchor(name, object, {quantity: known value})")
    if not callable(claim.construct) or not callable(claim.measure) or _nothing in (claim.construct, claim.measure):
        raise refuse(
            claim.label, "construct or measure is not callable", "two functions: (p) and (object, p)",
            advice="construct=…, or draw= and draws= for objects that are drawn; measure=…",
        )  # fmt: skip
    _examine_draws(claim)
    _examine_run(claim)


def _examine_such_that(claim: Claim) -> None:
    given = claim.such_that
    if not isinstance(given, Mapping) or not all(
        isinstance(t, str) and t.strip() and callable(h) for t, h in given.items()
    ):
        raise refuse(
            claim.label, f"such_that = {given!r:.80}", "hypotheses in words, each with a function (p) that says it",
            "what no formula says is printed by its words", "such_that={'G is connected': lambda p: p.G.connected}",
        )  # fmt: skip


def _examine_draws(claim: Claim) -> None:
    """The number of draws is fixed beforehand, and what a draw is measured by does not move the statement."""
    if not isinstance(claim.seed, str):
        raise refuse(claim.label, f"seed = {claim.seed!r}", "a text, such as the name of the statement")
    whole = isinstance(claim.draws, int) and not isinstance(claim.draws, bool)
    if not whole or (claim.draws < 1 if claim.draw is not None else claim.draws != 0):
        raise refuse(
            claim.label, f"draws = {claim.draws!r} {'without' if claim.draw is None else 'with'} draw=",
            "draw=, a function (rng, p), and draws=, how many objects are drawn at each point", 
            "a number that is fixed beforehand says which share of draws may fail", "draws=30 certifies 90 %",
        )  # fmt: skip
    if claim.draw is not None and not callable(claim.draw):
        raise refuse(claim.label, f"draw = {claim.draw!r}", "a function (rng, p) that returns one object")
    if claim.draw is not None and claim.derive is not None:
        raise refuse(
            claim.label, "derive= with draw=", "one of them",
            "a letter that is read off each drawn object is no letter of one statement", "measure it, or construct=",
        )  # fmt: skip


def _examine_run(claim: Claim) -> None:
    """A run is all that a claim constructs and measures, and its letters are what they are said to be."""
    run = claim.run
    if run is None:
        if any(control.run is not None for control in claim.controls if isinstance(control, Control)):
            raise refuse(claim.label, "a control with run=", "run= of the claim, too", "it spoils the run of the claim")
        if isinstance(claim.scope, Mapping) and "every step" in claim.scope.values():
            raise refuse(claim.label, "a scope covered by 'every step'", "run=", "only the steps of a run are judged")
        return
    if not isinstance(run, Run):
        raise refuse(claim.label, f"run = {run!r:.60}", "Run(state, step, observe)")
    for part in ("draw", "second"):
        if getattr(claim, part) is not None:
            way = "p.rng('data') in state or step" if part == "draw" else "observe both, and assert that they agree"
            why = "a run is constructed and measured by itself"
            raise refuse(claim.label, f"{part}= with run=", "one of them", why, way)
    if not isinstance(claim.measure, Look):
        raise refuse(claim.label, "measure= with run=", "run= alone", "a run is measured by what it observes")
    _examine_times(claim, run)
    for control in claim.controls:
        if isinstance(control, Control) and (control.construct, control.draw, control.measure) != (None, None, None):
            raise refuse(
                claim.label, f"control {control.name!r} with construct=, draw= or measure=", "run= or asserts=",
                "the run is what is constructed and measured", "run=dataclasses.replace(run, step=…)",
            )  # fmt: skip


def _examine_times(claim: Claim, run: Run) -> None:
    """T is an axis of whole numbers, t is no letter of a point, and is the t of the right sides."""
    if run.horizon not in claim.grid.axes:
        raise refuse(
            claim.label, f"a run to {run.horizon}", f"an axis of the grid: {', '.join(claim.grid.axes)}",
            "it says how far the run goes", f"grid({run.horizon}=[64], …), or Run(…, horizon='…')",
        )  # fmt: skip
    try:
        for axes in claim.grid:
            run.steps(Point("", axes, {}))
    except DomainError as error:
        raise refuse(claim.label, error.given, error.required, error.why) from None
    taken = {*claim.grid.axes, *(getattr(s, "name", s) for s in (*claim.lets, *claim.derived))}
    fixed = [*claim.requires, *claim.lets.values(), *(c.where for c in claim.controls if isinstance(c, Control))]
    used = {s.name for value in fixed for s in getattr(value, "free_symbols", ())}
    if run.time in taken | used:
        where = "of a point" if run.time in taken else "of a hypothesis, a let or a control's condition"
        raise refuse(
            claim.label, f"the time {run.time}, which is a letter {where}", "a letter of right sides alone",
            "at one point a run has every time", "Run(…, time='k')",
        )  # fmt: skip
    symbol = claim.all_letters().get(run.time)
    if symbol is not None and (symbol.is_integer is False or (symbol.is_positive and run.first == 0)):
        raise refuse(
            claim.label, f"the letter {symbol} with {symbol._assumptions_orig}", f"a whole number from {run.first}",
            "sympy simplifies by an assumption", f"letter('{symbol}', 'step', integer=True, nonnegative=True)",
        )  # fmt: skip


def _examine_meaning(claim: Claim) -> None:
    """What is said of the claim's meaning agrees with itself; that it is said is asked where a claim is loaded."""
    if claim.expect == "UNDECIDED" and claim.role not in TRAINED and not any(a.growth for a in claim.assertions):
        raise refuse(
            claim.label, "expect = 'UNDECIDED'", "role='prediction' or 'found', or an assertion about growth",
            "runs may leave it open; of mathematics a verdict decides", "expect='HOLDS' or 'REFUTED'",
        )  # fmt: skip
    parts: list[tuple[Any, Any, Any]] = [(check_role, claim.role, ""), (check_scope, claim.scope, {})]
    for examined, given, silent in [*parts, (Source.parse, claim.source, "")]:
        try:
            if given != silent:
                examined(given)
        except DomainError as error:
            raise refuse(claim.label, error.given, error.required, error.why, error.advice) from None


def _examine_order(claim: Claim) -> None:
    """A witness that is given by a rule is a let of letters that are bound before it."""
    before: set[str] = set()
    for binder in claim.binders:
        for name in binder.letters:
            late = {s.name for s in getattr(claim.definitions.get(name), "free_symbols", ())} - before
            late &= {letter for other in claim.binders for letter in other.letters}
            if binder.witness and late:
                raise refuse(
                    claim.label, f"the witness {name} = {claim.definitions[name]} of 'some {binder.words}'",
                    "a rule of letters that are bound before it", f"{', '.join(sorted(late))} is chosen after {name}",
                    f"put 'every {', '.join(sorted(late))}' before 'some {binder.words}', if that is what is stated",
                )  # fmt: skip
        before |= set(binder.letters)


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
    asserts += [a.premise for a in asserts if a.premise is not None]
    formulas = [side for a in asserts for side in (*a.sides(), a.tie, *a.quantity.trivial) if side is not None]
    formulas += [a.quantity.formula for a in asserts if isinstance(a.quantity, Combined)]
    formulas += [side for relation in relations for side in relation.args] + list(claim.lets.values())
    symbols: set[Any] = {*claim.lets, *claim.derived}
    for formula in formulas:
        try:
            compiled = expression(formula, "a formula")
            evaluator(without_slopes(compiled))
        except DomainError as error:
            raise refuse(claim.label, error.given, error.required, error.why, error.advice) from None
        symbols |= {symbol for symbol in compiled.free_symbols if not isinstance(symbol, Part)}
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
    times = set() if claim.run is None else {claim.run.time}
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
        if name not in axes | lets | derived | times:
            raise refuse(
                claim.label,
                f"the letter {name} has no value",
                f"an axis ({', '.join(sorted(axes))}), a let or a derived letter",
                "every letter of a bound or hypothesis must be fixed at a point",
                f"add {name} to the grid, to lets, or to derived with derive=",
            )
    if bool(claim.derived) != (claim.derive is not None):
        raise refuse(claim.label, "derive without derived, or the reverse", "both: the letters and their values")


def _examine_table(claim: Claim) -> None:
    for part in ("tabulated", "listed"):
        for letter in getattr(claim, part):
            name = getattr(letter, "name", letter)
            if name not in claim.grid.axes:
                raise refuse(claim.label, f"{part} = {name}", f"an axis of the grid: {', '.join(claim.grid.axes)}")


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
    if claim.expect in ("REFUTED", "WITNESS FAILS") and not any(control.repair for control in claim.controls):
        raise refuse(
            claim.label, f"expect={claim.expect!r} without a repair", "a control with breaks=() that holds everywhere"
        )
    if claim.expect == "HOLDS" and all(control.repair for control in claim.controls):
        raise refuse(claim.label, "only repairs among the controls", "at least one control that must break")


def _examine_control(claim: Claim, control: Control) -> None:
    asserts = control.asserts if control.asserts is not None else claim.assertions
    spoiled = (control.construct, control.draw, control.measure, control.run, control.asserts)
    if all(part is None for part in spoiled):
        ways = "construct=, draw=, measure= or asserts=" if claim.run is None else "run= or asserts="
        raise refuse(claim.label, f"control {control.name!r} spoils nothing", ways)
    if control.draw is not None and (claim.draw is None or control.construct is not None):
        raise refuse(
            claim.label, f"control {control.name!r} draws", "draw= only where the claim has draw=, and no construct=",
            "its objects are drawn as often as those of the claim",
        )  # fmt: skip
    if not isinstance(asserts, list | tuple) or not asserts or not all(isinstance(a, Assertion) for a in asserts):
        raise refuse(
            claim.label, f"control {control.name!r} asserts {asserts!r}", "None, or a list of one or more assertions",
            "without an assertion nothing can break and every repair would hold",
        )  # fmt: skip
    _examine_names(f"{claim.label}, control {control.name}", asserts)
    _relations(claim.label, control.where)
    known = _numbers(claim) | set(claim.definitions) | {s.name for s in claim.derived}
    known |= set() if claim.run is None else {claim.run.time}
    used = {s.name for a in asserts for s in a.letters}
    used |= {s.name for s in getattr(control.where, "free_symbols", ())}
    if used - known:
        given = f"control {control.name!r} uses {sorted(used - known)}"
        raise refuse(claim.label, given, f"letters among {sorted(known)}")
    for target in control.targets:
        if not any(Control("", target).must_break(a) for a in asserts):
            what = target.name if isinstance(target, Quantity | Assertion) else target
            judged = [name for a in asserts for name in (*(q.name for q in a.quantity.parts), a.name)]
            raise refuse(
                claim.label, f"control {control.name!r} breaks {what!r}", "a quantity or an assertion of the claim",
                "what must break is one of those that are judged", did_you_mean(what, judged, f"breaks={judged[0]!r}"),
            )  # fmt: skip
