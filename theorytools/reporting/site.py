"""All pages of one report, each made whole from verdicts, papers and what is known of the run; nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from theorytools.reporting.cache import Cache
from theorytools.reporting.claim import Verdict
from theorytools.reporting.pages import front, gallery, necessity, paper, statement, themes
from theorytools.reporting.pages.contents import Contents, Papers, label_of
from theorytools.reporting.rendering import FILTERS, INDEX, SEARCH, STYLE, TITLE, filters, style, whole_page


class Site(Contents):
    """All pages of one report; parameters are those of :class:`~theorytools.reporting.pages.contents.Contents`."""

    def pages(self) -> dict[str, str]:
        """Return every file by its path, the index last."""
        pages = {STYLE: style(), SEARCH: front.search(self)}
        across = themes.bodies(self)
        whole = partial(whole_page, pages=across.keys())
        shown = [leaf for leaf in self.leaves if leaf.shown]
        for place, leaf in enumerate(shown):
            near = [shown[k] if 0 <= k < len(shown) else None for k in (place - 1, place + 1)]
            title = f"{label_of(leaf)}: {leaf.paper.get('key', '')}"
            pages[leaf.path] = whole(title, statement.body(self, leaf, *near), leaf.path)
        for key, own in self.by_paper.items():
            path = f"{key}/{INDEX}"
            pages[path] = whole(str(own[0].paper.get("title") or key), paper.body(self, own), path)
            if own[0].paper.get("necessity"):
                path = f"{key}/{necessity.PAGE}"
                pages[path] = whole(f"Hypotheses: {key}", necessity.body(self, own), path)
        for path, (title, body) in across.items():
            pages[path] = whole(title, body, path)
        pages |= {FILTERS: filters()} if "claims.html" in across else {}
        pages |= gallery.pictures(self.leaves)
        return {**pages, INDEX: whole(TITLE, front.body(self), INDEX)}


def render_pages(verdicts: Sequence[Verdict], papers: Papers, *, run: Mapping[str, Any]) -> dict[str, str]:
    """Return the files of a report by path, the index last; nothing is read or written.

    Parameters are those of :func:`.write_report`.
    """
    return Site(verdicts, papers, run, Cache(None)).pages()
