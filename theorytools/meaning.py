r"""What a claim means besides its formulas: its role, whom it quantifies over, and where its statement stands.

A reader asks of every row: is this the theorem, or something near it?  Does it cover every prompt, or five points?
Does the source say so, or do we?  A claim answers in three fields, and a wrong pair is an error when it is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from theorytools.errors import DomainError, did_you_mean

ROLES = {
    "statement": "the statement itself",
    "sharpness": "that it is attained, its lower side or its best constant",
    "necessity": "that a hypothesis or an ingredient cannot go",
    "growth": "how a quantity grows",
    "precision": "machine arithmetic",
    "variant": "the statement in another form or under other hypotheses",
    "pitfall": "a reading that fails",
    "prediction": "what was predicted of training, its rule committed before the first run",
    "found": "what trained models show; that its rule came before their first run is not shown",
    "foundation": "a tool that other claims use",
}
TRAINED = ("prediction", "found")  # judged by runs, which may leave them open
# how a quantified object is covered, and the words for it
COVERED = {
    "enumeration": "all, by enumeration",
    "closed form": "all, by closed form",
    "automaton": "all, by automaton",
    "proof": "all, by the proof in the docstring; instances run",
    "exhibited": "exhibited",
    "drawn": "drawn",
    "recorded": "the runs of a record",
    "every step": "every step of the run",
    "points": "these points",
}
WHOLE = ("enumeration", "closed form", "automaton", "proof")
MARKS = ("published", "derived here")
SEEN = {"display": "the display was read", "prose": "its prose was read", "none": "its formula was not seen"}
# what is judged to what is printed, from near to far
RELATIONS = {
    "the same": "what is judged is what is printed",
    "implies it": "what is judged implies what is printed",
    "implied by it": "what is judged is weaker: it follows from what is printed",
    "differs in a constant": "the two differ in a constant factor",
    "differs in a logarithm": "the two differ in a factor that is a logarithm",
    "differs in a norm": "the two speak of different norms, or of another class of networks",
    "differs in a hypothesis": "the two hold under different hypotheses",
    "formula not seen": "the printed formula was not seen: what is judged is written from the words around it",
}
UNCOMPARED = "not compared"
OURS = "derived here"
# what of a version was read for a statement
READ = {
    "nothing": "nothing",
    "abstract": "the abstract",
    "captions": "captions",
    "words": "its words, without formulas",
    "sentences": "its sentences with their formulas, not the displays",
    "text": "its text with the displays",
}
# what became of a reading when the newest text was laid beside it
MATCHED = {
    "confirmed": "the newest text says so",
    "changed": "the newest text says otherwise than was read before",
    "still unseen": "the newest text as it was read does not show it",
}
# who says the sentence that a refuted claim refutes
SAYERS = {
    "text": "the paper's text",
    "printed proof": "the printed proof, not the text",
    "reading": "a reading, not the print",
}
PREDICTED = "a prediction of ours"
# of a disputed statement: as what its source was read, and what was known of a failing input
READ_AS = {
    "stored copy": "the text itself, in a copy that was kept",
    "abstract": "its abstract only",
    "memory": "nothing: it is said from memory",
    "vanished": "a quotation: the source cannot be had any more",
}
GRIDS = {
    "before": "the grid was chosen before the failing input was looked up",
    "known": "the failing input was known; the grid is the neutral one of its rule",
}
PROVED, SOURCE = "proof", "source: "  # where its repair comes from
# how it is found to fail, the first that does; code between ` `
WAYS = {
    "verify": "by `verify` alone",
    "falsify": "by `falsify`",
    "witness": "only by a brought witness",
    "none": "not found",
}
FALSIFY_SECONDS = 10.0  # of one core
STALE, MISSING = "stale", "missing"  # its check changed since its row was recorded; there is no row
QUANTIFIERS = ("every", "some")
_TRIALS = re.compile(r"\b(trial|repeat|repetition|replica|draw|seed)s?\b")
_SOURCE = re.compile(r"(?P<mark>[a-z ]+): (?P<where>[^;]+)(?:; (?P<seen>[a-z]+))?")


@dataclass(frozen=True)
class Source:
    """Where a claim's statement stands.

    Parameters
    ----------
    mark : ``published`` (the source states it) or ``derived here``.
    where : section and number in the source; of a claim derived here, what it starts from.
    seen : what of the source's display was available: ``display``, ``prose`` or ``none``.
    """

    mark: str
    where: str
    seen: str

    @classmethod
    def parse(cls, text: str) -> Source:
        """Return the source that ``"published: Lemma 11, appendix B; display"`` names.

        Only ``derived here: …`` may leave out what was seen, which is then ``none``.
        """
        found = _SOURCE.fullmatch(text) if isinstance(text, str) else None
        mark, seen = (found["mark"], found["seen"]) if found else ("", None)
        if found is None or mark not in MARKS:
            raise DomainError(
                f"source = {text!r}",
                required=f"'<mark>: <where>; <seen>' with a mark among {', '.join(MARKS)}",
                why="a reader must know whose statement it is",
                advice="source='published: Lemma 11, appendix B; display'",
            )
        if seen is None and mark == "derived here":
            seen = "none"
        if seen not in SEEN:
            raise DomainError(
                f"source = {text!r}",
                required=f"what of the display was available: {', '.join(SEEN)}",
                why="a formula that nobody saw printed is read from the words around it",
                advice=f"source='{mark}: {found['where']}; prose'",
            )
        return cls(mark, found["where"], seen)

    def __str__(self) -> str:
        if self.mark == "derived here":
            return f"{self.mark}, from {self.where}"
        return f"{self.mark}: {self.where} ({SEEN[self.seen]})"


def check_role(role: str) -> None:
    """Refuse a word that names no role."""
    if not isinstance(role, str) or role not in ROLES:
        raise DomainError(
            f"role = {role!r}", required=f"one of {', '.join(ROLES)}", why="a theorem is not one of its variants",
            advice=did_you_mean(str(role), ROLES),
        )  # fmt: skip


def check_scope(scope: Any) -> None:
    """Refuse a scope that is no quantifier prefix, or that covers an object as its quantifier cannot be covered."""
    if not isinstance(scope, Mapping) or not scope:
        raise DomainError(
            f"scope = {scope!r}",
            required="the quantifiers of the statement in their order, each with how it is covered",
            why="a statement about every prompt differs from five prompts",
            advice="scope={'every N': 'points', 'some network': 'exhibited', 'every prompt': 'closed form'}",
        )
    for said, how in scope.items():
        quantifier, _, thing = str(said).partition(" ")
        if quantifier not in QUANTIFIERS or not thing.strip():
            raise DomainError(
                f"the scope {said!r}", required="'every …' or 'some …'", why="it says who quantifies over what",
                advice=did_you_mean(quantifier, QUANTIFIERS, "'every N', 'some network'"),
            )  # fmt: skip
        if not isinstance(how, str) or how not in COVERED:
            raise DomainError(
                f"scope of {said!r}: {how!r}", required=f"one of {', '.join(COVERED)}",
                why="it says how that object was covered", advice=did_you_mean(str(how), COVERED),
            )  # fmt: skip
        ruled_out = quantifier == "some" and how in WHOLE  # all that could be exhibited were looked at
        if (quantifier == "some") != (how == "exhibited") and not ruled_out:
            fits = "exhibited, or how all are covered: " + ", ".join(WHOLE)
            fits = fits if quantifier == "some" else ", ".join(w for w in COVERED if w != "exhibited")
            raise DomainError(
                f"{said!r} covered as {how!r}",
                required=fits,
                why="one example proves that something exists, and nothing of a universal statement",
                advice="'some …' where the statement asks for one object, 'every …' where it speaks of all",
            )


def check_meaning(role: str, scope: Any, source: str) -> None:
    """Refuse a claim whose meaning is missing or contradicts itself; ``DomainError`` says which field."""
    check_role(role)
    check_scope(scope)
    Source.parse(source)


def counts_trials(name: str, meaning: str = "") -> bool:
    """Return whether a letter numbers or counts trials, by its name or by what it means: such a letter is no size.

    Examples
    --------
    >>> counts_trials("trial"), counts_trials("m", "number of draws"), counts_trials("N", "number of samples")
    (True, True, False)
    """
    return any(_TRIALS.search(text.lower()) for text in (name, meaning))


def scope_text(scope: Mapping[str, str]) -> str:
    """Return the scope in words: ``every prompt (all, by closed form), some network (exhibited)``."""
    return ", ".join(f"{said} ({COVERED[how]})" for said, how in scope.items())


def universal(scope: Mapping[str, str]) -> bool:
    """Whether some object of which the statement says *every* is met at points, in recorded runs or by drawing only."""
    return any(said.startswith("every") and how not in WHOLE for said, how in scope.items())


def scope_class(scope: Mapping[str, str]) -> str:
    """Return how the innermost object of the statement is covered, for tables: mostly the prompt, or the network.

    Sizes come first in a scope and nearly always stand at points, so the weakest part would tell claims apart hardly.
    """
    return list(scope.values())[-1]


def standing(statement: Mapping[str, Any]) -> str:
    """Return the relation of a statement to its print, as the index of a catalogue has it; *derived here* for ours."""
    return OURS if statement.get("ours") else str((statement.get("printed") or {}).get("relation") or UNCOMPARED)


def numbered(statement: Mapping[str, Any]) -> str:
    """Return the label of a statement and what other versions call it: ``Theorem 4, v2: Theorem 3``."""
    numbers = (statement.get("printed") or {}).get("number") or {}
    label = str(statement.get("label") or statement.get("id", ""))
    return ", ".join([label, *(f"{name}: {said}" for name, said in numbers.items() if said != label)])


def sayer_text(one: Mapping[str, str] | None) -> str:
    """Return who says the sentence that a claim refutes, with where; *not said* where nobody is named."""
    return f"{SAYERS[one['said_by']]}: {one['where']}" if one else "not said"


def counted(relations: Iterable[str]) -> dict[str, int]:
    """Return how often each relation to the print occurs, from near to far; *derived here* is the last."""
    known = list(relations)
    return {name: known.count(name) for name in (*RELATIONS, UNCOMPARED, OURS, *known) if name in known}


def remark_text(remark: Mapping[str, str]) -> str:
    """Return a remark in its JSON form as one line: which instrument, where, what, and what to do."""
    where = f"{remark['line']}: " if remark.get("line") else ""
    advice = f"; {remark['advice']}" if remark.get("advice") else ""
    return f"{remark['instrument']}: {where}{remark['text']}{advice}"


def held(grade: str, alpha: float, work: Mapping[str, Any]) -> str:
    """Return in what sense a true row of that evidence is true: only an exact or an enclosed one is proved."""
    if grade in ("EXACT", "ENCLOSED"):
        return "proved"
    if grade == "SAMPLED":
        return f"within error {alpha:.1g}"
    if grade == "OBSERVED":
        return "observed"
    runs = work.get("repeats", work.get("runs"))
    return f"supported by {runs} runs" if isinstance(runs, int) else "supported by a fit"
