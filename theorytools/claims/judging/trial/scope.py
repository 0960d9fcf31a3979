r"""The sentence against its scope: whom the *Statement* quantifies over, and which binders the claim has.

*For every prompt the model returns …* beside a scope that binds no prompt says more than was looked at.  A noun counts
as bound where the scope, a letter that it binds or an axis of the grid says it, or a word that the papers use for the
same thing.  A letter (*for every* :math:`W`) is asked for by the claim itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from theorytools.claims.judging.description import axis_letters, sections_of
from theorytools.claims.judging.remark import Remark
from theorytools.claims.judging.trial.variants import Trial
from theorytools.claims.papers.syntax import read_entries

EVERY = re.compile(r"\b([Ee]very|[Ff]or (?:each|any|all)|[Ff]rom each|[Oo]n all)\s+")
SOME = re.compile(r"(?:^|(?<=[.:;] ))(There (?:is|are|exists?)|[Ff]or some|Some)\s+(?:an?\s+|one\s+)?")
COUNTED = re.compile(r"\$[^$]*(?:\^|\\binom|\||\d)[^$]*\$\s+(?=[a-z-]+s\b)")  # every one of 2^n inputs
_STOP = (
    "the of that which with in is has have for at on to and or but by from whose where a an its his this these those "
    "are was were be can may must not such than as if holds we it there least most then so gives takes one two three "
    "four five given exist exists within misses lies leaves errs returns answers into under over"
)
STOP = frozenset(_STOP.split())
LOOSE = frozenset(("case", "order", "time", "way", "step", "answer", "other", "respect", "kind"))  # nobody lists these
_ALIKE = (
    "prompt input word string sequence text labelling query prefix context",
    "network model predictor estimator function readout read-out recurrence head attention machine code layer class "
    "algorithm learner",
    "token vector symbol position index row slot coordinate entry place feature key",
    "set subset tuple collection combination packing cut side",
    "sample data datum draw training repeat run curve record",
    "length size number dimension width count n",
    "code encoding", "law distribution", "minimiser minimizer parameter erm solution", "function f link hypothesis",
    "vector point direction x",
)  # fmt: skip
ALIKE = tuple(frozenset(words.split()) for words in _ALIKE)


def scope(trial: Trial) -> Iterable[Remark]:
    """Return the quantified nouns of the *Statement* that the scope does not bind."""
    said, bound = sentence(trial), None
    for match in EVERY.finditer(said):
        noun = nouns(said[match.end() :])
        bound = bound or _bound(trial)
        if noun and not set(noun) & (bound | LOOSE):
            yield _silent(f"{match[1].lower()} {' '.join(noun)}", f'"every {noun[-1]}"')
    if not any(key.startswith("some") for key in trial.claim.scope):
        for match in SOME.finditer(said):
            if noun := nouns(said[match.end() :]):
                yield _silent(f"{match[1].lower()} {' '.join(noun)}", f'"some {noun[-1]}"')


def _silent(words: str, key: str) -> Remark:
    return Remark(
        "scope", f'*Statement* says "{words}", the scope does not',
        advice=f"add {key} to the scope with how it is covered, or say in *Statement* what was looked at",
    )  # fmt: skip


def sentence(trial: Trial) -> str:
    """Return the sentence that the claim is held to: its own, else the *Statement* of its file.

    A file has one docstring.  Its *Statement* is that of its first claim and of those whose role is ``statement``; of
    another claim, a control of the first or a rate beside it, nothing is known.
    """
    claim = trial.claim
    if claim.statement:
        return claim.statement
    first = next((entry.name for entry in read_entries(trial.entry.path)), "")
    held = trial.entry.name == first or claim.role == "statement"
    return dict(sections_of(claim, trial.entry)).get("Statement", "") if held else ""


def nouns(rest: str) -> list[str]:
    """Return the words of the noun that a text begins with, singular; none where it begins with a letter."""
    rest = COUNTED.sub("", rest, count=1) if COUNTED.match(rest) else rest
    found: list[str] = []
    for word in re.split(r"[.,;:()$]", rest, maxsplit=1)[0].split()[:4]:
        if word.lower() in STOP or not re.fullmatch(r"[A-Za-z][A-Za-z-]*", word):
            break
        found.append(singular(word))
    return found


def singular(word: str) -> str:
    """Return an English noun without its plural, in small letters."""
    word = word.lower()
    for end, one in (("indices", "index"), ("matrices", "matrix"), ("ies", "y"), ("sses", "ss"), ("xes", "x")):
        if word.endswith(end):
            return word.removesuffix(end) + one
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _bound(trial: Trial) -> frozenset[str]:
    """The words for what the scope and the grid bind."""
    claim = trial.claim
    letters = {**claim.all_letters(), **axis_letters(claim)}
    found = {word for text in [*claim.scope, *map(_apart, claim.grid.axes)] for word in _words(text)}
    for name, letter in letters.items():
        if name in claim.grid.axes or singular(name) in found:
            found |= set(_words(getattr(letter, "meaning", "")))
    return frozenset(found).union(*(group for group in ALIKE if group & found))


def _words(text: str) -> Iterator[str]:
    return (singular(word) for word in re.findall(r"[A-Za-z][A-Za-z-]*", text))


def _apart(name: str) -> str:
    return name.replace("_", " ")
