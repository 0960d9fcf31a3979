r"""The least total variation of the slope of a function through data on the line, proved in rationals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from theorytools.arguments.checked import Real, checked
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import shortest_fraction, solve_rational
from theorytools.numbers.linear_program import complete_basis, least_l1, rows, support
from theorytools.papers.qstr.feedforward.interpolant import Exact, slopes_through, sorted_data


@checked
@dataclass(frozen=True)
class TotalVariation:
    r"""A function through the data and a multiplier: rational bounds of :math:`\min\{TV(f'):f(z_i)=y_i\}`.

    The function is :math:`f(x)=\alpha+\beta x+\sum_kc_k\sigma(x-\kappa_k)`, so :math:`TV(f')\le\sum_k|c_k|`.
    A multiplier with :math:`\sum_i\lambda_i=\sum_i\lambda_iz_i=0` and :math:`|\Lambda|\le1`, where
    :math:`\Lambda(t)=\sum_i\lambda_i\sigma(z_i-t)`, proves :math:`\lambda^\top y=\int\Lambda\,df'\le TV(f')`.
    :math:`\Lambda` is linear between data and 0 outside, so its extremes lie at data.

    Parameters
    ----------
    z, y : the data, shape ``(n,)``.
    knots, kinks : :math:`\kappa_k` and :math:`c_k`.
    affine : :math:`(\alpha,\beta)`.
    dual : :math:`\lambda`, shape ``(n,)``.
    """

    z: Exact
    y: Exact
    knots: Exact
    kinks: Exact
    affine: tuple[Fraction, Fraction]
    dual: Exact

    def evaluate(self, x: Fraction) -> Fraction:
        """Return the exact value of the function."""
        bends = zip(self.kinks, self.knots, strict=True)
        return self.affine[0] + self.affine[1] * x + sum(c * max(x - k, Fraction(0)) for c, k in bends)

    def residual(self) -> Fraction:
        """Return the largest deviation from the data."""
        return max(abs(self.evaluate(z) - y) for z, y in zip(self.z, self.y, strict=True))

    def upper(self) -> Fraction:
        r"""Return :math:`\sum_k|c_k|`, an upper bound where :meth:`residual` is 0."""
        return sum((abs(c) for c in self.kinks), Fraction(0))

    def supremum(self) -> Fraction:
        r"""Return :math:`\sup_t|\Lambda(t)|`, exact."""
        return max(abs(potential(self.z, self.dual, t)) for t in self.z)

    def lower(self) -> Fraction:
        r"""Return :math:`\lambda^\top y/\max(1,\sup|\Lambda|)`.

        Raises
        ------
        CertificateError
            Unless :math:`\lambda` annihilates affine functions.
        """
        if sum(self.dual) or sum(l * x for l, x in zip(self.dual, self.z, strict=True)):
            raise CertificateError("a multiplier that sees affine functions", required="sum l_i = sum l_i z_i = 0")
        return self.gain() / max(Fraction(1), self.supremum())

    def gain(self) -> Fraction:
        r"""Return :math:`\lambda^\top y`, a bound of nothing where :math:`\sup|\Lambda|>1`."""
        return sum((l * v for l, v in zip(self.dual, self.y, strict=True)), Fraction(0))

    def value(self) -> Fraction:
        """Return the minimum, where the two bounds are one number."""
        if self.residual() or self.upper() != self.lower():
            raise CertificateError(
                f"bounds {self.lower()} and {self.upper()}", required="equal bounds and an exact interpolant",
                why="only then is the minimum proved", advice="offer all data as knots",
            )  # fmt: skip
        return self.upper()


def potential(z: Exact, dual: Exact, t: Fraction) -> Fraction:
    r"""Return :math:`\Lambda(t)=\sum_i\lambda_i\sigma(z_i-t)`."""
    return sum((l * (x - t) for l, x in zip(dual, z, strict=True) if x > t), Fraction(0))


@checked
def total_slope_change(z: Sequence[Real], y: Sequence[Real]) -> Fraction:
    r"""Return :math:`\sum_{i=2}^{n-1}|s_{i+1}-s_i|` of the piecewise linear interpolant, the closed form."""
    slopes = slopes_through(*sorted_data(z, y))[1:]
    return sum((abs(after - before) for before, after in pairwise(slopes)), Fraction(0))


@checked
def least_total_variation(
    z: Sequence[Real], y: Sequence[Real], *, knots: Sequence[Real] | None = None, solver: str = "HIGHS"
) -> TotalVariation:
    r"""Return a function of least total variation of the slope, and the multiplier that proves it.

    A linear programme over the candidate knots proposes a support; the vertex and its multipliers are solved
    again in rationals.

    Parameters
    ----------
    z, y : sequences of exact numbers
        Abscissae in increasing order and values, shape ``(n,)``, ``n >= 3``.
    knots : sequence of exact numbers, optional
        Candidate knots; the data and the midpoints between them unless given.
    solver : str
        A linear programming solver of cvxpy, by name.

    Raises
    ------
    DomainError
        For fewer than three data, and for data that are not sorted or not distinct.
    CertificateError
        If the solver finds no optimum, or the knots do not admit an interpolant.

    References
    ----------
    Compare Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 38, arXiv 2503.11272v1, whose network also
    pays for its affine part; that the piecewise linear interpolant is optimal here is classical.

    Examples
    --------
    >>> z, y = [0, 1, 2, 4], [0, 3, 1, 1]
    >>> least_total_variation(z, y).value() == total_slope_change(z, y) == 7
    True
    """
    zs, ys = sorted_data(z, y)
    if len(zs) < 3:
        raise DomainError(f"n = {len(zs)}", required="n >= 3", why="two points lie on a line")
    places = [shortest_fraction(k) for k in knots] if knots is not None else _default_knots(zs)
    x = np.array([float(v) for v in zs])
    bends = np.maximum(x[:, None] - np.array([float(k) for k in places]), 0.0)
    kinks, multipliers = least_l1(
        bends, np.array([float(v) for v in ys]), free=np.column_stack([np.ones_like(x), x]), solver=solver
    )
    return _vertex(zs, ys, places, support(kinks), multipliers @ bends)


def _default_knots(z: Exact) -> list[Fraction]:
    return [*z[1:-1], *((left + right) / 2 for left, right in pairwise(z))]


def _vertex(z: Exact, y: Exact, places: list[Fraction], chosen: list[int], potentials: Any) -> TotalVariation:
    order = [*chosen, *(k for k in range(len(places)) if k not in chosen)]
    bends = [[max(x - places[k], Fraction(0)) for x in z] for k in order]
    columns = [[Fraction(1)] * len(z), list(z), *bends]
    basis = complete_basis(columns, len(z))
    square = [columns[k] for k in basis]
    solution = solve_rational(rows(square), list(y))
    bent = [order[k - 2] for k in basis[2:]]
    alpha, beta, *kinks = solution
    # complementary slackness: the potential is the sign of a kink; where there is none, what the solver gave
    signs = [_sign(c) if c else _snapped(potentials[k]) for k, c in zip(bent, kinks, strict=True)]
    dual = solve_rational(square, [0, 0, *signs])
    return TotalVariation(z, y, tuple(places[k] for k in bent), tuple(kinks), (alpha, beta), tuple(dual))


def _sign(x: Fraction) -> Fraction:
    return Fraction((x > 0) - (x < 0))


def _snapped(value: float) -> Fraction:
    # a vertex of the dual has many potentials at exactly 1 or -1
    exact = max(Fraction(-1), min(Fraction(1), Fraction(float(value))))
    return Fraction(round(value)) if 1 - abs(exact) < Fraction(1, 10**9) else exact
