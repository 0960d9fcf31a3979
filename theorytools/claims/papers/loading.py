"""Import a check file under a private package name made from its folder.

Relative imports work without ``__init__.py``: ``from .notation import N`` is the paper's own, ``from ..qstr.lemma_13
import claim`` another paper's, of the same folder or installed, with a dot more in the folder of a statement.
Two folders called ``checks`` never meet, and ``sys.path`` stays as it is.
"""

from __future__ import annotations

import hashlib
import importlib
import linecache
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from theorytools.claims.papers.location import installed_roots
from theorytools.claims.papers.predictions import FILE, predictions
from theorytools.claims.papers.syntax import STATED, Entry, imported_files, read_entries
from theorytools.errors import CheckError, TheoryError
from theorytools.files import Stamp, stamp
from theorytools.meaning import ROLES
from theorytools.optional import missing
from theorytools.places import paper_folder
from theorytools.salts import CHECKS

if TYPE_CHECKING:
    from theorytools.claims.language.claim import Claim


def package_of(root: Path) -> str:
    """Return the private package name of a checks folder."""
    return CHECKS + hashlib.sha256(str(root.resolve()).encode()).hexdigest()[:12]


def _namespace(name: str, *folders: Path) -> None:
    if name not in sys.modules:
        module = ModuleType(name)
        module.__path__ = list(map(str, folders))
        module.stamps = {}  # type: ignore[attr-defined]
        sys.modules[name] = module


def _forget_changed(package: str, path: Path) -> None:
    """Drop a folder's modules where a file this one imports changed: no verdict mixes old code and new fingerprint."""
    seen: dict[Path, Stamp] = sys.modules[package].stamps
    try:
        now = {file: stamp(file) for file in imported_files(path)}
    except (SyntaxError, ValueError, OSError):  # a file that cannot be read: its import says so
        now = dict.fromkeys(seen, (0, 0, 0, 0))
    changed = [file for file, found in now.items() if seen.get(file, found) != found]
    for file in changed:  # compiled code goes by whole seconds and sizes: a quick edit may look like none
        with suppress(OSError):
            Path(cache_from_source(str(file))).unlink()
    if changed:
        for name in [n for n in sys.modules if n.startswith(package + ".")]:
            if getattr(sys.modules[name], "__file__", None):
                del sys.modules[name]
                above, _, last = name.rpartition(".")
                vars(sys.modules[above]).pop(last, None)  # from . import name would find it there
        seen.clear()
        importlib.invalidate_caches()
        linecache.checkcache()
    seen.update(now)


def load_module(path: Path) -> ModuleType:
    """Import the check file, raising ``CheckError`` (never a traceback) for whatever is wrong in it."""
    path = path.resolve()
    folder = paper_folder(path)
    package = package_of(folder.parent)
    paper = f"{package}.{folder.name}"
    _namespace(package, *dict.fromkeys((folder.parent, *installed_roots())))
    _namespace(paper, folder)
    _forget_changed(package, path)
    try:
        return importlib.import_module(".".join([paper, *path.relative_to(folder).with_suffix("").parts]))
    except CheckError:
        raise
    except (Exception, SystemExit) as error:
        raise broken(path, error) from error


def broken(path: Path, error: BaseException, at: Mapping[str, str] | None = None) -> CheckError:
    """Return the error of a check that raised (at a user's point), with the last line that ran in its folder."""
    folder = paper_folder(path.resolve())
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).is_relative_to(folder)]
    file, line = (frames[-1].filename, frames[-1].lineno) if frames else (str(path), None)
    if isinstance(error, SyntaxError) and error.filename:
        file, line = error.filename, error.lineno
    where = f"{Path(file).name}, line {line}: {linecache.getline(file, line).strip()}" if line else path.name
    error = missing(error) or error
    if isinstance(error, TheoryError):
        return CheckError(f"{where}: {error.given}", required=error.required, why=error.why, advice=error.advice)
    point = ", ".join(f"{name}={value}" for name, value in (at or {}).items())
    return CheckError(
        f"{where}, at {point}" if at else where,
        required="a check file that loads and runs",
        why=f"{type(error).__name__}: {error}",
        advice=_symbolic(error)
        or ("another point, or " if at else "") + "mend that line; theorytools verify runs the other checks meanwhile",
    )


def located(path: Path, error: CheckError) -> CheckError:
    """Return an error of the engine with the line of the check's folder at which it was met, where there is one."""
    folder = paper_folder(path.resolve())
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).is_relative_to(folder)]
    return broken(path, error) if frames and frames[-1].filename not in error.given else error


def _symbolic(error: BaseException) -> str:
    """The advice for a function of numbers that was given a letter; empty elsewhere."""
    said = str(error)
    numeric = isinstance(error, TypeError) and "expression to float" in said
    ufunc = isinstance(error, TypeError) and "no callable" in said and "method" in said
    if not (numeric or ufunc):
        return ""
    return "did you mean sympy.log? math.log and numpy.log take numbers, a bound is a formula in letters"


def load(entry: Entry) -> Claim:
    """Return the claim of a catalogue entry.

    Raises
    ------
    CheckError
        If the file does not load, or its claims are not the ones its syntax tree shows (claims made in loops
        cannot be listed without running them and are refused).
    """
    from theorytools.claims.language.claim import Claim

    if entry.error:
        raise CheckError(
            f"{entry.path.name}: {entry.error}",
            required="a file that parses, with its claims as top-level name = Claim(…)",
        )
    module = load_module(entry.path)
    listed = {e.name for e in read_entries(entry.path)}
    others = [n for n, value in vars(module).items() if isinstance(value, Claim) and n not in listed]
    hidden = sorted(name for name in others if _here(module, name))
    if hidden:
        raise CheckError(
            f"{entry.path.name} makes claims {hidden}",
            required="top-level name = Claim(…) only",
            why="claims are listed from the syntax tree, without running the file",
        )
    claim = getattr(module, entry.name)
    if not isinstance(claim, Claim):
        raise CheckError(f"{entry.path.name}: {entry.name} is a {type(claim).__name__}", required="a Claim")
    _refuse_silent(entry, claim)
    _refuse_unshown(entry, claim)
    _refuse_two(entry, claim)
    _refuse_unbound(entry, claim)
    return claim


def _refuse_silent(entry: Entry, claim: Claim) -> None:
    """Refuse a claim that does not say what it is to its statement, whom it quantifies over, and whose it is."""
    silent = [*entry.silent, *(name for name in STATED if not getattr(claim, name))]
    if silent:
        name = silent[0]
        raise CheckError(
            f"{entry.path.name}: the claim {entry.name} states no {name}",
            required=f"role, scope and source of every claim; a role is one of {', '.join(ROLES)}",
            why="a row must say what it means: which statement, over which objects, by whom",
            advice="role='statement', scope={'every N': 'points', 'some network': 'exhibited'}, "
            "source='published: Lemma 11, appendix B; display'",
        )


def _refuse_unshown(entry: Entry, claim: Claim) -> None:
    """Refuse a prediction whose rule is not shown to be older than its runs, and another role where it is shown."""
    shown = predictions(entry.folder)
    if shown is not None and (claim.role == "prediction") != (entry.id in shown):
        raise CheckError(
            f"{entry.id} of role {claim.role!r}, {'' if entry.id in shown else 'not '}in {FILE}",
            required=f"role 'prediction' of the claims in {FILE}, and of no other",
            why="a rule that no commit shows to be older than the first trial predicted nothing",
            advice="role='found', or the rule's commit and the record in that file",
        )


def _refuse_two(entry: Entry, claim: Claim) -> None:
    """Refuse a claim whose objects are drawn by the engine and constructed by itself."""
    if claim.draw is not None and not claim.drawn:
        raise CheckError(
            f"{entry.path.name}: the claim {entry.name} has construct= and draw=", required="one of them",
            why="an object is constructed by the check, or drawn by the engine", advice="leave out construct=",
        )  # fmt: skip


def _refuse_unbound(entry: Entry, claim: Claim) -> None:
    """Refuse a claim whose scope leaves out a letter of the grid, or names a letter under two quantifiers."""
    names = dict.fromkeys([*claim.grid.axes, *claim.all_letters()])
    found = {n: [f"{b.quantifier} {b.words}" for b in claim.binders if n in b.letters] for n in names}
    unbound = [name for name in claim.grid.axes if not found[name]]
    twice = [name for name, said in found.items() if len(said) > 1]
    if not unbound and not twice:
        return
    scope = ", ".join(f"{said!r}: {how!r}" for said, how in claim.scope.items())
    given = (
        f"scope={{{scope}}}, in which {', '.join(unbound)} {'is' if len(unbound) == 1 else 'are'} under no quantifier"
        if unbound
        else f"scope={{{scope}}}, in which {twice[0]} stands under {' and under '.join(map(repr, found[twice[0]]))}"
    )
    first = f"'every {', '.join(unbound)}': 'points', " if unbound else ""
    raise CheckError(
        f"{entry.path.name}: the claim {entry.name} has {given}",
        required="each letter of the grid by its name in one part of the scope, in the order of the sentence",
        why="'for every N some code' and 'some code for every N' differ",
        advice=f"scope={{{first}{scope}}} if that is the order" if unbound else f"name {twice[0]} in one of them",
    )


def _here(module: ModuleType, name: str) -> bool:
    """Whether the claim was made here rather than imported from another check."""
    value = getattr(module, name)
    others = (m for n, m in sys.modules.items() if n.startswith(CHECKS) and m is not module and m is not None)
    return not any(value is other for m in others for other in vars(m).values())
