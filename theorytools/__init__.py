"""theorytools: theorems of learning-theory papers as executable claims.

The construction of a proof is an importable network, the bound one symbolic expression, the statement a check that
can fail, with a control that must fail.
"""

from theorytools._lazy import attach

__version__ = "0.1.0"

_NAMES = {
    "Bound": "algebra.bound",
    "Budget": "algebra.estimate", "Estimate": "algebra.estimate", "Evidence": "algebra.estimate",
    "Recipe": "algebra.estimate", "enclosed": "algebra.estimate", "enclosed_between": "algebra.estimate",
    "exactly": "algebra.estimate", "observed": "algebra.estimate",
    "Enclosure": "numbers.enclosure",
    "Quantity": "algebra.assertion", "Assertion": "algebra.assertion",
    "curve_slope": "algebra.slope",
    "letter": "algebra.symbol",
    "Catalogue": "claims.catalogue",
    "Claim": "claims.claim", "Control": "claims.claim",
    "grid": "claims.grid", "points": "claims.grid",
    "Outcome": "claims.verdict", "Verdict": "claims.verdict",
    "judge": "claims.judge", "verify": "claims.run",
    "TheoryError": "errors", "DomainError": "errors", "CertificateError": "errors", "UndecidedError": "errors",
    "BudgetError": "errors", "CheckError": "errors", "TruthValueError": "errors",
    "UnexpectedVerdictError": "errors",
}  # fmt: skip
__all__ = ["__version__", *sorted(_NAMES)]
__getattr__, __dir__ = attach(__name__, _NAMES)
