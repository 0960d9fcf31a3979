"""Complexities, averages and norms of small classes by enumeration, and at the edges of their arguments."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import BudgetError, DomainError
from theorytools.papers.qstr.capacity.maurey import MatrixAverage, ScalarAverage
from theorytools.papers.qstr.capacity.mixed_norms import MatrixProduct, conjugate, mixed_norm, vector_norm
from theorytools.theory.capacity import exact_rademacher
from theorytools.theory.capacity.exact_rademacher import (
    FiniteClass,
    LineClass,
    TableClass,
    expectations,
    quantile,
    rademacher_complexity,
)

F = Fraction
small = st.integers(-3, 3)


def signs(n):
    return list(itertools.product((-1, 1), repeat=n))


# -- Rademacher complexity ---------------------------------------------------------------------------------------------
@examples(25, st.integers(1, 4), st.integers(1, 4), st.data(), st.booleans())
def test_complexities_by_all_signs(functions, n, data, absolute):
    losses = [[F(data.draw(small), data.draw(st.integers(1, 3))) for _ in range(n)] for _ in range(functions)]
    sums = [[sum(s * x for s, x in zip(xi, row, strict=True)) for row in losses] for xi in signs(n)]
    wanted = sum(max(map(abs, row)) if absolute else max(row) for row in sums) / (n * 2**n)
    assert rademacher_complexity(losses, absolute=absolute) == wanted
    assert rademacher_complexity(losses) == rademacher_complexity(losses, absolute=False)


@examples(20, st.lists(st.lists(small, min_size=3, max_size=3), min_size=1, max_size=3), st.lists(small, min_size=3,
          max_size=3), st.sampled_from([F(1), F(3, 2), F(9)]))  # fmt: skip
def test_tables_by_their_losses(predictions, y, root):
    table = TableClass(tuple(map(tuple, predictions)), tuple(y), root)
    square = [[F(v - t) ** 2 for v, t in zip(row, y, strict=True)] for row in predictions]
    cut = [[min(x, root**2) for x in row] for row in square]
    assert table.complexity() == rademacher_complexity(cut)
    assert table.complexity(truncated=False) == rademacher_complexity(square)
    assert table.complexity(absolute=True) == rademacher_complexity(cut, absolute=True)
    spread = max(max(c) - min(c) for c in zip(*predictions, strict=True))
    assert table.covering_number(F(spread, 2)) == 1
    if spread:
        assert table.covering_number(F(spread, 2) - F(1, 100)) == len(predictions)
    pairs = [(u, v, t) for c, t in zip(zip(*predictions, strict=True), y, strict=True)
             for u, v in itertools.combinations(c, 2) if u != v]  # fmt: skip
    slopes = [abs(min(F(u - t) ** 2, root**2) - min(F(v - t) ** 2, root**2)) / abs(u - v) for u, v, t in pairs]
    assert table.steepness() == max(slopes, default=0)
    assert table.steepness() <= 2 * root
    refuses(
        DomainError, (lambda: table.covering_number(F(-1, 9)), "eps >= 0"),
        (lambda: replace(table, y=tuple(y[:2])), "one prediction for each label"),
        (lambda: TableClass((), (), root), "at least one vector"), (lambda: TableClass(((),), (), root), "at least"),
    )  # fmt: skip
    assert table.covering_number(F(0)) == (1 if not spread else len(predictions))


@examples(8, st.lists(st.sampled_from([-2, -1, 1, 2]), min_size=1, max_size=3),
          st.lists(small, min_size=3, max_size=3), st.sampled_from([F(1, 2), F(2)]), st.sampled_from([F(1), F(3)]),
          st.booleans(), st.booleans())  # fmt: skip
def test_lines_by_a_grid(z, y, radius, root, truncated, absolute):
    y = y[: len(z)]
    lines, n = LineClass(tuple(z), tuple(y), radius, root), len(z)
    thetas = [radius * F(k, 400) for k in range(-400, 401)]
    losses = np.array([[float((t * a - b) ** 2) for a, b in zip(z, y, strict=True)] for t in thetas])
    if truncated:
        losses = np.minimum(losses, float(root**2))
    sums = losses @ np.array(signs(n)).T
    grid = (np.abs(sums) if absolute else sums).max(axis=0).mean() / n
    exact = float(lines.complexity(absolute=absolute, truncated=truncated))
    # a loss changes by at most 2 (|z| r + |y|) |z| r/800 between a place and the next of the grid
    step = max(2 * (abs(a) * radius + abs(b)) * abs(a) * radius / 800 for a, b in zip(z, y, strict=True))
    assert grid - 1e-12 <= exact <= grid + float(step) + 1e-12
    assert lines.complexity() == lines.complexity(absolute=False, truncated=True)
    for eps in (F(1, 3), radius * max(map(abs, z)), F(100)):
        count = lines.covering_number(eps)
        assert (count - 1) * eps < radius * max(map(abs, z)) <= count * eps
    largest = max(radius * abs(a) + abs(b) for a, b in zip(z, y, strict=True))
    assert lines.steepness() == 2 * min(root, largest)
    refuses(
        DomainError, *(lambda change=change: replace(lines, **change) for change in (
            {"radius": F(0)}, {"root": F(0)}, {"radius": F(-1)}, {"root": F(-1)}, {"z": ()}, {"z": (0,) * n},
            {"y": (*y, 1)})),
        (lambda: lines.covering_number(F(0)), "eps > 0"),
    )  # fmt: skip


@examples(12, st.lists(st.lists(small, min_size=2, max_size=2), min_size=1, max_size=3), st.integers(1, 4),
          st.sampled_from([F(1, 2), F(1, 3)]))  # fmt: skip
def test_laws_of_samples_by_all_samples(losses, n, mass):
    made = FiniteClass(tuple(map(tuple, losses)), (mass, 1 - mass))
    law = made.law(n)
    assert sum(p for p, _, _ in law) == 1
    every = []
    for sample in itertools.product((0, 1), repeat=n):
        chance = math.prod((mass, 1 - mass)[a] for a in sample)
        gap = max(mass * row[0] + (1 - mass) * row[1] - F(sum(row[a] for a in sample), n) for row in losses)
        every.append((chance, gap, rademacher_complexity([[row[a] for a in sample] for row in losses])))
    assert expectations(law) == expectations(every)
    assert quantile(law, F(1, 5)) == quantile(every, F(1, 5)) == quantile(law, F(1, 5), times=2)
    for delta, times in ((F(1, 5), 0), (F(1, 2), 1), (F(1, 100), 2)):
        t = quantile(law, delta, times=times)
        values = [(x - times * r, p) for p, x, r in every]
        assert sum(p for v, p in values if v > t) <= delta
        assert t == min(v for v, _ in values) or sum(p for v, p in values if v >= t) > delta
    counts = (1, n - 1)
    assert made.complexity(counts) == rademacher_complexity([[row[0]] + [row[1]] * (n - 1) for row in losses])


def test_small_classes_at_the_edges():
    one = FiniteClass(((F(1), F(2)),), (F(1, 2), F(1, 2)))
    assert one.complexity((2, 0)) == 0
    refuses(
        DomainError, *(lambda m=m: FiniteClass(((1, 2),), m) for m in (
            (F(1, 2), F(1, 4)), (F(1), F(0)), (F(3, 2), F(-1, 2)), (F(1),), ())),
        *(lambda c=c: one.complexity(c) for c in ((1,), (1, -1), (0, 0))),
        lambda: rademacher_complexity([]), lambda: rademacher_complexity([[]]),
        lambda: rademacher_complexity([[1], [1, 2]]),
    )  # fmt: skip
    most = exact_rademacher._SIGNS
    exact_rademacher._affordable(most)
    many = LineClass((1,) * (most + 1), (0,) * (most + 1), 1, 1)
    refuses(BudgetError, (many.complexity, f"{most + 1} signs"),
            (lambda: rademacher_complexity([[1] * (most + 1)]), f"{most + 1} signs"))  # fmt: skip


# -- averages of vertices ----------------------------------------------------------------------------------------------
@examples(20, st.fractions(-1, 1, max_denominator=6), st.integers(1, 4), st.fractions(F(1, 4), 3, max_denominator=4))
def test_an_average_of_signs_by_all_signs(theta, k, scale):
    average = ScalarAverage(theta, k, scale)
    up = (1 + theta) / 2
    chances = [(math.prod(up if s > 0 else 1 - up for s in xi), scale * abs(F(sum(xi), k) - theta)) for xi in signs(k)]
    assert sum(p for p, _ in chances) == 1
    for eps in {error for _, error in chances} | {F(0), F(9)}:  # an error of exactly eps counts
        assert average.miss(eps) == sum(p for p, error in chances if error >= eps)
    refuses(DomainError, lambda: ScalarAverage(F(10, 9), k, scale), lambda: ScalarAverage(F(-10, 9), k, scale),
            lambda: ScalarAverage(theta, 0, scale))  # fmt: skip


@examples(8, st.lists(st.lists(st.sampled_from([F(-1, 4), F(0), F(1, 4)]), min_size=2, max_size=2), min_size=1,
          max_size=2), st.integers(1, 2), st.sampled_from([F(1), F(2)]))  # fmt: skip
def test_matrix_averages_by_their_variance(Theta, k, R_1):
    tokens = [[F(1)] * len(Theta), [F(2), F(-1)][: len(Theta)]]
    average = MatrixAverage(tuple(map(tuple, Theta)), tuple(map(tuple, tokens)), R_1, k)
    chances = average.vertices()
    assert sum(chances.values()) == 1
    for a, b in itertools.product(range(len(Theta)), range(2)):  # the mean is the matrix
        assert R_1 * (chances.get((a, b, 1), 0) - chances.get((a, b, -1), 0)) == Theta[a][b]
    outcomes = list(average.outcomes())
    assert sum(p for p, _ in outcomes) == 1
    assert average.mean_square() == sum(p * e for p, e in outcomes)
    assert average.least_square() == min(e for _, e in outcomes)
    # independent terms: the mean square of k is that of one over k
    assert average.mean_square() == replace(average, k=1).mean_square() / k
    one = sum(p * R_1**2 * F(sum(z[a] ** 2 for z in tokens), len(tokens)) for (a, _, _), p in chances.items())
    mean = sum((sum(z * row[b] for z, row in zip(token, Theta, strict=True))) ** 2 for token in tokens for b in (0, 1))
    assert replace(average, k=1).mean_square() == one - mean / len(tokens)
    total = sum(abs(x) for row in Theta for x in row)
    if total:
        refuses(DomainError, (lambda: replace(average, R_1=total - F(1, 100)).vertices(), "a sum of at most"))
        assert sum(replace(average, R_1=total).vertices().values()) == 1
    refuses(DomainError, *(lambda c=c: replace(average, **c) for c in ({"R_1": F(0)}, {"R_1": F(-1)}, {"k": 0})))


def test_outcomes_beyond_the_budget_and_counts_of_averages():
    Theta = ((F(1, 4), F(1, 4)), (F(1, 8), F(1, 8)))
    wide = MatrixAverage(Theta, ((F(1), F(1)),), F(1), 9)  # four vertices, and both signs of the first
    assert len(wide.vertices()) == 5
    refuses(BudgetError, (lambda: next(iter(wide.outcomes())), r"5\^9 outcomes"))
    for entries, k in ((1, 3), (2, 2), (3, 2)):
        made = MatrixAverage((tuple([F(0)] * entries),), ((F(1),),), F(1), k)
        whole = itertools.product(range(-k, k + 1), repeat=entries)
        assert made.count() == sum(sum(map(abs, v)) <= k for v in whole)


# -- norms of products -------------------------------------------------------------------------------------------------
@examples(25, st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(0, 999),
          *[st.sampled_from([1, 2, "max"])] * 3)  # fmt: skip
def test_norms_of_a_product_are_below_those_of_its_factors(a, b, c, seed, p, r, s):
    made = MatrixProduct.random(np.random.default_rng(seed), (a, b, c))
    first, second = np.array(made.first), np.array(made.second)
    assert (first.shape, second.shape) == ((a, b), (b, c))
    assert np.abs(first).max() <= 9
    assert (np.array(made.rows()) == first @ second).all()
    order = {1: 1, 2: 2, "max": np.inf}
    columns = [np.linalg.norm(column, order[r]) for column in (first @ second).T]
    assert float(made.norm(r, s)) == pytest.approx(np.linalg.norm(columns, order[s]), rel=1e-12, abs=1e-12)
    assert float(mixed_norm(made.first, p, s)) == pytest.approx(
        np.linalg.norm([np.linalg.norm(column, order[p]) for column in first.T], order[s]), rel=1e-12
    )
    q = conjugate(p)
    assert conjugate(q) == p
    x, y = first[0], second[:, 0]
    assert abs(x @ y) <= float(vector_norm(x.tolist(), p)) * float(vector_norm(y.tolist(), q)) + 1e-9


def test_norms_and_products_that_do_not_exist():
    assert vector_norm([3, -4], 2).fraction() == 5
    assert vector_norm([3, -4], 1).fraction() == 7
    assert vector_norm([3, -4], "max").fraction() == 4
    refuses(
        DomainError, (lambda: vector_norm([1], 3), "the exponent 3"), (lambda: conjugate("min"), "the exponent 'min'"),
        lambda: MatrixProduct([[1, 2]], [[1]]), lambda: MatrixProduct([[1], [1, 2]], [[1]]),
        lambda: MatrixProduct([[1, 1]], [[1], [1, 2]]),
    )  # fmt: skip
    for p in (1, 2, "max"):  # equality in Hoelder's inequality between the factors
        made = MatrixProduct.aligned([1, -2], [1, 2, 3], [3, 1], p)
        inner, outer = [row[0] for row in made.second], made.first[0]
        size = float(vector_norm(outer, p)) * float(vector_norm([x / 3 for x in inner], conjugate(p)))
        assert made.rows()[0][1] == pytest.approx(size, rel=1e-12)
