"""Formulas as MathML, by the converter and with the font of the reports: no script, nothing from elsewhere."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from theorytools.reporting.mathml import mathml

SAY = logging.getLogger(__name__)


def converted(node: nodes.Element, *, display: bool) -> str:
    """Return the formula; one that the converter does not know is a warning, and so an error of the build."""
    shown = str(mathml(node.astext().strip(), display=display))
    if not shown.startswith("<math"):
        SAY.warning("no MathML for %s", node.astext(), location=node)
    return shown


def inline(self: nodes.NodeVisitor, node: nodes.Element) -> None:
    """Write a formula within text."""
    self.body.append(converted(node, display=False))
    raise nodes.SkipNode


def block(self: nodes.NodeVisitor, node: nodes.Element) -> None:
    """Write a displayed formula, which scrolls where it is wider than the page."""
    self.body.append(f'<div class="formula">{converted(node, display=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the renderer that conf.py names."""
    app.add_html_math_renderer("formulas", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
