"""The page of one statement: its main claim in full, the others folded by role, what it rests on, how to cite it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from theorytools.meaning import ROLES
from theorytools.reporting import words
from theorytools.reporting.fragments import Fragment
from theorytools.reporting.leaves import Leaf
from theorytools.reporting.mathml import with_math
from theorytools.reporting.pages.contents import Contents, gap_of, label_of, source_of
from theorytools.reporting.pages.gallery import built, example, import_line, picture
from theorytools.reporting.pages.printed import block
from theorytools.reporting.proof_map import around, drawn
from theorytools.reporting.rendering import fill

GROUPS = {
    "statement": "The statement, further parts",
    "sharpness": "Sharpness: attained, or the lower side",
    "necessity": "Hypotheses that cannot go",
    "growth": "Growth",
    "precision": "Machine arithmetic",
    "variant": "Other forms and other hypotheses",
    "pitfall": "Pitfalls: readings that fail",
    "prediction": "Predictions about training",
    "found": "Found in trained models",
    "foundation": "Tools",
    "": "Further claims",
}


def body(site: Contents, leaf: Leaf, before: Leaf | None, after: Leaf | None) -> str:
    """Return the body of a statement's page."""
    own = list(zip(leaf.verdicts, site.fragments[leaf.path], strict=True))
    main = next((made for verdict, made in own if verdict is leaf.main), None)
    folded = [(verdict, made) for verdict, made in own if made is not main and made.section]
    turn = [(f"../{other.path}", label_of(other)) if other else ("", "") for other in (before, after)]
    return fill(
        "statement",
        paper=leaf.paper.get("title") or leaf.paper.get("key", ""),
        paper_href="index.html",
        source=source_of(leaf.paper),
        label=label_of(leaf),
        title=site.text(str(leaf.statement.get("title") or "")),
        printed=block(site, leaf),
        gap=site.text(gap_of(leaf)),
        lights=site.lights(leaf),
        curves=site.curves(leaf.paper, {name for v in leaf.verdicts for name in v.get("trained") or ()}),
        main=Markup(main.section if main else ""),
        groups=_groups(folded),
        entries=[made.entry for _, made in own if not made.section],
        uses=_uses(site, leaf),
        map=_map(site, leaf),
        built=_built(site, leaf),
        cite=_cite(leaf, label_of(leaf)),
        commands=[f"theorytools verify {leaf.main['id']}", f"theorytools show {leaf.main['id']}"] if leaf.main else [],
        turn=turn,
    )


def _groups(
    folded: list[tuple[Mapping[str, Any], Fragment]],
) -> list[tuple[str, str, str, bool, list[tuple[Any, Markup]]]]:
    """The folded claims by role: name, heading, counts, whether one is unexpected, and the sections."""
    found: dict[str, list[Fragment]] = {}
    for _, made in folded:
        found.setdefault(made.entry.role if made.entry.role in ROLES else "", []).append(made)
    groups = []
    for role, heading in GROUPS.items():
        if role in found:
            entries = [made.entry for made in found[role]]
            counted = {o: sum(e.outcome == o for e in entries) for o in dict.fromkeys(e.outcome for e in entries)}
            said = ", ".join(f"{count} {outcome.lower()}" for outcome, count in counted.items())
            alarm = any(not entry.expected for entry in entries)
            groups.append(
                (role or "further", heading, said, alarm, [(m.entry, Markup(m.section)) for m in found[role]])
            )
    return groups


def _uses(site: Contents, leaf: Leaf) -> dict[str, list[tuple[str, str, str]]]:
    """What the statement rests on, and what uses it: label, page and why."""
    folder = leaf.path.split("/")[0]
    of = {str(other.statement.get("id")): other for other in site.by_paper[folder]}
    id = str(leaf.statement.get("id"))
    found: dict[str, list[tuple[str, str, str]]] = {"Rests on": [], "Is used by": []}
    for edge in site.edges[folder]:
        for heading, here, there in (("Rests on", "user", "used"), ("Is used by", "used", "user")):
            if edge[here] == id and (other := of.get(edge[there])):
                href = f"../{other.path}" if other.shown else ""
                wide = site.beyond(folder, edge["used"], edge["user"])
                why = [*edge["why"], *([f"loses a factor {edge['factor']}"] if edge["factor"] else [])]
                why += [f"judged for {wide}"] if wide and here == "user" else []
                found[heading].append((label_of(other), href, ", ".join(why)))
    return {heading: lines for heading, lines in found.items() if lines}


def _map(site: Contents, leaf: Leaf) -> Markup:
    folder, id = leaf.path.split("/")[0], str(leaf.statement.get("id"))
    near = around(id, site.edges[folder])
    ids = {id, *(e["used"] for e in near), *(e["user"] for e in near)}
    nodes = [node for node in site.nodes[folder] if node.id in ids]
    return drawn(nodes, near, title="What this statement rests on, and what uses it", here=id)


def _built(site: Contents, leaf: Leaf) -> list[tuple[str, Markup, str, str, str, str]]:
    """The constructions that are a witness here: name, first sentence, import line, example, picture and its words."""
    found = list(built(leaf.verdicts))
    shown = site.cache.made("built", found, lambda: [with_math(said) for _, said in found])
    return [
        (name, Markup(said), import_line(name), example(name), *picture(name, leaf.paper))
        for (name, _), said in zip(found, shown, strict=True)
    ]


def _cite(leaf: Leaf, label: str) -> list[str]:
    """BibTeX of the paper and of this check."""
    paper, main = leaf.paper, leaf.main
    arxiv, made = str(paper.get("arxiv") or ""), []
    key = re.sub(r"\W", "", str(paper.get("key") or "paper"))
    if arxiv:
        authors = str(paper.get("authors") or "").replace(", ", " and ")
        made.append(
            f"@misc{{{key},\n  author = {{{authors}}},\n  title = {{{{{paper.get('title', '')}}}}},\n"
            f"  year = {{20{arxiv[:2]}}},\n  eprint = {{{arxiv}}},\n  archivePrefix = {{arXiv}},\n}}"
        )
    if main:
        version = (main.get("versions") or {}).get("theorytools", "")
        digest = str((main.get("source") or {}).get("sha256") or "")[:12]
        file = ", ".join(
            filter(None, [f"theorytools {version}".strip(), f"check {main['id']}", digest and f"SHA-256 {digest}"])
        )
        made.append(
            f"@misc{{theorytools-{words.anchor(main)},\n  author = {{{{The theorytools authors}}}},\n"
            f"  title = {{{{{label}, checked}}}},\n  note = {{{file}}},\n}}"
        )
    return made
