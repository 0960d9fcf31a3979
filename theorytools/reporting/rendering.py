"""Templates filled in, and pages that need the style sheet beside them, which holds the font, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
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
    "claims.html": "Claims", "phase.html": "Phase", "constructions.html": "Constructions",
    "pitfalls.html": "Pitfalls", "predictions.html": "Predictions", "open.html": "Open",
    "finds.html": "Finds", "trust.html": "Trust", "changes.html": "Changes",
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


def navigation(pages: Collection[str], here: str, documentation: str = "") -> Markup:
    """Return the navigation of the page at ``here``; it leads to those of ``pages`` and to the ``documentation``.

    Parameters
    ----------
    pages : the paths of a report, below its folder.
    here : the path of the page, also below that folder.
    documentation : the path of the documentation's front; empty where there is none.
    """
    links = [(path, name) for path, name in NAVIGATION.items() if path in pages]
    links = [("index.html#papers", "Papers")] * any(path.endswith(f"/{INDEX}") for path in pages) + links
    current = documentation if documentation and here.startswith("docs/") else here
    links += [(documentation, "Documentation")] if documentation else []
    macros = _environment().get_template("macros.html.j2").module
    return Markup(macros.navigation("../" * here.count("/"), links, current))  # type: ignore[attr-defined]


def citation(texts: Sequence[str], path: str, claims: Sequence[str] = ()) -> Markup:
    """Return how the page at ``path`` is cited: its address, those of its ``claims``, and BibTeX."""
    return Markup(fill("cite", texts=[text for text in texts if text], path=path, claims=claims))


def whole_page(
    title: str, body: str, path: str, pages: Collection[str] = NAVIGATION, *, about: str = "",
    cite: str | Markup = "", documentation: str = "",
) -> str:  # fmt: skip
    """Return a page that stands at ``path`` below the folder of style sheet and search.

    Parameters
    ----------
    title, body, path : of the page.
    pages : those of the report: the navigation leads to no other.
    about : what it is about, in a sentence, for those who find it elsewhere.
    cite : how to cite it (:func:`citation`), at its end.
    documentation : where a documentation begins, published with it.
    """
    page = _environment().get_template("page.html.j2")
    return page.render(
        title=title, root="../" * path.count("/"), style=STYLE, search=SEARCH, body=Markup(body), about=about,
        navigation=navigation(pages, path, documentation), cite=Markup(cite),
    ).lstrip()  # fmt: skip
