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
from flint import arb

from theorytools.errors import DomainError, nearest
from theorytools.numbers import special, sums
from theorytools.numbers.balls import whole_line
from theorytools.numbers.combine import maximum, minimum, union
from theorytools.numbers.conditions import Environment, Evaluator, decider
from theorytools.numbers.enclosure import Enclosure, ipow, power, root, wrap


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


# -- cases and sums: formulas with conditions, or with a letter of their own -------------------------------------------
def _piecewise(node: Any) -> Evaluator:
    pieces = [
        (compile_node(branch, node), decider(condition, lambda side: compile_node(side, node)))
        for branch, condition in node.args
    ]

    def value(env: Environment) -> Enclosure:
        found = []
        for branch, applies in pieces:
            truth = applies(env)
            if truth is not False:
                found.append(branch(env))
            if truth:  # no later branch applies: the value is that of one of those found
                return union(found)
        return wrap(whole_line())  # perhaps none applies

    return value


_OF_AN_INDEX = {"commutative", "integer", "positive", "nonnegative", "real"}


def _sum(node: Any) -> Evaluator:
    limits = list(node.limits)  # the innermost first, since sympy flattens a sum of sums
    for index, *ends in limits:
        if set(index._assumptions_orig) - _OF_AN_INDEX:
            raise _refusal(node, None)
        if any(end.has(sympy.oo) for end in ends):
            raise _endless(node)
    body, taken = node.function, {symbol.name for symbol in node.atoms(sympy.Symbol)}
    names = []
    for place, (index, *_) in enumerate(limits):  # each index a name of its own, also where two are called k
        names.append(f"index {place} {index.name}")
        while names[-1] in taken:
            names[-1] += "'"
        own = {index: sympy.Symbol(names[-1], integer=True)}
        body = body.xreplace(own)
        limits[:place] = [(k, *(end.xreplace(own) for end in ends)) for k, *ends in limits[:place]]
    value = compile_node(body, node)
    for name, (index, low, high) in zip(names, limits, strict=True):
        value = _summed(value, name, index, compile_node(low, node), compile_node(high, node), show(node))
    return value


def _summed(body: Evaluator, name: str, index: Any, low: Evaluator, high: Evaluator, shown: str) -> Evaluator:
    """One sum over one index."""
    least = 1 if index.is_positive else 0 if index.is_nonnegative else None

    def value(env: Environment) -> Enclosure:
        inside, first = dict(env), low(env)

        def term(k: int) -> Enclosure:
            inside[name] = Enclosure(k)
            return body(inside)

        if least is not None and first.certainly_lt(least):
            raise DomainError(
                f"{shown} from {first.lower} on", required=f"a first index of at least {least}",
                why=f"{index} was declared so, and sympy simplifies by it", advice=f"Symbol('{index}', integer=True)",
            )  # fmt: skip
        return sums.finite_sum(first, high(env), term, shown)

    return value


def _endless(node: Any) -> DomainError:
    return DomainError(
        f"the infinite sum {show(node)}",
        required="a sum with finite ends, or a closed form",
        why="its tail has no enclosure here",
        advice="zeta(s) for Sum(1/k**s, (k, 1, oo)), x/(1 - x) for Sum(x**k, (k, 1, oo)), or a partial sum and a tail",
    )


def _harmonic(node: Any) -> Evaluator:
    return _two(sums.harmonic, node.args[0], node.args[1] if len(node.args) > 1 else sympy.S.One, node)


def _zeta(node: Any) -> Evaluator:
    if len(node.args) == 1:
        return _one(special.zeta)(node)
    return _two(special.hurwitz, node.args[0], node.args[1], node)


def _lambert(node: Any) -> Evaluator:
    if len(node.args) > 1:
        raise _refusal(node, None)
    return _one(special.lambert)(node)


_CONSTANTS = (sympy.S.Zero, sympy.S.One, sympy.S.NegativeOne, sympy.S.Half)  # each has a class of its own
_TRANSLATIONS: dict[type, Callable[[Any], Evaluator]] = {
    **dict.fromkeys((sympy.Integer, sympy.Rational, *map(type, _CONSTANTS)), _number),
    type(sympy.pi): lambda node: lambda env: special.pi(),
    type(sympy.E): lambda node: lambda env: Enclosure(1).apply("exp"),
    type(sympy.EulerGamma): lambda node: lambda env: wrap(arb.const_euler()),
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
    sympy.Mod: lambda node: _two(special.modulo, node.args[0], node.args[1], node),
    sympy.Piecewise: _piecewise,
    sympy.Sum: _sum,
    sympy.harmonic: _harmonic,
    sympy.zeta: _zeta,
    sympy.LambertW: _lambert,
    sympy.digamma: _one(special.digamma),
    sympy.polygamma: lambda node: _two(special.polygamma, node.args[0], node.args[1], node),
}
ALLOWED = (
    "Integer, Rational, Symbol, pi, E, EulerGamma, + - * / **, exp, log, Abs, Max, Min, ceiling, floor, Mod, sin, cos, "
    "sinh, cosh, tanh, atan, erf, erfc, gamma, loggamma, digamma, polygamma, factorial, binomial, harmonic, zeta, "
    "LambertW, finite Sum, Piecewise"
)
_PRODUCT = "exp(Sum(log(...), ...)) for positive factors, or a quotient of factorials or gammas"
_ADVICE = {
    "Float": "a float is a binary fraction: write Rational('0.1') or Rational(1, 10)",
    "Heaviside": "Piecewise((0, x < 0), (1, True)) says what it is at 0",
    "sign": "Piecewise((-1, x < 0), (0, Eq(x, 0)), (1, True)), or state one claim per sign",
    "Dummy": "use a named Symbol: values are looked up by name",
    **dict.fromkeys(("re", "im", "arg", "conjugate"), "declare the letters real, so that sympy leaves it out"),
    "Sum": "a plain index: k = Symbol('k', integer=True) in Sum(1/k, (k, 1, N))",
    "LambertW": "the principal branch, LambertW(x) with x >= -1/e",
    "Product": _PRODUCT,
    **dict.fromkeys(("Infinity", "NegativeInfinity"), "state it for finite sizes, or write the limit itself"),
    **dict.fromkeys(("Integral", "Limit", "Derivative"), "its closed form, if it has one: .doit(), then look at it"),
    **dict.fromkeys(("tan", "sec", "csc", "cot"), "a quotient of sin and cos"),
    **dict.fromkeys(("coth", "sech", "csch"), "a quotient of sinh and cosh"),
    "asinh": "log(x + sqrt(x**2 + 1))",
    "acosh": "log(x + sqrt(x**2 - 1))",
    "atanh": "log((1 + x)/(1 - x))/2",
    "asin": "atan(x/sqrt(1 - x**2))",
    "acos": "pi/2 - atan(x/sqrt(1 - x**2))",
    "frac": "x - floor(x)",
    "beta": "gamma(x)*gamma(y)/gamma(x + y)",
    "RisingFactorial": "gamma(x + k)/gamma(x)",
    "FallingFactorial": "factorial(n)/factorial(n - k), or binomial(n, k)*factorial(k)",
    "factorial2": "factorial(2*n)/(2**n*factorial(n)) for (2n - 1)!!",
    "catalan": "binomial(2*n, n)/(n + 1)",
    "dirichlet_eta": "(1 - 2**(1 - s))*zeta(s)",
    "GoldenRatio": "(1 + sqrt(5))/2",
    "fibonacci": "(((1 + sqrt(5))/2)**n - ((1 - sqrt(5))/2)**n)/sqrt(5)",
    "KroneckerDelta": "Piecewise((1, Eq(i, j)), (0, True))",
}
_NAMES = sorted(
    kind.__name__ for kind in _TRANSLATIONS if kind.__name__[0].islower() or kind.__name__ in ("Max", "Min", "Abs")
)


def _refusal(node: Any, parent: Any) -> DomainError:
    kind = type(node).__name__
    place = f", inside {show(parent)}" if parent is not None else ""
    return DomainError(
        f"the node {kind} ({show(node)}){place}",
        required=f"one of {ALLOWED}",
        why="only these have a proved enclosure here; anything else would be certified without proof",
        advice=_advice(kind),
    )


def _advice(kind: str) -> str:
    """What to write instead of a node: its definition in what is allowed, or the allowed name that is meant."""
    if kind in _ADVICE:
        return _ADVICE[kind]
    near = nearest(kind, _NAMES, cutoff=0.7)
    instead = "rewrite it with these, or bound it by an expression in these"
    return f"did you mean {near[0]}? Or {instead}" if near else instead
