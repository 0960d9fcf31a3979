r"""Whether a formula is TeX: what its braces, scripts and commands say, without a converter.

What a converter accepts changes with its version, and a remark must be the same on every machine.  So only what no TeX
accepts is told: braces and :math:`\left`, :math:`\right` that do not pair, an argument that is missing, a second
exponent, a command one letter off a known one, and a letter that Python made of a backslash in a text that is not raw.
"""

from __future__ import annotations

import difflib
import re

_TOKEN = re.compile(r"\\(?:[A-Za-z]+\*?|.)|[{}^_]|\s+|[^\\{}^_\s]|\\$", re.DOTALL)
_LOST = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\v": "\\v", "\r": "\\r", "\t": "\\t", "\n": "\\n"}
_ONE = frozenset((
    "sqrt", "hat", "bar", "tilde", "overline", "underline", "vec", "dot", "mathbb", "mathbf", "mathcal", "mathfrak",
    "mathrm", "mathsf", "mathit", "operatorname", "text", "widehat", "widetilde",
))  # fmt: skip
_TWO = frozenset(("frac", "tfrac", "dfrac", "binom", "tbinom", "dbinom"))
_WORDS = (
    "aleph alpha angle approx approxeq arccos arcsin arctan arg ast asymp backslash bar because begin beta Big big "
    "bigcap bigcirc bigcup bigg biggl biggr Bigl bigl bigoplus bigotimes Bigr bigr bigsqcup bigtriangledown "
    "bigtriangleup bigvee bigwedge binom bmod boldsymbol bot boxed breve bullet cap cases cdot cdotp cdots check chi "
    "circ circledast colon complement cong coprod cos cosh cot coth csc cup curvearrowright dagger dbinom ddagger "
    "ddot ddots deg Delta delta det dfrac diag dim displaystyle div dot doteq dots dotsb dotsc dotsi dotsm dotso "
    "downarrow ell emptyset end enspace epsilon eqcirc eqsim equiv erf eta exists exp flat forall frac Gamma gamma "
    "gcd ge geq geqq geqslant gets gg gtrsim hat hbar hom hookrightarrow hphantom hspace iff iint Im imath implies in "
    "inf infty injlim int iota jmath kappa ker Lambda lambda land langle lbrace lbrack lceil ldots le left Leftarrow "
    "leftarrow leftharpoonup Leftrightarrow leftrightarrow leftrightarrows leq leqq leqslant lesssim lfloor lg lim "
    "liminf limits limsup ll ln lnot log Longleftarrow longleftarrow Longleftrightarrow longleftrightarrow longmapsto "
    "Longrightarrow longrightarrow lor ltimes lVert lvert mapsto mathbb mathbbm mathbf mathbin mathcal mathds "
    "mathfrak mathit mathnormal mathop mathord mathrel mathring mathrm mathscr mathsf mathstrut max mid middle min mp "
    "mu nabla natural ne nearrow neg neq nexists ngeq ni nleq nolimits nonumber not notin nparallel nsubseteq "
    "nsupseteq nu odot oint Omega omega operatorname operatornamewithlimits oplus oslash otimes overbrace overbracket "
    "overleftarrow overline overrightarrow overset parallel partial perp phantom Phi phi Pi pi pm pmod Pr prec "
    "preccurlyeq preceq precsim prime prod projlim propto Psi psi qquad quad rangle rbrace rbrack rceil Re rfloor rho "
    "right Rightarrow rightarrow rightharpoonup rightleftarrows rightleftharpoons rtimes rVert rvert scriptstyle sec "
    "setminus sharp Sigma sigma sim simeq sin sinh smallint smallsetminus sqcap sqcup sqrt sqsubset sqsubseteq "
    "sqsupseteq stackrel star strut subset subseteq subseteqq subsetneq subsetneqq substack succ succcurlyeq succeq "
    "succsim sum sup supset supseteq supseteqq supsetneq swarrow tan tanh tau tbinom text textbf textit textnormal "
    "textrm textsc textsf textstyle texttt tfrac therefore Theta theta thickapprox thicksim tilde times to top "
    "triangle triangleleft triangleq triangleright underbrace underbracket underleftarrow underline underrightarrow "
    "underset uparrow upharpoonright Upsilon upsilon varepsilon varkappa varliminf varlimsup varnothing varphi varpi "
    "varprojlim varpropto varrho varsigma varsubsetneq vartheta vartriangle vdots vec vee Vert vert vphantom wedge "
    "widehat widetilde wp Xi xi xleftarrow xrightarrow zeta"
)
KNOWN = frozenset(_WORDS.split())


def fault(formula: str, *, within: bool = False) -> str:
    r"""Return what is wrong with a formula, in words; empty where nothing is.

    Parameters
    ----------
    formula : without its dollars.
    within : whether it stands within a longer text, where lines and tabulators are blanks.

    Examples
    --------
    >>> fault(r"\frac{a}{b"), fault(r"\alhpa"), fault(r"x^2^3"), fault(r"\sup_f|\hat E f|^2")
    ('a brace is not closed', '\\alhpa is no command: \\alpha?', 'two exponents at one base', '')
    """
    for sign, meant in _LOST.items():
        if sign in formula and not (within and sign in "\t\n"):
            return f"Python read {meant} as one sign: the text is no r'…'"
    tokens = _TOKEN.findall(formula)
    return _braces(tokens) or _pairs(tokens) or _scripts(tokens) or _arguments(tokens) or _commands(tokens)


def unclosed(text: str) -> bool:
    r"""Return whether a text has an odd number of dollars; ``\$`` is none."""
    return len(re.findall(r"(?<!\\)\$", text)) % 2 == 1


def formulas(text: str) -> list[str]:
    """Return the formulas of a text, without their dollars."""
    return re.findall(r"(?<!\\)\$((?:[^$\\]|\\.)*)\$", text, re.DOTALL)


def _braces(tokens: list[str]) -> str:
    depth = 0
    for token in tokens:
        depth += (token == "{") - (token == "}")
        if depth < 0:
            return "a brace closes what none opened"
    return "a brace is not closed" if depth else ""


def _pairs(tokens: list[str]) -> str:
    for opening, closing in (("\\left", "\\right"), ("\\begin", "\\end")):
        if tokens.count(opening) != tokens.count(closing):
            return f"{tokens.count(opening)} {opening} and {tokens.count(closing)} {closing}"
    return ""


def _scripts(tokens: list[str]) -> str:
    """Two exponents, or two indices, at one base; and a script without anything in it."""
    place, seen = 0, ""
    while place < len(tokens):
        token = tokens[place]
        if token in "^_" and token:
            if token in seen:
                return "two exponents at one base" if token == "^" else "two indices at one base"
            after = _argument(tokens, place + 1)
            if after is None:
                return f"nothing after {token}"
            seen, place = seen + token, after
            continue
        if not token.isspace() and token != "'":
            seen = ""
        place += 1
    return ""


def _argument(tokens: list[str], place: int) -> int | None:
    """The place after the argument that begins here; None where there is none."""
    while place < len(tokens) and tokens[place].isspace():
        place += 1
    if place >= len(tokens) or tokens[place] in ("}", "^", "_"):
        return None
    if tokens[place] == "{":
        depth = 0
        for k in range(place, len(tokens)):
            depth += (tokens[k] == "{") - (tokens[k] == "}")
            if not depth:
                return k + 1
    name = tokens[place].removeprefix("\\").rstrip("*") if tokens[place].startswith("\\") else ""
    place += 1
    for _ in range(2 if name in _TWO else 1 if name in _ONE else 0):
        after = _argument(tokens, place)
        if after is None:
            return place
        place = after
    return place


def _arguments(tokens: list[str]) -> str:
    for place, token in enumerate(tokens):
        name, after = token[1:] if token.startswith("\\") else "", place + 1
        for _ in range(2 if name in _TWO else 1 if name in _ONE else 0):
            if name == "sqrt" and tokens[after : after + 1] == ["["]:
                after = tokens.index("]", after) + 1 if "]" in tokens[after:] else after
            found = _argument(tokens, after)
            if found is None:
                return f"{token} lacks an argument"
            after = found
    return ""


def _commands(tokens: list[str]) -> str:
    for token in tokens:
        name = token[1:].rstrip("*")
        if token.startswith("\\") and name.isalpha() and len(name) > 4 and name not in KNOWN:
            near = difflib.get_close_matches(name, KNOWN, 1, 0.8)
            if near:  # what resembles none is a macro of the paper
                return f"{token} is no command: \\{near[0]}?"
    return ""
