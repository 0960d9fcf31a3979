"""``new``: a check that runs, ready to be turned into yours."""

from __future__ import annotations

import ast
import difflib
import keyword
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from theorytools.claims.papers.catalogue import Catalogue, Entry, library_root
from theorytools.errors import DomainError
from theorytools.files import write_all, write_text

NOTATION = '''"""Letters of {paper}: one symbol, one meaning."""

from theorytools import letter

N = letter("N", "number of items", integer=True, positive=True)
'''
_PAPER = """[paper]
key = "{paper}"
arxiv = ""
version = 1
authors = ""
title = ""
"""
_STATEMENT = """
[[statement]]
id = "{id}"
label = "{label}"
title = ""
provenance = "derived here"
"""


TEMPLATES = {"exact": "template", "enclosed": "template_enclosed", "sampled": "template_sampled"}


def new_check(
    paper: str, statement: str, checks: Path | None, uses: Sequence[str] = (), sweep: str = "", template: str = "exact"
) -> int:
    """Write ``checks/<paper>/<statement>.py`` and what it needs; an existing file is never overwritten.

    ``uses`` are ids of claims, of the same folder or of the library, that the new one imports and names; with a
    ``sweep`` the check reads the record of ``sweeps/<sweep>.py``, which is written too; so it does with the template
    ``fitted``, and the sweep has the statement's name unless it is given one.
    """
    sweep = statement if template == "fitted" and not sweep else sweep
    refuse_names(("paper", paper), ("statement", statement), *([("sweep", sweep)] if sweep else []))
    root = checks if checks is not None else Path("checks")
    refuse_clash(paper, root)
    _refuse_template("fitted" if sweep else template)
    folder = root / paper
    target, trained = folder / f"{statement}.py", folder / "sweeps" / f"{sweep}.py"
    if target.exists():
        raise DomainError(f"{target}", required="a statement without a check", why="it exists and is left alone")
    if sweep and trained.exists():
        raise DomainError(f"{trained}", required="a new name", why="it exists and is left alone")
    lemmas = _lemmas(uses, root)
    toml, notation = (
        path.read_text(encoding="utf-8") if (path := folder / name).is_file() else text.format(paper=paper)
        for name, text in (("paper.toml", _PAPER), ("notation.py", NOTATION))
    )
    files = {
        "paper.toml": _listed(toml, statement), "notation.py": notation,
        target.name: _using(_check(notation, sweep, template), lemmas, paper).replace("@LABEL@", label_of(statement)),
    }  # fmt: skip
    changed = {
        name: text
        for name, text in files.items()
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text
    }
    write_all(folder, changed)
    if sweep:
        write_text(trained, _template("sweep_template").replace("@SWEEP@", sweep))
    for path in [*(folder / name for name in changed), *([trained] if sweep else [])]:
        print(f"wrote {path}")
    where = "" if checks is None else f" --checks {checks}"
    if sweep:
        print(f"train first: theorytools sweep {sweep} --profile published --record{where}")
    print(f"run it: theorytools verify {paper}.{statement}{where}")
    return 0


def refuse_names(*names: tuple[str, str]) -> None:
    """Refuse what is no name of a folder, a file and an id; each is given with what it names."""
    for what, name in names:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name) or name in ("notation", "conftest"):
            raise DomainError(
                f"the {what} {name!r}",
                required="lower-case letters, digits and _, starting with a letter; not a reserved word",
                why="location is identity: the names become folder, file and id",
                advice="theorytools new mypaper lemma_12",
            )  # fmt: skip


def _refuse_template(template: str) -> None:
    names = (*TEMPLATES, "fitted")
    if template not in names:
        near = difflib.get_close_matches(template, names, 1)
        raise DomainError(
            f"--template {template}", required=f"one of {', '.join(names)}",
            why="a template says how its numbers are obtained", advice=f"--template {near[0] if near else 'exact'}",
        )  # fmt: skip


def refuse_clash(paper: str, root: Path) -> None:
    """Refuse the key of a paper that comes with the library."""
    library = library_root()
    if library is None or root.resolve() == library or not (library / paper / "paper.toml").is_file():
        return
    raise DomainError(
        f"the paper {paper!r}",
        required="a key of your own",
        why=f"{paper} is the key of a paper that comes with the library, in {library}",
        advice=f"theorytools new my_{paper} STATEMENT; a check may import and use the library's",
    )


def _lemmas(uses: Sequence[str], root: Path) -> list[Entry]:
    """The entries of these ids; ``DomainError`` with the nearest ids where one is unknown."""
    own = root if any(root.glob("*/paper.toml")) else None
    catalogue = Catalogue([folder for folder in (own, library_root()) if folder is not None]) if uses else None
    found = []
    for id in dict.fromkeys(uses):
        chosen = catalogue.select([id]) if catalogue else []
        exact = [entry for entry in chosen if entry.id == id]
        if not exact:
            names = " or ".join(entry.id for entry in chosen)
            raise DomainError(f"--uses {id}", required="the whole id of one claim", advice=names)
        found += exact
    return found


def _using(text: str, lemmas: Sequence[Entry], paper: str) -> str:
    """The template with the claims that it uses imported and named."""
    if not lemmas:
        return text
    files = [".".join(e.path.relative_to(e.folder).with_suffix("").parts) for e in lemmas]
    places = ["." + file if e.paper == paper else f"..{e.paper}.{file}" for file, e in zip(files, lemmas, strict=True)]
    named = [e.id.replace(".", "_") for e in lemmas]
    lines = [f"from {p} import {e.name} as {n}\n" for p, e, n in zip(places, lemmas, named, strict=True)]
    ids = ", ".join(f'"{e.id}"' for e in lemmas)
    comment = f"  # their parts are {named[0]}.construct, .measure, .assertions, …"
    head, notation, rest = text.partition("from .notation import N\n")
    head, notation, rest = (head, notation, rest) if notation else _before_letter(text)
    rest = rest.replace("    role=", f"    uses=[{ids}],{comment}\n    role=")
    return head + notation + "".join(lines) + rest


def _before_letter(text: str) -> tuple[str, str, str]:
    """The template without an import of the notation, cut after its imports."""
    head, imports, rest = text.partition("from theorytools import Claim, Control, Quantity, grid, letter\n\n")
    return head, imports, "\n" + rest


def label_of(statement: str) -> str:
    """Return ``Lemma 12`` for ``lemma_12``."""
    return " ".join(str(int(part)) if part.isdigit() else part.capitalize() for part in statement.split("_"))


def _template(name: str) -> str:
    return resources.files("theorytools.cli").joinpath(f"{name}.txt").read_text(encoding="utf-8")


def _check(notation: str, sweep: str, template: str) -> str:
    """The template; it makes its own letter N where the paper's notation has none."""
    text = _template("trained_template").replace("@SWEEP@", sweep) if sweep else _template(TEMPLATES[template])
    try:
        nodes = list(ast.walk(ast.parse(notation)))
    except SyntaxError:
        return text  # verify names the line
    if any(isinstance(n, ast.Name) and n.id == "N" and isinstance(n.ctx, ast.Store) for n in nodes):
        return text
    own = NOTATION.split("\n\n")[-1]
    return text.replace("Quantity, grid", "Quantity, grid, letter", 1).replace("from .notation import N\n", own)


def _listed(text: str, statement: str) -> str:
    """Return ``paper.toml`` with the statement listed, and without its ``open`` reason: it has a file now."""
    blocks = re.split(r"(?m)^(?=\[\[statement\]\])", text)
    for k, block in enumerate(blocks):
        if re.search(rf'(?m)^id\s*=\s*"{statement}"\s*$', block):
            blocks[k] = re.sub(r"(?m)^open\s*=.*\n?", "", block)
            break
    else:
        blocks.append(_STATEMENT.format(id=statement, label=label_of(statement)))
    return "".join(blocks)
