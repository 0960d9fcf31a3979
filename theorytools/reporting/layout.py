"""Which claim stands on which page: a page for each statement of each paper, one for the claims of no statement.

Templates filled in, and pages that need the style sheet beside them, which holds the font, and nothing else.

Verdicts as plain text: for a failing test, and for a pipe.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from theorytools.meaning import held
from theorytools.reporting import numbers as words
from theorytools.reporting.claim import Verdict
from theorytools.reporting.mathfont import FAMILY, font_face

if TYPE_CHECKING:
    from jinja2 import Environment


REST = "other"
STYLE, SEARCH = "style.css", "search.js"


@dataclass(frozen=True)
class Leaf:
    """One statement with its verdicts, at ``path`` below the folder; ``missing`` are claims without a verdict."""

    path: str
    paper: Mapping[str, Any]
    statement: Mapping[str, Any]
    verdicts: tuple[Verdict, ...]
    missing: tuple[str, ...]

    @property
    def main(self) -> Verdict | None:
        """The verdict that its page begins with: the first that is the statement itself, else the first of all."""
        whole = [v for v in self.verdicts if not v.get("compact") and not v.get("user_points")]
        whole = whole or [v for v in self.verdicts if not v.get("compact")]
        return next((v for v in whole if v.get("role") == "statement"), whole[0] if whole else None)

    @property
    def shown(self) -> bool:
        """Whether it has a page: some verdict is more than a line of the committed record."""
        return any(not verdict.get("compact") for verdict in self.verdicts)


def leaves(verdicts: Sequence[Verdict], papers: Sequence[Mapping[str, Any]]) -> list[Leaf]:
    """Return every statement of every paper in order; after those of a paper its claims outside them."""
    left: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        left.setdefault(verdict["id"], []).append(verdict)
    found: list[Leaf] = []
    for paper in papers:
        for statement in paper.get("statements") or ():
            claims = statement.get("claims") or ()
            missing = tuple(name for name in claims if name not in left)
            own = tuple(verdict for name in claims for verdict in left.pop(name, ()))
            found.append(Leaf(_path(paper["key"], statement.get("id") or REST, found), paper, statement, own, missing))
        found += _rest(str(paper.get("key")), left, paper, found)
    while left:
        first = next(iter(left.values()))[0]
        title = (first.get("source") or {}).get("paper_title") or _key(first)
        found += _rest(_key(first), left, {"key": _key(first), "title": title}, found)
    return found


def _rest(key: str, left: dict[str, list[Verdict]], paper: Mapping[str, Any], found: list[Leaf]) -> list[Leaf]:
    """Take what is left of a paper, if anything is, on a page of its own."""
    names = [name for name, group in left.items() if _key(group[0]) == key]
    own = tuple(verdict for name in names for verdict in left.pop(name))
    title = {"id": REST, "label": "Claims outside the statements listed", "title": ""}
    return [Leaf(_path(key, REST, found), paper, title, own, ())] if own else []


def _key(verdict: Verdict) -> str:
    return str((verdict.get("source") or {}).get("paper") or verdict["id"].partition(".")[0])


def _path(key: str, name: str, found: Sequence[Leaf]) -> str:
    """A file name that every system takes; another one where two statements would share it."""
    path, taken = f"{_plain(key)}/{_plain(name)}", {leaf.path.lower() for leaf in found} | {f"{_plain(key)}/index.html"}
    while f"{path}.html".lower() in taken:
        path += "_"
    return f"{path}.html"


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", str(name)).lstrip(".") or REST


TEMPLATES = Path(__file__).parent / "templates"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from theorytools.reporting.compiled import Compiled

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        bytecode_cache=Compiled(),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def fill(template: str, **values: Any) -> str:
    """Return the HTML of a template; all text in ``values`` is escaped that is not markup already."""
    return re.sub(r"\n\s*", "\n", _environment().get_template(f"{template}.html.j2").render(**values)).strip()


@lru_cache(maxsize=1)
def style() -> str:
    """Return the style sheet of all pages, the mathematical font inside."""
    text = (TEMPLATES / STYLE).read_text(encoding="utf-8").replace("MATH-FAMILY", FAMILY)
    return font_face() + re.sub(r"\n\s*", "\n", text)


def whole_page(title: str, body: str, path: str) -> str:
    """Return a page that stands at ``path`` below the folder of style sheet and search."""
    root = "../" * path.count("/")
    page = _environment().get_template("page.html.j2")
    return page.render(title=title, root=root, style=STYLE, search=SEARCH, body=Markup(body))


UNCOMMITTED = ", made from uncommitted code"


def number(estimate: Mapping[str, Any]) -> str:
    """Return an interval in at most six significant digits."""
    low, high = estimate["show"]
    if low is not None and high is not None:
        short, other = f"{low:.6g}", f"{high:.6g}"
        return short if short == other else f"[{short}, {other}]"
    return f"[{'-inf' if low is None else f'{low:.6g}'}, {'inf' if high is None else f'{high:.6g}'}]"


def bound_text(row: Mapping[str, Any]) -> str:
    """Return the right side of a row: one interval, or the two edges of an equality."""
    return " … ".join(dict.fromkeys(number(b) for b in row["bound"]))


def point_text(point: Mapping[str, str]) -> str:
    """Return a point as ``N=64, d_e=67``."""
    return ", ".join(f"{name}={value}" for name, value in point.items())


def row_cells(row: Mapping[str, Any]) -> list[str]:
    """Return the cells of one row: point, what, measured, relation, bound, truth, evidence."""
    measured = row["measured"]
    alone = held(row["evidence"], measured.get("alpha", 0.0), measured.get("work") or {})
    truth = {True: alone, False: "REFUTED", None: "open"}[row["truth"]]
    truth = words.NO_PREMISE if words.idle(row) else truth
    marks = [word for word, on in (("tied", row.get("tied")), ("vacuous", row.get("vacuous"))) if on]
    return [
        point_text(row["point"]), row["quantity"], number(row["measured"]), row["relation"], bound_text(row),
        " ".join([truth, *marks]), row["evidence"].lower(),
    ]  # fmt: skip


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as aligned columns."""
    if not rows:
        return ""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def verdict_text(verdict: Mapping[str, Any]) -> str:
    """Return outcome, reason, the table of rows and the controls of one verdict."""
    head = f"{verdict['id']} ({verdict['label']}): {verdict['outcome']}, expected {verdict['expect']}"
    head += " on its grid" if verdict.get("user_points") else ""
    header = ["point", "quantity", "measured", "", "bound", "", "evidence"]
    honest = [row_cells(row) for row in verdict["rows"] if not row["control"]]
    lines = [head, words.verdict_line(verdict), verdict["reason"]]
    if verdict.get("role"):
        lines += [f"role: {verdict['role']}; scope: {words.scope(verdict)}", f"source: {words.provenance(verdict)}"]
    lines.append("")
    if honest:
        lines += [table([header, *honest]), ""]
    for skipped in verdict["skipped"]:
        state = "not judged" if skipped["open"] else "not applicable"
        lines.append(f"{state} at {point_text(skipped['point'])}: {skipped['reason']}")
    for control in verdict["controls"]:
        lines.append(f"control '{control['name']}': {words.control(control)}")
    lines += [f"trend: {told}" for told in words.trends(verdict)]
    lines += [f"remark: {remark}" for remark in words.remarks(verdict)]
    if confirmed := words.confirmed(verdict):
        lines.append(f"not judged in this run: confirmed from the committed record of {confirmed}")
    made, dirty = words.record(verdict)
    if made:
        lines.append(f"judged from a record of {made}{UNCOMMITTED if dirty else ''}")
    for name, made, dirty in words.trained(verdict):
        lines.append(f"trained models: the record {name} of {made}{UNCOMMITTED if dirty else ''}")
    if verdict.get("uses"):
        lines.append(f"uses: {', '.join(verdict['uses'])}")
    if verdict.get("command"):
        lines.append(f"reproduce: {verdict['command']}")
    return "\n".join(lines)
