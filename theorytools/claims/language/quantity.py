"""The left side of a statement: a quantity that is measured, or a formula of several; compared, it is an assertion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy
from sympy.printing.latex import LatexPrinter

from theorytools.arguments.checked import checked
from theorytools.claims.language.assertion import Assertion, Side
from theorytools.claims.language.bound import expression
from theorytools.claims.language.family import family
from theorytools.claims.language.growth import leading_term
from theorytools.claims.language.relation import SIGNS, Relation
from theorytools.claims.language.slope import LogLogSlope
from theorytools.errors import CheckError, DomainError


@checked
class Compared(Side):
    """What a left side can do: be compared, and be part of arithmetic.

    Quantities and formulas of them are two kinds of it, neither a kind of the other: Python would ask the finer kind
    first, and turn ``risk <= 2 * margin`` round.
    """

    @property
    def parts(self) -> tuple[Quantity, ...]:
        """What ``measure`` returns of it."""
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
class Quantity(Compared):
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
        growth, rhs = family(self.name, variable, at_most if upper else at_least, rivals, constant, room, upper=upper)
        known = "" if constant is None else f" with the constant {constant}"
        name = label or f"{self.name} = {'O' if upper else 'Ω'}({growth.shape}){known}"
        return Assertion(self, "<=" if upper else ">=", rhs, label=name, growth=growth)

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
class Combined(Compared):
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
    formula = function(
        *(x.formula if isinstance(x, Compared) else expression(x, "a part of a quantity") for x in given)
    )
    return _of(formula, [q for x in given if isinstance(x, Compared) for q in x.parts])


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


def _stated(left: Compared, relation: Relation, rhs: Any, within: Any = 0) -> Assertion:
    """An assertion; measured numbers on the right are moved to the left, so that the right side stays a formula.

    It is printed as it was written; its rows are of the difference.
    """
    if not isinstance(rhs, Compared):
        return Assertion(left, relation, rhs, within)
    difference = left.formula - rhs.formula
    measured = [term for term in sympy.Add.make_args(difference) if term.atoms(Part)]
    moved = _of(sympy.Add(*measured), [*left.parts, *rhs.parts])
    if isinstance(rhs, Quantity) and len(measured) == len(sympy.Add.make_args(difference)):
        moved = replace(moved, name=f"{left.name} - {rhs.name}", latex=f"{left.latex} - {rhs.latex}")
    room = ("", "") if within == 0 else (f" ± {expression(within)}", rf" \pm {sympy.latex(expression(within))}")
    label = f"{left.name} {relation} {rhs.name}{room[0]}"
    written = f"{left.latex} {SIGNS[relation]} {rhs.latex}{room[1]}"
    return Assertion(moved, relation, sympy.Add(*measured) - difference, within, 0, label, written=written)


def parts_of(asserts: Iterable[Assertion]) -> tuple[Quantity, ...]:
    """Return the distinct quantities that ``measure`` returns for these assertions, in their order."""
    return tuple(dict.fromkeys(quantity for assertion in asserts for quantity in assertion.parts))
