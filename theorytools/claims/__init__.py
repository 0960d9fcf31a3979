"""Claims: a statement, its controls, its verdict; the catalogue of all of them."""

from theorytools._lazy import attach

_NAMES = {
    "Catalogue": "catalogue", "Entry": "catalogue", "find_roots": "catalogue",
    "Claim": "claim", "Control": "claim", "Grid": "grid", "Point": "grid",
    "Outcome": "verdict", "Row": "verdict", "Verdict": "verdict", "verify": "run",
}  # fmt: skip
__all__ = sorted(_NAMES)
__getattr__, __dir__ = attach(__name__, _NAMES)
