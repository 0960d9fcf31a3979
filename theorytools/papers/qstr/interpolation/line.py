r"""The least parameter norm of a two-layer ReLU network through data on the line, from both sides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import STEPS, NonNegativeInt, PositiveInt, Real, at_most, checked
from theorytools.errors import CertificateError
from theorytools.numbers import Enclosure, portable, shortest_fraction, solve_rational, total
from theorytools.numbers.linear_program import complete_basis, least_l1, rows, support
from theorytools.papers.qstr.feedforward.interpolant import Exact, knots_before, sorted_data, squared_norm
from theorytools.papers.qstr.interpolation.bracket import Bracket

Array = NDArray[np.float64]
Direction = tuple[Fraction, Fraction]
TOLERANCE = Fraction(5, 10**9)
BITS = 38  # of the answers of a solver that are kept: the rest belongs to the machine
FINER = 16  # each round divides the angle between neighbouring candidates by this


@checked
@dataclass(frozen=True)
class MinNorm(Bracket):
    r"""Two certificates around the least squared parameter norm of a network through the data.

    With :math:`\phi_z(\theta)=\sigma(z\cos\theta+\sin\theta)` the least :math:`\|a\|^2+\|w\|^2+\|b\|^2` over
    all networks :math:`\sum_ka_k\sigma(w_kx+b_k)` of any width that pass through the data is

    .. math:: M=2\min\{\|\mu\|_{TV}:\textstyle\int\phi_{z_i}d\mu=y_i\}
               =2\max\{\lambda^\top y:\sup_\theta|\textstyle\sum_i\lambda_i\phi_{z_i}(\theta)|\le1\}.

    Any such network bounds it from above, any :math:`\lambda` divided by its supremum from below; both are
    rational here.

    Parameters
    ----------
    z, y : the data, sorted, as fractions, shape ``(n,)``.
    directions : :math:`(w_k,b_k)`, rational and of any length.
    weights : output weights :math:`a_k` for those directions.
    dual : :math:`\lambda`, rational, shape ``(n,)``.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 38, arXiv 2503.11272v1; the bracket is derived here.

    Examples
    --------
    >>> ends = (Fraction(0), Fraction(1)), (Fraction(0), Fraction(5))
    >>> best = MinNorm(*ends, ((Fraction(1), Fraction(0)),), (Fraction(5),), (Fraction(0), Fraction(1)))
    >>> best.hits(), best.upper(), round(float(best.lower()), 3)
    (2, Enclosure(10), 7.071)
    """

    z: Exact
    y: Exact
    directions: tuple[Direction, ...]
    weights: Exact
    dual: Exact

    @property
    def data(self) -> list[tuple[Fraction, Fraction]]:
        """The pairs ``(z_i, y_i)``."""
        return list(zip(self.z, self.y, strict=True))

    def evaluate(self, x: Fraction) -> Fraction:
        """Return the exact value of the network at ``x``.

        Parameters
        ----------
        x : a fraction.

        Returns
        -------
        Fraction : exact.
        """
        terms = zip(self.weights, self.directions, strict=True)
        return sum((a * max(w * x + b, Fraction(0)) for a, (w, b) in terms), Fraction(0))

    def residual(self) -> Fraction:
        """Return the largest deviation from the data; the upper bound holds only where this is 0."""
        return max(abs(self.evaluate(z) - y) for z, y in self.data)

    def hits(self) -> int:
        """Return the number of data that the network passes through exactly."""
        return sum(self.evaluate(z) == y for z, y in self.data)

    def upper(self) -> Enclosure:
        r"""Return :math:`2\sum_k|a_k|\sqrt{w_k^2+b_k^2}`, the balanced norm, at the ambient precision."""
        terms = zip(self.weights, self.directions, strict=True)
        return 2 * total(abs(a) * Enclosure(squared_norm(v)).sqrt() for a, v in terms)

    def lower(self) -> Enclosure:
        r"""Return :math:`2|\lambda^\top y|/\sup|\sum_i\lambda_i\phi_{z_i}|` at the ambient precision."""
        return self.gain() / Enclosure(self.squared_supremum).sqrt() if self.gain() else Enclosure(0)

    def gain(self) -> Fraction:
        r"""Return :math:`2|\lambda^\top y|`, a bound of nothing until divided by the supremum."""
        return 2 * abs(sum((l * y for l, y in zip(self.dual, self.y, strict=True)), Fraction(0)))

    @cached_property
    def squared_supremum(self) -> Fraction:
        r"""The square of the exact :math:`\sup_\theta|\sum_i\lambda_i\phi_{z_i}(\theta)|`."""
        return squared_supremum(self.z, self.dual)

    def require_feasible(self) -> None:
        """Refuse a network that misses what it has to fit.

        Raises
        ------
        CertificateError : :meth:`residual` is not 0.
        """
        if self.residual():
            raise CertificateError("a network that misses the data", required="residual() == 0")


def squared_supremum(z: Exact, dual: Exact) -> Fraction:
    r"""Return :math:`\sup_\theta(\sum_i\lambda_i\sigma(z_i\cos\theta+\sin\theta))^2`, an exact rational.

    Between the breakpoints :math:`\pm(1,-z_j)` the same data are active and the sum is
    :math:`A\cos\theta+B\sin\theta`; its square is largest at a breakpoint or, where that lies in the same
    arc, at :math:`\pm(A,B)/\sqrt{A^2+B^2}`, with the value :math:`A^2+B^2`.
    """
    data = list(zip(dual, z, strict=True))
    heights = [squared_norm(v) for v in critical_directions(z, dual)]
    for knot in z:
        for sign in (1, -1):
            value = sum((l * max(sign * (x - knot), Fraction(0)) for l, x in data), Fraction(0))
            heights.append(value**2 / (1 + knot**2))
    return max(heights)


def critical_directions(z: Exact, dual: Exact) -> Iterator[Direction]:
    r"""Yield :math:`\pm(A,B)` of every arc that contains it; the sum over the data is stationary there."""
    n, zero = len(z), Fraction(0)
    for active in [*(range(k, n) for k in range(n)), *(range(k) for k in range(1, n))]:
        A, B = sum((dual[i] * z[i] for i in active), zero), sum((dual[i] for i in active), zero)
        for w, b in ((A, B), (-A, -B)):
            # i is active iff z_i w + b >= 0; at equality its term is 0 either way
            if all((z[i] * w + b) * (1 if i in active else -1) >= 0 for i in range(n)):
                yield w, b


@checked
@at_most(angles=STEPS)
def min_norm_interpolant(
    z: Sequence[Real],
    y: Sequence[Real],
    *,
    width: Real = TOLERANCE,
    angles: PositiveInt = 128,
    rounds: NonNegativeInt = 6,
    solver: str = "HIGHS",
) -> MinNorm:
    r"""Return a bracket of the least squared parameter norm of a two-layer ReLU network through the data.

    A linear programme over candidate directions proposes a network and multipliers.  While the bracket is too
    wide, finer candidates are added around the directions where the multipliers are extreme: between
    candidates at an angle :math:`h` a sinusoid exceeds them by a factor of at most :math:`1/\cos(h/2)`, so a
    bracket of relative width about :math:`h^2/8` is reached.

    Parameters
    ----------
    z, y : sequences of exact numbers
        Abscissae in increasing order and values, shape ``(n,)``.
    width : exact number
        Relative width at which to stop.
    angles : int
        Candidates spread evenly over the circle, besides all breakpoints.
    rounds : int
        At most this many refinements; a wider bracket is returned when they are spent.
    solver : str
        A linear programming solver of cvxpy, by name.

    Returns
    -------
    MinNorm : a network that attains the upper end, and the multipliers that prove the lower.

    Raises
    ------
    DomainError
        For data that are not sorted or not distinct.
    CertificateError
        If the solver finds no optimum.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 38, arXiv 2503.11272v1; the bracket is derived here.

    Examples
    --------
    >>> best = min_norm_interpolant([0, 1], [0, 5])
    >>> best.directions, best.upper(), best.within(Fraction(1, 10**8))
    (((Fraction(1, 1), Fraction(0, 1)),), Enclosure(10), True)
    """
    (zs, ys), target = sorted_data(z, y), shortest_fraction(width)
    # breakpoints ±(1, -z_i), where the sum has kinks, and the data (z_i, 1), where one datum alone is largest
    candidates = [v for x in zs for v in ((Fraction(1), -x), (Fraction(-1), x), (x, Fraction(1)))]
    step, parts = 2 * np.pi / angles, angles
    finer: Iterable[Direction] = [
        _direction(c, s) for c, s in zip(*portable.turn(np.arange(angles), angles), strict=True)
    ]
    for remaining in range(rounds, -1, -1):
        candidates += finer
        found = _propose(zs, ys, candidates, solver)
        if not remaining or found.within(target):
            break
        parts *= FINER
        finer, step = _finer(zs, found.dual, step, parts), step / FINER
    return found


def _propose(z: Exact, y: Exact, candidates: list[Direction], solver: str) -> MinNorm:
    v = np.array([[float(w), float(b)] for w, b in candidates])
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    features = np.maximum(np.outer([float(x) for x in z], v[:, 0]) + v[:, 1], 0.0)
    weights, multipliers = least_l1(features, np.array([float(x) for x in y]), solver=solver)
    chosen = [candidates[k] for k in support(weights)]
    return MinNorm(
        z, y, *_exact_network(z, y, chosen), tuple(Fraction(float(l)) for l in portable.coarse(multipliers, BITS))
    )


def _finer(z: Exact, dual: Exact, step: float, parts: int) -> list[Direction]:
    # a peak between two candidates was cut off by at most 1 - cos(step) relative to them
    peaks = [v for v in critical_directions(z, dual) if squared_norm(v) >= (1 - Fraction(step) ** 2) ** 2]
    middles = [(float(w), float(b), math.sqrt(w * w + b * b)) for w, b in peaks]
    turns = list(zip(*portable.turn(np.arange(-FINER, FINER + 1), parts), strict=True))
    return [_direction((w * c - b * s) / size, (b * c + w * s) / size) for w, b, size in middles for c, s in turns]


def _exact_network(z: Exact, y: Exact, chosen: list[Direction]) -> tuple[tuple[Direction, ...], Exact]:
    # x -> relu(x - knot) at the lemma's knots is a triangular system: it completes any support to a basis
    pool = [*chosen, *((Fraction(1), -knot) for knot in knots_before(z))]
    columns = [[max(w * x + b, Fraction(0)) for x in z] for w, b in pool]
    basis = complete_basis(columns, len(z))
    weights = solve_rational(rows([columns[k] for k in basis]), list(y))
    used = [(pool[k], a) for k, a in zip(basis, weights, strict=True) if a]
    return tuple(v for v, _ in used), tuple(a for _, a in used)


def _direction(w: float, b: float) -> Direction:
    return Fraction(round(float(w) * 2**32), 2**32), Fraction(round(float(b) * 2**32), 2**32)
