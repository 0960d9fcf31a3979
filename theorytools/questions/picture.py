"""The figure of a verdict as a picture that stands alone: the report's drawing, with its own ground and words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError, FolderError
from theorytools.reporting.canvas import alone, element, text
from theorytools.reporting.plots import HEIGHT, WIDTH, figure
from theorytools.reporting.series import chart

ABOVE, BELOW, LINE = 38, 22, 16  # units over the drawing and under it, and of a line of words
LETTER = 6.2  # width of a letter, on average
LONGEST = 62  # letters of a line
STYLE = (
    ".figure{--page:#fdfdfb;--ink:#1c1e21;--quiet:#5b626b;--rule:#d8dadd;--bound:#1d5c9e;--control:#ad4f0c}"
    "@media(prefers-color-scheme:dark){.figure{--page:#16181b;--ink:#e4e3df;--quiet:#a2a8b0;--rule:#3a3f45;"
    "--bound:#7fb2e8;--control:#e79a5c}}"
    ".figure text{fill:var(--ink);font:12px sans-serif}.figure .ground{fill:var(--page)}"
    ".figure text.control{fill:var(--control);stroke:none}.figure text.bound{fill:var(--bound);stroke:none}"
    ".plot text{fill:var(--quiet);font:11px sans-serif}.plot .grid{stroke:var(--rule);stroke-width:.6}"
    ".plot .axis{stroke:var(--quiet);stroke-width:.8}.plot .bound{stroke:var(--bound);stroke-width:1.4;fill:none}"
    ".plot .band{fill:var(--bound);opacity:.18}.plot .range{stroke:var(--bound);stroke-width:9;opacity:.25}"
    ".plot .measured{stroke:var(--ink);fill:var(--ink);stroke-width:1.3}"
    ".plot .dots{stroke-width:6.3;stroke-linecap:round}"
    ".plot .control{stroke:var(--control);fill:none;stroke-width:1.5}"
)
SIGNS = {"<=": "bound from above", "<": "bound from above", ">=": "bound from below", ">": "bound from below",
         "==": "predicted", "!=": "what it differs from"}  # fmt: skip


@checked
class Picture:
    """A picture that a notebook shows; elsewhere its text says how to write it to a file.

    Parameters
    ----------
    svg : the whole file.
    title : what it shows, in words.

    Examples
    --------
    >>> from theorytools import verify
    >>> picture = verify("qstr.lemma_11", N=[8, 16], q=1).plot()
    >>> picture.svg[:4], picture
    ('<svg', qstr.lemma_11: a picture as SVG; .save("file.svg") writes it)
    """

    def __init__(self, svg: str, title: str) -> None:
        self.svg, self.title = svg, title

    def save(self, path: str | Path) -> Path:
        """Write the picture as a file.

        Parameters
        ----------
        path : of a file that ends in ``.svg``.

        Returns
        -------
        Path : where it lies.

        Raises
        ------
        DomainError : another ending.
        FolderError : the folder is not there, or nothing can be written to it.
        """
        path = Path(path)
        if path.suffix != ".svg":
            raise DomainError(
                f"a picture as {path.name}", required="a file that ends in .svg", why="it is drawn as SVG",
                advice="theorytools figure ID --format pdf draws the same numbers for a paper, with matplotlib",
            )  # fmt: skip
        try:
            path.write_text(self.svg, encoding="utf-8")
        except OSError as error:
            raise FolderError(
                f"the file {path}", required="a folder that is there and can be written to",
                why=str(error.strerror or error), advice=f"mkdir -p {path.parent}",
            ) from None  # fmt: skip
        return path

    def _repr_svg_(self) -> str:
        """The picture for a notebook."""
        return self.svg

    def __repr__(self) -> str:
        """What it is, where no picture can be shown."""
        return f'{self.title}: a picture as SVG; .save("file.svg") writes it'


def picture_of(verdict: Mapping[str, Any], letter: str = "") -> Picture:
    """Return the figure of a stored verdict.

    Parameters
    ----------
    verdict : as JSON data.
    letter : what runs along the axis; the one that the report takes unless given.

    Raises
    ------
    DomainError : no letter varies, or the one asked for does not.
    """
    shown = chart(verdict)
    if shown is not None and letter not in ("", shown.axis):
        verdict = _along(verdict, letter)
        shown = chart(verdict)
    drawn = figure(verdict)
    if shown is None or drawn is None or letter not in ("", shown.axis):
        raise DomainError(
            f"a picture along {letter!r}" if letter else f"a picture of {verdict['id']} at one point",
            required="a letter with several numbers among the points", why="one point has no curve",
            advice=f'verify("{verdict["id"]}", {letter or "N"}=[8, 16]); verdict.to_frame() is the table',
        )  # fmt: skip
    named = (a for a in verdict.get("assertions") or () if a.get("name") == shown.assertion)
    entry: Mapping[str, Any] = next(named, {})
    keys = [("", f"• measured: {entry.get('quantity', shown.assertion)}"),
            ("bound", f"— {SIGNS.get(shown.relation, 'bound')}")]  # fmt: skip
    keys += [("control", f"{sign} control: {name}") for sign, (name, _) in zip("×+", shown.controls, strict=False)]
    height = ABOVE + HEIGHT + BELOW + LINE * len(keys) + 8
    body = [element("rect", class_="ground", width="100%", height="100%")]
    body += [text(12, 20, f"{verdict['id']}: {verdict['outcome']}")]
    body += [str(drawn.svg).replace("<svg ", f'<svg x="0" y="{ABOVE - 8}" width="{WIDTH}" height="{HEIGHT}" ', 1)]
    body += [text(WIDTH - 8, ABOVE + HEIGHT + 6, shown.axis, anchor="right")]
    top = ABOVE + HEIGHT + BELOW
    body += [text(12, top + LINE * k, _short(said), name=name) for k, (name, said) in enumerate(keys)]
    svg = alone((WIDTH, height), f"{verdict['id']} against {shown.axis}", *body, style=STYLE, name="figure")
    return Picture(svg, str(verdict["id"]))


def _short(said: str) -> str:
    return said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"


def _along(verdict: Mapping[str, Any], letter: str) -> Mapping[str, Any]:
    """The verdict with the rows of one setting, all other letters fixed: the setting with the most values of one."""
    own = [row for row in verdict["rows"] if letter in row["point"]]
    settings: dict[tuple[Any, ...], list[Any]] = {}
    for row in own:
        settings.setdefault(_others(row, letter), []).append(row)
    most = max(settings.values(), key=lambda rows: len({row["point"][letter] for row in rows}), default=[])
    return {**verdict, "rows": most}


def _others(row: Mapping[str, Any], letter: str) -> tuple[Any, ...]:
    return tuple(item for item in row["point"].items() if item[0] != letter)
