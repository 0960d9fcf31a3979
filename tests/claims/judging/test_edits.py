"""What is judged again after an edit: whatever may have come out otherwise, and little else.

A small library and its checks are written, run, edited in one place and run again: where a result is another one, the
digest must be; and each edit names all checks that it may touch.
"""

import importlib
import os
import sys

import pytest

from theorytools.claims.judging import inputs, packages, reached
from theorytools.claims.judging.inputs import ImportTable, inputs_digest
from theorytools.claims.papers.loading import load_module
from theorytools.claims.papers.syntax import Entry

LIBRARY = {
    "__init__.py": '''
"""The library."""
from importlib import import_module

_LATER = {"lazy": "late", "idle": "late", "moved": "late"}


def __getattr__(name):
    if name in _LATER:
        return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    raise AttributeError(name)
''',
    "base.py": '''
"""The base."""
import sys
from functools import cache
from math import ceil as up, floor as down
from typing import TYPE_CHECKING

from toylib.registry import register

if TYPE_CHECKING:
    from toylib.late import Alias

LIMIT = 3
UNUSED = 4
TABLE = {"a": 1}
for _k in (1, 2):
    TABLE[_k] = 2 * _k


def helper(x: int, y: int = LIMIT) -> int:
    """A helper.

    With more to say.
    """
    # a comment
    return deep(x) + y


def deep(x):
    return x * LIMIT + down(x / 2)


def unused(x):
    return x - UNUSED


def tabled(key):
    return TABLE[key]


class Base:
    """A base.

    With more to say.
    """

    factor = 2

    def method(self):
        """A method."""
        return self.factor * self.inner()

    def inner(self):
        return 5


class Child(Base):
    unit = 1

    def method(self):
        return super().method() + self.unit


@cache
def kept(x):
    return x + 1


@register
def plugin():
    return 11


def aliased(x: "Alias"):
    return aliased.__annotations__["x"], x


def computed(name):
    return getattr(sys.modules[__name__], name)


def named(name):
    return globals()[name]
''',
    "registry.py": """
FOUND = []


def register(function):
    FOUND.append(function)
    return function


def plugins():
    return [function() for function in FOUND]
""",
    "late.py": """
from toylib.base import deep as shallow

Alias = int


def lazy():
    return hidden() + 1


def idle():
    return 0


def moved():
    return 4


def hidden():
    from toylib.inner.far import far

    return far(shallow(2))
""",
    "other.py": "def moved():\n    return 5\n",
    "inner/__init__.py": '"""Inner."""\n',
    "inner/far.py": "STEP = 1\n\n\ndef far(x):\n    return x + STEP\n\n\ndef near(x):\n    return x - STEP\n",
    "stars.py": "from toylib.inner.far import *\n\n\ndef both(x):\n    return far(near(x))\n",
    "reporting/__init__.py": "",
    "reporting/show.py": "def shown(x):\n    return str(x)\n",
}
CHECKS = {
    "notation.py": "N = 2\nM = 3\n",
    "_own.py": "from toylib.base import kept\n\nEDGE = 1\nSPARE = 9\n\n\ndef own(x):\n    return kept(x) + EDGE\n",
    "helper.py": '"""Of a helper."""\nfrom toylib.base import helper\nfrom .notation import N\n\nresult = helper(N)\n',
    "classes.py": "import toylib.base as base\n\nresult = base.Child().method()\n",
    "lazily.py": "from toylib import lazy\n\nresult = lazy()\n",
    "moved.py": "from toylib import moved\n\nresult = moved()\n",
    "registered.py": "import toylib.base\nfrom toylib.registry import plugins\n\nresult = plugins()\n",
    "shared.py": "from ._own import own\n\ngrid = dict(M=[1])\nresult = own(1), grid\n",
    "tables.py": "from toylib.base import aliased, tabled\n\nresult = tabled(1), aliased(1)\n",
    "anything.py": 'from toylib.base import computed\n\nresult = computed("dee" + "p")(1)\n',
    "importing.py": "from importlib import import_module\n\nresult = import_module('toylib.' + 'inner.far').far(1)\n",
    "starred.py": "from toylib.stars import both\n\nresult = both(1)\n",
}
NAMES = [name.removesuffix(".py") for name in CHECKS if name not in ("notation.py", "_own.py")]
ALL, ANY = set(NAMES), {"anything", "importing"}


class Trial:
    """The library and its checks in a folder, as they stand."""

    def __init__(self, folder):
        self.folder = folder
        self.base = folder / "toylib"
        for place, files in ((self.base, LIBRARY), (folder / "checks" / "toy", CHECKS)):
            for name, text in files.items():
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                (place / name).write_text(text, encoding="utf-8")
        self.toml = folder / "checks" / "toy" / "paper.toml"
        self.toml.write_text('[paper]\nkey = "toy"\n', encoding="utf-8")

    def path(self, file):
        checks = file in CHECKS or file == "paper.toml"
        return (self.folder / "checks" / "toy" if checks else self.base) / file

    def digests(self):
        reached.lazy_names.cache_clear()
        table = ImportTable()
        paths = {name: self.path(f"{name}.py") for name in NAMES}
        entries = {name: Entry(f"toy.{name}", "toy", name, "claim", name, path) for name, path in paths.items()}
        return {name: inputs_digest(entry, table, record=False) for name, entry in entries.items()}

    def results(self):
        found = {}
        for name in NAMES:
            for module in [m for m in sys.modules if m.split(".")[0] == "toylib" or m.startswith("_theory_")]:
                del sys.modules[module]
            importlib.invalidate_caches()
            found[name] = repr(load_module(self.path(f"{name}.py")).result)
        return found


@pytest.fixture
def trial(tmp_path, monkeypatch):
    for module in (reached, inputs):
        monkeypatch.setattr(module, "PACKAGE", tmp_path / "toylib")
    monkeypatch.setattr(reached, "LIBRARY", "toylib")
    monkeypatch.setattr(packages, "COUNTED", {*packages.COUNTED, "toylib"})
    monkeypatch.setattr(reached, "FOLLOWED", {"__init__.py": "a table"})
    monkeypatch.setattr(inputs, "ENGINE", ())
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)
    before = dict(sys.modules)
    yield Trial(tmp_path)
    for name in [name for name in sys.modules if name not in before]:
        del sys.modules[name]
    sys.modules.update(before)
    reached.lazy_names.cache_clear()


# file, what is replaced, by what, and the checks that are judged again
EDITS = {
    "body of a helper": ("base.py", "deep(x) + y", "deep(x) - y", ANY | {"helper"}),
    "helper of a helper": ("base.py", "x * LIMIT", "x + LIMIT", ANY | {"helper", "lazily"}),
    "default": ("base.py", "y: int = LIMIT", "y: int = 8", ANY | {"helper"}),
    "annotation": ("base.py", "x: int,", "x: float,", ANY | {"helper"}),
    "constant": ("base.py", "LIMIT = 3", "LIMIT = 30", ANY | {"helper", "lazily"}),
    "constant that nobody uses": ("base.py", "UNUSED = 4", "UNUSED = 40", ANY),
    "function that nobody uses": ("base.py", "x - UNUSED", "x + UNUSED", ANY),
    "new function": ("base.py", "def unused(x):", "def new(x):\n    return x\n\n\ndef unused(x):", ANY),
    "imported under another name": (
        "base.py",
        "ceil as up, floor as down",
        "ceil as down, floor as up",
        ANY | {"helper", "lazily"},
    ),
    "class attribute": ("base.py", "factor = 2", "factor = 20", ANY | {"classes"}),
    "class attribute of a child": ("base.py", "unit = 1", "unit = 10", ANY | {"classes"}),
    "method of a base": ("base.py", "return 5", "return 50", ANY | {"classes"}),
    "decorator": ("base.py", "@cache\n", "@cache\n@cache\n", ANY | {"shared"}),
    "decorated function": ("base.py", "return x + 1\n", "return x + 10\n", ANY | {"shared"}),
    "what registers itself": ("base.py", "return 11", "return 110", ALL - {"starred"}),
    "loop of a file": ("base.py", "2 * _k", "3 * _k", ALL - {"starred"}),
    "item of a table": ("base.py", '{"a": 1}', '{"a": 10, 5: 1}', ALL - {"starred"}),
    "type alias": ("late.py", "Alias = int", "Alias = str", ANY | {"tables"}),
    "comment": ("base.py", "# a comment", "# another comment", set()),
    "layout": ("base.py", "return deep(x) + y", "return (\n        deep(x)\n        + y\n    )", set()),
    "docstring of a function": ("base.py", '"""A helper.', '"""Another helper.', set()),
    "docstring of a module": ("base.py", '"""The base."""', '"""Another base."""', set()),
    "docstring of a method": ("base.py", '"""A method."""', '"""Another method."""', set()),
    "first line of a class": ("base.py", '"""A base.', '"""Another base.', ANY | {"classes"}),
    "rest of a class's docstring": (
        "base.py",
        '    With more to say.\n    """\n\n    factor',
        '    """\n\n    factor',
        set(),
    ),
    "lazy import": ("inner/far.py", "x + STEP", "x + 2 * STEP", ANY | {"lazily", "starred"}),
    "beside a lazy import": ("inner/far.py", "x - STEP", "x - 2 * STEP", ANY | {"starred"}),
    "constant behind a lazy import": ("inner/far.py", "STEP = 1", "STEP = 2", ANY | {"lazily", "starred"}),
    "what a table leaves out": ("late.py", "return 0", "return 10", ANY),
    "a table's other name": ("__init__.py", '"idle": "late"', '"idle": "other"', ANY),
    "a table's name": ("__init__.py", '"moved": "late"', '"moved": "other"', ANY | {"moved"}),
    "an import inside a function": ("late.py", "import far\n", "import near as far\n", ANY | {"lazily"}),
    "a re-exported name": (
        "late.py",
        "deep as shallow",
        "unused as shallow",
        ANY | {"lazily"},
    ),
    "reporting": ("reporting/show.py", "str(x)", "repr(x)", set()),
    "a letter": ("notation.py", "N = 2", "N = 20", {"helper"}),
    "a letter of an axis": ("notation.py", "M = 3", "M = 30", {"shared"}),
    "a new letter": ("notation.py", "M = 3\n", "M = 3\nK = 4\n", set()),
    "a file of checks": ("_own.py", "EDGE = 1", "EDGE = 10", {"shared"}),
    "its spare constant": ("_own.py", "SPARE = 9", "SPARE = 90", set()),
    "a check": ("helper.py", "helper(N)", "helper(2 * N)", {"helper"}),
    "a comment in a check": ("helper.py", "result =", "# a comment\nresult =", set()),
    "what a check says of itself": ("helper.py", "Of a helper", "Of another helper", {"helper"}),
    "a grid": ("shared.py", "M=[1]", "M=[1, 2]", {"shared"}),
    "the paper": ("paper.toml", 'key = "toy"', 'key = "toy"\ntitle = "Toys"', ALL),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_judges_again_what_it_may_change_and_no_more(trial, name):
    file, old, new, expected = EDITS[name]
    path = trial.path(file)
    text = path.read_text(encoding="utf-8")
    assert text.count(old) >= 1
    digests, results = trial.digests(), trial.results()
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    os.utime(path, ns=(1, 1))
    again, now = trial.digests(), trial.results()
    differ = {check for check in NAMES if results[check] != now[check]}
    judged = {check for check in NAMES if digests[check] != again[check]}
    assert differ <= judged
    assert judged == expected
