r"""LaTeX as MathML: displayed bounds, and ``$…$`` inside plain text.

The converter is math-core.  A formula that it cannot translate is shown as its LaTeX source, never as a wrong formula.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring, tostring

from markupsafe import Markup, escape

from theorytools.reporting.linebreaks import CLOSING, OPENING, pieces

_REWRITES = (
    (re.compile(r"\\(begin|end)\{split\}"), r"\\\1{aligned}"),
    (re.compile(r"\\tag\*?\{([^{}]*)\}"), r"\\qquad\\text{(\1)}"),
    (re.compile(r"\\label\{[^{}]*\}"), ""),
)
_SIGNS = (("\ufe00", ""), ("∖", "⧵"))  # the font has script letters without asking, and a small minus of sets
_ENTITY = re.compile(r"&(?!lt;|gt;|amp;)\w+;")
APPLY = "\N{FUNCTION APPLICATION}"
TALL = {"mfrac", "mtable", "msqrt", "mroot", "munder", "munderover", "mover"}
LONGEST = 4000  # deeper nesting than this length can have would end the process
PUNCTUATION = frozenset(".,;:!?)]")
_INLINE = re.compile(
    r":math:`(?P<role>[^`]+)`|(?::[a-z:]+:)?(?P<code>``.+?``|`[^`\n]+`)|\$\$(?P<display>.+?)\$\$|(?<!\\)\$(?P<inline>(?:[^$\\]|\\.)+?)\$",
    re.S,
)


@lru_cache(maxsize=4096)
def mathml(latex: str, *, display: bool = False) -> Markup:
    r"""Return the formula as a ``<math>`` element, or its escaped source in ``<code>``.

    A long one within text is several elements, between which the line may end.

    Parameters
    ----------
    latex
        the formula, without dollar signs.
    display
        whether it stands on its own line, with limits below operators.
    """
    from math_core import LatexError

    source = Markup('<code class="tex">{}</code>').format(latex)
    if len(latex) > LONGEST:
        return source
    try:
        return Markup("<wbr>").join(map(_serialised, _trees(_rewritten(latex), display)))
    except (LatexError, ParseError, RecursionError, UnicodeError):
        return source


def _trees(latex: str, display: bool) -> list[Element]:
    converted = _converter().convert_with_local_state(latex, displaystyle=display)
    for sign, better in _SIGNS:
        converted = converted.replace(sign, better)
    tree = fromstring(_ENTITY.sub(lambda entity: html.unescape(entity[0]), converted))
    for row in tree.iter("mrow"):
        _flatten_fences(row)
    if len(tree) == 1 and tree[0].tag == "mrow" and not tree[0].attrib:
        tree[:] = list(tree[0])
    if display:
        return [tree]
    tree[:] = _opened(tree)
    return pieces(tree)


def _opened(row: Element) -> list[Element]:
    """The parts of a row, functions and the brackets after them not as rows of their own: a line may end within."""
    parts: list[Element] = []
    for part in row:
        applied = parts and parts[-1].text == APPLY and len(part) and part[0].get("stretchy") == "false"
        plain = part.tag == "mrow" and not part.attrib
        parts += _opened(part) if plain and (applied or any(own.text == APPLY for own in part)) else [part]
    return parts


@lru_cache(maxsize=1)
def _converter() -> Any:
    from math_core import LatexToMathML

    return LatexToMathML(fancy_error=False)


_NAME = re.compile(r"<mrow><mspace></mspace>(<mi[^>]*>[^<]*</mi>)</mrow>")  # a function's name needs no row of its own
_SPACE = re.compile(r"<mspace([^>]*)></mspace>")
_DOTS = '<mo lspace="0">.</mo><mo lspace="0" rspace="0.1667em">.</mo><mo lspace="0" rspace="0">.</mo>'


def _serialised(tree: Element) -> Markup:
    text = tostring(tree, encoding="unicode", short_empty_elements=False)
    text = text.replace(_DOTS, "<mi>…</mi>")  # three signs of full width, or one
    return Markup(_SPACE.sub(r"<mspace\1/>", _NAME.sub(r"\1", text)))


def _rewritten(latex: str) -> str:
    for pattern, replacement in _REWRITES:
        latex = pattern.sub(replacement, latex)
    return re.sub(r"\\text\{([^{}]*)\}", _text_with_math, latex)


def _flatten_fences(row: Element) -> None:
    """Brackets around flat content need no stretching; browsers set stretched ones too far apart."""
    if len(row) < 2 or row[0].tag != "mo" or row[-1].tag != "mo" or any(inner.tag in TALL for inner in row.iter()):
        return
    if row[0].text in OPENING and row[-1].text in CLOSING:
        row[0].set("stretchy", "false")
        row[-1].set("stretchy", "false")


def _text_with_math(match: re.Match[str]) -> str:
    parts = match[1].split("$")
    if len(parts) % 2 == 0:
        return match[0]
    return "".join(part if odd else rf"\text{{{part}}}" for odd, part in _alternating(parts) if part)


def _alternating(parts: list[str]) -> list[tuple[bool, str]]:
    return [(bool(place % 2), part) for place, part in enumerate(parts)]


def with_math(text: str) -> Markup:
    r"""Return plain text with ``$…$`` as inline MathML, ``code`` as code and all else escaped."""
    out, place = Markup(""), 0
    for match in _INLINE.finditer(text):
        out += _joined(text[place : match.start()], after=place > 0)
        if match["code"]:
            out += Markup("<code>{}</code>").format(match["code"].strip("`"))
        else:
            shown = match["display"]
            out += mathml((shown or match["role"] or match["inline"]).strip(), display=shown is not None)
        place = match.end()
    return out + _joined(text[place:], after=place > 0)


def _joined(text: str, *, after: bool) -> Markup:
    """Plain text, its first sign kept on the line of the formula before it where that is punctuation."""
    shown = escape(_plain(text))
    return Markup("\u2060") + shown if after and text[:1] in PUNCTUATION else shown


def _plain(text: str) -> str:
    return text.replace(r"\$", "$")


def paragraphs(text: str) -> list[Markup]:
    """Return the text with mathematics, split at blank lines."""
    return [with_math(part.strip()) for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]
