"""The badge of a report: how many claims come out as expected, as a small picture that any page can show."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import escape

from theorytools.reporting.claim import Verdict

PATH = "badge.svg"
LABEL = "theorems"
GOOD, OPEN, BAD = "#1c6b3c", "#875300", "#a4262c"  # the colours of style.css on white letters
_LETTER, _MARGIN = 6.6, 10  # widths at eleven pixels; the letters are fitted to them where a font has others


def badge(verdicts: Sequence[Verdict], missing: int = 0) -> str:
    """Return the badge of verdicts as SVG; red where one is not as expected, amber where it is only open.

    Parameters
    ----------
    verdicts : those of a report; of a claim at a user's points none counts.
    missing : how many claims more there are, of which the report has no verdict.
    """
    grid = [verdict for verdict in verdicts if not verdict.get("user_points")]
    wrong = [str(verdict.get("outcome")) for verdict in grid if not verdict.get("as_expected")]
    total = len(grid) + missing
    said = f"{len(grid) - len(wrong)} of {total} as expected" if grid else "none judged"
    colour = BAD if set(wrong) - {"UNDECIDED"} else OPEN if wrong or missing or not grid else GOOD
    left, right = (round(_LETTER * len(text)) + _MARGIN for text in (LABEL, said))
    parts = ((LABEL, 0, left, "#444"), (said, left, right, colour))
    boxes = "".join(f'<rect x="{x}" width="{wide}" height="20" fill="{fill}"/>' for _, x, wide, fill in parts)
    words = "".join(
        f'<text x="{x + wide / 2:g}" y="14" textLength="{wide - _MARGIN}">{escape(text)}</text>'
        for text, x, wide, _ in parts
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{LABEL}: {escape(said)}"><title>{LABEL}: {escape(said)}</title>{boxes}'
        f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{words}</g>'
        "</svg>\n"
    )
