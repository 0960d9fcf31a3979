r"""The statement itself: ``leakage <= bound``, an object that is compared and never silently true.

``quantity <= expr`` builds an :class:`Assertion`; ``bool()`` of one raises, so a chain such as
``0 <= leakage <= 1`` cannot lose half of itself.  Equality is ``quantity.equals(expr, within=…)``, because
``==`` must stay Python's: quantities are keys of dictionaries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal

import sympy

from theorytools.arguments.checked import checked
from theorytools.arguments.kinds import Integer
from theorytools.claims.language.bound import expression
from theorytools.claims.language.estimate import Estimate
from theorytools.claims.language.family import Family, family
from theorytools.claims.language.growth import leading_term
from theorytools.claims.language.slope import LogLogSlope, over_window, slopes_in
from theorytools.errors import CheckError, DomainError

Relation = Literal["<=", ">=", "=="]
Sign = Annotated[int, Integer(-1, 1)]
_SIGNS = {"<=": r"\le", ">=": r"\ge", "==": "="}


@checked
@dataclass(frozen=True)
class Quantity:
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

    def __le__(self, rhs: Any) -> Assertion:
        return Assertion(self, "<=", rhs)

    def __ge__(self, rhs: Any) -> Assertion:
        return Assertion(self, ">=", rhs)

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
        return Assertion(self, "==", rhs, within=within)

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
        relation : ``"<="``, ``">="`` or ``"=="``.
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
        return self.grows(variable, at_most=sympy.log(variable) ** logs, rivals=rivals, label=label, **more)


@checked
@dataclass(frozen=True)
class Assertion:
    r"""A relation between a quantity and an expression; it has no truth value of its own.

    Parameters
    ----------
    quantity : the left side.
    relation : ``"<="``, ``">="`` or ``"=="``.
    rhs : the right side, a sympy expression with exact numbers.
    within : half-width allowed for ``==``, an expression.
    tie : relative slack used only after the whole ladder left an attained bound open; the row then says so.
    label : a name; the formula itself unless given.
    growth : of a statement about growth, its letter, its shape and its rivals; :meth:`Quantity.grows` makes it.

    Raises
    ------
    DomainError : another relation, or a float or anything else that is no exact formula on the right.

    Examples
    --------
    >>> bound = Assertion(Quantity("leakage", "L"), "<=", sympy.Symbol("N") ** -2)
    >>> bound.latex()
    'L \\le \\frac{1}{N^{2}}'
    """

    quantity: Quantity
    relation: Relation
    rhs: Any
    within: Any = 0
    tie: Any = 0
    label: str = ""
    growth: Family | None = None

    def __post_init__(self) -> None:
        for value in (self.rhs, self.within, self.tie):
            expression(value, f"the bound of {self.quantity.name}")

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
        return f"{left} {self.relation} {self.expr}{tolerance}"

    def latex(self) -> str:
        """The relation in LaTeX."""
        tolerance = rf" \pm {sympy.latex(expression(self.within))}" if self.within != 0 else ""
        return f"{self.left_latex} {_SIGNS[self.relation]} {sympy.latex(self.expr)}{tolerance}"

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
        sign = 1 if self.relation == "<=" else -1
        return Assertion(self.quantity, self.relation, self.expr + sign * slack * sympy.Abs(self.expr), 0, 0, self.name)

    def tightened(self, factor: Fraction, *, sign: Sign) -> list[Assertion]:
        """Return the false-ward neighbours: the bound moved by ``factor`` towards falsehood.

        A positive upper bound is divided, a negative one multiplied, and a bound that is zero is moved by ``factor``
        times the tolerance, or by ``factor - 1`` without one.  An equality is moved both ways.

        Parameters
        ----------
        factor : rational, above 1.
        sign : the sign of the bound, -1, 0 or 1.

        Returns
        -------
        list of Assertion : one for an inequality, two for an equality.
        """
        f = sympy.Rational(factor.numerator, factor.denominator)
        if sign == 0:
            step = f * expression(self.within) if self.within != 0 else f - 1
            lower, upper = self.expr - step, self.expr + step
        else:
            lower, upper = (self.expr / f, self.expr * f) if sign > 0 else (self.expr * f, self.expr / f)
        moves = {"<=": [lower], ">=": [upper], "==": [lower, upper]}[self.relation]
        return [Assertion(self.quantity, self.relation, move, self.within, 0, self.name) for move in moves]


def related(relation: str, measured: Estimate, bounds: Sequence[Estimate]) -> bool | None:
    """Return whether the intervals prove the relation or refute it, None where they leave it open."""
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
