r"""The parity of a count up to ``n`` by ``n`` rectified units.

.. math:: \mathrm{ReLU}(u)+2\sum_{j=1}^{n-1}(-1)^j\mathrm{ReLU}(u-j)

is linear between integers; its slope alternates between 1 and -1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from theorytools.numbers import Enclosure, maximum


def parity(u: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return the parities of counts up to ``n``, each first rounded to the nearest integer."""
    u, j = np.rint(u), np.arange(1, n)
    return np.asarray(np.maximum(u, 0) + np.maximum(u[..., None] - j, 0) @ (2.0 * (-1.0) ** j))


def exact_parity(u: Enclosure, n: int) -> Enclosure:
    """Return the value of the units at one number, without rounding it."""
    units = (maximum([u - j, Enclosure(0)]) * (1 if j == 0 else 2 * (-1) ** j) for j in range(n))
    return sum(units, Enclosure(0))
