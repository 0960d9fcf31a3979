"""What judging one point of a claim takes: ``checks/<paper>/work.toml``, formulas in the claim's letters.

A size that nobody has time or memory for is refused before anything is made, with the work it would take::

    [[work]]
    claims = ["qstr.lemma_11"]
    operations = "20*N*d_e"      # 10^8 of them are about a second
    bytes = "8*N*d_e"            # at the largest moment; left out where memory is no question
    where = { code = ["bch"] }   # the points it speaks of; left out where of all

A formula has the letters of the claim, numbers, ``+ - * / **``, brackets, and ``log2``, ``sqrt``, ``ceil``, ``min``,
``max``, ``comb``.  It counts the construction, the measurement and the controls.  The limit is in operations and
bytes, never in seconds of a clock, so that every machine refuses the same points.
"""

from __future__ import annotations

import ast
import math
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from theorytools.arguments.amounts import duration, memory
from theorytools.claims.language.grid import Point
from theorytools.claims.papers.syntax import Entry
from theorytools.errors import BudgetError, CheckError

FILE = "work.toml"
RATE = 10**8  # operations a second, of a common core: what "about 4 h" is reckoned with
OPERATIONS = 5 * RATE  # at the points of one value that a user asks for
BYTES = 4 * 10**9
_KEYS = {"claims", "operations", "bytes", "where"}

_TWO: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: lambda x, y: x + y, ast.Sub: lambda x, y: x - y, ast.Mult: lambda x, y: x * y,
    ast.Div: lambda x, y: x / y, ast.Pow: lambda x, y: x**y,
}  # fmt: skip


def _comb(n: float, k: float) -> float:
    r"""Return :math:`\binom nk` in doubles: of large letters it is far beyond them, and infinite here."""
    if not 0 <= k <= n:
        return 0.0
    return math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1))


_NAMED: Mapping[str, Callable[..., float]] = {
    "log2": math.log2, "sqrt": math.sqrt, "ceil": math.ceil, "min": min, "max": max, "comb": _comb,
}  # fmt: skip


@dataclass(frozen=True)
class Formula:
    """A formula in letters, evaluated in doubles; a value beyond them is infinite.

    Parameters
    ----------
    text : the formula as it is written.

    Raises
    ------
    ValueError : a text that is no such formula.

    Examples
    --------
    >>> Formula("8*N**2 + log2(N)")({"N": 4}), Formula("2**n")({"n": 10**6})
    (130.0, inf)
    """

    text: str
    _tree: ast.expr = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            tree = ast.parse(self.text, mode="eval").body
        except SyntaxError as error:
            raise ValueError(f"{self.text!r} is no formula") from error
        _admit(tree)
        object.__setattr__(self, "_tree", tree)

    @property
    def letters(self) -> frozenset[str]:
        """The letters that occur."""
        called = {node.func for node in ast.walk(self._tree) if isinstance(node, ast.Call)}
        names = {node for node in ast.walk(self._tree) if isinstance(node, ast.Name)}
        return frozenset(node.id for node in names - called)

    def __call__(self, letters: Mapping[str, Any]) -> float:
        """Return the value at these letters."""
        try:
            value = float(_value(self._tree, letters))
        except OverflowError:
            return math.inf
        return value


def _admit(node: ast.AST) -> None:
    inner: list[ast.expr]
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            inner = []
        case ast.Name():
            inner = []
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _TWO:
            inner = [left, right]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = [operand]
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _NAMED and arguments:
            inner = arguments
        case _:
            raise ValueError(f"{ast.unparse(node)!r} is no part of a formula")
    for one in inner:
        _admit(one)


def _value(node: Any, letters: Mapping[str, Any]) -> float:
    """The value of a formula that was admitted; integers are doubles, so that no power is a million digits long."""
    match node:
        case ast.Constant():
            return float(node.value)
        case ast.Name(id=name):
            return float(letters[name])
        case ast.BinOp(left=left, op=op, right=right):
            return _TWO[type(op)](_value(left, letters), _value(right, letters))
        case ast.UnaryOp(operand=operand):
            return -_value(operand, letters)
        case _:
            return _NAMED[node.func.id](*(_value(argument, letters) for argument in node.args))


@dataclass(frozen=True)
class Work:
    """What a claim declares of some of its points.

    Parameters
    ----------
    operations, bytes : formulas; the bytes are those held at once.
    where : the words or numbers of some axes for which this is said; empty where it is said of all points.
    share : the part of all operations that one point may take, where one value is judged at several points.
    """

    operations: Formula
    bytes: Formula
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    share: float = 1.0

    def speaks_of(self, point: Point) -> bool:
        """Whether this point is one of those that the declaration is about."""
        text = point.text()
        return all(text.get(name) in values for name, values in self.where.items())

    def at(self, point: Point) -> tuple[float, float]:
        """Return the operations and the bytes that a point takes."""
        letters = {name: getattr(point, name) for name in self.operations.letters | self.bytes.letters}
        return self.operations(letters), self.bytes(letters)

    def admit(self, point: Point) -> None:
        """Refuse a point that takes more than its share of the operations, or more than the bytes.

        Raises
        ------
        BudgetError : with what it would take, and the largest value of a letter that may be judged.
        """
        if not self.speaks_of(point) or self._fits(point):
            return
        operations, held = self.at(point)
        most = self._largest(point)
        limit = f"{duration(self.share * OPERATIONS / RATE)} and {memory(BYTES)} at a point"
        raise BudgetError(
            f"{point} takes {duration(operations / RATE)}{f', {memory(held)}' if held >= BYTES / 1000 else ''}",
            required=f"{most} ({limit})" if most else limit,
            why=f"{operations:.1e} operations, of which a second has 10^8",
            advice="a smaller size",
        )  # fmt: skip

    def _fits(self, point: Point) -> bool:
        operations, held = self.at(point)
        return operations <= self.share * OPERATIONS and held <= BYTES

    def _largest(self, point: Point) -> str:
        """The largest value of one letter with which the point would fit, of the letters the largest first."""
        letters = self.operations.letters | self.bytes.letters
        sizes = {name: x for name, x in point.axes.items() if name in letters and isinstance(x, int) and x > 1}
        for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
            low, high = 0, sizes[name]  # the first fits or none does, the second does not fit
            while high - low > 1:
                middle = (low + high) // 2
                moved = replace(point, axes={**point.axes, name: middle})
                low, high = (middle, high) if self._fits(moved) else (low, middle)
            if low:
                return f"at most {name} = {low}"
        return ""


def declared(entry: Entry, *, share: float = 1.0) -> list[Work]:
    """Return what is declared of the work of a claim, nothing where nothing is.

    Raises
    ------
    CheckError : a file that cannot be read.
    """
    return [replace(work, share=share) for id, work in read_work(entry.folder) if id == entry.id]


def read_work(folder: Path) -> list[tuple[str, Work]]:
    """Return the declarations of a paper's folder, each with the claim's id; none where it has no such file.

    Raises
    ------
    CheckError : a file that cannot be read, or a declaration that is not of some claims of the paper.
    """
    path = folder / FILE
    if not path.is_file():
        return []
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckError(f"{path}: {error}", required="a TOML file") from error
    listed: Any = data.get("work", [])
    return [found for one in (listed if isinstance(listed, list) else [listed]) for found in _declarations(path, one)]


def _declarations(path: Path, one: Any) -> Iterator[tuple[str, Work]]:
    try:
        if not one.keys() <= _KEYS or not all(str(id).startswith(f"{path.parent.name}.") for id in one["claims"]):
            raise ValueError("it has other parts, or claims of another paper")
        formulas = Formula(one["operations"]), Formula(one.get("bytes", "0"))
        where = {str(name): tuple(map(str, values)) for name, values in one.get("where", {}).items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CheckError(
            f"{path}: {one}: {error}", required="claims = [ids of the paper], operations, and perhaps bytes and where",
            why="a size is refused by the work it takes", advice='claims = ["p.lemma_1"], operations = "20*N**2"',
        ) from error  # fmt: skip
    for id in one["claims"]:
        yield str(id), Work(*formulas, where)
