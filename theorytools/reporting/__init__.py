"""The report: stored verdicts as one HTML page, JSON, Markdown and LaTeX.  It never runs a check."""

from theorytools._lazy import attach

_NAMES = {
    "latex_table": "tables",
    "markdown_table": "tables",
    "render_html": "page",
    "with_math": "mathml",
    "write_report": "page",
}
__all__ = sorted(_NAMES)
__getattr__, __dir__ = attach(__name__, _NAMES)
