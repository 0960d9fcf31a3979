"""Formulas as Unicode for a terminal, ``β(1−ρ)`` in place of TeX; what has no such form stays TeX, whole."""

from __future__ import annotations

import re
from unicodedata import normalize

_GREEK = {
    name: sign
    for names, signs in (
        ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega",
         "αβγδϵζηθικλμνξπρστϕχψω"),
        ("varepsilon vartheta varphi varrho Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega", "εϑφϱΓΔΘΛΞΠΣΦΨΩ"),
    )
    for name, sign in zip(names.split(), signs, strict=True)
}  # fmt: skip
_NAMED = (
    "le=≤ leq=≤ ge=≥ geq=≥ ne=≠ neq=≠ approx=≈ equiv=≡ sim=∼ asymp=≍ lesssim=≲ gtrsim=≳ ll=≪ gg=≫ in=∈ notin=∉ "
    "subset=⊂ subseteq=⊆ cup=∪ cap=∩ setminus=∖ emptyset=∅ infty=∞ cdot=· times=× pm=± mp=∓ to=→ mapsto=↦ "
    "rightarrow=→ leftarrow=← Rightarrow=⇒ iff=⇔ forall=∀ exists=∃ sum=∑ prod=∏ int=∫ partial=∂ nabla=∇ langle=⟨ "
    "rangle=⟩ lceil=⌈ rceil=⌉ lfloor=⌊ rfloor=⌋ dots=… ldots=… cdots=⋯ top=⊤ perp=⊥ otimes=⊗ oplus=⊕ ast=* star=⋆ "
    "circ=∘ prime=′ ell=ℓ mid=| vert=| Vert=‖ lvert=| rvert=| lVert=‖ rVert=‖ neg=¬ wedge=∧ vee=∨ colon=: #=# %=% "
    "_=_ $=$ |=‖ {=\ue003 }=\ue004"
)
_UPRIGHT = "log exp max min sup inf lim ln det dim Pr arg sin cos tanh mod ker sgn tr rank Var"
_STYLES = (
    "left right big Big bigl bigr Bigl Bigr bigg displaystyle textstyle limits mathrm operatorname text mathsf mathcal "
    "mathbf boldsymbol mathit mathbb textit"
)
_SIGNS = _GREEK | dict(pair.split("=", 1) for pair in _NAMED.split())
_SIGNS |= {"quad": " ", "qquad": " ", ",": " ", ";": " ", ":": " ", "!": "", " ": " "}
_WORDS, _DROPPED = set(_UPRIGHT.split()), _STYLES.split()
_BOARD = str.maketrans("RNZQCEP", "ℝℕℤℚℂ𝔼ℙ")
_SUB = dict(zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
_SUP = dict(zip("0123456789+-=()nipqdTbkm", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵖ𐞥ᵈᵀᵇᵏᵐ", strict=True))
_GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_ACCENTS = {
    "hat": "\u0302",
    "widehat": "\u0302",
    "bar": "\u0304",
    "overline": "\u0304",
    "tilde": "\u0303",
    "dot": "\u0307",
}
END = "\ue002"  # ends the name of a command before it
_SIMPLE = re.compile(r"[\w.′̂̄̃̇ℝ-ℿα-ωΑ-Ω]+|\([^()]*\)|\|[^|]*\||‖[^‖]*‖")


def unicode_math(latex: str) -> str:
    """Return a formula in Unicode, or the TeX itself, in dollars, where part of it has no form on one line.

    Parameters
    ----------
    latex : without dollar signs.
    """
    text = _plain(latex)
    return f"${latex}$" if text is None else normalize("NFC", re.sub(r" +", " ", text).strip())


def with_unicode(text: str) -> str:
    """Return a text whose formulas, between dollar signs, are in Unicode."""
    formula = r":math:`([^`]+)`|(?<!\\)\$((?:[^$\\]|\\.)+)\$"
    return re.sub(formula, lambda found: unicode_math(found[1] or found[2]), text)


def _plain(latex: str) -> str | None:
    text = re.sub(r"\\begin\{cases\}((?:(?!\\begin).)*?)\\end\{cases\}", _cases, latex, flags=re.DOTALL)
    text = text.replace("{,}", ",").replace("\\\\", " ")
    if re.search(r"\\(begin|binom|atop|substack|stackrel|over|choose)\b|&", text):
        return None
    for _ in range(12):
        before = text
        text = re.sub(r"\\mathbb\{?([A-Z1])\}?", lambda m: END + (m[1].translate(_BOARD) if m[1] != "1" else "𝟙"), text)
        text = re.sub(r"\\(?:[dt]?frac)\s*(\d)\s*(\d)", rf"{END}\1/\2", text)
        text = re.sub(rf"\\(?:[dt]?frac)\s*(?:{_GROUP}|(\w))\s*(?:{_GROUP}|(\w|\\[a-z]+))", _fraction, text)
        text = re.sub(rf"\\sqrt\s*(?:{_GROUP}|(\w))", lambda m: f"{END}√{_bracketed(_all(m))}", text)
        text = re.sub(rf"\\({'|'.join(_ACCENTS)})(?![a-z])\s*(?:{_GROUP}|(\\[A-Za-z]+|\w))", _accented, text)
        text = re.sub(rf"\\(?:{'|'.join(_DROPPED)})\*?\s*{_GROUP}", rf"{END}\1", text)
        if text == before:
            break
    text = re.sub(rf"\\(?:{'|'.join(sorted(_DROPPED, key=len, reverse=True))})\b\.?", "", text)
    text = re.sub(r"\\([A-Za-z]+|.)", _sign, text)
    if "\\" in text:
        return None
    for _ in range(6):
        text = re.sub(rf"([_^])(?:{_GROUP}|(\S))", _script, text)
    text = text.replace("{", "").replace("}", "").replace("\ue000", "_").replace("\ue001", "^").replace(END, "")
    text = text.replace("\ue003", "{").replace("\ue004", "}")
    text = re.sub(r" +([)⟩⌉⌋])", r"\1", text)
    text = re.sub(rf"\b({'|'.join(sorted(_WORDS))}) +(?=[(‖|{{])", r"\1", text)
    text = re.sub(r"([(⟨⌊⌈]) +", r"\1", text)
    return re.sub(r"\s*([=≤≥≠<>≈∼∈→≍≲≳])\s*", r" \1 ", text.replace("-", "−").replace("~", " "))


def _cases(match: re.Match[str]) -> str:
    """Values with their conditions on one line: ``{3 for r = 0; 2 otherwise}``."""
    lines = (" ".join(line.replace("&", " ").split()) for line in match[1].split("\\\\"))
    return "\ue003" + "; ".join(filter(None, lines)) + "\ue004"


def _all(match: re.Match[str]) -> str:
    return next(part for part in match.groups() if part is not None)


def _bracketed(text: str) -> str:
    text = text.replace(END, "")
    return text if _SIMPLE.fullmatch(text) or re.fullmatch(r"\\[a-zA-Z]+", text) else f"({text})"


def _fraction(match: re.Match[str]) -> str:
    top, bottom = (next(p for p in pair if p is not None) for pair in (match.groups()[:2], match.groups()[2:]))
    below = _bracketed(bottom) if re.fullmatch(r"\\?\W*\w\W?|\\[a-z]+|\d+|\(.*\)", bottom) else f"({bottom})"
    return f"{END}{_bracketed(top)}/{below}"


def _accented(match: re.Match[str]) -> str:
    inner = match[2] if match[2] is not None else match[3]
    inner = _GREEK.get(inner[1:], inner) if inner.startswith("\\") else inner
    return f"{END}{inner}{_ACCENTS[match[1]]}" if len(inner) == 1 else f"\\unsaid{inner}"


def _sign(match: re.Match[str]) -> str:
    name = match[1]
    if name in _WORDS:
        return f" {name} "
    return _SIGNS.get(name, match[0])


def _script(match: re.Match[str]) -> str:
    inner = (match[2] if match[2] is not None else match[3]).strip()
    table = _SUB if match[1] == "_" else _SUP
    if inner and all(sign in table for sign in inner):
        return "".join(table[sign] for sign in inner)
    if match[2] is None or re.fullmatch(r"\w+|[⊤*′]", inner):
        return f"\ue000{inner}" if match[1] == "_" else f"\ue001{inner}"
    inner = inner if re.fullmatch(r"\([^()]*\)", inner) else f"({inner})"
    return f"\ue000{inner}" if match[1] == "_" else f"\ue001{inner}"
