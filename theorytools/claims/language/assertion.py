"""The statement itself: ``leakage <= bound``, an object that is compared and never silently true.

``quantity <= expr`` builds an :class:`Assertion`; ``bool()`` of one raises, so a chain such as
``0 <= leakage <= 1`` cannot lose half of itself.  Equality is ``quantity.equals(expr, within=…)``, because
``==`` must stay Python's: quantities are keys of dictionaries; for the same reason ``≠`` is ``quantity.differs(expr)``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any

import sympy

from theorytools.arguments.checked import checked
from theorytools.arguments.kinds import Integer
from theorytools.claims.language.bound import expression
from theorytools.claims.language.estimate import Estimate
from theorytools.claims.language.family import Family
from theorytools.claims.language.relation import CONTRARY, LOWER, SIGNS, UPPER, Relation, related
from theorytools.claims.language.slope import over_window, slopes_in
from theorytools.errors import CheckError, DomainError

Sign = Annotated[int, Integer(-1, 1)]


class Side:
    """What an assertion asks of its left side.

    A quantity that is measured, or a formula of several, :mod:`~theorytools.claims.language.quantity`.
    """

    name: str
    latex: str
    meaning: str
    trivial: tuple[Any, Any]

    @property
    def parts(self) -> tuple[Any, ...]:
        """The quantities that ``measure`` returns of it."""
        raise NotImplementedError

    @property
    def formula(self) -> sympy.Expr:
        """It as a formula in its parts and in letters."""
        raise NotImplementedError

    @property
    def letters(self) -> set[sympy.Symbol]:
        """The letters in it that are no measured numbers."""
        return set()


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
    >>> from theorytools import Quantity
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
    growth : of a statement about growth, its letter, its shape and its rivals;
        :meth:`~theorytools.claims.language.quantity.Quantity.grows` makes it.

    Raises
    ------
    DomainError : another relation, a float or anything else that is no exact formula on the right, or a strict relation
        with a tolerance or a tie.

    Examples
    --------
    >>> from theorytools import Quantity
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
        return f"{premise}{self.left_latex} {SIGNS[self.relation]} {sympy.latex(self.expr)}{tolerance}"

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
    def parts(self) -> tuple[Any, ...]:
        """The quantities that ``measure`` returns for it, those of its premise too."""
        own = self.quantity.parts if self.premise is None else (*self.quantity.parts, *self.premise.parts)
        return tuple(dict.fromkeys(own))

    @property
    def letters(self) -> set[sympy.Symbol]:
        """The letters on both sides, and those of the premise."""
        found = {symbol for side in self.sides() for symbol in side.free_symbols}
        found |= self.quantity.letters
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
