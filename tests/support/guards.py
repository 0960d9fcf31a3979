"""The refusals of a module, left out one by one: each ``raise``, and each part of the condition before it."""

import ast
import importlib
import sys
import types
from itertools import count
from pathlib import Path

NUMBERS = count()


def tree_of(name):
    """The syntax tree of a module, by its name."""
    return ast.parse(path_of(name).read_text(encoding="utf-8"))


def path_of(name):
    return Path(importlib.import_module(name).__file__)


def made(tree, name):
    """The module of this syntax tree, under a name of its own: annotations are looked up by it."""
    module = types.ModuleType(f"left_out_{next(NUMBERS)}")
    module.__file__ = str(path_of(name))
    sys.modules[module.__name__] = module
    exec(compile(ast.fix_missing_locations(tree), path_of(name), "exec"), module.__dict__)
    return module


def lines(name):
    """The line of every ``raise``."""
    return sorted(node.lineno for node in ast.walk(tree_of(name)) if isinstance(node, ast.Raise) and node.exc)


def weaker(test):
    """Yield the conditions that refuse less: a part left out of an ``or``, or of what a ``not`` asks for."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        for i, part in enumerate(test.values):
            before, after = test.values[:i], test.values[i + 1 :]
            yield joined(ast.Or(), [*before, *after])
            yield from (joined(ast.Or(), [*before, less, *after]) for less in weaker(part))
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from (ast.UnaryOp(ast.Not(), rest) for rest in asking_less(test.operand))


def asking_less(test):
    """Yield an ``and`` without one of its parts, or a chain of two comparisons without one of them."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for i in range(len(test.values)):
            yield joined(ast.And(), test.values[:i] + test.values[i + 1 :])
    elif isinstance(test, ast.Compare) and len(test.ops) == 2:
        yield ast.Compare(test.left, test.ops[:1], test.comparators[:1])
        yield ast.Compare(test.comparators[0], test.ops[1:], test.comparators[1:])


def joined(op, parts):
    return parts[0] if len(parts) == 1 else ast.BoolOp(op, parts)


def left_out(name):
    """Yield what is left out, in words, and the syntax tree without it."""
    for line in lines(name):
        tree = tree_of(name)
        holder, body, at = _place(tree, line)
        body[at] = ast.Pass()
        yield f"{name}, the refusal of line {line}", tree
        if isinstance(holder, ast.If) and body is holder.body:
            number = len(list(weaker(holder.test)))
            for k in range(number):
                tree = tree_of(name)
                holder, body, at = _place(tree, line)
                holder.test = list(weaker(holder.test))[k]
                yield f"{name}, line {line}: {ast.unparse(holder.test)}", tree


def _place(tree, line):
    """The statement that holds the ``raise`` of a line, the list that it stands in, and its place there."""
    for holder in ast.walk(tree):
        for part in ("body", "orelse", "finalbody"):
            body = getattr(holder, part, None)
            for at, node in enumerate(body if isinstance(body, list) else ()):
                if isinstance(node, ast.Raise) and node.lineno == line:
                    return holder, body, at
    raise AssertionError(f"no raise in line {line}")
