r"""Tails of the chi-square law, and what a truncated squared error hides when the prediction is clipped."""

from __future__ import annotations

import math
from fractions import Fraction

from theorytools.arguments.checked import Steps, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure


@checked
def chi_square_tail(k: Steps, s: Enclosure) -> Enclosure:
    r"""Return :math:`\Pr(\chi^2_k>s)` at the ambient precision.

    .. math:: \Pr(\chi^2_{k+2}>s)=\Pr(\chi^2_k>s)+e^{-s/2}\frac{(s/2)^{k/2}}{\Gamma(k/2+1)},\qquad
              \Pr(\chi^2_1>s)=\operatorname{erfc}\sqrt{s/2},\quad\Pr(\chi^2_2>s)=e^{-s/2}.

    Raises
    ------
    DomainError
        For ``k < 1``, or ``s`` not certainly positive.

    Examples
    --------
    >>> round(float(chi_square_tail(4, Enclosure(2))), 6), round(float(chi_square_tail(3, Enclosure(2))), 6)
    (0.735759, 0.572407)
    """
    if k < 1 or not s.lower > 0:
        raise DomainError(f"k = {k}, s = {s!r}", required="k >= 1 and s > 0")
    half = s / 2
    tail = half.sqrt().apply("erfc") if k % 2 else (-half).exp()
    for j in range(2 - k % 2, k, 2):
        tail = tail + (-half).exp() * half ** Fraction(j, 2) / Enclosure(Fraction(j, 2) + 1).apply("gamma")
    return tail


@checked
def clipped_label_excess(k: Steps, limit: int) -> tuple[int, Enclosure]:
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
