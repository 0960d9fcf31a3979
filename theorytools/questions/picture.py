"""The figure of a verdict as a picture that stands alone: the report's drawing, with its own ground and words."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from theorytools import reporting
from theorytools.arguments.checked import checked
from theorytools.errors import DomainError, FolderError
from theorytools.reporting.canvas import alone, element, text
from theorytools.reporting.plots import Figure, described, entry_of, figure
from theorytools.reporting.rows import letters
from theorytools.reporting.series import Chart, chart
from theorytools.reporting.signs import letter_signs

SIDE, LINE, GAP = 14, 16, 8  # units: of the margin, of a line of words, between words and drawing
LETTERS = 60  # of a line of words
BOX = re.compile(r'viewBox="0 0 (\d+) ([\d.]+)"')
RULE = re.compile(r"^ *((?:\.plot )[^{}]*\{[^{}]*\}.*)$", re.M)  # lines of the report's style sheet about plots
ROOT = re.compile(r":root \{(.*?)\}", re.S)


@cache
def _style() -> str:
    """What the report's style sheet says of plots, with its colours on light and on dark ground."""
    sheet = (Path(reporting.__file__).parent / "templates" / "style.css").read_text(encoding="utf-8")
    light, dark = (
        " ".join(found.split()).replace("color-scheme: light dark; ", "") for found in ROOT.findall(sheet)[:2]
    )
    return (
        f".figure{{{light}}}@media(prefers-color-scheme:dark){{.figure{{{dark}}}}}{' '.join(RULE.findall(sheet))}"
        ".figure>text{fill:var(--ink);font:12px system-ui,sans-serif}.figure>.ground{fill:var(--page)}"
        ".figure>.name{font-weight:600}.figure>.notes{fill:var(--quiet)}.figure>.bound{fill:var(--bound)}"
        ".figure>.control{fill:var(--control)}.figure>.failing{fill:var(--bad)}.figure>.undecided{fill:var(--doubt)}"
    )


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
    shown, drawn = chart(verdict, letter), figure(verdict, letter)
    if shown is None or drawn is None:
        raise DomainError(
            f"a picture along {letter!r}" if letter else f"a picture of {verdict['id']} at one point",
            required="a letter with several numbers among the points", why="one point has no curve",
            advice=f'verify("{verdict["id"]}", {letter or "N"}=[8, 16]); verdict.to_frame() is the table',
        )  # fmt: skip
    return Picture(_drawn(verdict, shown, drawn), str(verdict["id"]))


def _drawn(verdict: Mapping[str, Any], shown: Chart, drawn: Figure) -> str:
    """The drawing with its words above and below, as a file of its own."""
    found = BOX.search(drawn.svg)
    assert found is not None, "a drawing has a view box"
    wide, high = int(found[1]), float(found[2])
    entry = entry_of(verdict, shown)
    above = [("name", f"{verdict['id']}: {verdict['outcome']}"), *_wrapped("", f"{drawn.question} {drawn.answer}")]
    if meant := ": ".join(filter(None, [entry.get("quantity"), entry.get("meaning")])):
        above.append(("notes", _plain(meant)))
    meaning = next((one.get("meaning") for one in verdict.get("letters") or () if one["name"] == shown.axis), "")
    sign = letter_signs(shown.axis, letters(verdict).get(shown.axis, ""))
    across = [("notes", _plain(", ".join(filter(None, [sign, meaning]))))] if shown.axis else []
    below = [pair for name, sign, said in drawn.keys for pair in _wrapped(name, f"{sign} {_plain(said.striptags())}")]
    below += [pair for note in drawn.notes for pair in _wrapped("notes", note)]
    top = LINE * len(above) + 2 * GAP
    placed = f'<svg x="{SIDE}" y="{top}" width="{wide}" height="{high:.0f}" '
    body = [element("rect", class_="ground", width="100%", height="100%"), *_lines(above, LINE)]
    body += [str(drawn.svg).replace("<svg ", placed, 1), *_lines([*across, *below], top + high + LINE + GAP)]
    size = (wide + 2 * SIDE, int(top + high + LINE * (len(across) + len(below)) + 3 * GAP))
    title = f"{verdict['id']}: {drawn.question}"
    return alone(size, title, *body, style=_style(), name="figure", told=described(shown, letters(verdict)))


def _lines(said: list[tuple[str, str]], top: float) -> Iterator[str]:
    for k, (name, words) in enumerate(said):
        yield text(float(SIDE), top + LINE * k, words, name=name)


def _wrapped(name: str, said: str) -> list[tuple[str, str]]:
    return [(name, line) for line in textwrap.wrap(said, LETTERS, subsequent_indent="    ")]


def _plain(said: str) -> str:
    """Words without the dollar signs of formulas, in at most a line."""
    text = said.replace("$", "")
    return text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"
