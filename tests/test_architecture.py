"""The rooms and their rules: who imports whom, what stays light, what is documented, what is listed."""

import ast
import doctest
import functools
import importlib
import inspect
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from theorytools import Catalogue
from theorytools.claims.catalogue import read_entries

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, CHECKS = ROOT / "theorytools", ROOT / "checks"
MODULES = {path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."): path for path in PACKAGE.rglob("*.py")}
MODULES = {name.removesuffix(".__init__"): path for name, path in sorted(MODULES.items())}
SOURCES = [*MODULES.values(), *sorted(CHECKS.rglob("*.py"))]
HEAVY = ("numpy", "scipy", "sympy", "flint", "torch", "cvxpy", "matplotlib")

# each room may import from the rooms above it in this list, and from itself
ROOMS = [
    ["errors", "_lazy"],
    ["files", "progress"],
    ["algebra.rigorous"],
    ["algebra"],
    ["tasks", "codes"],
    ["constructions"],
    ["bounds"],
    ["quantities"],
    ["training"],
    ["claims"],
    ["reporting"],
    ["cli", "pytest_plugin"],
    ["__main__"],
]


@functools.cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported(tree):
    """The modules that a file imports, inside functions too: (name, line, at the top of the module)."""
    top = set(map(id, tree.body))
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            yield name, node.lineno, id(node) in top


def room(name):
    """The room of a module of the package, and how high it lies; the package itself is None."""
    inner = name.removeprefix("theorytools").strip(".")
    for level, rooms in enumerate(ROOMS):
        for prefix in rooms:
            if inner == prefix or inner.startswith(prefix + "."):
                return prefix, level
    return None


# -- imports -------------------------------------------------------------------------------------------------------
def test_every_module_lies_in_a_room():
    assert [name for name in MODULES if name != "theorytools" and room(name) is None] == []


def wrong_imports(name, tree):
    """Imports of one module that do not go downwards; relative ones hide where they go."""
    here, level = room(name)
    wrong = [f"{name}:{n.lineno} relative" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.level]
    for target, line, _ in imported(tree):
        if target in MODULES:
            there = room(target)
            if there is None or (there[0] != here and there[1] >= level):
                wrong.append(f"{name}:{line} imports {target}")
    return wrong


def test_imports_go_downwards_only():
    # the package itself, the flat public surface, loads everything by name and late
    assert [
        w for name, path in MODULES.items() if name != "theorytools" for w in wrong_imports(name, parsed(path))
    ] == []


@pytest.mark.parametrize(
    "line",
    ["from theorytools.claims.claim import Claim", "import theorytools.cli.app", "from theorytools import Claim",
     "from theorytools.constructions import leakage", "from .symbol import letter", "from . import symbol",
     "from theorytools.reporting import text"],
)  # fmt: skip
def test_an_import_upwards_is_found_in_functions_too(line):
    for text in (line, f"def f():\n    {line}", f"if TYPE_CHECKING:\n    {line}"):
        assert len(wrong_imports("theorytools.algebra.bound", ast.parse(text))) >= 1
    assert wrong_imports("theorytools.algebra.bound", ast.parse("from theorytools.errors import DomainError")) == []


def test_the_package_itself_imports_only_its_table_of_names():
    found = {target for target, _, _ in imported(parsed(MODULES["theorytools"])) if target in MODULES}
    assert found == {"theorytools._lazy"}


def imports_of(*tops):
    for path in SOURCES:
        for target, line, at_top in imported(parsed(path)):
            if target.split(".")[0] in tops:
                yield path.relative_to(ROOT).as_posix(), line, at_top


def test_python_flint_is_touched_in_one_package():
    found = {path for path, _, _ in imports_of("flint")}
    assert found
    assert [path for path in found if not path.startswith("theorytools/algebra/rigorous/")] == []


def test_torch_is_imported_where_it_is_meant():
    """In the training room, in modules that say so, or inside functions."""
    wrong = [
        f"{path}:{line}" for path, line, at_top in imports_of("torch")
        if at_top and not path.startswith("theorytools/training/") and not Path(path).name.startswith("torch_")
    ]  # fmt: skip
    assert not wrong, "\n".join(wrong)


def test_slow_libraries_are_imported_inside_functions():
    assert [f"{path}:{line}" for path, line, top in imports_of("cvxpy", "matplotlib", "scipy") if top] == []


BANNED = {"iv": "mpmath.iv does not enclose exp"} | dict.fromkeys(
    ("seed", "manual_seed", "set_state"), "global random state"
)
GLOBAL_STATE = ("np.random", "numpy.random", "random", "torch")


def test_nothing_banned_is_used():
    wrong = []
    for path in [*SOURCES, *sorted((ROOT / "tests").rglob("*.py"))]:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Attribute):
                owner = ast.unparse(node.value)
                if (node.attr == "iv" and owner == "mpmath") or (node.attr in BANNED and owner in GLOBAL_STATE):
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {owner}.{node.attr}")
            if isinstance(node, ast.ImportFrom) and node.module == "mpmath" and "iv" in [a.name for a in node.names]:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: mpmath.iv")
    assert not wrong, "\n".join(wrong)


# -- what stays light ------------------------------------------------------------------------------------------------
def loaded_after(code):
    program = f"import sys\n{code}\nprint([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


def test_importing_the_package_and_its_rooms_loads_nothing_heavy():
    packages = {name for name, path in MODULES.items() if path.name == "__init__.py"}
    rooms = sorted(packages - {"theorytools.algebra.rigorous"})  # the room of enclosures is heavy by itself
    assert loaded_after("\n".join(f"import {name}" for name in rooms)) == "[]"


def test_help_loads_nothing_heavy():
    code = "from theorytools.cli import main\nsys.argv = ['theorytools', '--help']\n"
    code += "try:\n    main()\nexcept SystemExit:\n    pass"
    assert loaded_after(code) == "[]"


# -- public names ------------------------------------------------------------------------------------------------------
LAZY = [name for name, path in MODULES.items() if path.name == "__init__.py" and "attach(" in path.read_text("utf-8")]


def names_of(name):
    package = importlib.import_module(name)
    return [public for public in package.__all__ if not public.startswith("__")]


@pytest.mark.parametrize("name", LAZY)
def test_public_names_resolve_and_are_documented(name):
    package = importlib.import_module(name)
    assert names_of(name) == sorted(set(names_of(name)))
    assert sorted(set(dir(package)) & set(names_of(name))) == names_of(name)
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = package.no_such_name
    for public in names_of(name):
        value = getattr(package, public)
        if callable(value):
            documented = inspect.getdoc(value)
            assert documented, f"{name}.{public} has no docstring"
            assert not documented.startswith(f"{value.__name__}("), f"{name}.{public} has a generated docstring"


@pytest.mark.parametrize("name", LAZY)
def test_type_checkers_see_the_names_that_are_loaded_late(name):
    path = MODULES[name].with_suffix(".pyi")
    assert path.is_file(), f"{name} has no __init__.pyi"
    listed = {alias.asname for node in parsed(path).body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert listed == set(names_of(name))
    for node in parsed(path).body:
        if isinstance(node, ast.ImportFrom):
            assert all(hasattr(importlib.import_module(node.module), alias.name) for alias in node.names)


# -- sizes -----------------------------------------------------------------------------------------------------------
def test_modules_and_functions_stay_short():
    """At most 250 lines for a module, 40 for a function without its docstring."""
    long = [f"{p.relative_to(ROOT)}: {n}" for p in SOURCES if (n := len(p.read_text("utf-8").splitlines())) > 250]
    for path in SOURCES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                if body and node.end_lineno - body[0].lineno + 1 > 40:
                    long.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert not long, "\n".join(long)


def test_records_stay_small():
    records = [path.stat().st_size for path in CHECKS.glob("*/records/**/*") if path.is_file()]
    assert all(size <= 1_000_000 for size in records)
    assert sum(records) <= 20_000_000


# -- statements --------------------------------------------------------------------------------------------------------
# arXiv 2503.11272v1, every numbered statement
NUMBERED = {
    "theorem": [1, 4, 6, 7, 9, 10],
    "definition": [2, 5],
    "proposition": [3, 8, 17, 21, 26, 28, 35],
    "lemma": [*range(11, 17), 18, 20, *range(22, 26), 29, 30, 32, 34, *range(36, 43)],
    "corollary": [19, 27, 31, 33],
    "assumption": [1, 2, 3],
    "figure": [1, 2, 3],
}


def test_every_numbered_statement_of_the_paper_is_listed():
    together = sorted(n for kind, numbers in NUMBERED.items() if kind not in ("assumption", "figure") for n in numbers)
    assert together == list(range(1, 43))  # the paper numbers its statements in one sequence
    listed = {statement.id for statement in Catalogue(CHECKS).paper("qstr").statements}
    wanted = {f"{kind}_{number:02d}" for kind, numbers in NUMBERED.items() for number in numbers}
    assert wanted - listed == set()


def test_a_statement_has_a_check_or_a_reason_and_not_both():
    wrong = [
        f"{paper['key']}.{s['id']}: claims {s['claims']}, open = {s['open']!r}"
        for paper in Catalogue(CHECKS).index() for s in paper["statements"] if bool(s["claims"]) == bool(s["open"])
    ]  # fmt: skip
    assert not wrong, "\n".join(wrong)


def test_statements_are_listed_once():
    for paper in Catalogue(CHECKS).papers:
        assert [id for id, count in Counter(s.id for s in paper.statements).items() if count > 1] == []
    names = [n for p in Catalogue(CHECKS).papers for s in p.statements for n in {f"{p.key}.{s.id}", *s.aliases}]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_every_check_belongs_to_a_statement_and_has_one_id():
    catalogue = Catalogue(CHECKS)
    ids = [entry.id for entry in catalogue.entries]
    assert len(set(ids)) == len(ids)
    homeless = [e.id for e in catalogue.entries if catalogue.paper(e.paper).statement_of(e.stem) is None]
    assert homeless == []


def test_every_file_of_a_paper_is_a_check_or_its_notation_or_private():
    files = [path for path in CHECKS.glob("*/*.py") if path.name != "notation.py" and path.name[0] != "_"]
    found = [path.relative_to(ROOT).as_posix() for path in files]
    assert [name for name in found if not read_entries(ROOT / name)] == []


def test_a_letter_of_a_notation_is_made_once():
    for file in CHECKS.glob("*/notation.py"):
        made = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.Assign)]
        names = [target.id for node in made for target in node.targets]
        assert [name for name in set(names) if names.count(name) > 1] == [], file


# -- tools -------------------------------------------------------------------------------------------------------------
def tool(*command):
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff_finds_nothing():
    tool("ruff", "check", "--quiet", ".")
    tool("ruff", "format", "--check", "--quiet", "theorytools", "tests")


def test_the_core_is_typed():
    """mypy --strict on algebra and claims, as pyproject.toml says."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    assert settings["strict"] is True
    assert settings["files"] == ["theorytools/algebra", "theorytools/claims"]
    tool("mypy", "--no-error-summary")


def test_examples_in_docstrings_print_what_they_say():
    tried = 0
    for name, path in MODULES.items():
        if ">>>" in path.read_text("utf-8"):
            result = doctest.testmod(importlib.import_module(name))
            assert result.failed == 0, name
            tried += result.attempted
    assert tried


def test_a_public_name_is_the_object_even_where_its_module_of_the_same_name_came_first():
    code = (
        "import theorytools.codes.mixture, theorytools.codes as codes, types; "
        "assert not isinstance(codes.mixture, types.ModuleType); "
        "from theorytools.codes import mixture; mixture.__call__"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
