"""What can be looked up by words, and its order: papers, statements, claims, constructions, commands and documents.

The terminal and the site rank by the same rule, written here and again in ``templates/search.js``.  A word counts more
the rarer it is, more in a name than in a title, and more in a title than in a text; it is met by itself, by a longer
word that begins with it, or by one that begins as it does.  A word that meets nothing is read as the nearest one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

NAME, TITLE, TEXT = 10.0, 5.0, 1.0  # what a word counts in each part
SAME, LONGER, ALIKE = 1.0, 0.7, 0.4  # how well a word is met
FACTORS = {
    "command": 1.6, "statement": 1.2, "paper": 1.2, "construction": 1.1, "document": 1.1, "page": 1.1, "claim": 0.9,
}  # fmt: skip
SHARE = 0.25  # of the best, what an entry must reach to be shown
_FILLERS = "a|an|and|are|at|be|by|can|do|does|for|from|how|i|in|is|it|my|of|on|or|that|the|there|to|we|what|where|which"
FILLERS = frozenset(["with", "you", *_FILLERS.split("|")])
_WORD = re.compile(r"\d+(?:\.\d+)+|\d+|[^\W\d_]+")
_HUMP = re.compile(r"(?<=[a-zß-ÿ])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CAMEL = re.compile(r"\b[A-Za-z]*[a-z][A-Z][A-Za-z]*\b|\b[A-Z]{2,}[a-z]{2,}[A-Za-z]*\b")


@dataclass(frozen=True)
class Place:
    """Something that words lead to.

    Parameters
    ----------
    kind : paper, statement, claim, construction, class, function, command, document or page.
    name : what a command, or an import, takes.
    said : what it is about, in a line.
    label : what people call it, such as Lemma 11; it counts as the name does.
    text : more words, which count least.
    use : how to go on from it: a command, an import or a file.
    within : the name of the statement that a claim belongs to, which stands for it unless its own words say more.
    href : its address in a site.
    """

    kind: str
    name: str
    said: str
    label: str = ""
    text: str = ""
    use: str = ""
    within: str = ""
    href: str = ""


@dataclass(frozen=True)
class Found:
    """What words lead to: the places, best first; ``read`` the words that were read as others, ``unknown`` the words
    that nothing has, each with the nearest that something has.
    """

    places: tuple[Place, ...]
    read: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@cache
def tokens(text: str) -> tuple[str, ...]:
    """Return the words of a text as they are compared: small letters, no plural, numbers without leading zeros.

    Parameters
    ----------
    text : ``"theorem_01_minNorms"`` is theorem, 1, min, norm and, as it is written together, minnorm.
    """
    joined = " ".join(_CAMEL.findall(text)).lower()
    found = _WORD.findall(f"{_HUMP.sub(' ', text)} {joined}".lower())
    return tuple(dict.fromkeys(_stem(word) for word in found))


def _stem(word: str) -> str:
    if word.isdigit():
        return word.lstrip("0") or "0"
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] not in "su" else word


def met(word: str, other: str) -> float:
    """Return how well one word is met by another, from 0 to 1; numbers are met by themselves alone."""
    if word == other:
        return SAME
    if not (word.isalpha() and other.isalpha()):
        return 0.0
    if len(word) >= 3 and other.startswith(word):
        return LONGER
    begin = next((k for k, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    return ALIKE if begin >= 4 and begin >= 0.6 * max(len(word), len(other)) else 0.0


def look_up(words: Iterable[str], places: Sequence[Place]) -> Found:
    """Return the places that words lead to, best first.

    Parameters
    ----------
    words : as somebody writes them, in any number of pieces.
    places : among which to look; a claim comes after its statement.
    """
    asked = [word for word in tokens(" ".join(words)) if word not in FILLERS] or list(tokens(" ".join(words)))
    parts = [(tokens(f"{one.name} {one.label}"), tokens(one.said), tokens(one.text)) for one in places]
    vocabulary = dict.fromkeys(word for own in parts for part in own for word in part)
    read, unknown, known = dict[str, str](), dict[str, tuple[str, ...]](), list[str]()
    for word in asked:
        if any(met(word, other) for other in vocabulary):
            known.append(word)
        elif (other := _nearest(word, vocabulary)) is not None:
            read[word] = other
            known.append(other)
        else:
            unknown[word] = tuple(_near(word, vocabulary, len(word) // 2)[:3])
    known = list(dict.fromkeys(known))
    meeting = {word: {other: how for other in vocabulary if (how := met(word, other))} for word in known}
    scores = _scores(known, meeting, places, parts)
    best = max(scores, default=0.0)
    order = sorted((k for k, score in enumerate(scores) if score > SHARE * best), key=lambda k: (-scores[k], k))
    above = {one.name: scores[k] for k, one in enumerate(places) if one.kind == "statement"}
    kept = [places[k] for k in order if not 0 < scores[k] <= above.get(places[k].within, 0.0)]
    return Found(tuple(kept), read, unknown)


def _scores(
    known: Sequence[str], meeting: Mapping[str, Mapping[str, float]], places: Sequence[Place],
    parts: Sequence[tuple[tuple[str, ...], ...]],
) -> list[float]:  # fmt: skip
    """What each place is worth: the words that it has, each by its rarity, and how many of all they are."""
    rarity = {
        word: math.log(1 + len(places) / (1 + sum(any(w in others for p in own for w in p) for own in parts)))
        for word, others in meeting.items()
    }
    scores = []
    for one, own in zip(places, parts, strict=True):
        total, having, named = 0.0, 0, 0
        for word in known:
            others = meeting[word]
            how = [max((others.get(w, 0.0) for w in part), default=0.0) for part in own]
            total += rarity[word] * max(NAME * how[0], TITLE * how[1], TEXT * how[2])
            having += max(how) > 0
            named += how[0] == SAME
        close = 1 + named / max(len(own[0]), 1)  # a short name that has the words is meant sooner than a long one
        scores.append(total * close * FACTORS.get(one.kind, 1.0) * (having / max(len(known), 1)) ** 2)
    return scores


def _nearest(word: str, vocabulary: Iterable[str]) -> str | None:
    """The word of which one is a slip: one letter off, of a long one two, never the first; None for a number, too."""
    if not word.isalpha() or len(word) < 4:
        return None
    near = _near(word, vocabulary, 1 if len(word) < 8 else 2)
    return next((other for other in near if len(other) > 3 and other[0] == word[0]), None)


def _near(word: str, vocabulary: Iterable[str], allowed: int) -> list[str]:
    """The words that so many slips make of one, the nearest first."""
    if not word.isalpha():
        return []
    others = (one for one in vocabulary if one.isalpha() and len(one) > 2 and abs(len(one) - len(word)) <= allowed)
    return [other for slips, other in sorted((_slips(word, one), one) for one in others) if slips <= allowed]


def _slips(a: str, b: str) -> int:
    """How many letters are to be changed, left out, put in or swapped with the next to make one word of another."""
    before, last = list[int](), list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        row = [i]
        for j, right in enumerate(b, 1):
            here = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                here = min(here, before[j - 2] + 1)
            row.append(here)
        before, last = last, row
    return last[-1]


def statement_places(
    key: str, statement: Mapping[str, Any], claims: Sequence[tuple[str, str, str]]
) -> list[Place]:  # fmt: skip
    """Return a statement and its claims as places.

    Parameters
    ----------
    key : that of its paper.
    statement : as :meth:`.Catalogue.index` tells it.
    claims : id, label and text of each.
    """
    name = f"{key}.{statement.get('id')}"
    title, label = str(statement.get("title") or ""), str(statement.get("label") or "")
    texts = dict.fromkeys([*map(str, statement.get("aliases") or ()), *(text for *_, text in claims)])
    made = [Place("statement", name, title, label, " ".join(texts), f"theorytools show {name}")]
    for id, own, text in claims:
        made.append(Place("claim", id, own or title, "", text, f"theorytools show {id}", name))
    return made


def paper_place(paper: Mapping[str, Any]) -> Place:
    """Return a paper as a place; its number at arXiv is one of its names."""
    said = ", ".join(filter(None, [str(paper.get("title") or ""), str(paper.get("authors") or "")]))
    key, number = str(paper.get("key") or ""), str(paper.get("arxiv") or "")
    return Place("paper", key, said, f"arXiv {number}" if number else "", "", f"theorytools list {key}")
