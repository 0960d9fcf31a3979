"""Templates filled in, and pages that need the style sheet beside them, which holds the font, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from theorytools.reporting.mathfont import FAMILY, font_face

if TYPE_CHECKING:
    from jinja2 import Environment


TITLE = "Theorems, checked"  # of a report
INDEX, STYLE, SEARCH, FILTERS = "index.html", "style.css", "search.js", "filters.js"
NAVIGATION = {  # the pages across papers, in the order of the navigation, by the name that they have there
    "claims.html": "Claims", "phase.html": "Phase diagrams", "constructions.html": "Constructions",
    "pitfalls.html": "Pitfalls", "predictions.html": "Predictions", "open.html": "Open",
    "finds.html": "What it finds", "trust.html": "Trust", "changes.html": "Changes",
}  # fmt: skip
TEMPLATES = Path(__file__).parent / "templates"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from theorytools.reporting.compiled import Compiled

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        bytecode_cache=Compiled(),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def fill(template: str, **values: Any) -> str:
    """Return the HTML of a template; all text in ``values`` is escaped that is not markup already."""
    return re.sub(r"\n\s*", "\n", _environment().get_template(f"{template}.html.j2").render(**values)).strip()


@lru_cache(maxsize=1)
def style() -> str:
    """Return the style sheet of all pages, the mathematical font inside."""
    text = (TEMPLATES / STYLE).read_text(encoding="utf-8").replace("MATH-FAMILY", FAMILY)
    return font_face() + re.sub(r"\n\s*", "\n", text)


def filters() -> str:
    """Return the script that filters the table of claims."""
    return (TEMPLATES / FILTERS).read_text(encoding="utf-8")


def whole_page(title: str, body: str, path: str, pages: Container[str] = NAVIGATION) -> str:
    """Return a page that stands at ``path`` below the folder of style sheet and search.

    ``pages`` are those of the report: the navigation leads to no other.
    """
    root = "../" * path.count("/")
    page = _environment().get_template("page.html.j2")
    links = [(at, name) for at, name in NAVIGATION.items() if at in pages]
    return page.render(
        title=title, root=root, style=STYLE, search=SEARCH, body=Markup(body), links=links, here=path
    ).lstrip()  # fmt: skip
