"""The report: stored verdicts as a site of HTML pages, as Markdown and LaTeX.  It never runs a check."""

from theorytools._lazy import attach

_NAMES = {
    "latex_table": "tables",
    "markdown_table": "tables",
    "render_pages": "site",
    "with_math": "mathml",
    "write_report": "folder",
}
__all__ = sorted(_NAMES)
__getattr__, __dir__ = attach(__name__, _NAMES)
