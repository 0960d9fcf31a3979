"""The picture of this paper's selector; ``python -m theorytools.papers.stsq.drawings`` writes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import sympy

from theorytools.codes.encodings import orthonormal_encodings
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.reporting.shapes import heat, write


def _selector() -> str:
    """The weights for several sets: the selected positions share them equally."""
    net = SparseSelector(orthonormal_encodings(8), beta=sympy.log(40), q=2, d=5)
    sets = [(0, 2), (1, 5), (3, 4), (6, 7)]
    return heat(
        "Attention of SparseSelector for four sets of two positions: half on each of them",
        [("weights for four sets", "set", "position", [[float(w) for w in net.attention(y)] for y in sets])],
    )


DRAWN: dict[str, Callable[[], str]] = {
    "SparseSelector": _selector,
}  # fmt: skip

if __name__ == "__main__":
    print(*write(Path(__file__).with_name("pictures"), DRAWN), sep="\n")
