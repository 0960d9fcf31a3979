r"""Explicit separated sets: on a segment, on a lattice, from codes, and sets proved impossible to enlarge.

The functions ending in ``_points`` return integers ``z`` of shape ``(n, D)`` and their ``scale``: the points
meant are :math:`z/\sqrt{\mathtt{scale}}`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, STEPS, NonNegativeInt, at_most, checked
from theorytools.arguments.values import within_budget
from theorytools.codes.bch import BCHCode, bch
from theorytools.codes.families import e8_roots, reed_muller
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.qstr.memory.packing import Packing, unit_axes

Points = NDArray[np.int64]

_LEVELS = 16
_POINTS = 2**20


@checked
@at_most(D=STEPS)
def named_packing(name: str, D: NonNegativeInt, eps: Fraction, *, spacing: Fraction | int = 1) -> Packing:
    r"""Return a set in ``D`` dimensions by its name.

    ========== =====================================================================================
    line        ``line_points(eps, spacing)``
    maximal     ``maximal_points(D, eps)``
    e8          the 240 roots of :math:`E_8` on the unit sphere, and the centre
    reed_muller RM(2, m), ``D = 2^m``: at distance 1 on the unit sphere, and the centre
    bch         the most words at distance ``eps`` or more of a BCH code, ``D = 2^m``, of proved distance
    volume      as many points as exist by volume in the unit ball
    harmonic    ``lattice_points`` in the ellipsoid with semi-axes :math:`1,\frac12,\dots,\frac1D`
    ========== =====================================================================================

    Raises
    ------
    DomainError : another name, or a set of another dimension.
    """
    axes = [Fraction(1, i**2) for i in range(1, D + 1)]
    sets = {
        "line": lambda: Packing.of_points(*line_points(eps, spacing)),
        "maximal": lambda: Packing.of_points(*maximal_points(D, eps)),
        "e8": lambda: Packing.of_points(np.pad(e8_roots(), ((0, 1), (0, 0))), 8),
        "reed_muller": lambda: Packing.of_code(reed_muller(2, D.bit_length() - 1), centre=True),
        "bch": lambda: Packing.of_code(_largest_bch(D, 1 - Fraction(eps) ** 2 / 2)),
        "volume": lambda: Packing.by_volume(unit_axes(D), eps),
        "harmonic": lambda: Packing.of_points(*lattice_points(axes, eps), axes2=axes),
    }
    if name not in sets:
        raise DomainError(f"the set {name!r}", required=f"one of {', '.join(sets)}")
    return sets[name]().in_dimension(D)


def _largest_bch(D: int, coherence: Fraction) -> BCHCode:
    """Return the BCH code with the most words of length at most ``D``: more index bits need more length."""
    least, most = 1, D  # the code with 2^least words fits or none does; one with 2^most words does not fit
    while most - least > 1:
        bits = (least + most) // 2
        least, most = (bits, most) if _fits(1 << bits, D, coherence) else (least, bits)
    return bch(1 << least, coherence=coherence, one_sided=True)


def _fits(N: int, D: int, coherence: Fraction) -> bool:
    try:
        return bch(N, coherence=coherence, one_sided=True).d_e <= D
    except BudgetError:
        return False


@checked
def line_points(eps: Fraction, spacing: Fraction | int = 1) -> tuple[Points, int]:
    r"""Place points in :math:`[-1,1]`, neighbours ``spacing`` times :math:`\epsilon` apart, 1 to 2 times.

    They begin ``(spacing - 1) eps`` from the left end; the right end joins where it would be farther than
    :math:`\epsilon`.  Spacing 1 gives the most points possible, :math:`\lfloor2/\epsilon\rfloor+1`, which is
    :math:`1+2/\epsilon` where that is an integer.  Spacing 2 gives :math:`1/\epsilon` points where that is an
    integer, the fewest that leave no point of the segment farther than :math:`\epsilon`.

    Raises
    ------
    DomainError : not ``eps > 0`` and ``1 <= spacing <= 2``.
    """
    if not (eps > 0 and 1 <= spacing <= 2):
        given = f"eps = {eps}, spacing = {spacing}"
        why = "closer points are not separated, wider gaps are not reached"
        raise DomainError(given, required="eps > 0 and 1 <= spacing <= 2", why=why)
    step, first = spacing * Fraction(eps), min((spacing - 1) * Fraction(eps) - 1, Fraction(0))
    places = [first + j * step for j in range(math.floor((1 - first) / step) + 1)]
    if 1 - places[-1] > eps:
        places.append(Fraction(1))
    common = math.lcm(*(place.denominator for place in places))
    return np.array([[int(place * common)] for place in places], dtype=np.int64), common**2


@checked
def lattice_points(axes2: Sequence[Fraction], eps: Fraction) -> tuple[Points, int]:
    r"""Return all points of :math:`\epsilon\mathbb Z^D` in the ellipsoid :math:`\sum_ix_i^2/a_i^2\le1`.

    ``axes2`` are the squared semi-axes, shape ``(D,)``; :math:`\epsilon` is the distance of neighbours.

    Raises
    ------
    DomainError : not ``eps > 0``, or axes that are not positive.
    BudgetError : more than 2**20 points.
    """
    if not (eps > 0 and all(axis > 0 for axis in axes2)):
        given = f"eps = {eps}, the squared semi-axes {[str(axis) for axis in axes2[:8]]}"
        raise DomainError(given, required="eps > 0 and positive axes", why="the points lie in an ellipsoid")
    eps = Fraction(eps)
    weights = [eps**2 / Fraction(axis) for axis in axes2]
    # the box |z_i| <= 1/sqrt(D w_i) lies inside, so a large one is refused before its points are listed
    box = math.prod(2 * math.isqrt(math.floor(1 / (len(weights) * w))) + 1 for w in weights)
    inside = list(islice(_inside(weights, Fraction(1)), _POINTS + 1)) if box <= _POINTS else []
    within_budget("points", len(inside) or box, _POINTS, why="all are listed", advice="take a larger eps")
    return np.array(inside, dtype=np.int64) * eps.numerator, eps.denominator**2


def _inside(weights: Sequence[Fraction], room: Fraction) -> Iterator[tuple[int, ...]]:
    """Yield the integer points with ``sum weights z^2 <= room``."""
    if not weights:
        yield ()
        return
    most = math.isqrt(math.floor(room / weights[0]))
    for z in range(-most, most + 1):
        for rest in _inside(weights[1:], room - weights[0] * z * z):
            yield (z, *rest)


@checked
@at_most(D=ENTRIES)
def maximal_points(D: NonNegativeInt, eps: Fraction) -> tuple[Points, int, Fraction]:
    r"""Grow a separated set in the unit ball of :math:`\mathbb R^D` until, provably, no point can be added.

    The cube :math:`[-1,1]^D` is halved again and again.  A cube is done when it misses the ball, or when all
    its corners are nearer than :math:`\epsilon` to one point of the set.  The centre of any other cube joins
    the set if it lies in the ball, :math:`\epsilon` or more from all points.  When no cube is left, every
    point of the ball is nearer than :math:`\epsilon` to the set.  All numbers are integers.

    Returns
    -------
    points, scale (a power of 4), and a proved upper bound below :math:`\epsilon^2` on the squared reach.

    Raises
    ------
    DomainError : not ``D >= 1`` and ``0 < eps <= 1``.
    BudgetError : a cube is left after 16 halvings, as around a point at distance exactly :math:`\epsilon`.
    """
    if D < 1 or not 0 < eps <= 1:
        given, why = f"D = {D}, eps = {eps}", "the unit ball is packed"
        raise DomainError(given, required="D >= 1 and 0 < eps <= 1", why=why)
    corners = np.array(list(product((-1, 1), repeat=D)), dtype=np.int64)
    cubes = points = np.zeros((1, D), dtype=np.int64)
    reach2 = Fraction(0)
    for level in range(_LEVELS):  # lengths in units of 2^-level: half-sides 1, the ball of radius 2^level
        unit = 4**level
        limit = math.ceil(Fraction(eps) ** 2 * unit)  # for integers, x < eps^2 unit means x < limit
        cubes = cubes[(np.maximum(abs(cubes) - 1, 0) ** 2).sum(axis=1) <= unit]
        for centre in cubes[_farthest(cubes, points) >= limit]:
            nearest = ((centre - points) ** 2).sum(axis=1).min()
            if (centre**2).sum() <= unit and nearest >= limit:
                points = np.vstack([points, centre])
        farthest = _farthest(cubes, points)
        reach2 = max(reach2, Fraction(int(farthest.max(where=farthest < limit, initial=0)), unit))
        cubes = cubes[farthest >= limit]
        if not len(cubes):
            return points, unit, reach2
        cubes, points = (2 * cubes[:, None] + corners).reshape(-1, D), 2 * points
    raise BudgetError(
        f"{len(cubes)} cubes after {_LEVELS} halvings at D = {D}, eps = {eps}",
        required="a set that leaves every point of the ball nearer than eps",
        why="cubes do not decide a point at distance exactly eps",
        advice="take a slightly smaller or larger eps",
    )


def _farthest(cubes: Points, points: Points) -> Points:
    """Return for each cube of half-side 1 the least, over points, squared distance of the farthest corner."""
    squares = sum((abs(cubes[:, None, i] - points[None, :, i]) + 1) ** 2 for i in range(points.shape[1]))
    least: Points = np.asarray(squares).min(axis=1)
    return least
