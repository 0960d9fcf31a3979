"""The page of one statement: its main claim in full, the others folded by role, what it rests on, how to cite it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from theorytools.meaning import ROLES
from theorytools.reporting import cite
from theorytools.reporting.fragments import Fragment
from theorytools.reporting.leaves import Leaf
from theorytools.reporting.mathml import with_math
from theorytools.reporting.overview import Entry
from theorytools.reporting.pages.contents import Contents, gap_of, label_of, source_of
from theorytools.reporting.pages.gallery import built, example, import_line, picture
from theorytools.reporting.pages.printed import block
from theorytools.reporting.proof_map import around, drawn
from theorytools.reporting.rendering import citation, fill
from theorytools.reporting.scores import Light

# the roles as the page has them
ORDER = ("statement", "sharpness", "necessity", "growth", "precision", "variant", "pitfall", "prediction", "found",
         "foundation")  # fmt: skip


@dataclass(frozen=True)
class Group:
    """The claims of one role that are folded away: how many ended how, and the section of each with its line."""

    role: str
    outcomes: tuple[tuple[str, int], ...]
    unexpected: bool
    claims: tuple[tuple[Entry, Markup], ...]


@dataclass(frozen=True)
class Neighbour:
    """A statement that this one rests on, or that uses it: why, what factor it loses, and where it was judged else."""

    label: str
    href: str
    why: tuple[str, ...]
    factor: str
    beyond: str


@dataclass(frozen=True)
class Built:
    """A construction that is a witness here: how to import it, what its example shows, and its picture in words."""

    name: str
    said: Markup
    line: str
    example: str
    picture: tuple[str, str]


@dataclass(frozen=True)
class Head:
    """What stands above the claims: paper and statement, what is printed beside what is judged, and what is known."""

    paper: str
    source: str
    label: str
    title: Markup
    printed: Markup
    gap: Markup
    lights: tuple[tuple[Light, Markup], ...]


@dataclass(frozen=True)
class Page:
    """A statement as its page shows it; the words around these parts are those of ``statement.html.j2``."""

    head: Head
    curves: tuple[Mapping[str, Any], ...]  # trained runs beside published ones
    main: Markup  # the section of the claim that it begins with
    groups: tuple[Group, ...]
    recorded: tuple[Entry, ...]  # claims known from the committed record only
    rests_on: tuple[Neighbour, ...]
    used_by: tuple[Neighbour, ...]
    map: Markup
    built: tuple[Built, ...]
    claim: str  # what reproduces its main claim
    cite: Markup
    before: tuple[str, str]  # path and label of the statements beside it
    after: tuple[str, str]


def body(site: Contents, leaf: Leaf, before: Leaf | None, after: Leaf | None) -> str:
    """Return the body of a statement's page."""
    return fill("statement", page=page(site, leaf, before, after))


def page(site: Contents, leaf: Leaf, before: Leaf | None, after: Leaf | None) -> Page:
    """Return what the page of a statement shows, between the pages of two others."""
    own = list(zip(leaf.verdicts, site.fragments[leaf.path], strict=True))
    main = next((made for verdict, made in own if verdict is leaf.main), None)
    near = [(f"../{other.path}", label_of(other)) if other else ("", "") for other in (before, after)]
    return Page(
        head=Head(
            paper=leaf.paper.get("title") or leaf.paper.get("key", ""),
            source=source_of(leaf.paper),
            label=label_of(leaf),
            title=site.text(str(leaf.statement.get("title") or "")),
            printed=block(site, leaf),
            gap=site.text(gap_of(leaf)),
            lights=tuple(site.lights(leaf)),
        ),
        curves=tuple(site.curves(leaf.paper, {name for v in leaf.verdicts for name in v.get("trained") or ()})),
        main=Markup(main.section if main else ""),
        groups=_groups([made for _, made in own if made is not main and made.section]),
        recorded=tuple(made.entry for _, made in own if not made.section),
        rests_on=_neighbours(site, leaf, "user", "used"),
        used_by=_neighbours(site, leaf, "used", "user"),
        map=_map(site, leaf),
        built=_built(site, leaf),
        claim=leaf.main["id"] if leaf.main else "",
        cite=_cite(leaf, [made.entry.href.partition("#")[2] for _, made in own if made.section]),
        before=near[0],
        after=near[1],
    )


def _groups(folded: list[Fragment]) -> tuple[Group, ...]:
    """The folded claims by role, in the order of the roles; those of an unknown role last, under none."""
    found: dict[str, list[Fragment]] = {}
    for made in folded:
        found.setdefault(made.entry.role if made.entry.role in ROLES else "", []).append(made)
    groups = []
    for role in (*ORDER, ""):
        entries = [made.entry for made in found.get(role, ())]
        counted = Counter(entry.outcome for entry in entries)
        claims = tuple((made.entry, Markup(made.section)) for made in found.get(role, ()))
        groups.append(Group(role, tuple(counted.items()), any(not e.expected for e in entries), claims))
    return tuple(group for group in groups if group.claims)


def _neighbours(site: Contents, leaf: Leaf, here: str, there: str) -> tuple[Neighbour, ...]:
    """The statements at the other ends of its edges; of those that it rests on, where it was judged and they not."""
    folder, id = leaf.path.split("/")[0], str(leaf.statement.get("id"))
    of = {str(other.statement.get("id")): other for other in site.by_paper[folder]}
    found = []
    for edge in site.edges[folder]:
        if edge[here] == id and (other := of.get(edge[there])):
            beyond = site.beyond(folder, edge["used"], edge["user"]) if here == "user" else ""
            href = f"../{other.path}" if other.shown else ""
            found.append(Neighbour(label_of(other), href, tuple(edge["why"]), edge["factor"], beyond))
    return tuple(found)


def _map(site: Contents, leaf: Leaf) -> Markup:
    folder, id = leaf.path.split("/")[0], str(leaf.statement.get("id"))
    near = around(id, site.edges[folder])
    ids = {id, *(e["used"] for e in near), *(e["user"] for e in near)}
    nodes = [node for node in site.nodes[folder] if node.id in ids]
    return drawn(nodes, near, title="What this statement rests on, and what uses it", here=id)


def _built(site: Contents, leaf: Leaf) -> tuple[Built, ...]:
    """The constructions that are a witness here."""
    found = list(built(leaf.verdicts))
    shown = site.cache.made("built", found, lambda: [with_math(said) for _, said in found])
    return tuple(
        Built(name, Markup(said), import_line(name), example(name), picture(name, leaf.paper))
        for (name, _), said in zip(found, shown, strict=True)
    )


def _cite(leaf: Leaf, claims: Sequence[str]) -> Markup:
    """How the page is cited: BibTeX of the paper and of this check, and the addresses of its claims."""
    main = cite.of_claim(leaf.main, leaf.paper, label_of(leaf), leaf.path) if leaf.main else ""
    return citation([cite.of_paper(leaf.paper), main], leaf.path, claims)


def about(leaf: Leaf) -> str:
    """Return in a sentence what the page of a statement is about."""
    counted = Counter(str(verdict.get("outcome")).lower() for verdict in leaf.verdicts)
    said = ", ".join(f"{count} {outcome}" for outcome, count in counted.items())
    title = re.sub(r"[$\\{}]", "", str(leaf.statement.get("title") or ""))
    of = str(leaf.paper.get("title") or leaf.paper.get("key") or "")
    claims = f"{len(leaf.verdicts)} {'claim' if len(leaf.verdicts) == 1 else 'claims'}"
    return f"{label_of(leaf)} of {of}{f': {title}' if title else ''}. {claims} judged: {said}"
