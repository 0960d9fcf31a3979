"""The figure of a verdict as a picture that a notebook shows: the drawing of its page, with the words around it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError, FolderError
from theorytools.reporting.lone_figure import lone_figure


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
    svg = lone_figure(verdict, letter)
    if not svg:
        raise DomainError(
            f"a picture along {letter!r}" if letter else f"a picture of {verdict['id']} at one point",
            required="a letter with several numbers among the points", why="one point has no curve",
            advice=f'verify("{verdict["id"]}", {letter or "N"}=[8, 16]); verdict.to_frame() is the table',
        )  # fmt: skip
    return Picture(svg, str(verdict["id"]))
