"""The rooms and their rules: who imports whom, what is banned, what stays light."""

import ast
import functools
import re
import subprocess
import sys
from collections import Counter

import pytest
from source_tree import MODULES, ROOT, SOURCES, TOOLS, parsed

HEAVY = ("numpy", "scipy", "sympy", "flint", "torch", "cvxpy", "matplotlib")

# each room may import from the rooms above it in this list, and from itself
ROOMS = [
    ["errors", "recheck", "recheck_objects"],  # the independent checkers import nothing of it, and nothing imports them
    ["installed_papers"],
    ["files", "interrupts", "meaning", "notebook", "optional", "places", "progress", "reporting.canvas", "salts"],
    ["shown"],
    ["content_cache", "closed_folder"],
    ["machine_key"],
    ["arguments"],
    ["numbers"],
    ["search"],
    ["claims.language"],
    ["claims.papers"],
    ["statistics", "tasks", "codes"],
    ["blocks"],
    ["constructions"],
    ["theory"],
    ["measures"],
    ["training"],
    ["claims"],
    ["certificates", "phase", "trained"],
    ["mistakes"],
    ["reporting"],
    ["questions"],  # as functions, and what a notebook shows of their answers
    ["drawings"],  # what the shared constructions draw of themselves
    ["cli", "pytest_plugin"],
    ["__main__"],
    ["papers.qstr"],  # the mathematics of one paper: nothing else imports it, nor does another paper
    ["papers.sep"],
    ["papers.stsq"],
    ["papers"],
]


def imported(tree):
    """The modules that a file imports or requires, inside functions too: (name, line, at the top of the module)."""
    top = {id(part) for node in tree.body for part in (node, getattr(node, "value", None))}
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "require" and node.args:
            names = [ast.literal_eval(node.args[0])]
        for name in names:
            yield name, node.lineno, id(node) in top


def room(name):
    """The room of a module of the package, and how high it lies; the package itself is None.

    A room within a room, such as the language of claims, may lie lower than the rest.
    """
    inner = name.removeprefix("theorytools").strip(".")
    for level, rooms in enumerate(ROOMS):
        for prefix in rooms:
            if inner == prefix or inner.startswith(prefix + "."):
                return prefix, level
    return None


# -- imports -------------------------------------------------------------------------------------------------------
def test_imports_go_downwards_only_between_rooms_that_are_listed():
    assert [name for name in MODULES if name != "theorytools" and room(name) is None] == []
    # the package itself, the flat public surface, loads everything by name and late
    assert [
        w for name, path in MODULES.items() if name != "theorytools" for w in wrong_imports(name, parsed(path))
    ] == []
    found = {target for target, _, _ in imported(parsed(MODULES["theorytools"])) if target in MODULES}
    assert found == set()


def wrong_imports(name, tree):
    """Imports of one module that do not go downwards; relative ones hide where they go."""
    here, level = room(name)
    wrong = [f"{name}:{n.lineno} relative" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.level]
    for target, line, _ in imported(tree):
        if target in MODULES:
            there = room(target)
            across = there is not None and there[0] != here and there[0].startswith("papers.")
            if there is None or across or (there[0] != here and there[1] >= level):
                wrong.append(f"{name}:{line} imports {target}")
    return wrong


@pytest.mark.parametrize(
    "line",
    ["from theorytools.claims.judging.judge import judge", "import theorytools.cli.app",
     "from theorytools import Claim",
     "from theorytools.constructions import attention", "from .symbol import letter", "from . import symbol",
     "from theorytools.reporting import text"],
)  # fmt: skip
def test_an_import_upwards_is_found_in_functions_too(line):
    for text in (line, f"def f():\n    {line}", f"if TYPE_CHECKING:\n    {line}"):
        assert len(wrong_imports("theorytools.claims.language.bound", ast.parse(text))) >= 1
    down = ast.parse("from theorytools.errors import DomainError")
    assert wrong_imports("theorytools.claims.language.bound", down) == []


def test_neither_another_paper_nor_a_shared_room_imports_a_paper():
    line = ast.parse("def f():\n    from theorytools.papers.qstr.memory import packing")
    for name in ("papers.sep.memory.query_first", "papers.stsq", "theory.memory.fano", "reporting.site", "cli.app"):
        assert wrong_imports(f"theorytools.{name}", line) != [], name
    assert wrong_imports("theorytools.papers.qstr.memory.packing_sets", line) == []


def naming(paths, *words):
    """The files whose text has one of the words: only these are worth a parse."""
    pattern = re.compile(rf"\b({'|'.join(words)})\b")
    return [path for path in paths if pattern.search(path.read_text(encoding="utf-8"))]


@functools.cache
def imported_by(path):
    return tuple(imported(parsed(path)))


def imports_of(*tops):
    for path in naming(SOURCES, *tops):
        for target, line, at_top in imported_by(path):
            if target.split(".")[0] in tops:
                yield path.relative_to(ROOT).as_posix(), line, at_top


TORCH = r"theorytools/(training|constructions/torch|papers/\w+/(torch|training))/|checks/\w+/\w+/_"


def test_neither_the_library_nor_a_check_imports_what_is_not_installed():
    """The tools and the tests are no part of the wheel."""
    assert [f"{path}:{line}" for path, line, _ in imports_of("tools", "tests", *SUPPORT)] == []
    assert {"checkfolders", "source_tree"} <= {*SUPPORT}


def test_libraries_are_imported_where_they_are_meant():
    found = {path for path, _, _ in imports_of("flint")}
    assert found
    assert [path for path in found if not path.startswith("theorytools/numbers/")] == []
    # In the training room, what stands beside a statement or a sweep, torch modules of networks, or in functions.
    wrong = [
        f"{path}:{line}"
        for path, line, at_top in imports_of("torch")
        if at_top
        and not re.match(
            r"theorytools/(training|constructions/torch|papers/\w+/(torch|training))/|checks/\w+/\w+/_", path
        )
    ]
    assert not wrong, "\n".join(wrong)
    assert [f"{path}:{line}" for path, line, top in imports_of("cvxpy", "matplotlib", "scipy") if top] == []


def test_the_torch_side_imports_the_networks_and_never_the_other_way():
    """A network names what makes its module as a text, ``constructions/twin.py``; what runs modules may import them."""
    torch_side = re.compile(r"theorytools\.(constructions|papers\.\w+)\.torch\b")
    runs_modules = ("theorytools.trained.", "theorytools.training.")
    wrong = [
        f"{name}:{line} imports {target}"
        for name, path in MODULES.items()
        if not torch_side.match(name) and not name.startswith(runs_modules)
        for target, line, _ in imported(parsed(path))
        if torch_side.match(target)
    ]
    assert wrong == []


SUPPORT = tuple(path.stem for path in sorted((ROOT / "tests" / "support").glob("*.py")))
BANNED = {"iv": "mpmath.iv does not enclose exp"} | dict.fromkeys(
    ("seed", "manual_seed", "set_state"), "global random state"
)
GLOBAL_STATE = ("np.random", "numpy.random", "random", "torch")


def test_nothing_banned_is_used():
    wrong = []
    for path in naming([*SOURCES, *TOOLS, *sorted((ROOT / "tests").rglob("*.py"))], *BANNED):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Attribute) and (node.attr == "iv" or node.attr in BANNED):
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


def test_importing_the_package_or_asking_for_help_loads_nothing_heavy():
    packages = {name for name, path in MODULES.items() if path.name == "__init__.py"}
    rooms = sorted(packages - {"theorytools.numbers"})  # the room of enclosures is heavy by itself
    assert loaded_after("\n".join(f"import {name}" for name in rooms)) == "[]"
    code = "from theorytools.cli import main\nsys.argv = ['theorytools', '--help']\n"
    code += "try:\n    main()\nexcept SystemExit:\n    pass"
    assert loaded_after(code) == "[]"


# -- circles -------------------------------------------------------------------------------------------------------
def graph_of(trees):
    """Who imports whom among these modules: at the top, in functions, and among types under ``if TYPE_CHECKING``.

    What two files need for their annotations alone they need of each other all the same: whoever reads one reads both.
    """
    graph = {}
    for name, tree in trees.items():
        found = {target for target, *_ in imported(tree)} & trees.keys()
        # `from package import module` reads the package only where the module is not named
        graph[name] = {t for t in found if not any(other.startswith(f"{t}.") for other in found)}
    return graph


def circles(graph):
    """The modules that reach themselves: what is left when those that import nothing left are taken away again."""
    left = dict(graph)
    for side in range(2):  # first what imports nothing left, then what nothing left imports
        while True:
            ends = {n for n in left if not left[n] & left.keys()} if side == 0 else {
                n for n in left if not any(n in targets for targets in left.values())
            }  # fmt: skip
            if not ends:
                break
            left = {name: targets for name, targets in left.items() if name not in ends}
    return sorted(left)


def test_no_module_imports_itself_at_once_or_by_way_of_others():
    assert circles(graph_of({name: parsed(path) for name, path in MODULES.items()})) == []


def test_a_circle_is_found_in_functions_among_types_and_of_one_module():
    def found(second):
        texts = {"a": "import b", "b": second, "c": "import a", "d": "import c"}
        return circles(graph_of({name: ast.parse(text) for name, text in texts.items()}))

    for text in ("import a", "from a import g"):
        for place in (text, f"def f():\n    {text}", f"if TYPE_CHECKING:\n    {text}"):
            assert found(place) == ["a", "b"]
    assert found("import b") == found("from b import f") == ["b"]
    assert found("import e") == []
    assert circles(graph_of({"p": ast.parse(""), "p.b": ast.parse("from p import b as own")})) == ["p.b"]


def test_no_two_test_files_have_one_name():
    """The folders of tests are no packages: of two files of one name only the first could be imported."""
    names = Counter(
        path.name
        for path in ROOT.glob("tests/**/*.py")
        if path.name not in ("conftest.py", "__init__.py", "__main__.py")
    )
    assert [name for name, count in names.items() if count > 1] == []
