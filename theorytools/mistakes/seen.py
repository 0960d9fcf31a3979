"""An error of a check as the rules see it, and what one of them says of it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

from theorytools.errors import CheckError, TheoryError
from theorytools.mistakes.source import Source

_PARTS = ("given", "required", "why", "try")
_LINE = re.compile(r"(?P<file>[\w.\-]+\.py), line (?P<line>\d+)")
_CLAIM = re.compile(r"claim (?:'[^']*'|\"[^\"]*\")(?: at [^:]*)?: ", re.DOTALL)
_RAISED = re.compile(r"(?P<kind>[A-Z]\w*(?:Error|Exception|Exit|Iteration)): (?P<text>.*)", re.DOTALL)
_LOADS = "a check file that loads and runs"  # what loading.py asks for where Python raised


def read_parts(text: str) -> dict[str, str]:
    """Return the four parts of the text of an error; a text that has none is what was given."""
    found, last = dict.fromkeys(_PARTS, ""), "given"
    for line in text.splitlines():
        name, colon, rest = line.partition(":")
        if colon and name in _PARTS and not found[name]:
            found[name], last = rest.strip(), name
        else:
            found[last] = f"{found[last]}\n{line}".strip()
    return found


@dataclass(frozen=True)
class Told:
    """What a rule says: where the mistake stands, what is wrong, and what to write.

    Parameters
    ----------
    at : the expression that is wrong, or its line.
    why : what it does.
    write : what to write in its place.
    required : what would have been accepted; what the error says, unless given.
    """

    at: Any
    why: str
    write: str
    required: str = ""


@dataclass(frozen=True)
class Seen:
    """An error with the file that it is about.

    Parameters
    ----------
    source : the file of checks, parsed.
    name : the name that the claim is bound to.
    given, required, why, advice : the four parts of the error.
    """

    source: Source
    name: str
    given: str
    required: str
    why: str
    advice: str

    @property
    def line(self) -> int | None:
        """The line that the error names, where it is one of this file."""
        found = _LINE.search(self.given)
        return int(found["line"]) if found and found["file"] == self.source.path.name else None

    @property
    def file(self) -> str:
        """The name of the file that the error names; empty where it names none."""
        found = _LINE.match(self.given)
        return found["file"] if found else ""

    @property
    def elsewhere(self) -> bool:
        """Whether the error names a line of another file."""
        return self.file not in ("", self.source.path.name)

    @property
    def kind(self) -> str:
        """The exception of Python that was raised; empty for a refusal of the library."""
        found = _RAISED.match(self.why)
        return found["kind"] if found else ""

    @property
    def text(self) -> str:
        """What that exception said, else what was given without the claim's label."""
        found = _RAISED.match(self.why)
        return found["text"] if found else _CLAIM.sub("", self.given, count=1)

    def field(self, part: str) -> ast.expr | None:
        """What the claim has for one of its parts."""
        return self.source.field(self.name, part)

    def place(self, at: Any) -> str:
        """Return ``lemma_1.py, line 9: code`` of an expression or a line."""
        number = at if isinstance(at, int) else at.lineno
        return f"{self.source.path.name}, line {number}: {_short(self.source.line(number))}"

    def said(self, told: Told) -> CheckError:
        """Return the error that says what a rule found."""
        required = told.required or ("" if self.required == _LOADS else self.required)
        return CheckError(self.place(told.at), required=required, why=told.why, advice=told.write)

    def located(self, at: Any) -> CheckError:
        """Return the same error with the line at which it stands."""
        place, text = self.place(at), self.text.removeprefix(f"{self.source.path.name}: ")
        given = place if place.replace(" ", "").endswith(text.replace(" ", "")) else f"{place}: {text}"
        return CheckError(given, required=self.required, why=self.why, advice=self.advice)

    def tidied(self) -> CheckError:
        """Return the same error with the code of its line cut where what is wrong with it begins."""
        code = self.source.line(self.line or 0)
        given = self.given.replace(f"{code}: ", f"{_short(code)}: ", 1) if code else self.given
        return CheckError(given, required=self.required, why=self.why, advice=self.advice)


def _short(code: str) -> str:
    """A line of code without the comma that ends it, or with the sign that it goes on."""
    return f"{code}…)" if code.endswith("(") else code.removesuffix(",")


def seen(source: Source, name: str, error: TheoryError) -> Seen:
    """Return an error as the rules see it."""
    return Seen(source, name, error.given, error.required, error.why, error.advice)
