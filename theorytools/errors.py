"""Errors that answer four questions: what was given, what is required, why, and what to try."""


class TheoryError(Exception):
    """A mistake a user can mend; its message has four parts.

    Parameters
    ----------
    given : what the caller supplied.
    required : what would have been accepted.
    why : the statement or equation that asks for it.
    advice : what to try next.

    Examples
    --------
    >>> print(TheoryError("N = 0", required="N >= 1", why="Lemma 11", advice="N = 64"))
    given:    N = 0
    required: N >= 1
    why:      Lemma 11
    try:      N = 64
    """

    def __init__(self, given: str, *, required: str = "", why: str = "", advice: str = "") -> None:
        self.given, self.required, self.why, self.advice = given, required, why, advice
        super().__init__(given, required, why, advice)

    def __str__(self) -> str:
        parts = [("given", self.given), ("required", self.required), ("why", self.why), ("try", self.advice)]
        return "\n".join(f"{name + ':':<10}{text}" for name, text in parts if text)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.given, self.required, self.why, self.advice))


def _rebuild(kind: type[TheoryError], given: str, required: str, why: str, advice: str) -> TheoryError:
    return kind(given, required=required, why=why, advice=advice)


class DomainError(TheoryError, ValueError):
    """An argument lies outside the hypotheses or has the wrong type, shape or value; also a ``ValueError``.

    It takes the four parts of :class:`TheoryError`, as all errors below it do.

    Examples
    --------
    >>> raise DomainError("beta = 0", required="beta > 0")
    Traceback (most recent call last):
        ...
    theorytools.errors.DomainError: given:    beta = 0
    required: beta > 0
    """


class NumberError(DomainError, TypeError, ValueError):
    """Something that is no number, or no one number, where one is meant."""


class FolderError(DomainError):
    """A folder or file cannot be made, read or written."""


class CertificateError(TheoryError):
    """A certificate does not prove what it was meant to prove (a solver's status is never one)."""


class UndecidedError(TheoryError):
    """A comparison stayed open after the whole budget; neither answer may be given."""


class RecordError(TheoryError):
    """A record of runs is not there, is stale, or lacks what a claim reads; the advice makes it anew."""


class BudgetError(TheoryError):
    """An enumeration, a precision or a sample size would exceed its stated limit."""


class CheckError(TheoryError):
    """A check file cannot be read, or the claim in it is not well formed."""


class TruthValueError(TheoryError, TypeError):
    """An object that is neither true nor false was used as a truth value; also a ``TypeError``."""


class UnexpectedVerdictError(TheoryError):
    """A verdict is not the one that its claim expects."""


class MissingPackageError(TheoryError, ImportError):
    """An optional package is not installed; the advice names the extra that brings it."""


class AbsentError(DomainError, AttributeError):
    """A member that this network does not have; ``hasattr`` is False for it."""


class ConformanceError(TheoryError):
    """Two evaluators of one network disagree, or a network does not keep what it claims."""
