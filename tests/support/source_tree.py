"""The source files of the package, the checks and the tools, for tests of their rules."""

import ast
import functools
from pathlib import Path

SUPPORT = Path(__file__).resolve().parent
ROOT = SUPPORT.parents[1]
PACKAGE, CHECKS = ROOT / "theorytools", ROOT / "checks"
MODULES = {path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."): path for path in PACKAGE.rglob("*.py")}
MODULES = {name.removesuffix(".__init__"): path for name, path in sorted(MODULES.items())}
FRONTS = ["theorytools", "theorytools.papers.qstr", "theorytools.papers.sep", "theorytools.papers.stsq"]
SOURCES = [*MODULES.values(), *sorted(CHECKS.rglob("*.py"))]
TOOLS = sorted((ROOT / "tools").rglob("*.py"))


@functools.cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
