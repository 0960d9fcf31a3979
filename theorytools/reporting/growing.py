"""A report while its claims are judged: a page for each statement that is done, and an index that says how far it is.

It begins where a run lasts longer than ``PATIENCE`` seconds and no finished report is in the folder, which would be
left alone.  What it writes is listed like the pages of a report, and the report written at the end replaces all of it:
a run cut off before leaves an index that says so.  The clock decides when something is shown, and nothing else.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError
from theorytools.reporting.cache import Cache
from theorytools.reporting.claim import Verdict
from theorytools.reporting.leaves import Leaf, leaves
from theorytools.reporting.manifest import SECTIONS, ReportFolder, digest
from theorytools.reporting.pages import statement
from theorytools.reporting.pages.contents import Contents, Papers, label_of, source_of
from theorytools.reporting.pages.search_index import search
from theorytools.reporting.pages.themes import THEMES
from theorytools.reporting.rendering import INDEX, SEARCH, STYLE, TITLE, fill, style, whole_page

PATIENCE, EVERY = 3.0, 3.0  # seconds before anything is shown, and between two indexes
AT_ONCE = 2  # pages written before the run goes on: the processes that judge wait so long
UNFINISHED = "unfinished"


def finished(folder: Path) -> bool:
    """Whether a folder holds a report that a run has brought to its end."""
    return (folder / INDEX).is_file() and not ReportFolder(folder).origin().get(UNFINISHED)


class Growing:
    """The pages of a run that is not at its end.

    Parameters
    ----------
    folder
        of the report; it holds no finished one.
    papers
        gives the index of statements, as :func:`~theorytools.reporting.folder.write_report` has it; asked for once,
        where something is shown.
    known
        verdicts that the run begins with.
    waiting
        the ids of claims that will be judged.
    run
        ``versions``, ``origin``, ``command``; each may be missing.
    """

    def __init__(
        self, folder: Path, papers: Callable[[], Papers], known: Iterable[Verdict], waiting: Iterable[str],
        run: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.place, self.run, self._papers = ReportFolder(folder), run, papers
        self.verdicts = {str(v["id"]): v for v in known}
        self.waiting = set(waiting)
        self.total = len(self.verdicts.keys() | self.waiting)
        self.begun, self.shown = time.monotonic(), -EVERY
        self.written: dict[str, Leaf] = {}
        self.failed = False
        self.cache = Cache(folder / SECTIONS)
        self._files: dict[str, str] | None = None

    @cached_property
    def leaves(self) -> list[Leaf]:
        """The statements, still without verdicts."""
        return leaves((), self._papers())

    def add(self, verdict: Verdict) -> None:
        """Take a verdict as soon as it is there, and write what is due."""
        self.verdicts[str(verdict["id"])] = verdict
        self.lose(str(verdict["id"]))

    def lose(self, id: str) -> None:
        """Wait no longer for a claim, judged or not, and write what is due."""
        self.waiting.discard(id)
        now = time.monotonic()
        if self.waiting and not self.failed and now - self.begun >= PATIENCE:  # after the last comes the report
            try:
                self._grow()
            except (DomainError, OSError):  # no verdict is lost by it, and the report at the end meets it again
                self.failed = True
            if now - self.shown >= EVERY:
                self.index()

    def index(self) -> bool:
        """Write the index, if anything was written, to say how far the run has come; return whether there is one."""
        if self._files is None or self.failed:
            return False
        self.shown = time.monotonic()
        try:
            self._write({INDEX: whole_page(TITLE, self._front(), INDEX, THEMES)})
        except (DomainError, OSError):
            self.failed = True
        return not self.failed

    def _grow(self) -> None:
        pages = self._first() if self._files is None else {}
        room = AT_ONCE
        for leaf in self.leaves:
            ids = leaf.statement.get("claims") or ()
            if room and leaf.path not in self.written and ids and not self.waiting.intersection(ids):
                own = [self.verdicts[id] for id in ids if id in self.verdicts]
                if own:
                    pages |= self._page(leaf, own)
                    room -= 1
        if pages:
            self._write(pages)

    def _page(self, leaf: Leaf, verdicts: list[Verdict]) -> dict[str, str]:
        """The page of one statement by itself: what it rests on is drawn when all are there."""
        alone = {"statements": [leaf.statement], "edges": [], "findings": [], "parts": []}
        site = Contents(verdicts, [{**leaf.paper, **alone}], self.run, self.cache)
        own = site.leaves[0]
        self.written[leaf.path] = own
        if own.path != leaf.path:  # two statements whose names differ in signs that no file name has
            return {}
        title = f"{label_of(own)}: {own.paper.get('key', '')}"
        return {own.path: whole_page(title, statement.body(site, own, None, None), own.path, THEMES)}

    def _first(self) -> dict[str, str]:
        """What every page leads to: style and search, and in place of the other pages the word that they will come."""
        self._files = self.place.listed()
        titles = {path: title for path, (title, _) in THEMES.items()}
        for leaf in self.leaves:
            titles[f"{leaf.path.split('/')[0]}/{INDEX}"] = str(leaf.paper.get("title") or leaf.paper.get("key"))
        empty = Contents((), (), self.run, self.cache)
        pages = {STYLE: style(), SEARCH: search(empty)}
        for path, title in titles.items():
            body = fill("unfinished", title=title, front="../" * path.count("/") + INDEX, shelves=[], word="judged")
            pages[path] = whole_page(title, body, path, THEMES)
        return pages

    def _front(self) -> str:
        shelves: dict[str, dict[str, Any]] = {}
        for leaf in self.leaves:
            ids = list(leaf.statement.get("claims") or ())
            if not self.verdicts.keys() & set(ids) and not self.waiting.intersection(ids):
                continue
            paper = leaf.paper
            head: dict[str, Any] = {
                "title": paper.get("title") or paper.get("key"),
                "source": source_of(paper),
                "lines": [],
            }
            shelf = shelves.setdefault(leaf.path.split("/")[0], head)
            own = [self.verdicts[id] for id in ids if id in self.verdicts]
            shelf["lines"].append({
                "label": label_of(leaf), "href": leaf.path if leaf.path in (self._files or {}) else "",
                "judged": len(own), "claims": len(ids), "unexpected": sum(not v.get("as_expected") for v in own),
            })  # fmt: skip
        return fill(
            "unfinished", title=TITLE, front="", shelves=list(shelves.values()),
            done=len(self.verdicts), total=self.total, command=self.run.get("command", ""),
            unexpected=sum(not v.get("as_expected") for v in self.verdicts.values()),
            word="judged or confirmed" if any("committed" in v for v in self.verdicts.values()) else "judged",
        )  # fmt: skip

    def _write(self, pages: Mapping[str, str]) -> None:
        """Write pages, listed before they are there; so are the sections that were made for them."""
        made = {f"{SECTIONS}/{name}" for name in self.cache.used} - (self._files or {}).keys()
        sections = {path: hashlib.sha256(self.place.read(path)).hexdigest() for path in made}
        self.place.say_replaced(pages.keys() - (self._files or {}).keys(), {})
        self._files = {**(self._files or {}), **sections, **{path: digest(text) for path, text in pages.items()}}
        origin: dict[str, Any] = {"papers": sorted({p.split("/")[0] for p in self._files if p.endswith(f"/{INDEX}")})}
        origin |= {"checks": self.run["origin"]} if self.run.get("origin") else {}
        version = str((self.run.get("versions") or {}).get("theorytools", ""))
        self.place.list(self._files, {**origin, UNFINISHED: True}, version)
        self.place.write(pages, durable=False)
