"""Links between pages: where a text names `docs/verdicts.md` as code, the page is linked."""

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


def linked(node: nodes.Node) -> bool:
    """Whether this stands in a link already."""
    return isinstance(node.parent, nodes.reference | pending_xref)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the transform."""
    app.add_transform(Linked)
    return {"parallel_read_safe": True}
