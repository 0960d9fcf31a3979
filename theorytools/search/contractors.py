"""What one relation leaves to each of its letters, compiled once: exact where it is linear, by inversion, by halving.

A relation is kept as ``e < 0``, ``e <= 0``, ``e = 0`` or ``e != 0``.  For a letter that occurs once each step from
the root of ``e`` down to it is inverted, as interval arithmetic; of a relation that is linear in a letter,
``slope*x + rest``, the quotient is taken, so that the ends are the true ones; otherwise parts at both ends of the
letter's interval are cut off that an evaluation of ``e`` over the part proves impossible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy

from theorytools.errors import DomainError
from theorytools.numbers import Enclosure
from theorytools.numbers.formulas import evaluate, evaluator
from theorytools.numbers.special import log_quotient
from theorytools.search import intervals
from theorytools.search.intervals import INF, NEG, WHOLE, Interval, add, empty, meet, negative, point

Box = Sequence[Interval]
Forward = Callable[[Box], Interval]
Step = Callable[[Box, Interval], Interval | None]  # from what a formula may be to what a part of it may be

_POSITIVE: Interval = (0, INF, True, True)
_NOT_NEGATIVE: Interval = (0, INF, False, True)
_HALVINGS = 64
_FINE = Fraction(1, 1 << 32)  # of an end: a finer cut is not worth its evaluations


# -- the values of a formula over a box --------------------------------------------------------------------------------
def forward(node: Any, index: Mapping[str, int]) -> Forward:
    """Return the function that encloses a formula over a box; ``index`` is the place of each letter in a box."""
    if node.is_Symbol:
        i = index[node.name]
        return lambda box: box[i]
    if node.is_Rational:
        number = point(_number(node))
        return lambda box: number
    if not node.free_symbols:
        value = intervals.enclosed(lambda: evaluate(node))
        return lambda box: value
    rule = _FORWARD.get(type(node))
    return _unknown(node, index) if rule is None else rule(node, index)


def _number(node: Any) -> Any:
    return int(node) if node.is_Integer else Fraction(int(node.p), int(node.q))


def _folded(operation: Callable[[Interval, Interval], Interval]) -> Callable[[Any, Mapping[str, int]], Forward]:
    def rule(node: Any, index: Mapping[str, int]) -> Forward:
        first, *rest = [forward(part, index) for part in node.args]

        def value(box: Box) -> Interval:
            result = first(box)
            for part in rest:
                result = operation(result, part(box))
            return result

        return value

    return rule


def _applied(function: Callable[[Interval], Interval]) -> Callable[[Any, Mapping[str, int]], Forward]:
    def rule(node: Any, index: Mapping[str, int]) -> Forward:
        inner = forward(node.args[0], index)
        return lambda box: function(inner(box))

    return rule


def _pow(node: Any, index: Mapping[str, int]) -> Forward:
    if node.base is sympy.E:
        power = forward(node.exp, index)
        return lambda box: intervals.exponential(power(box))
    base = forward(node.base, index)
    if node.exp.is_Integer:
        n = int(node.exp)
        return lambda box: intervals.whole_power(base(box), n)
    exponent = forward(node.exp, index)
    return lambda box: intervals.general_power(base(box), exponent(box))


def _smallest(a: Interval, b: Interval) -> Interval:
    return negative(intervals.largest(negative(a), negative(b)))


def _floor(a: Interval) -> Interval:
    low = a[0] if a[0] is NEG else math.floor(a[0])
    high = a[1] if a[1] is INF else math.ceil(a[1]) - 1 if a[3] else math.floor(a[1])
    return (low, high, low is NEG, high is INF)


def _ceiling(a: Interval) -> Interval:
    return negative(_floor(negative(a)))


def _mod(node: Any, index: Mapping[str, int]) -> Forward:
    top, below = (forward(part, index) for part in node.args)

    def value(box: Box) -> Interval:
        a, m = top(box), below(box)
        if a[0] == a[1] and m[0] == m[1] and m[0] != 0:
            return point(a[0] % m[0])
        return (0, m[1], False, True) if m[0] > 0 else WHOLE

    return value


def _rising(name: str, low: Any, high: Any) -> Callable[[Any, Mapping[str, int]], Forward]:
    return _applied(lambda a: intervals.rising(name, a, low, high))


def _unknown(node: Any, index: Mapping[str, int]) -> Forward:
    """Any other function: enclosed where all its letters are known, and anything elsewhere."""
    names = sorted(symbol.name for symbol in node.free_symbols)
    places = [index[name] for name in names]
    rule = evaluator(node)

    def value(box: Box) -> Interval:
        known = [box[i] for i in places]
        if any(a[0] != a[1] for a in known):
            return WHOLE
        return intervals.enclosed(lambda: rule({name: Enclosure(a[0]) for name, a in zip(names, known, strict=True)}))

    return value


_FORWARD: dict[type, Callable[[Any, Mapping[str, int]], Forward]] = {
    sympy.Add: _folded(add),
    sympy.Mul: _folded(intervals.multiply),
    sympy.Pow: _pow,
    sympy.exp: _applied(intervals.exponential),
    sympy.log: _applied(intervals.logarithm),
    sympy.Abs: _applied(intervals.absolute),
    sympy.Max: _folded(intervals.largest),
    sympy.Min: _folded(_smallest),
    sympy.floor: _applied(_floor),
    sympy.ceiling: _applied(_ceiling),
    sympy.Mod: _mod,
    sympy.tanh: _rising("tanh", -1, 1),
    sympy.atan: _rising("atan", NEG, INF),
    sympy.sinh: _rising("sinh", NEG, INF),
    sympy.erf: _rising("erf", -1, 1),
}


# -- from the values of a formula back to a letter that occurs in it once ----------------------------------------------
def backward(node: Any, x: Any, index: Mapping[str, int]) -> Step | None:
    """Return the function from the interval of a formula to that of the letter; None where it cannot be inverted."""
    if node == x:
        return lambda box, target: target
    with_x = [part for part in node.args if part.has(x)]
    if len(with_x) != 1 or (rule := _BACKWARD.get(type(node))) is None:
        return None
    step, inner = rule(node, with_x[0], index), backward(with_x[0], x, index)
    if step is None or inner is None:
        return None

    def back(box: Box, target: Interval) -> Interval | None:
        part = step(box, target)
        return None if part is None or empty(part) else inner(box, part)

    return back


def _others(node: Any, part: Any, index: Mapping[str, int]) -> Forward:
    rest = list(node.args)
    rest.remove(part)
    return forward(rest[0] if len(rest) == 1 else node.func(*rest, evaluate=False), index)


def _add_back(node: Any, part: Any, index: Mapping[str, int]) -> Step:
    others = _others(node, part, index)
    return lambda box, target: add(target, negative(others(box)))


def _mul_back(node: Any, part: Any, index: Mapping[str, int]) -> Step:
    others = _others(node, part, index)
    return lambda box, target: intervals.factor(target, others(box))


def _pow_back(node: Any, part: Any, index: Mapping[str, int]) -> Step:
    if node.base is sympy.E:
        return _exp_back(node, part, index)
    base, exponent = forward(node.base, index), forward(node.exp, index)
    if part == node.exp:
        return lambda box, target: _exponent_of(base(box), meet(target, _POSITIVE))
    return lambda box, target: _base_of(base(box), exponent(box), target)


def _exponent_of(base: Interval, target: Interval) -> Interval | None:
    """``y`` where ``b**y`` is in the target; of one base the logarithm of an end is exact where it is rational."""
    if base[0] <= 0:
        return WHOLE
    if empty(target):
        return None
    if base[0] != base[1]:
        return intervals.factor(intervals.logarithm(target), intervals.logarithm(base))
    b = Enclosure(base[0])
    if base[0] == 1:
        return WHOLE if intervals.contains(target, 1) else None
    at_low = WHOLE if target[0] == 0 else intervals.enclosed(lambda: log_quotient(Enclosure(target[0]), b))
    at_high = WHOLE if target[1] is INF else intervals.enclosed(lambda: log_quotient(Enclosure(target[1]), b))
    if base[0] < 1:
        return (at_high[0], at_low[1], target[3], target[2])
    return (at_low[0], at_high[1], target[2], target[3])


def _base_of(base: Interval, exponent: Interval, target: Interval) -> Interval | None:
    """``b`` where ``b**y`` is in the target, of the sign that the base has."""
    if exponent[0] == exponent[1] and exponent[0] == 0:
        return WHOLE if intervals.contains(target, 1) else None
    if exponent[0] == exponent[1] and exponent[0].denominator == 1:
        n = int(exponent[0])
        if n < 0:
            inverse = intervals.factor(point(1), target)
            return None if inverse is None else _signed(intervals.whole_root(inverse, -n), base, n % 2 == 0)
        return _signed(intervals.whole_root(target, n), base, n % 2 == 0)
    if exponent[0] == exponent[1]:
        target = meet(target, _NOT_NEGATIVE)
        return None if empty(target) else intervals.general_power(target, point(1 / Fraction(exponent[0])))
    target = meet(target, _POSITIVE)
    if base[0] <= 0:
        return WHOLE
    if empty(target):
        return None
    quotient = intervals.factor(intervals.logarithm(target), exponent)
    return None if quotient is None else intervals.exponential(quotient)


def _signed(size: Interval, base: Interval, even: bool) -> Interval | None:
    """``b`` of that size, of the sign that the base has."""
    if not even or empty(size):
        return size
    if base[0] >= 0:
        return size
    return negative(size) if base[1] <= 0 else (negative(size)[0], size[1], size[3], size[3])


def _exp_back(node: Any, part: Any, index: Mapping[str, int]) -> Step:
    def back(box: Box, target: Interval) -> Interval | None:
        target = meet(target, _POSITIVE)
        return None if empty(target) else intervals.logarithm(target)

    return back


def _log_back(node: Any, part: Any, index: Mapping[str, int]) -> Step:
    return lambda box, target: intervals.exponential(target)


def _abs_back(node: Any, part: Any, index: Mapping[str, int]) -> Step:
    inner = forward(part, index)
    return lambda box, target: _signed(meet(target, _NOT_NEGATIVE), inner(box), True)


def _floor_back(node: Any, part: Any, index: Mapping[str, int]) -> Step:
    def back(box: Box, target: Interval) -> Interval | None:
        low, high, *_ = intervals.whole_numbers(target)
        return (low, INF if high is INF else high + 1, low is NEG, True)

    return back


def _ceiling_back(node: Any, part: Any, index: Mapping[str, int]) -> Step:
    def back(box: Box, target: Interval) -> Interval | None:
        low, high, *_ = intervals.whole_numbers(target)
        return (NEG if low is NEG else low - 1, high, True, high is INF)

    return back


def _max_back(node: Any, part: Any, index: Mapping[str, int]) -> Step:
    others = _others(node, part, index)
    return lambda box, target: _part_of_largest(others(box), target)


def _min_back(node: Any, part: Any, index: Mapping[str, int]) -> Step:
    others = _others(node, part, index)
    return lambda box, target: negative(_part_of_largest(negative(others(box)), negative(target)))


def _part_of_largest(other: Interval, target: Interval) -> Interval:
    if empty(meet(other, target)) and other[1] <= target[0]:
        return target
    return (NEG, target[1], True, target[3])


_BACKWARD: dict[type, Callable[[Any, Any, Mapping[str, int]], Step | None]] = {
    sympy.Add: _add_back,
    sympy.Mul: _mul_back,
    sympy.Pow: _pow_back,
    sympy.exp: _exp_back,
    sympy.log: _log_back,
    sympy.Abs: _abs_back,
    sympy.Max: _max_back,
    sympy.Min: _min_back,
    sympy.floor: _floor_back,
    sympy.ceiling: _ceiling_back,
}


# -- one relation ------------------------------------------------------------------------------------------------------
class Atom:
    """A relation as a search uses it.

    Parameters
    ----------
    relation : sympy relation.
    index : the place of each letter in a box.
    whole : the places of the letters that are whole numbers.

    Attributes
    ----------
    places : of its letters in a box, ascending.
    equation : whether it is an equation.
    given : the places of the letters that it gives by the others.
    """

    def __init__(self, relation: Any, index: Mapping[str, int], whole: frozenset[int]) -> None:
        left, right = relation.lhs, relation.rhs
        if isinstance(relation, sympy.Gt | sympy.Ge):
            left, right = right, left
        formula = left - right
        strict = isinstance(relation, sympy.Lt | sympy.Gt)
        self.unequal = isinstance(relation, sympy.Ne)
        self.equation = isinstance(relation, sympy.Eq)
        self._target: Interval = point(0) if self.equation else WHOLE if self.unequal else (NEG, 0, True, strict)
        self._value = forward(formula, index)
        symbols = sorted(formula.free_symbols, key=lambda symbol: index[symbol.name])
        self.places = [index[symbol.name] for symbol in symbols]
        self._narrow: dict[int, Step] = {}
        self.given: list[int] = []
        for x in [] if self.unequal else symbols:
            i = index[x.name]
            wholes = {s for s in symbols if index[s.name] in whole}
            found = given(formula, x, i in whole, wholes) if self.equation else None
            if found is None:
                self._narrow[i] = self._narrowing(formula, x, i, index, i in whole)
            else:  # 2**k itself, not what is left of it by way of logarithms
                self.given.append(i)
                self._narrow[i] = _value_of(forward(found, index))

    def _narrowing(self, formula: Any, x: Any, i: int, index: Mapping[str, int], whole: bool) -> Step:
        once = sum(part == x for part in sympy.preorder_traversal(formula)) == 1
        if once and (inverse := backward(formula, x, index)) is not None:
            return inverse
        if (parts := linear(formula, x)) is not None:
            slope, rest = (forward(part, index) for part in parts)
            return lambda box, target: intervals.factor(add(target, negative(rest(box))), slope(box))
        # x*(x - 1) is seen to be positive for large x where x**2 - x is not
        nested = _nested(formula, x)
        value = self._value if nested is None else forward(nested, index)
        return lambda box, target: _cut(lambda place: self._denied(value(place)), list(box), i, whole)

    def impossible(self, box: Box) -> bool:
        """Whether the relation holds nowhere in a box."""
        return self._denied(self._value(box))

    def _denied(self, value: Interval) -> bool:
        if self.unequal:
            return bool(value[0] == value[1] == 0)
        return empty(meet(value, self._target))

    def narrowed(self, box: Box, i: int) -> Interval | None:
        """Return what the relation leaves to a letter, given the others' intervals; None where there is nothing."""
        step = self._narrow.get(i)
        return box[i] if step is None else step(box, self._target)


def _value_of(value: Forward) -> Step:
    return lambda box, target: value(box)


# -- parts that an evaluation proves impossible ------------------------------------------------------------------------
def _cut(denied: Callable[[Box], bool], box: list[Interval], i: int, whole: bool) -> Interval | None:
    """A letter's interval without the impossible parts at its two ends; None where nothing is left."""

    def over(part: Interval) -> bool:
        box[i] = part
        return denied(box)

    a = box[i]
    low = _walled(over, whole, a)
    if low is None:
        return None
    a = (low, a[1], a[2] and low == a[0], a[3])
    mirrored = _walled(lambda part: over(negative(part)), whole, negative(a))
    if mirrored is None:
        return None
    high = INF if mirrored is NEG else -mirrored
    return (low, high, a[2], a[3] and high == a[1])


def _walled(impossible: Callable[[Interval], bool], whole: bool, a: Interval) -> Any:
    """The lower end after impossible parts are cut off, by steps that double, and halve once one fails."""
    low, high = a[0], a[1]
    if low is NEG:
        low = _near_infinity(impossible, high)
        if low is NEG:
            return NEG
    elif not impossible(point(low)):
        return low
    width = high - low if high is not INF else max(1, abs(low))
    growing = True
    for _ in range(_HALVINGS):
        to = min(low + width, high)
        if impossible((low, to, False, to is INF)):
            if to == high:
                return None
            low = to + 1 if whole else to
        else:
            growing = False
        if growing:
            width *= 2
        elif width <= (0 if whole else abs(low) * _FINE):
            break
        else:
            width = width // 2 if whole else width / Fraction(2)
    return low


def _near_infinity(impossible: Callable[[Interval], bool], high: Any) -> Any:
    """A number below which all is impossible, -2^k or 2^k from the upper end; minus infinity where none is seen."""
    top = 0 if high is INF else math.floor(high)
    found = NEG
    for k in reversed(range(0, _HALVINGS + 1, 4)):
        edge = top - (1 << k)
        if not impossible((NEG, edge, True, False)):
            break
        found = edge
    return found


def _nested(formula: Any, x: Any) -> Any | None:
    """The polynomial in a letter in Horner's form; None where the formula is none."""
    try:
        coefficients = sympy.Poly(formula, x).all_coeffs()
    except sympy.PolynomialError:
        return None
    result = sympy.S.Zero
    for coefficient in coefficients:
        result = result * x + coefficient
    return result


def linear(node: Any, x: Any) -> tuple[Any, Any] | None:
    """Return the slope and the rest of a formula that is linear in a letter, else None."""
    if not node.has(x):
        return sympy.S.Zero, node
    if node == x:
        return sympy.S.One, sympy.S.Zero
    if isinstance(node, sympy.Add):
        parts = [linear(part, x) for part in node.args]
        if any(part is None for part in parts):
            return None
        return sympy.Add(*(p[0] for p in parts if p)), sympy.Add(*(p[1] for p in parts if p))
    if isinstance(node, sympy.Mul):
        with_x = [part for part in node.args if part.has(x)]
        inner = linear(with_x[0], x) if len(with_x) == 1 else None
        if inner is None:
            return None
        others = sympy.Mul(*(part for part in node.args if not part.has(x)))
        return inner[0] * others, inner[1] * others
    return None


def solved(node: Any, x: Any, value: Any = sympy.S.Zero) -> Any | None:
    """Return a formula for the letter where ``node`` has that value; None where no single one is seen."""
    if node == x:
        return value
    if (parts := linear(node, x)) is not None:
        return None if parts[0].is_zero else (value - parts[1]) / parts[0]
    with_x = [part for part in node.args if part.has(x)]
    if len(with_x) != 1:
        return None
    inner = with_x[0]
    if isinstance(node, sympy.Add | sympy.Mul):
        others = node.func(*(part for part in node.args if part is not inner))
        return solved(inner, x, value - others if isinstance(node, sympy.Add) else value / others)
    if isinstance(node, sympy.log):
        return solved(inner, x, _exp(value))
    if isinstance(node, sympy.Pow) and node.exp.is_Rational and node.exp.q > 1:
        return solved(inner, x, value ** (1 / node.exp))
    return None


def _exp(value: Any) -> Any:
    """The exponential of a formula; of ``k*log(2)`` it is ``2**k``."""
    factors = sympy.Mul.make_args(value)
    logarithm = next((part for part in factors if isinstance(part, sympy.log)), None)
    if logarithm is None:
        return sympy.exp(value)
    return logarithm.args[0] ** sympy.Mul(*(part for part in factors if part is not logarithm))


def given(formula: Any, x: Any, whole: bool, wholes: set[Any]) -> Any | None:
    """Return the number of its kind that ``formula = 0`` gives the letter by the others; None where it does not."""
    found = solved(formula, x)
    if found is None:
        return None
    return found if (_is_whole(found, wholes) if whole else _is_rational(found)) else None


def _is_rational(node: Any) -> bool:
    """Whether a formula is rational wherever its letters are."""
    if node.is_Rational or node.is_Symbol:
        return True
    if isinstance(node, sympy.Pow):
        return bool(node.exp.is_Integer) and _is_rational(node.base)
    return isinstance(
        node, sympy.Add | sympy.Mul | sympy.floor | sympy.ceiling | sympy.Max | sympy.Min | sympy.Abs
    ) and all(_is_rational(part) for part in node.args)


def _is_whole(node: Any, wholes: set[Any]) -> bool:
    """Whether a formula is a whole number wherever its letters are."""
    if node.is_Integer or isinstance(node, sympy.floor | sympy.ceiling):
        return True
    if node.is_Symbol:
        return node in wholes
    if isinstance(node, sympy.Add | sympy.Mul | sympy.Max | sympy.Min | sympy.Abs | sympy.Mod):
        return all(_is_whole(part, wholes) for part in node.args)
    # 2**k is none for a negative k; the letters of exponents are sizes
    return isinstance(node, sympy.Pow) and not node.exp.is_negative and all(_is_whole(p, wholes) for p in node.args)


def checked(condition: Any, names: Sequence[str]) -> None:
    """Refuse a relation of letters that are no numbers here, or of functions without an enclosure."""
    for relation in sorted(condition.atoms(sympy.core.relational.Relational), key=str):
        for symbol in sorted(relation.free_symbols, key=str):
            if symbol.name not in names:
                raise DomainError(
                    f"the letter {symbol} of the condition {relation}",
                    required=f"numbers among {', '.join(names) or 'no letters'}",
                    why="a search solves a condition for the letters that it chooses",
                    advice="put what the letter stands for, or give the condition as a test of the whole point",
                )
        evaluator(relation.lhs), evaluator(relation.rhs)
