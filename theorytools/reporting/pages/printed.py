"""What is printed of a statement beside what is judged, with the relation of the two: the head of its page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from markupsafe import Markup

from theorytools.meaning import MATCHED, OURS, READ, RELATIONS, UNCOMPARED, sayer_text, standing
from theorytools.reporting.leaves import Leaf
from theorytools.reporting.mathml import mathml, with_math
from theorytools.reporting.pages.contents import Contents
from theorytools.reporting.rendering import fill

NEAR = ("the same", "implies it")
MARKED = {"the same": "=", "implies it": "⇒", "implied by it": "⇐"}


def block(site: Contents, leaf: Leaf) -> Markup:
    """Return both sides of a statement with their relation; empty for one of which nothing is said."""
    told = _told(site, leaf)
    if not told:
        return Markup("")
    return Markup(site.cache.made("printed", told, partial(_drawn, told)))


def light(relation: str) -> str:
    """Return how a relation is lit: ``good`` where what is judged gives what is printed, ``gap`` where nobody knows."""
    return "good" if relation in NEAR else "gap" if relation in ("formula not seen", UNCOMPARED, OURS) else "doubt"


def _told(site: Contents, leaf: Leaf) -> dict[str, Any]:
    """The plain data of the block: relation, versions, formulas with where their claims stand, and what is unknown."""
    own, paper = leaf.statement, leaf.paper
    refuted = [(id, _href(site, leaf, id), sayer_text(one)) for id, one in (paper.get("sayers") or {}).items()
               if id in (own.get("claims") or ())]  # fmt: skip
    bare = {"versions": [], "lines": [], "unknown": "", "found": "", "refuted": refuted}
    if own.get("ours"):
        return {**bare, "relation": OURS, "why": own["ours"]}
    if not (printed := own.get("printed")):
        return {}
    told = (paper.get("relations") or {}).get(str(own.get("id"))) or {}
    compared = told.get("compared") or [{}] * len(printed["formulas"])
    lines = [
        {**one, "of": formula["of"], "claim": formula["claim"], "href": _href(site, leaf, formula["claim"])}
        for formula, one in zip(printed["formulas"], compared, strict=True) if one
    ]  # fmt: skip
    versions = [
        (printed["number"].get(name, ""), said, READ[printed["read"].get(name, "nothing")])
        for name, said in (paper.get("versions") or {}).items()
    ]
    found = f"{printed['matched']}: {printed['found']}" if printed["matched"] else ""
    return {"relation": told.get("relation") or standing(own), "why": told.get("why") or printed["why"],
            "versions": versions, "lines": lines, "unknown": printed["unknown"], "found": found,
            "refuted": refuted}  # fmt: skip


def _href(site: Contents, leaf: Leaf, claim: str) -> str:
    path = site.place(claim)
    return f"#{claim}" if path.partition("#")[0] == leaf.path else path and f"../{path}"


def _drawn(told: Mapping[str, Any]) -> str:
    lines = [
        {**one, "of": with_math(one["of"]), "printed": mathml(one["latex"]), "why": with_math(one["why"]),
         "judged": mathml(one["judged"]) if one["judged"] else "", "light": light(one["relation"]),
         "sign": MARKED.get(one["relation"], "≠" if one["relation"].startswith("differs") else "?")}
        for one in told["lines"]
    ]  # fmt: skip
    matched, _, found = told["found"].partition(": ")
    return fill(
        "printed", relation=told["relation"], light=light(told["relation"]), why=with_math(told["why"]),
        meaning=RELATIONS.get(told["relation"], ""), versions=told["versions"], lines=lines,
        unknown=with_math(told["unknown"]), matched=matched, meant=MATCHED.get(matched, ""), found=with_math(found),
        refuted=[(id, href, with_math(said)) for id, href, said in told["refuted"]],
    )  # fmt: skip
