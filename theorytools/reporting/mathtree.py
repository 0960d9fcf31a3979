"""Mend a MathML tree of latex2mathml so that browsers show what the LaTeX says.

Browsers implement MathML Core.  It has no ``columnalign``, no ``mathvariant`` but ``normal``, and it sets no
space around function names; ``max``, ``sup`` and their kin carry limits only as ``munder``.
"""

from __future__ import annotations

import html
import re
import unicodedata
from xml.etree.ElementTree import Element

ARITY = {
    "mfrac": 2,
    "mroot": 2,
    "msub": 2,
    "msup": 2,
    "munder": 2,
    "mover": 2,
    "msubsup": 3,
    "munderover": 3,
}
LIMITS = {
    *("max", "min", "sup", "inf", "lim", "lim sup", "lim inf", "limsup", "liminf", "Pr"),
    *("argmax", "argmin", "arg max", "arg min", "esssup", "ess sup", "gcd", "det"),
}
KEPT = {
    *("display", "stretchy", "fence", "form", "accent", "minsize", "maxsize", "width", "linethickness"),
    *("displaystyle", "scriptlevel", "movablelimits", "lspace", "rspace", "class", "mathvariant"),
}
STYLES = {
    "double-struck": "DOUBLE-STRUCK",
    "script": "SCRIPT",
    "fraktur": "FRAKTUR",
    "bold": "BOLD",
    "bold-italic": "BOLD ITALIC",
    "sans-serif": "SANS-SERIF",
    "monospace": "MONOSPACE",
    "italic": "ITALIC",
}
OPENING, CLOSING, BARS = "([{⟨⌈⌊", ")]}⟩⌉⌋", "|‖"
OPERATORS = {"~": "∼"} | {sign: sign for sign in ":&′″‴" + OPENING + CLOSING}
TALL = {"mfrac", "mtable", "msqrt", "mroot", "munder", "munderover", "mover"}
THIN = {"width": "0.167em"}


def tidy(node: Element) -> None:
    """Mend the tree in place; raises ``ValueError`` where it does not say what the LaTeX said."""
    for child in list(node):
        tidy(child)
    _text(node)
    _attributes(node)
    _join_upright(node)
    _flatten_fences(node)
    _limits(node)
    _accent(node)
    if node.tag in {"mrow", "math", "mtd", "mstyle", "msqrt"}:
        _assignments(node)
        _space_names(node)
    _collapse(node)
    if node.tag in ARITY and len(node) != ARITY[node.tag]:
        raise ValueError(f"{node.tag} with {len(node)} parts")


def _text(node: Element) -> None:
    raw = node.text or ""
    text = html.unescape(raw)
    if text.startswith("\\") and len(text) > 1:
        if text[1:] not in {"arg"}:
            raise ValueError(f"unknown command {text}")
        text = text[1:]
    if node.tag == "mi":
        if raw.startswith("&#") and len(text) == 1 and text.isascii() and text.isalpha():
            node.set("mathvariant", "normal")  # \mathrm{d} arrives as the reference of a plain letter
        if len(text) == 1 and "Α" <= text <= "Ω":
            node.set("mathvariant", "normal")  # TeX sets capital Greek upright
        if text == "⋿":
            text = "𝖤"  # \mathsf{E} arrives as the sign for bag membership
        if text in OPERATORS:
            node.tag, text = "mo", OPERATORS[text]
    style = STYLES.get(node.get("mathvariant", ""))
    if style:
        text = "".join(_styled(letter, style) for letter in text)
        del node.attrib["mathvariant"]
    node.text = text or None


def _styled(letter: str, style: str) -> str:
    """The letter in a mathematical alphabet: Unicode's names say where it is."""
    if (letter, style) == ("h", "ITALIC"):
        return "ℎ"
    name = unicodedata.name(letter, "")
    for word in ("LATIN ", "GREEK ", "LUNATE ", "LETTER "):
        name = name.replace(word, "")
    for candidate in (f"MATHEMATICAL {style} {name}", f"{style} {name}", f"BLACK-LETTER {name}"):
        try:
            return unicodedata.lookup(candidate)
        except KeyError:
            continue
    return letter


def _attributes(node: Element) -> None:
    side = node.get("columnalign")
    if node.tag == "mtd" and side in {"left", "right"}:
        node.set("class", side[0])
    for name in list(node.attrib):
        if name not in KEPT or (name == "class" and node.tag != "mtd"):
            del node.attrib[name]
    if node.tag == "mo" and node.text in {"/", "…", "⋯"}:
        node.attrib.update(lspace="0", rspace="0")
    if node.tag == "mo" and node.text and node.text in BARS:
        node.attrib.update(lspace="0", rspace="0")
        if node.get("fence") != "true":
            node.set("stretchy", "false")
    if node.tag == "mo" and node.text and node.text in OPENING + CLOSING and node.get("stretchy") == "true":
        if "minsize" not in node.attrib:
            node.attrib.clear()  # what MathML's operator dictionary says anyway
    elif node.tag == "mo" and node.text and node.text in "⟨⟩⌈⌉⌊⌋" and "stretchy" not in node.attrib:
        node.set("stretchy", "false")


def _join_upright(node: Element) -> None:
    r"""``\mathrm{soft}`` arrives as four letters; one name is one identifier."""
    letters = list(node)
    if len(letters) < 2 or node.tag not in {"mrow", "mo"}:
        return
    if all(c.tag == "mi" and c.get("mathvariant") == "normal" and len(c) == 0 for c in letters):
        node.tag, node.text = "mi", "".join(c.text or "" for c in letters)
        node[:] = []
        node.attrib.clear()


def _flatten_fences(row: Element) -> None:
    """Brackets around flat content need no stretching; browsers set stretched ones too far apart."""
    if row.tag != "mrow" or len(row) < 2 or row[0].tag != "mo" or row[-1].tag != "mo":
        return
    fenced = (row[0].text or "-") in OPENING and (row[-1].text or "-") in CLOSING
    if fenced and not any(inner.tag in TALL for inner in row.iter()):
        row[0].set("stretchy", "false")
        row[-1].set("stretchy", "false")


def _is_name(node: Element) -> bool:
    return node.tag in {"mi", "mo"} and len(node) == 0 and bool(re.fullmatch(r"[A-Za-z\s]{2,}", node.text or ""))


def _limits(node: Element) -> None:
    if node.tag == "mo" and _is_name(node):
        node.tag = "mi"
        node.attrib.clear()
    if node.tag == "mo" and re.fullmatch("[A-Za-z]", node.text or ""):
        node.tag = "mi"  # \operatorname{W}
        node.attrib.clear()
        node.set("mathvariant", "normal")
    if node.tag not in {"msub", "msubsup"} or len(node) != ARITY[node.tag]:
        return
    base = _core(node[0])
    name = re.sub(r"\s", " ", base.text or "")
    if base.tag == "mi" and name in LIMITS:
        base.tag = "mo"
        base.attrib.update(movablelimits="true", lspace="0", rspace="0")
        node.tag = {"msub": "munder", "msubsup": "munderover"}[node.tag]


def _accent(node: Element) -> None:
    """Accents over several symbols must span them all; over one symbol they keep their size."""
    if node.tag != "mover" or len(node) != 2 or node[1].tag != "mo":
        return
    mark, wide = node[1], len(node[0]) > 1
    if mark.text == "―" or (mark.text == "¯" and wide):
        node.tag = "mrow"
        node.attrib = {"class": "over"}
        node.remove(mark)
    elif mark.text in {"^", "~", "∼", "¯"}:
        mark.text = {"∼": "~", "^": "\u0302" if wide else "^"}.get(mark.text, mark.text)
        mark.set("stretchy", "true" if wide else "false")
        node.set("accent", "true")


def _assignments(row: Element) -> None:
    for first, second in zip(list(row), list(row)[1:], strict=False):
        if first.tag == second.tag == "mo" and (first.text, second.text) == (":", "="):
            second.text = "≔"
            row.remove(first)


def _core(node: Element) -> Element:
    """The symbol that a script, an accent or a row of one hangs on."""
    while len(node) and ((node.tag in ARITY and node.tag not in {"mfrac", "mroot"}) or len(node) == 1):
        if node.tag in {"msqrt", "mtable"}:
            break
        node = node[0]
    return node


def _opens(node: Element) -> bool:
    while node.tag == "mrow" and len(node):
        node = node[0]
    core = _core(node)
    return core.tag == "mo" and (core.text or "") in OPENING


def _space_names(row: Element) -> None:
    """TeX's rule for operators: a thin space beside an ordinary symbol, none before an opening bracket."""
    children = list(row)
    spaced: list[Element] = []
    for place, child in enumerate(children):
        named = _is_name(_core(child))
        before = children[place - 1] if place else None
        after = children[place + 1] if place + 1 < len(children) else None
        if named and before is not None and _ends_operand(before) and not _is_name(_core(before)):
            spaced.append(Element("mspace", THIN))
        spaced.append(child)
        if named and after is not None and _begins_operand(after):
            spaced.append(Element("mspace", THIN))
    row[:] = spaced


def _ends_operand(node: Element) -> bool:
    core = _core(node)
    if core.tag in {"mspace", "mtext"}:
        return False
    return core.tag != "mo" or (core.text or "") in CLOSING or _is_name(core)


def _begins_operand(node: Element) -> bool:
    core = _core(node)
    if core.tag in {"mspace", "mtext"} or _opens(node):
        return False
    return core.tag != "mo" or (core.text or "") in BARS or _is_name(core) or (core.text or "") in "∑∏"


def _collapse(node: Element) -> None:
    """Unwrap rows of one element; an operator keeps its row, which is what takes its spacing away."""
    for place, child in enumerate(list(node)):
        if child.tag == "mrow" and not child.attrib and len(child) == 1 and child[0].tag != "mo":
            node[place] = child[0]
