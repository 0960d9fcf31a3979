r"""What judging a point would take, in operations that depend on nothing but the claim: never a clock.

Where ``work.toml`` declares the operations of a claim, the formula tells; with a size that it does not name they grow
as with one beyond the grid.  Else they are counted at points of the grid, once what these keep has been made: 30 for
each call of Python and C, of which a second has some 3.4 million, or, where that is more, :math:`m^{3/2}/10` for
:math:`m` numbers of 8 bytes that are held at most, as of a product of square matrices: one call may do all of the work.
From the least and the largest point follows a power of the product :math:`w` of the whole sizes.  A power above 4 may
be an exponential; so may be what the text of a check says (subsets, :math:`2^n`) and what a construction of the library
hides.  There sizes below 64 are not doubled but followed by the next one.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import inspect
import math
import sys
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from theorytools.claims.language.claim import Claim
from theorytools.claims.papers.work import Work

CALL = 30  # operations
_COUNTED = 300_000  # calls after which the count of a point ends
_HELD = 0.1  # operations for each product of numbers held
_POWER = 4.0  # above it work may be no power of the sizes
_SHARE, _LEAST, _MOST = 0.4, 3e6, 2e7  # of the operations of the grid and its controls, a search's; least, most
_GUESS = 2.0  # the power where one point is counted
FURTHER = 1  # whole numbers after the largest size, where the work may be an exponential of it
DOUBLED = 64  # nobody lists 2^64 objects: from here on sizes are doubled in any case
# what makes an exponential, or a factorial, of a size
_MANY = frozenset((
    "product", "permutations", "combinations", "combinations_with_replacement", "factorial", "comb", "pow", "power",
    "float_power", "exp2", "ldexp", "words", "subsets", "sign_vectors", "meshgrid", "indices", "left_shift",
))  # fmt: skip
_NEAR = ("numbers", "claims", "statistics", "measures", "errors", "search")  # rooms that hide no construction


class Exceeded(BaseException):
    """A call made more calls than it may; no ``Exception``, which a check might catch."""


def counted(function: Callable[[], Any], most: float = math.inf) -> tuple[int, Any]:
    """Return how many calls of Python and C a function makes, and what it returns.

    What is imported on the way is paid once in a process and does not count: then the function is called again.  Nor
    does what the collection of garbage calls: it undoes what others have left behind.

    Raises
    ------
    Exceeded : it made more than ``most``.
    """
    made, imports, answer = _counted(function, most)
    if made > most and imports:
        made, imports, answer = _counted(function, most)
    if made > most:
        raise Exceeded
    return made, answer


def _counted(function: Callable[[], Any], most: float) -> tuple[int, bool, Any]:
    """Return how many calls a function makes, or one more than it may, whether it imported, and what it returns."""
    made, imports, collecting = 0, False, False

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal made, imports
        if event in ("call", "c_call") and not collecting:
            made += 1
            imports = imports or frame.f_code.co_name == "_find_and_load"
            if made > most and not _importing(frame):
                raise Exceeded

    def collect(phase: str, told: Any) -> None:
        nonlocal collecting
        collecting = phase == "start"

    before, answer = sys.getprofile(), None
    gc.callbacks.append(collect)
    sys.setprofile(count)
    try:
        with contextlib.suppress(Exceeded):
            answer = function()
    finally:
        sys.setprofile(before)
        gc.callbacks.remove(collect)
    return made, imports, answer


def _importing(frame: Any) -> bool:
    """Whether a module is being imported: half of one would stay behind."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def held(function: Callable[[], Any]) -> int:
    """Return how many bytes more than before a function holds at most, of numpy's arrays too."""
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    try:
        function()
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        if not tracing:
            tracemalloc.stop()
    return max(peak - before, 0)


class Price:
    """What a point of a claim takes.

    Operations are counted once a point of the grid has been judged the same way, so that what is kept has been made and
    modules have been imported, and are rounded to a power of two: so they do not depend on what ran before.

    Parameters
    ----------
    claim : the claim.
    measure : measures it at the axes of one point; called twice at one or two points of the grid.
    work : what the claim declares.
    judged : whether the points of the grid have been judged, and what they keep has been made.
    counted : what was counted before: the size of a point, its operations, and the power with which they grow.
    reals : whether a letter that is no whole number is a size all the same, where those of the grid are whole: so it
        was when some of the counts that are kept were made, and is where the work is declared.
    """

    def __init__(
        self, claim: Claim, measure: Callable[[Mapping[str, Any]], Any], work: Sequence[Work] = (), *,
        judged: bool = False, counted: tuple[float, float, float] | None = None, reals: bool = False,
    ) -> None:  # fmt: skip
        self._claim, self._measure, self._work, self._judged, self._known = claim, measure, work, judged, counted
        numbers = [name for name in claim.grid.axes if all(isinstance(p[name], int) for p in claim.grid)]
        letters = claim.all_letters() if not (reals or work) else {}
        self._whole = [name for name in numbers if name not in letters or letters[name].is_integer]

    def __call__(self, axes: Mapping[str, Any]) -> float:
        """Return the operations of one point, its controls left out."""
        if self._work:
            point = self._claim.point(axes, "")
            told = max(work.operations(point.axes) for work in self._work) / self._parts
            return told * math.prod(max(abs(axes[name]) / top, 1.0) for name, top in self._untold.items())
        size, cost, power = self.counted
        return float(cost * max(self.size(axes) / size, 1e-3) ** power)

    def whole(self, axes: Mapping[str, Any]) -> float:
        """Return the operations of one point with its controls."""
        return self(axes) * (self._parts if self._work else 1 + len(self._claim.controls))

    @property
    def of_grid(self) -> bool:
        """Whether the size of the point that was counted is one of the grid's, to the six digits that are kept."""
        return any(math.isclose(self.size(dict(p)), self.counted[0], rel_tol=1e-5) for p in self._claim.grid)

    @property
    def _parts(self) -> int:
        """What is declared has the controls; of the library's claims they take as much as what the claim measures."""
        return 2 if self._claim.controls else 1

    @cached_property
    def _untold(self) -> dict[str, int]:
        """The sizes that a declaration does not name, with the largest of the grid: beyond it work grows with them."""
        named = frozenset().union(*(work.operations.letters for work in self._work))
        largest = {n: max(abs(int(p[n])) for p in self._claim.grid) for n in self._whole if n not in named}
        return {name: max(1, size) for name, size in largest.items()}

    @cached_property
    def grid(self) -> float:
        """The operations of the whole grid with its controls."""
        whole = sum(self(dict(point)) for point in self._claim.grid)
        return whole * (self._parts if self._work else 1 + len(self._claim.controls))

    def share(self) -> float:
        """The operations of a search that goes with a verdict: two fifths of what the grid and its controls take.

        They are no more than those of a fifth of a second, or of two fifths where half a dozen of the cheapest points
        take so much.
        """
        cheapest, part = min(self(dict(point)) for point in self._claim.grid), _SHARE * self.grid
        return max(min(max(part, _LEAST), _MOST), min(6 * cheapest, 2 * _MOST))

    @cached_property
    def steep(self) -> bool:
        """Whether the work may be an exponential of a size: then sizes below 64 are not doubled."""
        if self._work:
            return False
        return self.counted[2] > _POWER or not readable(self._claim)

    def size(self, axes: Mapping[str, Any]) -> float:
        """Return the product of the whole sizes of a point, each from 1 to 10^12."""
        sizes = (min(max(abs(Fraction(axes[name])), Fraction(1)), Fraction(10**12)) for name in self._whole)
        return math.prod(map(float, sizes))

    @cached_property
    def counted(self) -> tuple[float, float, float]:
        """The size and the operations of one point, and the power with which they grow."""
        if self._known is not None:
            return self._known
        rows = sorted((dict(point) for point in self._claim.grid), key=self.size)
        least, largest = rows[0], rows[-1]
        self._measure(least)
        few, _ = self._taken(least)
        ratio = self.size(largest) / self.size(least)
        if ratio < 1.5:
            return self.size(least), few, _GUESS
        many, whole = self._taken(largest)
        power = math.log(max(many / few, 1.0)) / math.log(ratio)
        # a count that ended early is a lower bound, of the power too
        return self.size(largest), many, max(power, 1.0 if whole else _GUESS)

    def _taken(self, axes: Mapping[str, Any]) -> tuple[float, bool]:
        """The operations of a point of which everything that is kept has been made, and whether all were counted."""
        calls, whole = [float(_COUNTED)], False

        def count() -> None:
            calls[0] = counted(lambda: self._measure(axes), _COUNTED)[0]

        if not self._judged:
            self._measure(axes)
        try:
            numbers, whole = held(count) / 8, True
            if _HELD * numbers**1.5 > CALL * calls[0]:  # the first time the interpreter keeps some of it
                numbers = min(numbers, held(count) / 8)
        except Exceeded:
            numbers = 0.0
        taken = max(CALL * calls[0], _HELD * numbers**1.5, 1.0)
        return float(2 ** round(math.log2(taken))), whole


def known(claim: Claim, counted: tuple[float, float, float] | None) -> Price | None:
    """Return the price of a claim of which it is known what was counted, None where nothing is, or of another grid."""
    if counted is None:
        return None
    prices = (Price(claim, lambda axes: None, counted=counted, reals=reals) for reals in (False, True))
    return next((price for price in prices if price.of_grid), None)


def readable(claim: Claim) -> bool:
    """Whether the check of a claim computes by itself, and by nothing that is an exponential of a size."""
    run = claim.run
    functions = (claim.construct, claim.measure) if run is None else (run.state, run.step, run.observe)
    for function in functions:
        try:
            path = inspect.getsourcefile(inspect.unwrap(function))
            text = "" if path is None else Path(path).read_text(encoding="utf-8")
            tree = ast.parse(text)
        except (TypeError, OSError, SyntaxError, ValueError):
            return False
        if path is None or not _plain(tree):
            return False
    return True


def _plain(tree: ast.Module) -> bool:
    """Whether a module takes nothing from the library that constructs, and makes no powers, subsets or words."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            parts = (node.module or "").split(".")
            of_paper = node.level > 1 or (node.level == 1 and parts != ["notation"])
            if of_paper or (parts[0] == "theorytools" and len(parts) > 1 and parts[1] not in _NEAR):
                return False
        functions = isinstance(node, ast.FunctionDef | ast.Lambda | ast.AsyncFunctionDef)
        if functions and any(_many(inner) for inner in ast.walk(node)):
            return False
    return True


def _many(node: ast.AST) -> bool:
    power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and not isinstance(node.right, ast.Constant)
    shift = isinstance(node, ast.BinOp) and isinstance(node.op, ast.LShift)
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return power or shift or name in _MANY
