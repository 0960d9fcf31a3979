"""The frame that the pages share with the report: its navigation, its style sheet, a description and how to cite.

Built for a report (``-D report=…``, the pages that it has), they lie in a folder of it and use its style sheet and
search; built alone, they bring the style sheet along.
"""

import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.domains.std import StandardDomain

from theorytools.reporting import cite
from theorytools.reporting.rendering import STYLE, citation, navigation, style

FIND = "find"  # the page of the search
LONGEST = 180  # letters of a description


def described(doctree: nodes.document | None, title: str) -> str:
    """Return the first paragraph of a page as plain text, cut at a word."""
    found = doctree.findall(nodes.paragraph) if doctree else ()
    text = next((" ".join(one.astext().split()) for one in found if len(one.astext()) > 30), "")
    text = re.sub(r"[$`\\{}]", "", text) or f"{title}: documentation of theorytools"
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(' ', 1)[0]} …"


EMPTY = re.compile(r'<span class="(?:pre|n|p|o|w|k|colon|default_value|sig-paren)">([^<]*)</span>')
UNUSED = "docutils literal notranslate|reference internal|reference external|simple|field-odd|field-even|sig-param"
RETURNED = re.compile(
    r'<span class="sig-return"><span class="sig-return-icon">(.*?)</span> '
    r'<span class="sig-return-typehint">((?:(?!</?span).)*)</span></span>'
)
CLASSES = re.compile(f' class="(?:{UNUSED})"')
TITLED = re.compile(r' title="(?:Link to this \w+|Permalink to this \w+)"')
ECHOED = re.compile(r'( href="[^"#]*#([^"]+)") title="\2"')


def slim(body: str) -> str:
    """Return a body without the marks that the style sheet does not use: a fifth of the reference's letters."""
    text = body
    while (shorter := EMPTY.sub(r"\1", text)) != text:
        text = shorter
    text = RETURNED.sub(r"\1 \2", text).replace(' class="sig sig-object py"', ' class="sig"')
    return ECHOED.sub(r"\1", TITLED.sub("", CLASSES.sub("", text)))


def framed(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Fill in what the layout of the theme names."""
    if "body" in context:
        context["body"] = slim(context["body"])
    up = "../" * pagename.count("/")
    pages = json.loads(app.config.report)
    plain = str(Markup(context.get("title") or "theorytools").striptags())
    path = f"docs/{pagename}.html" if pages else f"{pagename}.html"
    root = f"{up}../" if pages else up
    context.update(
        published=bool(pages), find=FIND, report_root=root if pages else f"{up}_static/",
        description=described(doctree, plain),
        navigation=navigation(pages or [pagename], path, documentation="docs/index.html" if pages else "index.html"),
        citation=citation([cite.of_page(plain, path, app.config.release)], path),
    )  # fmt: skip


def searched_elsewhere(app: Sphinx) -> None:
    """Call Sphinx's page of search ``find.html``: it would take the place of ``docs/search.md``, as it once did."""
    write = getattr(app.builder, "handle_page", None)
    if write:
        app.builder.handle_page = lambda name, *given, **named: write(  # type: ignore[attr-defined]
            FIND if "search.html" in (*given, *named.values()) else name, *given, **named
        )


def styled(app: Sphinx, error: Exception | None) -> None:
    """Put the style sheet of the reports beside pages that are built alone."""
    if error is None and app.builder.format == "html" and not json.loads(app.config.report):
        Path(app.outdir, "_static", STYLE).write_text(style(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the value, and what is done for each page and at the end."""
    app.add_config_value("report", "[]", "html")
    app.connect("html-page-context", framed)
    app.connect("build-finished", styled)
    app.connect("builder-inited", searched_elsewhere)
    StandardDomain._virtual_doc_names.pop("search", None)  # the name is a page of ours in the contents
    return {"parallel_read_safe": True, "parallel_write_safe": True}
