"""What docstrings and comments name exists; a file has one header, and its constants stand on top."""

import ast
import functools
import io
import re
import sys
import tokenize

import pytest
from source_tree import MODULES, ROOT, SOURCES, parsed

OTHERS = [path for top in ("tests", "tools") for path in sorted((ROOT / top).rglob("*.py"))]
ROLE = re.compile(r":(?:func|class|meth|mod|data|attr|exc):`~?([^`]+)`")
DOTTED = re.compile(r"``(theorytools(?:\.\w+)+)``")
FILE = re.compile(r"``([\w./-]+\.py)``")
PATH = re.compile(r"(?<![\w./<>-])((?:[\w-]+/)+[\w-]+\.py)\b")
NAMED = MODULES | {path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"): path
                   for path in OTHERS if path.is_relative_to(ROOT / "tools")}  # fmt: skip
MADE_UP = ("mypaper", "folder/name.py")  # for which a reader puts names of his own
NAMING = re.compile(r"(What|Which|Who|How|Whether|Where|When)\b")
VERBS = ("is", "are", "was", "has", "have", "hold", "holds", "stand", "counts", "reads", "attain", "depend", "takes")
VERB = re.compile(rf"\b({'|'.join(VERBS)})\b")
BLOCK = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


# -- what there is -------------------------------------------------------------------------------------------------
def bound(body):
    """The names that statements bind at once, in branches and loops too."""
    names = set()
    for node in body:
        if isinstance(node, BLOCK):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        else:
            names |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            names |= bound([n for n in ast.walk(node) if isinstance(n, (*BLOCK, ast.Import, ast.ImportFrom))])
    return names


def attributes(tree):
    """What classes of a file have: methods, fields, and what they give themselves, by class."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            own = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
            found.setdefault(node.name, set()).update(bound(node.body) | own)
    return found


@functools.cache
def top_names(module):
    """The names of a module of the package; of a package that loads late those of its stub too."""
    path = NAMED[module]
    stub = path.with_suffix(".pyi")
    names = bound(parsed(path).body)
    return names | (bound(ast.parse(stub.read_text("utf-8")).body) if stub.is_file() else set())


def exists(target):
    """Whether a dotted name of the package is a module, a name in one, or an attribute of a class in one."""
    parts = target.split(".")
    module = next((".".join(parts[:k]) for k in range(len(parts), 0, -1) if ".".join(parts[:k]) in NAMED), None)
    rest = parts[len(module.split(".")) :] if module else []
    if not rest:
        return module is not None
    known = attributes(parsed(NAMED[module])).get(rest[0], set())
    return rest[0] in top_names(module) and (len(rest) == 1 or not known or rest[1] in known)


def meant(target, tree):
    """Whether a name that is no path of the package means something in its own file."""
    owner, _, attribute = target.rpartition(".")
    classes = attributes(tree)
    if owner in classes:
        return attribute in classes[owner]
    return target.split(".")[0] in bound(tree.body) or any(target in names for names in classes.values())


@functools.cache
def names_of_all():
    """Every module of the package, every name in one, every attribute of its classes, as dotted paths."""
    found = set(MODULES)
    for module in MODULES:
        owned = attributes(parsed(MODULES[module]))
        found |= {f"{module}.{name}" for name in top_names(module)}
        found |= {f"{module}.{owner}.{name}" for owner, names in owned.items() for name in names}
    return found


@functools.cache
def files():
    """Every file of the tree that may be named, by its own name."""
    found = {}
    for top in ("theorytools", "tests", "tools", "checks", "examples", "docs"):
        for path in (ROOT / top).rglob("*.py"):
            found.setdefault(path.name, []).append(f"/{path.relative_to(ROOT).as_posix()}")
    return found | {path.name: [f"/{path.name}"] for path in ROOT.glob("*.py")}


def is_file(named):
    """Whether a path, as far as it is written, is the end of that of a file."""
    return any(path.endswith(f"/{named}") for path in files().get(named.rpartition("/")[2], ()))


# -- what is named -------------------------------------------------------------------------------------------------
def docstrings(tree):
    nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, *BLOCK))]
    return [text for node in nodes if (text := ast.get_docstring(node, clean=False))]


def comments(text):
    return [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]


def dead(text):
    """The references of a source text to what does not exist."""
    tree, said = ast.parse(text), comments(text)
    texts = docstrings(tree)
    roles = [name.strip() for one in texts for name in ROLE.findall(one)]
    dotted = [name for one in [*texts, *said] for name in DOTTED.findall(one)]
    paths = [path for one in texts for path in FILE.findall(one)] + [path for one in said for path in PATH.findall(one)]
    wrong = [name for name in roles if not reached(name, tree)]
    wrong += [name for name in dotted if not exists(name)]
    return wrong + [p for p in paths if not is_file(p) and not any(word in p for word in MADE_UP)]


def reached(name, tree):
    """Whether a role leads anywhere; with a dot before it, it is the end of some path, as Sphinx has it."""
    if name.startswith("."):
        return any(known.endswith(name) for known in names_of_all())
    top = name.split(".")[0]
    return exists(name) if top in ("theorytools", "tools") else top in sys.stdlib_module_names or meant(name, tree)


def test_what_docstrings_and_comments_name_exists():
    wrong = []
    for path in [*SOURCES, *OTHERS]:
        text = path.read_text(encoding="utf-8")
        if path.name == "test_references.py" or not any(word in text for word in (":`", "``", ".py")):
            continue
        wrong += [f"{path.relative_to(ROOT)}: {name}" for name in dead(text)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "text",
    ['""":mod:`theorytools.numbers.gone`"""', '""":func:`theorytools.files.gone`"""', '""":class:`Gone`"""',
     '""":meth:`~theorytools.claims.language.claim.Claim.gone`"""', '"""``theorytools.numbers.gone``"""',
     '"""``gone.py``"""', '"""``judging/enclosure.py``"""', "x = 1  # as in numbers/gone.py",
     'def f():\n    """:func:`g`"""', '""":mod:`.gone.for_ever`"""', "# ``theorytools.claims.gone`` says why"],
)  # fmt: skip
def test_a_name_of_nothing_is_found(text):
    assert dead(text) != []


@pytest.mark.parametrize(
    "text",
    ['""":mod:`theorytools.numbers.enclosure`"""', '""":class:`~theorytools.Claim`"""', '"""``numbers/balls.py``"""',
     '""":meth:`~theorytools.claims.language.claim.Claim.point`"""', "x = 1  # as in numbers/balls.py", "# n/a",
     'def g(): ...\ndef f():\n    """:func:`g`"""', '""":mod:`.balls`"""', '"""``checks/mypaper/lemma.py``"""'],
)  # fmt: skip
def test_a_name_of_something_is_not(text):
    assert dead(text) == []


# -- one header, constants on top ----------------------------------------------------------------------------------
def headers(tree):
    """What in a module's docstring belongs to another file: a line that is no sentence, a second list of references.

    A sentence says something of the noun that the first line has named: it has a verb before a colon.  A line such as
    *Whether two positions share a code: then …* or *Rows of a code, in any order* names another noun.
    """
    _, *others = re.split(r"\n\s*\n", ast.get_docstring(tree) or "")
    lines = [one for one in others if "\n" not in one and one.endswith(".") and re.match(r"[A-Z`\"]", one)]
    found = [one for one in lines if NAMING.match(one) or not VERB.search(one.partition(": ")[0])]
    return found + [one for one in others if one.startswith("References\n---")][1:]


def low_constants(tree):
    """The constants below a file's first class that could stand above it: nothing defined there makes them."""
    first = next((node for node in tree.body if isinstance(node, ast.ClassDef)), None)
    made, low = set(), []
    for node in tree.body:
        if isinstance(node, BLOCK):
            made.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            used = {n.id for n in ast.walk(node.value or node) if isinstance(n, ast.Name)}
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if used & made or not isinstance(target, ast.Name | ast.Tuple):
                made |= bound([node])
            elif first is not None and node.lineno > first.lineno:
                low.append(f"{node.lineno} {ast.unparse(node)[:60]}")
    return low


def test_a_file_has_one_header():
    """A second one is the header of a second noun, which has a file of its own; what belongs to the first is joined."""
    wrong = [f"{name}: {text}" for name, path in MODULES.items() for text in headers(parsed(path))]
    assert not wrong, "\n".join(wrong)


def test_constants_stand_above_the_classes():
    """What a file takes for granted is read first; below a class stands only what that class, or a function, makes."""
    wrong = [f"{name}:{text}" for name, path in MODULES.items() for text in low_constants(parsed(path))]
    assert not wrong, "\n".join(wrong)


def test_a_second_header_and_a_low_constant_are_found():
    assert headers(ast.parse('"""Codes.\n\nRows of a code, in any order.\n"""')) == ["Rows of a code, in any order."]
    assert headers(ast.parse('"""Codes.\n\nWhether two are equal: a search.\n"""')) == [
        "Whether two are equal: a search."
    ]
    twice = "\n\nReferences\n----------\nA book.\n"
    assert len(headers(ast.parse(f'"""Codes.{twice}{twice}"""'))) == 1
    assert headers(ast.parse(f'"""Codes.{twice}"""')) == []
    assert headers(ast.parse('"""Codes.\n\nTheir entries are signs: exact ones.\n"""')) == []
    assert headers(ast.parse('"""Codes.\n\nRows of a code\nin any order.\n\n    x = 1\n"""')) == []
    low = "class A: ...\nX = 1"
    assert low_constants(ast.parse(low)) == ["2 X = 1"]
    for high in ("X = 1\nclass A: ...", "class A: ...\nX = A()", "class A: ...\nX = {'a': lambda: A()}\nY = X",
                 "def f(): ...\nX = 1\nclass A: ..."):  # fmt: skip
        assert low_constants(ast.parse(high)) == []
