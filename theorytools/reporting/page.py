"""The page: verdicts, papers and run facts through the templates; and the folder that a report fills."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from theorytools.files import json_text, write_all
from theorytools.reporting import words
from theorytools.reporting.claim import Verdict, section
from theorytools.reporting.figure import Figure, figure
from theorytools.reporting.mathfont import FAMILY, characters_of, font_face
from theorytools.reporting.overview import Paper, counts, failures, index
from theorytools.reporting.runs import Run, runs
from theorytools.reporting.tables import latex_table, markdown_table

TEMPLATES = Path(__file__).parent / "templates"
INLINE_ROWS = (40, 20, 10, 4)  # the first that keeps the page within its size
PER_STATEMENT, LARGEST, FIXED = 25_000, 4_000_000, 60_000  # bytes; FIXED: style sheet and font


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


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
    shelves = index(verdicts, papers)
    figures = {v["id"]: figure(v, prefix=f"m{place}-") for place, v in enumerate(verdicts)}
    trained = runs(papers)
    statements = sum(len(shelf.statements) for shelf in shelves)
    allowed = min(LARGEST, FIXED + PER_STATEMENT * statements)
    page = ""
    for limit in INLINE_ROWS:
        page = _render(verdicts, shelves, figures, trained, run, limit)
        if len(page.encode()) <= allowed:
            break
    return page


def _render(
    verdicts: Sequence[Verdict],
    shelves: Sequence[Paper],
    figures: Mapping[str, Figure | None],
    trained: Sequence[Run],
    run: Mapping[str, Any],
    limit: int,
) -> str:
    sections = {v["id"]: section(v, figure=figures[v["id"]], limit=limit) for v in verdicts}
    alpha = run.get("alpha_spent")
    statements = [statement for shelf in shelves for statement in shelf.statements]
    body = _environment().get_template("body.html.j2").render(
        shelves=shelves,
        sections=sections,
        counts=counts(verdicts),
        failures=failures(verdicts),
        trained=trained,
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
    body = re.sub(r"\n\s*", "\n", body)
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8").replace("MATH-FAMILY", FAMILY)
    style = font_face(characters_of(body)) + re.sub(r"\n\s*", "\n", style)
    # the style sheet is ours and holds no "<", so it may stand unescaped
    return _environment().get_template("page.html.j2").render(style=Markup(style), body=Markup(body))


def write_report(
    folder: Path,
    verdicts: Sequence[Verdict],
    papers: Sequence[Mapping[str, Any]],
    *,
    run: Mapping[str, Any],
) -> Path:
    """Write ``index.html``, ``index.json``, ``verdicts.md``, ``verdicts.tex``; return the path of the page.

    All four are rendered in memory before the first file is touched: a failure leaves the old report whole.

    Raises
    ------
    DomainError : if the folder cannot be written to, or a verdict holds a number that is not finite.
    """
    files = {
        "index.json": _index_json(verdicts, papers, run),
        "verdicts.md": markdown_table(verdicts),
        "verdicts.tex": latex_table(verdicts),
        "index.html": render_html(verdicts, papers, run=run),
    }
    write_all(Path(folder), files)
    return Path(folder) / "index.html"


def _index_json(verdicts: Sequence[Verdict], papers: Sequence[Mapping[str, Any]], run: Mapping[str, Any]) -> str:
    """One verdict or paper a line, so that two reports can be compared line by line."""
    papers_text, verdicts_text = (",\n".join(map(json_text, items)) for items in (papers, verdicts))
    head = f'{{"schema":"theorytools.report/1",\n"run":{json_text(dict(run))},\n'
    return f'{head}"papers":[\n{papers_text}\n],\n"verdicts":[\n{verdicts_text}\n]}}\n'
