"""Which tests are nearest to a changed function: those that name it, or what calls it, by how few others do.

Tests are not traced, which would take as long as all of them twice; a test is known by the names that it, its helpers
and its tables use, in its own file and in ``tests/support``.
"""

import ast
import functools
import itertools
import math
from collections import Counter

from tools import ROOT
from tools.mutants.drawing import PACKAGES

TESTS = ROOT / "tests"
APART = ("test_architecture", "test_docs", "test_docs_site", "test_examples", "test_fuzz", "test_gallery",
         "test_golden", "test_hash_seeds", "test_kills", "test_machines", "test_mutants", "test_mutations",
         "test_near_controls", "test_recheck", "test_error_of_the_run", "test_public_names", "test_source_style",
         "test_stranger", "test_wheel", "test_committed")  # fmt: skip
OWN, CALLER, BESIDE = 3.0, 2.0, 0.5  # what a name counts: of the function or class, of what calls it, of its module
FAR = 1.0  # and of what calls it from another module


def test_files():
    """The files whose tests are asked: not the slow programs, nor the rules of style and documents."""
    return [p for p in sorted(TESTS.rglob("test_*.py")) if p.stem not in APART]


def _uses(node):
    """The names that a piece of code uses; a keyword is the name of a field."""
    found = set()
    for part in ast.walk(node):
        found |= {part.id} if isinstance(part, ast.Name) else {part.attr} if isinstance(part, ast.Attribute) else set()
        found |= {part.arg} if isinstance(part, (ast.arg, ast.keyword)) and part.arg else set()  # a fixture too
    return found


@functools.cache
def _bindings(path):
    """What a file binds at its top, and what each uses; what it imports from ``tests/support`` is followed there."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = _uses(node)
        elif isinstance(node, ast.Assign):
            names = [part for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)]
            found |= {name.id: _uses(node.value) for name in names}
        elif isinstance(node, ast.ImportFrom) and (TESTS / "support" / f"{node.module}.py").is_file():
            other = _bindings(TESTS / "support" / f"{node.module}.py")
            found |= {a.asname or a.name: _closure(a.name, other) for a in node.names}
        elif isinstance(node, ast.ImportFrom):  # as names of the library
            found |= {a.asname: {a.name} for a in node.names if a.asname}
    return found


def _closure(name, bindings):
    seen, todo = {name}, [name]
    while todo:
        new = bindings.get(todo.pop(), set()) - seen
        seen |= new
        todo += new
    return seen


@functools.cache
def tests():
    """Every test: (node id, the names that it uses)."""
    found = []
    for path in test_files():
        bindings = _bindings(path)
        functions = [n for n in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(n, ast.FunctionDef)]
        slow = {node.name for node in functions if any("slow" in ast.dump(d) for d in node.decorator_list)}
        found += [(f"{path.relative_to(ROOT).as_posix()}::{name}", _closure(name, bindings))
                  for name in bindings if name.startswith("test_") and name not in slow]  # fmt: skip
    return found


@functools.cache
def _spread(listed):
    return Counter(name for _, names in listed() for name in names)


@functools.cache
def _library():
    """What every module of the library imports from which, and what its functions and classes use."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / "theorytools" / package).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
            taken = {(node.module, alias.name) for node in nodes for alias in node.names}
            found[path] = taken, {n.name: _uses(n) for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    return found


def _from_afar(module, names):
    """The functions and classes of other modules that use one of these names of a module."""
    above, _, last = module.rpartition(".")
    far = set()
    for taken, defined in _library().values():
        here = {name for name in names if (module, name) in taken} | ({*names} if (above, last) in taken else set())
        far |= {name for name, uses in defined.items() if here & uses}
    return far


@functools.cache
def wanted(mutant):
    """The names that a test of the mutant would use, each with its weight."""
    tree = ast.parse((ROOT / mutant.file).read_text(encoding="utf-8"))
    defined = {}  # name -> (class, what it uses)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            defined[node.name] = ("", _uses(node))
        elif isinstance(node, ast.ClassDef):
            inner = [n for n in node.body if isinstance(n, ast.FunctionDef)]
            defined |= {n.name: (node.name, _uses(n)) for n in inner}
            defined.setdefault(node.name, ("", set()))
    own = [part for part in mutant.function.split(".") if part in defined]
    around, todo = {}, list(own)
    while todo:  # what calls it, within the module
        at = todo.pop()
        for name, (holder, uses) in defined.items():
            if at in uses and name not in around and name not in own:
                around[name] = holder
                todo.append(name)
    near = {name for name in (*own, *around, *around.values()) if name}
    weights = {name: FAR for name in _from_afar(mutant.module, near) if not name.startswith("_")}
    weights |= {name: BESIDE for name in defined if not name.startswith("_")}
    for name, holder in around.items():
        weights |= {part: CALLER for part in (name, holder) if part and not part.startswith("_")}
    return weights | {name: OWN for name in own if not name.startswith("__")}


def nearest(mutant, most):
    """Return the node ids of the nearest tests, at most ``most``.

    In turn the next of those that use its names most, and the next of its own folder: of the file that uses the most of
    the library's module first.
    """
    weights, spread, every = wanted(mutant), _spread(tests), len(tests())
    parts, by_names, by_place = set(mutant.file.removesuffix(".py").split("/")[1:]), [], []
    for nodeid, names in tests():
        score = sum(weights[name] * math.log(every / spread[name]) for name in weights if name in names)
        place = parts & set(nodeid.split("::")[0].removesuffix(".py").replace("/test_", "/").split("/"))
        file = nodeid.split("::")[0]
        if score:
            by_names.append((-score - len(place), len(names), nodeid))
        if place:
            by_place.append((-len(place), _distance(mutant, file), -score, nodeid))
    turns = [[row[-1] for row in sorted(by_names)], [row[-1] for row in sorted(by_place)]]
    found = [test for pair in itertools.zip_longest(*turns) for test in pair if test]
    return list(dict.fromkeys(found))[:most]


@functools.cache
def _imported(file):
    """What a test file imports of the library, as (module, name)."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {(node.module, alias.name) for node in nodes for alias in node.names}


def _distance(mutant, file):
    """0 for a file that imports from the changed module, 1 for one that imports its names from elsewhere, else 2."""
    found = _imported(file)
    if any(module == mutant.module or f"{module}.{name}" == mutant.module for module, name in found):
        return 0
    return 1 if any(name in wanted(mutant) for _, name in found) else 2
