"""The front page: what this is, and what was found in each paper."""

from __future__ import annotations

from functools import partial
from typing import Any

from markupsafe import Markup

from theorytools.reporting import words
from theorytools.reporting.claim import Verdict
from theorytools.reporting.pages.contents import Contents, source_of
from theorytools.reporting.pages.finds import sentences
from theorytools.reporting.pages.opening import opening
from theorytools.reporting.pages.themes import themes
from theorytools.reporting.plots import figure
from theorytools.reporting.rendering import INDEX, fill


def body(site: Contents) -> str:
    """Return the body of the front page."""
    run, alpha = site.run, site.run.get("alpha_spent")
    grid = [verdict for verdict in site.verdicts if not verdict.get("user_points")]
    shelves = []
    for key, own in site.by_paper.items():
        paper = own[0].paper
        ids = [verdict["id"] for leaf in own for verdict in leaf.verdicts if not verdict.get("user_points")]
        shelves.append({
            "title": paper.get("title") or key, "source": source_of(paper), "href": f"{key}/{INDEX}",
            "map": bool(site.edges[key]),
            "findings": site.findings(paper), "statements": len(own), "claims": len(ids),
            "unexpected": sum(not v.get("as_expected") for leaf in own for v in leaf.verdicts),
            "figure": "" if (curves := _curves(site, paper)) else _figure(site, paper), "curves": curves[:1],
        })  # fmt: skip
    return fill(
        "front",
        opening=opening(site),
        shelves=shelves,
        themes=[(path, title, what) for path, (title, what) in themes(site).items()],
        finds=sentences(site),
        total=len(grid),
        statements=len(site.leaves),
        recorded=sum(bool(verdict.get("compact")) for verdict in grid),
        quick=run.get("quick") or {},
        unexpected=sum(not verdict.get("as_expected") for verdict in grid),
        created=run.get("created", ""),
        versions=[f"{name} {value}" for name, value in (run.get("versions") or {}).items()],
        alpha="" if alpha is None else words.small(alpha),
        complete=run.get("complete", True),
        command=run.get("command", ""),
    )


def _curves(site: Contents, paper: Any) -> list[dict[str, Any]]:
    """The trained runs beside published curves that a finding of the paper, or a statement of its, reads."""
    names = {
        name for v in site.verdicts for name in v.get("trained") or () if v["id"].split(".")[0] == paper.get("key")
    }
    return site.curves(paper, names)


def _figure(site: Contents, paper: Any) -> Markup:
    """The first figure among the findings of a paper, with its claim; empty where none has one."""
    of = {verdict["id"]: verdict for verdict in site.verdicts if not verdict.get("user_points")}
    for found in site.findings(paper):
        verdict = of.get(found.claim)
        if verdict is None or verdict.get("compact"):
            continue
        known = [verdict["id"], verdict.get("digest"), found.href]
        if kept := site.cache.made("front figure", known, partial(_drawn, verdict, found.href)):
            return Markup(kept)
    return Markup("")


def _drawn(verdict: Verdict, href: str) -> str:
    made = figure(verdict)
    return fill("plot", figure=made, claim=words.label(verdict), href=href) if made else ""
