r"""One text for each claim: what its file says where the docstring is about it, else its own sentence, or its formulas.

A file of checks has one docstring and may make several claims: the statement, a variant, a reading that fails.  The
docstring is about the claim that is named ``claim``, or the first where none is; above any other it would say
something else, and above a refuted one the contrary of what was judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from theorytools.meaning import scope_text

Text = dict[str, Any]
STATEMENT, SETTING = "Statement", "Setting"


def owner_of(id: str, others: Iterable[str]) -> str:
    """Return the claim that the docstring of a claim's file is about: itself, or another of the same file.

    Parameters
    ----------
    id : the claim.
    others : ids among which those of its file are, in their order.

    Examples
    --------
    >>> owner_of("mine.lemma_1.reading", ["mine.lemma_1", "mine.lemma_1.reading", "mine.lemma_10"])
    'mine.lemma_1'
    >>> owner_of("mine.lemma_1.upper", ["mine.lemma_1.upper", "mine.lemma_1.lower"])
    'mine.lemma_1.upper'
    """
    file = ".".join(id.split(".")[:2])
    own = [other for other in others if other == file or other.startswith(f"{file}.")]
    return file if file in own else next(iter(own), id)


def text_of_claim(claim: Mapping[str, Any], about: Mapping[str, Any] | None) -> Text:
    """Return the text of a claim: a summary, headed sections, and whether the statement is made of its formulas.

    Parameters
    ----------
    claim : a verdict, or what ``show`` has of a claim: its text is that of its file.
    about : the same of the claim that the text is about; None where that is this claim itself.

    Returns
    -------
    dict : ``summary``, a sentence or nothing; ``sections`` as pairs of a heading and its text; ``formal``, whether the
        section *Statement* says no more than the formulas do.
    """
    text = claim.get("text") or {}
    if about is None:
        return {"summary": "", "sections": [], **text, "formal": False}
    sections = dict(text.get("sections") or ())
    shared = dict((about.get("text") or {}).get("sections") or ())
    own = str(sections.get(STATEMENT) or "")
    formal = not own or own == shared.get(STATEMENT)
    setting = [[SETTING, sections[SETTING]]] if sections.get(SETTING) else []
    statement = [STATEMENT, formulas_in_words(claim) if formal else own]
    return {"summary": str(claim.get("note") or ""), "sections": [*setting, statement], "formal": formal}


def formulas_in_words(claim: Mapping[str, Any], *, scoped: bool = True) -> str:
    r"""Return what a claim asserts as one sentence with formulas between dollar signs.

    Parameters
    ----------
    claim : a verdict, or what ``show`` has of a claim.
    scoped : whether it begins with the quantifiers.

    Examples
    --------
    >>> made = {"latex": r"m \le n", "quantity": "missed", "meaning": "points that no draw meets"}
    >>> formulas_in_words({"assertions": [made], "hypotheses": [r"n \ge 2"], "scope": {"every n": "points"}})
    'For every n (these points), if $n \\ge 2$: $m \\le n$ (missed: points that no draw meets).'
    """
    said = " and ".join(map(_asserted, claim.get("assertions") or ())) or "nothing is asserted"
    conditions = ", ".join(f"${one}$" for one in gathered(claim.get("hypotheses") or ()))
    lets = ", ".join(f"${one}$" for one in claim.get("lets") or ())
    scope = scope_text(claim.get("scope") or {}) if scoped else ""
    before = ", ".join([*([f"for {scope}"] if scope else []), *([f"if {conditions}"] if conditions else [])])
    sentence = f"{before}: {said}" if before else said
    return f"{sentence[:1].upper()}{sentence[1:]}{f', with {lets}' if lets else ''}."


def _asserted(entry: Mapping[str, Any]) -> str:
    """One assertion as a formula, with what its left side is."""
    shown = f"${entry['latex']}$" if entry.get("latex") else str(entry.get("name") or "")
    meaning = ": ".join(filter(None, [str(entry.get("quantity") or ""), str(entry.get("meaning") or "")]))
    return f"{shown} ({meaning})" if meaning else shown


def gathered(hypotheses: Sequence[str]) -> list[str]:
    r"""Return formulas with the letters of one set together: ``N, d\in \{1,2,\dots\}`` where the first stood."""
    members: dict[str, list[str]] = {}
    for formula in hypotheses:
        letter, within, domain = formula.partition(r"\in ")
        own = members.setdefault(within + domain if within else formula, [])
        own += [letter.strip()] if within else []
    return [", ".join(dict.fromkeys(own)) + rest for rest, own in members.items()]
