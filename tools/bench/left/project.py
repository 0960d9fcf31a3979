"""A draft as a project of its own: a folder with a paper, its letters and one check."""

from __future__ import annotations

from pathlib import Path

from theorytools.claims.papers.catalogue import Catalogue, Entry
from tools.bench.left.draft import Draft

PAPER = '[paper]\nkey = "{key}"\narxiv = ""\nversion = 1\nauthors = ""\ntitle = "Notes"\n'


def project(folder: Path, key: str, draft: Draft) -> Entry:
    """Write a draft to ``folder/checks/key`` and return its entry in the catalogue.

    The key is that of a user's paper: seeds are named by it, so that a wrong draft and its twin draw alike.
    """
    paper = folder / "checks" / key
    paper.mkdir(parents=True)
    (paper / "paper.toml").write_text(PAPER.format(key=key), encoding="utf-8")
    (paper / "notation.py").write_text(draft.notation, encoding="utf-8")
    (paper / "lemma.py").write_text(draft.text, encoding="utf-8")
    (entry,) = Catalogue(folder / "checks").select([f"{key}.lemma"])
    return entry
