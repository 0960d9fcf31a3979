r"""What is judged beside what is printed: the relation of a claim's right side to the paper's formula.

Where both are formulas in the same letters the relation is computed: the difference of the two right sides vanishes,
or their ratio is a number, or a sum of terms that shrink in every size, or a power of logarithms.  Elsewhere it is
typed in ``paper.toml`` with its reason.  A typed relation that a computation contradicts is refused, and so is a typed
*the same* between formulas whose difference does not vanish.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from theorytools.claims.judging.inputs import ImportTable
from theorytools.claims.language.claim import Claim
from theorytools.claims.papers import normal_form, printed
from theorytools.claims.papers.catalogue import Catalogue, Entry, Paper, Statement
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.printed import Formula, Printed
from theorytools.content_cache import Kept, content
from theorytools.errors import CheckError, TheoryError, did_you_mean
from theorytools.files import json_text
from theorytools.meaning import OURS, RELATIONS, TRAINED, UNCOMPARED
from theorytools.progress import talking

_TOLD = Kept("as printed", [__file__, normal_form.__file__, printed.__file__])


@dataclass(frozen=True)
class Compared:
    """One printed formula and what is judged: both in LaTeX, and their relation with its reason."""

    latex: str
    judged: str
    relation: str
    why: str
    computed: bool


def relations(catalogue: Catalogue, paper: Paper, table: ImportTable | None = None) -> dict[str, dict[str, Any]]:
    """Return of every statement of a paper its relation to the print, and its formulas compared, by its id.

    Parameters
    ----------
    catalogue : where the claims are.
    paper : one of its papers.
    table : of files that were looked at.

    Returns
    -------
    dict : ``relation`` (``"derived here"`` for a statement that no paper prints), ``why``, and ``compared``, a list.

    Raises
    ------
    CheckError : at its line, a relation that is not so, one that is neither computed nor typed, or a formula that is
        held against no claim.
    """
    world = (table or ImportTable()).world(paper.folder.parent)
    key = hashlib.sha256(json_text([world, paper.key, content(paper.folder / "paper.toml")]).encode()).hexdigest()
    found: dict[str, dict[str, Any]] = _TOLD.get(
        key, lambda: {one.id: _told(catalogue, one) for one in paper.statements}
    )
    return found


def unsaid(catalogue: Catalogue, paper: Paper) -> list[CheckError]:
    """Return an error for each claim that refutes something, or is a pitfall, and of which nobody is said to say it.

    Parameters
    ----------
    catalogue : where the claims are.
    paper : one of its papers.
    """
    known, place = {one.claim for one in paper.sayers}, paper.folder / "paper.toml"
    own = [entry for entry in catalogue.entries if entry.paper == paper.key and entry.folder == paper.folder]
    refuting = [entry.id for entry in own if _refutes(entry)]
    missing = [
        CheckError(
            f"{place}: nobody says what {id} refutes", required=f"[[refuted]] with claim = '{id}', said_by and where",
            why="a refuted sentence is the paper's, or its proof's, or a reading",
            advice=f"[[refuted]]\nclaim = \"{id}\"\nsaid_by = \"reading\"\nwhere = \"…\"",
        )
        for id in refuting if id not in known
    ]  # fmt: skip
    strange = sorted(known - {entry.id for entry in own})
    return missing + [
        CheckError(f"{place}: [[refuted]] with claim = {id!r}", required="a claim of the paper",
                   advice=did_you_mean(id, refuting))
        for id in strange
    ]  # fmt: skip


def _refutes(entry: Entry) -> bool:
    """Whether a claim is a pitfall, or expects to be refuted and is no prediction of ours."""
    role = entry.role or (load(entry).role if entry.refutes else "")
    return role == "pitfall" or (entry.refutes and role not in TRAINED)


def _told(catalogue: Catalogue, statement: Statement) -> dict[str, Any]:
    own = statement.printed
    if own is None:
        return {"relation": OURS, "why": statement.ours, "compared": []}
    made = [_compared(catalogue, one) for one in own.formulas]
    held = [one for one in made if one.relation]
    furthest = max((one.relation for one in held), key=list(RELATIONS).index, default=UNCOMPARED)
    first = next((one.why for one in held if one.relation == furthest), "")
    argued = own.why and (own.relation != "the same" or furthest in ("the same", UNCOMPARED))
    if own.relation and own.relation != furthest and not argued:
        raise _refused(own, own.relation, f"what is judged {_verb(furthest)} in one of its formulas: {first}", furthest)
    return {"relation": own.relation or furthest, "why": own.why or first, "compared": [vars(one) for one in made]}


def _verb(relation: str) -> str:
    return relation if relation.startswith(("differs", "implies")) else f"is {relation}"


def _compared(catalogue: Catalogue, one: Formula) -> Compared:
    if not one.claim:
        return Compared(one.shape.latex({}), "", "", one.why, False)
    try:
        entry = catalogue.one(one.claim)
        if not one.quantity:
            return Compared(one.shape.latex({}), "", *_settled(one, None), False)
        with talking():
            claim = load(entry)
    except CheckError:
        raise
    except TheoryError as error:
        raise CheckError(f"{one.place.at('claim')}: claim = {one.claim!r}", required="a claim of the catalogue",
                         why=error.why, advice=error.advice) from None  # fmt: skip
    import sympy

    sides = list(_sides(one, claim))
    found = [(said, side) for side in sides if (said := _relation(one, claim, side)) is not None]
    computed, judged = min(found, key=lambda one: list(RELATIONS).index(one[0][0]), default=(None, sides[0]))
    relation, why = _settled(one, computed)
    names = {name: sympy.latex(letter) for name, letter in claim.all_letters().items() if name not in one.letters}
    return Compared(one.shape.latex(names), judged.latex, relation, why, computed is not None)


def _settled(one: Formula, computed: tuple[str, str] | None) -> tuple[str, str]:
    """The relation: the computed one, which a typed one must be, or the typed one with its reason."""
    if computed is not None:
        if one.relation and one.relation != computed[0]:
            raise _refused(one, one.relation, computed[1], computed[0])
        return computed[0], one.why or computed[1]
    if not one.relation or not one.why.strip():
        raise CheckError(
            f"{one.place.at('relation')}: no relation of {one.formula!r} to {one.claim}", required="relation and why",
            why="it does not follow from the two formulas alone", advice=f"relation = one of {', '.join(RELATIONS)}",
        )  # fmt: skip
    if one.relation == "the same" and one.quantity:
        raise _refused(one, one.relation, "the difference of the two right sides does not vanish", "")
    return one.relation, one.why


def _refused(one: Formula | Printed, given: str, why: str, found: str) -> CheckError:
    return CheckError(
        f"{one.place.at('relation')}: relation = {given!r}", required="a relation that is so", why=why,
        advice=f'relation = "{found}", or none: it is computed' if found else "type what differs, with why",
    )  # fmt: skip


@dataclass(frozen=True)
class RightSide:
    """One right side that is judged, in positive symbols, with its relation and its LaTeX."""

    relation: str
    expr: Any
    latex: str


def _sides(one: Formula, claim: Claim) -> Iterator[RightSide]:
    """The right sides of a quantity, or what a claim lets a letter be."""
    import sympy

    lets = {str(letter): value for letter, value in claim.lets.items()}
    own = [a for a in claim.assertions if a.quantity.name == one.quantity and not a.sloped]
    if not own and one.quantity not in lets:
        known = list(dict.fromkeys([*(a.quantity.name for a in claim.assertions), *lets]))
        raise CheckError(
            f"{one.place.at('quantity')}: quantity = {one.quantity!r}", required=f"one of {', '.join(known)}",
            why=f"it is held against {one.claim}", advice=did_you_mean(one.quantity, known),
        )  # fmt: skip
    for a in own:
        yield RightSide(a.relation, _plain(a.expr, claim), a.latex())
    if not own:
        value = lets[one.quantity]
        yield RightSide("==", _plain(value, claim), f"{sympy.latex(sympy.Symbol(one.quantity))} = {sympy.latex(value)}")


def _plain(expr: Any, claim: Claim) -> Any:
    """An expression with the letters that are let written out, in symbols without other assumptions than positive."""
    import sympy

    for _ in claim.lets:
        expr = sympy.sympify(expr).xreplace(dict(claim.lets))
    return expr.xreplace({s: _symbol(s) for s in expr.free_symbols})


def _symbol(letter: Any) -> Any:
    import sympy

    return sympy.Symbol(str(letter), positive=bool(letter.is_nonnegative) or None, integer=letter.is_integer)


def _relation(one: Formula, claim: Claim, side: RightSide) -> tuple[str, str] | None:
    """The relation of one right side that is judged to the printed one, with its reason; None where none follows."""
    from theorytools.claims.judging.right_sides import compare

    shape = one.shape
    letters = {name: _symbol(letter) for name, letter in claim.all_letters().items()}
    inner = {name: normal_form.shape(f"== {text}").expression(letters) for name, text in one.letters.items()}
    whole = shape.expression({**letters, **inner})
    lets = {_symbol(letter): _plain(value, claim) for letter, value in claim.lets.items()}
    for _ in lets:
        whole = whole.xreplace(lets)
    if shape.order == "Poly" or whole.free_symbols - set(letters.values()):
        return None
    return compare(shape.relation, shape.order, whole, side.relation, side.expr)
