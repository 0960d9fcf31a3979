"""``new``: a check that runs, ready to be turned into yours; ``new arxiv:ID --tex``: a paper's statements, all open."""

from __future__ import annotations

import ast
import json
import keyword
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from theorytools.claims.papers.catalogue import Catalogue, Entry, installed_beside, library_root
from theorytools.claims.papers.toml_files import LARGEST, read_toml
from theorytools.cli.tex_statements import Found, first_sentence, read_tex
from theorytools.errors import DomainError, nearest
from theorytools.files import read_regular, write_all, write_text
from theorytools.shown import visible

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
ours = "a statement of mine"
"""

_TAKEN = ("notation", "conftest")  # files beside the checks that are none
_FEW = 20  # files that were not followed are named one by one
_IMPORTED = re.compile(r"^(from theorytools import .*\bgrid\b)", re.M)
TEMPLATES = {"exact": "template", "enclosed": "template_enclosed", "sampled": "template_sampled"}
_ARXIV = re.compile(r"arxiv:(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v(\d+))?", re.IGNORECASE)


def new_check(
    paper: str, statement: str, checks: Path | None, uses: Sequence[str] = (), sweep: str = "", template: str = "exact",
    *, package: bool = False,
) -> int:  # fmt: skip
    """Write ``checks/<paper>/<statement>.py`` and what it needs; an existing file is never overwritten.

    ``uses`` are ids of claims, of the same folder or installed, that the new one imports and names; with a
    ``sweep`` the check reads the record of ``sweeps/<sweep>.py``, which is written too; so it does with the template
    ``fitted``, and the sweep has the statement's name unless it is given one.  With ``package`` a ``pyproject.toml`` is
    written beside the checks, of a distribution that brings the paper.
    """
    sweep = statement if template == "fitted" and not sweep else sweep
    refuse_names(("paper", paper), ("statement", statement), *([("sweep", sweep)] if sweep else []))
    root = checks if checks is not None else Path("checks")
    refuse_clash(paper, root)
    _refuse_template("fitted" if sweep else template)
    folder = root / paper
    target, trained = folder / f"{statement}.py", folder / "sweeps" / f"{sweep}.py"
    _refuse_existing(target, trained if sweep else None, f"{paper}.{statement}")
    project = _project(paper, root) if package else {}
    lemmas = _lemmas(uses, root)
    toml, notation = (_there(folder / name) or text.format(paper=paper)
                      for name, text in (("paper.toml", _PAPER), ("notation.py", NOTATION)))  # fmt: skip
    files = {
        "paper.toml": _listed(toml, statement), "notation.py": notation,
        target.name: _using(_check(notation, sweep, template), lemmas, paper)
        .replace("@LABEL@", label_of(statement)).replace("@SEED@", f"{paper}.{statement}"),
    }  # fmt: skip
    changed = {name: text for name, text in files.items() if _there(folder / name) != text}
    write_all(folder, changed)
    if sweep:
        write_text(trained, _template("sweep_template").replace("@SWEEP@", sweep))
    write_all(root.parent, project)
    for path in [
        *(folder / name for name in changed),
        *([trained] if sweep else []),
        *map(root.parent.joinpath, project),
    ]:
        print(f"wrote {path}")
    where = "" if checks is None else f" --checks {checks}"
    if sweep:
        print(f"train first: theorytools sweep {sweep} --profile published --record{where}")
    print(f"make it yours, then look for a counterexample: theorytools falsify {paper}.{statement}{where}")
    print(f"and judge it: theorytools verify {paper}.{statement}{where}")
    return 0


def _there(path: Path) -> str:
    """The text of a file of the paper that is there; empty where none is."""
    if not path.exists():
        return ""
    try:
        return read_toml(path)[0] if path.suffix == ".toml" else read_regular(path, LARGEST).decode("utf-8")
    except (OSError, ValueError) as error:
        raise DomainError(f"{path}: {error}", required="a file that can be read, or none",
                          why="it is kept, and what is new is added", advice="mend or move it") from None  # fmt: skip


def _refuse_existing(check: Path, sweep: Path | None, id: str) -> None:
    if check.exists():
        another = id.replace(".", " ")
        raise DomainError(f"{check}", required="a statement without a check", why="it exists and is left alone",
                          advice=f"theorytools verify {id}, or new {another}_2 for another check of it")  # fmt: skip
    if sweep is not None and sweep.exists():
        raise DomainError(f"{sweep}", required="a new name", why="it exists and is left alone",
                          advice=f"--sweep {sweep.stem}_2")  # fmt: skip


def _project(paper: str, root: Path) -> dict[str, str]:
    """What makes a distribution of the folder of checks; ``DomainError`` where there is a project already."""
    if (target := root.parent / "pyproject.toml").exists():
        raise DomainError(
            f"{target}", required="--package in a folder without a pyproject.toml", why="it exists and is left alone",
            advice="two tables more bring the papers: docs/publish.md shows them",
        )  # fmt: skip
    text = _template("template_project").replace("@PAPER@", paper).replace("@CHECKS@", root.resolve().name)
    return {target.name: text}


def refuse_names(*names: tuple[str, str]) -> None:
    """Refuse what is no name of a folder, a file and an id; each is given with what it names."""
    for what, name in names:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name) or name in _TAKEN:
            raise DomainError(
                f"the {what} {name!r}",
                required="lower-case letters, digits and _, starting with a letter; not a reserved word",
                why=f"{name}.py beside the checks has another task" if name in _TAKEN else
                    "location is identity: the names become folder, file and id",
                advice=_mended(names),
            )  # fmt: skip


def _mended(names: Sequence[tuple[str, str]]) -> str:
    """The command with each of these names made one that is taken."""
    words = []
    for what, name in names:
        word = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        plain = re.match(r"[a-z]", word) and not keyword.iskeyword(word) and word not in _TAKEN
        words.append(("--sweep " if what == "sweep" else "") + (word if plain else f"{what}_{word}".rstrip("_")))
    return f"theorytools new {' '.join(words)}" + (" lemma_1" if len(words) == 1 else "")


def _refuse_template(template: str) -> None:
    names = (*TEMPLATES, "fitted")
    if template not in names:
        near = nearest(template, names)
        raise DomainError(
            f"--template {template}", required=f"one of {', '.join(names)}",
            why="a template says how its numbers are obtained", advice=f"--template {near[0] if near else 'exact'}",
        )  # fmt: skip


def refuse_clash(paper: str, root: Path) -> None:
    """Refuse the key of a paper that is installed, with the library or by another distribution."""
    others = (other for other in installed_beside(root) if other != root.resolve())
    found = next((other for other in others if (other / paper / "paper.toml").is_file()), None)
    if found is None:
        return
    how, whose = ("comes with", "the library") if found == library_root() else ("is installed beside", paper)
    raise DomainError(
        f"the paper {paper!r}",
        required="a key of your own",
        why=f"{paper} is the key of a paper that {how} the library, in {found}",
        advice=f"theorytools new my_{paper} STATEMENT; a check may import and use {whose}'s",
    )


def _lemmas(uses: Sequence[str], root: Path) -> list[Entry]:
    """The entries of these ids; ``DomainError`` with the nearest ids where one is unknown."""
    own = [root] if any(root.glob("*/paper.toml")) else []
    catalogue = Catalogue([*own, *installed_beside(root)]) if uses else None
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
    head, letter, rest = text.partition("N = letter(")
    return head, "", "\n" + letter + rest


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
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text  # verify names the line
    if any(isinstance(n, ast.Name) and n.id == "N" and isinstance(n.ctx, ast.Store) for n in nodes):
        return text
    own = NOTATION.split("\n\n")[-1]
    return _IMPORTED.sub(r"\1, letter", text, count=1).replace("from .notation import N\n", own)


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


def new_paper(paper: str, tex: Path, name: str, checks: Path | None) -> int:
    """Write ``checks/<name>/paper.toml`` and ``notation.py`` from a TeX source; an existing paper is left alone.

    Parameters
    ----------
    paper : ``arxiv:2503.11272``, with its version where one was read, or a key.
    tex : the main file.
    name : the key; made from the arXiv number unless given.
    checks : the folder of all papers.

    Raises
    ------
    DomainError : a name that is no key or is taken, and what :func:`read_tex` refuses.
    """
    match = _ARXIV.fullmatch(paper)
    if not match and ":" in paper:
        raise DomainError(f"the paper {paper!r}", required="arxiv:NNNN.NNNNN, or a key of your own",
                          advice="theorytools new arxiv:2503.11272 --tex paper.tex --name mypaper")  # fmt: skip
    key = name or (re.sub(r"\W", "_", f"arxiv_{match[1]}").lower() if match else paper)
    refuse_names(("paper", key))
    root = checks if checks is not None else Path("checks")
    refuse_clash(key, root)
    folder = root / key
    if (folder / "paper.toml").exists():
        raise DomainError(f"{folder / 'paper.toml'}", required="a new paper", why="it exists and is left alone",
                          advice="--name another_key")  # fmt: skip
    title, authors, found, left = read_tex(tex)
    title, authors = visible(title), visible(authors)
    head = {"key": key, "arxiv": match[1] if match else "", "version": int(match[2] or 1) if match else 1,
            "authors": authors, "title": title}  # fmt: skip
    files = {"paper.toml": _readable(_described(head, found), head, tex)}
    if not (folder / "notation.py").exists():
        files["notation.py"] = NOTATION.format(paper=key)
    write_all(folder, files)
    for file in files:
        print(f"wrote {folder / file}")
    for text in [*left[:_FEW], *([f"and {len(left) - _FEW} more"] if len(left) > _FEW else [])]:
        sys.stderr.write(f"not followed: {text}\n")
    where = "" if checks is None else f" --checks {checks}"
    print(f"{len(found)} statements, all open: theorytools list {key}{where}")
    print(f"write the first: theorytools new {key} {identifiers(found)[0]}{where}")
    return 0


def from_tex(
    paper: str, statement: str, tex: Path | None, name: str, checks: Path | None, *, package: bool = False
) -> int:
    """Write the paper of a TeX source; refuse options that contradict one another."""
    if tex is None or statement:
        without = "--name without --tex" if name else "no statement"
        words = paper.replace(".", " ", 1) if re.fullmatch(r"\w+\.\w+", paper) else "mypaper lemma_1"
        raise DomainError(
            f"the statement {statement!r} with --tex" if tex else without, required="a statement, or --tex",
            why="--tex lists all statements of a paper; a check is of one",
            advice=f"theorytools new {words}, or new arxiv:2503.11272 --tex paper.tex --name mypaper",
        )  # fmt: skip
    if package:
        raise DomainError(
            "--package with --tex", required="one of them", why="a distribution brings checks",
            advice="write the first check with it: theorytools new PAPER STATEMENT --package",
        )  # fmt: skip
    return new_paper(paper, tex, name, checks)


def identifiers(found: Sequence[Found]) -> list[str]:
    """Return an id for each statement: ``lemma_03``, ``lemma_3_2``, ``lemma_a_1``; without a number, by its title."""
    wide = max((len(one.number) for one in found if one.number.isdigit()), default=1)
    ids: list[str] = []
    for one in found:
        number = one.number.zfill(max(wide, 2)) if one.number.isdigit() else one.number
        words = [one.word, number] if number else [one.word, one.title or "unnumbered"]
        id = re.sub(r"[^a-z0-9]+", "_", " ".join(words).lower()).strip("_")
        id = id if re.match(r"[a-z]", id) else f"statement_{id}".rstrip("_")
        count = 2
        while (id if count == 2 else f"{id}_{count - 1}") in ids:
            count += 1
        ids.append(id if count == 2 else f"{id}_{count - 1}")
    return ids


def _toml(value: str | int | list[str]) -> str:
    """A value in TOML: its basic strings are escaped as in JSON, where only signs that are shown stay as they are."""
    return json.dumps([visible(one) for one in value] if isinstance(value, list)
                      else visible(value) if isinstance(value, str) else value, ensure_ascii=False)  # fmt: skip


def _described(head: Mapping[str, Any], found: Sequence[Found]) -> str:
    """The text of a ``paper.toml`` that lists statements, all open."""
    lines = ["[paper]", *(f"{field} = {_toml(value)}" for field, value in head.items())]
    for id, one in zip(identifiers(found), found, strict=True):
        lines += [
            "",
            "[[statement]]",
            *(f"# {part}" for part in _broken(one.text)),
            f"id = {_toml(id)}",
            f"label = {_toml(one.label or label_of(id))}",
            f"title = {_toml(one.title or first_sentence(one.text))}",
        ]
        lines += [f"aliases = {_toml(list(one.labels))}"] if one.labels else []
        lines += ['open = "not yet written"', "[statement.printed]",
                  f"number = {{ v1 = {_toml(one.label or label_of(id))} }}", 'read = { v1 = "text" }']  # fmt: skip
    return "\n".join(lines) + "\n"


def _readable(text: str, head: Mapping[str, Any], tex: Path) -> str:
    """The text of a ``paper.toml``, which says what was meant when it is read again; ``DomainError`` else."""
    try:
        if len(text.encode()) <= LARGEST and tomllib.loads(text)["paper"] == head:
            return text
    except (ValueError, LookupError):
        pass
    raise DomainError(
        f"{tex}, of which no paper.toml can be made that is read again", required=f"at most {LARGEST} bytes",
        why="what cannot be read hides the paper", advice="a part of the paper",
    )  # fmt: skip


def _broken(text: str, width: int = 110) -> list[str]:
    import textwrap

    return textwrap.wrap(visible(text), width, break_long_words=False, break_on_hyphens=False)
