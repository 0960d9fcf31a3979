r"""LaTeX as MathML: displayed bounds, and ``$…$`` inside plain text.

The converter is latex2mathml; :mod:`theorytools.reporting.mathtree` mends what it gets wrong.  A formula that
cannot be translated faithfully is shown as its LaTeX source, never as a wrong formula.
"""

from __future__ import annotations

import re
from functools import lru_cache
from xml.etree.ElementTree import Element, tostring

from markupsafe import Markup, escape

from theorytools.arguments.checked import checked
from theorytools.reporting.mathbreak import pieces
from theorytools.reporting.mathtree import tidy

_REWRITES = (
    (re.compile(r"\\(begin|end)\{(aligned|split|gathered)\}"), r"\\\1{align*}"),
    (re.compile(r"\\tag\*?\{([^{}]*)\}"), r"\\qquad\\text{(\1)}"),
    (re.compile(r"\\mathop\{\\(?:mathrm|operatorname)\{([^{}]*)\}\}"), None),
    (re.compile(r"\\(?:operatorname\*|mathop)\{([^{}]*)\}"), None),
    (re.compile(r"\\arg\s*\\(max|min)"), r"\\operatorname{arg\1}"),
    (
        re.compile(r"\\(?:label|nonumber|notag|displaystyle|limits|nolimits|leavevmode)(?:\{[^{}]*\})?(?![A-Za-z])"),
        "",
    ),
    (re.compile(r"\\(?:mathsf)\s*\{E\}"), r"\\mathsf E"),
)
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
    from latex2mathml.converter import Converter

    try:
        _balanced(latex)
        tree = Converter(display="block" if display else "inline").convert_to_element(_rewritten(latex))
        tidy(tree)
    except Exception:  # the converter raises some twenty kinds of error, all meaning "not understood"
        return Markup('<code class="tex">{}</code>').format(latex)
    if not display:
        tree.attrib.pop("display", None)
    if len(tree) == 1 and tree[0].tag == "mrow" and not tree[0].attrib:
        tree[:] = list(tree[0])
    return Markup("<wbr>").join(map(_serialised, [tree] if display else pieces(tree)))


def _serialised(tree: Element) -> Markup:
    return Markup(tostring(tree, encoding="unicode", short_empty_elements=False))


def _balanced(latex: str) -> None:
    depth = 0
    for brace in re.findall(r"\\\\|\\[{}]|[{}]", latex):
        depth += {"{": 1, "}": -1}.get(brace, 0)
        if depth < 0:
            break
    if depth:
        raise ValueError("the braces do not match")


def _rewritten(latex: str) -> str:
    for pattern, replacement in _REWRITES:
        latex = pattern.sub(_operator if replacement is None else replacement, latex)
    return re.sub(r"\\text\{([^{}]*)\}", _text_with_math, latex)


def _operator(match: re.Match[str]) -> str:
    name = re.sub(r"\\[,;:! ]|\s", "", match[1])
    return rf"\operatorname{{{name}}}"


def _text_with_math(match: re.Match[str]) -> str:
    parts = match[1].split("$")
    if len(parts) % 2 == 0:
        return match[0]
    return "".join(part if odd else rf"\text{{{part}}}" for odd, part in _alternating(parts) if part)


def _alternating(parts: list[str]) -> list[tuple[bool, str]]:
    return [(bool(place % 2), part) for place, part in enumerate(parts)]


@checked
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
