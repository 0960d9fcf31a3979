"""The definitions of a Python file, each with the digest of what it does and the names that it uses.

A definition is a statement at the top of a file: a function, a class as a whole, an assignment.  Comments, layout and
docstrings that no code reads are no part of it.  Statements that do anything else (a loop, a call whose value nobody
takes, an attribute that is set, a decorator that may register what it decorates) count whenever the file is loaded.
That the value of an assignment is computed without a trace elsewhere is assumed of calls of functions and classes, not
of methods of what the file itself defines (``TABLE.append(…)``).
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from theorytools.claims.papers.fingerprint import plain
from theorytools.claims.papers.syntax import statements

# decorators that return something for the name, and leave no trace elsewhere
PURE = {
    "at_most", "cache", "checked", "contextmanager", "dataclass", "final", "hookimpl", "kept_while_unchanged",
    "lru_cache", "no_grad", "overload", "ranks", "runtime_checkable", "total_ordering", "wraps",
}  # fmt: skip
# what reaches definitions by names that no syntax tree shows, as a name, and as a name or an attribute
DYNAMIC = {"__import__", "eval", "exec", "globals"}
ANYHOW = {"__init_subclass__", "__subclasses__", "import_module", "singledispatch", "singledispatchmethod"}
# a text that names a definition of the library, as constructions/twin.py takes it: an import that is made later
NAMED = re.compile(r"(theorytools(?:\.\w+)+):(\w+)")
Functions = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def without_words(tree: ast.Module) -> ast.Module:
    """Return the tree without docstrings; those that code reads are cut to their first paragraphs.

    Whoever is :func:`~theorytools.arguments.checked.checked` names itself by that paragraph when it refuses, and what a
    claim constructs is shown with the first line of its class's.
    """
    named: set[int] = set()  # what refuses by its docstring: classes and functions that are checked, and their methods
    for node in (tree, *statements(tree.body)):  # a definition is a statement: expressions hold none
        if isinstance(node, ast.ClassDef | Functions) and "checked" in map(_last, node.decorator_list):
            named |= {id(node), *map(id, node.body)}
        if isinstance(node, ast.Module | ast.ClassDef | Functions):
            doc = ast.get_docstring(node)
            if doc is not None:
                first = " ".join(doc.split("\n\n")[0].split())
                read = isinstance(node, ast.ClassDef) or id(node) in named
                node.body = [*([ast.Expr(ast.Constant(first))] if read else []), *node.body[1:]]
    return tree


def definitions(source: str) -> dict[str, Any]:
    """Return the definitions of a file as plain data.

    Parameters
    ----------
    source : its text.

    Returns
    -------
    dict
        ``parts``, each as digest, the names of the file that it uses, the words in it that might name a letter, the
        imports inside it as level, module and name, whether it reaches others by names that cannot be told, and
        whether it counts whenever the file is loaded;
        ``names``, by name the parts that bind it; ``bound``, by name the level, module and name that it is imported
        from, the last empty for a module; ``eager``, what is imported when the file is.

    Raises
    ------
    SyntaxError : a text that is no Python.
    """
    tree = without_words(ast.parse(source))
    outside = [list(_outside(node)) for node in tree.body]
    unloaded = {id(n) for node in tree.body if isinstance(node, ast.If) and _for_types(node) for n in ast.walk(node)}
    bound, eager = dict[str, list[Any]](), list[list[Any]]()
    for imports in (n for nodes in outside for n in nodes if isinstance(n, ast.Import | ast.ImportFrom)):
        bound |= dict(_bindings(imports))
        eager += [target for _, target in _bindings(imports) if id(imports) not in unloaded]
    parts = [(n, nodes) for n, nodes in zip(tree.body, outside, strict=True)
             if not isinstance(n, ast.Import | ast.ImportFrom)]  # fmt: skip
    names: dict[str, list[int]] = {}
    owns = [_bound_by(node, nodes) for node, nodes in parts]
    for k, own in enumerate(owns):
        for name in own:
            names.setdefault(name, []).append(k)
    known, before, found = {*names, *bound}, 0, list[list[Any]]()
    for (node, nodes), own in zip(parts, owns, strict=True):
        again = any(len(names[name]) > 1 for name in own) and not isinstance(node, Functions)
        always = again or _always(node, nodes, names)
        place = [before, [names[name].index(len(found)) for name in own]]  # what was done before it, and which it is
        digest = hashlib.sha256(f"{plain(node)} {place}".encode()).hexdigest()[:32]
        found.append([digest, *_read(node, known, bound), always])
        before += always
    return {"parts": found, "names": names, "bound": bound, "eager": _distinct(eager)}


def _read(node: ast.stmt, known: Container[str], bound: Container[str]) -> list[Any]:
    """The names of the file in a statement (``module.name`` where one is taken from what is imported), the words that
    might name a letter, its imports, and whether it is dynamic.
    """
    used, words, inside, dynamic, heads = set[str](), set[str](), list[list[Any]](), False, set[int]()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            dynamic |= part.id in DYNAMIC or part.id in ANYHOW
            if part.id in known and id(part) not in heads:
                used.add(part.id)
        elif isinstance(part, ast.Attribute):
            if isinstance(part.value, ast.Name):
                if part.value.id in bound:
                    heads.add(id(part.value))  # which comes later
                    used.add(f"{part.value.id}.{part.attr}")
                dynamic |= part.attr == "modules" and part.value.id == "sys"
            dynamic |= part.attr in ANYHOW
        elif isinstance(part, ast.Constant):
            if isinstance(part.value, str) and part.value.isidentifier():
                words.add(part.value)
            elif isinstance(part.value, str) and (named := NAMED.fullmatch(part.value)):
                inside.append([0, *named.groups()])
        elif isinstance(part, ast.keyword):
            words.add(part.arg or "")
        elif isinstance(part, ast.Import | ast.ImportFrom):
            inside += [target for _, target in _bindings(part)]
        elif isinstance(part, Functions | ast.arg | ast.AnnAssign):
            dynamic |= getattr(part, "name", "") in ANYHOW
            used.update(word for word in _annotation(part) if word in known)
    used.update(word for word in words if word in known)  # an annotation, or what getattr is asked for
    return [sorted(used), sorted(words - {""}), inside, dynamic]


def _annotation(node: ast.AST) -> Iterator[str]:
    """The words of texts in an annotation."""
    for note in (getattr(node, "annotation", None), getattr(node, "returns", None)):
        for part in ast.walk(note) if isinstance(note, ast.expr) else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield from re.findall(r"\w+", part.value)


def _distinct(rows: Iterable[list[Any]]) -> list[list[Any]]:
    return list({repr(row): row for row in rows}.values())


def _for_types(node: ast.If) -> bool:
    """Whether a block is read by type checkers only."""
    return _last(node.test) == "TYPE_CHECKING" and not node.orelse


def _bindings(node: ast.AST) -> Iterator[tuple[str, list[Any]]]:
    """The names that an import binds, each with level, module and name; the name is empty for a module."""
    for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, [node.level, node.module or "", alias.name]
        elif alias.asname:
            yield alias.asname, [0, alias.name, ""]
        else:
            yield alias.name.split(".")[0], [0, alias.name.split(".")[0], ""]
            if "." in alias.name:
                yield alias.name, [0, alias.name, ""]


def _bound_by(node: ast.stmt, outside: Iterable[ast.AST]) -> list[str]:
    """The names of the file that a statement binds, each once."""
    if isinstance(node, ast.ClassDef | Functions):
        return [node.name]
    stored = [n.id for n in outside if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    return list(dict.fromkeys([*stored, *(n.name for n in outside if isinstance(n, ast.ClassDef | Functions))]))


def _outside(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that run in the file's own scope when it is loaded."""
    yield node
    if not isinstance(node, SCOPES):
        for part in ast.iter_child_nodes(node):
            yield from _outside(part)


def _always(node: ast.stmt, outside: Sequence[ast.AST], own: Container[str]) -> bool:
    """Whether a statement may do more than to bind its names."""
    if isinstance(node, ast.ClassDef | Functions):
        return not {*map(_last, node.decorator_list)} <= PURE
    if isinstance(node, ast.If) and _for_types(node):
        return False
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return True
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    plain = all(isinstance(n, ast.Name | ast.Tuple | ast.expr_context) for t in targets for n in ast.walk(t))
    inner = (n for part in outside for n in (ast.walk(part) if isinstance(part, SCOPES) else [part]))
    traces = (n for n in inner if isinstance(n, ast.NamedExpr) or (isinstance(n, ast.Call) and _of_own(n.func, own)))
    return not plain or any(True for _ in traces)


def _of_own(called: ast.expr, own: Container[str]) -> bool:
    """Whether what is called is a method of what the file itself defines."""
    return isinstance(called, ast.Attribute) and _first(called) in own


def _last(node: ast.AST) -> str:
    """The last name of a decorator or of a test: ``cache`` of ``@functools.cache``, ``ranks`` of ``@ranks(X=2)``."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _first(node: ast.AST) -> str:
    """The name at which a chain of attributes, calls and items begins."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")
