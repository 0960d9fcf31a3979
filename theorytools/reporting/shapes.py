"""What a construction draws of itself: matrices as shaded cells, functions as lines; and how it brings its picture.

A report knows a construction by its name, which the verdict of its claim holds, and never builds one: it shows the file
``pictures/<Name>.svg`` that lies beside the front that exports the name, or in the folder of the paper whose claim
builds it.  The file is made beforehand from the construction itself, by a module ``drawings`` beside that front, whose
``DRAWN`` has a function for each name; ``python -m theorytools.drawings`` writes the library's own, and
``python -m theorytools.papers.sep.drawings`` those of a paper's room.

A construction of your own brings its picture in the same way: a script of three lines beside your checks makes it, and
the report of your paper shows it wherever a claim builds an object of that class::

    from theorytools.reporting.shapes import heat, write

    def mine():
        net = MyNet(8)
        return heat("Weights of MyNet: each row looks one position back", [("weights", "query", "key", net.weights)])

    write("checks/mypaper/pictures", {"MyNet": mine})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from theorytools.reporting.canvas import alone, element, text, words

STYLE = (
    "text{font:11px sans-serif;fill:#333}.c{fill:#1d5c9e}.n{fill:#ad4f0c}.g{fill:none;stroke:#888;stroke-width:.6}"
    ".l{fill:none;stroke:#1d5c9e;stroke-width:1.6}.d{fill:none;stroke:#ad4f0c;stroke-width:1.2;stroke-dasharray:4 3}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.c{fill:#7db4ec}.n{fill:#f0a065}.l{stroke:#7db4ec}.d{stroke:#f0a065}}"
)
LARGEST, SIDE = 18, 180  # units of a cell, and of a matrix
Matrix = Sequence[Sequence[float]]


def heat(title: str, panels: Sequence[tuple[str, str, str, Matrix]]) -> str:
    """Return matrices side by side: cells as dark as their modulus, the colour their sign.

    Parameters
    ----------
    title : what the picture shows, in a sentence; it is read aloud instead of the picture.
    panels : for each a heading, what its rows and its columns are, and the numbers.

    Returns
    -------
    str : an SVG file.

    Examples
    --------
    >>> heat("The identity", [("identity", "row", "column", [[1, 0], [0, 1]])]).count('opacity="1.00"')
    2
    """
    body, left, bottom = [], 0, 0
    for head, down, across, matrix in panels:
        rows, columns = len(matrix), len(matrix[0])
        size, x0, y0 = min(LARGEST, SIDE // max(rows, columns)), left + 22, 34
        body += [
            text(x0, 13, head),
            element("text", words(f"{across} →"), x=x0, y=29, font_size=9),
            element("text", words(f"{down} →"), transform=f"translate({left + 13},{y0 + 2}) rotate(90)"),
            *_cells(matrix, x0, y0, size),
            element("rect", class_="g", x=x0, y=y0, width=columns * size, height=rows * size),
        ]
        left = max(x0 + columns * size, left + 22 + 6 * len(head)) + 26
        bottom = max(bottom, y0 + rows * size)
    return alone((left, bottom + 8), title, *body, style=STYLE)


def _cells(matrix: Matrix, x0: int, y0: int, size: int) -> list[str]:
    """The cells of a matrix but those that would not be seen: below 0.4 % of the largest."""
    largest = max(abs(value) for row in matrix for value in row) or 1.0
    return [
        element("rect", class_="c" if value > 0 else "n", x=x0 + j * size, y=y0 + i * size, width=size, height=size,
                opacity=f"{abs(value) / largest:.2f}")
        for i, row in enumerate(matrix) for j, value in enumerate(row) if abs(value) > 0.004 * largest
    ]  # fmt: skip


def graph(
    title: str, xs: Sequence[float], line: Sequence[float], *, dashed: Sequence[float] = (),
    dots: Sequence[tuple[float, float]] = (), names: tuple[str, str] = ("", ""),
) -> str:  # fmt: skip
    """Return a function as a line, another one dashed, and points that it passes through.

    Parameters
    ----------
    title : what the picture shows, in a sentence; it is read aloud instead of the picture.
    xs, line, dashed, dots : points of the line, its values, those of the dashed one, and single points.
    names : what the line and the dashed line are.

    Returns
    -------
    str : an SVG file.
    """
    ys = [*line, *dashed, *(y for _, y in dots)]
    (left, right), (low, high) = (min(xs), max(xs)), (min(ys), max(ys))

    def at(x: float, y: float) -> tuple[str, str]:
        # six digits first: a tie of the tenth falls the same way whatever the last bit of a machine is
        across, up = 14 + 232 * (x - left) / (right - left), 140 - 116 * (y - low) / ((high - low) or 1)
        return f"{round(across, 6):.1f}", f"{round(up, 6):.1f}"

    body = [element("path", class_="g", d=f"M14,{at(left, max(low, min(0.0, high)))[1]}h232")]
    for values, style in ((dashed, "d"), (line, "l")):
        if len(values):
            body.append(element("polyline", class_=style, points=" ".join(map(",".join, map(at, xs, values)))))
    for x, y in dots:
        across, up = at(x, y)
        body.append(element("circle", class_="n", cx=across, cy=up, r=3))
    body.append(text(14, 13, names[0], name="a"))
    if names[1]:
        body.append(text(246, 13, f"dashed: {names[1]}", anchor="right"))
    body += [text(14, 156, f"{left:g}"), text(246, 156, f"{right:g}", anchor="right")]
    return alone((260, 162), title, *body, style=STYLE)


def write(folder: str | Path, drawn: Mapping[str, Callable[[], str]]) -> list[Path]:
    """Write ``<Name>.svg`` for each name into a folder, made where it is missing; return the paths.

    Parameters
    ----------
    folder : ``pictures`` beside a front, or in the folder of a paper.
    drawn : what draws, by the name of the construction.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in drawn.items():
        (folder / f"{name}.svg").write_text(draw(), encoding="utf-8")
    return [folder / f"{name}.svg" for name in drawn]
