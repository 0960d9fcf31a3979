"""The site: verdicts, papers and run facts as an index and a page for each statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from markupsafe import Markup

from theorytools.arguments.checked import checked
from theorytools.reporting import numbers as words
from theorytools.reporting.cache import Cache
from theorytools.reporting.claim import Verdict
from theorytools.reporting.fragments import Fragment, fragments
from theorytools.reporting.layout import Leaf, fill, leaves, whole_page
from theorytools.reporting.mathml import with_math
from theorytools.reporting.overview import Entry, counts
from theorytools.reporting.tables import distribution

INDEX = "index.html"
Papers = Sequence[Mapping[str, Any]]


# what does not hold, by role: anchor, heading, and what such claims are
FAILING = {
    "pitfall": ("pitfalls", "Pitfalls", "Readings that a careful reader could hold and that fail, each with a point."),
    "prediction": (
        "predictions-that-failed", "Predictions that came out otherwise",
        "What was predicted of training before the runs, and what the runs say.",
    ),
    "": ("statements-that-fail", "Statements that fail", "As they are read here; each with a form that holds."),
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One statement in the index; ``gap`` says why it has no verdict, ``earlier`` leads to a page that was kept."""

    label: str
    title: Markup
    provenance: str
    gap: Markup
    href: str
    earlier: str
    entries: tuple[Entry, ...]

    @property
    def height(self) -> int:
        """How many lines of the index it takes."""
        return len(self.entries) + bool(self.gap)


@dataclass(frozen=True)
class Stop:
    """A statement that a tour or a neighbouring page leads to."""

    path: str
    label: str
    href: str


@dataclass
class Site:
    """All pages of one report.

    Parameters
    ----------
    verdicts, papers, run
        as :func:`~theorytools.reporting.folder.write_report` has them.
    cache
        where sections are kept.
    processes
        how many processes draw new sections.
    kept
        pages of an earlier run that stay.
    """

    verdicts: Sequence[Verdict]
    papers: Papers
    run: Mapping[str, Any]
    cache: Cache
    processes: int = 1
    kept: frozenset[str] = field(default=frozenset())

    @cached_property
    def leaves(self) -> list[Leaf]:
        """The statements with their verdicts."""
        return leaves(self.verdicts, self.papers)

    @cached_property
    def _fragments(self) -> dict[str, list[Fragment]]:
        jobs = [(verdict, leaf.path) for leaf in self.leaves for verdict in leaf.verdicts]
        made = iter(fragments(jobs, self.cache, processes=self.processes))
        return {leaf.path: [next(made) for _ in leaf.verdicts] for leaf in self.leaves}

    @cached_property
    def _texts(self) -> dict[str, Markup]:
        """Titles, gaps and tours with their formulas, all made at once."""
        titles = [text for leaf in self.leaves for text in (str(leaf.statement.get("title") or ""), _gap(leaf))]
        tours = [str(part.get("text") or "") for paper in self.papers for part in paper.get("parts") or ()]
        texts = sorted({*titles, *tours})
        shown = self.cache.made("texts", texts, lambda: [with_math(text) for text in texts])
        return {text: Markup(html) for text, html in zip(texts, shown, strict=True)}

    def pages(self) -> dict[str, str]:
        """Return every page by its path, the index last."""
        shown = [leaf for leaf in self.leaves if leaf.shown]
        pages = {}
        for place, leaf in enumerate(shown):
            near = [shown[k] if 0 <= k < len(shown) else None for k in (place - 1, place + 1)]
            pages[leaf.path] = self._statement(leaf, *near)
        return {**pages, INDEX: self._index()}

    def _statement(self, leaf: Leaf, before: Leaf | None, after: Leaf | None) -> str:
        own = self._fragments[leaf.path]
        body = fill(
            "statement",
            paper=leaf.paper.get("title") or leaf.paper.get("key", ""),
            source=_source(leaf.paper),
            label=_label(leaf),
            title=self._texts[str(leaf.statement.get("title") or "")],
            provenance=words.PROVENANCE.get(str(leaf.statement.get("provenance")), ""),
            gap=self._texts[_gap(leaf)],
            entries=[fragment.entry for fragment in own],
            sections=Markup("\n".join(fragment.section for fragment in own if fragment.section)),
            before=before and Stop(before.path, _label(before), ""),
            after=after and Stop(after.path, _label(after), ""),
        )
        return whole_page(f"{_label(leaf)}: {leaf.paper.get('key', '')}", body, self.cache)

    def _index(self) -> str:
        run, alpha = self.run, self.run.get("alpha_spent")
        grid = [verdict for verdict in self.verdicts if not verdict.get("user_points")]
        rows = {leaf.path: self._row(leaf) for leaf in self.leaves}
        body = fill(
            "index",
            shelves=self._shelves(rows),
            counts=counts(grid),
            failing=self._failing(),
            kinds=distribution(grid),
            trained=Markup(self._trained()),
            total=len(grid),
            unexpected=sum(not verdict.get("as_expected") for verdict in grid),
            statements=len(rows),
            covered=sum(bool(row.entries) for row in rows.values()),
            gaps=sum(bool(row.gap) for row in rows.values()),
            recorded=sum(bool(verdict.get("compact")) for verdict in grid),
            evidence=words.EVIDENCE,
            created=run.get("created", ""),
            versions=[f"{name} {value}" for name, value in (run.get("versions") or {}).items()],
            alpha="" if alpha is None else words.small(alpha),
            complete=run.get("complete", True),
            command=run.get("command", ""),
        )
        return whole_page("Verification report", body, self.cache)

    def _failing(self) -> list[tuple[str, str, str, Markup]]:
        """What does not hold, by role: anchor, heading, what such claims are, and their articles."""
        found: dict[str, list[str]] = {}
        for leaf in self.leaves:
            for made in self._fragments[leaf.path]:
                if made.failure:
                    key = made.entry.role if made.entry.role in FAILING else ""
                    found.setdefault(key, []).append(made.failure)
        return [(*said, Markup("\n".join(found[key]))) for key, said in FAILING.items() if key in found]

    def _row(self, leaf: Leaf) -> Row:
        return Row(
            label=_label(leaf),
            title=self._texts[str(leaf.statement.get("title") or "")],
            provenance=words.PROVENANCE.get(str(leaf.statement.get("provenance")), ""),
            gap=self._texts[_gap(leaf)],
            href=leaf.path if leaf.shown else "",
            earlier=leaf.path if leaf.path in self.kept and not leaf.shown else "",
            entries=tuple(fragment.entry for fragment in self._fragments[leaf.path]),
        )

    def _shelves(self, rows: Mapping[str, Row]) -> list[dict[str, Any]]:
        """The papers of the index, each with its rows and its tour."""
        shelves: dict[str, dict[str, Any]] = {}
        for leaf in self.leaves:
            key = str(leaf.paper.get("key"))
            title, source = leaf.paper.get("title") or key, _source(leaf.paper)
            shelf = shelves.setdefault(key, {"title": title, "source": source, "statements": []})
            shelf["statements"].append(rows[leaf.path])
            shelf["tour"] = self._tour(leaf.paper, rows)
        return list(shelves.values())

    def _tour(self, paper: Mapping[str, Any], rows: Mapping[str, Row]) -> list[tuple[str, Markup, list[Stop]]]:
        of = {leaf.statement.get("id"): leaf for leaf in self.leaves if leaf.paper is paper}
        return [
            (
                part["title"],
                self._texts[str(part.get("text") or "")],
                [Stop(of[name].path, _label(of[name]), rows[of[name].path].href) for name in part["statements"]],
            )
            for part in paper.get("parts") or ()
        ]

    def _trained(self) -> str:
        sweeps = [paper["sweeps"] for paper in self.papers if paper.get("sweeps")]
        return str(self.cache.made("trained", sweeps, self._runs)) if sweeps else ""

    def _runs(self) -> str:
        from theorytools.reporting.runs import runs

        return fill("trained", trained=runs(self.papers))


def _label(leaf: Leaf) -> str:
    return str(leaf.statement.get("label") or leaf.statement.get("id", ""))


def _source(paper: Mapping[str, Any]) -> str:
    arxiv = f"arXiv {paper['arxiv']}v{paper.get('version', 1)}" if paper.get("arxiv") else ""
    return ", ".join(filter(None, [paper.get("authors"), arxiv, paper.get("venue")]))


def _gap(leaf: Leaf) -> str:
    gaps = [f"Open: {leaf.statement['open']}"] if leaf.statement.get("open") else []
    gaps += [f"Not the statement itself: {leaf.statement['lacks']}"] if leaf.statement.get("lacks") else []
    gaps += ["no verdict in this run: " + ", ".join(leaf.missing)] if leaf.missing else []
    return "; ".join(gaps) or ("" if leaf.verdicts else "no claim and no reason given")


@checked
def render_pages(verdicts: Sequence[Verdict], papers: Papers, *, run: Mapping[str, Any]) -> dict[str, str]:
    """Return the pages of a report by path, the index last; nothing is read or written.

    Parameters are those of :func:`~theorytools.reporting.folder.write_report`.
    """
    return Site(verdicts, papers, run, Cache(None)).pages()
