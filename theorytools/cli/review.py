"""``review``: half a page on one statement from stored verdicts; what is not known of today's code is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.claims.language import TIERS
from theorytools.claims.papers.catalogue import Catalogue, Entry, find_roots
from theorytools.cli.answers import answer
from theorytools.cli.formats import chosen, hanging, wrapped
from theorytools.cli.naming import Named, named
from theorytools.cli.stored import Store, committed
from theorytools.errors import CheckError, DomainError, TheoryError
from theorytools.files import write_text
from theorytools.progress import talking
from theorytools.reporting import words
from theorytools.reporting.review import PARTS, Line, Review, line_of, reviewed, reviewed_paper
from theorytools.reporting.unicode_math import with_unicode

Verdict = Mapping[str, Any]
FOLDER = Path("site")


@checked
def review(what: str, *, checks: str | Path | None = None) -> Review:
    """Return half a page on one statement: as printed and as judged, how far it reaches, and how near to false.

    Stored verdicts of today's code are taken, of ``site`` or of the committed record beside the checks; only the claim
    that the page is about is judged where there is none.

    Parameters
    ----------
    what : an id, its end, a label, a number of some version, or words: ``"qstr.lemma_11"``, ``"lemma_11"``,
        ``"prop 8 of qstr"``, ``"2503.11272 Theorem 6"``.
    checks : a folder of checks; the library's own unless given.

    Returns
    -------
    Review : ``str`` gives it as Markdown, a notebook shows it.

    Raises
    ------
    DomainError : no statement has these words, or several have.

    Examples
    --------
    >>> page = review("lemma 11 of qstr")
    >>> page.claim, page.outcome, page.evidence
    ('qstr.lemma_11', 'HOLDS', 'exact')
    """
    return _reviewed([what], Catalogue(find_roots(checks)))


def review_command(asked: Sequence[str], output: Path | None, checks: Path | None, as_json: bool, format: str) -> int:
    """Print the review of a statement, or write it as Markdown; return 0."""
    how = chosen(format, as_json)
    if output is not None and not output.parent.is_dir():
        raise DomainError(
            f"--output {output}", required="a file in a folder that exists", advice=f"mkdir -p {output.parent}"
        )
    page = _reviewed(asked, Catalogue(find_roots(checks)))
    if output is not None:
        write_text(output, str(page))
    if how == "json":
        answer("review", {**page.to_json(), "output": str(output) if output else None})
    elif output is not None:
        print(output)
    elif how == "markdown":
        print(page, end="")
    else:
        _tell(page)
    return 0


def _tell(page: Review) -> None:
    """Print a review at the terminal's width, its formulas in Unicode."""
    print(wrapped(with_unicode(page.title)))
    print(wrapped(with_unicode(page.source)))
    for name, heading in PARTS.items():
        if lines := page.parts.get(name):
            print(f"\n{heading}")
            for one in lines:
                print(hanging("    ", with_unicode(one), 4))
    if page.claims:
        print(f"\n{page.heading}")
        for line in page.beside:
            print(hanging("    ", with_unicode(line), 6))


def _reviewed(asked: Sequence[str], catalogue: Catalogue) -> Review:
    found, store = named(asked, catalogue), Store(FOLDER)
    (paper,) = catalogue.index([found.paper.key])
    if found.statement is None and found.claim is None:
        return _of_paper(found, paper, catalogue, store)
    statement = next((one for one in paper["statements"] if found.statement and one["id"] == found.statement.id), None)
    statement = statement or {
        "id": found.claim.stem if found.claim else "",
        "label": "",
        "ours": "a claim of no statement",
    }
    entries = list(catalogue.claims_of(found.paper, found.statement)) if found.statement else []
    entries = entries or ([found.claim] if found.claim else [])
    known = known_verdicts(entries, catalogue, store)
    entry = found.claim or _main(entries, known)
    if entry is None:
        return reviewed(None, statement, paper, relation=_relation(found, catalogue, store), text={})
    verdict, source = known.get(entry.id, (None, ""))
    if verdict is None or (verdict.get("committed") and _contradicted(verdict)):
        verdict, source = _judged(entry), "judged now"
    own = str(statement["label"])
    others = tuple(_line(other, known, own) for other in entries if other.id != entry.id)
    return reviewed(
        verdict, statement, paper, relation=_relation(found, catalogue, store), text=_text(verdict, entry, catalogue),
        cells=_cells(entry, catalogue), today=_asked_today(entry, catalogue, store), claims=others, known=source,
    )  # fmt: skip


def _of_paper(found: Named, paper: Mapping[str, Any], catalogue: Catalogue, store: Store) -> Review:
    """The review of a paper: of its claims' verdicts those stored here, else of the committed record, none judged."""
    own = [entry for entry in catalogue.entries if entry.paper == found.paper.key]
    known: dict[str, Verdict] = {
        id: verdict for id, verdict in committed(catalogue, [found.paper.key]).items()
        if any(e.id == id and verdict["source"].get("sha256") == store.table.fingerprint(e.path) for e in own)
    }  # fmt: skip
    for tier in TIERS:
        known |= store.reusable([(entry, {}) for entry in own], tier)
    return reviewed_paper(paper, {entry.id: known[entry.id] for entry in own if entry.id in known})


def known_verdicts(entries: Sequence[Entry], catalogue: Catalogue, store: Store) -> dict[str, tuple[Verdict, str]]:
    """Return the verdicts of today's code by id, each with where it is from: stored here, else committed.

    Parameters
    ----------
    entries : the claims asked for.
    catalogue : where they are.
    store : of the report's folder.
    """
    from theorytools.cli.quick import planned

    found: dict[str, tuple[Verdict, str]] = {}
    for tier in TIERS:
        waiting = [entry for entry in entries if entry.id not in found]
        stored = store.reusable([(entry, {}) for entry in waiting], tier)
        found |= {id: (verdict, f"stored in {store.folder}") for id, verdict in stored.items()}
    if left := [entry for entry in entries if entry.id not in found]:
        plan = planned(catalogue, left, store, 0)
        for id, same in plan.same.items():
            verdict = {**same, "committed": dict(plan.made[same["source"]["paper"]])}
            found[id] = verdict, f"that of the committed record of {words.confirmed(verdict)}"
    return found


def _main(entries: Sequence[Entry], known: Mapping[str, tuple[Verdict, str]]) -> Entry | None:
    """The claim that is the statement itself, else the first."""

    def role(entry: Entry) -> str:
        return entry.role or str(known[entry.id][0].get("role") if entry.id in known else "")

    return next((one for one in entries if role(one) == "statement"), next(iter(entries), None))


def _contradicted(verdict: Verdict) -> bool:
    """Whether the independent checker finds a committed verdict wrong."""
    from theorytools.cli.quick import checked_again

    bare = {name: part for name, part in verdict.items() if name != "committed"}  # as its digest has it
    return bool(checked_again(bare)["state"] == "contradicted")


def _judged(entry: Entry) -> Verdict:
    from theorytools.claims.judging.run import judge_entry

    with talking():
        return judge_entry(entry, tier="seconds").to_json()


def _line(entry: Entry, known: Mapping[str, tuple[Verdict, str]], label: str) -> Line:
    return line_of(entry.id, entry.role, known.get(entry.id, (None, ""))[0], label)


def _text(verdict: Verdict, entry: Entry, catalogue: Catalogue) -> Mapping[str, Any]:
    from theorytools.cli.listing import own_text

    return own_text(verdict, entry, catalogue)[0]


def _relation(found: Named, catalogue: Catalogue, store: Store) -> Mapping[str, Any]:
    """How the statement stands to its print; nothing where what is said of it is wrong, which ``report`` tells."""
    from theorytools.claims.judging.as_printed import relations

    try:
        known = relations(catalogue, found.paper, store.table)
    except (CheckError, TheoryError):
        return {}
    return known.get(found.statement.id, {}) if found.statement else {}


def _cells(entry: Entry, catalogue: Catalogue) -> Sequence[Mapping[str, Any]]:
    """What is recorded of the hypotheses of a claim."""
    from theorytools.claims.judging.necessity_record import recorded

    found = recorded(catalogue, [entry.paper]).get(entry.id)
    return found["cells"] if found else ()


def _asked_today(entry: Entry, catalogue: Catalogue, store: Store) -> bool:
    """Whether that is recorded of the check as it is."""
    from theorytools.claims.judging.necessity_record import recorded

    found = recorded(catalogue, [entry.paper]).get(entry.id)
    return found is None or bool(found["check"] == store.table.fingerprint(entry.path))
