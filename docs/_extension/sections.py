"""The sections of the docstrings, as field lists: an entry for each ``a, b : text`` and what is indented below."""

import re

from sphinx.application import Sphinx

LISTED = {"Parameters", "Attributes", "Returns", "Yields", "Raises"}
PLAIN = {"Examples", "References"}
HEAD = re.compile(r"(\w[\w ]*)")
ENTRY = re.compile(r"(?P<names>.+?)(?: : (?P<text>.*))?")
NAME = re.compile(r"\w+")


def split(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Return the sections of a docstring with their titles; what stands before the first has none."""
    found: list[tuple[str, list[str]]] = [("", [])]
    place = 0
    while place < len(lines):
        title = lines[place].strip()
        ruled = place + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[place + 1].strip())
        if ruled and title in LISTED | PLAIN:
            found.append((title, []))
            place += 2
        else:
            found[-1][1].append(lines[place])
            place += 1
    return found


def entries(lines: list[str]) -> list[tuple[str, str]]:
    """Return names and text of each entry; text that belongs to none has no name."""
    found: list[list[str]] = []
    for line in lines:
        if line[:1].strip() and not (found and not found[-1][0]):
            match = ENTRY.fullmatch(line)
            found.append([match["names"], match["text"] or ""])
        elif not line.strip():
            found.append(["", ""])
        elif found:
            found[-1][1] += (" " if found[-1][1] else "") + line.strip()
    return [(names, text) for names, text in found if names or text]


def shown(title: str, names: str) -> str:
    """Return the names of an entry: an error as a link, an argument in bold, a type as it stands."""
    if title == "Raises":
        return NAME.sub(lambda name: f":class:`{name[0]}`", names) if re.fullmatch(r"[\w, ]+", names) else names
    if title in ("Returns", "Yields"):
        return f"*{names}*" if "`" not in names and "*" not in names else names
    return ", ".join(f"**{name}**" for name in names.replace("*", "").split(", "))


def as_fields(lines: list[str]) -> list[str]:
    """Return the docstring in the form that is parsed: every listed section is a field with a list."""
    out: list[str] = []
    for title, body in split(lines):
        while body and not body[-1].strip():
            body = body[:-1]
        if title in LISTED:
            out += ["", f":{title}:"]
            for names, text in entries(body):
                head = shown(title, names) if names else ""
                out.append(f"   * {' – '.join(part for part in (head, text) if part)}")
            out.append("")
        elif title:
            out += ["", f".. rubric:: {title}", "", *body, ""]
        else:
            out += body
    return out


def on_docstring(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Rewrite a docstring in place, as autodoc asks for it."""
    lines[:] = as_fields(lines)


def setup(app: Sphinx) -> dict[str, bool]:
    """Join in where autodoc has read a docstring."""
    app.connect("autodoc-process-docstring", on_docstring)
    return {"parallel_read_safe": True}
