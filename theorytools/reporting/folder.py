"""The folder that a report fills: what changed is written whole, the index last; nothing is lost."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.arguments.checked import PositiveInt, at_most, checked
from theorytools.errors import DomainError, FolderError
from theorytools.reporting.cache import Cache
from theorytools.reporting.claim import Verdict
from theorytools.reporting.leaves import REST, leaves
from theorytools.reporting.manifest import SECTIONS, ReportFolder, digest
from theorytools.reporting.pages.contents import Papers
from theorytools.reporting.rendering import INDEX
from theorytools.reporting.site import Site

_ENDS = re.compile(r"</(?:td|th|tr|li|dd|dt|tbody|thead)>\n?")  # of elements that end where the next one begins
_RIGID = re.compile(
    r'<mo (?:stretchy="false" lspace="0" rspace="0"|lspace="0" rspace="0"|stretchy="false"(?=>[()\[\]{}]<))>(.)</mo>'
)
MARK = ".nojekyll"  # that the pages are served as they are


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
    deleted, where this machine wrote the list and they are as they were written, and nothing else ever is.  Pages are
    moved into place whole, the index last, so it never leads to a page that is missing.

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
    place, cache = ReportFolder(Path(folder)), Cache(Path(folder) / SECTIONS)
    place.refuse_links_in({leaf.path.split("/")[0] for leaf in leaves(verdicts, papers)})
    before, own = place.listed(), place.sealed_here
    stay = {path for path in _staying(before, papers, own=own) if (place.path / path).is_file()}
    site = Site(verdicts, papers, run, cache, processes, frozenset(stay))
    pages = site.pages()
    place.refuse_paths(pages)
    digests = {path: digest(text) for path, text in pages.items()}
    changed = [path for path in pages if not place.holds(path, digests[path])]
    place.say_replaced(changed, before)
    sections = {f"{SECTIONS}/{name}": known for name, known in cache.digests.items()}
    now = {**{path: before[path] for path in stay}, **digests, **sections}
    origin = {"papers": sorted({path.split("/")[0] for path in now if path.endswith(".html") and "/" in path})}
    origin |= {"checks": run["origin"]} if run.get("origin") else {}
    version = str((run.get("versions") or {}).get("theorytools", ""))
    if not now.keys() <= before.keys():  # listed before they are there: a run cut off leaves no file without an owner
        place.list({**before, **now}, origin, version)
    place.write({path: pages[path] for path in changed})
    place.delete({path: known for path, known in before.items() if own and path not in now})
    place.list(now, origin, version)
    return place.path / INDEX


def _staying(before: Iterable[str], papers: Papers, *, own: bool) -> set[str]:
    """The pages made before that stay: of a paper that is not here, or of a statement that its paper still has.

    Of a list that this machine did not write (``own``) none does: its pages may say anything.
    """
    if not own:
        return set()
    pages = {leaf.path for leaf in leaves((), papers)}
    keys = {path.split("/")[0] for path in pages}
    return {
        path for path in before if path.endswith(".html") and "/" in path
        and (path in pages or path.endswith(f"/{REST}.html") or path.split("/")[0] not in keys)
    }  # fmt: skip


@checked
def publish(source: str | Path, target: str | Path, shown: Mapping[str, str] | None = None) -> list[str]:
    """Copy the pages of a report, without verdicts and sections, into a folder to be served; return their paths.

    Pages of an earlier copy that the report no longer has are deleted there; other files are left alone.

    Parameters
    ----------
    source
        a folder that a report fills.
    target
        made where it is missing; one with an ``index.html`` that is no copy of a report is refused.
    shown
        the pages by path, where they were rendered for this copy; those of the source otherwise.

    Raises
    ------
    DomainError : if the source holds no report, not all of its pages, or pages that another machine has rendered; the
        target another page; or either a link.
    """
    made, copy = ReportFolder(Path(source)), ReportFolder(Path(target))
    made.refuse_links_in()
    copy.refuse_links_in()
    pages, before = _pages(made) if shown is None else sorted(shown), copy.listed()
    if copy.path.resolve() == made.path.resolve():
        raise DomainError(f"the folder {target}", required="another folder than the report's own")
    copy.refuse_paths(pages)
    if foreign := [path for path in pages if path not in before and os.path.lexists(copy.path / path)]:
        raise DomainError(
            f"the folder {target}, whose {foreign[0]} is not of a report",
            required="a folder of such pages, or a new one", why="a page of the report has that name",
            advice="name another folder, or move that file away",
        )  # fmt: skip
    texts = {path: _page(made, path) if shown is None else shown[path] for path in pages}
    texts = {path: lean(text) if path.endswith(".html") else text for path, text in texts.items()}
    listed = {path: digest(text) for path, text in texts.items()}
    told = made.origin().get("papers")
    origin = {"papers": [str(key) for key in told] if isinstance(told, list) else []}
    version = str(made.told().get("version", ""))
    copy.say_replaced([path for path in pages if not copy.holds(path, listed[path])], before)
    if not listed.keys() <= before.keys():  # listed before they are there, as in a report
        copy.list({**before, **listed}, origin, version)
    mark = {} if (copy.path / MARK).exists() else {MARK: ""}
    copy.write({**{path: texts[path] for path in pages if path != INDEX}, INDEX: texts[INDEX], **mark})
    copy.delete({path: known for path, known in before.items() if path not in listed})
    copy.list(listed, origin, version)
    return pages


def lean(page: str) -> str:
    """Return a page in fewer letters, a tenth less, that a browser shows as before.

    End tags that HTML lets one leave out go; an operator that is told not to stretch and to have no space around it,
    such as a bracket, is written as a letter, which does neither by itself.
    """
    return _RIGID.sub(r"<mi>\1</mi>", _ENDS.sub("", page))


def _pages(made: ReportFolder) -> list[str]:
    """The paths of the pages of a report that was rendered here."""
    pages = sorted(path for path in made.listed() if not path.startswith(f"{SECTIONS}/"))
    if not pages or not (made.path / INDEX).is_file():
        raise DomainError(
            f"the folder {made.path}", required="a folder with a report", why="its pages are copied",
            advice="theorytools verify writes one, to site",
        )  # fmt: skip
    if not made.sealed_here:
        raise DomainError(
            f"the folder {made.path}, whose pages were not rendered here", required="pages made from stored verdicts",
            why="those of somebody else may say anything", advice=f"theorytools report {made.path} renders them",
        )  # fmt: skip
    return pages


def _page(made: ReportFolder, path: str) -> str:
    try:
        return made.read(path).decode()
    except (OSError, ValueError) as error:
        raise FolderError(
            f"the folder {made.path}, whose page {path} cannot be read", required="all pages that its list names",
            why=str(getattr(error, "strerror", None) or error),
            advice=f"theorytools report {made.path} writes it again",
        ) from None  # fmt: skip
