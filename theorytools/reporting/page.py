"""The page: verdicts, papers and run facts through the templates; and the folder that a report fills."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from theorytools.files import json_text, write_all
from theorytools.reporting import words
from theorytools.reporting.claim import Section, Verdict, section
from theorytools.reporting.figure import Figure, figure
from theorytools.reporting.mathfont import FAMILY, characters_of, font_face
from theorytools.reporting.overview import Paper, counts, failures, index
from theorytools.reporting.runs import Run, runs
from theorytools.reporting.tables import latex_table, markdown_table

TEMPLATES = Path(__file__).parent / "templates"
INLINE_ROWS = (40, 20, 10, 4)  # the first that keeps the page within its size
PER_STATEMENT, LARGEST, FIXED = 25_000, 4_000_000, 60_000  # bytes; FIXED: style sheet and font
LEAST_CLAIM = 10_000  # bytes of a claim with few rows: with more claims than fit by this count one page is not tried
OVERVIEW = "index.html"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


@dataclass(frozen=True)
class _Content:
    """What the templates show; ``pages`` names the page of each claim, empty for the overview itself."""

    verdicts: Mapping[str, Verdict]
    shelves: Sequence[Paper]
    figures: Mapping[str, Figure | None]
    trained: Sequence[Run]
    run: Mapping[str, Any]
    pages: Mapping[str, str]

    def overview(self, limit: int) -> str:
        """Return the page of all statements, with the claims that have no page of their own."""
        verdicts, run = list(self.verdicts.values()), self.run
        alpha, statements = run.get("alpha_spent"), [s for shelf in self.shelves for s in shelf.statements]
        body = _environment().get_template("body.html.j2").render(
            shelves=self.shelves,
            sections=self._sections((id for id, page in self.pages.items() if not page), limit),
            pages=self.pages,
            split=any(self.pages.values()),
            home="",
            counts=counts(verdicts),
            failures=failures(verdicts),
            trained=self.trained,
            total=len(verdicts),
            unexpected=sum(not v.get("as_expected") for v in verdicts),
            statements=len(statements),
            covered=sum(bool(statement.entries) for statement in statements),
            gaps=sum(bool(statement.gap) for statement in statements),
            evidence=words.EVIDENCE,
            created=run.get("created", ""),
            versions=[f"{name} {value}" for name, value in (run.get("versions") or {}).items()],
            alpha="" if alpha is None else words.small(alpha),
            complete=run.get("complete", True),
            command=run.get("command", ""),
        )  # fmt: skip
        return _whole("Verification report", body)

    def paper(self, shelf: Paper, limit: int) -> str:
        """Return the page of one paper's claims."""
        sections = self._sections(shelf.claims, limit)
        template = _environment().get_template("paper.html.j2")
        return _whole(shelf.title, template.render(shelf=shelf, sections=sections, home=OVERVIEW))

    def _sections(self, ids: Iterable[str], limit: int) -> dict[str, Section]:
        return {id: section(self.verdicts[id], figure=self.figures[id], limit=limit) for id in ids}


def _content(verdicts: Sequence[Verdict], papers: Sequence[Mapping[str, Any]], run: Mapping[str, Any]) -> _Content:
    figures = {v["id"]: figure(v, prefix=f"m{place}-") for place, v in enumerate(verdicts)}
    own, here = {v["id"]: v for v in verdicts}, dict.fromkeys((v["id"] for v in verdicts), "")
    return _Content(own, index(verdicts, papers), figures, runs(papers), run, here)


def _fitting(render: Callable[[int], str], items: int) -> str:
    """Return the page with the most rows that is within its size, or the one with the fewest."""
    allowed = min(LARGEST, FIXED + PER_STATEMENT * items)
    least = render(INLINE_ROWS[-1])
    if len(least.encode()) > allowed:
        return least
    pages = (render(limit) for limit in INLINE_ROWS[:-1])
    return next((page for page in pages if len(page.encode()) <= allowed), least)


def _one_page(content: _Content) -> str:
    statements = sum(len(shelf.statements) for shelf in content.shelves)
    return _fitting(content.overview, max(statements, len(content.verdicts)))


def render_html(verdicts: Sequence[Verdict], papers: Sequence[Mapping[str, Any]], *, run: Mapping[str, Any]) -> str:
    """Return the report as one page that needs nothing else: no script, no address, its own font.

    Parameters
    ----------
    verdicts
        stored verdicts (``theorytools.verdict/1``), in any order.
    papers
        the index of statements; claims that it does not list come last.
    run
        ``created``, ``versions``, ``alpha_spent``, ``complete``, ``command``; each may be missing.
    """
    return _one_page(_content(verdicts, papers, run))


def render_pages(
    verdicts: Sequence[Verdict], papers: Sequence[Mapping[str, Any]], *, run: Mapping[str, Any]
) -> dict[str, str]:
    """Return the report's pages by file name: one, or an overview and a page for each paper where it is above 4 MB.

    Parameters are those of :func:`render_html`.
    """
    content = _content(verdicts, papers, run)
    if FIXED + LEAST_CLAIM * len(verdicts) <= LARGEST:
        one = _one_page(content)
        if len(one.encode()) <= LARGEST:
            return {OVERVIEW: one}
    shelves = [shelf for shelf in content.shelves if shelf.claims]
    content = replace(content, pages={id: f"{shelf.key}.html" for shelf in shelves for id in shelf.claims})
    rest = {f"{s.key}.html": _fitting(partial(content.paper, s), len(s.claims)) for s in shelves}
    return {OVERVIEW: content.overview(INLINE_ROWS[-1]), **rest}


def _whole(title: str, body: str) -> str:
    body = re.sub(r"\n\s*", "\n", body)
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8").replace("MATH-FAMILY", FAMILY)
    style = font_face(characters_of(body)) + re.sub(r"\n\s*", "\n", style)
    # the style sheet is ours and holds no "<", so it may stand unescaped
    template = _environment().get_template("page.html.j2")
    return template.render(title=title, style=Markup(style), body=Markup(body))


def write_report(
    folder: Path,
    verdicts: Sequence[Verdict],
    papers: Sequence[Mapping[str, Any]],
    *,
    run: Mapping[str, Any],
) -> Path:
    """Write the pages, ``index.json``, ``verdicts.md`` and ``verdicts.tex``; return the path of ``index.html``.

    All are rendered in memory before the first file is touched: a failure leaves the old report whole.

    Raises
    ------
    DomainError : if the folder cannot be written to, or a verdict holds a number that is not finite.
    """
    files = {
        "index.json": _index_json(verdicts, papers, run),
        "verdicts.md": markdown_table(verdicts),
        "verdicts.tex": latex_table(verdicts),
        **render_pages(verdicts, papers, run=run),
    }
    write_all(Path(folder), files)
    for name in {f"{paper.get('key')}.html" for paper in papers} | {"other.html"}:
        if name not in files:  # a page of an earlier, larger report
            (Path(folder) / name).unlink(missing_ok=True)
    return Path(folder) / OVERVIEW


def _index_json(verdicts: Sequence[Verdict], papers: Sequence[Mapping[str, Any]], run: Mapping[str, Any]) -> str:
    """One verdict or paper a line, so that two reports can be compared line by line."""
    papers_text, verdicts_text = (",\n".join(map(json_text, items)) for items in (papers, verdicts))
    head = f'{{"schema":"theorytools.report/1",\n"run":{json_text(dict(run))},\n'
    return f'{head}"papers":[\n{papers_text}\n],\n"verdicts":[\n{verdicts_text}\n]}}\n'
