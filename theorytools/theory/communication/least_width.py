r"""The least width of a single layer that its message allows, beside a layer that attains it up to a constant.

Under semantics E a layer of :math:`H` heads of width :math:`d_v` sends
:math:`H(\ell_D+d_v\ell_N)` bits (:func:`.protocol.message_bits`).  Of a total width :math:`m=Hd_v` most bits are sent
by :math:`H=m` heads of width 1, so a task with :math:`2^n` rows needs

.. math:: m\ge\Bigl\lceil\frac n{\ell_D+\ell_N}\Bigr\rceil,\qquad \ell_D+\ell_N\approx3p+2\log_2n .

*Attained.*  :math:`\lceil n/(p-1)\rceil` coordinates of uniform attention decide equality: each holds :math:`p-1` bits
as binary digits.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), one-layer lower bounds, arXiv 2406.09347v1; derived here.
"""

from __future__ import annotations

import numpy as np

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, at_most, checked
from theorytools.arguments.values import checked_integer
from theorytools.constructions.attention.attention_tables import FixedPointTables
from theorytools.theory.communication.protocol import message_bits

_WHY = "one layer that compares two strings"


@checked
@at_most(p=ENTRIES)
def least_width(n: int, p: NonNegativeInt, rows: int | None = None) -> int:
    """Return the least total width with a message of ``rows`` bits, ``n`` by default, from ``n`` positions.

    Examples
    --------
    >>> least_width(1024, 8), least_width(2**20, 8)
    (24, 16384)
    """
    n, p = (checked_integer(name, value, least=1, why=_WHY) for name, value in (("n", n), ("p", p)))
    return -(-(n if rows is None else rows) // message_bits(n, p))


@checked
@at_most(n=ENTRIES)
def wide_equality(n: NonNegativeInt, p: int, held: int | None = None) -> FixedPointTables:
    """Return uniform attention of width ``ceil(n / (p - 1))`` that decides equality of two strings of ``n`` bits.

    Parameters
    ----------
    n, p : length of a string, and bits of a value, at least 2.
    held : digits of a coordinate, ``p - 1`` unless given; two bits share a digit where it is less than needed.

    Examples
    --------
    >>> net = wide_equality(5, 3)
    >>> net.width, net.execute(np.array([[0, 1, 1, 0, 1] * 2, [0, 1, 1, 0, 1, 0, 1, 1, 0, 0]]))
    (3, array([ True, False]))
    """
    n, p = (checked_integer(name, value, least=2 - (name == "n"), why=_WHY) for name, value in (("n", n), ("p", p)))
    held = p - 1 if held is None else held
    coordinate, digit = np.divmod(np.arange(n), p - 1)
    v = np.zeros((2 * n, 2, 1, -(-n // (p - 1))), dtype=np.int64)
    size = 1 << np.minimum(digit, held - 1)
    v[np.arange(n), 1, 0, coordinate] = size
    v[np.arange(n, 2 * n), 1, 0, coordinate] = -size
    e = np.ones((2 * n, 2, 1), dtype=np.int64)
    return FixedPointTables(e, v, p, lambda N, D: (N[:, 0] == 0).all(axis=1))
