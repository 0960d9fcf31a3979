"""The reference: `.. public:: constructions.attention` describes every public name that a room defines."""

import re
from pathlib import Path
from typing import Annotated, get_origin

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

import theorytools
from theorytools.arguments import checked

STUB = Path(theorytools.__file__).with_suffix(".pyi")
NAMES = dict(
    (name, module)
    for module, name in re.findall(r"^from \.(\S+) import (\w+) as \w+$", STUB.read_text(encoding="utf-8"), re.M)
)
KINDS_PAGE = "reference/arguments"


def kinds() -> dict[str, str]:
    """Return the kinds of arguments by name: a signature shows the name and not what it stands for."""
    made = {name for name, value in vars(checked).items() if name[0].isupper() and get_origin(value) is Annotated}
    return {name: name for name in sorted(made)}


def plain(value: object) -> bool:
    """Whether a member is a value that stands in for an argument, such as a letter of a bound."""
    return not (callable(value) or isinstance(value, classmethod | staticmethod) or hasattr(value, "__get__"))


class Public(SphinxDirective):
    """Describe the public names of one room, in the order of the stub."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the descriptions, or an error where the room has no public name."""
        prefix, text = self.arguments[0], ""
        for name, module in NAMES.items():
            if f"{module}.".startswith(f"{prefix}."):
                value = getattr(theorytools, name)
                text += f".. auto{'class' if isinstance(value, type) else 'function'}:: theorytools.{name}\n"
                text += "   :members:\n\n" if isinstance(value, type) else "\n"
        if not text:
            raise self.error(f"no public name is defined in {prefix}")
        self.env.note_dependency(str(STUB))
        return self.parse_text_to_nodes(text, allow_section_headings=False)


def skipped(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """Leave out the values of fields: what they mean stands under Parameters."""
    return True if what == "class" and plain(obj) else None


def by_public_name(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Node) -> nodes.Node | None:
    """Resolve `theorytools.claims.language.slope.curve_slope` to `theorytools.curve_slope`, a kind to its page."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    last = target.rpartition(".")[2]
    if target in kinds():
        return make_refnode(app.builder, node["refdoc"], KINDS_PAGE, "", content, target)
    if last in NAMES:
        found = env.domains.python_domain.objects.get(f"theorytools.{last}")
        if found is not None:
            return make_refnode(app.builder, node["refdoc"], found.docname, found.node_id, content, target)
    return None


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive and the two hooks."""
    app.add_directive("public", Public)
    app.connect("autodoc-skip-member", skipped)
    app.connect("missing-reference", by_public_name)
    return {"parallel_read_safe": True}
