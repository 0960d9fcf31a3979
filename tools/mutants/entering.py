"""How a child comes to run a mutant: the code of its functions exchanged, or the whole library imported anew.

The parent has imported the library.  A change inside a function that nothing has called yet is made by giving every
function object of that code the changed code.  Any other change (a constant of a module, a default, a function that
runs at import, the reading of checks, a closure that would not fit) makes the child forget the library and import it
again, with the changed module compiled from the changed tree.
"""

import gc
import importlib
import importlib.abc
import importlib.machinery
import pkgutil
import sys
import types

from tools import ROOT
from tools.mutants.drawing import PACKAGES, equal, original

CHECKS = "_theory_"  # how the packages of loaded checks begin: they hold classes of the library as it was
READERS = ("theorytools/claims/papers/",)  # what the parent has run to list the claims


class Hook(importlib.abc.MetaPathFinder):
    """Import one module from other code than its file's; the file, and what is read of it, stay."""

    def __init__(self, name, code):
        self.name, self.code = name, code

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        spec, code = importlib.machinery.PathFinder.find_spec(name, path, target), self.code

        class Loader(importlib.machinery.SourceFileLoader):
            def get_code(self, fullname):
                return code

        spec.loader = Loader(name, spec.origin)
        return spec


def modules():
    """Import every module of the packages that are mutated, and what ``verify`` needs beside them."""
    for room in (*PACKAGES, "cli"):
        package = importlib.import_module(f"theorytools.{room}")
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            importlib.import_module(module.name)


def run_at_import(say):
    """The work of a child: say which lines of the library run when it is imported."""
    from tools.mutants.reach import tracer

    trace = tracer()
    trace.start()
    modules()
    trace.stop()
    data = trace.get_data()
    say({file: sorted(data.lines(file) or ()) for file in data.measured_files()})


class Functions:
    """The function objects of the library in this process, by their code."""

    def __init__(self, imported):
        self.imported, self.found = {file: set(lines) for file, lines in imported.items()}, {}
        gc.unfreeze()  # what was frozen is not listed
        for thing in gc.get_objects():
            if type(thing) is types.FunctionType and thing.__code__.co_filename.startswith(str(ROOT)):
                self.found.setdefault(_key(thing.__code__), []).append(thing)

    def exchange(self, mutant, code):
        """Return (function, its changed code) for all functions that change, or None where that would not be enough."""
        if mutant.file.startswith(READERS) or mutant.module not in sys.modules:
            return None
        pairs = []
        for old, new in _changed(original(ROOT / mutant.file), code):
            functions = self.found.get(_key(old), []) if new is not None else []
            ran = self.imported.get(old.co_filename, set()) & (_lines(old) - {old.co_firstlineno})
            if not functions or ran or len(old.co_freevars) != len(new.co_freevars):
                return None
            pairs += [(function, new) for function in functions]
        return pairs


def enter(mutant, code, pairs):
    """Make this process run the mutant."""
    if pairs is None:
        beside = str(ROOT / "tests" / "support")
        for name, module in list(sys.modules.items()):
            if (
                name.partition(".")[0] == "theorytools"
                or name.startswith(CHECKS)
                or (getattr(module, "__file__", None) or "").startswith(beside)
            ):
                del sys.modules[name]
        sys.meta_path.insert(0, Hook(mutant.module, code))
        return
    for function, new in pairs:
        function.__code__ = new


def _key(code):
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _inner(code):
    return [part for part in code.co_consts if isinstance(part, types.CodeType)]


def _changed(old, new):
    """Yield the outermost functions that differ, (old, new); (old, None) where a body that runs at import does."""
    if not equal(_hollow(old), _hollow(new)) or len(_inner(old)) != len(_inner(new)):
        yield old, None
        return
    for a, b in zip(_inner(old), _inner(new), strict=True):
        if a.co_flags & 1:  # CO_OPTIMIZED: a function; a class body is not
            if not equal(a, b):
                yield a, b
        else:
            yield from _changed(a, b)


def _hollow(code):
    return code.replace(co_consts=tuple(p for p in code.co_consts if not isinstance(p, types.CodeType)))


def _lines(code):
    return {line for _, _, line in code.co_lines() if line}.union(*map(_lines, _inner(code)))
