"""The points that satisfy the hypotheses of a statement, proposed from inside."""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean, BooleanFalse, BooleanTrue

from theorytools.errors import DomainError
from theorytools.numbers.logic import decide
from theorytools.search import intervals
from theorytools.search.contractors import Atom, checked
from theorytools.search.intervals import INF, NEG, Interval
from theorytools.search.protocols import Choose, Ends, Place, Variable, limited

_VISITS = 4  # of one relation in one propagation: two sweeps and what they set off
_PROOF_VISITS = 64  # where a contradiction is asked for
_BRANCHES = 64  # of the disjunctions together that are told apart
_WALK = 12  # whole numbers further where a relation fails
_HALVINGS = 8  # of the way to an end, where they fail too
_SIXTEENTH = Fraction(1, 16)
_TINY = Fraction(1, 1 << 20)

Test = Callable[[Place], bool]


@dataclass
class _Branch:
    """One choice from each disjunction: its relations, those of each letter, and the box that they leave."""

    atoms: list[Atom]
    of: list[list[int]]
    box: list[Interval] | None
    given: list[list[int]]  # the letters that each equation gives


class Space:
    """The points at which all hypotheses hold.

    Each letter is chosen inside the interval that the hypotheses leave to it, given the letters before it and the
    intervals of those after it.  The ends of a relation that is linear in the letter are the true ones; others are
    rounded outward, and the exact test of the whole point has the last word.

    Parameters
    ----------
    variables : the letters of the points.
    conditions : sympy relations of the numbers among them, and And, Or and Not of those.
    symbols : the letters as sympy knows them, by name: the sign that one assumes is an end of its domain.
    tests : further hypotheses, of whole points, that have no formula.
    least : up to which size objects go where twice the grid is less.

    Raises
    ------
    DomainError
        For two variables of one name, a size that is no variable of whole numbers, a condition of another kind, of a
        letter that is no number of this space, or with a function that has no enclosure.

    Examples
    --------
    >>> a, b = sympy.symbols("a b")
    >>> space = Space([Variable("a", "rat"), Variable("b", "rat")], [0 < a, a < b, b < 1])
    >>> space.solve(lambda variable, ends, place: (ends.low + ends.high) / 2, random.Random(1), ["b", "a"])
    {'a': Fraction(1, 4), 'b': Fraction(1, 2)}
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        conditions: Sequence[Any],
        *,
        symbols: Mapping[str, sympy.Symbol] | None = None,
        tests: Sequence[Test] = (),
        least: int = 0,
    ) -> None:
        self.variables = tuple(limited(variables, least))
        self.symbols = dict(symbols or {})
        self.tests = tuple(tests)
        self._variable = {v.name: v for v in self.variables}
        numbers = [v.name for v in self.variables if v.kind in ("int", "rat")]
        self._index = {name: i for i, name in enumerate(numbers)}
        self._refuse_variables()
        self.conditions = tuple(_condition(condition, numbers) for condition in conditions)
        self._whole = frozenset(i for name, i in self._index.items() if self._variable[name].kind == "int")
        self._domain = [self._ends(self._variable[name]) for name in numbers]
        self._atoms: dict[Any, Atom] = {}
        self._choices = [_alternatives(condition) for condition in self.conditions]
        self._branches: dict[tuple[int, ...], _Branch] = {}

    def _refuse_variables(self) -> None:
        if len(self._variable) < len(self.variables):
            raise DomainError(
                f"the variables {', '.join(v.name for v in self.variables)}", required="one variable for each name"
            )
        for v in self.variables:
            if v.size and (v.size not in self._variable or self._variable[v.size].kind != "int"):
                raise DomainError(
                    f"the size {v.size} of {v.name}", required="the name of a variable of whole numbers in this space"
                )

    def _ends(self, variable: Variable) -> Interval:
        """The domain of a letter by itself, the sign that its symbol assumes included."""
        low = NEG if variable.low is None else _plain(variable.low)
        high = INF if variable.high is None else _plain(variable.high)
        ends: Interval = (low, high, low is NEG, high is INF)
        symbol = self.symbols.get(variable.name)
        if symbol is not None:
            if symbol.is_nonnegative:
                ends = intervals.meet(ends, (0, INF, bool(symbol.is_positive), True))
            if symbol.is_nonpositive:
                ends = intervals.meet(ends, (NEG, 0, True, bool(symbol.is_negative)))
        return intervals.whole_numbers(ends) if variable.kind == "int" else ends

    # -- the exact test ------------------------------------------------------------------------------------------------
    def holds(self, point: Place) -> bool:
        """Whether every hypothesis is proved at a point, the domains of the letters included.

        Raises
        ------
        DomainError
            Where a letter has no value.
        """
        for name, i in self._index.items():
            value = _value(self._variable[name], _at(point, name))
            if value is None or not intervals.contains(self._domain[i], value):
                return False
        numbers = {name: point[name] for name in self._index}
        for condition in self.conditions:
            if decide(condition, numbers) is not True:
                return False
        return all(test(point) for test in self.tests)

    # -- proposals -----------------------------------------------------------------------------------------------------
    def solve(
        self, choose: Choose, rng: random.Random, order: Sequence[str] | None = None, fixed: Place | None = None
    ) -> dict[str, Any] | None:
        """Return a point inside the hypotheses, or None where this attempt met a dead end.

        A letter of which one value is left gets it without being asked for.  Letters that an equation gives by the
        others come last whatever the order, and an object comes after its size.  A value at which a relation fails
        is replaced: by the nearest whole number up to 12 away, else by one nearer to an end of the interval.

        Parameters
        ----------
        choose : returns the value of one variable, inside the interval that the hypotheses leave to it.
        rng : for the order of the variables, where none is given, and for the branch of each disjunction.
        order : the variables in the order in which they are chosen; those that are left out come last.
        fixed : values that are kept.

        Raises
        ------
        DomainError
            Where ``order`` or ``fixed`` name a variable that the space does not have.
        """
        kept = self._kept(fixed or {})
        names = self._names(order, rng)
        if kept is None or (drawn := self._drawn(rng, kept)) is None:
            return None
        branch, box = drawn
        return self._completed(choose, branch, self._ordered(names, branch, kept), box, kept)

    def _kept(self, fixed: Place) -> dict[str, Any] | None:
        """The fixed values, the size of a fixed object among them; None where one is impossible by itself."""
        kept = dict(fixed)
        self._known(kept)
        for v in self.variables:
            if v.name in kept and v.kind in ("int", "rat"):
                kept[v.name] = _value(v, kept[v.name])
                if kept[v.name] is None:
                    return None
            if v.name in fixed and v.size and v.thing is not None:
                size = v.thing.size(kept[v.name])
                if kept.setdefault(v.size, size) != size:
                    return None
        return kept

    def _known(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._variable:
                raise DomainError(f"the letter {name}", required=f"one of {', '.join(self._variable) or 'no letters'}")

    def _names(self, order: Sequence[str] | None, rng: random.Random) -> list[str]:
        names = [v.name for v in self.variables]
        if order is None:
            rng.shuffle(names)
            return names
        self._known(order)
        return [*order, *(name for name in names if name not in order)]

    def _ordered(self, names: Sequence[str], branch: _Branch, kept: Place) -> list[str]:
        """The free letters: those that an equation gives after the others, an object after its size."""
        last: set[str] = set()
        spent: set[str] = set(kept)
        rank = {name: i for i, name in enumerate(names)}
        letters = list(self._index)
        for given in branch.given:
            candidates = [letters[i] for i in given if letters[i] not in spent]
            if candidates:
                name = max(candidates, key=rank.__getitem__)
                last.add(name)
                spent.add(name)
        order = [name for name in names if name not in kept and name not in last]
        order += [name for name in names if name in last]
        for name in [name for name in order if self._variable[name].size]:
            size = self._variable[name].size
            if size in order and order.index(size) > order.index(name):
                order.remove(name)
                order.insert(order.index(size) + 1, name)
        return order

    def _completed(
        self, choose: Choose, branch: _Branch, order: Sequence[str], box: list[Interval], kept: Place
    ) -> dict[str, Any] | None:
        place = dict(kept)
        for name in order:
            variable = self._variable[name]
            if name in self._index:
                found = self._chosen(choose, branch, variable, box, place)
                if found is None:
                    return None
                place[name], box = found
            else:
                place[name] = choose(variable, Ends(), place)
                if place[name] is None or not _fits(variable, place):
                    return None
        point = {v.name: place[v.name] for v in self.variables}
        return point if self.holds(point) else None

    def _chosen(
        self, choose: Choose, branch: _Branch, variable: Variable, box: list[Interval], place: Place
    ) -> tuple[Any, list[Interval]] | None:
        """The value of a letter and what it leaves to the others; None for a dead end."""
        i = self._index[variable.name]
        left = box[i]
        if left[0] == left[1]:
            value = _value(variable, left[0])
        else:
            value = _value(variable, choose(variable, _as_ends(left), place))
        if value is None or not intervals.contains(left, value):
            return None
        for near in _retreat(value, left, variable.kind == "int"):
            if intervals.contains(left, near):
                after = list(box)
                after[i] = intervals.point(near)
                if self._propagated(branch, after, branch.of[i], _VISITS):
                    return near, after
        return None

    # -- branches, and what the relations leave ------------------------------------------------------------------------
    def _drawn(self, rng: random.Random, kept: Place) -> tuple[_Branch, list[Interval]] | None:
        """A branch drawn among those that are not seen to be impossible beside the fixed values."""
        counts = [len(choices) for choices in self._choices]
        first = tuple(rng.randrange(n) if n > 1 else 0 for n in counts)
        box = self._fixed(branch := self._branch(first), kept)
        if box is not None or max(counts, default=1) == 1:
            return None if box is None else (branch, box)
        keys = list(itertools.islice(itertools.product(*map(range, counts)), _BRANCHES))
        rng.shuffle(keys)
        for key in keys:
            box = self._fixed(branch := self._branch(key), kept)
            if box is not None:
                return branch, box
        return None

    def _branch(self, key: tuple[int, ...]) -> _Branch:
        """The relations of one branch, compiled, and the box that they leave; kept once it was asked for."""
        if key not in self._branches:
            if len(self._branches) >= 4 * _BRANCHES:
                self._branches.clear()
            relations = [r for choices, k in zip(self._choices, key, strict=True) for r in choices[k]]
            self._branches[key] = self._compiled(list(dict.fromkeys(relations)), self._domain)
        return self._branches[key]

    def _compiled(self, relations: Sequence[Any], domain: Sequence[Interval], visits: int = _VISITS) -> _Branch:
        atoms = [self._atom(r) for r in relations if not isinstance(r, BooleanTrue | BooleanFalse)]
        of: list[list[int]] = [[] for _ in self._index]
        for k, atom in enumerate(atoms):
            for i in atom.places:
                of[i].append(k)
        given = sorted((atom.given for atom in atoms if atom.given), key=len)
        branch = _Branch(atoms, of, None, given)
        box = list(domain)
        never = any(isinstance(r, BooleanFalse) for r in relations) or any(intervals.empty(a) for a in box)
        if not never and self._propagated(branch, box, range(len(atoms)), visits):
            branch.box = box
        return branch

    def _atom(self, relation: Any) -> Atom:
        if relation not in self._atoms:
            self._atoms[relation] = Atom(relation, self._index, self._whole)
        return self._atoms[relation]

    def _fixed(self, branch: _Branch, kept: Place) -> list[Interval] | None:
        """The box of a branch beside the fixed values; None where these contradict it."""
        if branch.box is None:
            return None
        box, touched = list(branch.box), []
        for name, value in kept.items():
            i = self._index.get(name)
            if i is not None:
                if not intervals.contains(box[i], value):
                    return None
                box[i] = intervals.point(value)
                touched += branch.of[i]
        return box if self._propagated(branch, box, sorted(set(touched)), _VISITS) else None

    def _propagated(self, branch: _Branch, box: list[Interval], start: Iterable[int], visits: int) -> bool:
        """Narrow a box in place by these relations and those that they set off; whether it is not seen to be empty."""
        queue = deque(start)
        waiting, visited = set(queue), [0] * len(branch.atoms)
        while queue:
            k = queue.popleft()
            waiting.discard(k)
            visited[k] += 1
            atom = branch.atoms[k]
            free = [i for i in atom.places if box[i][0] != box[i][1]]
            if not free and atom.impossible(box):
                return False
            for i in free:
                narrowed = self._narrowed(atom, box, i)
                if narrowed is None:
                    return False
                if narrowed is box[i] or narrowed == box[i]:
                    continue
                box[i] = narrowed
                for other in branch.of[i]:
                    if other != k and other not in waiting and visited[other] < visits:
                        queue.append(other)
                        waiting.add(other)
        return True

    def _narrowed(self, atom: Atom, box: Sequence[Interval], i: int) -> Interval | None:
        found = atom.narrowed(box, i)
        if found is None:
            return None
        found = intervals.meet(box[i], found)
        if found is box[i]:
            return found
        if i in self._whole:
            found = intervals.whole_numbers(found)
        return None if intervals.empty(found) else found

    # -- contradictions ------------------------------------------------------------------------------------------------
    def contradiction(self) -> str:
        """Return the hypotheses that contradict each other, in words; empty where the intervals prove none.

        None of them can be left out of the proof.  An empty text proves nothing: the search for points goes on.
        """
        core, domain = list(range(len(self.conditions))), list(self._domain)
        if not self._impossible(core, domain):
            return ""
        for k in tuple(core):
            rest = [j for j in core if j != k]
            if self._impossible(rest, domain):
                core = rest
        texts = [str(self.conditions[k]) for k in core]
        for name, i in self._index.items():
            for wider, text in _wider(name, domain[i]):
                wide = [*domain[:i], wider(domain[i]), *domain[i + 1 :]]
                if self._impossible(core, wide):
                    domain = wide
                else:
                    texts.append(text)
        return " and ".join(texts)

    def _impossible(self, which: Sequence[int], domain: Sequence[Interval]) -> bool:
        """Whether the intervals prove that these hypotheses hold nowhere; not with too many branches to look at."""
        choices = [self._choices[k] for k in which]
        count = 1
        for options in choices:
            count *= len(options)
        return count <= _BRANCHES and all(
            self._compiled([r for part in parts for r in part], domain, _PROOF_VISITS).box is None
            for parts in itertools.product(*choices)
        )


def _plain(x: Any) -> Any:
    return x.numerator if x.denominator == 1 else Fraction(x)


def _value(variable: Variable, value: Any) -> Any:
    """The value as an int or a Fraction; None for what is no number of the variable's kind."""
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return None
    if variable.kind == "rat":
        return Fraction(value)
    return int(value) if value.denominator == 1 else None


def _at(point: Place, name: str) -> Any:
    if name not in point:
        raise DomainError(f"a point of {', '.join(point) or 'no letters'}", required=f"a value of {name}")
    return point[name]


def _fits(variable: Variable, place: Place) -> bool:
    """Whether an object has the size that was chosen before it."""
    if not variable.size or variable.thing is None:
        return True
    return bool(variable.thing.size(place[variable.name]) == place[variable.size])


def _as_ends(a: Interval) -> Ends:
    return Ends(
        None if a[0] is NEG else Fraction(a[0]), None if a[1] is INF else Fraction(a[1]),
        a[0] is not NEG and a[2], a[1] is not INF and a[3],
    )  # fmt: skip


def _retreat(value: Any, left: Interval, whole: bool) -> Iterable[Any]:
    """The value, the whole numbers next to it, then the ends, each after what lies halfway, a fourth ... before it."""
    yield value
    if whole:
        for step in range(1, _WALK + 1):
            yield value + step
            yield value - step
    for end, sign in ((left[0], 1), (left[1], -1)):
        if end is not NEG and end is not INF:
            way = abs(value - end)
            for _ in range(_HALVINGS):
                way = way // 2 if whole else way / Fraction(2)
                yield end + sign * way
            yield end


def _wider(name: str, a: Interval) -> list[tuple[Callable[[Interval], Interval], str]]:
    """For each end of a domain the domain without it, and the end in words."""
    found: list[tuple[Callable[[Interval], Interval], str]] = []
    if a[0] is not NEG:
        found.append((lambda a: (NEG, a[1], True, a[3]), f"{name} {'>' if a[2] else '>='} {a[0]}"))
    if a[1] is not INF:
        found.append((lambda a: (a[0], INF, a[2], True), f"{name} {'<' if a[3] else '<='} {a[1]}"))
    return found


# -- conditions --------------------------------------------------------------------------------------------------------
def _condition(condition: Any, names: Sequence[str]) -> Any:
    if not isinstance(condition, Boolean):
        raise DomainError(
            f"the condition {condition} of type {type(condition).__name__}",
            required="a sympy relation, or And, Or or Not of relations",
            why="Python decides == on sympy objects by their form" if isinstance(condition, bool) else "",
            advice="Eq(2*q, N) instead of 2*q == N" if isinstance(condition, bool) else "",
        )
    checked(condition, names)
    parts = sympy.preorder_traversal(condition)
    known = (Relational, sympy.And, sympy.Or, sympy.Not, BooleanTrue, BooleanFalse)
    if all(isinstance(part, known) for part in parts if isinstance(part, Boolean) and not part.is_Symbol):
        return condition
    return _normal(condition)


def _normal(condition: Any) -> Any:
    """The condition with Not only inside relations."""
    return condition if isinstance(condition, Relational) else condition.to_nnf(simplify=False)


def _alternatives(condition: Any) -> list[tuple[Any, ...]]:
    """The branches of a condition, each as its relations; of too many the first ones."""

    def branches(node: Any) -> list[tuple[Any, ...]]:
        if isinstance(node, sympy.Or):
            return [branch for part in node.args for branch in branches(part)]
        if isinstance(node, sympy.And):
            products = itertools.product(*(branches(part) for part in node.args))
            return [tuple(itertools.chain(*parts)) for parts in itertools.islice(products, _BRANCHES)]
        return [(node,)]

    return branches(_normal(condition))
