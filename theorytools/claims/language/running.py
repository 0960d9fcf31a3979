r"""A run: a state, a step that is taken again and again, and what is observed after each.

A statement about every :math:`t\le T` of an optimiser, an online game or a dynamic is one pass over its run.  What was
run is kept within the process, so that a longer run goes on where a shorter one ended.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import zip_longest
from typing import Annotated, Any, Literal

import numpy as np
import sympy

from theorytools.arguments.checked import checked
from theorytools.arguments.kinds import Integer
from theorytools.claims.language.binders import View
from theorytools.claims.language.bound import resolve
from theorytools.claims.language.decisions import Decision, noting
from theorytools.claims.language.estimate import observed
from theorytools.claims.language.grid import Point
from theorytools.claims.language.quantity import Quantity
from theorytools.errors import BudgetError, CheckError, DomainError, NumberError
from theorytools.numbers import at_precision
from theorytools.numbers.contents import contents, converted, same
from theorytools.numbers.doubles import Double
from theorytools.numbers.rational import fraction
from theorytools.salts import salt

State = Callable[[Point], Any]
Step = Callable[[Any, int, Point], Any]
Observe = Callable[[Any, int, Point], Mapping[Quantity, Any]]
# What each step of the limit allows: products of two words (2^16 numbers of 64 bits, or one of 16,000, on average), and
# bits of the longest number.  Fractions of a linear dynamic grow by a few bits a step and stay within; where a step
# is nonlinear their length is multiplied, the work of the next step by its square, and the default of 4096 steps ends
# such a run at 65,536 bits, a few seconds before it would take hours.
WORK, BITS = 2**16, 16
_COURSES = 64  # runs that are kept
_KEPT: OrderedDict[Any, Course] = OrderedDict()


@dataclass(frozen=True)
class Moment(View):
    """A point as a run sees it: without its horizon, its generators keyed by the step, in doubles where it is a twin.

    Its own attributes begin with an underscore, as no letter does.
    """

    _horizon: tuple[str, ...] = ()
    _step: int = 0
    _twin: bool = False

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._horizon:
            raise CheckError(
                f"a run reads {name}, which says how far it goes", required=f"state, step and observe without {name}",
                why="one run is judged at every step and goes on when it is made longer",
                advice="anytime=False, if what is done depends on how many steps are planned",
            )  # fmt: skip
        value = super().__getattr__(name)
        exact = isinstance(value, Fraction | sympy.Basic)
        return _double(value) if self._twin and exact else value

    def seed(self, role: str) -> np.random.SeedSequence:
        """Return the seed of a role, in a step another one at each."""
        return super().seed(f"{role} at step {self._step}" if self._step else role)


@dataclass(frozen=True)
class Parting:
    """The first step at which a run in doubles decides otherwise than the exact one.

    Attributes
    ----------
    step : its number.
    what : the decision, ``"argmin"``, ``"argmax"``, ``"sign"``, ``"clip"`` or ``"less"``.
    doubles, exact : what each of the two runs decides, in words.
    gap : how near the exact decision was, a short text; empty where nothing was compared.
    """

    step: int
    what: str
    doubles: str
    exact: str
    gap: str = ""

    def __str__(self) -> str:
        near = f"; exact gap {self.gap}" if self.gap else ""
        return f"float64 parts at step {self.step} ({self.what} {self.doubles}, not {self.exact}{near})"


@checked
@dataclass(frozen=True)
class Run:
    r"""A run :math:`s_0`, :math:`s_t=\mathrm{step}(s_{t-1},t)`, of which something is observed at every :math:`t\le T`.

    As ``run=`` of a :class:`~theorytools.Claim` it takes the place of ``construct`` and ``measure``: right sides may
    have the letter t, and a row is the first step that violates its assertion, else the tightest one.

    Parameters
    ----------
    state : point -> the state before the first step.
    step : (state, t, point) -> the next state, as a new object.  ``point.rng("coin")`` draws anew at each step.
        Decisions that go through :data:`~theorytools.decide` are compared with those of the same run in doubles.
    observe : (state after t steps, t, point) -> {Quantity: exact number, or callable at the ambient precision}.
    time, horizon : the letters t and T; T is an axis of the grid, t is none.
    looks : ``"every"`` step is observed, or only the ``"doublings"`` 1, 2, 4, … and T, where looking is dear; a
        violation is then bisected between the last look at which it holds and the first at which it does not.
    limit : the most steps of one run; each of them allows 2^16 products of two 64-bit words, and 16 bits of its longest
        number.  A run beyond it is left open there; with a larger limit it goes on from there.
    first : the first step that is looked at; 0 looks at the state before all steps.
    anytime : whether the run is one run whatever T is, which it then does not see; else it is another for each T.

    Raises
    ------
    DomainError : one letter for both, or one that is no name.

    Examples
    --------
    >>> from theorytools import Claim, Control, decide, grid, judge, letter
    >>> t, T = letter("t", "step", integer=True, positive=True), letter("T", "steps", integer=True, positive=True)
    >>> x = Quantity("x", "x_t", "the iterate")
    >>> halving = Run(lambda p: Fraction(1), lambda x, t, p: x / 2, lambda s, t, p: {x: s})
    >>> slower = Run(lambda p: Fraction(1), lambda x, t, p: x * 3 / 4, lambda s, t, p: {x: s})
    >>> claim = Claim("Halving", x <= 1 / t, grid(T=[64]), run=halving, controls=[Control("3/4", breaks=x, run=slower)])
    >>> print(judge(claim, "toy.halving"))
    toy.halving: HOLDS to T = 64 (exact): 1 row proved; 1 of 1 controls rejected
    """

    state: State
    step: Step
    observe: Observe
    time: Any = field(default="t", kw_only=True)
    horizon: Any = field(default="T", kw_only=True)
    looks: Literal["every", "doublings"] = field(default="every", kw_only=True)
    limit: Annotated[int, Integer(1, 10**9)] = field(default=4096, kw_only=True)
    first: Annotated[int, Integer(0, 1)] = field(default=1, kw_only=True)
    anytime: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("time", "horizon"):
            letter = getattr(getattr(self, name), "name", getattr(self, name))
            if not isinstance(letter, str) or not letter.isidentifier() or letter.startswith("_"):
                raise DomainError(f"{name} = {getattr(self, name)!r:.60}", required="a letter, or its name")
            object.__setattr__(self, name, letter)
        if self.time == self.horizon:
            raise DomainError(
                f"time = horizon = {self.time!r}", required="two letters", why="every t <= T is looked at",
            )  # fmt: skip

    def steps(self, point: Point) -> int:
        """Return how many steps the run of a point has.

        Raises
        ------
        DomainError : its horizon is no whole number, or lies before the first step that is looked at.
        """
        steps = point.axes[self.horizon]
        if not isinstance(steps, int) or steps < self.first:
            raise DomainError(
                f"{self.horizon} = {steps}", required=f"a whole number of steps, at least {self.first}",
                why="it says how far the run goes",
            )  # fmt: skip
        return steps

    def times(self, steps: int) -> list[int]:
        """Return the steps that are looked at, ascending: all, or the doublings and the last."""
        if self.looks == "every":
            return list(range(self.first, steps + 1))
        doublings = [0] * (1 - self.first) + [2**k for k in range(steps.bit_length()) if 2**k < steps]
        return [*doublings, steps] if steps else [0]

    def parts(self, point: Point) -> Parting | None:
        """Return the first step at which the run in doubles decides otherwise than the exact one, None without one.

        Doubles here have ``+ - * /`` and whole powers, which are the same on every machine.

        Parameters
        ----------
        point : of a claim, ``claim.point({"b": Fraction(9, 10), "T": 300}, "paper.check")``.

        Raises
        ------
        DomainError : a step that makes something else of its numbers, or a state of floats, which has no exact run.
        BudgetError : the run is longer than its limit.
        """
        return course(self, point, self.state(self.seen(point))).parts(self.steps(point))

    def seen(self, point: Point, step: int = 0, *, twin: bool = False) -> Moment:
        """Return what state, step and observe see of a point."""
        late = {self.horizon} if self.anytime else set()
        late |= {name for name, f in point.lets.items() if late & {s.name for s in getattr(f, "free_symbols", ())}}
        axes = {name: value for name, value in point.axes.items() if name not in late}
        lets = {name: value for name, value in point.lets.items() if name not in late}
        return Moment(
            point.id, axes, lets, point.hidden if isinstance(point, View) else {}, tuple(sorted(late)), step, twin
        )


class Course:
    """How far one run has come from one start, and what was observed on the way.

    Attributes
    ----------
    t, state : the steps taken, and the state after them.
    observed : by step what was observed.
    judged : what became of each assertion so far, for whoever judges it.
    """

    def __init__(self, run: Run, point: Point, start: Any, shown: Point | None = None) -> None:
        self.run, self.work = run, 0
        self.observed: dict[int, Mapping[Quantity, Any]] = {}
        self.judged: dict[Any, Any] = {}
        self._whole, self._seen = run.seen(point), run.seen(shown or point)
        self._mutable, self._floats = False, None  # type: bool, tuple[str, ...] | None
        self._bits = self._examined(start, "the state before the first step")
        self.start = self._copy(start)
        self._now: tuple[int, Any] = (0, self.start)  # in one: whoever ends a run between two lines leaves it whole
        self._at = {0: self.start}  # states that are kept, for looks that lie between
        self._decided: list[list[Decision]] = []
        self._twin: tuple[int, Any] = (0, None)
        self._parting: Parting | None = None

    @property
    def t(self) -> int:
        """How many steps were made."""
        return self._now[0]

    @property
    def state(self) -> Any:
        """The state after them."""
        return self._now[1]

    def at(self, t: int) -> Mapping[Quantity, Any]:
        """Return what is observed after t steps.

        Raises
        ------
        BudgetError : the limit is reached before; what was run is kept.
        CheckError : a step that returns nothing or changes its argument, numbers that are not finite.
        """
        if t not in self.observed:
            self.observed[t] = self._observed(self._reached(t), t)
        return self.observed[t]

    def _reached(self, t: int) -> Any:
        """The state after t steps, from the last one, or from the nearest that is kept."""
        if t >= self.t:
            self._advance(t)
            return self.state
        near = max(k for k in self._at if k <= t)
        state = self._at[near]
        for k in range(near + 1, t + 1):
            state = self._stepped(state, k)[0]
        self._keep(t, state)
        return state

    def _advance(self, steps: int) -> None:
        while self.t < steps:
            self._admit()
            t, state = self._now
            after, decided = self._stepped(state, t + 1)
            self._decided[t:] = [decided]
            self._now = (t + 1, after)
        self._keep(self.t, self.state)

    def _keep(self, t: int, state: Any) -> None:
        """Keep a state: each of a few looks, else the last that was gone back to."""
        self._at = {**(self._at if self.run.looks == "doublings" else {0: self.start}), t: state}

    def _admit(self) -> None:
        run, at = self.run, f" at {self._seen}" if self._seen.axes else ""
        given = f"the run{at} after {self.t} steps"
        on = f"limit={2 * run.limit} goes on from there"
        if self.t >= run.limit:
            raise BudgetError(
                given, required=f"at most limit = {run.limit} steps", why="a run without end is never judged", advice=on
            )
        if self.work > WORK * run.limit or self._bits > BITS * run.limit:
            raise BudgetError(
                f"{given}, whose longest number has {self._bits} bits",
                required=f"{BITS} bits and {WORK} products of 64-bit words for each of limit = {run.limit} steps",
                why="fractions that grow make every step dearer than the one before",
                advice=f"round to a fixed number of bits in step; {on}",
            )

    def _stepped(self, state: Any, t: int) -> tuple[Any, list[Decision]]:
        """The next state, looked at, and what the step decided."""
        before = self._copy(state)
        with noting() as decided:
            after = self.run.step(state, t, self._moment(t))
        self._unchanged(before, state, f"step {t} changes the state that it is given")
        self._bits = self._examined(after, f"the state after step {t}")
        return after, decided

    def _observed(self, state: Any, t: int) -> Mapping[Quantity, Any]:
        before = self._copy(state)
        given = self.run.observe(state, t, self._moment(t, self._whole))
        self._unchanged(before, state, f"observe at step {t} changes the state that it is given")
        if not isinstance(given, Mapping):
            raise self._refused(
                f"observe at step {t} gave {given!r:.60}", "{Quantity: exact number or callable}",
                advice="observe=lambda state, t, p: {gap: …}",
            )  # fmt: skip
        return given if self._floats is None else {q: self._rounded(value, t) for q, value in given.items()}

    def _rounded(self, value: Any, t: int) -> Any:
        """What is computed from a state of floats is an observation of this machine."""
        if isinstance(value, float):
            self._examined(value, f"what is observed at step {t}")
            value = Fraction(value)
        return observed(value, *self._floats or ())

    def _examined(self, state: Any, what: str) -> int:
        """Refuse what is no state; note whether it may be changed in place and holds floats, and its longest number."""
        if state is None:
            raise self._refused(f"{what} is None", "a state", "step returns the next one", "end it with return …")
        try:
            made = contents(state)
        except NumberError as error:
            raise self._refused(f"{what} holds {error.given}", error.required, error.why) from None
        self._mutable = self._mutable or made.mutable
        if made.floats:
            self._floats = tuple(sorted({*(self._floats or ()), *made.libraries}))
        self.work += made.work
        return made.bits

    def _copy(self, state: Any) -> Any:
        return copy.deepcopy(state) if self._mutable else state

    def _unchanged(self, before: Any, state: Any, given: str) -> None:
        if before is not state and not same(before, state):
            raise self._refused(
                given, "a step and an observation that leave their argument as it is",
                "a state is kept and looked at again", "return a new one: a tuple, a copy of the list or the array",
            )  # fmt: skip

    def _refused(self, given: str, required: str, why: str = "", advice: str = "") -> CheckError:
        at = f" at {self._seen}" if self._seen.axes else ""
        return CheckError(f"the run{at}: {given}", required=required, why=why, advice=advice)

    def _moment(self, step: int, seen: Moment | None = None, *, twin: bool = False) -> Moment:
        seen = seen or self._seen
        return Moment(seen.id, seen.axes, seen.lets, seen.hidden, seen._horizon, step, twin)

    def parts(self, steps: int) -> Parting | None:
        """Return the first step, of so many, at which the run in doubles decides otherwise, as :meth:`Run.parts`."""
        self._advance(steps)
        if self._floats is not None:
            raise DomainError(
                "the run in doubles of a run in floats", required="an exact run to compare it with",
                advice="a state of integers and fractions",
            )  # fmt: skip
        while self._parting is None and self._twin[0] < steps and any(self._decided):
            self._parting = self._follow(self._twin[0] + 1)
        return self._parting if self._parting is not None and self._parting.step <= steps else None

    def _follow(self, t: int) -> Parting | None:
        """Take step t in doubles beside the exact one."""
        try:
            state = converted(self.start, _double) if t == 1 else self._twin[1]
            with noting() as decided:
                state = self.run.step(state, t, self._moment(t, twin=True))
        except (ZeroDivisionError, OverflowError):
            return Parting(t, "a number", "infinite", "finite")
        except Exception as error:  # a step that knows fractions alone
            raise DomainError(
                f"step {t} in doubles: {type(error).__name__}: {error}".partition("\n")[0],
                required="a step of + - * /, whole powers and comparisons",
                why="only these are the same in doubles on every machine",
                advice="take numbers from the state and the point; no Fraction(…) of them in step",
            ) from error
        self._twin = t, state
        return _apart(t, decided, self._decided[t - 1])


def course(run: Run, point: Point, start: Any, shown: Point | None = None, *, fresh: bool = False) -> Course:
    """Return the course of a run at a point, as far as it has come.

    Parameters
    ----------
    run, point, start : the run, its point, and the state before its first step.
    shown : what the step may see of the point; all of it unless given.
    fresh : begin a new one, that is not kept.
    """
    seen = run.seen(point)
    key = (run.state, run.step, run.observe, run.looks, run.first, run.time, run.horizon, seen.id, salt(),
           tuple(seen.axes.items()), tuple(seen.lets.items()), tuple(getattr(shown, "axes", ())))  # fmt: skip
    try:
        kept = None if fresh else _KEPT.get(key)
    except TypeError:  # functions that cannot be told apart
        return Course(run, point, start, shown)
    if kept is None or not same(kept.start, start):
        kept = Course(run, point, start, shown)
    kept.run = run  # its limit may be another
    if not fresh:
        _KEPT[key] = kept
        _KEPT.move_to_end(key)
        if len(_KEPT) > _COURSES:
            _KEPT.popitem(last=False)
    return kept


@dataclass(frozen=True)
class Start:
    """The construction of a claim about a run: the state before its first step."""

    run: Run

    @property
    def func(self) -> State:
        """The function that the author wrote."""
        return self.run.state

    def __call__(self, point: Point) -> Any:
        """Return the state before the first step of a point."""
        return self.run.state(self.run.seen(point))


@dataclass(frozen=True)
class Look:
    """The measurement of a claim about a run: what is observed of a state, for whoever wants one."""

    run: Run

    @property
    def func(self) -> Observe:
        """The function that the author wrote."""
        return self.run.observe

    def __call__(self, state: Any, point: Point) -> Mapping[Quantity, Any]:
        """Return what is observed of a state at the step that the point names, without one of a start's first look."""
        run = self.run
        if run.time in point.axes:
            step = point.axes[run.time]
            return run.observe(state, int(step), run.seen(point, int(step)))
        return Course(run, point, state).at(run.first)


def _double(value: Any) -> Double:
    if isinstance(value, sympy.Basic):
        return Double(float(at_precision(128, lambda: resolve(value))))
    return Double(value)


def _apart(step: int, doubles: list[Decision], exact: list[Decision]) -> Parting | None:
    """The first decision of a step that comes out otherwise."""
    for rounded, true in zip_longest(doubles, exact):
        if rounded is None or true is None or (rounded.what, rounded.chosen) != (true.what, true.chosen):
            alike = rounded is not None and true is not None and rounded.what == true.what
            said = [
                "nothing" if d is None else str(d.chosen).lower() if alike else f"{d.what} {d.chosen}".lower()
                for d in (rounded, true)
            ]
            gap = None if true is None else true.gap
            what = true.what if alike and true is not None else "decision"
            return Parting(step, what, said[0], said[1], _short(gap))
    return None


def _short(gap: Any) -> str:
    """Return a gap in two digits, however small."""
    if gap is None:
        return ""
    with localcontext(prec=2) as context:
        context.Emin = -(10**9)
        number = fraction(gap)
        return f"{(Decimal(number.numerator) / Decimal(number.denominator)).normalize():g}"
