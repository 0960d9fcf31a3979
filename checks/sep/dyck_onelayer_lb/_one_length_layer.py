r"""One layer of attention that recognises Dyck-(1,2) at one length, with values of linearly many bits."""

from __future__ import annotations

import numpy as np

from theorytools.arguments.checked import checked
from theorytools.constructions.attention.attention_tables import FixedPointTables
from theorytools.errors import DomainError


@checked
def one_layer_dyck(N: int) -> FixedPointTables:
    r"""Return one uniform head of value width 1 whose sum is 0 iff a word is in Dyck-(1,2), at length ``N``.

    With depth 2 and one kind of bracket a word :math:`a_1b_1a_2b_2\dots` is accepted iff :math:`a_1` opens,
    :math:`b_{N/2}` closes and :math:`a_{i+1}\ne b_i`.  With :math:`m=N/2-1` the values are :math:`\pm2^{i-1}` at
    :math:`b_i` and :math:`a_{i+1}`, plus for opening, and :math:`-2^{m+1}` at an :math:`a_1` that closes and at a
    :math:`b_{N/2}` that opens.  The pairs give :math:`2\sum_id_i2^{i-1}` with digits :math:`d_i\in\{-1,0,1\}`, zero iff
    every digit is, and at most :math:`2^{m+1}-2`.  Values have :math:`p=N/2+1` bits.

    Parameters
    ----------
    N : even length of the words; the model has one position more, a public last token.

    Raises
    ------
    DomainError
        Unless ``N`` is even and from 2 to 120, so that all sums are integers below :math:`2^{63}`.

    References
    ----------
    Bhattamishra, Hahn, Blunsom, Kanade (2024), one-layer lower bound for bounded Dyck, arXiv 2406.09347v1; this
    network, for the opposite direction, is derived here.
    """
    if not isinstance(N, int) or not 2 <= N <= 120 or N % 2:
        raise DomainError(f"N = {N!r}", required="an even length from 2 to 120")
    m = N // 2 - 1
    values = np.zeros((N + 1, 2, 1, 1), dtype=np.int64)
    for i in range(m):
        values[2 * i + 1 : 2 * i + 3, :, 0, 0] = 1 << i, -(1 << i)
    values[0, 1] = values[N - 1, 0] = -(1 << (m + 1))
    return FixedPointTables(np.ones((N + 1, 2, 1), dtype=np.int64), values, m + 2, lambda total, D: total[:, 0, 0] == 0)
