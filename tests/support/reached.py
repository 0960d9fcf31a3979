"""``python reached.py FOLDER TESTS…``: run tests and print the functions below a folder that none of them enters."""

import ast
import sys
from pathlib import Path

import pytest


def defined(folder):
    """Every function below a folder that has a body: (file, first line with decorators) -> name."""
    found = {}
    top = Path(folder).resolve()
    for path in [top] if top.is_file() else sorted(top.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and not _stub(node):
                line = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                found[str(path), line] = f"{path.name}:{node.lineno} {node.name}"
    return found


def _stub(node):
    """Whether a function only declares: an overload or a member of a protocol."""
    said = [isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) for part in node.body]
    return all(said)


def main(folder, *tests):
    wanted, entered = defined(folder), set()

    def enter(frame, event, argument):
        if event == "call":
            entered.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    sys.setprofile(enter)
    code = pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", *tests])
    sys.setprofile(None)
    print("\n".join(["missed:", *(name for place, name in wanted.items() if place not in entered)]))
    return int(code)


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
