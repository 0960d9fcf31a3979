"""All claims as one Markdown table, and as one LaTeX table in the style of booktabs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.reporting import numbers as words
from theorytools.reporting.numbers import tex
from theorytools.reporting.rows import tightest

HEADINGS = ("Statement", "Claim", "Outcome", "Evidence", "Slack", "Power", "Controls", "Provenance")
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


def _cells(verdict: Mapping[str, Any], slack: Callable[[str], str], text: Callable[[str], str]) -> list[str]:
    source = verdict.get("source") or {}
    outcome = str(verdict.get("outcome", ""))
    if not verdict.get("as_expected"):
        outcome += f" ({words.expectation(verdict)})"
    elif outcome == "REFUTED":
        outcome += " (as expected)"
    title = f"{verdict.get('label') or verdict['id']}. {verdict.get('title') or ''}".strip()
    evidence = str(verdict.get("evidence") or "none").lower()
    mark = words.PROVENANCE.get(str(source.get("provenance")), "")
    before = [title, verdict["id"], outcome, evidence]
    after = [words.power(verdict), words.controls(verdict), mark]
    return [*map(text, before), slack(tightest(verdict)), *map(text, after)]


@checked
def markdown_table(verdicts: Sequence[Mapping[str, Any]]) -> str:
    """Return one line per claim as a Markdown table (the GitHub dialect).

    Parameters
    ----------
    verdicts : stored verdicts, one line each.

    Returns
    -------
    str : Markdown.
    """
    lines = [HEADINGS, ["---"] * 4 + ["---:"] * 2 + ["---"] * 2]
    lines += [_cells(verdict, _markdown_plain, markdown_text) for verdict in verdicts]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


@checked
def latex_table(verdicts: Sequence[Mapping[str, Any]]) -> str:
    r"""Return one line per claim as a ``longtable`` with the rules of booktabs.

    The text needs ``\usepackage{booktabs,longtable,amsmath,amssymb}``.

    Parameters
    ----------
    verdicts : stored verdicts, one line each.

    Returns
    -------
    str : LaTeX.
    """
    head = " & ".join(HEADINGS) + r" \\"
    body = [" & ".join(_cells(verdict, _slack_tex, latex_text)) + r" \\" for verdict in verdicts]
    width = r"p{0.3\linewidth}"
    return "\n".join(
        [
            r"% needs \usepackage{booktabs,longtable,amsmath,amssymb}",
            rf"\begin{{longtable}}{{@{{}}{width}lllrrll@{{}}}}",
            r"\toprule",
            head,
            r"\midrule",
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            *body,
            r"\end{longtable}",
            "",
        ]
    )


def _slack_tex(slack: str) -> str:
    if slack == "–":
        return "--"
    digits = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
    plain = re.sub(r"×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: "e" + m[1].translate(digits), slack).translate(digits)
    return tex(plain)
