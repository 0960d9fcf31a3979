"""What a paper prints of a statement, as ``paper.toml`` has it: numbers, what was read, formulas, what is unknown.

::

    [statement.printed]
    number = { v1 = "Theorem 4", v2 = "Theorem 3" }
    read = { v1 = "words", v2 = "sentences" }
    unknown = "the display of the risk"
    [[statement.printed.formula]]
    of = "the squared norm $R^2$"
    formula = "== SoftTheta(r_a**2/m_g + m_g*r_w**2 + q**2/d)"
    claim = "lemma_11_norms.class_norm"
    quantity = "squared norm"
    relation = "differs in a constant"
    why = "…"

``relation`` and ``why`` of a formula are typed where the two sides are no formulas in the same letters; where they are,
the relation is computed (:mod:`theorytools.claims.judging.as_printed`) and one that is typed must agree.  That of the
statement is the furthest among its formulas, or another one with its own ``why``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from theorytools.claims.papers.normal_form import Shape, shape
from theorytools.errors import CheckError, did_you_mean
from theorytools.meaning import MATCHED, READ, RELATIONS, SAYERS

FORMULA = ("of", "formula", "claim", "quantity", "letters", "relation", "why")
PRINTED = ("number", "read", "unknown", "relation", "why", "matched", "found", "formula")


@dataclass(frozen=True)
class Place:
    """Where something stands in a ``paper.toml``: the file, and the line of a table in it."""

    path: Path
    lines: tuple[str, ...]
    first: int

    def at(self, key: str = "") -> str:
        """Return file and line of a key of the table, of the table's heading where it has no such line."""
        for number, line in enumerate(self.lines[self.first :], self.first + 1):
            if key and re.match(rf"\s*{key}\s*=", line):
                return f"{self.path}, line {number}"
            if number > self.first + 1 and re.match(r"\s*\[", line):
                break
        return f"{self.path}, line {self.first + 1}"


@dataclass(frozen=True)
class Formula:
    """One printed formula and the claim that it is held against; ``claim`` is empty where there is none."""

    of: str
    formula: str
    claim: str = ""
    quantity: str = ""
    letters: Mapping[str, str] = field(default_factory=dict)
    relation: str = ""
    why: str = ""
    place: Place = field(default=Place(Path(), (), 0), compare=False, repr=False)

    @property
    def shape(self) -> Shape:
        """The formula taken apart."""
        return shape(self.formula)


@dataclass(frozen=True)
class Printed:
    """What is printed of a statement: its number in each version, what was read of each, its formulas, what is unknown.

    ``relation`` and ``why`` are of the statement as a whole; ``matched`` and ``found`` say what became of the reading
    when the newest text was laid beside it.
    """

    number: Mapping[str, str]
    read: Mapping[str, str]
    formulas: tuple[Formula, ...] = ()
    unknown: str = ""
    relation: str = ""
    why: str = ""
    matched: str = ""
    found: str = ""
    place: Place = field(default=Place(Path(), (), 0), compare=False, repr=False)


@dataclass(frozen=True)
class Sayer:
    """Who says the sentence that a claim refutes, and where."""

    claim: str
    said_by: str
    where: str


def read_printed(item: Mapping[str, Any], place: Place, formulas: tuple[Place, ...], versions: Mapping[str, str],
                 key: str) -> Printed:  # fmt: skip
    """Return what is printed of a statement; ``CheckError`` at the line of what cannot be read.

    Parameters
    ----------
    item : the table ``[statement.printed]``.
    place, formulas : where it stands, and where each of its formulas does.
    versions : those of the paper, by name.
    key : of the paper, for the ids of claims.
    """
    only_keys(item, PRINTED, place)
    for name, wanted in (("number", None), ("read", READ)):
        _versioned(item.get(name), name, wanted, versions, place)
    one_word(item, "relation", RELATIONS, place)
    one_word(item, "matched", MATCHED, place)
    own = tuple(_formula(one, at, key) for one, at in zip(item.get("formula", ()), formulas, strict=True))
    held = any(one.claim for one in own)
    for word, reason in (("relation", "why"), ("matched", "found")):
        argued = str(item.get(reason, "")).strip() or (word == "relation" and held)
        if item.get(word) and not argued:
            raise refused(place, word, item[word], required=f"{reason} = '…' beside it",
                           why="what nothing computes is argued for")  # fmt: skip
    if item.get("relation") == "formula not seen" and not item.get("unknown"):
        raise refused(place, "relation", item["relation"], required="unknown = '…' beside it",
                       why="it says what was not seen")  # fmt: skip
    return Printed(dict(item["number"]), dict(item["read"]), own, item.get("unknown", ""), item.get("relation", ""),
                   item.get("why", ""), item.get("matched", ""), item.get("found", ""), place)  # fmt: skip


def read_sayers(items: Any, places: tuple[Place, ...], key: str) -> tuple[Sayer, ...]:
    """Return who says what is refuted; ``CheckError`` at the line of an entry that cannot be read.

    Parameters
    ----------
    items : the tables ``[[refuted]]``.
    places : where each of them stands.
    key : of the paper, for the ids of claims.
    """
    found = []
    for one, place in zip(items, places, strict=True):
        only_keys(one, ("claim", "said_by", "where"), place)
        for name in ("claim", "said_by", "where"):
            if not str(one.get(name, "")).strip():
                raise refused(place, name, one.get(name), required="claim, said_by and where",
                               why="a reader of a refutation asks first who said the sentence")  # fmt: skip
        one_word(one, "said_by", SAYERS, place)
        found.append(Sayer(claim_id(one["claim"], key), one["said_by"], one["where"]))
    return tuple(found)


def _formula(one: Mapping[str, Any], place: Place, key: str) -> Formula:
    only_keys(one, FORMULA, place)
    if not one.get("of") or not one.get("formula"):
        raise refused(place, "of", one.get("of"), required="of = '…' and formula = '<= …'",
                       why="a right side is of something")  # fmt: skip
    letters = one.get("letters", {})
    for name, text in (("formula", one["formula"]), *(("letters", f"== {value}") for value in letters.values())):
        try:
            shape(text)
        except ValueError as error:
            raise refused(
                place, name, text, required="a relation and arithmetic in letters", why=str(error),
                advice='formula = "<= O(d_e**3*(log(d_e/eps)/eps)**2)"',
            ) from None  # fmt: skip
    one_word(one, "relation", RELATIONS, place)
    if one.get("relation") and not one.get("claim"):
        raise refused(place, "relation", one["relation"], required="the claim that it is held against",
                       why="a relation has two sides")  # fmt: skip
    return Formula(one["of"], one["formula"], claim_id(one.get("claim", ""), key), one.get("quantity", ""),
                   dict(letters), one.get("relation", ""), one.get("why", ""), place)  # fmt: skip


def claim_id(name: str, key: str) -> str:
    """Return the id of a claim, of which the paper's own may leave out the paper."""
    return name if not name or name.startswith(f"{key}.") else f"{key}.{name}"


def _versioned(given: Any, name: str, wanted: Any, versions: Mapping[str, str], place: Place) -> None:
    if not isinstance(given, dict) or given.keys() - versions.keys():
        raise refused(
            place, name, given, required=f"one for each version of which it is known: {', '.join(versions)}",
            why="statements are renumbered, and not every version was read",
            advice=f"{name} = {{ {next(iter(versions))} = \"{'Lemma 1' if wanted is None else 'words'}\" }}",
        )  # fmt: skip
    if name == "read" and versions.keys() - given.keys():
        raise refused(place, name, given, required=f"what was read of each version: {', '.join(versions)}",
                       advice='"nothing" where nothing was')  # fmt: skip
    for value in given.values() if wanted else ():
        if value not in wanted:
            raise refused(place, name, value, required=f"one of {', '.join(wanted)}",
                           advice=did_you_mean(str(value), wanted))  # fmt: skip


def one_word(item: Mapping[str, Any], name: str, known: Mapping[str, str], place: Place) -> None:
    """Refuse a word that a key of a table does not take; ``CheckError`` at its line, with the nearest that it does."""
    if item.get(name) and item[name] not in known:
        raise refused(place, name, item[name], required=f"one of {', '.join(known)}",
                       advice=did_you_mean(str(item[name]), known))  # fmt: skip


def only_keys(item: Mapping[str, Any], names: tuple[str, ...], place: Place) -> None:
    """Refuse a key that a table does not have; ``CheckError`` at its line, with the nearest that it has."""
    if strange := sorted(item.keys() - set(names)):
        raise refused(place, strange[0], item[strange[0]], required=f"only {', '.join(names)}",
                       advice=did_you_mean(strange[0], names))  # fmt: skip


def refused(place: Place, name: str, given: Any, *, required: str, why: str = "", advice: str = "") -> CheckError:
    """Return the error of what a key of a table says, with its file and line."""
    return CheckError(f"{place.at(name)}: {name} = {given!r}", required=required, why=why, advice=advice)
