"""The source keeps its measure: short functions, small records, clean for the linter and the type checker."""

import ast
import doctest
import importlib
import subprocess
import sys
import tomllib

import pytest
from source_tree import CHECKS, MODULES, ROOT, SOURCES, TOOLS, parsed


def test_functions_stay_short():
    """At most 40 lines without the docstring: what is longer holds a second thought that has a name."""
    long = []
    for path in [*SOURCES, *TOOLS]:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                if body and node.end_lineno - body[0].lineno + 1 > 40:
                    long.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert not long, "\n".join(long)


def tool(*command):
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff_finds_nothing_and_records_stay_small():
    tool("ruff", "check", "--quiet", ".")
    tool("ruff", "format", "--check", "--quiet", "theorytools", "tests", "tools")
    records = [path.stat().st_size for path in CHECKS.glob("*/records/**/*") if path.is_file()]
    assert all(size <= 1_000_000 for size in records)
    assert sum(records) <= 20_000_000


@pytest.mark.slow
def test_the_package_is_typed():
    """mypy on the whole package, strict; only rooms of arrays and torch modules may return Any (pyproject.toml)."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    assert settings["strict"] is True
    assert {"theorytools", "tools/bench", "tools/committed.py"} <= {*settings["files"]}
    eased = {m for o in settings["overrides"] if "warn_return_any" in o for m in o["module"]}
    assert not {"theorytools.numbers.*", "theorytools.claims.*"} & eased
    tool("mypy", "--no-error-summary")


def test_examples_in_docstrings_print_what_they_say():
    tried = 0
    tools = {path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."): path for path in TOOLS}
    for name, path in {**MODULES, **tools}.items():
        if ">>>" in path.read_text("utf-8"):
            result = doctest.testmod(importlib.import_module(name))
            assert result.failed == 0, name
            tried += result.attempted
    assert tried
