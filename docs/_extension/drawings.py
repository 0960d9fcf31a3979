"""Pictures of networks, made from the objects that a page's own examples build, and those of the other constructions.

`{drawn} net.network()` runs the examples above it and shows what the expression gives, once for a wide page and once
for a narrow one; the style sheet shows one of them.  `{others}` shows the pictures of constructions that are no blocks.
"""

import doctest
import html
import importlib
import re

from docutils import nodes
from rooms import NAMES
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from theorytools.blocks.drawing import STYLE, within
from theorytools.reporting.pages.gallery import drawn

EXAMPLES = re.compile(r"^```python\n(.*?)^```", re.S | re.M)
PACKAGES = {name: package for (_, name), package in NAMES.items()}
WIDE, NARROW = 700, 330
TITLE, OWN_STYLE = re.compile(r"<title>(.*?)</title>"), re.compile(r"<style>.*?</style>")


def raw(text: str) -> nodes.Node:
    """Return HTML as it is."""
    return nodes.raw("", text, format="html")


class Drawn(SphinxDirective):
    """A network that the page's examples have built, as a picture."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Run the examples between the last picture and this one, and draw."""
        try:
            value = eval(self.arguments[0], self.examples())
        except Exception as error:
            raise self.error(f"{self.arguments[0]}: {type(error).__name__}: {error}") from error
        network = getattr(value, "network", value)
        sizes = "".join(f'<div class="{name}">{within(network, width)}</div>'
                        for name, width in (("wide", WIDE), ("narrow", NARROW)))  # fmt: skip
        return [raw(f"<style>{STYLE}</style>" * self.first), raw(f'<div class="drawn">{sizes}</div>')]

    def examples(self) -> dict[str, object]:
        """Return the names that the examples above have, each example run once; what they print is held by a test."""
        held = self.env.temp_data.setdefault("drawn", {"names": {"__name__": "page"}, "pictures": 0})
        page = self.env.doc2path(self.env.docname).read_text(encoding="utf-8")
        parts = re.split(r"^```\{drawn\}", page, flags=re.M)
        self.first = held["pictures"] == 0
        above = "\n".join(EXAMPLES.findall(parts[held["pictures"]]))
        held["pictures"] += 1
        for example in doctest.DocTestParser().get_examples(above):
            if example.exc_msg is None:
                exec(compile(example.source, self.env.docname, "exec"), held["names"])
        return held["names"]


class Others(SphinxDirective):
    """The pictures that lie beside the fronts, of constructions that are no networks of blocks."""

    def run(self) -> list[nodes.Node]:
        """Return each with its name, a link to the reference, and the words of its title."""
        found: list[nodes.Node] = []
        for name, svg in drawn().items():
            package = PACKAGES[name]
            if hasattr(getattr(importlib.import_module(package), name), "network"):
                continue
            said = html.unescape(TITLE.search(svg)[1])
            link = f"{{py:obj}}`~{package}.{name}`"
            found += self.parse_text_to_nodes(said.replace(name, link, 1) if name in said else f"{link}: {said}")
            inner = OWN_STYLE.sub("", TITLE.sub("", svg)).replace("<svg ", f'<svg aria-label="{html.escape(said)}" ', 1)
            found.append(raw(f'<div class="shape">{inner}</div>'))
        return found


def setup(app: Sphinx) -> dict[str, bool]:
    """Add both directives."""
    app.add_directive("drawn", Drawn)
    app.add_directive("others", Others)
    return {"parallel_read_safe": True}
