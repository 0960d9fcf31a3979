"""Errors that answer four questions: what was given, what is required, why, and what to try."""

import difflib
from collections.abc import Iterable


def nearest(given: str, known: Iterable[str], count: int = 1, cutoff: float = 0.5) -> list[str]:
    """Return the known words nearest to a given one, small and large letters alike; none where none is near.

    Parameters
    ----------
    given : what was written.
    known : the words that would have been accepted.
    count : how many are told at most.
    cutoff : how near they must be, from 0 to 1.

    Examples
    --------
    >>> nearest("exibited", ["points", "exhibited"]), nearest("n", ["N", "d"]), nearest("x", ["N", "d"])
    (['exhibited'], ['N'], [])
    """
    spelled: dict[str, str] = {}
    for word in known:
        spelled.setdefault(word.lower(), word)
    return [spelled[word] for word in difflib.get_close_matches(given.lower(), spelled, count, cutoff)]


def did_you_mean(given: str, known: Iterable[str], otherwise: str = "", count: int = 1, cutoff: float = 0.5) -> str:
    """Return the question *did you mean …?* with the nearest known words, else another advice.

    Parameters
    ----------
    given, known, count, cutoff : as :func:`nearest` takes them.
    otherwise : the advice where no word is near.

    Examples
    --------
    >>> did_you_mean("leakge", ["leakage", "risk"]), did_you_mean("x", ["risk"], "theorytools list")
    ('did you mean leakage?', 'theorytools list')
    """
    near = nearest(given, known, count, cutoff)
    return f"did you mean {', '.join(near)}?" if near else otherwise


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
    """A certificate does not prove what it was meant to prove (a solver's status is never one).

    Examples
    --------
    >>> from theorytools.papers.qstr.interpolation.total_variation import TotalVariation
    >>> TotalVariation(z=(0, 1), y=(0, 1), knots=(), kinks=(), affine=(0, 1), dual=(1, 0)).lower()
    Traceback (most recent call last):
        ...
    theorytools.errors.CertificateError: given:    a multiplier that sees affine functions
    required: sum l_i = sum l_i z_i = 0
    """


class UndecidedError(TheoryError):
    """A comparison stayed open after the whole budget; neither answer may be given.

    Examples
    --------
    >>> from sympy import Symbol, log
    >>> from theorytools.claims.language.grid import Point
    >>> Point("paper.lemma_1", {"N": 1}, {"beta": 1 / log(Symbol("N"))}).beta
    Traceback (most recent call last):
        ...
    theorytools.errors.UndecidedError: given:    the letter beta = 1/log(N) at N=1
    required: a point where it is defined
    why:      a part of the formula has no real value there, or one of millions of digits
    """


class RecordError(TheoryError):
    """A record of runs is not there, is stale, or lacks what a claim reads; the advice makes it anew."""


class BudgetError(TheoryError):
    """An enumeration, a precision or a sample size would exceed its stated limit.

    Examples
    --------
    >>> from theorytools.papers.sep.tasks.boolean import bit_strings
    >>> bit_strings(40)
    Traceback (most recent call last):
        ...
    theorytools.errors.BudgetError: given:    all strings of 40 bits
    required: 1 <= n <= 20
    why:      they are enumerated
    """


class CheckError(TheoryError):
    """A check file cannot be read, or the claim in it is not well formed.

    Examples
    --------
    >>> from theorytools import Claim, Quantity, grid
    >>> Claim("Lemma 1", Quantity("n", "n") <= 1, grid(N=[1]), construct=abs, measure=max, controls=[])
    Traceback (most recent call last):
        ...
    theorytools.errors.CheckError: given:    claim 'Lemma 1': controls = []
    required: at least one Control(name, breaks=…, …)
    why:      a check that no spoiled twin fails cannot tell a true theorem from a false one
    try:      spoil one ingredient: a quarter of the temperature, a duplicate code, a bound divided by two
    """


class DisjointError(CheckError, ArithmeticError):
    """Two estimates of one quantity have no number in common: a mistake in what draws or computes them."""


class TruthValueError(TheoryError, TypeError):
    """An object that is neither true nor false was used as a truth value; also a ``TypeError``.

    Examples
    --------
    >>> from theorytools import Outcome, Verdict
    >>> bool(Verdict("paper.lemma_1", "Lemma 1", Outcome.REFUTED, "REFUTED", True, None, "fails at N=3"))
    Traceback (most recent call last):
        ...
    theorytools.errors.TruthValueError: given:    the verdict of paper.lemma_1 (REFUTED) as a truth value
    required: a question with one answer
    why:      HOLDS and 'as expected' differ: a reading known to fail is expected to be REFUTED
    try:      verdict.ok, verdict.raise_unless_expected(), or verdict.outcome == 'HOLDS'
    """


class UnexpectedVerdictError(TheoryError):
    """A verdict is not the one that its claim expects.

    Examples
    --------
    >>> from theorytools import Outcome, Verdict
    >>> verdict = Verdict("paper.lemma_1", "Lemma 1", Outcome.REFUTED, "HOLDS", False, None, "fails at N=3")
    >>> verdict.raise_unless_expected()
    Traceback (most recent call last):
        ...
    theorytools.errors.UnexpectedVerdictError: given:    paper.lemma_1: REFUTED (no evidence): fails at N=3
    required: HOLDS at every point judged
    why:      Lemma 1
    try:      theorytools verify paper.lemma_1
    """


class MissingPackageError(TheoryError, ImportError):
    """An optional package is not installed; the advice names the extra that brings it."""


class AbsentError(DomainError, AttributeError):
    """A member that this network does not have; ``hasattr`` is False for it."""


class ConformanceError(TheoryError):
    """Two evaluators of one network disagree, or a network does not keep what it claims."""
