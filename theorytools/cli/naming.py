"""Which statement somebody means: by id, by a short id, by its number in some version, or by words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from theorytools.claims.papers.catalogue import Catalogue, Entry, Paper
from theorytools.claims.papers.paper import Statement
from theorytools.cli.unicode_math import with_unicode
from theorytools.errors import DomainError, nearest

KINDS = {
    "theorem": "thm theo th", "lemma": "lem lm", "proposition": "prop", "corollary": "cor", "definition": "def",
    "assumption": "ass assum", "question": "q", "figure": "fig", "remark": "rem", "example": "ex",
}  # fmt: skip
_KIND = {short: kind for kind, known in KINDS.items() for short in (kind, *known.split())}
_NUMBER = re.compile(rf"\b({'|'.join(sorted(_KIND, key=len, reverse=True))})\.?[\s_]*0*(\d+|\([a-z]\))(?![\w.])")
_ARXIV = re.compile(r"\b(\d{4}\.\d{4,5})(v\d+)?\b")
_EMPTY = frozenset(
    re.findall(
        r"\w+", "a an and arxiv as at by for from holds in is it needed of on paper printed right statement the to"
    )
)
MOST = 6  # candidates that are listed


@dataclass(frozen=True)
class Named:
    """A paper, one ``statement`` of it, or one ``claim``, whose statement may be none that is listed."""

    paper: Paper
    statement: Statement | None
    claim: Entry | None

    @property
    def id(self) -> str:
        """What names it."""
        return (
            self.claim.id
            if self.claim
            else f"{self.paper.key}.{self.statement.id}"
            if self.statement
            else self.paper.key
        )


def named(words: Sequence[str], catalogue: Catalogue) -> Named:
    """Return the paper, the statement or the claim that words name.

    Parameters
    ----------
    words : an id (``qstr.lemma_11``), the end of one (``lemma_11``), an alias or a label, a number in any version
        (``prop 8 of qstr``, ``2503.11272 Theorem 6``), or words of its title or text.
    catalogue : where it is looked up.

    Raises
    ------
    DomainError : nothing has the words, or several statements have them as well: these are listed.
    """
    text = " ".join(" ".join(words).split()).strip(" ?.")
    found = _by_id(text, catalogue) or _by_number(text.lower(), catalogue)
    if not found and not _NUMBER.search(text.lower().replace("_", " ")):  # a number that no statement has is no word
        found = _by_words(text.lower(), catalogue)
    if len(found) == 1:
        return found[0]
    if found:
        shown = "; ".join(f"{one.id} ({_title(one)})" for one in found[:MOST])
        more = f"; and {len(found) - MOST} more" if len(found) > MOST else ""
        raise DomainError(
            f"the words {text!r}", required="one statement", why=f"they fit {len(found)}: {shown}{more}",
            advice=f"theorytools review {found[0].id}",
        )  # fmt: skip
    known = [f"{p.key}.{s.id}" for p in catalogue.readable for s in p.statements]
    near = nearest(text.replace(" ", "_"), [*known, *(name.partition(".")[2] for name in known)], 3, 0.5)
    raise DomainError(
        f"the words {text!r}", required="an id, a number or words of a statement",
        why=f"no statement in {catalogue.places} has them all",
        advice=f"did you mean {', '.join(near)}? theorytools list" if near else "theorytools list shows all statements",
    )  # fmt: skip


def _title(one: Named) -> str:
    if one.statement is None or (one.claim and one.claim.label != one.statement.label):
        return one.claim.label if one.claim else ""
    return with_unicode(f"{one.statement.label}. {one.statement.title}")


def _statements(catalogue: Catalogue) -> Iterable[Named]:
    return (Named(paper, one, None) for paper in catalogue.readable for one in paper.statements)


def _by_id(text: str, catalogue: Catalogue) -> list[Named]:
    """The paper of that key or number; else statements of that id, alias or label; else the claim of that id."""
    low = text.lower().replace(" ", "_")
    bare = re.sub(r"^(arxiv:?_?)|(v\d+)$", "", low)
    if papers := [paper for paper in catalogue.readable if low == paper.key.lower() or bare == paper.arxiv]:
        return [Named(paper, None, None) for paper in papers]
    own = [one for one in _statements(catalogue) if low in _names(one)]
    if own:
        return own
    known = {paper.key: paper for paper in catalogue.readable}
    claims = [e for e in catalogue.entries if low in (e.id.lower(), e.id.lower().partition(".")[2])]
    return [Named(known[e.paper], known[e.paper].statement_of(e.stem), e) for e in claims if e.paper in known]


def _names(one: Named) -> set[str]:
    """The names of a statement in small letters, spaces as ``_``."""
    if one.statement is None:
        return set()
    id, key = one.statement.id, one.paper.key
    given = [id, f"{key}.{id}", one.statement.label, f"{key} {one.statement.label}", *one.statement.aliases]
    given += [alias.partition(".")[2] for alias in one.statement.aliases]
    return {name.lower().replace(" ", "_") for name in given if name}


def _by_number(text: str, catalogue: Catalogue) -> list[Named]:
    """Statements of that kind and number: by the label first, else by what another version calls them."""
    match = _NUMBER.search(text.replace("_", " "))
    if match is None:
        return []
    asked = (_KIND[match[1]], match[2])
    rest = text.replace("_", " ").replace(match[0], " ")
    inside = [one for one in _statements(catalogue) if _of_paper(one.paper, rest)]
    by_label = [one for one in inside if one.statement and _number(one.statement.label) == asked]
    if by_label:
        return by_label
    return [one for one in inside if one.statement and asked in set(map(_number, _numbers(one.statement)))]


def _numbers(statement: Statement) -> list[str]:
    return [*(statement.printed.number.values() if statement.printed else ()), statement.id.replace("_", " ")]


def _number(label: str) -> tuple[str, str] | None:
    match = _NUMBER.search(label.lower())
    return (_KIND[match[1]], match[2]) if match else None


def _of_paper(paper: Paper, rest: str) -> bool:
    """Whether what is said beside a number is of that paper: its key, arXiv number, an author or words of its title."""
    if arxiv := _ARXIV.search(rest):
        return arxiv[1] == paper.arxiv
    words = [word for word in re.findall(r"\w+", rest) if word not in _EMPTY and len(word) > 1]
    about = f"{paper.key} {paper.authors} {paper.title} {paper.venue}".lower()
    return all(word in about for word in words)


def _all_in(words: Sequence[str], text: str) -> bool:
    """Whether each of the words begins a word of a text."""
    plain = text.replace("_", " ")
    return all(re.search(rf"(?<![a-z0-9]){re.escape(word)}", plain) for word in words)


def _by_words(text: str, catalogue: Catalogue) -> list[Named]:
    """Statements that have all of the words, in their titles before their claims' texts."""
    from theorytools.claims.judging.description import text_of

    asked = [word for word in re.findall(r"[\w.-]+", text.replace("_", " ")) if word not in _EMPTY and len(word) > 1]
    if not asked:
        return []
    titled, told = [], []
    for one in _statements(catalogue):
        if one.statement is None:
            continue
        about = f"{one.paper.key} {one.paper.arxiv} {' '.join(_names(one))} {one.statement.title}".lower()
        if _all_in(asked, about):
            titled.append(one)
            continue
        for entry in catalogue.claims_of(one.paper, one.statement):
            said = {} if entry.error else text_of(entry)
            whole = " ".join(
                [about, entry.label, said.get("summary", ""), *(body for _, body in said.get("sections", ()))]
            )
            if _all_in(asked, whole.lower()):
                told.append(one)
                break
    return titled or told
