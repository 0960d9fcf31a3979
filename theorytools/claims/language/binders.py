r"""The quantifiers of a statement in the order of its sentence: what each binds, and what may be seen where.

A key of a claim's ``scope`` is a quantifier: ``"every N, d"`` binds the letters N and d, ``"some constant C"`` the
letter C, and ``"some code"``, with no letter, the object that the claim constructs.  *Some code for every N* is a
statement about one code, *for every N some code* about one for each N: so what is chosen before N may not look at it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from theorytools.claims.language.grid import Point
from theorytools.errors import CheckError


@dataclass(frozen=True)
class Binder:
    """One quantifier of a scope: ``every`` or ``some``, its words, the letters that it binds, and how it is covered."""

    quantifier: str
    words: str
    letters: tuple[str, ...]
    how: str

    @property
    def witness(self) -> bool:
        """Whether one object, or one value, is exhibited for it."""
        return self.quantifier == "some" and self.how == "exhibited"


def binders(scope: Mapping[str, str], names: Iterable[str]) -> tuple[Binder, ...]:
    """Return the quantifiers of a scope in their order.

    Parameters
    ----------
    scope : of a claim.
    names : its letters; a word of a quantifier that is one of them is bound there.

    Examples
    --------
    >>> [b.letters for b in binders({"some constant C": "exhibited", "every N and d": "points"}, ["N", "d", "C"])]
    [('C',), ('N', 'd')]
    """
    known, found = set(names), []
    for said, how in scope.items():
        quantifier, _, words = said.partition(" ")
        bound = [word for word in re.findall(r"\w+", words) if word in known]
        found.append(Binder(quantifier, words, tuple(dict.fromkeys(bound)), how))
    return tuple(found)


def later(order: Iterable[Binder], derived: Iterable[str]) -> dict[str, str]:
    """Return the letters that the constructed object may not see, each with what is chosen before it.

    The object is that of the last ``some`` without a letter; a derived letter is a property of the object, so that
    what is bound after it is later than the object, too.
    """
    prefix, made = list(order), set(derived)
    places = [k for k, b in enumerate(prefix) if b.quantifier == "some" and not b.letters][-1:]
    places += [k for k, b in enumerate(prefix) if b.quantifier == "some" and made & set(b.letters)]
    return {
        letter: f"some {prefix[place].words}"
        for place in places for b in prefix[place + 1 :] for letter in b.letters if letter not in made
    }  # fmt: skip


@dataclass(frozen=True)
class View(Point):
    """A point of which some letters are not chosen yet: to ask for one is an error that names the quantifier."""

    hidden: Mapping[str, str]

    def __getattr__(self, name: str) -> Any:
        if name == "hidden" or name not in self.hidden:
            return super().__getattr__(name)
        chosen = self.hidden[name]
        raise CheckError(
            f"construct, or derive, reads {name}, which is bound after '{chosen}'",
            required=f"'{chosen}' built without {name}",
            why=f"as it is written, this shows: for every {name} {chosen}; the scope says: {chosen} for every {name}",
            advice=f"build it without {name}, or put 'every {name}' before '{chosen}' in the scope",
        )


def seen(point: Point, hidden: Mapping[str, str], lets: Mapping[str, Any]) -> Point:
    """Return a point without the letters that are bound later, its seeds keyed by those that are left.

    A let that is defined by a later letter is one.
    """
    if not hidden:
        return point
    late = dict(hidden)
    for name, formula in lets.items():
        if first := next((late[s.name] for s in formula.free_symbols if s.name in late), ""):
            late[name] = first
    axes = {name: value for name, value in point.axes.items() if name not in late}
    kept = {name: value for name, value in point.lets.items() if name not in late}
    return View(point.id, axes, kept, late)
