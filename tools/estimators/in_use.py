"""Which estimators decide rows: read from the syntax trees of the checks, claim by claim.

An estimator is a public function or method of ``theorytools.statistics`` that a check or a sweep names, or a
definition in the checks that makes an interval of its own from others: it calls ``fitted``, or builds a sampled or
fitted recipe.
"""

import ast
import functools
from pathlib import Path

from theorytools.claims.papers.catalogue import Catalogue, find_roots
from tools import ROOT

CHECKS = ROOT / "checks"
ROOMS = {f"theorytools.statistics.{name}" for name in (
    "clipped_error", "growth_forms", "intervals", "sampled", "slopes", "t_intervals", "two_levels")}  # fmt: skip
OWN = "theorytools.claims.language.estimate.fitted"
# these prepare data or bound what is hidden, and give no interval of a quantity
NO_INTERVAL = {
    "clipped_error.clipped_gaussian_excess", "growth_forms.predicted_slope", "sampled.columns",
    "sampled.truncation_excess", "intervals.epoch_level", "sampled.PROBES", "slopes.power_sample",
    "slopes.SlopeFit",
}  # fmt: skip


def module_of(path):
    """The dotted name of a file of the checks, as its claims have it: ``qstr.figure_01.forms``."""
    return ".".join(path.relative_to(CHECKS).with_suffix("").parts)


@functools.cache
def files():
    """The files of the checks by dotted name."""
    return {module_of(path): path for path in sorted(CHECKS.rglob("*.py"))}


def absolute(node, module):
    """The module that an import names; relative ones count from the checks."""
    if not node.level:
        return node.module or ""
    return ".".join([*module.split(".")[: -node.level], *filter(None, [node.module])])


def imports_of(tree, module):
    """What the names of a file mean that it imports, within functions too: ``{name: "module.name"}``."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: f"{absolute(node, module)}.{alias.name}" for alias in node.names}
    return found


def full_names(node, known):
    """The dotted names that a piece of code uses, with imports resolved."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield known.get(part.id, part.id)
        elif isinstance(part, ast.Attribute):
            try:
                head, *rest = ast.unparse(part).split(".")
            except RecursionError:
                continue
            if head in known and head.isidentifier():
                yield ".".join([known[head], *rest])


@functools.cache
def definitions(module):
    """What every top-level name of a file uses: its own names with the module before them, imports resolved."""
    tree = ast.parse(files()[module].read_text(encoding="utf-8"))
    known, made = imports_of(tree, module), {}
    for node in tree.body:
        names = [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else [
            part.id for part in ast.walk(node)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        ] if isinstance(node, ast.Assign | ast.AnnAssign | ast.With | ast.For) else []  # fmt: skip
        for name in names:
            made.setdefault(name, set()).update(full_names(node, known))
    return {name: {f"{module}.{use}" if use in made else use for use in uses} for name, uses in made.items()}


def estimator(name):
    """The estimator that a dotted name is, ``"t_intervals.repeat_mean"``, or nothing."""
    for room in ROOMS:
        if name.startswith(f"{room}."):
            short = name.removeprefix("theorytools.statistics.")
            within = short.split(".")
            short = ".".join(within[:3] if within[1] in ("Limits", "CensoredSample") else within[:2])
            return None if short in NO_INTERVAL or within[1][0] == "_" else short
    return None


def composed(uses):
    """Whether a definition makes an interval of its own: it calls ``fitted`` or builds a sampled or fitted recipe."""
    builds = {"theorytools.claims.language.estimate.Recipe", "theorytools.claims.language.estimate.Estimate"} & uses
    kinds = {f"theorytools.claims.language.estimate.Evidence.{kind}" for kind in ("SAMPLED", "FITTED")} & uses
    return OWN in uses or bool(builds and kinds)


def of_definition(module, name):
    """The estimators that one top-level name uses itself, and the names of the checks that it uses."""
    uses = definitions(module)[name]
    found = {made for use in uses if (made := estimator(use))}
    if composed(uses):
        found.add(f"{module}.{name}")
    return found, {use for use in uses if place(use)}


@functools.cache
def place(name):
    """The file and the top-level name that a dotted name of the checks means, or nothing."""
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:cut])
        if module in files():
            return (module, parts[cut]) if parts[cut] in definitions(module) else None
    return None


@functools.cache
def reached(module, name):
    """The estimators that a top-level name uses, itself or by way of others."""
    found, seen, open_ = set(), set(), [(module, name)]
    while open_:
        here = open_.pop()
        if here not in seen:
            seen.add(here)
            own, others = of_definition(*here)
            found |= own
            open_ += [place(other) for other in others]
    return frozenset(found)


@functools.cache
def by_claim():
    """The estimators of every claim of this repository, by id."""
    found = {}
    for entry in Catalogue(find_roots(start=Path(__file__))[0]).entries:
        found[entry.id] = reached(module_of(entry.path), entry.name)
    return found


@functools.cache
def in_use():
    """Every estimator that a definition of the checks names, sweeps and controls included."""
    return frozenset().union(*(of_definition(module, name)[0] for module in files() for name in definitions(module)))
