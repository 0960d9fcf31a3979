"""The claims that a claim rests on: that they exist, that they are meant to hold, and that no circle is made."""

from __future__ import annotations

from theorytools.claims.language.claim import Claim
from theorytools.claims.papers.catalogue import Catalogue, Entry, find_roots
from theorytools.claims.papers.loading import load
from theorytools.errors import CheckError, DomainError


def used(claim: Claim, entry: Entry) -> list[Entry]:
    """Return the entries of the claims named in ``claim.uses``, of the entry's own folder or of the library.

    Raises
    ------
    CheckError
        For an id that is not one claim, for a claim that is expected to be REFUTED, and for a claim that rests, by
        way of others or at once, on this one.
    """
    if not claim.uses:
        return []
    return _followed(claim, entry, Catalogue(find_roots(entry.root)), ())


def _followed(claim: Claim, entry: Entry, catalogue: Catalogue, above: tuple[str, ...]) -> list[Entry]:
    chain, found = (*above, entry.id), []
    for id in claim.uses:
        if id in chain:
            raise CheckError(
                f"{' uses '.join([*chain, id])}", required="claims without a circle",
                why="nothing is proved by statements that rest on each other", advice=f"theorytools show {id}",
            )  # fmt: skip
        other = _one(id, entry, catalogue)
        lemma = load(other)
        if lemma.expect in ("REFUTED", "WITNESS FAILS"):
            raise CheckError(
                f"{entry.id}, which uses {id}", required="a claim that is meant to hold",
                why=f"{id} is a reading that is known to fail", advice=f"theorytools show {id} names its repair",
            )  # fmt: skip
        _followed(lemma, other, catalogue, chain)
        found.append(other)
    return found


def _one(id: str, entry: Entry, catalogue: Catalogue) -> Entry:
    try:
        return next(found for found in catalogue.select([id]) if found.id == id)
    except DomainError as error:
        raise CheckError(
            f"{entry.path.name}: uses = {id!r}", required="the id of a claim", why=error.why, advice=error.advice
        ) from None
    except StopIteration:
        names = ", ".join(found.id for found in catalogue.select([id]))
        raise CheckError(
            f"{entry.path.name}: uses = {id!r}", required="the whole id of one claim",
            why=f"it stands for {names}", advice="name each claim that is used",
        ) from None  # fmt: skip
