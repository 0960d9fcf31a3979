"""Links between pages: where a text names `docs/verdicts.md` as code, the page is linked.

Examples that end in an empty line, as doctest wants it before a fence, are shown without it.
"""

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class Linked(SphinxTransform):
    """Turn the path of a page of this folder, written as code, into a link with the title of that page."""

    default_priority = 400

    def apply(self, **kwargs: object) -> None:
        """Rewrite the document in place."""
        for code in list(self.document.findall(nodes.literal)):
            folder, _, page = code.astext().partition("/")
            name = page.removesuffix(".md")
            if folder == "docs" and page.endswith(".md") and name in self.env.found_docs and not linked(code):
                link = pending_xref(
                    "", nodes.inline("", code.astext()), refdomain="std", reftype="doc", reftarget=f"/{name}",
                    refdoc=self.env.docname, refexplicit=False, refwarn=True,
                )  # fmt: skip
                code.replace_self(link)


class Trimmed(SphinxTransform):
    """Leave out empty lines at the end of code."""

    default_priority = 210

    def apply(self, **kwargs: object) -> None:
        """Rewrite the document in place."""
        for block in self.document.findall(nodes.literal_block):
            if block.rawsource == block.astext() and block.rawsource.endswith("\n\n"):
                block.rawsource = block.rawsource.rstrip("\n")
                block[:] = [nodes.Text(block.rawsource)]


def linked(node: nodes.Node) -> bool:
    """Whether this stands in a link already."""
    return isinstance(node.parent, nodes.reference | pending_xref)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the transforms."""
    app.add_transform(Linked)
    app.add_transform(Trimmed)
    return {"parallel_read_safe": True}
