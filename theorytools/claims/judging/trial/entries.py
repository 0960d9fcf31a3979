"""Doubles that enter exact numbers: what makes of a proved row an observed one.

A double that was made by rounding and becomes a ``Fraction``, an ``Enclosure`` or an integer carries its rounding into
arithmetic that says it has none.  Drawn signs, halves and counts do not: a double that is an integer, or that has at
most half of its bits set from the first to the last, is taken to be meant as it stands.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from theorytools.claims.judging.trial.rewritten import Own, Rewriter, call
from theorytools.claims.judging.trial.variants import Numbers, Trial
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.grid import Point
from theorytools.numbers import enclosure
from theorytools.places import paper_folder

RATIONALS = (Fraction, Fraction.from_float, sympy.Rational, sympy.Integer)
INTEGER = "an integer"  # what a double becomes by one of these
INTEGERS = (int, round, math.floor, math.ceil, math.trunc)
_watching: list[Entries] = []


def rounded(value: Any) -> bool:
    """Whether a number is a float that was made by rounding: no integer, and more than half of its bits are used.

    An integer beyond the last one that every float of its kind can hold is judged by its bits, too.

    Examples
    --------
    >>> rounded(0.1), rounded(0.5), rounded(3.0), rounded(1e300), rounded(7)
    (True, False, False, True, False)
    """
    if not isinstance(value, float | np.floating) or not math.isfinite(value):
        return False
    mantissa = 53 if isinstance(value, float) else np.finfo(type(value)).nmant + 1
    top, bottom = map(int, value.as_integer_ratio())
    if bottom == 1 and abs(top) < 2**mantissa:
        return False
    odd = abs(top) >> ((top & -top).bit_length() - 1)
    return odd.bit_length() > mantissa // 2


@dataclass
class Entries:
    """The doubles that entered while a point was measured: where, and what they became."""

    folder: Path
    shift: int = 0  # what is added to every integer that a rounded double becomes, to see what depends on it
    constructing: bool = False
    found: dict[str, str] = field(default_factory=dict)

    def note(self, value: Any, file: str, line: int, became: str) -> None:
        """Note a value that enters at a line, where it is a double made by rounding."""
        if rounded(value):
            self.found.setdefault(f"{file}, line {line}", became)

    def enclosed(self, value: Any) -> None:
        """Note a value of which an enclosure is made, where code of the paper's folder does it."""
        frame = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__") == enclosure.__name__:
            frame = frame.f_back  # type: ignore[assignment]
        if frame is not None and Path(frame.f_code.co_filename).is_relative_to(self.folder):
            self.note(value, Path(frame.f_code.co_filename).name, frame.f_lineno, "an Enclosure")


@contextmanager
def watched(folder: Path, shift: int) -> Iterator[Entries]:
    """Note what enters within this block."""
    entries = Entries(folder, shift)
    _watching.append(entries)
    enclosure.ENTERING.append(entries.enclosed)
    try:
        yield entries
    finally:
        enclosure.ENTERING.remove(entries.enclosed)
        _watching.remove(entries)


def entering(function: Callable[..., Any], file: str, line: int) -> Callable[..., Any]:
    """Return a constructor of exact numbers that notes the doubles it is given.

    A double that becomes an integer while the object is built is a size of it; what is measured has that size.
    """
    whole = function in INTEGERS

    def noted(*arguments: Any, **named: Any) -> Any:
        made = function(*arguments, **named)
        if not _watching or (whole and (_watching[-1].constructing or len(arguments) > 1)):
            return made
        for value in arguments:
            _watching[-1].note(value, file, line, INTEGER if whole else "a Fraction")
        return made + _watching[-1].shift if whole and any(map(rounded, arguments)) else made

    return noted


class Entering(Rewriter):
    """The check with every constructor of exact numbers replaced by one that notes what enters."""

    imports = f"from {__name__} import {entering.__name__} as _entering"

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Wrap the constructor, or the one that is handed to ``map``."""
        self.generic_visit(node)
        if self._exact(node.func):
            node.func = self._wrapped(node.func)
        elif self.own.meant(node.func) is map and node.args and self._exact(node.args[0]):
            node.args[0] = self._wrapped(node.args[0])
        return node

    def _exact(self, node: ast.AST) -> bool:
        return self.own.means(node, (*RATIONALS, *INTEGERS))

    def _wrapped(self, node: ast.expr) -> ast.expr:
        place = (ast.Constant(self.own.names["__name__"].rpartition(".")[2] + ".py"), ast.Constant(node.lineno))
        return call("_entering", node, *place, at=node)


@lru_cache(maxsize=1)
def _noting(trial: Trial, own: Own) -> Claim:
    return trial.variant(Entering(own)) or trial.claim


def entered(trial: Trial, own: Own, point: Point, shift: int = 0) -> tuple[Entries, Numbers]:
    """Return what enters while the claim's own object is measured at a point, and the numbers that come out.

    Parameters
    ----------
    shift : what is added to an integer that was made of a rounded double.
    """
    claim = _noting(trial, own)
    construct = claim.construct
    with watched(paper_folder(trial.entry.path.resolve()), shift) as entries:

        def building(p: Point) -> Any:
            entries.constructing = True
            try:
                return construct(p)
            finally:
                entries.constructing = False

        return entries, trial.numbers(replace(claim, construct=building), point)
