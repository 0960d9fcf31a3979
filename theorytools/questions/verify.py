"""``verify`` and ``judge``: claims of a folder, or one that was just written, and what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, overload

from theorytools.arguments.checked import BODY, checked
from theorytools.claims.judging.judge import Progress
from theorytools.claims.judging.judge import judge as judged
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.language.claim import Claim
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.work import Work
from theorytools.errors import DomainError
from theorytools.mistakes.door import explaining, unlisted
from theorytools.optional import naming_extras
from theorytools.progress import watched
from theorytools.questions.shown import ShownVerdict, Verdicts, shown


@overload
def verify(id: str, *, checks: str | Path | None = None, **at: Any) -> ShownVerdict: ...
@overload
def verify(id: Sequence[str], *, checks: str | Path | None = None, **at: Any) -> Verdicts: ...
@checked
def verify(id: Annotated[Any, BODY], *, checks: str | Path | None = None, **at: Any) -> ShownVerdict | Verdicts:
    """Return the verdict of one claim, at its grid or with the given axes replaced; of several ids one for each.

    Work that takes longer than two seconds says how far it is: a bar in a notebook and on a terminal, elsewhere a line
    a minute on standard error.

    Parameters
    ----------
    id : the claim's id, ``"qstr.lemma_11"``, or a list of ids.
    checks : a folder of checks; the library's own unless given.
    at : a value for an axis, or a list of values: ``verify("qstr.lemma_11", N=[64, 128], q=4)`` judges the product of
        all lists with the other axes of the grid, in one verdict.

    Returns
    -------
    ShownVerdict or Verdicts
        Ask ``verdict.ok`` or ``verdict.raise_unless_expected()``; a verdict has no truth value.  Points outside the
        hypotheses, and points that would exceed a limit of work, are listed in ``verdict.skipped`` with the reason;
        the outcome is that of the others.  With no other it is INAPPLICABLE, or UNDECIDED where a point stayed open.

    Raises
    ------
    DomainError
        For unknown ids and axes, and for a value that is no exact number or word of its axis (None, NaN, True).
    CheckError
        For a check that cannot be judged, with the line of the mistake and what to write.

    Examples
    --------
    >>> verdict = verify("qstr.lemma_11", N=[8], q=1)
    >>> verdict.outcome.value, verdict.ok
    ('HOLDS', True)
    >>> verify(["qstr.lemma_11", "qstr.lemma_11_any_temperature"], N=[8])
    qstr.lemma_11: HOLDS (exact)
    qstr.lemma_11_any_temperature: HOLDS (enclosed)
    """
    if isinstance(id, list | tuple):
        return Verdicts([_verified(one, checks, at) for one in id])
    return _verified(id, checks, at)


def _verified(id: Any, checks: str | Path | None, at: Mapping[str, Any]) -> ShownVerdict:
    if not isinstance(id, str):
        raise DomainError(
            f"the id {id!r} of type {type(id).__name__}", required="a claim's id as a text, or a list of ids",
            why="ids are made of the paper, the file and the claim", advice='verify("qstr.lemma_11"); theorytools list',
        )  # fmt: skip
    try:
        entry = Catalogue(find_roots(checks)).one(id)
    except DomainError as error:
        if (told := unlisted(error)) is error:
            raise
        raise told from error
    with naming_extras(), explaining(entry), watched(id, "points") as step:
        return shown(judge_entry(replace(entry), at, progress=step))


@checked
def judge(
    claim: Claim, id: str, points: Sequence[Mapping[str, Any]] | None = None, *,
    document: Mapping[str, Any] | None = None, progress: Progress | None = None, work: Sequence[Work] = (),
) -> ShownVerdict:  # fmt: skip
    """Return the verdict of a claim that is at hand, on its grid, or at the given points.

    Parameters
    ----------
    claim : the claim.
    id : its id ``paper.stem[.name]``; seeds are keyed by ``paper.stem``.
    points : axes of user points; every axis must be given.  Default: the claim's grid.
    document : what the report shows besides numbers (see :mod:`theorytools.claims.judging.description`).
    progress : called with (done, total) after each point; unless given, work that takes longer than two seconds says
        how far it is, as :func:`theorytools.verify` does.
    work : what the claim declares of the work of a point; those beyond the limit are left open.

    Returns
    -------
    ShownVerdict : the outcome, and one row for each point and assertion.

    Raises
    ------
    DomainError : an axis of ``points`` that the claim does not have, or one that is missing.

    Examples
    --------
    >>> from theorytools import Control, Quantity, grid, letter
    >>> N = letter("N", "number of terms", integer=True, positive=True)
    >>> total = Quantity("total", "S", "the sum of the first N numbers")
    >>> claim = Claim(
    ...     label="Gauss", asserts=total.equals(N * (N + 1) / 2), grid=grid(N=[1, 10, 100]),
    ...     construct=lambda p: range(p.N + 1), measure=lambda terms, p: {total: sum(terms)},
    ...     controls=[Control("one term less", breaks=total, construct=lambda p: range(p.N))],
    ... )
    >>> judge(claim, "toy.gauss").rows[1]
    N=10: total 55 == 55: holds
    """
    if progress is not None:
        return shown(judged(claim, id, points, document=document, progress=progress, work=work))
    with watched(id, "points") as step:
        return shown(judged(claim, id, points, document=document, progress=step, work=work))
