"""How the pages are built (the command is in CONTRIBUTING.md); nothing is fetched while they are read."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "_extension")]

import theorytools  # noqa: E402

project = "theorytools"
author = "The theorytools authors"
release = version = theorytools.__version__
html_title = f"theorytools {release}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sections", "rooms", "formulas", "pages", "drawings", "frame"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_extension", "_theme"]
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
highlight_language = "none"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 84
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme, html_theme_path = "_theme", ["."]
html_math_renderer = "formulas"
html_copy_source = False
html_show_copyright = False
html_domain_indices = False  # one index, of all names
