r"""Growth of a measured family along one letter: the claimed shape, its constant, and the rivals it must exclude.

:math:`f=O(g)` says that a constant exists; finitely many sizes can neither prove that nor refute it.  What they can say
is a comparison of named shapes.  Let :math:`F` be the first half of the sizes of the grid, the other letters equal.

* The constant is declared, or fitted: :math:`C=(1+\rho)\max_{N\in F}f(N)/g(N)` (for a lower bound
  :math:`\min_{N\in F}f/g/(1+\rho)`), with the room :math:`\rho`.  Each row says :math:`f(N)\le Cg(N)`, which is news at
  the later sizes.  A declared constant that fails is refuted; a fitted one that fails says nothing of a larger one.
* A rival :math:`h` is excluded where a family that grows like it would have failed: :math:`c'h(N)>Cg(N)` at the last
  size, with :math:`c'=\min_{N\in F}f/h` (for a lower bound the maximum), the smallest such family that is as large as
  what was measured on the first half.

Else the claim is unresolved, and the reason names the size that failed or the rival that would have passed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from theorytools.claims.language.bound import expression
from theorytools.claims.language.growth import Growth, leading_term
from theorytools.claims.language.symbol import letter
from theorytools.errors import CheckError, DomainError


@dataclass(frozen=True)
class Family:
    """What a claim about growth says besides its inequality.

    Parameters
    ----------
    variable : the letter that grows.
    shape : the claimed shape.
    rivals : the shapes that must be excluded, named beforehand.
    constant : the letter of a fitted constant; None where the claim declares one.
    room : by which part a fitted constant is larger than the first sizes need.
    """

    variable: sympy.Symbol
    shape: sympy.Expr
    rivals: tuple[sympy.Expr, ...]
    constant: sympy.Symbol | None
    room: Fraction


def family(
    quantity: str, variable: sympy.Symbol, shape: Any, rivals: Sequence[Any], constant: Any, room: Any, *,
    upper: bool,
) -> tuple[Family, sympy.Expr]:  # fmt: skip
    """Return what a claim about growth says of a quantity, and its right side.

    Raises
    ------
    CheckError : no rivals, one that is not on the other side of the claimed shape, or a room that is no exact part.
    """
    claimed = expression(shape, f"the shape of {quantity}")
    named = tuple(expression(rival, f"a rival of {claimed}") for rival in rivals)
    if not named:
        raise CheckError(
            f"that {quantity} grows {'at most' if upper else 'at least'} like {claimed}, without rivals",
            required=f"rivals=[…], shapes that grow {'faster' if upper else 'slower'}",
            why="every finite table fits O(anything) with some constant: it says something only where a named "
            "shape would not have fitted",
            advice=f"rivals=[{claimed * sympy.log(variable)}, {claimed * variable ** sympy.Rational(1, 10)}]"
            if upper else f"rivals=[{claimed / sympy.log(variable)}]",
        )  # fmt: skip
    for rival in named:
        if _faster(rival / claimed if upper else claimed / rival, variable) is False:
            raise CheckError(
                f"the rival {rival} of {claimed}", required=f"a shape that grows {'faster' if upper else 'slower'}",
                why="a family that grows like it is within the claim, which cannot exclude it",
                advice=f"{claimed * sympy.log(variable)}" if upper else f"{claimed / sympy.log(variable)}",
            )  # fmt: skip
    if isinstance(room, bool) or not isinstance(room, int | Fraction | sympy.Rational) or not 0 <= room <= 1:
        raise CheckError(f"room = {room!r}", required="an exact part, 0 to 1", advice="Fraction(1, 10)")
    if constant is not None:
        return Family(variable, claimed, named, None, Fraction(0)), expression(constant) * claimed
    name = f"{'C' if upper else 'c'}_{re.sub(r'[^0-9A-Za-z]+', '_', quantity).strip('_')}"
    meaning = f"constant of the first sizes: {'largest' if upper else 'least'} {quantity}/({claimed}), with room"
    fitted = letter(name, meaning, latex="C" if upper else "c", positive=True)
    return Family(variable, claimed, named, fitted, Fraction(str(room))), fitted * claimed


def _faster(quotient: sympy.Expr, variable: sympy.Symbol) -> bool | None:
    """Whether a quotient of shapes tends to infinity; None where the rules for leading terms do not say."""
    others = {symbol: Growth(symbol) for symbol in quotient.free_symbols - {variable}}
    try:
        return leading_term(sympy.powsimp(quotient), variable, others).direction > 0
    except DomainError:
        return None
