"""Formulas as Python prints them, in LaTeX: hypotheses of a record, and what is said of them in plain words.

Only the syntax tree is read, nothing is evaluated: a record may come from anybody.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from markupsafe import Markup, escape

from theorytools.reporting.mathml import mathml

GREEK = frozenset(
    ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "pi",
     "rho", "sigma", "tau", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma",
     "Phi", "Psi", "Omega"]
)  # fmt: skip
_SIGNS = {
    ast.LtE: r"\leq", ast.GtE: r"\geq", ast.Lt: "<", ast.Gt: ">", ast.Eq: "=", ast.NotEq: r"\neq", ast.Add: "+",
    ast.Sub: "-", ast.BitOr: r"\text{ or }", ast.BitAnd: r"\text{ and }",
}  # fmt: skip
_AROUND = {
    "sqrt": (r"\sqrt{", "}"), "floor": (r"\lfloor ", r"\rfloor "), "ceiling": (r"\lceil ", r"\rceil "),
    "Abs": (r"\lvert ", r"\rvert "), "exp": ("e^{", "}"),
}  # fmt: skip
_NAMED = {"log": r"\log", "Max": r"\max", "Min": r"\min"}
_RANK = {ast.BitOr: 0, ast.BitAnd: 0, ast.Add: 2, ast.Sub: 2, ast.Mult: 3, ast.Div: 3, ast.Mod: 3, ast.Pow: 5}
_COMPARED, _PRODUCT, _WHOLE = 1, 3, 9
_TERM = r"(?:[A-Za-z]\w*|\d[\d/]*)(?:(?: [-+] |[*/^])(?:[A-Za-z]\w*|\d[\d/]*))*"
_RELATION = re.compile(rf"(?<![\w)(^])(?:\d+ )?{_TERM}(?: ?(?:<=|>=|<|>|=) ?-?{_TERM})+(?![\w(]| ?[*/^]| [b-zA-Z]\b)")
_LONG = re.compile(r"\b\d{21,}\b")


def latex_of(text: str, letters: Mapping[str, str]) -> str:
    r"""Return the LaTeX of a formula as Python prints it, with these letters; empty for what is none.

    Examples
    --------
    >>> print(latex_of("K_g*gamma_c >= sqrt(d)/2", {}))
    K_{g}\,\gamma_{c} \geq \frac{\sqrt{d}}{2}
    """
    try:
        return _latex(ast.parse(text, mode="eval").body, letters)[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError, LookupError):
        return ""


def letter_of(name: str, letters: Mapping[str, str]) -> str:
    r"""Return the LaTeX of a letter by its name: its own, or ``\gamma_{c}`` for ``gamma_c``."""
    if name in letters:
        return letters[name]
    base, _, low = name.partition("_")
    if not base or (len(base) > 1 and base not in GREEK and len(low) > 2):  # a word of two
        return rf"\mathrm{{{name}}}".replace("_", r"\_")
    base = f"\\{base}" if base in GREEK else base if len(base) < 2 else rf"\mathrm{{{base}}}"
    return f"{base}_{{{low}}}" if low else base


def _latex(node: ast.expr, letters: Mapping[str, str]) -> tuple[str, int]:
    """The LaTeX of a node and how tightly it binds; ``LookupError`` for what no formula of a claim has."""
    match node:
        case ast.Constant(value=bool() | str() | bytes() | None) | ast.Constant(value=complex()):
            raise LookupError("no number")
        case ast.Constant(value=value):
            digits = str(value)
            return rf"\text{{about }}10^{{{len(digits) - 1}}}" if _LONG.fullmatch(digits) else digits, _WHOLE
        case ast.Name(id=name):
            return letter_of(name, letters), _WHOLE
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return f"-{_within(inner, letters, _PRODUCT)}", _PRODUCT
        case ast.Compare(left=left, ops=ops, comparators=others):
            parts = [_within(one, letters, _COMPARED + 1) for one in (left, *others)]
            signs = [_SIGNS[type(op)] for op in ops]
            return " ".join([parts[0], *(f"{s} {p}" for s, p in zip(signs, parts[1:], strict=True))]), _COMPARED
        case ast.BinOp(left=left, op=op, right=right):
            return _operation(left, op, right, letters)
        case ast.Call(func=ast.Name(id=name), args=[*args], keywords=[]):
            return _call(name, args, letters)
    raise LookupError(type(node).__name__)


def _within(node: ast.expr, letters: Mapping[str, str], rank: int) -> str:
    text, own = _latex(node, letters)
    return text if own >= rank else rf"\left({text}\right)"


def _operation(left: ast.expr, op: ast.operator, right: ast.expr, letters: Mapping[str, str]) -> tuple[str, int]:
    rank = _RANK[type(op)]
    if isinstance(op, ast.Pow):
        return f"{_within(left, letters, _WHOLE)}^{{{_latex(right, letters)[0]}}}", rank
    if isinstance(op, ast.Div):
        return rf"\frac{{{_latex(left, letters)[0]}}}{{{_latex(right, letters)[0]}}}", 4
    if isinstance(op, ast.Mult):
        first, second = _within(left, letters, rank), _within(right, letters, rank + 1)
        digits = first[-1:].isdigit() and second[:1].isdigit()
        return (r" \cdot " if digits else r"\,").join((first, second)), rank
    if isinstance(op, ast.Mod):
        return rf"{_within(left, letters, rank)} \bmod {_within(right, letters, rank + 1)}", rank
    return f"{_within(left, letters, rank)} {_SIGNS[type(op)]} {_within(right, letters, rank + 1)}", rank


def _call(name: str, args: list[ast.expr], letters: Mapping[str, str]) -> tuple[str, int]:
    shown = [_latex(one, letters)[0] for one in args]
    if name in _AROUND and len(args) == 1:
        return shown[0].join(_AROUND[name]), _WHOLE - (name == "exp") * 4
    if name in ("Eq", "Ne") and len(args) == 2:
        return (" = " if name == "Eq" else r" \neq ").join(shown), _COMPARED
    if name == "Mod" and len(args) == 2:
        return _operation(args[0], ast.Mod(), args[1], letters)
    if name == "binomial" and len(args) == 2:
        return rf"\binom{{{shown[0]}}}{{{shown[1]}}}", _WHOLE
    if name in ("Or", "And"):
        return (r"\text{ or }" if name == "Or" else r"\text{ and }").join(shown), 0
    head = _NAMED.get(name) or rf"\operatorname{{{name}}}"
    if not args:
        raise LookupError(name)
    return rf"{head}\left({', '.join(shown)}\right)", _WHOLE


def formula_shown(text: str, letters: Mapping[str, str]) -> Markup:
    """Return a typed formula as MathML, as code where it is none."""
    latex = latex_of(text, letters)
    return mathml(latex) if latex else Markup("<code>{}</code>").format(text)


def with_typed(text: str, letters: Mapping[str, str]) -> Markup:
    """Return plain words in which relations such as ``d_e >= q`` are formulas, and all else is escaped.

    Integers of more than twenty digits are told by their size.
    """
    out, place = Markup(""), 0
    for found in _RELATION.finditer(text):
        latex = latex_of(re.sub(r"(?<![<>=])=(?!=)", "==", found[0]).replace("^", "**"), letters)
        if latex:
            out += _sized(text[place : found.start()]) + mathml(latex)
            place = found.end()
    return out + _sized(text[place:])


def _sized(text: str) -> Markup:
    return escape(_LONG.sub(lambda digits: f"about 10^{len(digits[0]) - 1}", text))
