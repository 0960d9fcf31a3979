"""The folder that a report fills: what changed is written whole, the index last; nothing is lost."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.arguments.checked import PositiveInt, at_most, checked
from theorytools.errors import DomainError, FolderError
from theorytools.files import read_json, write_all
from theorytools.reporting.cache import Cache
from theorytools.reporting.claim import Verdict
from theorytools.reporting.leaves import REST, leaves
from theorytools.reporting.manifest import (
    NAME,
    SECTIONS,
    digest,
    read_manifest,
    refuse_links_in,
    refuse_paths,
    unchanged,
    write_manifest,
)
from theorytools.reporting.pages.contents import Papers
from theorytools.reporting.rendering import INDEX
from theorytools.reporting.site import Site


@checked
@at_most(processes=9999)
def write_report(
    folder: str | Path,
    verdicts: Sequence[Verdict],
    papers: Papers,
    *,
    run: Mapping[str, Any],
    processes: PositiveInt = 1,
) -> Path:
    """Write ``index.html`` and a page for each statement into the folder; return the path of the index.

    Sections are kept in ``sections/`` and made once; a page is written where its content changed.  The files made
    are listed in ``manifest.json`` with the digests of their content: of these the ones that a paper no longer has are
    deleted where they are as they were written, and nothing else ever is.  Pages are moved into place whole, the index
    last, so it never leads to a page that is missing.

    Parameters
    ----------
    folder
        made where it is missing.  It may itself be a link; in it nothing that a report uses may be one.
    verdicts
        stored verdicts (``theorytools.verdict/1``), in any order.  One with ``compact`` true is known from the
        committed record only: it has a line in the index and on the page of its statement, if that has one.
    papers
        the index of statements; claims that it does not list stand on ``<paper>/other.html``.
    run
        ``created``, ``versions``, ``alpha_spent``, ``complete``, ``command``, ``origin``; each may be missing.
    processes
        how many processes draw, where many sections are new.

    Returns
    -------
    Path : where ``index.html`` stands.

    Raises
    ------
    DomainError
        If the folder cannot be written to or has links inside, or a verdict holds a number that is not finite.

    Examples
    --------
    >>> import tempfile
    >>> from theorytools import verify
    >>> verdict = verify("qstr.lemma_11", N=[8], q=1).to_json()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(write_report(folder, [verdict], [], run={}).name)
    index.html
    """
    folder, cache = Path(folder), Cache(Path(folder) / SECTIONS)
    refuse_links_in(folder, {leaf.path.split("/")[0] for leaf in leaves(verdicts, papers)})
    before = read_manifest(folder)
    stay = {path for path in _staying(before, papers) if (folder / path).is_file()}
    site = Site(verdicts, papers, run, cache, processes, frozenset(stay))
    pages = site.pages()
    refuse_paths(folder, pages)
    digests = {path: digest(text) for path, text in pages.items()}
    changed = [path for path in pages if not unchanged(folder, path, digests[path])]
    sections = {f"{SECTIONS}/{name}": known for name, known in cache.digests.items()}
    now = {**{path: before[path] for path in stay}, **digests, **sections}
    origin = {"papers": sorted({path.split("/")[0] for path in now if path.endswith(".html") and "/" in path})}
    origin |= {"checks": run["origin"]} if run.get("origin") else {}
    version = str((run.get("versions") or {}).get("theorytools", ""))
    if not now.keys() <= before.keys():  # listed before they are there: a run cut off leaves no file without an owner
        write_manifest(folder, {**before, **now}, origin, version)
    write_all(folder, {path: pages[path] for path in changed})
    _delete(folder, {path: known for path, known in before.items() if path not in now})
    write_manifest(folder, now, origin, version)
    return folder / INDEX


def _staying(before: Iterable[str], papers: Papers) -> set[str]:
    """The pages made before that stay: of a paper that is not here, or of a statement that its paper still has."""
    own = {leaf.path for leaf in leaves((), papers)}
    keys = {path.split("/")[0] for path in own}
    return {
        path for path in before if path.endswith(".html") and "/" in path
        and (path in own or path.endswith(f"/{REST}.html") or path.split("/")[0] not in keys)
    }  # fmt: skip


def _delete(folder: Path, gone: Mapping[str, str]) -> None:
    """Delete files of the old list; what somebody changed since is theirs."""
    for path, known in gone.items():
        if unchanged(folder, path, known):
            (folder / path).unlink(missing_ok=True)


@checked
def publish(source: str | Path, target: str | Path) -> list[str]:
    """Copy the pages of a report, without verdicts and sections, into a folder to be served; return their paths.

    Pages of an earlier copy that the report no longer has are deleted there; other files are left alone.

    Parameters
    ----------
    source
        a folder that a report fills.
    target
        made where it is missing; one with an ``index.html`` that is no copy of a report is refused.

    Raises
    ------
    DomainError : if the source holds no report or not all of its pages, the target another page, or either a link.
    """
    source, target = Path(source), Path(target)
    refuse_links_in(source)
    refuse_links_in(target)
    pages = sorted(path for path in read_manifest(source) if not path.startswith(f"{SECTIONS}/"))
    if not pages or not (source / INDEX).is_file():
        raise DomainError(
            f"the folder {source}", required="a folder with a report", why="its pages are copied",
            advice="theorytools verify writes one, to site",
        )  # fmt: skip
    before = read_manifest(target)
    if target.resolve() == source.resolve():
        raise DomainError(f"the folder {target}", required="another folder than the report's own")
    refuse_paths(target, pages)
    if foreign := [path for path in pages if path not in before and os.path.lexists(target / path)]:
        raise DomainError(
            f"the folder {target}, whose {foreign[0]} is not of a report",
            required="a folder of such pages, or a new one", why="a page of the report has that name",
            advice="name another folder, or move that file away",
        )  # fmt: skip
    texts = {path: _page(source, path) for path in pages}
    listed = {path: digest(text) for path, text in texts.items()}
    origin, version = _origin(source)
    if not listed.keys() <= before.keys():  # listed before they are there, as in a report
        write_manifest(target, {**before, **listed}, origin, version)
    write_all(target, {**{path: texts[path] for path in pages if path != INDEX}, INDEX: texts[INDEX], ".nojekyll": ""})
    _delete(target, {path: known for path, known in before.items() if path not in listed})
    write_manifest(target, listed, origin, version)
    return pages


def _page(source: Path, path: str) -> str:
    try:
        return (source / path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise FolderError(
            f"the folder {source}, whose page {path} cannot be read", required="all pages that its list names",
            why=str(getattr(error, "strerror", None) or error), advice=f"theorytools report {source} writes it again",
        ) from None  # fmt: skip


def _origin(source: Path) -> tuple[dict[str, Any], str]:
    """Whose statements a report shows, and the version that made it, as far as its list says so."""
    data = read_json(source / NAME)
    made = data.get("origin")
    papers = made.get("papers") if isinstance(made, dict) else ()
    told = [str(key) for key in papers] if isinstance(papers, list) else []
    return {"papers": told}, str(data.get("version", ""))
