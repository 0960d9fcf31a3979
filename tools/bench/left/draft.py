"""A draft: a small check file as a newcomer writes it, made from a base statement, a cast of names and a slip.

A base is a template.  ``@N`` stands for whatever name a draft gives to the letter that the base calls ``N``, ``@gap``
for the name of its quantity, ``@few`` for a number of the seed.  A slip is a list of replacements in that template, so
that a wrong draft and its twin differ by the slip and by nothing else.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy
from sympy.printing.str import StrPrinter

from theorytools.errors import DomainError

Axes = Mapping[str, Any]
Number = Any  # a Fraction, an int, or a sympy expression without letters
MODULES = {
    "fractions": ("Fraction",), "itertools": ("combinations", "permutations", "product"), "math": ("comb",),
    "sympy": ("Rational", "exp", "log"),
    "theorytools": ("Claim", "Control", "Enclosure", "Quantity", "enclosed", "grid"),
    "theorytools.statistics.sampled": ("bounded_mean", "proportion", "truncated_mean", "truncation_excess"),
}  # fmt: skip
PLAIN = {"math": "import math", "np": "import numpy as np", "sympy": "import sympy"}
STANDARD, OTHERS = ("fractions", "itertools", "math"), ("sympy", "theorytools", "theorytools.statistics.sampled")
FUNCTIONS = ("Integer", "Rational", "exp", "log")
WORDS = {"<=": "is at most", ">=": "is at least", "==": "equals"}


@dataclass(frozen=True)
class Base:
    """A true statement with what measures it, as a template.

    Parameters
    ----------
    name : an identifier.
    letters : the letters by their role, each with what it means.
    noun, latex, trivial : the measured quantity in words, in TeX, and the range it has by definition, as text.
    setting : the objects, in a sentence.
    code : the functions of the file, one to a text; their order is the seed's.
    construct, measure : expressions for the two functions of the claim.
    relation, right, requires : the statement, formulas in the letters.
    grid : for each letter the choices of its sizes.
    controls : the controls, as text.
    truth : the quantity of the statement at a point, by another formula or enumeration.
    anchors : two small objects as text, the letters beside them, and the value that is known of each.
    scope : quantifiers beside those of the letters, as the claim types them.
    numbers : for each number of the template, the choices.
    """

    name: str
    letters: Mapping[str, str]
    noun: str
    latex: str
    trivial: str
    setting: str
    code: Sequence[str]
    construct: str
    measure: str
    relation: str
    right: str
    requires: Sequence[str]
    grid: Mapping[str, Sequence[Sequence[Any]]]
    controls: str
    truth: Callable[[Axes], Number]
    anchors: Sequence[tuple[str, Mapping[str, int], Number]]
    scope: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    extra: str = ""


@dataclass(frozen=True)
class Slip:
    """What an author got wrong: a wrong draft is the base with these changes.

    Parameters
    ----------
    kind, base : which kind of slip, and in which statement.
    edits : what is written in place of what, in the functions of the file; each place is there once.
    why : what is wrong, in a sentence.
    wrong : what the changed file measures, by another formula; None where the statement itself is false.
    at : axes to look at for a witness before the grid.
    fails : where an object or a constant is chosen too early or read off: the two sides at a point, of what is claimed.
    """

    kind: str
    base: str
    edits: Sequence[tuple[str, str]]
    why: str
    wrong: Callable[[Axes], Number] | None = None
    relation: str = ""
    right: str = ""
    requires: Sequence[str] | None = None
    grid: Mapping[str, Sequence[Sequence[Any]]] = field(default_factory=dict)
    controls: str = ""
    scope: Mapping[str, str] | None = None
    first: bool = False
    extra: str = ""
    at: Sequence[Axes] = ()
    fails: Callable[[Axes, Sequence[Axes]], tuple[Number, Number]] | None = None


@dataclass(frozen=True)
class Cast:
    """What the seed chose for a pair of drafts: names of letters and functions, numbers, order of the code, sizes."""

    names: Mapping[str, str]
    numbers: Mapping[str, Any]
    order: Sequence[int]
    grid: Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Draft:
    """One check file: its text, its notation, and the statement as data."""

    text: str
    notation: str
    relation: str
    right: str
    grid: Mapping[str, Sequence[Any]]
    names: Mapping[str, str]

    @property
    def points(self) -> list[dict[str, Any]]:
        """The points of the grid by the roles of their letters."""
        found: list[dict[str, Any]] = [{}]
        for role, sizes in self.grid.items():
            found = [{**point, role: Fraction(size)} for point in found for size in sizes]
        return [{role: int(x) if x.denominator == 1 else x for role, x in point.items()} for point in found]


def swapped(text: str, edits: Sequence[tuple[str, str]]) -> str:
    """Return the text with every replacement made, each of which must fit exactly one place."""
    for old, new in edits:
        if text.count(old) != 1:
            raise DomainError(f"{old!r} stands {text.count(old)} times in the draft", required="exactly one place")
        text = text.replace(old, new)
    return text


def filled(text: str, names: Mapping[str, Any]) -> str:
    """Return a template with every ``@name`` replaced."""
    return re.sub(r"@([A-Za-z]+)", lambda m: str(names[m[1]]), text)


def _read(text: str, letters: Mapping[str, sympy.Symbol]) -> Any:
    """A formula or a condition of a base; its integers are sympy's, so that a quotient of two is a fraction.

    The texts are those of this package; sympy's own reader imports all of sympy for every one of them.
    """
    exact = re.sub(r"(?<![\w.])\d+", lambda m: f"Integer({m[0]})", text)
    return eval(exact, {**{name: getattr(sympy, name) for name in FUNCTIONS}, **letters})


def formula(text: str, cast: Cast) -> sympy.Expr:
    """Return a formula of a base in the letters of a draft."""
    letters = {role: sympy.Symbol(name, positive=True) for role, name in cast.names.items()}
    return _read(filled(text, cast.numbers), {"C": sympy.Symbol("C", positive=True), **letters})


def written(base: Base, slip: Slip | None, cast: Cast) -> Draft:
    """Return the draft of a base with its slip, or mended, which is without one."""
    own = slip or Slip("", base.name, (), "")
    names = {**cast.names, **cast.numbers}
    relation, right = own.relation or base.relation, own.right or base.right
    requires = base.requires if own.requires is None else own.requires
    head = {**base.scope} if own.scope is None else {**own.scope}
    letters = {f"every {', '.join(cast.names[role] for role in base.letters)}": "points"}
    scope = {**head, **letters} if own.first else {**letters, **head}
    code = [base.code[i] for i in cast.order]
    parts = {
        "code": swapped("\n\n\n".join(code), own.edits), "construct": base.construct, "measure": base.measure,
        "controls": own.controls or base.controls, "extra": own.extra or base.extra,
    }  # fmt: skip
    body = filled("\n#--\n".join(parts.values()), names)
    functions, construct, measure, controls, extra = body.split("\n#--\n")
    shown = formula(right, cast)
    side = _Python().doprint(shown)
    asserts = f"{names['q']}.equals({side})" if relation == "==" else f"{names['q']} {relation} {side}"
    asked = [filled(condition, names) for condition in (_renamed(c, cast) for c in requires)]
    sizes = ", ".join(f"{cast.names[role]}={_listed(cast.grid[role])}" for role in base.letters)
    claim = (
        f'claim = Claim(\n    "{base.noun.capitalize()}",\n    role="statement",\n    scope={_quoted(scope)},\n'
        f'    source="derived here: {base.noun}",\n    asserts=[{asserts}],\n    requires=[{", ".join(asked)}],\n'
        f"    grid=grid({sizes}),\n    construct={construct},\n    measure={measure},\n"
        + (f"    {extra},\n" if extra.strip() else "")
        + f"    controls=[{controls}],\n)\n"
    )
    quantity = f'{names["q"]} = Quantity("{base.noun}", r"{base.latex}", "{base.noun}", {base.trivial})'
    rest = f"{quantity}\n\n\n{functions}\n\n\n{claim}" if functions.strip() else f"{quantity}\n{claim}"
    text = f"{_docstring(base, relation, shown, scope, asked, controls, names)}\n{_imports(rest, base, cast)}\n{rest}"
    return Draft(text, _notation(base, right, cast), relation, right, cast.grid, cast.names)


class _Python(StrPrinter):  # type: ignore[misc]
    """A formula as a check writes it: a fraction is no quotient of integers, which Python would make a double."""

    def _print_Rational(self, expr: sympy.Rational) -> str:
        return str(expr.p) if expr.q == 1 else f"Rational({expr.p}, {expr.q})"


def _renamed(condition: str, cast: Cast) -> str:
    """A condition in the letters of the draft."""
    return re.sub(r"\b[A-Za-z]+\b", lambda m: cast.names.get(m[0], m[0]), condition)


def _quoted(scope: Mapping[str, str]) -> str:
    return "{" + ", ".join(f'"{said}": "{how}"' for said, how in scope.items()) + "}"


def _listed(sizes: Sequence[Any]) -> str:
    return "[" + ", ".join(str(x) if isinstance(x, int) else f'"{x}"' for x in sizes) + "]"


def _docstring(
    base: Base, relation: str, right: sympy.Expr, scope: Mapping[str, str], asked: Sequence[str], controls: str,
    names: Mapping[str, Any],
) -> str:  # fmt: skip
    said = ", ".join(f"for {quantifier}" if quantifier.startswith("every") else f"there is {quantifier}"
                     for quantifier in scope)  # fmt: skip
    said = re.sub(r"(?<=every )[A-Za-z](?:, [A-Za-z])*(?=,|$)", lambda m: f"${m[0]}$", said)
    known = {name: sympy.Symbol(name) for c in asked for name in re.findall(r"[A-Za-z]+", c)}
    under = " and ".join(f"${sympy.latex(_read(c, known))}$" for c in asked)
    control = re.findall(r'Control\(\s*"([^"]*)"', controls)
    sentence = f"{said[0].upper()}{said[1:]}{f' with {under}' if under else ''}: the {base.noun} {WORDS[relation]}"
    return (
        f'r"""{base.noun[0].upper()}{base.noun[1:]}.\n\nSetting    {filled(base.setting, names)}\n'
        f"Statement  {sentence} ${sympy.latex(right)}$.\nWitness    The objects of the setting, at every point.\n"
        f'Measured   The {base.noun}.\nControl    {"; ".join(control)}.\n"""\n'
    )


def _imports(code: str, base: Base, cast: Cast) -> str:
    used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    own = sorted(used & {"C", *(cast.names[role] for role in base.letters)})

    def lines(modules: Sequence[str]) -> list[str]:
        found = [f"from {m} import {', '.join(n for n in MODULES[m] if n in used)}" for m in modules
                 if used & set(MODULES[m])]  # fmt: skip
        return found

    plain = [line for name, line in PLAIN.items() if name in used]
    first = [line for line in plain if line == "import math"] + lines(STANDARD)
    second = [line for line in plain if line != "import math"] + lines(OTHERS)
    blocks = [first, second, [f"from .notation import {', '.join(own)}"] if own else []]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _notation(base: Base, right: str, cast: Cast) -> str:
    rows = [f'{cast.names[role]} = letter("{cast.names[role]}", "{meaning}", integer=True, positive=True)'
            for role, meaning in base.letters.items()]  # fmt: skip
    if "C" in right:
        rows.append('C = letter("C", "a constant", positive=True)')
    return '"""Letters."""\n\nfrom theorytools import letter\n\n' + "\n".join(rows) + "\n"
