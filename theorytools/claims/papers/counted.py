"""What points of a claim took that declares no work: ``checks/<paper>/counted.json``, kept so that nobody counts again.

Where ``work.toml`` says nothing the calls of Python are counted at points of the grid.  Their number depends a little
on the version of Python, on the order of sets and on what a process has kept; so that a search meets the same points
everywhere, the file keeps what was counted, of the claims that are searched::

    {"qstr.lemma_12": [4096.0, 262144.0, 1.0]}
"""

from __future__ import annotations

import json
import math
from pathlib import Path

from theorytools.errors import CheckError
from theorytools.files import read_regular

LARGEST = 1_000_000  # bytes
COUNTED = "counted.json"


def read_counted(folder: Path) -> dict[str, tuple[float, float, float]]:
    """Return by the claim's id the size of a point of its grid, what it took, and the power with which that grows.

    None where a paper has no such file.

    Raises
    ------
    CheckError : a file that cannot be read, or that holds something else.
    """
    path = folder / COUNTED
    if not path.is_file():
        return {}
    try:
        data = json.loads(read_regular(path, LARGEST))
        found = {id: (float(size), float(taken), float(power)) for id, (size, taken, power) in data.items()}
        own = all(id.startswith(f"{folder.name}.") for id in found)
        if not own or not all(size > 0 < taken and power >= 0 and math.isfinite(size * taken * power)
                              for size, taken, power in found.values()):  # fmt: skip
            raise ValueError("finite numbers above zero, of claims of this paper")
    except (OSError, ValueError, AttributeError, TypeError, ArithmeticError, RecursionError) as error:
        raise CheckError(
            f"{path}: {error}", required='{"p.lemma_1": [size, operations, power], …}',
            why="it tells how many points a search judges", advice="delete it: a search then counts by itself",
        ) from error  # fmt: skip
    return found
