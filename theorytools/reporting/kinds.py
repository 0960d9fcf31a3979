"""How many claims there are of each kind: by role, evidence and scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from theorytools.meaning import COVERED, ROLES, WHOLE, scope_class

# -- how many of each kind ------------------------------------------------------------------------------------------
GRADES = ("exact", "enclosed", "sampled", "observed", "fitted")
SCOPES = ("all", *(how for how in COVERED if how not in WHOLE))
HEADS = ("role", "claims", *GRADES, "not judged", *SCOPES)


def distribution(verdicts: Iterable[Mapping[str, Any]]) -> list[list[str]]:
    """Return how many claims there are of each role: headings, a line for each role, then their sum.

    Scope is that of the innermost object: ``all`` where it is covered by enumeration, a closed form, an automaton or a
    proof.
    """
    own = list(verdicts)
    lines = [[role, *_counts([v for v in own if v.get("role") == role])] for role in ROLES]
    silent = [v for v in own if v.get("role") not in ROLES]
    lines += [["not stated", *_counts(silent)]] if silent else []
    return [list(HEADS), *lines, ["all", *_counts(own)]]


def _counts(own: list[Mapping[str, Any]]) -> list[str]:
    grades = [str(v.get("evidence") or "not judged").lower() for v in own]
    scopes = [_scope(v.get("scope") or {}) for v in own]
    numbers = [len(own), *(grades.count(g) for g in (*GRADES, "not judged")), *(scopes.count(s) for s in SCOPES)]
    return [str(n) if n else "" for n in numbers]


def _scope(scope: Mapping[str, str]) -> str:
    how = scope_class(scope) if scope else ""
    return "all" if how in WHOLE else how
