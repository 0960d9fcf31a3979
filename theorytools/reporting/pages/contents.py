"""What a site shows: statements with their verdicts, lights, findings and edges, each text made once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from markupsafe import Markup

from theorytools.meaning import PREDICTED, TRAINED, sayer_text, standing
from theorytools.reporting import words
from theorytools.reporting.cache import Cache
from theorytools.reporting.claim import Verdict
from theorytools.reporting.claim_text import owner_of, text_of_claim
from theorytools.reporting.fragments import Fragment, fragments
from theorytools.reporting.leaves import Leaf, leaves
from theorytools.reporting.mathml import with_math
from theorytools.reporting.proof_map import Node, ancestors
from theorytools.reporting.reach import Reach, beyond, factors, reach
from theorytools.reporting.scores import Light, lights, state

Papers = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Finding:
    """A sentence about a paper that a claim keeps, with the claim's outcome, and who says what its file refutes."""

    said: Markup
    href: str
    outcome: str
    expected: bool
    claim: str
    refutes: tuple[Markup, ...] = ()


@dataclass
class Contents:
    """Everything that the pages of one report show.

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
    def fragments(self) -> dict[str, list[Fragment]]:
        """What is shown of each verdict, by the path of its page."""
        jobs = [
            (_said_by(_explained(said, told, leaf), leaf.paper), leaf.path, verdict is not leaf.main, told)
            for leaf in self.leaves
            for verdict, (said, told) in zip(leaf.verdicts, _said(leaf), strict=True)
        ]
        made = iter(fragments(jobs, self.cache, processes=self.processes))
        return {leaf.path: [next(made) for _ in leaf.verdicts] for leaf in self.leaves}

    @cached_property
    def _texts(self) -> dict[str, Markup]:
        """Titles, gaps, findings and tours with their formulas, all made at once."""
        texts = {text for leaf in self.leaves for text in (str(leaf.statement.get("title") or ""), gap_of(leaf))}
        texts |= {str(part.get("text") or "") for paper in self.papers for part in paper.get("parts") or ()}
        questions = [one for paper in self.papers for one in paper.get("questions") or ()]
        texts |= {one[key] for one in questions for key in ("known", "left")}
        texts |= {str(one["text"]) for paper in self.papers for one in paper.get("findings") or ()}
        texts |= {sayer_text(one) for paper in self.papers for one in (paper.get("sayers") or {}).values()}
        texts |= {str((leaf.statement.get("printed") or {}).get("found") or "") for leaf in self.leaves}
        texts |= {light.said for leaf in self.leaves for light in self._lights[leaf.path] if "$" in light.said}
        told = sorted(texts)
        shown = self.cache.made("texts", told, lambda: [with_math(text) for text in told])
        return {text: Markup(html) for text, html in zip(told, shown, strict=True)}

    def text(self, plain: str) -> Markup:
        """Return a text of the papers with its formulas."""
        return self._texts.get(plain, Markup.escape(plain))

    @cached_property
    def _lights(self) -> dict[str, list[Light]]:
        return {leaf.path: lights(leaf.verdicts, gap_of(leaf), cells_of(leaf)) for leaf in self.leaves}

    def lights(self, leaf: Leaf) -> list[tuple[Light, Markup]]:
        """Return the lights of a statement, each with its words."""
        return [(light, self.text(light.said)) for light in self._lights[leaf.path]]

    @cached_property
    def by_paper(self) -> dict[str, list[Leaf]]:
        """The statements of each paper, by the folder of their pages."""
        found: dict[str, list[Leaf]] = {}
        for leaf in self.leaves:
            found.setdefault(leaf.path.split("/")[0], []).append(leaf)
        return found

    @cached_property
    def _reach(self) -> dict[str, dict[str, Reach]]:
        return {
            folder: {str(leaf.statement.get("id")): reach(leaf.verdicts) for leaf in own}
            for folder, own in self.by_paper.items()
        }

    @cached_property
    def edges(self) -> dict[str, list[Mapping[str, Any]]]:
        """The edges of each paper's map."""
        return {folder: self._edges(own[0].paper) for folder, own in self.by_paper.items()}

    @cached_property
    def nodes(self) -> dict[str, list[Node]]:
        """The nodes of each paper's map, as its pages show them."""
        return {folder: self._nodes(folder, own) for folder, own in self.by_paper.items()}

    def beyond(self, folder: str, used: str, user: str) -> str:
        """Return where one statement of a paper was judged at sizes at which another, that it rests on, was not."""
        return beyond(self._reach[folder][used], self._reach[folder][user])

    def _edges(self, paper: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        lost: dict[tuple[str, str], str] = {}
        for one in paper.get("statements") or ():
            if one.get("account"):
                lost |= {(used, one["id"]): said for used, said in factors(one["account"], self.verdicts).items()}
        return [{**edge, "factor": lost.get((edge["used"], edge["user"]), "")} for edge in paper.get("edges") or ()]

    def _nodes(self, folder: str, own: Sequence[Leaf]) -> list[Node]:
        states = {str(leaf.statement.get("id")): state(leaf.verdicts) for leaf in own}
        labels = {str(leaf.statement.get("id")): label_of(leaf) for leaf in own}
        found = []
        for leaf in own:
            id = str(leaf.statement.get("id"))
            inside = ancestors(id, self.edges[folder])
            below = [used for used in labels if used in inside]
            loose = [labels[used] for used in below if states[used] != "good"]
            short = [f"{labels[used]}: {said}" for used in below if (said := self.beyond(folder, used, id))]
            notes = [f"in doubt or open below it: {', '.join(loose)}"] if loose else []
            notes += [f"judged at other sizes: {'; '.join(short)}"] if short else []
            found.append(
                Node(id, label_of(leaf).replace("Question ", "").replace("Proposition", "Prop."),
                     f"../{leaf.path}" if leaf.shown else "", states[id], not loose, not short, ". ".join(notes))
            )  # fmt: skip
        return found

    def curves(self, paper: Mapping[str, Any], names: set[str]) -> list[dict[str, Any]]:
        """Return the runs of these names beside published curves, drawn; those of the published code go first."""
        found = []
        for one in paper.get("sweeps") or ():
            if f"{one['sweep']}.{one['protocol']}" in names:
                made = self.cache.made("curves", one, partial(_curves, one))
                if made:
                    found.append({**made, "svg": Markup(made["svg"])})
        return sorted(found, key=lambda made: made["protocol"] != "released")

    @cached_property
    def _places(self) -> dict[str, tuple[Leaf, Fragment]]:
        return {
            made.entry.id: (leaf, made) for leaf in self.leaves for made in self.fragments[leaf.path]
        }  # fmt: skip

    def findings(self, paper: Mapping[str, Any], root: str = "") -> list[Finding]:
        """Return what a colleague would repeat of a paper: the findings of its claims, with their outcomes."""
        found = []
        for one in paper.get("findings") or ():
            _, made = self._places.get(str(one["claim"]), (None, None))
            href = f"{root}{made.entry.href}" if made and made.entry.href else ""
            outcome = made.entry.outcome if made else ""
            expected = made.entry.expected if made else True
            said = tuple(self.text(sayer_text(paper["sayers"][id])) for id in one.get("refutes") or ())
            found.append(Finding(self.text(str(one["text"])), href, outcome, expected, str(one["claim"]), said))
        return found

    def place(self, claim: str) -> str:
        """Return where a claim stands, by page and anchor; empty where no page shows it."""
        found = self._places.get(claim)
        return found[1].entry.href if found else ""


def _curves(one: Mapping[str, Any]) -> dict[str, Any]:
    from theorytools.reporting.runs import curves

    return curves(one) or {}


def _said(leaf: Leaf) -> list[tuple[Verdict, str]]:
    """The verdicts of a statement, each with its own text, and with the claim on the page that has that of their file.

    At the points of a user a claim says no text again.
    """
    ids = [*(leaf.statement.get("claims") or ()), *(str(verdict["id"]) for verdict in leaf.verdicts)]
    whole = {str(v["id"]): v for v in leaf.verdicts if not v.get("compact") and not v.get("user_points")}
    made: list[tuple[Verdict, str]] = []
    for verdict in leaf.verdicts:
        id = str(verdict["id"])
        owner = owner_of(id, ids)
        if verdict.get("compact") or (owner == id and whole.get(id, verdict) is verdict):
            titled = (
                verdict
                if verdict is leaf.main or verdict.get("compact")
                else {**verdict, "title": verdict.get("label")}
            )
            made.append((titled, ""))
        else:
            named = {"text": {}} if owner == id else _named(verdict, whole.get(owner, verdict), verdict is leaf.main)
            made.append(({**verdict, **named}, owner if owner in whole else ""))
    return made


def _named(verdict: Verdict, about: Verdict, main: bool) -> dict[str, Any]:
    """The text of a claim that the text of its file is not about, and what stands above it in place of a title."""
    text = text_of_claim(verdict, about)
    said = ("" if main else str(verdict.get("label") or ""), text["summary"])  # the main one has its label above it
    return {"text": text, "title": ": ".join(filter(None, said))}


def _explained(verdict: Verdict, told: str, leaf: Leaf) -> Verdict:
    """The verdict with the letters that the claim of its file's text has explained."""
    before = next((v for v in leaf.verdicts if told and words.anchor(v) == told), None)
    return {**verdict, "explained": before.get("letters") or ()} if before else verdict


def _said_by(verdict: Verdict, paper: Mapping[str, Any]) -> Verdict:
    """The verdict of a claim that refutes something, or warns of it, with who says what is refuted."""
    if verdict.get("role") in TRAINED and verdict.get("outcome") == "REFUTED":
        return {**verdict, "said_by": PREDICTED}
    known = (paper.get("sayers") or {}).get(str(verdict["id"]))
    refuting = verdict.get("role") == "pitfall" or verdict.get("outcome") == "REFUTED"
    return {**verdict, "said_by": sayer_text(known)} if known or refuting else verdict


def label_of(leaf: Leaf) -> str:
    """Return the label of a statement."""
    return str(leaf.statement.get("label") or leaf.statement.get("id", ""))


def source_of(paper: Mapping[str, Any]) -> str:
    """Return authors, arXiv number and venue of a paper."""
    arxiv = f"arXiv {paper['arxiv']}v{paper.get('version', 1)}" if paper.get("arxiv") else ""
    return ", ".join(filter(None, [paper.get("authors"), arxiv, paper.get("venue")]))


def gap_of(leaf: Leaf) -> str:
    """Return what is missing of a statement, empty where nothing is."""
    gaps = [f"Open: {leaf.statement['open']}"] if leaf.statement.get("open") else []
    gaps += [f"Not the statement itself: {leaf.statement['lacks']}"] if leaf.statement.get("lacks") else []
    gaps += ["no verdict in this run: " + ", ".join(leaf.missing)] if leaf.missing else []
    return "; ".join(gaps) or ("" if leaf.verdicts else "no claim and no reason given")


def cells_of(leaf: Leaf) -> list[Mapping[str, Any]]:
    """Return what is recorded of the hypotheses of a statement's claims."""
    known = leaf.paper.get("necessity") or {}
    return [cell for id in leaf.statement.get("claims") or () for cell in known.get(id) or ()]


def standing_of(leaf: Leaf) -> str:
    """Return how what is judged stands to what is printed; empty for claims outside all statements."""
    return standing(leaf.statement) if leaf.statement.get("ours") or leaf.statement.get("printed") else ""
