r"""What a claim means besides its formulas: its role, whom it quantifies over, and where its statement stands.

A reader asks of every row: is this the theorem, or something near it?  Does it cover every prompt, or five points?
Does the source say so, or do we?  A claim answers in three fields, and a wrong pair is an error when it is made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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
MARKS = {"published": "published", "reconstructed": "reconstructed", "derived here": "derived here"}
SEEN = {"display": "the display", "prose": "its prose", "none": "neither"}
QUANTIFIERS = ("every", "some")
_TRIALS = re.compile(r"\b(trial|repeat|repetition|replica|draw|seed)s?\b")
_SOURCE = re.compile(r"(?P<mark>[a-z ]+): (?P<where>[^;]+)(?:; (?P<seen>[a-z]+))?")


@dataclass(frozen=True)
class Source:
    """Where a claim's statement stands.

    Parameters
    ----------
    mark : ``published`` (the source prints this statement), ``reconstructed`` (the source states it, its display was
        not available whole and is written here from what was) or ``derived here``.
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
                why="a formula that nobody saw printed is not published",
                advice=f"source='{mark}: {found['where']}; prose'",
            )
        if mark == "published" and seen == "none":
            raise DomainError(f"source = {text!r}", required="display or prose of what is called published")
        return cls(mark, found["where"], seen)

    def __str__(self) -> str:
        start = f"{self.mark}, from {self.where}" if self.mark == "derived here" else f"{self.mark}: {self.where}"
        return start if self.seen == "none" else f"{start} ({SEEN[self.seen]} was read)"


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
