"""Tables to copy: all claims, a line each, and the rows of one claim, as Markdown, LaTeX with booktabs, or CSV."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.reporting import numbers, words
from theorytools.reporting.escapes import latex_text, markdown_text
from theorytools.reporting.rows import SIGNS
from theorytools.shown import csv_text, visible

TABLES = ("latex", "markdown", "csv")  # kinds of :func:`row_table`
HEADINGS = (
    "Statement", "Claim", "Role", "Outcome", "Evidence", "Scope", "Sizes", "Would see", "Points", "Controls", "Source",
)  # fmt: skip


def _cells(verdict: Mapping[str, Any], text: Callable[[str], str]) -> list[str]:
    outcome = str(verdict.get("outcome", ""))
    if not verdict.get("as_expected"):
        outcome += f" ({words.expectation(verdict)})"
    elif outcome in ("REFUTED", "WITNESS FAILS"):
        outcome += " (as expected)"
    title = f"{verdict.get('label') or verdict['id']}. {verdict.get('title') or ''}".strip()
    evidence = str(verdict.get("evidence") or "none").lower()
    cells = [
        title, verdict["id"], str(verdict.get("role") or "–"), outcome, evidence, words.scope(verdict),
        words.sizes(verdict), words.would_see(verdict), words.points(verdict), words.controls(verdict),
        words.provenance(verdict),
    ]  # fmt: skip
    return list(map(text, cells))


@checked
def markdown_table(verdicts: Sequence[Mapping[str, Any]]) -> str:
    """Return one line per claim as a Markdown table (the GitHub dialect).

    Parameters
    ----------
    verdicts : stored verdicts, one line each.

    Returns
    -------
    str : Markdown.

    Examples
    --------
    >>> from theorytools import verify
    >>> table = markdown_table([verify("qstr.lemma_11", N=[8], q=1).to_json()])
    >>> len(table.splitlines()), "HOLDS" in table
    (3, True)
    """
    lines = [HEADINGS, ["---"] * len(HEADINGS)]
    lines += [_cells(verdict, markdown_text) for verdict in verdicts]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


@checked
def latex_table(verdicts: Sequence[Mapping[str, Any]]) -> str:
    r"""Return one line per claim as a ``longtable`` with the rules of booktabs.

    The text needs ``\usepackage{booktabs,longtable,amsmath,amssymb}``.

    Parameters
    ----------
    verdicts : stored verdicts, one line each.

    Returns
    -------
    str : LaTeX.

    Examples
    --------
    >>> print(latex_table([]).splitlines()[0])
    % needs \usepackage{booktabs,longtable,amsmath,amssymb}
    """
    head = " & ".join(HEADINGS) + r" \\"
    body = [" & ".join(_cells(verdict, latex_text)) + r" \\" for verdict in verdicts]
    width = r"p{0.3\linewidth}"
    return "\n".join(
        [
            r"% needs \usepackage{booktabs,longtable,amsmath,amssymb}",
            rf"\begin{{longtable}}{{@{{}}{width}lllllllrll@{{}}}}",
            r"\toprule",
            head,
            r"\midrule",
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            *body,
            r"\end{longtable}",
            "",
        ]
    )


def row_table(verdict: Mapping[str, Any], kind: str) -> str:
    r"""Return the rows of a verdict as a table: the letters, measured, bound, slack and whether the row holds.

    Parameters
    ----------
    verdict : a stored verdict.
    kind : ``latex`` (a ``tabular`` that needs booktabs), ``markdown`` or ``csv``.
    """
    rows = [row for row in verdict.get("rows") or () if not row.get("control")]
    names = list(dict.fromkeys(name for row in rows for name in row["point"]))
    latex = {entry["name"]: f"${entry['latex']}$" for entry in verdict.get("letters") or () if entry.get("latex")}
    relations = {a.get("name"): a.get("relation") for a in verdict.get("assertions") or ()}
    heads = [
        *(name if kind == "csv" else latex.get(name, name) for name in names),
        "quantity",
        "measured",
        "bound",
        "slack",
        "row",
    ]
    lines = [
        [*(str(row["point"].get(name, "")) for name in names), row["quantity"], numbers.estimate_text(row["measured"]),
         " ".join([SIGNS.get(str(relations.get(row["assertion"])), ""), numbers.band_text(row["bound"])]).strip(),
         numbers.slack_text(row, relations.get(row["assertion"])), words.TRUTH[row["truth"]]]
        for row in rows
    ]  # fmt: skip
    if kind == "csv":
        return csv_text([heads, *lines])
    if kind == "markdown":
        table = [heads, ["---"] * len(heads), *lines]
        return "".join("| " + " | ".join(map(markdown_text, line)) + " |\n" for line in table)
    body = [" & ".join(map(latex_text, line)) + r" \\" for line in [heads, *lines]]
    columns = "l" * len(heads)
    inner = "\n".join([rf"\begin{{tabular}}{{{columns}}}", r"\toprule", body[0], r"\midrule", *body[1:]])
    command = visible(" ".join(str(verdict["command"]).split()))  # a line end would end the comment
    return f"% needs \\usepackage{{booktabs}}; {command}\n{inner}\n\\bottomrule\n\\end{{tabular}}\n"
