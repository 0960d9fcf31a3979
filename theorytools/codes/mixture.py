"""Codes between two codes: a convex combination of Gram matrices of unit vectors is one."""

from __future__ import annotations

import numpy as np

from theorytools.arguments.checked import Real, checked
from theorytools.arguments.values import checked_rational
from theorytools.codes.gram import GramCode
from theorytools.codes.protocol import Code
from theorytools.errors import DomainError


@checked
def mixture(first: Code, second: Code, share: Real) -> GramCode:
    r"""Return the code with Gram matrix :math:`(1-\lambda)G_1+\lambda G_2`.

    It is that of the vectors :math:`(\sqrt{1-\lambda}\,\omega_i,\sqrt\lambda\,\omega'_i)`, whatever the two codes are.

    Parameters
    ----------
    first, second : codes with the same number of vectors.
    share : the share :math:`\lambda` of the second, a rational number with ``0 <= share <= 1``.

    Raises
    ------
    DomainError
        For codes of different sizes, or a share outside the unit interval.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from theorytools.codes.equiangular import orthonormal, simplex
    >>> mixture(orthonormal(5), simplex(5), Fraction(1, 2)).coherence()
    Fraction(-1, 8)
    """
    why = "a convex combination"
    part = checked_rational("share", share, lambda x: 0 <= x <= 1, required="0 <= share <= 1", why=why)
    if first.N != second.N:
        raise DomainError(f"codes of {first.N} and {second.N} vectors", required="two codes of one size")
    s, t = first.gram_denominator, second.gram_denominator
    a, b = (part.denominator - part.numerator) * t, part.numerator * s  # over the denominator s t * denominator
    K = a * first.gram_numerators().astype(object) + b * second.gram_numerators().astype(object)
    whole = s * t * part.denominator
    divisor = int(np.gcd.reduce(K.ravel()))
    return GramCode(K // divisor, whole // divisor)
