"""Near misses of a statement, kind by kind: what a slip of the pen, or of the proof, would have made of it.

A mutant need not be false: a loose bound has room for three percent.  Which of them are false, and where, is found
by :mod:`tools.bench.witness`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.relation import LOWER, UPPER

Named = Iterator[tuple[str, Assertion]]
THREE_PERCENT = sympy.Rational(103, 100)
QUARTER = sympy.Rational(1, 4)
HORIZONS = (1, 2, 8, 64)  # a trap begins at so many times the largest size of the grid
TOLERANCES = 3  # by how many an equality is moved: two tolerances touch at 2
MINIMUM, MAXIMUM = sympy.Min, sympy.Max


@dataclass(frozen=True)
class Mutant:
    """A changed statement.

    Parameters
    ----------
    kind : one of :data:`KINDS`.
    change : what was changed, in a few characters.
    assertion : the changed assertion.
    dropped : the index of the hypothesis left out, if one is.
    horizon : of a trap the letter and N_0: up to it the statement is the claim's own.
    factor : of a trap N_0 over the largest size of the grid.
    """

    kind: str
    change: str
    assertion: Assertion
    dropped: int | None = None
    horizon: tuple[str, int] | None = None
    factor: int = 0


def moved(assertion: Assertion, rhs: Any) -> Assertion:
    """Return the assertion with another right side, without the label of the old one.

    Examples
    --------
    >>> from theorytools import Quantity
    >>> moved(Quantity("x", "x") <= 2, 3).name
    'x <= 3'
    """
    return replace(assertion, rhs=rhs, label="")


def full(claim: Claim, assertion: Assertion) -> sympy.Expr:
    """The right side with every defined letter written out."""
    return assertion.expr.xreplace(dict(claim.lets))


def sizes(claim: Claim, assertion: Assertion) -> dict[sympy.Symbol, list[Fraction]]:
    """The letters of the right side that are positive numbers on the grid, with their values there, ascending."""
    found = {}
    for letter in sorted(full(claim, assertion).free_symbols, key=str):
        values = [point[letter.name] for point in claim.grid if letter.name in point]
        if values and not any(isinstance(v, str) or v <= 0 for v in values):
            found[letter] = sorted({Fraction(v) for v in values})
    return found


def rational(number: Fraction) -> sympy.Rational:
    """A Fraction as sympy writes it."""
    return sympy.Rational(number.numerator, number.denominator)


def constant_off(claim: Claim, assertion: Assertion) -> Named:
    """The right side three percent larger or smaller, whichever way it can be false."""
    signs = (1,) * (assertion.relation in (*LOWER, "==")) + (-1,) * (assertion.relation in (*UPPER, "=="))
    for sign in signs:
        yield f"x(103/100)^{sign}", moved(assertion, assertion.expr * THREE_PERCENT**sign)


def exponent_off(claim: Claim, assertion: Assertion) -> Named:
    """A size raised to a power a quarter off, the constant as it was or such that an end of the grid agrees."""
    for letter, values in sizes(claim, assertion).items():
        for sign, start in itertools.product((1, -1), (None, values[0], values[-1])):
            if start is None or (len(values) > 1 and start != 1):
                base = letter if start is None else letter / rational(start)
                said = f"({letter}/{start})" if start is not None else f"{letter}"
                yield f"x{said}^{sign}/4", moved(assertion, assertion.expr * base ** (sign * QUARTER))


def log_dropped(claim: Claim, assertion: Assertion) -> Named:
    """Every logarithm of the right side, that of a defined letter included, replaced by 1."""
    if (expr := full(claim, assertion)).has(sympy.log):
        without = expr.replace(lambda node: isinstance(node, sympy.log), lambda node: sympy.Integer(1))
        yield "log dropped", moved(assertion, without)


def log_squared(claim: Claim, assertion: Assertion) -> Named:
    """Every logarithm of the right side squared."""
    if (expr := full(claim, assertion)).has(sympy.log):
        yield "log squared", moved(assertion, expr.replace(lambda n: isinstance(n, sympy.log), lambda n: n**2))


def logs_off(claim: Claim, assertion: Assertion) -> Named:
    """Logarithms dropped, or squared."""
    yield from log_dropped(claim, assertion)
    yield from log_squared(claim, assertion)


def index_shifted(claim: Claim, assertion: Assertion) -> Named:
    """N read as N + 1 or N - 1, for each integer letter of the right side."""
    for letter, step in itertools.product(sorted(assertion.expr.free_symbols, key=str), (1, -1)):
        if letter.is_integer:
            yield f"{letter}{step:+}", moved(assertion, assertion.expr.xreplace({letter: letter + step}))


def quantifiers_exchanged(claim: Claim, assertion: Assertion) -> Named:
    """One right side for every size in place of one for each: its value at one size of the grid."""
    for letter, values in sizes(claim, assertion).items():
        for value in [values[0], values[-1]] if len(values) > 1 else []:
            frozen = full(claim, assertion).xreplace({letter: rational(value)})
            yield f"{letter}:={value}", moved(assertion, frozen)


def extremes_exchanged(claim: Claim, assertion: Assertion) -> Named:
    """Minimum read as maximum, and the reverse."""
    expr = full(claim, assertion)
    if expr.has(MINIMUM, MAXIMUM):
        swap: Any = {MINIMUM: MAXIMUM, MAXIMUM: MINIMUM}
        yield "min<->max", moved(assertion, _exchanged(expr, swap))


def _exchanged(expr: Any, swap: Mapping[Any, Any]) -> Any:
    if not expr.args:
        return expr
    return swap.get(expr.func, expr.func)(*(_exchanged(part, swap) for part in expr.args))


def tolerance_left(claim: Claim, assertion: Assertion) -> Named:
    """An equality within a tolerance moved by three of them, either way."""
    if assertion.relation == "==" and assertion.within != 0:
        for sign in (1, -1):
            step = sign * TOLERANCES * sympy.sympify(assertion.within)
            yield f"{sign * TOLERANCES:+} tolerances", moved(assertion, assertion.expr + step)


def hypotheses_dropped(claim: Claim, assertion: Assertion) -> Iterator[Mutant]:
    """The claim without one of its hypotheses."""
    for index, condition in enumerate(claim.requires):
        yield Mutant("hypothesis dropped", f"without {condition}", assertion, dropped=index)


def horizon_traps(claim: Claim, assertion: Assertion) -> Iterator[Mutant]:
    """A statement that is the claim's own up to N_0, the end of the grid or beyond it, and then turns away from it.

    An equality gains max(0, N - N_0); an upper bound is multiplied by min(1, 2 - N/N_0), which falls through zero; a
    lower bound by max(1, N/N_0).
    """
    for letter, values in sizes(claim, assertion).items():
        if not letter.is_integer:
            continue
        for factor in HORIZONS:
            start = int(factor * values[-1])
            turned = (
                assertion.expr * MINIMUM(1, 2 - letter / start) if assertion.relation in UPPER
                else assertion.expr * MAXIMUM(1, letter / sympy.Integer(start)) if assertion.relation in LOWER
                else assertion.expr + MAXIMUM(0, letter - start)
            )  # fmt: skip
            trap = moved(assertion, turned)
            yield Mutant("horizon trap", f"{letter}>{start}", trap, horizon=(letter.name, start), factor=factor)


FORMULAS: dict[str, Callable[[Claim, Assertion], Named]] = {
    "constant 3 % off": constant_off, "exponent 1/4 off": exponent_off, "log dropped or squared": logs_off,
    "index off by one": index_shifted, "quantifiers exchanged": quantifiers_exchanged,
    "min for max": extremes_exchanged, "tolerance left": tolerance_left,
}  # fmt: skip
KINDS: Sequence[str] = (*FORMULAS, "hypothesis dropped", "horizon trap")


def mutants(claim: Claim, assertion: Assertion) -> Iterator[Mutant]:
    """Yield every near miss of one assertion, false or not, each once.

    Examples
    --------
    >>> from theorytools import Control, Quantity, grid, letter
    >>> N, total = letter("N", "terms", integer=True, positive=True), Quantity("total", "S")
    >>> claim = Claim("Gauss", total.equals(N * (N + 1) / 2), grid(N=[1, 10]), lambda p: p.N, lambda n, p: {total: n},
    ...               [Control("none", breaks=total, construct=lambda p: 0)])
    >>> [m.change for m in mutants(claim, claim.assertions[0]) if m.kind == "index off by one"]
    ['N+1', 'N-1']
    """
    seen = {assertion.expr}
    for kind, rule in FORMULAS.items():
        for change, mutant in rule(claim, assertion):
            if mutant.expr not in seen and not mutant.expr.has(sympy.zoo, sympy.nan, sympy.oo):
                seen.add(mutant.expr)
                yield Mutant(kind, change, mutant)
    if not claim.fixed:
        yield from horizon_traps(claim, assertion)
        yield from hypotheses_dropped(claim, assertion)
