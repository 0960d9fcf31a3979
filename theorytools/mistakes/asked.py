"""The verdict of one claim, for programs and notebooks: a mistake in its check is told as the command line tells it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from theorytools.arguments.checked import BODY, checked
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.judging.verdict import Verdict
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.errors import DomainError
from theorytools.mistakes.door import explaining, unlisted
from theorytools.optional import naming_extras


@checked
def verify(id: Annotated[str, BODY], *, checks: str | Path | None = None, **at: Any) -> Verdict:
    """Return the verdict of one claim, at its grid or with the given axes replaced.

    Parameters
    ----------
    id : the claim's id, ``"qstr.lemma_11"``.
    checks : a folder of checks; the library's own unless given.
    at : a value for an axis, or a list of values: ``verify("qstr.lemma_11", N=[64, 128], q=4)`` judges the product of
        all lists with the other axes of the grid, in one verdict.

    Returns
    -------
    Verdict
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
    """
    if not isinstance(id, str):
        raise DomainError(
            f"the id {id!r} of type {type(id).__name__}", required="a claim's id as a text",
            why="ids are made of the paper, the file and the claim", advice='verify("qstr.lemma_11"); theorytools list',
        )  # fmt: skip
    try:
        entry = Catalogue(find_roots(checks)).one(id)
    except DomainError as error:
        if (told := unlisted(error)) is error:
            raise
        raise told from error
    with naming_extras(), explaining(entry):
        return judge_entry(replace(entry), at)
