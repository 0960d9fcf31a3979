r"""What a fully-connected network must lose on sparse token selection when its first layer is narrow.

The prompt is :math:`\operatorname{vec}X=(x_1;\dots;x_T)\in\mathbb R^{Td}` with independent :math:`N(0,I_d)` tokens, the
target :math:`s=\frac1q\sum_{i\in y}x_i=A_y\operatorname{vec}X` for a uniform subset :math:`y` of :math:`q` positions.
A network :math:`h(W_1\operatorname{vec}X,y)` with :math:`m` first-layer neurons and *any* measurable :math:`h` loses at
least :math:`\operatorname{tr}PM`, where :math:`P` projects on the kernel of :math:`W_1` and
:math:`M=E\,A_y^\top A_y=\frac1{q^2}E[\mathbf 1_y\mathbf 1_y^\top]\otimes I_d`.  Its eigenvalues are

.. math:: \tfrac1T\ (d\text{ times, on }\mathbf 1\otimes\mathbb R^d),\qquad
    \lambda=\frac{T-q}{qT(T-1)}\ (d(T-1)\text{ times}),

and by Ky Fan's principle the trace is at least the sum of the :math:`Td-m` smallest ones, :func:`compressor_risk`.

Every function takes integers, and returns fractions, or letters, and returns expressions.

References
----------
Wang, Wei, Hsu, Lee (2024), fcn, arXiv 2406.06893v1.  The constants are derived here.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

from theorytools.arguments.checked import (
    CountFormula,
    Formula,
    Real,
    SizeFormula,
    checked,
)
from theorytools.errors import DomainError
from theorytools.numbers import shortest_fraction


@checked
def compressor_eigenvalues(T: SizeFormula, d: SizeFormula, q: SizeFormula) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    r"""Return the eigenvalues of :math:`M` with their multiplicities: ``((1/T, d), (lambda, d(T - 1)))``.

    At ``q = 1`` the two are equal, at ``q = T`` the second is 0.

    Raises
    ------
    DomainError
        Unless ``T >= 2``, ``d >= 1`` and ``1 <= q <= T``.
    """
    _checked(T, d, q)
    return (_over(1, T), d), (_over(T - q, q * T * (T - 1)), d * (T - 1))


@checked
def compressor_risk(
    m: CountFormula, T: SizeFormula, d: SizeFormula, q: SizeFormula, *, tokens: str = "gaussian"
) -> Any:
    r"""Return the least loss behind ``m`` neurons of a first layer, the sum of the smallest eigenvalues.

    .. math:: R_m=\frac{(d-m)_+}T+\bigl(Td-\min(\max(m,d),Td)\bigr)\frac{T-q}{qT(T-1)},\qquad
        E\lVert h(W_1\operatorname{vec}X,y)-s\rVert^2\ge R_m .

    The loss is :math:`E\lVert\cdot\rVert^2`, without a factor 1/2; predicting 0 costs :math:`d/q`.

    Parameters
    ----------
    m : neurons of the first layer, 0 or more; the rest of the network is arbitrary.
    T, d, q : number of tokens, their dimension, number of selected tokens.
    tokens : the law of a token; only ``"gaussian"`` is covered.

    Raises
    ------
    DomainError
        For any other law: one neuron can hold all of a discrete prompt, and with a density the loss can be lower
        too (:func:`density_risk`); for sizes outside the statement.
    """
    if tokens != "gaussian":
        raise DomainError(
            f"tokens of the law {tokens!r}",
            required="'gaussian'",
            why="the bound conditions Gaussians; one neuron with weights 1, 2, 4, … holds every sign of a prompt",
            advice="discrete_risk(W, T=…, d=…, q=…) for the exact loss behind a layer when tokens are signs",
        )
    (top, _), (rest, _) = compressor_eigenvalues(T, d, q)
    _checked_width(m)
    # 1/T >= lambda, so a layer does best to read the d directions of the first kind before any other
    used = _least(_most(m, d), T * d)
    return (d - _least(m, d)) * top + (T * d - used) * rest


@checked
def density_risk(m: CountFormula, T: SizeFormula, d: SizeFormula, q: SizeFormula, power: Formula) -> Any:
    r"""Return a lower bound for independent coordinates with a density, :math:`d\le m<Td` neurons.

    .. math:: (Td-m)\,\lambda\,\mathcal N^{Td/(Td-m)},\qquad\mathcal N=\frac{e^{2h}}{2\pi e}\le1,

    with :math:`h` the differential entropy of a coordinate of mean 0 and variance 1; :math:`R_m` for Gaussian ones.
    With :math:`k` the dimension of the kernel, the errors on it have conditional entropy at least
    :math:`\frac k2\log2\pi e-\frac{Td}2\log\frac1{\mathcal N}`, as :math:`W_1\operatorname{vec}X` has at most that of a
    Gaussian; so their mean covariance has a determinant of at least :math:`\mathcal N^{Td}`, and
    :math:`\operatorname{tr}MC\ge k(\det M_k\det C)^{1/k}` with :math:`\det M_k\ge\lambda^k` by interlacing.

    Parameters
    ----------
    power : the entropy power :math:`\mathcal N`: 1 for Gaussian, :math:`6/(\pi e)` for uniform coordinates.

    Raises
    ------
    DomainError
        For integers with ``m < d`` or ``m >= T d``, sizes outside the statement, and a power outside (0, 1].
    """
    _checked(T, d, q)
    if all(isinstance(x, int) for x in (m, T, d)) and not d <= m < T * d:
        raise DomainError(f"m = {m}, T = {T}, d = {d}", required="d <= m < T d")
    (_, _), (rest, _) = compressor_eigenvalues(T, d, q)
    from sympy import sympify

    power = sympify(power)
    if power.is_number and not 0 < power <= 1:
        raise DomainError(f"power = {power}", required="0 < power <= 1", why="a Gaussian has the largest entropy power")
    return sympify((T * d - m) * rest) * power ** sympify(_over(T * d, T * d - m))


@checked
def sufficient_width(theta: Real, T: int, d: int, q: int) -> int:
    r"""Return the least width with :math:`R_m\le\theta d/q`: :math:`\lceil Td(1-\theta\frac{T-1}{T-q})\rceil`.

    Parameters
    ----------
    theta : loss over that of predicting 0, from 0 to :math:`(T-q)/T` (beyond, fewer than ``d`` neurons would do).

    Raises
    ------
    DomainError
        For ``theta`` outside this range, ``q >= T`` and sizes outside the statement.
    """
    _checked(T, d, q)
    share = shortest_fraction(theta)
    if q >= T or not 0 <= share * T <= T - q:
        raise DomainError(f"theta = {theta}, T = {T}, q = {q}", required="q < T and 0 <= theta <= (T - q)/T")
    return ceil(T * d * (1 - share * Fraction(T - 1, T - q)))


def _checked(T: Any, d: Any, q: Any) -> None:
    if not all(isinstance(x, int) for x in (T, d, q)):
        return  # letters carry their own domains
    if T < 2 or d < 1 or not 1 <= q <= T:
        raise DomainError(f"T = {T}, d = {d}, q = {q}", required="T >= 2, d >= 1 and 1 <= q <= T")


def _checked_width(m: Any) -> None:
    if isinstance(m, float | bool) or (isinstance(m, int) and m < 0):
        raise DomainError(f"m = {m} neurons", required="an integer, 0 or more")


def _over(a: Any, b: Any) -> Any:
    return Fraction(a, b) if isinstance(a, int) and isinstance(b, int) else a / b


def _least(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    import sympy

    return sympy.Min(a, b)


def _most(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    import sympy

    return sympy.Max(a, b)
