"""What is known of a statement, in seven lights: a gap is a light too, and says what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from theorytools.meaning import TRAINED
from theorytools.reporting import words

Verdict = Mapping[str, Any]
HEADS = ("holds", "sharp", "hypotheses needed", "would have seen", "machine arithmetic", "trained", "pitfalls")
# the role of a light's claims, what to say where there is none
BY_ROLE = {
    "sharp": ("sharpness", "not asked"),
    "hypotheses needed": ("necessity", "not asked"),
    "machine arithmetic": ("precision", "not asked"),
    "trained": ("prediction", "nothing trained"),
    "pitfalls": ("pitfall", "none known"),
}


@dataclass(frozen=True)
class Light:
    """One cell of the score table: ``good``, ``bad``, ``doubt`` or ``gap``, in words, and where to read more."""

    head: str
    state: str
    said: str
    claim: str


def lights(verdicts: Sequence[Verdict], gap: str, cells: Sequence[Mapping[str, Any]] = ()) -> list[Light]:
    """Return the lights of a statement from its verdicts; ``gap`` is why none of them is the statement itself, and
    ``cells`` what is recorded of the hypotheses of its claims.
    """
    own = [verdict for verdict in verdicts if not verdict.get("user_points")]
    made = [_holds([v for v in own if v.get("role") == "statement"], own, gap)]
    for head in HEADS[1:]:
        made.append(_horizon(own) if head == "would have seen" else _of_role(head, own))
    return [_asked(light, cells) if light.head == "hypotheses needed" and cells else light for light in made]


def _asked(light: Light, cells: Sequence[Mapping[str, Any]]) -> Light:
    """The light of the hypotheses: how many of those asked one by one are needed; a claim gone wrong stays."""
    if light.state == "bad":
        return light
    states = [cell["state"] for cell in cells]
    needed, without, unknown = (states.count(word) for word in ("needed", "not needed", "unknown"))
    if not needed + without + unknown:
        return Light(light.head, "good", "each defines the object", light.claim)
    said = f"{needed} of {needed + without + unknown} needed"
    said += "".join(f", {count} {word}" for count, word in ((without, "not"), (unknown, "unknown")) if count)
    return Light(light.head, "good" if not unknown else "doubt" if needed + without else "gap", said, light.claim)


def state(verdicts: Sequence[Verdict]) -> str:
    """Return the worst that is said of a statement: an unexpected outcome, a doubt, a gap, or that it holds."""
    if any(not v.get("as_expected") for v in verdicts if not v.get("user_points")):
        return "bad"
    outcomes = {str(v.get("outcome")) for v in judged_as(verdicts)}
    if not outcomes:
        return "gap"
    return "good" if outcomes == {"HOLDS"} else "doubt"


def judged_as(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts that speak for a statement: those of role statement, else variants and growth."""
    own = [v for v in verdicts if not v.get("user_points")]
    return [v for v in own if v.get("role") == "statement"] or [
        v for v in own if v.get("role") in ("variant", "growth")
    ]


def _holds(stated: Sequence[Verdict], own: Sequence[Verdict], gap: str) -> Light:
    if not stated:
        return Light("holds", "gap", gap or ("not the statement itself" if own else "no claim"), _id(own))
    main = stated[0]
    if any(not v.get("as_expected") for v in stated):
        wrong = next(v for v in stated if not v.get("as_expected"))
        return Light("holds", "bad", f"{str(wrong.get('outcome')).lower()}, {words.expectation(wrong)}", _id([wrong]))
    refuted = [v for v in stated if v.get("outcome") != "HOLDS"]
    if refuted:
        return Light("holds", "doubt", f"{str(refuted[0].get('outcome')).lower()} as read here", _id(refuted))
    grade = str(main.get("evidence") or "").lower()
    said = ", ".join(filter(None, [grade, words.scope(main)]))
    if passed := words.passes(main):  # no light is louder than the rows: they do not see the constant
        return Light("holds", "doubt", f"{said}; its rows would pass {_constant(passed)}", _id([main]))
    loose = sum(bool(words.passes(v)) for v in stated[1:])
    more = f"; the rows of {loose} more would pass a constant off by more than 2" if loose else ""
    return Light("holds", "good", said + more, _id([main]))


def _constant(passed: str) -> str:
    return "any constant" if passed == "any" else f"a constant {passed}"


def _of_role(head: str, own: Sequence[Verdict]) -> Light:
    role, missing = BY_ROLE[head]
    found = [v for v in own if v.get("role") in (TRAINED if head == "trained" else (role,))]
    if not found:
        return Light(head, "gap", missing, "")
    if any(not v.get("as_expected") for v in found):
        wrong = [v for v in found if not v.get("as_expected")]
        return Light(head, "bad", f"{len(wrong)} not as expected", _id(wrong))
    kept = sum(v.get("outcome") == "HOLDS" for v in found)
    if head == "trained":
        predicted = [v for v in found if v.get("role") == role]
        after = len(found) - len(predicted)
        said = f"{sum(v.get('outcome') == 'HOLDS' for v in predicted)} of {len(predicted)} kept" if predicted else ""
        said += f"{', ' if said else ''}{after} found" if after else ""
        return Light(head, "good" if kept == len(found) else "doubt", said, _id(found))
    if role == "pitfall":
        return Light(head, "doubt", f"{len(found)}: beware", _id(found))
    failing = [v for v in found if v.get("outcome") != "HOLDS"]
    said = (
        f"{kept} of {len(found)} claims hold" if failing else "yes" if len(found) == 1 else f"yes, {len(found)} claims"
    )
    return Light(head, "doubt" if failing else "good", said, _id(found))


def _horizon(own: Sequence[Verdict]) -> Light:
    main = next((v for v in own if v.get("role") == "statement"), own[0] if own else None)
    said = words.would_see(main) if main else "–"
    if main is None or said in ("–", "no power"):
        return Light("would have seen", "gap", "no power" if said == "no power" else "–", _id([main] if main else []))
    return Light("would have seen", "doubt" if words.passes(main) else "good", said, _id([main]))


def _id(verdicts: Sequence[Verdict]) -> str:
    whole = [verdict for verdict in verdicts if not verdict.get("compact")]  # others stand on no page
    return words.anchor(whole[0]) if whole else ""
