"""Cells of tables: text with formulas between dollar signs, escaped for Markdown and for LaTeX; and lines as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from typing import Any

_MATH = re.compile(r"(?<!\\)\$((?:[^$\\]|\\.)+)\$")
_LATEX = {
    **{sign: "\\" + sign for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≠": r"$\ne$",
    "×": r"$\times$",
    "∞": r"$\infty$",
    "−": r"$-$",
}
_GREEK = (
    ("αβγδεζηθ", "alpha beta gamma delta varepsilon zeta eta theta"),
    ("ικλμνξπρ", "iota kappa lambda mu nu xi pi rho"),
    ("στυφχψω", "sigma tau upsilon varphi chi psi omega"),
    ("ΓΔΘΛΞΠΣΦΨΩ", "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"),
)
for _letters, _names in _GREEK:
    _LATEX |= {sign: rf"$\{name}$" for sign, name in zip(_letters, _names.split(), strict=True)}


def markdown_text(text: str) -> str:
    """Return text for a cell of a Markdown table; formulas keep their dollar signs."""
    return _mixed(text, _markdown_plain, _markdown_math)


def _markdown_plain(text: str) -> str:
    text = re.sub(r"([\\`*_\[\]|~#$])", r"\\\1", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _markdown_math(latex: str) -> str:
    r"""A bar would end the cell, so ``|`` is ``\vert`` and ``\|`` is ``\Vert``; ``<`` could open a tag."""
    latex = re.sub(r"\\\|", r"\\Vert ", latex).replace("|", r"\vert ")
    return "$" + latex.replace("<", r"\lt ").replace(">", r"\gt ") + "$"


def latex_text(text: str) -> str:
    """Return text with every special character of LaTeX escaped; formulas stay as they are."""
    return _mixed(text, lambda plain: "".join(_LATEX.get(sign, sign) for sign in plain), lambda latex: f"${latex}$")


def _mixed(text: str, plain: Callable[[str], str], math: Callable[[str], str]) -> str:
    text, out, place = " ".join(str(text).split()), [], 0
    for match in _MATH.finditer(text):
        out += [plain(text[place : match.start()].replace(r"\$", "$")), math(match[1])]
        place = match.end()
    return "".join([*out, plain(text[place:].replace(r"\$", "$"))])


def csv_text(lines: Sequence[Sequence[Any]]) -> str:
    """Return lines of cells as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue()
