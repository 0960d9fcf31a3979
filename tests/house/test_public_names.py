"""Public names: they resolve, are documented, and are known to type checkers."""

import ast
import dataclasses
import doctest
import importlib
import inspect
import re
import textwrap
from enum import Enum

import pytest
from source_tree import FRONTS, MODULES, parsed

import theorytools
from theorytools import errors

LAZY = ["theorytools", "theorytools.measures", "theorytools.search.kinds", *FRONTS[1:]]


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


def sections(documented):
    """The sections of a docstring in numpydoc's form."""
    return set(re.findall(r"^(\w[\w ]*)\n-+$", inspect.getdoc(documented) or "", re.MULTILINE))


ERRORS = {name for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, errors.TheoryError)}
PUBLIC = {name: value for room in LAZY for name in names_of(room)
          if callable(value := getattr(importlib.import_module(room), name))}  # fmt: skip
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
CLASSES = {name: value for name, value in PUBLIC.items() if inspect.isclass(value) and name not in ERRORS}


def own_methods(kind):
    """The public functions that a class defines itself, properties included, without their wrappers."""
    for name, value in vars(kind).items():
        found = getattr(value, "__func__", None) or getattr(value, "fget", None) or getattr(value, "func", value)
        if not name.startswith("_") and inspect.isfunction(found):
            yield name, inspect.unwrap(found)


def documented():
    """Every public function, class and method with the functions whose bodies its docstring answers for."""
    for name, value in FUNCTIONS.items():
        yield name, value, [inspect.unwrap(value)]
    for name, kind in CLASSES.items():
        made = vars(kind).get("__post_init__" if dataclasses.is_dataclass(kind) else "__init__")
        yield name, kind, [inspect.unwrap(made)] if inspect.isfunction(made) else []
        for method, found in own_methods(kind):
            yield f"{name}.{method}", found, [found]


def is_protocol(kind):
    return vars(kind).get("_is_protocol", False)


def raised(function):
    """The errors of this package that a function's own body raises, by name."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    thrown = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc is not None]
    return {ast.unparse(getattr(error, "func", error)) for error in thrown} & ERRORS


def described(documented):
    """The arguments that stand under Parameters, ``a, b : text`` being two."""
    text = re.search(r"^Parameters\n-+\n((?:.|\n(?!\n\w[\w ]*\n-))*)", inspect.getdoc(documented) or "", re.MULTILINE)
    heads = re.findall(r"^(\w[\w, ]*?)(?: :.*)?$", text[1] if text else "", re.MULTILINE)
    return {name for head in heads for name in head.split(", ")}


def test_public_functions_say_what_goes_in_and_what_comes_out():
    assert len(FUNCTIONS) > 40
    lacking = {name: missing for name, f in FUNCTIONS.items() if (missing := {"Parameters", "Returns"} - sections(f))}
    assert not lacking


def test_public_classes_say_what_they_are_made_of():
    made = [k for k in CLASSES.values() if not (issubclass(k, Enum) or inspect.isabstract(k) or is_protocol(k))]
    assert len(made) > 60
    assert [
        k.__name__ for k in made if inspect.signature(k).parameters and not sections(k) & {"Parameters", "Attributes"}
    ] == []


def test_what_a_body_raises_stands_under_raises():
    assert raised(theorytools.letter) == {"DomainError"}
    found = {name: thrown for name, _, bodies in documented() if (thrown := set().union(*map(raised, bodies)))}
    assert len(found) > 100
    assert [name for name, text, _ in documented() if name in found and "Raises" not in sections(text)] == []


def test_what_is_described_is_an_argument():
    assert described(theorytools.fano_bits) == {"error", "letters"}
    wrong = {}
    for name, value, _ in documented():
        if "Parameters" in sections(value) and not is_protocol(value):
            wrong[name] = described(value) - set(inspect.signature(value).parameters)
    assert len(wrong) > 250
    assert {name: extra for name, extra in wrong.items() if extra} == {}


def test_public_names_have_an_example():
    """That they run, and print what they say, is a test of all docstrings (test_source_style)."""
    examples = {name: doctest.DocTestParser().get_examples(inspect.getdoc(v)) for name, v in PUBLIC.items()}
    assert [name for name, found in examples.items() if not found] == []
    assert not any(doctest.SKIP in example.options for found in examples.values() for example in found)


def test_a_name_of_one_paper_is_refused_with_where_it_is():
    for front in FRONTS[1:]:
        for name in names_of(front):
            assert name not in theorytools.__all__
            with pytest.raises(ImportError, match=f"from {front} import {name}"):
                exec(f"from theorytools import {name}", {})


def test_an_argument_outside_the_hypotheses_is_a_value_error_too():
    with pytest.raises(ValueError, match=r"no such id|did you mean"):
        theorytools.verify("qstr.no_such_statement")
