"""The report: stored verdicts as one HTML page, JSON, Markdown and LaTeX.  It never runs a check."""

from importlib import import_module
from typing import Any

_HOMES = {
    "render_html": "page",
    "write_report": "page",
    "markdown_table": "tables",
    "latex_table": "tables",
    "mathml": "mathml",
    "with_math": "mathml",
    "write_all": "store",
    "write_json": "store",
    "write_text": "store",
}
__all__ = [
    "latex_table",
    "markdown_table",
    "mathml",
    "render_html",
    "with_math",
    "write_all",
    "write_json",
    "write_report",
    "write_text",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
