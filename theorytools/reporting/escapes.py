"""Cells of tables: text with formulas between dollar signs, escaped for Markdown and for LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable

from theorytools.shown import HIDDEN, visible

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
# what a formula may hold: mathematics alone, for a document that takes it in runs it; names of files, of counters and
# of colours, definitions and other catcodes are none
_WORDS = """
Big Bigg Biggl Biggm Biggr Bigl Bigm Bigr Delta Gamma Im Lambda Leftarrow Leftrightarrow Omega Phi Pi Pr Psi Re
Rightarrow Sigma Theta Upsilon Vert Xi alpha angle approx arccos arcsin arctan arg ast asymp bar beta big bigcap
bigcup bigg biggl biggm biggr bigl bigm bigoplus bigotimes bigr bigsqcup bigvee bigwedge binom bmod boldsymbol
bot bullet cap cdot cdots check chi circ colon cong coprod cos cosh cot coth csc cup dagger dbinom ddot ddots
deg delta det dfrac diamond dim displaystyle div dot dots ell emptyset epsilon equiv eta exists exp flat forall
frac gamma gcd ge geq geqslant gets gg gtrsim hat hbar hom iff imath in inf infty int iota jmath kappa ker lVert
lambda land langle lbrace lceil ldots le left leftarrow leftrightarrow leq leqslant lesssim lfloor lg lim liminf
limits limsup ll ln lnot log longrightarrow lor lvert mapsto mathbb mathbf mathcal mathfrak mathit mathrm
mathscr mathsf mathtt max mid middle min mp mu nabla ne neg neq ni nolimits not notin nu odot omega operatorname
oplus otimes overline parallel partial perp phi pi pm pmod prec preceq prime prod propto psi qquad quad rVert
rangle rbrace rceil rfloor rho right rightarrow rvert sec setminus sigma sim simeq sin sinh sqrt sqsubseteq
square star subset subseteq subsetneq substack succ succeq sum sup supset supseteq tan tanh tau tbinom text
textbf textit textrm textstyle tfrac theta tilde times to top triangle triangleq underbrace underline uparrow
upsilon varepsilon varkappa varnothing varphi varpi varrho varsigma vartheta vdots vec vee vert wedge widehat
widetilde xi zeta
"""
_MATHEMATICS = frozenset(_WORDS.split())
_ARRAYS = re.compile(r"\\begin\{(cases|[pbvBV]?matrix|smallmatrix|aligned)\}((?:(?!\\begin).)*?)\\end\{\1\}", re.DOTALL)
_LONGEST, _NESTED = 4000, 60  # characters of a formula; braces inside one another
_GREEK = (
    ("αβγδεζηθ", "alpha beta gamma delta varepsilon zeta eta theta"),
    ("ικλμνξπρ", "iota kappa lambda mu nu xi pi rho"),
    ("στυφχψω", "sigma tau upsilon varphi chi psi omega"),
    ("ΓΔΘΛΞΠΣΦΨΩ", "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"),
)
for _letters, _names in _GREEK:
    _LATEX |= {sign: rf"$\{name}$" for sign, name in zip(_letters, _names.split(), strict=True)}
_LATEX |= {"≈": r"$\approx$", "ϵ": r"$\epsilon$", "ϑ": r"$\vartheta$", "ς": r"$\varsigma$", "ℓ": r"$\ell$", "′": "$'$"}
_LATEX |= {
    low: f"$_{sign}$" for low, sign in zip("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789aehijklmnoprstuvx", strict=True)
}
_LATEX |= {high: f"$^{sign}$" for high, sign in zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", strict=True)}


def is_mathematics(latex: str) -> bool:
    r"""Return whether a formula holds nothing but mathematics, so that a document may take it in as it is.

    Its words are of a list, its braces close, and it has neither comments, parameters, signs written as ``^^5c``, nor
    ends of cells outside an array.

    Examples
    --------
    >>> is_mathematics(r"\frac{1}{N} \le x_i"), is_mathematics(r"\input{/etc/passwd}"), is_mathematics("^^5cinput x")
    (True, False, False)
    """
    inner, arrays = latex, 0
    while "\\begin" in inner and arrays < _NESTED and (found := _ARRAYS.search(inner)):  # the innermost first
        inner, arrays = f"{inner[: found.start()]}{{{found[2]}}}{inner[found.end() :]}", arrays + 1
    words = re.findall(r"\\([a-zA-Z]+)", inner)
    bare = re.sub(r"\\.", "", inner, flags=re.DOTALL)
    depth = deepest = 0
    for sign in bare:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        deepest = max(deepest, depth) if depth >= 0 else _NESTED + 1
    if len(latex) > _LONGEST or depth or deepest > _NESTED or HIDDEN.search(latex):
        return False
    if not _MATHEMATICS.issuperset(words) or words.count("left") != words.count("right"):
        return False
    cells = "&" in bare or "\\\\" in inner
    return not re.search(r"[%#$]|\^\^", bare) and (arrays > 0 or not cells)


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


def markdown_words(text: str) -> str:
    """Return text of others on one line of Markdown: no link, no picture, no tag and no code opens in it."""
    text = re.sub(r"([\\`\[\]])", r"\\\1", visible(" ".join(text.split())))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown_code(text: str) -> str:
    """Return text of others as code in a line of Markdown."""
    return f"`{visible(' '.join(text.split())).replace('`', chr(39))}`"


def latex_text(text: str) -> str:
    """Return text with every special character of LaTeX escaped; formulas of mathematics alone stay as they are.

    A row that begins with a bracket or a star would be taken for what the end of the row before it asks.
    """
    made = _mixed(text, lambda plain: "".join(_LATEX.get(sign, sign) for sign in plain), lambda latex: f"${latex}$")
    return f"{{{made[0]}}}{made[1:]}" if made[:1] in ("[", "*") else made


def _mixed(text: str, plain: Callable[[str], str], math: Callable[[str], str]) -> str:
    text, out, place = visible(" ".join(str(text).split())), [], 0
    for match in _MATH.finditer(text):
        if not is_mathematics(match[1]):
            continue
        out += [plain(text[place : match.start()].replace(r"\$", "$")), math(match[1])]
        place = match.end()
    return "".join([*out, plain(text[place:].replace(r"\$", "$"))])
