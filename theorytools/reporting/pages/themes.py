"""Pages across papers: how far to trust this, pitfalls, predictions, constructions, what is open, what changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from theorytools.meaning import ROLES, TRAINED
from theorytools.reporting import words
from theorytools.reporting.kinds import distribution
from theorytools.reporting.leaves import Leaf
from theorytools.reporting.mathml import with_math
from theorytools.reporting.overview import counts
from theorytools.reporting.pages import finds
from theorytools.reporting.pages.contents import Contents, gap_of, label_of, source_of, standing_of
from theorytools.reporting.pages.gallery import built, exhibits
from theorytools.reporting.rendering import fill

THEMES = {
    "trust.html": ("How far to trust this", "kinds of evidence, what was tested, what is not claimed"),
    "pitfalls.html": ("Pitfalls", "sentences that fail, each with a point and with who says it"),
    "predictions.html": ("Predictions about training", "what was predicted before the runs, kept and missed"),
    "constructions.html": ("Constructions", "the networks of the proofs, to import"),
    "phase.html": ("Phase diagrams", "over two sizes: proved possible, proved impossible, reached by training, open"),
    "open.html": ("Open", "what the papers leave open, with what is known of it; what has no check yet"),
    "changes.html": ("What changed", "against the committed record"),
    "claims.html": ("All claims", "every claim with role, outcome, evidence and sizes"),
}


def themes(site: Contents) -> dict[str, tuple[str, str]]:
    """Return title and contents of the pages across papers by path: of those that have something to show."""
    some = {
        "pitfalls.html": bool(_failing(site, "pitfall", "")),
        "predictions.html": any(v.get("role") in TRAINED for v in site.verdicts) or _sweeps(site) != [],
        "constructions.html": any(True for leaf in site.leaves for _ in built(leaf.verdicts)),
        "phase.html": bool(site.run.get("phase")),
        "open.html": bool(_gaps(site) or _undecided(site) or any(paper.get("questions") for paper in site.papers)),
        "changes.html": bool(site.run.get("before")),
        "claims.html": bool(site.leaves),
    }
    told = {finds.PAGE: (finds.TITLE, finds.SAID)} if site.run.get("finds") else {}
    return {**told, **{path: said for path, said in THEMES.items() if some.get(path, True)}}


def bodies(site: Contents) -> dict[str, tuple[str, str]]:
    """Return title and body of every page across papers by its path; of what has nothing to show there is none."""
    made = {
        "trust.html": _trust, "pitfalls.html": _pitfalls, "predictions.html": _predictions,
        "constructions.html": _constructions, "open.html": _open, "phase.html": _phase, "changes.html": _changes,
        "claims.html": _claims, finds.PAGE: finds.body,
    }  # fmt: skip
    return {path: (title, made[path](site)) for path, (title, _) in themes(site).items()}


def _grid(site: Contents) -> list[Mapping[str, Any]]:
    return [verdict for verdict in site.verdicts if not verdict.get("user_points")]


def _trust(site: Contents) -> str:
    grid = _grid(site)
    return fill(
        "trust",
        counts=counts(grid),
        kinds=distribution(grid),
        evidence=list(words.EVIDENCE.items()),
        uncommitted=sum(words.uncommitted(verdict) for verdict in grid),
        recorded=sum(bool(verdict.get("compact") or verdict.get("record")) for verdict in grid),
        powerless=sum(words.would_see(verdict) == "no power" for verdict in grid),
        total=len(grid),
        open="open.html" in themes(site),
    )


def _failing(site: Contents, *roles: str) -> Markup:
    """The articles on what does not hold, of claims with one of these roles, or of any other for ``""``."""
    special = {"pitfall", *TRAINED}
    articles = []
    for leaf in site.leaves:
        for made in site.fragments[leaf.path]:
            role = made.entry.role if made.entry.role in special and made.entry.role in ROLES else ""
            if made.failure and role in roles:
                articles.append(made.failure)
    return Markup("\n".join(articles))


def _pitfalls(site: Contents) -> str:
    return fill("pitfalls", pitfalls=_failing(site, "pitfall"), failing=_failing(site, ""))


def _predictions(site: Contents) -> str:
    lines: dict[str, list[tuple[Any, str]]] = {"kept": [], "missed": [], "found": []}
    for leaf in site.leaves:
        for verdict, made in zip(leaf.verdicts, site.fragments[leaf.path], strict=True):
            if made.entry.role in TRAINED:
                predicted, kept = made.entry.role == "prediction", made.entry.outcome == "HOLDS"
                place = lines["kept" if kept else "missed"] if predicted else lines["found"]
                place.append((made.entry, str(verdict.get("label") or made.entry.id)))
    sweeps = _sweeps(site)
    trained = str(site.cache.made("trained", sweeps, lambda: _runs(site))) if sweeps else ""
    failing = _failing(site, *TRAINED)
    return fill("predictions", lines=lines, failing=failing, trained=Markup(trained))


def _sweeps(site: Contents) -> list[Any]:
    """The records of trained runs, by paper that has some."""
    return [paper["sweeps"] for paper in site.papers if paper.get("sweeps")]


def _runs(site: Contents) -> str:
    from theorytools.reporting.runs import runs

    return fill("trained", trained=runs(site.papers))


def _constructions(site: Contents) -> str:
    labels = {leaf.path: f"{leaf.paper.get('key', '')}, {label_of(leaf)}" for leaf in site.leaves}
    found = exhibits(site.leaves, labels)
    said = [one.said for one in found]
    shown = site.cache.made("gallery", said, lambda: [with_math(text) for text in said])
    return fill("constructions", exhibits=[(one, Markup(text)) for one, text in zip(found, shown, strict=True)])


def _phase(site: Contents) -> str:
    """The recorded diagrams, each claim of theirs linked where it has a page."""
    from theorytools.reporting.pages.phase import shelf
    from theorytools.reporting.phase_picture import keys

    hrefs = {made.entry.id: made.entry.href for leaf in site.leaves for made in site.fragments[leaf.path]}
    shelves = [shelf(one, hrefs) for one in site.run.get("phase") or ()]
    for one in shelves:
        one["panels"] = [Markup(panel) for panel in one["panels"]]
    return fill("phase", shelves=shelves, keys=Markup(keys()))


def _open(site: Contents) -> str:
    return fill("open", questions=_questions(site), lines=_gaps(site), undecided=_undecided(site))


def _gaps(site: Contents) -> list[tuple[Any, ...]]:
    """The statements of which something is missing: paper, label, page, title and what it is."""
    return [
        (leaf.paper.get("title") or leaf.paper.get("key", ""), label_of(leaf), leaf.path if leaf.shown else "",
         site.text(str(leaf.statement.get("title") or "")), site.text(gap_of(leaf)))
        for leaf in site.leaves if gap_of(leaf)
    ]  # fmt: skip


def _undecided(site: Contents) -> list[tuple[Any, str]]:
    """The claims that came out undecided, each with its label."""
    return [
        (made.entry, str(verdict.get("label") or made.entry.id))
        for leaf in site.leaves
        for verdict, made in zip(leaf.verdicts, site.fragments[leaf.path], strict=True)
        if made.entry.outcome == "UNDECIDED"
    ]


def _questions(site: Contents) -> list[dict[str, Any]]:
    """What the papers leave open, each with what is known, by which statements' claims, and what is not."""
    leaves = {(leaf.paper.get("key"), leaf.statement.get("id")): leaf for leaf in site.leaves}
    told = []
    for paper in site.papers:
        for one in paper.get("questions") or ():
            asked, *by = (leaves.get((paper.get("key"), id)) for id in (one["asks"], *one["by"]))
            if asked is not None:
                told.append({
                    "paper": paper.get("title") or paper.get("key", ""), "label": label_of(asked),
                    "title": site.text(str(asked.statement.get("title") or "")), "known": site.text(one["known"]),
                    "left": site.text(one["left"]), "by": [_counted(site, leaf) for leaf in by if leaf is not None],
                })  # fmt: skip
    return told


def _counted(site: Contents, leaf: Leaf) -> tuple[str, str, str]:
    """The label of a statement, its page, and how many of its claims ended how."""
    outcomes = Counter(made.entry.outcome for made in site.fragments[leaf.path])
    said = ", ".join(f"{outcomes[one]} {one}" for one in sorted(outcomes)) or "no verdict in this run"
    return label_of(leaf), leaf.path if leaf.shown else "", said


def _changes(site: Contents) -> str:
    """What is said otherwise than in the committed record: new and dropped claims, other outcomes and evidence."""
    before: Mapping[str, Mapping[str, Any]] = site.run.get("before") or {}
    now = {str(verdict["id"]): verdict for verdict in _grid(site)}
    of = {made.entry.id: made.entry for leaf in site.leaves for made in site.fragments[leaf.path]}
    keys = {id.partition(".")[0] for id in now}
    changed = []
    for id in now.keys() & before.keys():
        old, new = (
            [str(v.get(k) or "–").lower() for k in ("outcome", "evidence", "role")] for v in (before[id], now[id])
        )
        if old != new:
            changed.append((of.get(id), id, ", ".join(old), ", ".join(new)))
    return fill(
        "changes",
        known=bool(before),
        changed=sorted(changed, key=lambda line: line[1]),
        new=[(of.get(id), id) for id in now if id not in before] if before else [],
        gone=sorted(id for id in before if id not in now and id.partition(".")[0] in keys),
        same=len(now.keys() & before.keys()) - len(changed),
    )


def _claims(site: Contents) -> str:
    shelves = []
    for key, own in site.by_paper.items():
        rows = []
        for leaf in own:
            entries, gap = [made.entry for made in site.fragments[leaf.path]], site.text(gap_of(leaf))
            rows.append({
                "label": label_of(leaf), "title": site.text(str(leaf.statement.get("title") or "")),
                "standing": standing_of(leaf), "gap": gap, "href": leaf.path if leaf.shown else "",
                "earlier": leaf.path if leaf.path in site.kept and not leaf.shown else "",
                "entries": [(entry, sees(entry.horizon)) for entry in entries],
            })  # fmt: skip
        paper = own[0].paper
        shelves.append({"key": key, "title": paper.get("title") or key, "source": source_of(paper), "statements": rows})
    return fill("claims", shelves=shelves)


def sees(horizon: str) -> str:
    """Return how near a wrong statement may lie that a claim would have rejected, for a filter: by its constant.

    Examples
    --------
    >>> sees("constant <0.01 %, log N"), sees("constant 42 %"), sees("constant ×7.9, N^±5.9"), sees("no power")
    ('a constant off by 1 %', 'a constant off by 100 %', 'a constant off by more', 'nothing')
    """
    if found := re.match(r"constant <?([\d.]+) %", horizon):
        off = float(found[1])
        return f"a constant off by {1 if off <= 1 else 10 if off <= 10 else 100} %"
    if horizon.startswith("constant ×"):
        return "a constant off by more"
    return {"no power": "nothing", "–": "not said", "": "not said"}.get(horizon, "another value")
