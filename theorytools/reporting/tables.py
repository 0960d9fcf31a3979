"""All claims as one Markdown table, as one LaTeX table in the style of booktabs, and counted by kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.meaning import COVERED, ROLES, WHOLE, scope_class
from theorytools.reporting import numbers as words

HEADINGS = (
    "Statement", "Claim", "Role", "Outcome", "Evidence", "Scope", "Sizes", "Would see", "Points", "Controls", "Source",
)  # fmt: skip
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


def _cells(verdict: Mapping[str, Any], text: Callable[[str], str]) -> list[str]:
    outcome = str(verdict.get("outcome", ""))
    if not verdict.get("as_expected"):
        outcome += f" ({words.expectation(verdict)})"
    elif outcome in ("REFUTED", "WITNESS FAILS"):
        outcome += " (as expected)"
    title = f"{verdict.get('label') or verdict['id']}. {verdict.get('title') or ''}".strip()
    evidence = str(verdict.get("evidence") or "none").lower()
    cells = [
        title, verdict["id"], str(verdict.get("role") or "–"), outcome, evidence, words.scope(verdict),
        words.sizes(verdict), words.would_see(verdict), words.points(verdict), words.controls(verdict),
        words.provenance(verdict),
    ]  # fmt: skip
    return list(map(text, cells))


@checked
def markdown_table(verdicts: Sequence[Mapping[str, Any]]) -> str:
    """Return one line per claim as a Markdown table (the GitHub dialect).

    Parameters
    ----------
    verdicts : stored verdicts, one line each.

    Returns
    -------
    str : Markdown.

    Examples
    --------
    >>> from theorytools import verify
    >>> table = markdown_table([verify("qstr.lemma_11", N=[8], q=1).to_json()])
    >>> len(table.splitlines()), "HOLDS" in table
    (3, True)
    """
    lines = [HEADINGS, ["---"] * len(HEADINGS)]
    lines += [_cells(verdict, markdown_text) for verdict in verdicts]
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

    Examples
    --------
    >>> print(latex_table([]).splitlines()[0])
    % needs \usepackage{booktabs,longtable,amsmath,amssymb}
    """
    head = " & ".join(HEADINGS) + r" \\"
    body = [" & ".join(_cells(verdict, latex_text)) + r" \\" for verdict in verdicts]
    width = r"p{0.3\linewidth}"
    return "\n".join(
        [
            r"% needs \usepackage{booktabs,longtable,amsmath,amssymb}",
            rf"\begin{{longtable}}{{@{{}}{width}lllllllrll@{{}}}}",
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


# -- how many of each kind ------------------------------------------------------------------------------------------
GRADES = ("exact", "enclosed", "sampled", "observed", "fitted")
SCOPES = ("all", *(how for how in COVERED if how not in WHOLE))
HEADS = ("role", "claims", *GRADES, "not judged", *SCOPES)


def distribution(verdicts: Iterable[Mapping[str, Any]]) -> list[list[str]]:
    """Return how many claims there are of each role: headings, a line for each role, then their sum.

    Scope is that of the innermost object: ``all`` where it is covered by enumeration, a closed form, an automaton or a
    proof.
    """
    own = list(verdicts)
    lines = [[role, *_counts([v for v in own if v.get("role") == role])] for role in ROLES]
    silent = [v for v in own if v.get("role") not in ROLES]
    lines += [["not stated", *_counts(silent)]] if silent else []
    return [list(HEADS), *lines, ["all", *_counts(own)]]


def _counts(own: list[Mapping[str, Any]]) -> list[str]:
    grades = [str(v.get("evidence") or "not judged").lower() for v in own]
    scopes = [_scope(v.get("scope") or {}) for v in own]
    numbers = [len(own), *(grades.count(g) for g in (*GRADES, "not judged")), *(scopes.count(s) for s in SCOPES)]
    return [str(n) if n else "" for n in numbers]


def _scope(scope: Mapping[str, str]) -> str:
    how = scope_class(scope) if scope else ""
    return "all" if how in WHOLE else how
