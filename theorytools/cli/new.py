"""``new``: a check that runs, ready to be turned into yours."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from theorytools.errors import DomainError

_NOTATION = '''"""Letters of {paper}: one symbol, one meaning."""

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
provenance = "derived"
"""


def new_check(paper: str, statement: str, checks: Path | None) -> int:
    """Write ``checks/<paper>/<statement>.py`` and what it needs; an existing check is never overwritten."""
    for what, name in (("paper", paper), ("statement", statement)):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise DomainError(
                f"the {what} {name!r}", required="lower-case letters, digits and _, starting with a letter",
                why="location is identity: the names become folder, file and id",
                advice="theorytools new qstr lemma_12",
            )  # fmt: skip
    folder = (checks if checks is not None else Path("checks")) / paper
    target = folder / f"{statement}.py"
    if target.exists():
        raise DomainError(
            f"{target}", required="a statement without a check", why="it exists and is left alone"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DomainError(f"the folder {folder}", required="a writable place", why=str(error)) from None
    made = []
    for path, text in ((folder / "paper.toml", _PAPER), (folder / "notation.py", _NOTATION)):
        if not path.exists():
            path.write_text(text.format(paper=paper), encoding="utf-8")
            made.append(path)
    _list_statement(folder / "paper.toml", statement)
    template = resources.files("theorytools.cli").joinpath("template.txt").read_text(encoding="utf-8")
    target.write_text(template.replace("@LABEL@", label_of(statement)), encoding="utf-8")
    for path in [*made, target]:
        print(f"wrote {path}")
    where = "" if checks is None else f" --checks {checks}"
    print(f"run it: theorytools verify {paper}.{statement}{where}")
    return 0


def label_of(statement: str) -> str:
    """Return ``Lemma 12`` for ``lemma_12``."""
    return " ".join(str(int(part)) if part.isdigit() else part.capitalize() for part in statement.split("_"))


def _list_statement(path: Path, statement: str) -> None:
    """List the statement in ``paper.toml``, or drop its ``open`` reason: it has a file now."""
    text = path.read_text(encoding="utf-8")
    blocks = re.split(r"(?m)^(?=\[\[statement\]\])", text)
    for k, block in enumerate(blocks):
        if re.search(rf'(?m)^id\s*=\s*"{statement}"\s*$', block):
            blocks[k] = re.sub(r"(?m)^open\s*=.*\n?", "", block)
            break
    else:
        blocks.append(_STATEMENT.format(id=statement, label=label_of(statement)))
    path.write_text("".join(blocks), encoding="utf-8")
