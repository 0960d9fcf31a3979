"""Arrays of intervals hold what exact arithmetic gives, whatever numbers in them are taken."""

from fractions import Fraction

import numpy as np

from theorytools.numbers import Enclosure
from theorytools.numbers.boxes import Box, enclosing, exact, joined, length, times


def held(box, truth):
    return all(
        Fraction(low) <= x <= Fraction(high)
        for low, x, high in zip(box.low.ravel().tolist(), truth, box.high.ravel().tolist(), strict=True)
    )


def test_sums_and_products_of_intervals_hold_those_of_numbers_in_them():
    rng = np.random.default_rng(0)
    A, B = (Box(rng.uniform(0.1, 1, (3, 3)), rng.uniform(0.1, 0.5, (3, 3))) for _ in range(2))
    for k in range(20):  # corners among them, where the product of two radii counts
        signs = [np.sign(box.mid) if k < 4 else rng.uniform(-1, 1, (3, 3)) for box in (A, B)]
        a, b = (box.mid + box.rad * s * (1 - 1e-9) for box, s in zip((A, B), signs, strict=True))
        x, y = ([[Fraction(v) for v in row] for row in m.tolist()] for m in (a, b))
        flat = [(i, j) for i in range(3) for j in range(3)]
        assert held(A + B, [x[i][j] + y[i][j] for i, j in flat])
        assert held(A - B, [x[i][j] - y[i][j] for i, j in flat])
        assert held(A * B, [x[i][j] * y[i][j] for i, j in flat])
        assert held(A @ B.T, [sum(x[i][k] * y[j][k] for k in range(3)) for i, j in flat])
        assert held(times(A, B)[1:], [sum(x[i][k] * y[k][j] for k in range(3)) for i, j in flat if i])
        assert (np.abs(a) <= A.size).all()
        assert (np.abs(a).sum(1) <= length(A, "box")).all()
        assert (np.sqrt((a**2).sum(1)) <= length(A, "ball")).all()


def test_numbers_that_are_known_exactly_have_sums_that_are_rounded():
    a, b = exact(np.full((1, 1), 0.1)), exact(np.full((1, 1), 0.2))
    x, y = Fraction(0.1), Fraction(0.2)
    for found, truth in ((a + b, x + y), (a - -b, x + y), (a * b, x * y), (a @ b, x * y)):
        assert found.rad.item() > 0
        assert held(found, [truth])


def test_shapes_and_ends():
    box = exact([[0.1, 0.2], [0.3, 0.4]])
    assert box.reshape(4).shape == (4,)
    assert joined([box, box], axis=1).shape == (2, 4)
    third = enclosing([Enclosure(1) / 3])
    assert held(third, [Fraction(1, 3)])
