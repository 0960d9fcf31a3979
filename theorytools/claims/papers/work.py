"""What judging one point of a claim takes: ``checks/<paper>/work.toml``, formulas in the claim's letters.

A size that nobody has time or memory for is refused before anything is made, with the work it would take::

    [operations]  # of the construction, the measurement and the controls; 10^8 of them are about a second
    "qstr.lemma_11" = "4e6 + 20*N**2*q"

    [bytes]  # held at once; left out where memory is no question
    "qstr.lemma_11" = "8*N**2"

A formula has the letters of the claim, numbers, ``+ - * / **``, brackets, and ``log2``, ``sqrt``, ``ceil``, ``min``,
``max``, ``comb``.  Those of the library's checks are fitted to the times of the grid's points: beyond them they are
extrapolations.  The limit is in operations and bytes, never in seconds of a clock, so that every machine refuses the
same points; whoever wants to wait raises it by ``THEORYTOOLS_OPERATIONS`` in the environment.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from theorytools.arguments.amounts import duration, memory
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.grid import Point
from theorytools.claims.papers.syntax import Entry
from theorytools.claims.papers.toml_files import read_toml
from theorytools.claims.papers.work_formula import Formula
from theorytools.errors import BudgetError, CheckError, DomainError

FILE = "work.toml"
RATE = 10**8  # operations a second, of a common core: what "about 4 h" is reckoned with
OPERATIONS = 5 * RATE  # at the points of one value that a user asks for
BYTES = 4 * 10**9
SWITCH = "THEORYTOOLS_OPERATIONS"  # in the environment: the operations of a point, by who wants to wait
_PARTS = ("operations", "bytes")


@dataclass(frozen=True)
class Work:
    """What a claim declares of the work of a point.

    Parameters
    ----------
    operations, bytes : formulas; the bytes are those held at once.
    most : the operations that one point may take.
    held : the bytes that it may take.
    """

    operations: Formula
    bytes: Formula = field(default_factory=lambda: Formula("0"))
    most: float = OPERATIONS
    held: float = BYTES

    def at(self, point: Point) -> tuple[float, float]:
        """Return the operations and the bytes that a point takes."""
        return self.operations(point.axes), self.bytes(point.axes)

    @property
    def letters(self) -> frozenset[str]:
        """The letters of both formulas."""
        return self.operations.letters | self.bytes.letters

    def admit(self, point: Point) -> None:
        """Refuse a point that takes more operations or more bytes than one may.

        Raises
        ------
        BudgetError : with what it would take, and the largest value of a letter that may be judged.
        """
        if self.fits(point):
            return
        operations, held = self.at(point)
        largest = self._largest(point)
        limit = f"{duration(self.most / RATE)} and {memory(self.held)} at a point"
        raise BudgetError(
            f"{point} takes {duration(operations / RATE)}{f', {memory(held)}' if held >= BYTES / 1000 else ''}",
            required=f"{largest} ({limit})" if largest else limit,
            why=f"{operations:.1e} operations, of which a second has 10^8",
            advice=f"a smaller size, or {SWITCH}={1.1 * operations:.1e} in the environment to wait for it",
        )  # fmt: skip

    def fits(self, point: Point) -> bool:
        """Return whether a point takes no more operations and bytes than one may."""
        operations, held = self.at(point)
        return operations <= self.most and held <= self.held

    def _largest(self, point: Point) -> str:
        """The largest value of one letter with which the point would fit, of the letters the largest first."""
        sizes = {name: x for name, x in point.axes.items() if name in self.letters and isinstance(x, int) and x > 1}
        for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
            low, high = 0, sizes[name]  # the first fits or none does, the second does not fit
            while high - low > 1:
                middle = (low + high) // 2
                moved = replace(point, axes={**point.axes, name: middle})
                low, high = (middle, high) if self.fits(moved) else (low, middle)
            if low:
                return f"at most {name} = {low}"
        return ""


def declared(entry: Entry, claim: Claim, *, share: float = 1.0) -> list[Work]:
    """Return what is declared of the work of a claim, nothing where nothing is, with the limit of each point.

    A point that takes no more than the dearest one of the claim's own grid is always judged.

    Parameters
    ----------
    entry, claim : the claim.
    share : the part of all operations that one point may take, where one value is judged at several points.

    Raises
    ------
    CheckError : a file that cannot be read, or a formula with a letter that is no number of the claim's axes.
    DomainError : the environment's limit is no number.
    """
    work = read_work(entry.folder).get(entry.id)
    if work is None:
        return []
    numbers = [name for name, value in claim.grid[0].items() if not isinstance(value, str)]
    if unknown := sorted(work.letters - set(numbers)):
        raise CheckError(
            f"{entry.folder / FILE}: {entry.id} = {work.operations.text!r} with {', '.join(unknown)}",
            required=f"axes of the claim that are numbers: {', '.join(numbers)}",
            why="the work of a point is known before anything is made of it",
        )
    if SWITCH in os.environ:
        return [replace(work, most=_allowed(), held=math.inf)]
    grid = [work.at(claim.point(axes, entry.id)) for axes in claim.grid]
    dearest, largest = (max(parts) for parts in zip(*grid, strict=True))
    return [replace(work, most=max(share * OPERATIONS, dearest), held=max(BYTES, largest))]


def _allowed() -> float:
    """The operations of a point that whoever started Python allows; memory then tells by itself that it is full."""
    text = os.environ[SWITCH]
    try:
        allowed = float(text)
    except ValueError:
        allowed = math.nan
    if not allowed >= 0:
        raise DomainError(f"{SWITCH}={text} in the environment", required="a number of operations",
                          why="a point that takes more is not judged", advice=f"{SWITCH}=1e12")  # fmt: skip
    return allowed


def read_work(folder: Path) -> dict[str, Work]:
    """Return the declarations of a paper's folder by the claim's id; none where it has no such file.

    Raises
    ------
    CheckError : a file that cannot be read, or a declaration that is not one of a claim of the paper.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        data = read_toml(path)[1]
        operations, held = ({id: Formula(text) for id, text in data.pop(part, {}).items()} for part in _PARTS)
        if data or not held.keys() <= operations.keys() or not all(_own(folder, id) for id in operations):
            raise ValueError("operations of claims of this paper, the bytes of some of them, and nothing else")
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise CheckError(
            f"{path}: {error}", required="tables [operations] and [bytes] of formulas by the ids of claims",
            why="a size is refused by the work it takes", advice='"p.lemma_1" = "20*N**2" below [operations]',
        ) from error  # fmt: skip
    return {id: Work(formula, held.get(id, Formula("0"))) for id, formula in operations.items()}


def _own(folder: Path, id: str) -> bool:
    return id.startswith(f"{folder.name}.")
