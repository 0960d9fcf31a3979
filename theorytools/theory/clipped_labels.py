"""What a truncated squared error of a chi-square label hides when the prediction is clipped."""

from __future__ import annotations

import math

from theorytools.arguments.checked import STEPS, NonNegativeInt, at_most, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, chi_square_tail


@checked
@at_most(k=STEPS)
def clipped_label_excess(k: NonNegativeInt, limit: int) -> tuple[int, Enclosure]:
    r"""Return :math:`\tau` and a bound of :math:`E(Z-\tau)_+` that holds for every clipped prediction.

    Here :math:`Z=(y-\hat y)^2` for the label :math:`y=(\chi^2_k-k)/\sqrt k` and any prediction with
    :math:`-\sqrt k\le\hat y\le c`, right or wrong.  The error then lies between :math:`-\sqrt k-c` and
    :math:`\chi^2_k/\sqrt k`; so for :math:`\tau\ge(\sqrt k+c)^2` and :math:`s=\sqrt{k\tau}`

    .. math:: E(Z-\tau)_+\le E\bigl((\chi^2_k)^2/k-\tau\bigr)_+=(k+2)\Pr(\chi^2_{k+4}>s)-\tau\Pr(\chi^2_k>s) .

    Parameters
    ----------
    k : number of Gaussian coordinates in the label, ``q d``.
    limit : ``c``, a positive integer.

    Returns
    -------
    tau, excess : the smallest integer above :math:`(\sqrt k+c)^2`, and the bound at the ambient precision.

    Raises
    ------
    DomainError
        For ``k < 1`` or ``limit < 1``.
    """
    if k < 1 or limit < 1:
        raise DomainError(f"k = {k}, limit = {limit}", required="k >= 1 and limit >= 1")
    tau = k + limit**2 + math.isqrt(4 * k * limit**2) + 1
    s = (Enclosure(k) * tau).sqrt()
    return tau, (k + 2) * chi_square_tail(k + 4, s) - tau * chi_square_tail(k, s)
