"""The page of one paper: its findings, the map of its statements, and the score table with a line for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theorytools.meaning import counted, numbered
from theorytools.reporting.leaves import Leaf
from theorytools.reporting.pages import necessity
from theorytools.reporting.pages.contents import Contents, gap_of, label_of, source_of, standing_of
from theorytools.reporting.proof_map import drawn
from theorytools.reporting.rendering import fill
from theorytools.reporting.scores import HEADS, state


def body(site: Contents, own: Sequence[Leaf]) -> str:
    """Return the body of a paper's page."""
    paper, folder = own[0].paper, own[0].path.split("/")[0]
    edges = site.edges[folder]
    touched = {id for edge in edges for id in (edge["used"], edge["user"])}
    alone = [leaf for leaf in own if str(leaf.statement.get("id")) not in touched]
    rows = [
        {
            "id": str(leaf.statement.get("id")),
            "label": label_of(leaf),
            "href": f"../{leaf.path}" if leaf.shown or leaf.path in site.kept else "",
            "title": site.text(str(leaf.statement.get("title") or "")),
            "standing": standing_of(leaf),
            "state": state(leaf.verdicts),
            "lights": site.lights(leaf),
            "path": f"../{leaf.path}" if leaf.shown else "",
            "gap": site.text(gap_of(leaf)),
            "claims": len(leaf.verdicts),
        }
        for leaf in own
    ]
    return fill(
        "paper",
        title=paper.get("title") or paper.get("key", ""),
        source=source_of(paper),
        findings=site.findings(paper, "../"),
        rows=rows,
        heads=HEADS,
        again=_again(site, own),
        related=list(counted(map(standing_of, own)).items()),
        map=drawn(site.nodes[folder], edges, title=f"Which statement of {paper.get('title', '')} uses which"),
        edges=len(edges),
        factors=any(edge["factor"] for edge in edges),
        alone=[label_of(leaf) for leaf in alone],
        tour=_tour(site, own),
        necessity=necessity.PAGE if paper.get("necessity") else "",
    )


def _again(site: Contents, own: Sequence[Leaf]) -> list[tuple[str, str, str, str, Any]]:
    """Each statement that was laid beside the newest text: page, numbers, relation, outcome and what was found."""
    return [
        (f"../{leaf.path}" if leaf.shown else "", numbered(leaf.statement), standing_of(leaf), printed["matched"],
         site.text(printed["found"]))
        for leaf in own if (printed := leaf.statement.get("printed") or {}).get("matched")
    ]  # fmt: skip


def _tour(site: Contents, own: Sequence[Leaf]) -> list[tuple[str, Any, list[tuple[str, str]]]]:
    """The parts in which the paper is told: title, text, and the statements with their pages."""
    of = {leaf.statement.get("id"): leaf for leaf in own}
    return [
        (
            part["title"],
            site.text(str(part.get("text") or "")),
            [(label_of(of[name]), f"../{of[name].path}" if of[name].shown else "") for name in part["statements"]],
        )
        for part in own[0].paper.get("parts") or ()
    ]
