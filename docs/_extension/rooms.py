"""The reference: `.. public:: constructions.attention` describes every public name that a room defines."""

import importlib
import inspect
import re
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, get_origin

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python import PyProperty
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

import theorytools
from theorytools.arguments import checked

STUB = Path(theorytools.__file__).with_suffix(".pyi")
FRONTS = {"": STUB} | {f"papers.{file.parent.name}.": file for file in STUB.parent.glob("papers/*/__init__.pyi")}
NAMES = {  # by where a name is defined: the package that it is imported from
    (f"{front}{module}", name): f"theorytools.{front}".strip(".")
    for front, stub in FRONTS.items()
    for module, name in re.findall(r"^from \.(\S+) import (\w+) as \w+$", stub.read_text(encoding="utf-8"), re.M)
}
KINDS_PAGE = "reference/arguments"


def kinds() -> set[str]:
    """Return the kinds of arguments, which signatures name and one page explains."""
    return {name for name, value in vars(checked).items() if name[0].isupper() and get_origin(value) is Annotated}


def plain(value: object) -> bool:
    """Whether a member is a value that stands in for an argument, such as a letter of a bound."""
    return not (callable(value) or isinstance(value, classmethod | staticmethod) or hasattr(value, "__get__"))


class Public(SphinxDirective):
    """Describe the public names of one room, in the order of the stub."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the descriptions, or an error where the room has no public name."""
        prefix, text = self.arguments[0], ""
        for (module, name), package in NAMES.items():
            if f"{module}.".startswith(f"{prefix}."):
                value = getattr(importlib.import_module(package), name)
                if not callable(value):  # an object: its class says what it does
                    kind = type(value)
                    text += f".. py:data:: {package}.{name}\n\n   A :class:`{kind.__module__}.{kind.__name__}`.\n\n"
                    text += f".. autoclass:: {kind.__module__}.{kind.__name__}\n   :members:\n\n"
                    continue
                text += f".. auto{'class' if isinstance(value, type) else 'function'}:: {package}.{name}\n"
                text += "   :members:\n\n" if isinstance(value, type) else "\n"
        if not text:
            raise self.error(f"no public name is defined in {prefix}")
        for stub in FRONTS.values():
            self.env.note_dependency(str(stub))
        return self.parse_text_to_nodes(text, allow_section_headings=False)


NOTED = re.compile(r"Annotated\[(.+), \w+\]")  # a note for the checks of arguments
ARRAY = re.compile(r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[([~\w.]+)\]\]")


def default(value: object) -> str:
    """Return the text of a default; three dots where there is no short one."""
    text = value.__name__ if isinstance(value, type) else repr(value)
    return "..." if text.startswith("<") or " at 0x" in text else text


def typed(annotation: object) -> str:
    """Return an annotation as the source has it, where Python's own text is longer."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return NOTED.sub(r"\1", text)


def written(signature: inspect.Signature) -> tuple[str, str | None]:
    """Return the arguments and the result as the source has them."""
    parts, last = [], None
    for name, argument in signature.parameters.items():
        if argument.kind is argument.KEYWORD_ONLY and last not in (argument.KEYWORD_ONLY, argument.VAR_POSITIONAL):
            parts.append("*")
        if last is argument.POSITIONAL_ONLY and argument.kind is not last:
            parts.append("/")
        stars = {argument.VAR_POSITIONAL: "*", argument.VAR_KEYWORD: "**"}.get(argument.kind, "")
        said = "" if argument.annotation is argument.empty else f": {typed(argument.annotation)}"
        other = "" if argument.default is argument.empty else f" = {default(argument.default)}"
        parts.append(stars + name + said + other)
        last = argument.kind
    result = signature.return_annotation
    return f"({', '.join(parts)})", None if result is signature.empty else typed(result)


def as_in_the_source(
    app: Sphinx, what: str, name: str, obj: Any, options: object, signature: str | None, returned: str | None
) -> tuple[str, str | None] | None:
    """Write a signature with the names of its types, `ArrayLike` and not what numpy means by it."""
    if signature is None:
        return None
    if isinstance(obj, type) and (issubclass(obj, Enum) or vars(obj).get("_is_protocol")):
        return "", None  # nobody calls it
    try:
        found = inspect.signature(obj)
    except (TypeError, ValueError):
        return None
    own = [argument for argument in found.parameters.values() if argument.name != "self"]
    text, result = written(found.replace(parameters=own))
    return text, None if what == "class" else result


class Property(PyProperty):
    """A property, its type as the source has it."""

    def run(self) -> list[nodes.Node]:
        """Shorten the type, then describe."""
        if "type" in self.options:
            self.options["type"] = ARRAY.sub(r"NDArray[\1]", self.options["type"])
        return super().run()


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
    for package in {package for (_, name), package in NAMES.items() if name == last}:
        found = env.domains.python_domain.objects.get(f"{package}.{last}")
        if found is not None:
            return make_refnode(app.builder, node["refdoc"], found.docname, found.node_id, content, target)
    return None


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive and the two hooks."""
    app.add_directive("public", Public)
    app.add_directive_to_domain("py", "property", Property, override=True)
    app.connect("autodoc-skip-member", skipped)
    app.connect("autodoc-process-signature", as_in_the_source)
    app.connect("missing-reference", by_public_name)
    return {"parallel_read_safe": True}
