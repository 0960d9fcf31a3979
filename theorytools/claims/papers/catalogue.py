"""Which statements exist, and which of them have a check: by location, without importing any check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.claims.papers.fingerprint import fingerprint
from theorytools.claims.papers.location import check_paths, installed_roots, library_root, relative
from theorytools.claims.papers.paper import Paper, Statement, read_paper
from theorytools.claims.papers.syntax import Entry, is_check, read_entries
from theorytools.errors import CheckError, DomainError, nearest
from theorytools.installed_papers import bringing, tell_broken

__all__ = [
    "Catalogue", "Entry", "Paper", "Statement", "find_roots", "fingerprint", "is_check", "library_root", "read_entries",
    "read_paper", "relative",
]  # fmt: skip


@checked
class Catalogue:
    """Every paper, statement and claim below one ``checks`` folder or several.

    Parameters
    ----------
    roots : a folder that holds ``<paper>/paper.toml``, or several of them, the most one's own first.

    Raises
    ------
    DomainError
        For a folder without papers, and for two folders with a paper of the same key: ids would mean two things.

    Examples
    --------
    >>> catalogue = Catalogue(find_roots())
    >>> [entry.id for entry in catalogue.select(["qstr.lemma_11"])][0]
    'qstr.lemma_11'
    """

    def __init__(self, roots: str | Path | Iterable[str | Path]) -> None:
        given = [roots] if isinstance(roots, str | Path) else list(roots)
        self.roots = tuple(dict.fromkeys(Path(root).resolve() for root in given))
        for root, name in zip(map(Path, given), given, strict=True):
            if not any(root.glob("*/paper.toml")):
                raise DomainError(
                    f"the folder {name}",
                    required="a folder that holds <paper>/paper.toml",
                    why="a check is found by its place",
                    advice="theorytools new PAPER STATEMENT makes one, or pass --checks DIR",
                )
        self._folders = _distinct(self.roots)
        self._listed: dict[Path, list[Entry]] = {}
        self._files: dict[Path, dict[str, Path]] = {}
        self._owned: dict[str, dict[str, list[Entry]]] = {}

    @cached_property
    def papers(self) -> list[Paper]:
        """The papers, by folder and key.

        Raises
        ------
        CheckError : a ``paper.toml`` cannot be read; :attr:`readable` leaves such papers out.
        """
        for problem in self._read[1]:
            raise problem
        return self.readable

    @property
    def readable(self) -> list[Paper]:
        """The papers whose ``paper.toml`` can be read: one broken file does not hide the others."""
        return self._read[0]

    @cached_property
    def _read(self) -> tuple[list[Paper], list[CheckError]]:
        papers, problems = [], []
        for folder in self._folders.values():
            try:
                papers.append(read_paper(folder))
            except CheckError as problem:
                problems.append(problem)
        return papers, problems

    @cached_property
    def entries(self) -> list[Entry]:
        """Every claim, in the order of folders, papers, files and lines."""
        return [entry for folder in self._folders.values() for entry in self._claims(folder)]

    @property
    def own_papers(self) -> list[str]:
        """The keys of the papers in the first folder: those of the project in which a command runs."""
        return [key for key, folder in self._folders.items() if folder.parent == self.roots[0]]

    @property
    def own(self) -> list[Entry]:
        """The claims of the papers in the first folder; no file of the others is read."""
        return [entry for key in self.own_papers for entry in self._claims(self._folders[key])]

    def _claims(self, folder: Path, stem: str = "*") -> Iterator[Entry]:
        """Yield the claims of a paper's files, or of one, in the order of their stems; each file is read once."""
        files = self._stems(folder)
        for path in files.values() if stem == "*" else filter(None, [files.get(stem)]):
            if path not in self._listed:
                self._listed[path] = read_entries(path)
            yield from self._listed[path]

    def _stems(self, folder: Path) -> dict[str, Path]:
        """The files of a paper by stem; ``CheckError`` where two have the same one."""
        if folder not in self._files:
            self._files[folder] = found = dict[str, Path]()
            for stem, path in check_paths(folder):
                if (other := found.setdefault(stem, path)) != path:
                    raise CheckError(
                        f"{other} and {path}", required="one file for each stem",
                        why=f"the id {folder.name}.{stem} would mean two claims", advice="rename one of them",
                    )  # fmt: skip
        return self._files[folder]

    def paper(self, key: str) -> Paper:
        """Return one paper, read from its ``paper.toml``.

        Parameters
        ----------
        key : the name of its folder, such as ``"qstr"``.

        Returns
        -------
        Paper : its bibliography line, statements and parts.

        Raises
        ------
        DomainError : no folder holds it.
        CheckError : its ``paper.toml`` cannot be read.
        """
        if key not in self._folders:
            raise DomainError(
                f"the paper {key!r}", required=f"one of {', '.join(self._folders)}",
                why=f"it was looked up in {self.places}", advice="theorytools list shows all papers",
            )  # fmt: skip
        return read_paper(self._folders[key])

    @property
    def places(self) -> str:
        """The folders in words."""
        return " and ".join(map(str, self.roots))

    def select(self, ids: Iterable[str]) -> list[Entry]:
        """Return the claims named by ids, by prefixes of whole parts, or by the papers' own statement names.

        Parameters
        ----------
        ids : ``"qstr"``, ``"qstr.lemma_11"``, ``"lemma_11"``, or a statement's name in its paper.

        Returns
        -------
        list of Entry : the claims, each once, by folder, paper and file.

        Raises
        ------
        DomainError
            For a name that selects nothing, with the nearest ones.
        """
        wanted: dict[str, Entry] = {}
        for name in ids:
            found = self._by_place(name) or self._by_statement(name) or self._by_end(name)
            if not found:
                raise self._unknown(name)
            wanted.update((entry.id, entry) for entry in found)
        order = {key: k for k, key in enumerate(self._folders)}
        files = dict.fromkeys(e.path for e in sorted(wanted.values(), key=lambda e: (order[e.paper], e.stem)))
        return [entry for path in files for entry in self._listed[path] if entry.id in wanted]

    def one(self, id: str) -> Entry:
        """Return the claim of an id, or the only one that a prefix or a statement's name selects.

        Raises
        ------
        DomainError : it selects none, or several.
        """
        chosen = self.select([id])
        exact = [entry for entry in chosen if entry.id == id] or chosen
        if len(exact) > 1:
            raise DomainError(f"the id {id!r}", required="one claim", advice=" or ".join(entry.id for entry in exact))
        return exact[0]

    def _by_place(self, name: str) -> list[Entry]:
        """The claims whose id is ``name`` or begins with its parts: no file but theirs is read."""
        key, dot, rest = name.partition(".")
        stem = rest.partition(".")[0] if dot else "*"
        if key not in self._folders or not stem or name.endswith("."):
            return []
        claims = self._claims(self._folders[key], stem)
        return [entry for entry in claims if entry.id == name or entry.id.startswith(name + ".")]

    def _by_statement(self, name: str) -> list[Entry]:
        for paper in self.readable:
            for statement in paper.statements:
                if name in (f"{paper.key}.{statement.id}", *statement.aliases, statement.label):
                    return self.claims_of(paper, statement)
        return []

    def _by_end(self, name: str) -> list[Entry]:
        """The claims of ``qstr.lemma_11`` for ``lemma_11``, where one paper alone has such a statement or stem."""
        found = {key: claims for key in self._folders if (claims := self._by_place(f"{key}.{name}"))}
        if len(found) > 1:
            raise DomainError(
                f"the id {name!r}", required="one statement", why="several papers have one of that name",
                advice=" or ".join(f"{key}.{name}" for key in found),
            )  # fmt: skip
        return next(iter(found.values()), [])

    def claims_of(self, paper: Paper, statement: Statement) -> list[Entry]:
        """Return the claims that belong to one statement.

        Parameters
        ----------
        paper : one of :attr:`papers`.
        statement : one of its statements.

        Returns
        -------
        list of Entry : empty where the statement has no check.
        """
        return self._by_owner(paper).get(statement.id, [])

    def _by_owner(self, paper: Paper) -> dict[str, list[Entry]]:
        """The claims of a paper by the id of their statement."""
        if paper.key not in self._owned:
            owned = self._owned[paper.key] = dict[str, list[Entry]]()
            for entry in self._claims(self._folders[paper.key]):
                if (statement := paper.statement_of(entry.stem)) is not None:
                    owned.setdefault(statement.id, []).append(entry)
        return self._owned[paper.key]

    def _unknown(self, name: str) -> DomainError:
        for paper in self.readable:
            for statement in paper.statements:
                if name in (f"{paper.key}.{statement.id}", *statement.aliases) and statement.open:
                    return DomainError(
                        f"the statement {name}",
                        required="a statement with a check",
                        why=f"{statement.label} is open: {statement.open}",
                        advice=f"theorytools new {self._writable(paper)} {statement.id}",
                    )
        names = [e.id for e in self.entries] + [a for p in self.readable for s in p.statements for a in s.aliases]
        near = nearest(name, names, 3, 0.4) or names[:3]
        return DomainError(
            f"the id {name!r}", required="an id of this catalogue", why=f"it was looked up in {self.places}",
            advice=f"did you mean {', '.join(near)}? theorytools list shows all",
        )  # fmt: skip

    def _writable(self, paper: Paper) -> str:
        """The key under which ``new`` may write: the library's papers are not a user's to add to."""
        return paper.key if paper.folder.parent == self.roots[0] else f"my_{paper.key}"

    def index(self, keys: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """Return papers and statements as plain data, with the ids of their claims (for reports).

        Parameters
        ----------
        keys : the papers wanted; all unless given.

        Returns
        -------
        list of dict : one for each paper that can be read.

        Examples
        --------
        >>> catalogue = Catalogue(find_roots())
        >>> catalogue.index(["qstr"])[0]["arxiv"]
        '2503.11272'
        """
        told = self._folders if keys is None else set(keys)
        return [
            {
                "key": p.key, "arxiv": p.arxiv, "version": p.version, "authors": p.authors, "title": p.title,
                "venue": p.venue, "versions": dict(p.versions), "pitfalls": list(p.pitfalls),
                "sayers": {one.claim: {"said_by": one.said_by, "where": one.where} for one in p.sayers},
                "statements": [
                    {"id": s.id, "label": s.label, "title": s.title, "ours": s.ours,
                     "printed": _printed(s), "aliases": list(s.aliases), "open": s.open,
                     "lacks": s.lacks, "account": dict(s.account),
                     "claims": [e.id for e in self.claims_of(p, s)]}
                    for s in p.statements
                ],
                "questions": [asdict(one) for one in p.questions],
                "parts": [{"title": t.title, "text": t.text, "statements": list(t.statements)} for t in p.parts],
            }
            for p in self.readable if p.key in told
        ]  # fmt: skip


def _printed(statement: Statement) -> dict[str, Any] | None:
    """What is printed of a statement, without the relations that are computed."""
    if (own := statement.printed) is None:
        return None
    return {
        "number": dict(own.number), "read": dict(own.read), "unknown": own.unknown, "relation": own.relation,
        "why": own.why, "matched": own.matched, "found": own.found,
        "formulas": [
            {"of": one.of, "formula": one.formula, "claim": one.claim, "quantity": one.quantity,
             "relation": one.relation, "why": one.why}
            for one in own.formulas
        ],
    }  # fmt: skip


def _distinct(roots: Iterable[Path]) -> dict[str, Path]:
    """The folders of all papers by key, in order; ``DomainError`` where two roots hold one key."""
    folders: dict[str, Path] = {}
    for root in roots:
        for toml in sorted(root.glob("*/paper.toml")):
            key = toml.parent.name
            if key in folders:
                raise _clash(key, folders[key].parent, root)
            folders[key] = toml.parent
    return folders


def _clash(key: str, first: Path, second: Path) -> DomainError:
    """The error of two folders with one paper, each named with the distribution that brings it."""
    theirs = {root: one.distribution for root in (first, second) if (one := bringing(root))}
    said = (f"{root}, of the distribution {theirs[root]}" if root in theirs else str(root) for root in (first, second))
    rename = f"rename {first / key} and the key in its paper.toml; in a clone, pip install -e ."
    gone = " or ".join(f"pip uninstall {name.partition(' ')[0]}" for name in theirs.values())
    return DomainError(
        f"the paper {key!r} in {' and in '.join(said)}", required="one folder for each paper",
        why=f"the id {key}.lemma_1 would mean two claims",
        advice=f"{gone}{'' if len(theirs) > 1 else '; in its clone, pip install -e .'}" if theirs else rename,
    )  # fmt: skip


def find_roots(given: str | Path | None = None, start: Path | None = None) -> tuple[Path, ...]:
    """Return the folders of checks: the given one, else ``checks`` here or in a parent; and always the installed ones.

    The user's folder comes first, then the library's and those that other distributions bring.  Where the user's is
    what one of these was installed from, as in a clone, it stands for it.  One line on standard error tells of each
    entry point that names no papers.
    """
    tell_broken()
    here = (start or Path.cwd()).resolve()
    above = (folder / "checks" for folder in (here, *here.parents))
    own = Path(given) if given is not None else next((p for p in above if any(p.glob("*/paper.toml"))), None)
    places = [*([own] if own is not None else []), *installed_beside(own)]
    if not places:
        raise DomainError(
            "no checks folder",
            required="checks/<paper>/paper.toml here or in a parent folder",
            advice="theorytools new PAPER STATEMENT makes one, or pass --checks DIR",
        )
    return Catalogue(places).roots


def installed_beside(own: Path | None) -> list[Path]:
    """Return the installed folders of papers, without those that were installed from the project of the user's own."""
    projects = {root: one.source.project for root in installed_roots() if (one := bringing(root))}
    here = None if own is None else own.resolve()
    return [
        root for root in installed_roots()
        if here is None or (project := projects.get(root)) is None or not here.is_relative_to(project)
    ]  # fmt: skip
