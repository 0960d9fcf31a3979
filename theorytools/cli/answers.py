"""What a program is told: one JSON object on standard output, of a named schema, and nothing beside it.

With ``--json`` the whole command runs while file descriptor 1 leads to standard error, so that no check, solver or
library can write beside the answer, in whatever language it is written; the answer is kept until the command has ended
and then written at once.  A command that fails, or is interrupted, gives an error object and no part of an answer.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import typer

from theorytools.cli.formats import INFRASTRUCTURE, INTERRUPTED, USAGE
from theorytools.errors import DomainError, FolderError, TheoryError
from theorytools.interrupts import came
from theorytools.mistakes.door import unlisted
from theorytools.optional import missing
from theorytools.progress import talking
from theorytools.shown import HIDDEN

VERSION = 1
FILE = Path(__file__).resolve().parents[1] / "reporting" / "answers.schema.json"
PARTS = ("given", "required", "why", "try")
_INTERRUPTED = dict(zip(PARTS, (
    "a run that was interrupted", "a run to its end", "half an answer would pass for a whole one",
    "the same command again: verdicts that were decided are kept in the report's folder, where there is one",
), strict=True))  # fmt: skip
_HELD: list[list[str]] = []
# of typer's own copy of click where it has one, else of click
_Usage = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def answer(name: str, data: Mapping[str, Any], code: int = 0) -> None:
    """Print an answer of the schema ``theorytools.<name>/1`` with the command's exit code.

    Where a program asked it is held until the command ends.
    """
    said = {"schema": f"theorytools.{name}/{VERSION}", "exit": code, **data}
    text = _shown(json.dumps(said, ensure_ascii=False, allow_nan=False))
    if _HELD:
        _HELD[-1].append(text)
    else:
        print(text)


def asked(words: Sequence[str]) -> bool:
    """Whether the words of a command ask for JSON; who asks for help gets text."""
    own = list(words[: words.index("--")]) if "--" in words else list(words)
    if {"-h", "--help", "--version"}.intersection(own):
        return False
    pairs = itertools.pairwise(own)
    return "--json" in own or "--format=json" in own or ("--format", "json") in pairs


def parts_of(error: TheoryError) -> dict[str, str]:
    """Return the four parts of an error, empty where it does not say them."""
    return dict(zip(PARTS, (error.given, error.required, error.why, error.advice), strict=True))


def failure(error: BaseException) -> tuple[int, str, dict[str, str]] | None:
    """Return exit code, text for people and the four parts of an error that a user can mend; None for any other."""
    if isinstance(error, ModuleNotFoundError):
        error = missing(error) or error
    if isinstance(error, TheoryError):
        from theorytools.cli.claims_asked import explained
        from theorytools.reporting.messages import readable

        error = explained(unlisted(error) if error.given.startswith("the id ") else error, sys.argv[1:])
        code = USAGE if isinstance(error, DomainError) and not isinstance(error, FolderError) else INFRASTRUCTURE
        return code, readable(str(error)), parts_of(error)
    if isinstance(error, _Usage):
        words = " ".join(str(error.format_message()).split())  # type: ignore[attr-defined]
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "theorytools"
        parts = {"given": words, "required": "a command and options as its help lists them",
                 "why": "the words of the command cannot be read", "try": f"{path} --help"}  # fmt: skip
        return USAGE, str(TheoryError(words, required=parts["required"], why=parts["why"], advice=parts["try"])), parts
    return None


def told(run: Callable[..., Any]) -> tuple[int, str]:
    """Run the command line for a program; return the exit code, and what is to be written to standard output."""
    with talking(), _held() as lines:
        code, error = _ended(run)
    if error is not None:
        lines = [error_text(code, error)]
    return code, _encodable("".join(f"{line}\n" for line in lines))


@contextlib.contextmanager
def _held() -> Iterator[list[str]]:
    _HELD.append([])
    try:
        yield _HELD[-1]
    finally:
        _HELD.pop()


def _ended(run: Callable[..., Any]) -> tuple[int, dict[str, str] | None]:
    """The exit code of a command, and the parts of its error, which standard error is told for people."""
    try:
        code = run(prog_name="theorytools", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except SystemExit as end:
        code = end.code
    except Exception as error:
        if came():  # what a library made of it
            return INTERRUPTED, dict(_INTERRUPTED)
        said = failure(error)
        if said is None:
            crashed()
            return INFRASTRUCTURE, _crash(error)
        sys.stderr.write(f"{said[1]}\n")
        return said[0], said[2]
    if code == INTERRUPTED or came():
        return INTERRUPTED, dict(_INTERRUPTED)
    return code if isinstance(code, int) else 0, None


def error_text(code: int, parts: Mapping[str, str]) -> str:
    """Return the error object as JSON."""
    said = {"schema": f"theorytools.error/{VERSION}", "exit": code, "error": dict(parts)}
    return _shown(json.dumps(said, ensure_ascii=False))


def _shown(text: str) -> str:
    """JSON whose control characters are escapes of JSON, so that a program reads them and a terminal shows them."""
    return HIDDEN.sub(lambda sign: json.dumps(sign[0])[1:-1], text)


def interruption() -> str:
    """Return the error object of a command that was interrupted."""
    return error_text(INTERRUPTED, _INTERRUPTED)


def _crash(error: Exception) -> dict[str, str]:
    said = f"{type(error).__name__}: {error}".splitlines()[0]
    return dict(zip(PARTS, (said, "a command that ends", "a fault of theorytools, or of what it runs on",
                            "the traceback on standard error says where; please report it"), strict=True))  # fmt: skip


def crashed() -> None:
    """Write the traceback of the error that is being handled to standard error."""
    import traceback

    traceback.print_exc()


def _encodable(text: str) -> str:
    """The text, with signs that standard output's encoding lacks written as JSON escapes: never as other signs."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return "".join(sign if ord(sign) < 128 else json.dumps(sign)[1:-1] for sign in text)
    return text


@cache
def schemas() -> dict[str, Any]:
    """Return the schema file of all answers."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def schema_command(name: str) -> int:
    """Print the schema of one answer, of all, or of a verdict; return 0.

    Raises
    ------
    DomainError : a command that has no answer.
    """
    from theorytools.cli.formats import among

    whole = schemas()
    if name == "verdict":
        whole = json.loads(FILE.with_name("verdict.schema.json").read_text(encoding="utf-8"))
    elif name:
        among("schema", name, [*whole["$defs"]["answers"], "verdict"], "what has a schema")
        whole = {**whole, "$ref": f"#/$defs/answers/{name}"}
        del whole["oneOf"]
    print(json.dumps(whole, ensure_ascii=False, indent=1))
    return 0
