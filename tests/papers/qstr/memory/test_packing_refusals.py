"""What packings refuse: points, shapes and constants outside the hypotheses, and a distance that is not decided."""

from fractions import Fraction

import pytest

from theorytools.codes.families import reed_muller
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.qstr.memory.ellipsoid_packing import covering_constant, packing_constant
from theorytools.papers.qstr.memory.packing import Packing, unit_axes
from theorytools.papers.qstr.memory.packing_sets import line_points, maximal_points, named_packing


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: Packing.of_points([[0.5], [1.0]]),
        lambda: Packing.of_points([[1, 0]]),
        lambda: Packing.of_points([1, 2, 3]),
        lambda: Packing.of_points([[2**31], [0]]),
        lambda: Packing.of_points([[1, 0], [0, 1]], axes2=[Fraction(1)]),
        lambda: Packing.of_points([[1, 0], [0, 1]], axes2=[Fraction(1), Fraction(0)]),
        lambda: Packing.by_volume([], Fraction(1)),
        lambda: Packing.by_volume(unit_axes(3), Fraction(1, 2)).changed(lambda z: z),
        lambda: Packing.of_code(reed_muller(1, 3)).in_dimension(9),
        lambda: named_packing("e8", 7, Fraction(1)),
        lambda: named_packing("leech", 24, Fraction(1)),
        lambda: line_points(Fraction(0)),
        lambda: line_points(Fraction(1, 2), 3),
        lambda: maximal_points(2, Fraction(3, 2)),
        lambda: packing_constant(1),
        lambda: packing_constant(Fraction(1, 4)),  # 1 + sqrt(1/3) < sqrt(e)
        lambda: covering_constant(Fraction(1, 20)),
    ],
)
def test_refused(attempt):
    with pytest.raises(DomainError):
        attempt()


def test_a_point_at_distance_exactly_eps_is_not_decided():
    with pytest.raises(BudgetError):
        maximal_points(1, Fraction(1, 2))
