r"""One sympy expression, evaluated rigorously: a whitelist translation into :class:`Enclosure` arithmetic.

Every node class has its own translation; any other node is refused.  (A printer that inherits translations
falls back to ``math.erf`` or ``math.gamma`` for nodes it was not asked about, and encloses a rounded number.)
Rational arithmetic stays exact, and so does what is rational by way of logarithms: ``exp(c*log(2))`` is
``2**c`` and ``log(N)/log(2)`` is an integer at powers of two.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy

from theorytools.errors import DomainError
from theorytools.numbers import special
from theorytools.numbers.combine import maximum, minimum
from theorytools.numbers.enclosure import Enclosure, ipow, power, root

Environment = Mapping[str, Any]
Evaluator = Callable[[Environment], Enclosure]


def evaluator(expr: Any) -> Evaluator:
    r"""Return the function that maps values of the letters to an enclosure of the expression.

    Parameters
    ----------
    expr : sympy expression, int or Fraction
        Without floats.

    Returns
    -------
    callable
        ``f(env)`` at the ambient precision; ``env`` maps symbol *names* to enclosures or exact numbers.
        Where the expression is undefined (a root or logarithm that may be of a negative number, a pole) the
        result is the whole line.

    Raises
    ------
    DomainError
        For a node without a rigorous translation; on evaluation, for a letter without a value.
    """
    if isinstance(expr, numbers.Rational) and not isinstance(expr, bool | sympy.Basic):
        expr = sympy.Rational(int(expr.numerator), int(expr.denominator))
    if not isinstance(expr, sympy.Expr):
        raise DomainError(
            f"{show(expr)} of type {type(expr).__name__}",
            required="a sympy expression, an int or a Fraction",
            why="only exact formulas have a rigorous value",
            advice="Rational('0.1') for a float; truth(condition, env) for a relation",
        )
    return _compiled(expr)


def evaluate(expr: Any, env: Environment | None = None) -> Enclosure:
    """Return an enclosure of the expression at these letters, at the ambient precision."""
    return evaluator(expr)(environment(env))


@lru_cache(maxsize=4096)
def _compiled(expr: sympy.Expr) -> Evaluator:
    return compile_node(expr, None)


# -- the letters -------------------------------------------------------------------------------------------------------
def environment(env: Environment | None) -> Environment:
    """Return the values by name, none by default; ``DomainError`` for what is no mapping."""
    if env is None:
        return {}
    if type(env) is not dict and not isinstance(env, Mapping):
        raise DomainError(f"env = {env!r:.60}", required="a dictionary of values by the names of the letters")
    return env


def letter(name: str) -> Evaluator:
    """Return the function that looks ``name`` up: an enclosure or an exact number."""

    def value(env: Environment) -> Enclosure:
        try:
            number = env[name]
        except KeyError:
            raise DomainError(
                f"no value for the letter {name}",
                required=f"a value for {name} beside {', '.join(sorted(env)) or 'nothing else'}",
                advice=f"pass {{'{name}': Enclosure(…)}}",
            ) from None
        return number if type(number) is Enclosure else _exact(name, number)

    return value


def _exact(name: str, number: Any) -> Enclosure:
    if isinstance(number, Enclosure):
        return number
    if isinstance(number, numbers.Rational) and not isinstance(number, bool):
        return Enclosure(number)
    raise DomainError(
        f"the value {show(number)} of type {type(number).__name__} for the letter {name}",
        required="an Enclosure, an int or a Fraction",
        why="a float would be taken for its binary value",
        advice="shortest_fraction(x) reads 0.1 as 1/10",
    )


def show(value: Any) -> str:
    """Return a short text for an error message, also of integers that Python refuses to print."""
    try:
        text = str(value)
    except ValueError:  # an integer of more than 4300 digits
        text = "a number too long to print"
    return text if len(text) <= 200 else text[:197] + "..."


# -- the whitelist: how each node class of sympy is enclosed, and how any other one is refused -------------------------
def compile_node(node: Any, parent: Any) -> Evaluator:
    """Return the evaluator of one node; ``DomainError`` for a node that is not on the list."""
    if isinstance(node, sympy.Symbol) and not isinstance(node, sympy.Dummy | sympy.Wild):
        return letter(node.name)
    translation = _TRANSLATIONS.get(type(node))
    if translation is None:
        raise _refusal(node, parent)
    return translation(node)


def _number(node: Any) -> Evaluator:
    box = Enclosure(Fraction(int(node.p), int(node.q)))
    return lambda env: box


def _children(nodes: Iterable[Any], parent: Any) -> list[Evaluator]:
    return [compile_node(node, parent) for node in nodes]


def _add(node: Any) -> Evaluator:
    first, *rest = _children(node.args, node)

    def value(env: Environment) -> Enclosure:
        result = first(env)
        for term in rest:
            result = result + term(env)
        return result

    return value


def _mul(node: Any) -> Evaluator:
    above = [factor for factor in node.args if not _is_reciprocal(factor)]
    below = [sympy.Pow(factor.base, -factor.exp) for factor in node.args if _is_reciprocal(factor)]
    quotients = []
    for b in [factor for factor in below if isinstance(factor, sympy.log)]:
        a = next((factor for factor in above if isinstance(factor, sympy.log)), None)
        if a is not None:
            above.remove(a)
            below.remove(b)
            quotients.append(_two(special.log_quotient, a.args[0], b.args[0], node))
    numerator = _product(quotients + _children(above, node))
    if not below:
        return numerator
    denominator = _product(_children(below, node))
    return lambda env: numerator(env) / denominator(env)


def _is_reciprocal(node: Any) -> bool:
    return type(node) is sympy.Pow and node.exp.is_Rational and node.exp.is_negative


def _product(factors: list[Evaluator]) -> Evaluator:
    if not factors:
        one = Enclosure(1)
        return lambda env: one
    first, *rest = factors
    if not rest:
        return first

    def value(env: Environment) -> Enclosure:
        result = first(env)
        for factor in rest:
            result = result * factor(env)
        return result

    return value


def _pow(node: Any) -> Evaluator:
    if node.base is sympy.E:
        return _exp_of(node.exp, node)
    if node.exp.is_Integer:
        base, n = compile_node(node.base, node), int(node.exp)
        return (lambda env: 1 / base(env)) if n == -1 else (lambda env: ipow(base(env), n))
    if node.exp is sympy.S.Half:
        radicand = compile_node(node.base, node)
        return lambda env: root(radicand(env), 2)
    return _two(power, node.base, node.exp, node)


def _exp_of(exponent: Any, node: Any) -> Evaluator:
    """e^(r + sum c_i log b_i), taken apart so that the powers b_i^c_i may stay rational."""
    rest, powers = [], []
    for term in sympy.Add.make_args(exponent):
        factors = list(sympy.Mul.make_args(term))
        logarithm = next((factor for factor in factors if isinstance(factor, sympy.log)), None)
        if logarithm is None:
            rest.append(term)
            continue
        factors.remove(logarithm)
        powers.append((compile_node(logarithm.args[0], logarithm), compile_node(sympy.Mul(*factors), node)))
    if not powers:
        argument = compile_node(exponent, node)
        return lambda env: argument(env).exp()
    tail = compile_node(sympy.Add(*rest), node) if rest else None
    return lambda env: special.exp_of_logs(
        tail(env) if tail else None, [(base(env), power_(env)) for base, power_ in powers]
    )


def _two(function: Callable[[Enclosure, Enclosure], Enclosure], a: Any, b: Any, node: Any) -> Evaluator:
    first, second = compile_node(a, node), compile_node(b, node)
    return lambda env: function(first(env), second(env))


def _many(function: Callable[[Iterable[Enclosure]], Enclosure]) -> Callable[[Any], Evaluator]:
    def translate(node: Any) -> Evaluator:
        parts = _children(node.args, node)
        return lambda env: function([part(env) for part in parts])

    return translate


def _one(function: Callable[[Enclosure], Enclosure]) -> Callable[[Any], Evaluator]:
    def translate(node: Any) -> Evaluator:
        argument = compile_node(node.args[0], node)
        return lambda env: function(argument(env))

    return translate


def _flint(name: str, at_zero: int) -> Callable[[Any], Evaluator]:
    """A function of flint's, with its exact value at 0."""
    return _one(lambda x: Enclosure(at_zero) if special.integer(x) == 0 else x.apply(name))


_CONSTANTS = (sympy.S.Zero, sympy.S.One, sympy.S.NegativeOne, sympy.S.Half)  # each has a class of its own
_TRANSLATIONS: dict[type, Callable[[Any], Evaluator]] = {
    **dict.fromkeys((sympy.Integer, sympy.Rational, *map(type, _CONSTANTS)), _number),
    type(sympy.pi): lambda node: lambda env: special.pi(),
    type(sympy.E): lambda node: lambda env: Enclosure(1).apply("exp"),
    sympy.Add: _add,
    sympy.Mul: _mul,
    sympy.Pow: _pow,
    sympy.exp: lambda node: _exp_of(node.args[0], node),
    sympy.log: _one(Enclosure.log),
    sympy.Abs: _one(abs),
    sympy.Max: _many(maximum),
    sympy.Min: _many(minimum),
    sympy.ceiling: _one(Enclosure.ceil),
    sympy.floor: _one(Enclosure.floor),
    **{getattr(sympy, name): _flint(name, 0) for name in ("sin", "sinh", "tanh", "atan", "erf")},
    **{getattr(sympy, name): _flint(name, 1) for name in ("cos", "cosh", "erfc")},
    sympy.gamma: _one(special.gamma),
    sympy.loggamma: _one(special.loggamma),
    sympy.factorial: _one(special.factorial),
    sympy.binomial: lambda node: _two(special.binomial, node.args[0], node.args[1], node),
}
ALLOWED = (
    "Integer, Rational, Symbol, pi, E, + - * / **, exp, log, Abs, Max, Min, ceiling, floor, sin, cos, sinh, "
    "cosh, tanh, atan, erf, erfc, gamma, loggamma, factorial, binomial"
)
_ADVICE = {
    "Float": "a float is a binary fraction: write Rational('0.1') or Rational(1, 10)",
    "Piecewise": "state one claim per case, and the case in `requires`",
    "Heaviside": "state one claim per side, and the side in `requires`",
    "Dummy": "use a named Symbol: values are looked up by name",
    **dict.fromkeys(("re", "im", "arg", "conjugate"), "declare the letters real, so that sympy leaves it out"),
    "Sum": "give the sum in closed form, or bound it by an expression that is",
}


def _refusal(node: Any, parent: Any) -> DomainError:
    kind = type(node).__name__
    place = f", inside {show(parent)}" if parent is not None else ""
    return DomainError(
        f"the node {kind} ({show(node)}){place}",
        required=f"one of {ALLOWED}",
        why="only these have a proved enclosure here; anything else would be certified without proof",
        advice=_ADVICE.get(kind, "rewrite it with these, or bound it by an expression in these"),
    )
