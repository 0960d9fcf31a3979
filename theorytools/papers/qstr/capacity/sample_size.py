r"""How many prompts a bound asks for: the crossing with a certificate on both sides, its slope and its exponent.

The bound less its first term decreases in ``n`` once :math:`\log n\ge2s+3` (see :mod:`.generalisation`), so one value
below the target and one above it enclose the least ``n`` of that range.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, Protocol, cast, runtime_checkable

import sympy

from theorytools.arguments.checked import Real, checked
from theorytools.claims.language.bound import expression
from theorytools.errors import DomainError, UndecidedError
from theorytools.numbers import Enclosure, at_precision, evaluate, portable
from theorytools.papers.qstr.capacity.deviation import Variant

_BITS = 128
_STEPS = 200
_LN2 = 0.6931471805599453


@runtime_checkable
class FallingBound(Protocol):
    """What is asked of a bound that falls in the number ``n`` of prompts: a dataclass whose fields are its letters."""

    @property
    def s(self) -> Any: ...  # noqa: D102

    def floor(self, variant: Variant = "dudley") -> sympy.Expr: ...  # noqa: D102

    def values(self, variant: Variant = "dudley", *, given: Any = None) -> Any: ...  # noqa: D102

    def growth(self, letter: sympy.Symbol, variant: Variant = "dudley") -> Any: ...  # noqa: D102


@checked
def crossing(
    bound: FallingBound, target: Real, variant: Variant = "dudley", *, factor: Real = Fraction(101, 100)
) -> tuple[int, int]:
    r"""Return ``(low, high)``: the bound is proved below ``target`` at ``high`` and not below it at ``low``.

    Parameters
    ----------
    bound : the bound; its own ``n`` is not used.
    target : what the bound must fall below.
    variant : which form of the bound.
    factor : the largest ``high / low``, above 1 (up to rounding to integers).

    Raises
    ------
    DomainError
        If the target is not above what no ``n`` lowers, or is met already where the bound is not proved to decrease.
    UndecidedError
        If the factor is too close to 1 for 128 bits.
    """
    goal, factor = expression(target, "a target"), Fraction(factor)
    floor = bound.floor(variant)
    if factor <= 1:
        raise DomainError(f"factor = {factor}", required="factor > 1")
    if evaluate(goal - floor).certainly_le(0) is not False:
        raise DomainError(f"the target {goal}", required=f"above {floor}, which no number of prompts lowers")
    least = 1 + 2.0**-52  # floats see no closer factor; whether the ends are close enough is decided below
    high = _search(bound, goal, floor, variant, float(portable.log(max(float(factor), least))) / _LN2)
    low = int(high / factor)
    if low < _start(bound, variant):
        raise DomainError(
            f"the target {goal}, met at n = {high}",
            required="a target that is met only where log n >= 2s + 3",
            why="there the bound is proved to decrease",
        )
    below = at_precision(_BITS, lambda: _value(bound, high, variant).certainly_lt(evaluate(goal)))
    above = at_precision(_BITS, lambda: evaluate(goal).certainly_le(_value(bound, low, variant)))
    if below is not True or above is not True:
        raise UndecidedError(f"factor = {factor}", required="a factor further above 1")
    return low, high


def _start(bound: FallingBound, variant: Variant) -> int:
    """Return the first n from which on the bound is proved to decrease; its conditions then hold further on."""
    start = math.ceil(float(portable.exp(2 * float(expression(bound.s)) + 3))) + 1
    v = bound.values(variant, given={"n": Enclosure(start)})
    root = v["tau"].sqrt() * v["A"] * v["B"]
    needed = (v["log_N"], v["E_2"], 16 * root, 8 * root * v["R_F"] * v["r_z"] ** 3)
    if not all(Enclosure(1).certainly_le(value) for value in needed):
        raise DomainError(
            f"log N, E_2, 16AB sqrt(tau), 8AB R_F r_z^3 sqrt(tau) = {', '.join(f'{float(x):.3g}' for x in needed)}",
            required="each at least 1",
            why="only then the bound is proved to decrease in n",
        )
    return start


@checked
def required_n_slope(
    bound: FallingBound, letter: str, window: tuple[Any, Any], target: Real = 1, variant: Variant = "dudley",
    *, scale: Literal["log", "log log"] = "log", factor: Real = Fraction(1001, 1000),
) -> tuple[Enclosure, Enclosure]:  # fmt: skip
    r"""Return two numbers between which the slope of the required :math:`\log n` certainly lies.

    Parameters
    ----------
    letter : a field of the bound, several that grow together (``"N d_e"``), or ``"target"``.
    window : the two values of the letter, increasing, between which the slope is taken.
    target : what the bound must fall below, where that is not the letter.
    scale : the slope is taken against the ``"log"`` of the letter, or its ``"log log"``.
    factor : how closely each required ``n`` is enclosed.
    """
    _fields(bound, letter, "target")
    ends = []
    for value in window:
        changed = bound if letter == "target" else _with(bound, **dict.fromkeys(letter.split(), value))
        ends.append(crossing(changed, value if letter == "target" else target, variant, factor=factor))
    x = [evaluate(sympy.log(expression(value))) for value in window]
    if scale == "log log":
        x = [value.log() for value in x]
    (low_0, high_0), (low_1, high_1) = ends
    run = x[1] - x[0]
    return Enclosure(Fraction(low_1, high_0)).log() / run, Enclosure(Fraction(high_1, low_0)).log() / run


@lru_cache(maxsize=64)
def exponent(bound: FallingBound, letter: str, variant: Variant = "dudley") -> sympy.Expr:
    r"""Return the exponent of the required ``n`` in a letter, exactly, as the letter tends to infinity.

    At :math:`n=x^a` the square of the excess over the first term has an exponent :math:`e_0-a`, since apart from
    :math:`n^{-1/2}` the bound depends on ``n`` through logarithms; so the excess tends to zero for :math:`a>e_0` and to
    infinity for :math:`a<e_0`, and the required ``n`` is :math:`x^{e_0+o(1)}`.

    Parameters
    ----------
    letter : a field of the bound, or several that grow together (``"N d_e"``); ``"log_N"`` for :math:`\log N`;
        ``"target"`` for the target excess, as it tends to zero.
    """
    _fields(bound, letter, "target", "log_N")
    x = sympy.Symbol("x", positive=True)
    at = {"log_N": {"N": sympy.exp(x)}, "target": {}}.get(letter, dict.fromkeys(letter.split(), x))
    found = {_excess_exponent(_with(bound, n=x**a, **at), x, variant) + a for a in (3, 7)}
    if len(found) > 1:
        raise UndecidedError(f"the exponent in {letter}: {found}", required="one exponent for every power of n")
    # the square of an excess 1/x has exponent -2
    return found.pop() if letter != "target" else -(found.pop() + 2)


def _with(bound: FallingBound, **letters: Any) -> FallingBound:
    return cast(FallingBound, replace(cast(Any, bound), **letters))


def _fields(bound: FallingBound, letter: str, *words: str) -> None:
    names = [field.name for field in fields(cast(Any, bound))]
    if letter not in words and (not letter.split() or not set(letter.split()) <= set(names)):
        required = f"one of {', '.join((*words, *names))}, or several fields that grow together"
        raise DomainError(f"letter = {letter!r}", required=required)


def _excess_exponent(bound: FallingBound, x: sympy.Symbol, variant: Variant) -> sympy.Expr:
    """The exponent of the square of what the prompts lower; sqrt(2/n) is less than the deviation."""
    growth = bound.growth(x, variant)
    return 2 * max(growth[name].exponent for name in ("complexity", "deviation"))


def _search(bound: FallingBound, goal: Any, floor: Any, variant: Variant, width: float) -> int:
    """Return an n a little above the crossing, as floats see it: the excess falls nearly like n^(-1/2)."""
    wanted, height = _log2(evaluate(goal - floor)), 60.0
    for _ in range(_STEPS):
        excess = _log2(_value(bound, _whole(height), variant) - evaluate(floor))
        height, before = max(height + 2 * (excess - wanted), 1.0), height
        if abs(height - before) < width / 8:
            break
    # a multiple of a sixteenth of the width: last bits of floats do not show
    return _whole(math.ceil((height + width / 2) * 16 / width) * width / 16) + 1


def _value(bound: FallingBound, n: int, variant: Variant) -> Enclosure:
    return bound.values(variant, given={"n": Enclosure(n)})["bound"]


def _whole(height: float) -> int:
    """Return about 2**height as an integer, however large."""
    shift = max(int(height) - 60, 0)
    return int(portable.exp((height - shift) * _LN2)) << shift


def _log2(x: Enclosure) -> float:
    return float(x.log()) / _LN2
