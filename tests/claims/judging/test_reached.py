"""What runs is reached: every function that a claim runs is among the definitions that its digest covers."""

import ast
import functools
import importlib
import pkgutil
import sys
from pathlib import Path

import pytest
from shared_verdicts import entries

import theorytools
from theorytools.claims.judging.inputs import ImportTable, reached_by
from theorytools.claims.judging.reached import ABOVE, PACKAGE, place_of
from theorytools.claims.judging.run import _judged
from theorytools.claims.papers.loading import load

TABLE = ImportTable()
CHECKS = next(iter(entries().values())).root


def ran(entry):
    """Where the functions begin that judging a claim runs, by file; what runs when a module is loaded is left out."""
    found = set()

    def seen(frame, event, _):
        if event == "call":
            found.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    load(entry)
    sys.setprofile(seen)
    try:
        assert _judged("seconds", entry, {}, None)[1] == ""
    finally:
        sys.setprofile(None)
    return {(Path(file), line) for file, line in found if Path(file).is_relative_to(PACKAGE) or
            Path(file).is_relative_to(CHECKS)}  # fmt: skip


@functools.cache
def parts_of(path):
    """The first and last lines of the definitions of a file, among its statements that are no imports."""
    parts = [
        n for n in ast.parse(path.read_text(encoding="utf-8")).body if not isinstance(n, ast.Import | ast.ImportFrom)
    ]
    doc = isinstance(parts[0], ast.Expr) and isinstance(parts[0].value, ast.Constant)
    return [
        (min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))]), node.end_lineno)
        for node in parts[doc:]
    ]


def part_at(path, line):
    """The number of the definition at a line of a file; None for the file itself."""
    lines = parts_of(path)
    return next((number for number, (begins, ends) in enumerate(lines) if begins <= line <= ends), None)


def missed(entry):
    """The functions that a claim runs and does not reach."""
    lines = set(reached_by(entry, TABLE)[0])
    found = []
    for path, line in ran(entry):
        number = part_at(path, line)
        if number is not None:
            digest = TABLE.reached.file(path)["parts"][number][0]
            if f"{place_of(path)} {digest}" not in lines:
                found.append(f"{place_of(path)}:{line}")
    return sorted(found)


def everything_is_loaded():
    for module in pkgutil.walk_packages(theorytools.__path__, "theorytools."):
        parts = module.name.split(".")
        if parts[1] not in (*ABOVE, "pytest_plugin", "__main__", "_checks") and "__main__" not in parts:
            importlib.import_module(module.name)


@pytest.mark.slow
def test_what_claims_run_is_reached():
    everything_is_loaded()
    chosen = list(entries().values())[::40]
    assert {entry.id: gaps for entry in chosen if (gaps := missed(entry))} == {}
