"""Public names: they resolve, are documented, and are known to type checkers."""

import ast
import importlib
import inspect
import re

import pytest
from source_tree import MODULES, parsed

import theorytools

LAZY = ["theorytools"]


def names_of(name):
    package = importlib.import_module(name)
    return [public for public in package.__all__ if not public.startswith("__")]


@pytest.mark.parametrize("name", LAZY)
def test_public_names_resolve_are_documented_and_seen_by_type_checkers(name):
    package = importlib.import_module(name)
    assert names_of(name) == sorted(set(names_of(name)))
    assert sorted(set(dir(package)) & set(names_of(name))) == names_of(name)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = package.no_such_name
    for public in names_of(name):
        value = getattr(package, public)
        if callable(value):
            documented = inspect.getdoc(value)
            assert documented, f"{name}.{public} has no docstring"
            assert not documented.startswith(f"{value.__name__}("), f"{name}.{public} has a generated docstring"
    path = MODULES[name].with_suffix(".pyi")
    assert path.is_file(), f"{name} has no __init__.pyi"
    listed = {alias.asname for node in parsed(path).body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert listed == set(names_of(name))
    for node in parsed(path).body:
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(f".{node.module}", name)
            assert all(hasattr(module, alias.name) for alias in node.names)


def sections(function):
    """The sections of a docstring in numpydoc's form."""
    return set(re.findall(r"^(\w[\w ]*)\n-+$", inspect.getdoc(function), re.MULTILINE))


def test_public_functions_say_what_goes_in_and_what_comes_out():
    functions = [f for name in names_of("theorytools") if inspect.isfunction(f := getattr(theorytools, name))]
    assert len(functions) > 40
    lacking = {f.__name__: missing for f in functions if (missing := {"Parameters", "Returns"} - sections(f))}
    assert not lacking


def test_an_argument_outside_the_hypotheses_is_a_value_error_too():
    with pytest.raises(ValueError, match=r"no such id|did you mean"):
        theorytools.verify("qstr.no_such_statement")
