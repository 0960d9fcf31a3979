"""The page of disputed statements: what is said, by whom, what happens, the first input that shows it, what it took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from theorytools.meaning import GRIDS, READ_AS
from theorytools.reporting.finds import (
    because,
    counts_text,
    happens,
    holding,
    in_doubles,
    repair_text,
    shown_input,
    tried,
)
from theorytools.reporting.mathml import with_math
from theorytools.reporting.pages.contents import Contents
from theorytools.reporting.rendering import fill

PAGE = "finds.html"
TITLE, SAID = "What it finds", "disputed statements of others, and how each is found to fail"
_WORDS = ("statement", "by", "finding", "reason")


def sentences(site: Contents) -> list[Markup]:
    """Return the counts of each project with disputes, in a sentence each, for the front page."""
    return [with_math(counts_text(told)) for told in site.run.get("finds") or ()]


def body(site: Contents) -> str:
    """Return the body of the page."""
    told = site.run.get("finds") or ()
    shown = _texts(site)
    return fill(
        PAGE.removesuffix(".html"), title=TITLE, read_as=READ_AS, grids=GRIDS,
        shelves=[_shelf(site, one, shown) for one in told],
    )  # fmt: skip


def _texts(site: Contents) -> Mapping[str, Markup]:
    """All texts with their formulas, made at once."""
    lines = [one for told in site.run["finds"] for one in (*told["rows"], *told["unsaid"])]
    plain = sorted({str(one[key]) for one in lines for key in _WORDS if key in one})
    made = site.cache.made("finds", plain, lambda: [with_math(text) for text in plain])
    return {text: Markup(html) for text, html in zip(plain, made, strict=True)}


def _shelf(site: Contents, told: Mapping[str, Any], shown: Mapping[str, Markup]) -> dict[str, Any]:
    made = told["made"]
    return {
        "counts": with_math(counts_text(told)), "commit": str(made.get("commit", ""))[:12], "made": made,
        "seconds": f"{told['seconds']:g}",
        "rows": [_row(site, row, shown) for row in told["rows"]],
        "before": sum(row["grid"] == "before" for row in told["rows"]), "total": len(told["rows"]),
        "doubles": [(shown[row["statement"]], *pair) for row in told["rows"] for pair in in_doubles(row)],
        "unsaid": [{**one, **{key: shown[one[key]] for key in _WORDS if key in one},
                    "end": "" if one["reason"].endswith(".") else "."} for one in told["unsaid"]],
    }  # fmt: skip


def _row(site: Contents, row: Mapping[str, Any], shown: Mapping[str, Markup]) -> dict[str, Any]:
    recorded = row["state"] != "missing"
    twins = row["repaired"] if recorded else [{"claim": id} for id in row["twins"]]
    return {
        **row, **{key: shown[row[key]] for key in _WORDS if key in row}, "recorded": recorded,
        "href": site.place(row["claim"]), "happens": with_math(happens(row)), "input": shown_input(row),
        "because": because(row), "tried": with_math(tried(row)),
        "evidence": str(row.get("evidence", "")).lower(), "from": repair_text(row),
        "fails": bool(not row["state"] and row["way"] != "none"),
        "repairs": [(one["claim"], site.place(one["claim"]), holding(one) if recorded else "",
                     not recorded or one["outcome"] == "HOLDS") for one in twins],
    }  # fmt: skip
