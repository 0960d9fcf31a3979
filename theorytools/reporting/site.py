"""All pages of one report, each made whole from verdicts, papers and what is known of the run; nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from theorytools.reporting import badge, cite
from theorytools.reporting.cache import Cache
from theorytools.reporting.claim import Verdict
from theorytools.reporting.pages import front, gallery, necessity, paper, statement, themes
from theorytools.reporting.pages.contents import Contents, Papers, label_of
from theorytools.reporting.pages.search_index import search
from theorytools.reporting.rendering import (
    FILTERS,
    INDEX,
    SEARCH,
    STYLE,
    TITLE,
    citation,
    filters,
    style,
    whole_page,
)

ABOUT = "Theorems of papers on learning theory, checked: every bound against the network that its proof builds, at "
ABOUT += "sizes where a wrong constant would show, each with a control that must fail"


class Site(Contents):
    """All pages of one report; parameters are those of :class:`~theorytools.reporting.pages.contents.Contents`.

    ``documentation`` of the run is where a documentation begins that is published with the pages.
    """

    def pages(self) -> dict[str, str]:
        """Return every file by its path, the index last."""
        bodies = {path: (title, body, self._about(path)) for path, (title, body) in themes.bodies(self).items()}
        for key, own in self.by_paper.items():
            name = str(own[0].paper.get("title") or key)
            bodies[f"{key}/{INDEX}"] = name, paper.body(self, own), f"{name}: what was found, statement by statement"
            if own[0].paper.get("necessity"):
                about = f"{name}: which hypothesis of which claim is needed"
                bodies[f"{key}/{necessity.PAGE}"] = f"Hypotheses: {key}", necessity.body(self, own), about
        shown = [leaf for leaf in self.leaves if leaf.shown]
        for place, leaf in enumerate(shown):
            near = [shown[k] if 0 <= k < len(shown) else None for k in (place - 1, place + 1)]
            title = f"{label_of(leaf)}: {leaf.paper.get('key', '')}"
            bodies[leaf.path] = title, statement.body(self, leaf, *near), statement.about(leaf)
        bodies[INDEX] = TITLE, front.body(self), ABOUT
        statements = {leaf.path for leaf in shown}
        pages = {
            path: whole_page(
                title, body, path, bodies.keys(), about=about, documentation=str(self.run.get("documentation") or ""),
                cite="" if path in statements else self._cited(title, path),
            ) for path, (title, body, about) in bodies.items()
        }  # fmt: skip
        last = {INDEX: pages.pop(INDEX)}
        scripts = {SEARCH: search(self), **({FILTERS: filters()} if "claims.html" in bodies else {})}
        missing = sum(len(leaf.missing) for leaf in self.leaves)
        drawn = {**gallery.pictures(self.leaves), badge.PATH: badge.badge(self.verdicts, missing)}
        return {STYLE: style(), **scripts, **pages, **drawn, **last}

    def _about(self, path: str) -> str:
        title, contents = themes.themes(self)[path]
        return f"{title}: {contents}"

    def _cited(self, title: str, path: str) -> Markup:
        """How a page is cited that is of no one statement; that of a paper, the paper first."""
        version = str((self.run.get("versions") or {}).get("theorytools", ""))
        if path == INDEX:
            return citation([cite.of_tool(version)], path)
        own = self.by_paper.get(path.split("/")[0]) if "/" in path else None
        return citation([cite.of_paper(own[0].paper) if own else "", cite.of_page(title, path, version)], path)


def render_pages(verdicts: Sequence[Verdict], papers: Papers, *, run: Mapping[str, Any]) -> dict[str, str]:
    """Return the files of a report by path, the index last; nothing is read or written.

    Parameters are those of :func:`.write_report`.
    """
    return Site(verdicts, papers, run, Cache(None)).pages()
