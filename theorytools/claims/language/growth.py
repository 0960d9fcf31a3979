r"""How fast an explicit positive formula grows: its leading term, exactly, without a limit being computed.

On the scale :math:`c\,e^{r_0x}x^{r_1}(\log x)^{r_2}(\log\log x)^{r_3}`, :math:`x\to\infty`, equivalence is preserved by
products, powers, maxima, logarithms of what tends to infinity, and by sums whose leading coefficients do not cancel.
A formula made of these has the leading term that is read off its parts; whatever the rules do not decide is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

import sympy

from theorytools.arguments.checked import Formula, checked
from theorytools.claims.language.bound import expression
from theorytools.errors import DomainError

_ZERO = sympy.Integer(0)


@checked
@dataclass(frozen=True)
class Growth:
    r"""A leading term :math:`c\,e^{r_0x}x^{r_1}(\log x)^{r_2}(\log\log x)^{r_3}` with :math:`c>0`.

    Attributes
    ----------
    coefficient : :math:`c`, a sympy number.
    powers : :math:`(r_0,r_1,r_2,r_3)`, rational.
    """

    coefficient: sympy.Expr
    powers: tuple[sympy.Expr, ...] = (_ZERO,) * 4

    @property
    def direction(self) -> int:
        """Tend to infinity (1), to zero (-1) or to the coefficient (0): the sign of the first power that is not 0."""
        return next((int(sympy.sign(power)) for power in self.powers if power != 0), 0)

    @property
    def limit(self) -> sympy.Expr:
        """The limit, where it is finite."""
        if self.direction > 0:
            raise DomainError(f"the limit of {self}", required="no growth")
        return self.coefficient if self.direction == 0 else _ZERO

    @property
    def exponent(self) -> sympy.Expr:
        r"""The power :math:`r_1` of :math:`x`; refused beside an exponential, which has none."""
        if self.powers[0] != 0:
            raise DomainError(f"the exponent of {self}", required="no exponential factor")
        return self.powers[1]

    def __mul__(self, other: Growth) -> Growth:
        powers = tuple(a + b for a, b in zip(self.powers, other.powers, strict=True))
        return Growth(self.coefficient * other.coefficient, powers)

    def __pow__(self, exponent: sympy.Expr) -> Growth:
        return Growth(self.coefficient**exponent, tuple(power * exponent for power in self.powers))

    def log(self) -> Growth:
        """Return the leading term of the logarithm; a limit other than infinity must be a constant above 1."""
        if self.direction < 0:
            raise _undecided("the logarithm of what tends to zero")
        for place, power in enumerate(self.powers):
            if power != 0 and place < 3:
                return Growth(power, tuple(sympy.Integer(int(k == place + 1)) for k in range(4)))
            if power != 0:
                raise _undecided("log log log x, which is beyond the scale")
        return _constant(sympy.log(self.coefficient))


@checked
def leading_term(expr: Formula, letter: sympy.Symbol, known: Mapping[sympy.Symbol, Growth] | None = None) -> Growth:
    r"""Return the leading term of ``expr`` as ``letter`` tends to infinity.

    Parameters
    ----------
    expr : positive formula of numbers, ``letter`` and the symbols of ``known``: sums, products, constant powers,
        ``log``, ``Max``, ``ceiling``, ``harmonic``, ``digamma``, ``LambertW``, ``exp`` of a multiple of the letter.
    letter : what grows.
    known : leading terms of other symbols.

    Raises
    ------
    DomainError
        Where the leading terms cancel, or a rule does not apply.

    Examples
    --------
    >>> from sympy import log, symbols
    >>> x = symbols("x", positive=True)
    >>> leading_term((3 * x**2 + x) * log(1 + x**5) - 7, x)
    Growth(coefficient=15, powers=(0, 2, 1, 0))
    """
    env = {**(known or {}), letter: Growth(sympy.Integer(1), (_ZERO, sympy.Integer(1), _ZERO, _ZERO))}
    return _grow(expression(expr), letter, env)


def _grow(node: sympy.Expr, letter: sympy.Symbol, env: Mapping[sympy.Symbol, Growth]) -> Growth:
    if node in env:
        return env[node]
    if not node.free_symbols:
        return _constant(node)
    if isinstance(node, sympy.exp | sympy.erfc) and all(s in env and not any(env[s].powers) for s in node.free_symbols):
        # continuous functions of what has a limit
        return _constant(node.xreplace({s: env[s].coefficient for s in node.free_symbols}))
    if isinstance(node, sympy.exp):
        rate = node.args[0] / letter
        if rate.free_symbols:
            raise _undecided(f"{node}: its exponent is not a multiple of {letter}")
        return Growth(sympy.Integer(1), (rate, _ZERO, _ZERO, _ZERO))
    if isinstance(node, sympy.Add):
        return _sum(node, letter, env)
    if isinstance(node, sympy.polygamma) and node.args[0] == 0:  # sympy's form of the digamma function
        return _logarithmic([_grow(node.args[1], letter, env)])
    if isinstance(node, sympy.Pow):
        base: Growth = _grow(node.base, letter, env)
        power: Growth = base ** _exponent(node.exp, letter, env)
        return power
    rule = _RULES.get(type(node))
    if rule is None:
        raise _undecided(f"{node} of type {type(node).__name__}")
    return rule([_grow(part, letter, env) for part in node.args])


def _exponent(node: sympy.Expr, letter: sympy.Symbol, env: Mapping[sympy.Symbol, Growth]) -> sympy.Expr:
    if node.is_number:
        return node
    growth = _grow(node, letter, env)
    if any(growth.powers):
        raise _undecided(f"the exponent {node}, which is not constant")
    return growth.coefficient


def _sum(node: sympy.Add, letter: sympy.Symbol, env: Mapping[sympy.Symbol, Growth]) -> Growth:
    groups: dict[tuple[sympy.Expr, ...], sympy.Expr] = {}
    for term in node.args:
        sign = -1 if term.could_extract_minus_sign() else 1
        part = _grow(sign * term, letter, env)
        groups[part.powers] = groups.get(part.powers, _ZERO) + sign * part.coefficient
    powers = reduce(_faster, groups)
    return Growth(_positive(groups[powers]), powers)


def _faster(a: tuple[sympy.Expr, ...], b: tuple[sympy.Expr, ...]) -> tuple[sympy.Expr, ...]:
    return a if Growth(_ZERO, tuple(x - y for x, y in zip(a, b, strict=True))).direction >= 0 else b


def _maximum(parts: list[Growth]) -> Growth:
    powers = reduce(_faster, [part.powers for part in parts])
    return Growth(sympy.Max(*(part.coefficient for part in parts if part.powers == powers)), powers)


def _ceiling(parts: list[Growth]) -> Growth:
    (part,) = parts
    if part.direction > 0:
        return part
    limit = part.coefficient
    if part.direction < 0 or not (limit - sympy.floor(limit)).is_positive:
        raise _undecided("a rounded number that tends to an integer")
    return _constant(sympy.ceiling(limit))


def _logarithmic(parts: list[Growth]) -> Growth:
    r"""H_n, psi(x) and W(x) are all equivalent to log x as their argument tends to infinity."""
    if len(parts) != 1 or parts[0].direction <= 0:
        raise _undecided("a harmonic number, digamma or LambertW of what does not tend to infinity")
    return parts[0].log()


_RULES: dict[type, Callable[[list[Growth]], Growth]] = {
    **dict.fromkeys((sympy.harmonic, sympy.digamma, sympy.LambertW), _logarithmic),
    sympy.Mul: lambda parts: reduce(Growth.__mul__, parts),
    sympy.log: lambda parts: parts[0].log(),
    sympy.Max: _maximum,
    sympy.ceiling: _ceiling,
}


def _constant(value: sympy.Expr) -> Growth:
    return Growth(_positive(value))


def _positive(value: sympy.Expr) -> sympy.Expr:
    if value.is_positive is not True:
        raise _undecided(f"a leading coefficient {value} that is not certainly positive")
    return value


def _undecided(what: str) -> DomainError:
    return DomainError(what, required="a positive formula on the scale of exponentials, powers and logarithms")
