"""Letters of formulas as plain signs, for pictures, in which no formula can be set: ``dₑ``, ``β``, ``r_x``."""

from __future__ import annotations

import re

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "vartheta": "ϑ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
    "sigma": "σ", "varsigma": "ς", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
    "ell": "ℓ", "eps": "ε", "lam": "λ",
}  # fmt: skip
BELOW = dict(zip("0123456789aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
SIMPLE = re.compile(r"(\\[A-Za-z]+|[A-Za-z])(?:_\{?([A-Za-z0-9]+)\}?)?('?)")


def letter_signs(name: str, latex: str = "") -> str:
    r"""Return a letter as signs: as its LaTeX prints it where that is simple, else its name.

    Examples
    --------
    >>> [letter_signs(*one) for one in (("d_e", ""), ("kappa_2", r"\kappa_2"), ("size", r"\|W\|"), ("code", ""))]
    ['dₑ', 'κ₂', 'size', 'code']
    """
    for text in (latex, re.sub(r"^[A-Za-z]+", lambda m: "\\" + m[0] if m[0] in GREEK else m[0], name)):
        found = SIMPLE.fullmatch(text)
        if found:
            letter, index, prime = found[1].removeprefix("\\"), found[2] or "", "′" * bool(found[3])
            if found[1].startswith("\\") and letter not in GREEK:
                continue
            low = "".join(BELOW.get(sign, "?") for sign in index)
            return GREEK.get(letter, letter) + (f"_{index}" if "?" in low else low) + prime
    return name
