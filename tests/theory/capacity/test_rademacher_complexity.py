"""Rademacher complexities: exact means over signs for tables, lines and finite classes; refusals."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from properties import examples, half
from refusals import refuses

from theorytools import BudgetError, DomainError, rademacher_complexity
from theorytools.theory.capacity.exact_rademacher import FiniteClass, LineClass, TableClass, expectations, quantile

small = st.fractions(-3, 3, max_denominator=4)


@examples(
    20, st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(small, min_size=n, max_size=n), min_size=1, max_size=4)),
)  # fmt: skip
def test_the_complexity_is_the_mean_over_signs(losses):
    n = len(losses[0])
    signs = list(itertools.product((-1, 1), repeat=n))
    sums = [[sum(s * x for s, x in zip(xi, row, strict=True)) for row in losses] for xi in signs]
    assert rademacher_complexity(losses) == Fraction(sum(map(max, sums))) / (n * len(signs))
    plain, absolute = (rademacher_complexity(losses, absolute=flag) for flag in (False, True))
    assert absolute == rademacher_complexity([*losses, *([-x for x in row] for row in losses)]) >= plain >= 0


@examples(8, st.integers(1, 4).flatmap(lambda n: st.tuples(*(st.lists(small, min_size=n, max_size=n) for _ in "zy"))))
def test_a_line_is_the_limit_of_its_points(sample):
    z, y = (tuple(column) for column in sample)
    line = LineClass(tuple(v or Fraction(1) for v in z), y, Fraction(2), Fraction(3, 2))
    thetas = [Fraction(k, 4) for k in range(-8, 9)]
    table = TableClass(tuple(tuple(t * v for v in line.z) for t in thetas), y, line.root)
    for options in ({}, {"absolute": True}, {"truncated": False}):
        steepest = 2 * line.root if options.get("truncated", True) else 2 * (2 * 3 + 3)
        # theta is within 1/8 of a point, a prediction within 3/8
        fine, coarse = line.complexity(**options), table.complexity(**options)
        assert 0 <= fine - coarse <= steepest * Fraction(3, 8)
    assert table.steepness() <= line.steepness() <= 2 * line.root
    assert line.covering_number(half) == math.ceil(4 * max(map(abs, line.z)))


def test_finite_classes_know_the_complexity_of_each_small_sample():
    model = FiniteClass(((1, 0, half), (0, 1, Fraction(1, 3))), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)))
    law = model.law(4)
    assert sum(p for p, _, _ in law) == 1
    counts = (2, 1, 1)
    rows = [[x for x, c in zip(row, counts, strict=True) for _ in range(c)] for row in model.losses]
    assert model.complexity(counts) == rademacher_complexity(rows)
    mean, complexity = expectations(law)
    assert mean <= 2 * complexity  # symmetrisation
    assert sum(p for p, s, r in law if s - 2 * r > quantile(law, Fraction(1, 20))) <= Fraction(1, 20)
    assert FiniteClass(((1, 0),), (half, half)).complexity((3, 4)) == 0
    refuses(
        BudgetError, lambda: rademacher_complexity([[1] * 17]),
        lambda: rademacher_complexity([[1, Fraction(1, 10**18)]]),
        lambda: FiniteClass((tuple(range(12)),), (Fraction(1, 12),) * 12).law(30),
    )  # fmt: skip
    with pytest.raises(DomainError):
        FiniteClass(((1, 0),), (half, Fraction(1, 3)))
    with pytest.raises(DomainError):
        LineClass((Fraction(0),), (Fraction(1),), half, half)
