"""``new arxiv:ID --tex``: a folder of checks that lists every statement of a paper, all open."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from theorytools.cli.new import NOTATION, label_of, refuse_clash, refuse_names
from theorytools.cli.tex_statements import Found, first_sentence, read_tex
from theorytools.errors import DomainError
from theorytools.files import write_all

_ARXIV = re.compile(r"arxiv:(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v(\d+))?", re.IGNORECASE)


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
    title, authors, found = read_tex(tex)
    head = {"key": key, "arxiv": match[1] if match else "", "version": int(match[2] or 1) if match else 1,
            "authors": authors, "title": title}  # fmt: skip
    lines = ["[paper]", *(f"{field} = {_toml(value)}" for field, value in head.items())]
    for id, one in zip(identifiers(found), found, strict=True):
        lines += ["", "[[statement]]", *(f"# {part}" for part in _broken(one.text)), f"id = {_toml(id)}",
                  f"label = {_toml(one.label or label_of(id))}",
                  f"title = {_toml(one.title or first_sentence(one.text))}", 'provenance = "published"']  # fmt: skip
        lines += [f"aliases = {_toml(list(one.labels))}"] if one.labels else []
        lines += ['open = "not yet written"']
    files = {"paper.toml": "\n".join(lines) + "\n"}
    if not (folder / "notation.py").exists():
        files["notation.py"] = NOTATION.format(paper=key)
    write_all(folder, files)
    for file in files:
        print(f"wrote {folder / file}")
    where = "" if checks is None else f" --checks {checks}"
    print(f"{len(found)} statements, all open: theorytools list {key}{where}")
    print(f"write the first: theorytools new {key} {identifiers(found)[0]}{where}")
    return 0


def from_tex(paper: str, statement: str, tex: Path | None, name: str, checks: Path | None) -> int:
    """Write the paper of a TeX source; refuse options that contradict one another."""
    if tex is None or statement:
        without = "--name without --tex" if name else "no statement"
        raise DomainError(
            f"the statement {statement!r} with --tex" if tex else without, required="a statement, or --tex",
            why="--tex lists all statements of a paper; a check is of one",
            advice="theorytools new mypaper lemma_1, or new arxiv:2503.11272 --tex paper.tex --name mypaper",
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
    """A value in TOML: its basic strings are escaped as in JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _broken(text: str, width: int = 110) -> list[str]:
    import textwrap

    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
