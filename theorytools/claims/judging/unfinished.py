"""What is no verdict yet: a template that nobody edited, and a proof that is still to be written.

A template runs, so that its writer sees at once how a check is made; judged, it would put a green row about N items
under the label of a paper's lemma.  *All, by the proof in the docstring* is the strongest thing that a scope can say,
and an *omitted* proof covers nothing.
"""

from __future__ import annotations

import re

from theorytools.claims.judging.description import text_of
from theorytools.claims.language.claim import Claim
from theorytools.claims.papers.catalogue import Entry
from theorytools.claims.papers.syntax import summary
from theorytools.errors import CheckError

# sentences of the templates of ``theorytools new`` that only their writer can replace
PLACEHOLDERS = (
    "replace it by your statement", "replace this by your prediction", "what is given, its sizes, its distribution",
    "exactly what the claim below asserts", "The prediction, in the paper's letters",
    "What is trained, on which data, with which optimiser",
)  # fmt: skip
UNWRITTEN = re.compile(
    r"\bomitted\b|\bto be (?:written|done|added)\b|\bTODO\b|\bFIXME\b|\bleft to the reader\b|\bas an exercise\b"
    r"|\bforthcoming\b|\bwill be (?:given|added)\b|\bTB[AD]\b",
    re.IGNORECASE,
)
LEAST = 3  # words, of which a proof has more


def refuse_stub(claim: Claim, entry: Entry) -> None:
    """Refuse a check that states nothing of its own yet.

    Raises
    ------
    CheckError : a sentence of a template stands in the docstring, or an object is covered by a proof that the
        docstring does not give; the message names the line.
    """
    doc = " ".join(summary(entry.path)["doc"].split())
    for sentence in PLACEHOLDERS:
        if sentence in doc:
            raise CheckError(
                f"{_place(entry, sentence)}: '{sentence}'", required="a statement of your own",
                why="a template that was not edited is a stub: its rows say nothing of the statement it is named after",
                advice="write docstring and claim; theorytools show qstr.lemma_11 prints a finished one",
            )  # fmt: skip
    by_proof = [said for said, how in claim.scope.items() if how == "proof"]
    if by_proof:
        _refuse_unwritten(by_proof[0], entry)


def _refuse_unwritten(said: str, entry: Entry) -> None:
    proof = dict(text_of(entry)["sections"]).get("Proof", "")
    unwritten = UNWRITTEN.search(proof)
    if unwritten is None and len(proof.split()) >= LEAST:
        return
    given = f"a proof that says '{unwritten[0]}'" if unwritten else "no proof" if not proof else f"the proof '{proof}'"
    word = unwritten[0] if unwritten else "Proof"
    raise CheckError(
        f"{_place(entry, word)}: {given}", required="the proof, in the section Proof of the docstring",
        why=f"the scope covers '{said}' by it, and nothing else does",
        advice="write it, with the inequality that it rests on; or say 'points' or 'drawn' in the scope",
    )  # fmt: skip


def _place(entry: Entry, sentence: str) -> str:
    """The line of the file where a sentence begins, that may be broken; its first line where it is not there."""
    source = entry.path.read_text(encoding="utf-8")
    match = re.search(r"\s+".join(map(re.escape, sentence.split())), source)
    line = source.count("\n", 0, match.start()) + 1 if match else 1
    return f"{entry.path.name}, line {line}"
