"""The wheel: built from the source, unpacked into an environment of its own, and used from an empty folder."""

import json
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import util
from pathlib import Path

import pytest
from checkfolders import write
from hatchling.builders.wheel import WheelBuilder
from source_tree import ROOT

from hatch_build import build
from theorytools.claims.judging.record import write_record
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.papers.catalogue import Catalogue

SOURCES = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "theorytools", "checks", "tools")
NEEDED = ("flint", "hypothesis", "jinja2", "math_core", "numpy", "pytest", "rich", "sympy", "typer")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel of this tree, with one more paper whose slow claim has a record."""
    source = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.compiled"))
        else:
            shutil.copy(ROOT / name, source)
    (entry,) = Catalogue(write(source, "slow")).select(["tiny.slow"])
    write_record(entry, judge_entry(entry).to_json())
    return Path(next(WheelBuilder(str(source)).build(directory=str(source / "dist"))))


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """The interpreter of an environment that holds the wheel and sees the heavy packages through a path."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, symlinks=True, with_pip=False)
    (packages,) = home.glob("lib/python*/site-packages") if sys.platform != "win32" else [home / "Lib/site-packages"]
    zipfile.ZipFile(wheel).extractall(packages)
    folders = {str(Path(util.find_spec(name).origin).parents[1]) for name in NEEDED}
    # a line in a .pth file is a folder and no more: the .pth files in it, such as an editable install's, do not count
    (packages / "heavy.pth").write_text("\n".join(sorted(folders)), encoding="utf-8")
    return home / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def ran(python, folder, *arguments):
    done = subprocess.run([python, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_wheel_holds_what_runs_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in ("py.typed", "cli/template.txt", "reporting/templates/page.html.j2", "_checks/qstr/paper.toml",
                 "_checks/qstr/lemma_11/lemma_11.py", "_checks/tiny/records/tiny.slow.json"):  # fmt: skip
        assert f"theorytools/{name}" in names
    tops = {name.split("/")[0] for name in names}
    assert tops == {"theorytools", next(top for top in tops if top.endswith(".dist-info"))}
    (entries,) = (name for name in names if name.endswith("entry_points.txt"))
    text = zipfile.ZipFile(wheel).read(entries).decode()
    assert "theorytools = theorytools.cli:main" in text
    assert "theorytools = theorytools.pytest_plugin" in text


@pytest.mark.slow
def test_without_a_compiler_the_wheel_is_for_any_platform_and_with_one_it_holds_the_loops(wheel, tmp_path, monkeypatch):
    held = "theorytools/codes/_pairs.compiled" in zipfile.ZipFile(wheel).namelist()
    assert held == build(ROOT, tmp_path / "pairs.so") == (not wheel.name.endswith("py3-none-any.whl"))
    monkeypatch.setenv("CC", "/bin/false")
    source = wheel.parents[1]
    plain = Path(next(WheelBuilder(str(source)).build(directory=str(tmp_path / "dist"), versions=["standard"])))
    assert plain.name.endswith("py3-none-any.whl")
    assert not [name for name in zipfile.ZipFile(plain).namelist() if name.endswith(".compiled")]
    assert not list(source.glob("theorytools/codes/*.compiled"))  # a wheel leaves nothing in the tree


@pytest.mark.slow
def test_a_check_runs_from_an_empty_folder(python, tmp_path):
    where = ran(python, tmp_path, "-c", "import theorytools; print(theorytools.__file__)").strip()
    assert Path(where).is_relative_to(python.parent.parent)
    bundled = Path(where).parent / "_checks"
    listed = ran(python, tmp_path, "-m", "theorytools", "list")
    assert str(bundled) in listed
    assert "qstr.lemma_11" in listed
    answer = json.loads(ran(python, tmp_path, "-m", "theorytools", "verify", "qstr.lemma_11", "tiny.slow", "--json"))
    lemma, slow = answer["verdicts"]
    assert (lemma["outcome"], lemma["evidence"]) == ("HOLDS", "EXACT")
    assert slow["outcome"] == "HOLDS"
    assert "record of" in slow["reason"]  # the record came along
    assert (tmp_path / "site" / "index.html").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.slow
def test_the_plugin_comes_with_the_wheel(python, tmp_path):
    write(tmp_path, "holds", paper="mine")
    assert "1 passed" in ran(python, tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider")


PROGRAM = '''"""A stranger's check and certificate, typed."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sympy import Expr

from theorytools import (
    BlockAttention, Budget, Catalogue, Claim, Control, DomainError, Enclosure, Outcome, Quantity, Verdict, certify,
    enclosed, exactly, falsify, grid, hadamard, letter, verify, write_report,
)
from theorytools.papers.qstr import StationaryMember

N: Expr = letter("N", "number of items", integer=True, positive=True)
size = Quantity("size", "|x|", "number of distinct items", (0, None))


def construct(p: Any, extra: int = 0) -> list[int]:
    return list(range(p.N + extra))


def measure(items: list[int], p: Any) -> Mapping[Quantity, Any]:
    return {size: len(set(items))}


claim = Claim(
    "Lemma 1", asserts=[size <= N], requires=[N >= 2], grid=grid(N=[2, 3]), construct=construct, measure=measure,
    role="statement", scope={"every N": "points"}, source="derived here: Lemma 1", budget=Budget(),
    controls=[Control("one item more", breaks=size, construct=lambda p: construct(p, 1))],
)
verdict: Verdict = verify("qstr.lemma_11", N=8, q=1)
outcome: Outcome = verdict.outcome
shares = [(str(row.measured), row.relation) for row in verdict.rows]
half = exactly(Fraction(1, 2))
root = enclosed(lambda: Enclosure(2).sqrt())
codes = hadamard(4)
network, member = BlockAttention, StationaryMember
ids = [entry.id for entry in Catalogue("checks").entries]


def bounded(module: Any) -> str:
    try:
        return str(certify(module, direction=[1.0], codes=codes.matrix()))
    except DomainError as error:
        return error.given


reveal_type(verdict)
reveal_type(outcome)
reveal_type(codes)
reveal_type(BlockAttention)
reveal_type(StationaryMember)
reveal_type(verify)
reveal_type(certify)
reveal_type(falsify)
reveal_type(write_report)
'''


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_stranger_s_project_is_checked_by_mypy_against_the_types_of_the_wheel(python, tmp_path):
    """Strictly: a name that a stub has and no module, or a part without types, is an error or Any there."""
    pytest.importorskip("mypy")
    (tmp_path / "mine.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nstrict = true\n[mypy-sympy.*]\nignore_missing_imports = true\n", encoding="utf-8"
    )
    words = ["--python-executable", str(python), "--cache-dir", str(tmp_path / "cache"), "mine.py"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    revealed = [line.partition('Revealed type is "')[2] for line in done.stdout.splitlines() if "Revealed" in line]
    assert len(revealed) == 9
    assert not [kind for kind in revealed if kind.startswith("Any") or "builtins.object" in kind]
    assert revealed[0].startswith("theorytools.")


@pytest.mark.slow
def test_the_stubs_name_what_is_there(python, tmp_path):
    """Of every front the names of its stub are those at run time, in the wheel as it is installed."""
    code = """
import ast, importlib, pathlib, theorytools
home = pathlib.Path(theorytools.__file__).parent
for stub in [home / "__init__.pyi", *home.glob("papers/*/__init__.pyi")]:
    name = ".".join(stub.parent.relative_to(home.parent).parts)
    front = importlib.import_module(name)
    nodes = ast.parse(stub.read_text("utf-8")).body
    told = {alias.asname for node in nodes if isinstance(node, ast.ImportFrom) and node.level for alias in node.names}
    print(name, sorted(told ^ set(front.__all__)), [one for one in front.__all__ if not hasattr(front, one)])
"""
    lines = ran(python, tmp_path, "-c", code).splitlines()
    assert len(lines) >= 4
    assert [line for line in lines if not line.endswith("[] []")] == []
