r"""The least parameter norm of a two-layer ReLU network through orthogonal inputs of one length, in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from theorytools.arguments.checked import Real, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, shortest_fraction


@checked
def orthogonal_norm(y: Sequence[Real], *, squared_length: Real = 1, epsilon: Real = 0) -> Enclosure:
    r"""Return the least squared norm where :math:`FF^\top=\ell^2I`: the signs of the labels decouple.

    With :math:`M_\pm=\|y_\pm\|`, :math:`m=\min(M_+,M_-)` and :math:`\rho=\sqrt{n\varepsilon}` the norm is
    :math:`2/\ell` times

    .. math:: M_++M_--\sqrt2\rho\quad(\rho\le\sqrt2m),\qquad
        \max(M_+,M_-)-\sqrt{\rho^2-m^2}\quad(\rho\ge\sqrt2m),\qquad 0\quad(\rho\ge\|y\|).

    One unit :math:`w_\pm\propto F^\top y_\pm` for each sign attains it; the multiplier is
    :math:`y_+/M_+-ty_-/M_-` for the best :math:`t\in[0,1]`.

    Parameters
    ----------
    y : labels, exact numbers, shape ``(n,)``.
    squared_length : :math:`\ell^2`, the squared length of every input.
    epsilon : mean squared error that is allowed.

    Returns
    -------
    Enclosure : of the least squared norm, 0 where the labels themselves are within the error.

    Raises
    ------
    DomainError
        For no labels, a negative ``epsilon``, a length that is not positive.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Definition 5, arXiv 2503.11272v1; derived here.

    Examples
    --------
    >>> orthogonal_norm([3, 4, -12]), orthogonal_norm([3, 4], squared_length=4, epsilon=2)
    (Enclosure(34), Enclosure(3))
    """
    labels = [shortest_fraction(v) for v in y]
    error, square = shortest_fraction(epsilon), shortest_fraction(squared_length)
    if not labels or error < 0 or square <= 0:
        raise DomainError(
            f"{len(labels)} labels, epsilon = {epsilon}, squared length {squared_length}",
            required="a label, epsilon >= 0, a positive length",
        )
    parts = [sum((v * v for v in labels if sign * v > 0), Fraction(0)) for sign in (1, -1)]
    allowed, least = len(labels) * error, min(parts)
    if allowed >= sum(parts):
        return Enclosure(0)
    most = Enclosure(max(parts)).sqrt()
    if allowed <= 2 * least:
        program = most + Enclosure(least).sqrt() - Enclosure(2 * allowed).sqrt()
    else:
        program = most - Enclosure(allowed - least).sqrt()
    return 2 * program / Enclosure(square).sqrt()
