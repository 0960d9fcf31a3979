"""Templates filled in, and pages that need nothing else: style sheet and font are inside."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from theorytools.reporting.cache import Cache
from theorytools.reporting.mathfont import FAMILY, characters_of, font_face

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def fill(template: str, **values: Any) -> str:
    """Return the HTML of a template; all text in ``values`` is escaped that is not markup already."""
    return re.sub(r"\n\s*", "\n", _environment().get_template(f"{template}.html.j2").render(**values)).strip()


@lru_cache(maxsize=1)
def _style() -> str:
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8").replace("MATH-FAMILY", FAMILY)
    return re.sub(r"\n\s*", "\n", style)


def whole_page(title: str, body: str, cache: Cache) -> str:
    """Return a page with its style sheet and the part of the font that its formulas need."""
    characters = characters_of(body)
    font = cache.made("font", "".join(sorted(characters)), lambda: font_face(characters))
    # the style sheet is ours and holds no "<", so it may stand unescaped
    page = _environment().get_template("page.html.j2")
    return page.render(title=title, style=Markup(font + _style()), body=Markup(body))
