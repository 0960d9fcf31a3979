r"""Convex losses of a residual whose slopes are rational at rational residuals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from theorytools.errors import DomainError

Slope = Callable[[Fraction], Fraction]

# at a kink one of the subgradients
SLOPES: dict[str, Slope] = {
    "squared": lambda r: r,  # r^2/2
    "absolute": lambda r: Fraction((r > 0) - (r < 0)),  # |r|
    "huber": lambda r: max(Fraction(-1), min(Fraction(1), r)),  # r^2/2, linear from |r| = 1 on
    "quantile": lambda r: Fraction(1, 4) if r > 0 else Fraction(-3, 4),  # the pinball loss of the quantile 3/4
    "fair": lambda r: r / (1 + abs(r)),  # |r| - log(1 + |r|): smooth, convex, linear far out, as the logistic loss is
}


def slope_of(loss: str) -> Slope:
    r"""Return the slope :math:`\ell'` of a loss.

    Parameters
    ----------
    loss : ``squared``, ``absolute``, ``huber``, ``quantile`` or ``fair``.

    Returns
    -------
    callable : a rational residual to a rational slope, a subgradient at a kink.

    Raises
    ------
    DomainError : another name.

    Examples
    --------
    >>> [str(slope_of(loss)(Fraction(3))) for loss in SLOPES]
    ['3', '1', '1', '1/4', '3/4']
    """
    if loss not in SLOPES:
        raise DomainError(f"the loss {loss!r}", required=f"one of {', '.join(SLOPES)}", why="slopes are rational")
    return SLOPES[loss]
