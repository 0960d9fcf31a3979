r"""The statement itself: ``leakage <= bound``, an object that is compared and never silently true.

``quantity <= expr`` builds an :class:`Assertion`; ``bool()`` of one raises, so a chain such as
``0 <= leakage <= 1`` cannot lose half of itself.  Equality is ``quantity.equals(expr, within=…)``, because
``==`` must stay Python's: quantities are keys of dictionaries; for the same reason ``≠`` is ``quantity.differs(expr)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal

import sympy
from sympy.printing.latex import LatexPrinter

from theorytools.arguments.checked import checked
from theorytools.arguments.kinds import Integer
from theorytools.claims.language.bound import expression
from theorytools.claims.language.estimate import Estimate
from theorytools.claims.language.family import Family, family
from theorytools.claims.language.growth import leading_term
from theorytools.claims.language.slope import LogLogSlope, over_window, slopes_in
from theorytools.errors import CheckError, DomainError

Relation = Literal["<=", ">=", "==", "<", ">", "!="]
UPPER, LOWER = ("<=", "<"), (">=", ">")  # what bounds from above, and from below
CONTRARY = {"<": ">=", ">": "<=", "!=": "=="}  # a strict relation is refuted where its contrary is proved
Sign = Annotated[int, Integer(-1, 1)]
_SIGNS = {"<=": r"\le", ">=": r"\ge", "==": "=", "<": "<", ">": ">", "!=": r"\ne"}


@checked
class Side:
    """What a left side can do: be compared, and be part of arithmetic.

    Quantities and formulas of them are two kinds of it, neither a kind of the other: Python would ask the finer kind
    first, and turn ``risk <= 2 * margin`` round.
    """

    name: str
    latex: str
    meaning: str
    trivial: tuple[Any, Any]

    @property
    def parts(self) -> tuple[Quantity, ...]:
        """What ``measure`` returns of it."""
        raise NotImplementedError

    @property
    def formula(self) -> sympy.Expr:
        """It as a formula in :class:`Part` and letters."""
        raise NotImplementedError

    def __le__(self, rhs: Any) -> Assertion:
        return _stated(self, "<=", rhs)

    def __ge__(self, rhs: Any) -> Assertion:
        return _stated(self, ">=", rhs)

    def __lt__(self, rhs: Any) -> Assertion:
        return _stated(self, "<", rhs)

    def __gt__(self, rhs: Any) -> Assertion:
        return _stated(self, ">", rhs)

    def __add__(self, other: Any) -> Combined:
        return _combined(lambda a, b: a + b, self, other)

    def __sub__(self, other: Any) -> Combined:
        return _combined(lambda a, b: a - b, self, other)

    def __rsub__(self, other: Any) -> Combined:
        return _combined(lambda a, b: b - a, self, other)

    def __mul__(self, other: Any) -> Combined:
        return _combined(lambda a, b: a * b, self, other)

    def __truediv__(self, other: Any) -> Combined:
        return _combined(lambda a, b: a / b, self, other)

    def __rtruediv__(self, other: Any) -> Combined:
        return _combined(lambda a, b: b / a, self, other)

    def __pow__(self, other: Any) -> Combined:
        return _combined(lambda a, b: a**b, self, other)

    def __rpow__(self, other: Any) -> Combined:
        return _combined(lambda a, b: b**a, self, other)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Combined:
        return _combined(lambda a: -a, self)

    def __abs__(self) -> Combined:
        return _combined(sympy.Abs, self)

    def differs(self, rhs: Any) -> Assertion:
        """Return the assertion ``quantity ≠ rhs``, proved by disjoint intervals and refuted by one exact number.

        Parameters
        ----------
        rhs : the other side, a sympy expression or an exact number.

        Returns
        -------
        Assertion : to be put into ``Claim(asserts=…)``.
        """
        return _stated(self, "!=", rhs)

    def equals(self, rhs: Any, *, within: Any = 0) -> Assertion:
        """Return the assertion ``|quantity - rhs| <= within``.

        Parameters
        ----------
        rhs : the other side, a sympy expression or an exact number.
        within : the half-width allowed, an expression; 0 asks for equality.

        Returns
        -------
        Assertion : to be put into ``Claim(asserts=…)``.
        """
        return _stated(self, "==", rhs, within)

    def slope(self, variable: sympy.Symbol, rhs: Any, relation: Relation = "<=", *, within: Any = 0) -> Assertion:
        """Return an assertion about the log-log slope of this quantity: at most, at least or near that of ``rhs``.

        Both slopes are by least squares over one window of sizes: what is measured for the quantity is its slope, by
        :func:`~theorytools.claims.language.slope.curve_slope` or a fit, and it says on which window; the right side is
        taken there, never at infinity.  A margin is a power in the bound, ``N**Rational(1, 20) * rhs``; for ``"=="``
        it is ``within``.

        Parameters
        ----------
        variable : the letter in which both sides are curves.
        rhs : the curve whose slope is compared with, positive.
        relation : ``"<="``, ``">="``, ``"=="``, ``"<"``, ``">"`` or ``"!="``.
        within : for ``"=="`` only, the largest difference of the two slopes.

        Returns
        -------
        Assertion : about slopes.

        Raises
        ------
        DomainError : ``variable`` is no letter, or ``within`` is given for an inequality.
        """
        if within != 0 and relation != "==":
            raise DomainError(f"within = {within} for {relation}", required="'=='", advice=f"{variable}**within * rhs")
        curve = expression(rhs, f"the bound of {self.name}")
        return Assertion(self, relation, LogLogSlope(curve, variable), within=within)


@checked
@dataclass(frozen=True)
class Quantity(Side):
    """The left side of a statement: a number that is measured or enclosed.

    Parameters
    ----------
    name : short plain name, unique in its check.
    latex : how it is printed in formulas.
    meaning : what it is, in words, with its normalisation.
    trivial : ``(low, high)``, what holds without any theorem (expressions, or None); a bound weaker than this is
        reported as vacuous.

    Examples
    --------
    >>> N = sympy.Symbol("N", positive=True)
    >>> leakage = Quantity("leakage", "L", "attention outside the indexed position")
    >>> (leakage <= 1 / N).name, leakage.equals(2 * N, within=1).name
    ('leakage <= 1/N', 'leakage == 2*N ± 1')
    """

    name: str
    latex: str
    meaning: str = ""
    trivial: tuple[Any, Any] = (None, None)

    @property
    def parts(self) -> tuple[Quantity, ...]:
        """What ``measure`` returns of it: itself."""
        return (self,)

    @property
    def formula(self) -> sympy.Expr:
        """The quantity as a symbol of formulas."""
        return Part(self.name, self.latex)

    def grows(
        self, variable: sympy.Symbol, *, rivals: Sequence[Any], at_most: Any = None, at_least: Any = None,
        constant: Any = None, room: Any = Fraction(1, 10), label: str = "",
    ) -> Assertion:  # fmt: skip
        r"""Return an assertion about growth: :math:`O(g)` with ``at_most=g``, :math:`\Omega(g)` with ``at_least=g``.

        It is judged at the sizes of the grid along ``variable``, the other letters equal.  The first half of the sizes
        gives the constant, and the later ones must keep it; a family that grows like a rival, and agrees with what was
        measured on the first half, must fail at the last size.  HOLDS says both; where a size fails or a rival would
        pass the claim is UNDECIDED, and its reason says *unresolved*: finitely many sizes refute no :math:`O(g)` whose
        constant is not declared.  :math:`\Theta(g)` is one of each.

        Parameters
        ----------
        variable : the letter that grows, an axis of the grid with four sizes or more.
        rivals : shapes that grow faster (with ``at_least`` slower), named beforehand.
        at_most, at_least : the claimed shape, one of the two.
        constant : the constant, where the statement has one: then each row is an ordinary inequality.
        room : by which part a fitted constant is larger than the first sizes need.
        label : how the assertion is called.

        Returns
        -------
        Assertion : with the constant's letter on the right, or the declared constant.

        Raises
        ------
        CheckError : no rivals, one that the claim could not exclude, or not exactly one shape.

        Examples
        --------
        >>> N = sympy.Symbol("N", positive=True)
        >>> cost = Quantity("cost", "T", "comparisons")
        >>> cost.grows(N, at_most=N * sympy.log(N), rivals=[N**2]).name
        'cost = O(N*log(N))'
        """
        if (at_most is None) == (at_least is None):
            raise CheckError(f"at_most = {at_most}, at_least = {at_least}", required="one of them", advice="at_most=N")
        upper = at_least is None
        told, rhs = family(self, variable, at_most if upper else at_least, rivals, constant, room, upper=upper)
        known = "" if constant is None else f" with the constant {constant}"
        name = label or f"{self.name} = {'O' if upper else 'Ω'}({told.shape}){known}"
        return Assertion(self, "<=" if upper else ">=", rhs, label=name, growth=told)

    def vanishes(self, variable: sympy.Symbol, *, rate: Any, rivals: Sequence[Any] = (1,), **more: Any) -> Assertion:
        """Return the assertion that this quantity is o(1), at a declared rate; the rivals are constants unless given.

        Parameters
        ----------
        variable, rivals : as for :meth:`grows`.
        rate : a shape that tends to zero.
        more : ``constant``, ``room``.

        Returns
        -------
        Assertion : ``at_most=rate``.

        Raises
        ------
        CheckError : a rate that does not tend to zero.
        """
        shape = expression(rate, "a rate")
        if leading_term(shape, variable).direction >= 0:
            raise CheckError(f"the rate {shape} of an o(1)", required="a shape that tends to zero", advice="1/log(N)")
        label = f"{self.name} = o(1) at the rate {shape}"
        return self.grows(variable, at_most=shape, rivals=rivals, label=label, **more)

    def independent(self, variable: sympy.Symbol, *, rivals: Sequence[Any], logs: Any = 1, **more: Any) -> Assertion:
        """Return the assertion that this quantity does not depend on a letter, up to a power of its logarithm.

        Parameters
        ----------
        variable, rivals : as for :meth:`grows`, such as ``rivals=[N**Rational(1, 10)]``.
        logs : the power of the logarithm; 0 for a quantity that stays bounded.
        more : ``constant``, ``room``.

        Returns
        -------
        Assertion : ``at_most=log(N)**logs``.
        """
        label = f"{self.name} is independent of {variable} up to log({variable})^{logs}"
        most = sympy.log(variable) ** expression(logs, "the power of the logarithm")
        return self.grows(variable, at_most=most, rivals=rivals, label=label, **more)


class Part(sympy.Symbol):  # type: ignore[misc]  # sympy has no types
    """A quantity within a formula: a real number that is measured."""

    __slots__ = ("tex",)
    tex: str

    def __new__(cls, name: str, tex: str) -> Part:  # noqa: D102
        self = sympy.Symbol.__xnew__(cls, name, real=True)
        self.tex = tex
        return self  # type: ignore[no-any-return]

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.tex)

    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, bool]]:
        return (self.name, self.tex), {}

    def _latex(self, printer: LatexPrinter) -> str:
        return self.tex


@dataclass(frozen=True)
class Combined(Side):
    r"""A left side that is computed from several measured numbers, ``leakage + 2*risk``; arithmetic makes it.

    It is evaluated in enclosures of all parts, which are refined together; where parts are sampled their error
    probabilities add up, and its evidence is the weakest of theirs.

    Parameters
    ----------
    name, latex, meaning : of the formula, and what its parts mean.
    whole : the formula, in :class:`Part` and in letters.
    of : the quantities in it.

    Examples
    --------
    >>> first, second = Quantity("a", "a"), Quantity("b", "b")
    >>> (first + 2 * second <= 3).name, (first <= second).name, largest(first, second).latex
    ('a + 2*b <= 3', 'a <= b', '\\max\\left(a, b\\right)')
    """

    name: str
    latex: str
    meaning: str
    whole: sympy.Expr
    of: tuple[Quantity, ...]

    @property
    def trivial(self) -> tuple[Any, Any]:  # type: ignore[override]
        """No range is known of it."""
        return (None, None)

    @property
    def parts(self) -> tuple[Quantity, ...]:
        """The quantities that ``measure`` returns."""
        return self.of

    @property
    def formula(self) -> sympy.Expr:
        """The formula in its parts and in letters."""
        return self.whole

    @property
    def letters(self) -> set[sympy.Symbol]:
        """The letters of the formula that are no measured numbers."""
        return {symbol for symbol in self.whole.free_symbols if not isinstance(symbol, Part)}

    def slope(self, variable: sympy.Symbol, rhs: Any, relation: Relation = "<=", *, within: Any = 0) -> Assertion:
        """Refuse: a slope is measured as one number."""
        raise DomainError(
            f"the slope of {self.name}", required="the slope of one quantity", why="measure returns it as one number",
            advice="a Quantity of its own, whose curve measure computes",
        )  # fmt: skip


def _combined(function: Callable[..., sympy.Expr], *given: Any) -> Combined:
    """The result of arithmetic on quantities, letters and exact numbers."""
    formula = function(*(x.formula if isinstance(x, Side) else expression(x, "a part of a quantity") for x in given))
    return _of(formula, [q for x in given if isinstance(x, Side) for q in x.parts])


def _of(formula: sympy.Expr, known: Iterable[Quantity]) -> Combined:
    inside = {symbol for symbol in formula.free_symbols if isinstance(symbol, Part)}
    of = tuple(sorted({q for q in known if q.formula in inside}, key=lambda q: q.name))
    if not of or formula.has(sympy.zoo, sympy.nan, sympy.oo):
        raise DomainError(
            f"{formula}, arithmetic of quantities", required="a formula in which a measured number is left",
            why="what cancels is true or false of any measurement", advice="state it of the quantities that differ",
        )  # fmt: skip
    if len({symbol.name for symbol in formula.free_symbols} | {q.name for q in of}) < len(formula.free_symbols):
        raise DomainError(
            f"{formula}, in which two things have one name", required="one name for each quantity and letter",
            why="values are looked up by name", advice="rename the quantity",
        )  # fmt: skip
    meaning = "; ".join(f"{q.name}: {q.meaning}" for q in of if q.meaning)
    return Combined(str(formula), sympy.latex(formula), meaning, formula, of)


def largest(first: Any, *others: Any) -> Combined:
    """Return the largest of quantities, letters and exact numbers, as a left side.

    Parameters
    ----------
    first, others : at least one of them measured.

    Returns
    -------
    Combined : to be compared, ``largest(a, b) <= 1``.

    Raises
    ------
    DomainError : a float, or anything else that is no exact number.

    Examples
    --------
    >>> largest(Quantity("a", "a"), 1).name
    'Max(1, a)'
    """
    return _combined(sympy.Max, first, *others)


def smallest(first: Any, *others: Any) -> Combined:
    """Return the smallest of quantities, letters and exact numbers, as a left side.

    Parameters
    ----------
    first, others : at least one of them measured.

    Returns
    -------
    Combined : to be compared, ``smallest(a, b) <= 1``.

    Raises
    ------
    DomainError : a float, or anything else that is no exact number.

    Examples
    --------
    >>> smallest(Quantity("a", "a"), Quantity("b", "b")).name
    'Min(a, b)'
    """
    return _combined(sympy.Min, first, *others)


def _stated(left: Side, relation: Relation, rhs: Any, within: Any = 0) -> Assertion:
    """An assertion; measured numbers on the right are moved to the left, so that the right side stays a formula.

    It is printed as it was written; its rows are of the difference.
    """
    if not isinstance(rhs, Side):
        return Assertion(left, relation, rhs, within)
    difference = left.formula - rhs.formula
    measured = [term for term in sympy.Add.make_args(difference) if term.atoms(Part)]
    moved = _of(sympy.Add(*measured), [*left.parts, *rhs.parts])
    if isinstance(rhs, Quantity) and len(measured) == len(sympy.Add.make_args(difference)):
        moved = replace(moved, name=f"{left.name} - {rhs.name}", latex=f"{left.latex} - {rhs.latex}")
    room = ("", "") if within == 0 else (f" ± {expression(within)}", rf" \pm {sympy.latex(expression(within))}")
    label = f"{left.name} {relation} {rhs.name}{room[0]}"
    written = f"{left.latex} {_SIGNS[relation]} {rhs.latex}{room[1]}"
    return Assertion(moved, relation, sympy.Add(*measured) - difference, within, 0, label, written=written)


@checked
def implies(premise: Assertion, conclusion: Assertion) -> Assertion:
    """Return the assertion ``conclusion when premise``, of measured numbers on both sides.

    A row is true where the premise is certainly false or the conclusion is proved, false where the premise is proved
    and the conclusion refuted, and open otherwise.  A claim whose premise is false at every point is INAPPLICABLE.

    Parameters
    ----------
    premise, conclusion : assertions without ties, about values rather than slopes.

    Returns
    -------
    Assertion : to be put into ``Claim(asserts=…)``.

    Raises
    ------
    DomainError : a premise that has a premise, a tie, or a slope.

    Examples
    --------
    >>> margin, risk = Quantity("margin", "m"), Quantity("risk", "r")
    >>> implies(margin > 0, risk.equals(0)).name
    'risk == 0 when margin > 0'
    """
    return conclusion.when(premise)


@checked
@dataclass(frozen=True)
class Assertion:
    r"""A relation between a quantity and an expression; it has no truth value of its own.

    Parameters
    ----------
    quantity : the left side.
    relation : ``"<="``, ``">="``, ``"=="``, or one of the strict ``"<"``, ``">"``, ``"!="``, which a tie refutes.
    rhs : the right side, a sympy expression with exact numbers.
    within : half-width allowed for ``==``, an expression.
    tie : relative slack used only after the whole ladder left an attained bound open; the row then says so.
    label : a name; the formula itself unless given.
    premise : another assertion of measured numbers, without which this one says nothing; :meth:`when` gives it.
    written : the relation in LaTeX where it was written with measured numbers on both sides.
    growth : of a statement about growth, its letter, its shape and its rivals; :meth:`Quantity.grows` makes it.

    Raises
    ------
    DomainError : another relation, a float or anything else that is no exact formula on the right, or a strict relation
        with a tolerance or a tie.

    Examples
    --------
    >>> bound = Assertion(Quantity("leakage", "L"), "<=", sympy.Symbol("N") ** -2)
    >>> bound.latex()
    'L \\le \\frac{1}{N^{2}}'
    """

    quantity: Side
    relation: Relation
    rhs: Any
    within: Any = 0
    tie: Any = 0
    label: str = ""
    premise: Assertion | None = None
    written: str = ""
    growth: Family | None = None

    def __post_init__(self) -> None:
        for value in (self.rhs, self.within, self.tie):
            expression(value, f"the bound of {self.quantity.name}")
        if self.relation in CONTRARY and (self.within != 0 or self.tie != 0):
            slack, closed = ("within", "==") if self.within != 0 else ("tie", CONTRARY[self.relation])
            raise DomainError(
                f"{slack} = {self.within if self.within != 0 else self.tie} for {self.relation}",
                required="a closed relation: <=, >= or ==",
                why="a strict relation says that a tie is false, so it can neither be excused nor widened",
                advice=f"leave {slack} out, or state {'<= or >=' if closed == '==' else closed.replace('>=', '<=')}",
            )  # fmt: skip
        if self.premise is not None:
            _examine_premise(self, self.premise)

    def __bool__(self) -> bool:
        raise TypeError(
            f"'{self.name}' is a statement, not a truth value; put it into Claim(asserts=[…]). "
            "A chained comparison (0 <= x <= 1) must be written as two assertions."
        )

    @property
    def expr(self) -> sympy.Expr:
        """The right side as an expression."""
        return expression(self.rhs)

    @cached_property
    def name(self) -> str:
        """The label, or the formula in plain text."""
        if self.label:
            return self.label
        tolerance = f" ± {expression(self.within)}" if self.within != 0 else ""
        left = f"slope of {self.quantity.name}" if self.sloped else self.quantity.name
        condition = f" when {self.premise.name}" if self.premise is not None else ""
        return f"{left} {self.relation} {self.expr}{tolerance}{condition}"

    def latex(self) -> str:
        """The relation in LaTeX."""
        tolerance = rf" \pm {sympy.latex(expression(self.within))}" if self.within != 0 else ""
        premise = rf"{self.premise.latex()} \;\Rightarrow\; " if self.premise is not None else ""
        if self.written:
            return premise + self.written
        return f"{premise}{self.left_latex} {_SIGNS[self.relation]} {sympy.latex(self.expr)}{tolerance}"

    def when(self, premise: Assertion) -> Assertion:
        """Return this assertion under a premise, see :func:`implies`.

        Parameters
        ----------
        premise : an assertion of measured numbers.

        Returns
        -------
        Assertion : true also where the premise is certainly false.

        Raises
        ------
        DomainError : a premise that has a premise, a tie, or a slope; or this assertion has one.
        """
        label = f"{self.label} when {premise.name}" if self.written else self.label
        return replace(self, premise=premise, label=label)

    @property
    def parts(self) -> tuple[Quantity, ...]:
        """The quantities that ``measure`` returns for it, those of its premise too."""
        own = self.quantity.parts if self.premise is None else (*self.quantity.parts, *self.premise.parts)
        return tuple(dict.fromkeys(own))

    @property
    def letters(self) -> set[sympy.Symbol]:
        """The letters on both sides, and those of the premise."""
        found = {symbol for side in self.sides() for symbol in side.free_symbols}
        found |= self.quantity.letters if isinstance(self.quantity, Combined) else set()
        return found | (self.premise.letters if self.premise is not None else set())

    @property
    def sloped(self) -> bool:
        """Whether this is about the slope of the quantity rather than its value."""
        return bool(slopes_in(self.expr))

    @property
    def left_latex(self) -> str:
        """The left side in LaTeX: the quantity, or its slope."""
        if not self.sloped:
            return self.quantity.latex
        variable = sympy.latex(slopes_in(self.expr)[0].variable)
        return rf"\operatorname{{slope}}_{{{variable}}}\left[{self.quantity.latex}\right]"

    def on(self, measured: Estimate) -> Assertion:
        """Return this assertion with the slope of its right side taken on the window that was measured.

        Parameters
        ----------
        measured : the measured slope; its ``work["window"]`` has the sizes.

        Returns
        -------
        Assertion : with a formula in the other letters on the right; itself where no slope is compared.

        Raises
        ------
        CheckError : the measured number does not say on which window it was taken.
        """
        if not self.sloped:
            return self
        window = measured.work.get("window")
        if not window:
            raise CheckError(
                f"'{self.name}' against {measured} without a window",
                required="a measured slope and its window",
                why="the slope of the bound is taken on the same window",
                advice="curve_slope(sizes, heights), or the recipe of a fit",
            )
        return replace(self, rhs=over_window(self.expr, window), label=self.name)

    def sides(self) -> list[sympy.Expr]:
        """The expressions compared with: one for ``<=`` and ``>=``, lower and upper for ``==``."""
        if self.relation == "==" and self.within != 0:
            return [self.expr - expression(self.within), self.expr + expression(self.within)]
        return [self.expr]

    def compare(self, measured: Estimate, bounds: list[Estimate]) -> bool | None:
        """Return True or False where the intervals prove it, None where they leave it open.

        Parameters
        ----------
        measured : the interval of the quantity.
        bounds : the intervals of :meth:`sides`, in their order.

        Returns
        -------
        bool or None : the answer, if it is proved.
        """
        return related(self.relation, measured, bounds)

    def loosened(self) -> Assertion:
        """Return this assertion with its tie applied: the bound moved outward by the relative slack."""
        slack = expression(self.tie)
        if self.relation == "==":
            return Assertion(self.quantity, "==", self.rhs, self.within + abs(self.expr) * slack, 0, self.name)
        sign = 1 if self.relation in UPPER else -1
        return Assertion(self.quantity, self.relation, self.expr + sign * slack * sympy.Abs(self.expr), 0, 0, self.name)

    def tightened(self, factor: Fraction, *, sign: Sign) -> list[Assertion]:
        """Return the false-ward neighbours: the bound moved by ``factor`` towards falsehood.

        A positive upper bound is divided, a negative one multiplied, and a bound that is zero is moved by ``factor``
        times the tolerance, or by ``factor - 1`` without one.  An equality is moved both ways; ``≠`` has no neighbour
        that is nearer to falsehood: of two other numbers neither is.

        Parameters
        ----------
        factor : rational, above 1.
        sign : the sign of the bound, -1, 0 or 1.

        Returns
        -------
        list of Assertion : one for an inequality, two for an equality, none for ``≠``.
        """
        f = sympy.Rational(factor.numerator, factor.denominator)
        if sign == 0:
            step = f * expression(self.within) if self.within != 0 else f - 1
            lower, upper = self.expr - step, self.expr + step
        else:
            lower, upper = (self.expr / f, self.expr * f) if sign > 0 else (self.expr * f, self.expr / f)
        moves = [lower] * (self.relation in (*UPPER, "==")) + [upper] * (self.relation in (*LOWER, "=="))
        return [Assertion(self.quantity, self.relation, move, self.within, 0, self.name) for move in moves]


def _examine_premise(conclusion: Assertion, premise: Assertion) -> None:
    """Neither side of an implication is excused by a tie, about slopes, or an implication itself."""
    for said, a in (("premise", premise), ("conclusion", conclusion)):
        wrong = "a tie" if a.tie != 0 else "a slope" if a.sloped else ""
        wrong = wrong or ("a premise of its own" if a is premise and a.premise is not None else "")
        if wrong:
            raise DomainError(
                f"the {said} {a.name}, which has {wrong}", required="two assertions about values, without ties",
                why="each side is decided by its own intervals", advice="state two claims, or leave the tie out",
            )  # fmt: skip


def parts_of(asserts: Iterable[Assertion]) -> tuple[Quantity, ...]:
    """Return the distinct quantities that ``measure`` returns for these assertions, in their order."""
    return tuple(dict.fromkeys(quantity for assertion in asserts for quantity in assertion.parts))


def trivial_end(trivial: Sequence[Any], relation: str) -> Any:
    """Return the end of a trivial range that a bound of this relation is held against; None where there is none."""
    return trivial[1] if relation in UPPER else trivial[0] if relation in LOWER else None


def related(relation: str, measured: Estimate, bounds: Sequence[Estimate]) -> bool | None:
    """Return whether the intervals prove the relation or refute it, None where they leave it open.

    A strict relation is the contrary of a closed one: two exact numbers that are equal refute it, and two intervals
    that only touch leave it open.
    """
    if relation in CONTRARY:
        closed = related(CONTRARY[relation], measured, bounds)
        return None if closed is None else not closed
    below = _at_most(measured, bounds[-1])  # measured <= upper side
    above = _at_most(bounds[0], measured)  # lower side <= measured
    if relation == "<=":
        return below
    if relation == ">=":
        return above
    if below is False or above is False:
        return False
    return True if below and above else None


def _at_most(a: Estimate, b: Estimate) -> bool | None:
    if a.high <= b.low:
        return True
    return False if a.low > b.high else None
