"""Covering numbers, their bounds, explicit coverings and averages: two routes to each number, and refusals."""

import functools
import math
from fractions import Fraction as F
from itertools import combinations, product

import numpy as np
import pytest
import sympy
from hypothesis import strategies as st
from properties import eighths, examples
from refusals import refused

from theorytools import Bound, BudgetError, DomainError
from theorytools.papers.qstr.capacity.covering import (
    attention,
    head,
    log_covering,
    sparse_attention_parameters,
    transformer,
)
from theorytools.papers.qstr.capacity.covering import product as composed
from theorytools.papers.qstr.capacity.maurey import MatrixAverage, ScalarAverage
from theorytools.papers.qstr.capacity.mixed_norms import MatrixProduct, conjugate, vector_norm
from theorytools.papers.qstr.capacity.token_norms import TwoPointTokens
from theorytools.theory.capacity.finite_covers import covering_number, head_distance
from theorytools.theory.capacity.grid_covers import HeadGrid, NetworkGrid, disc_cells, exact_root
from theorytools.theory.capacity.perturbation.attention import AttentionPair
from theorytools.theory.capacity.perturbation.networks import Head, HeadPair

eps, m, H, D_e, A, B, R_F, r_z, c_sm = sympy.symbols("eps m H D_e A B R_F r_z c_sm", positive=True)
NETWORK = {"m": m, "H": H, "D_e": D_e, "A": A, "B": B, "R_F": R_F, "r_z": r_z, "c_sm": c_sm}
NETWORKS = NetworkGrid(F(1), F(1), F(1), F(4, 3), F(2), F(5, 3))
network_radius = functools.cache(NETWORKS.radius)


# -- identities: two routes to one number ---------------------------------------------------------------------
def test_the_network_is_a_head_and_attention_each_a_ball():
    step = transformer(eps, **NETWORK)
    outer, inner = step.parts
    assert (step.factors["eps_1"], step.factors["eps_2"]) == (eps / (2 * A * B), eps / 2)
    assert sympy.simplify(step.expr - outer.expr - inner.expr) == 0
    assert sympy.simplify(outer.expr - sum(part.expr for part in outer.parts)) == 0
    assert (step.factors["D_1"], step.factors["D_2"]) == (m * (H * D_e + 2), H * D_e**2)
    (parameters,) = inner.parts
    # the chain of Lipschitz constants: eps_1 / (c r_z^2), then r_z for the Frobenius norm
    argument = 1 + 2 * R_F * r_z * c_sm * r_z**2 / step.factors["eps_1"]
    assert sympy.simplify(parameters.expr - H * D_e**2 * sympy.log(argument)) == 0
    assert log_covering(eps, **NETWORK) == step.expr
    assert composed(outer, inner).expr == step.expr


def test_values_and_sparse_branches_by_hand():
    """D_1 = 2 (232 + 2), D_2 = 232^2 at the point of the regression table, in doubles."""
    numbers = {"m": 2, "H": 1, "D_e": 232, "A": 1, "B": 2, "R_F": F("25.1818"), "r_z": F("39.0151")}
    x = {name: float(value) for name, value in numbers.items()}
    by_hand = 468 * math.log(1 + 16 * math.sqrt(1 + x["r_z"] ** 2) / 1e-3)
    by_hand += 53824 * math.log(1 + 8 * x["R_F"] * x["r_z"] ** 3 / 1e-3)
    # a few dozen operations in doubles
    assert float(Bound(log_covering(F(1, 1000), **numbers)).value()) == pytest.approx(by_hand, rel=1e-13)
    step = sparse_attention_parameters(1, n=10, H=2, D_e=3, R_1=1, r_z=1)
    assert step.factors == {"terms": 25, "vertices": 37}  # 8 log 21 = 24.36
    assert step.expr == 25 * sympy.log(37)


@examples(20, st.lists(st.integers(0, 12), min_size=1, max_size=8), st.integers(0, 4))
def test_covering_numbers_agree_with_all_subsets(points, radius):
    def covers(centres):
        return all(any(abs(p - c) <= radius for c in centres) for p in points)

    least = next(k for k in range(1, 9) if any(covers(c) for c in combinations(points, k)))
    assert covering_number(points, lambda x, y: abs(x - y), radius) == least


@examples(20, st.lists(eighths, min_size=6, max_size=6), st.sampled_from([F(1, 2), F(1), F(3)]))
def test_the_distance_of_heads_is_attained_and_not_exceeded(x, r):
    f, g = Head([x[0]], [[x[1], x[2]]]), Head([x[3]], [[x[4], x[5]]])
    far = head_distance(f, g, r)
    assert all(abs(f([r * k / 20]) - g([r * k / 20])) <= far for k in range(-20, 21))
    grid = np.linspace(-float(r), float(r), 4001)
    fs, gs = [float(a) * np.maximum(float(w) * grid + float(b), 0) for a, w, b in (x[:3], x[3:])]
    # between two of the 4001 places the difference changes by at most 2 |a||w| r/2000 <= 3/1000
    assert np.abs(fs - gs).max() == pytest.approx(float(far), abs=3.1e-3)


def test_cells_cover_the_disc_and_heads_apart_are_counted():
    grid = HeadGrid(F(2), F(1), F(3, 4), F(1, 5), F(5, 4))
    step = 2 * grid.eps / grid.A * F(4097, 4096)
    inside = [
        ((i - j) * step / (2 * grid.r_z), (i + j) * step / 2)
        for i, j in product(range(1, 20), repeat=2)
        if ((i - j) * step / (2 * grid.r_z)) ** 2 + ((i + j) * step / 2) ** 2 <= 1
    ]
    heads = [Head([sign * grid.A], [[w, b]]) for w, b in inside for sign in (1, -1)]
    assert grid.packed() == len(heads) > 10
    assert min(head_distance(f, g, grid.r_z) for f, g in combinations(heads, 2)) > 2 * grid.eps
    cells = disc_cells(F(1), F(2, 5))
    assert all(c.centre[0] ** 2 + c.centre[1] ** 2 <= 1 for c in cells)
    circle = [(F(3, 5), F(4, 5)), (F(-5, 13), F(12, 13)), (F(1), F(0)), (F(0), F(-1)), (F(-8, 17), F(-15, 17))]
    for w, b in [(t * w, t * b) for w, b in circle for t in (1, F(9, 10), F(1, 3), 0)]:
        assert any(c.w[0] <= w <= c.w[1] and c.b[0] <= b <= c.b[1] for c in cells)


def test_averages_by_binomials_within_a_budget():
    """The mean square of one entry is (1 - theta^2) scale^2 / k by either route."""
    theta, k = F(1, 3), 5
    average = MatrixAverage(((2 * theta,),), ((F(3),),), F(2), k)
    # what is left of R_1 = 2 goes to both signs, so that their mean is theta
    assert average.mean_square() == 36 * (1 - theta**2) / k
    scalar = ScalarAverage(theta, k, F(6))
    up = F(2, 3)
    errors = {j: 6 * abs(F(2 * j, k) - 1 - theta) for j in range(k + 1)}
    assert scalar.miss(3) == sum(math.comb(k, j) * up**j * (1 - up) ** (k - j) for j in errors if errors[j] >= 3)
    grid = {tuple(sum(v) for v in zip(*seq, strict=True))
            for seq in product([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)], repeat=3)}  # fmt: skip
    assert MatrixAverage(((F(0), F(0)),), ((F(1),),), F(1), 3).count() == len(grid)
    with pytest.raises(BudgetError):
        covering_number(list(range(65)), lambda x, y: abs(x - y), 1)
    with pytest.raises(BudgetError):
        MatrixAverage(((F(1, 4), F(1, 4)), (F(1, 4), F(1, 4))), ((F(1), F(1)),), F(2), 9).mean_square()


@examples(6, st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.fractions(F(1, 8), 4, max_denominator=8))
def test_coverings_grow_with_the_class_and_shrink_with_the_radius(width, count, dimension, radius):
    def size(radius=radius, **change):
        numbers = {"m": width, "H": count, "D_e": dimension, "A": 1, "B": 2, "R_F": 3, "r_z": 2, **change}
        return float(Bound(log_covering(radius, **numbers)).value())

    assert size() > size(radius=2 * radius) > 0
    for change in ({"m": width + 1}, {"H": count + 1}, {"D_e": dimension + 1}, {"A": 2}, {"R_F": 4}, {"r_z": 3},
                   {"c_sm": 2}):  # fmt: skip
        assert size(**change) > size()


@examples(20, st.integers(0, 2**32))
def test_members_lie_within_the_measured_radius_of_their_centres(seed):
    """Random members of the class, against the cells that hold them."""
    rng = np.random.default_rng(seed)
    grid, radius = NETWORKS, network_radius()
    w, b = (F(int(x), 1000) for x in rng.integers(-700, 700, size=2))
    a, theta = (F(int(x), 1000) for x in rng.integers(-1000, 1000, size=2))
    outers, cells = grid.heads.layout
    outer = next(s for s in outers if s[0] <= a <= s[1])
    cell = next(c for c in cells if c.w[0] <= w <= c.w[1] and c.b[0] <= b <= c.b[1])
    score = next(s for s in grid.scores if s[0] <= theta <= s[1])

    def values(a, w, b, theta):
        h = float(grid.r_z) * math.tanh(float(grid.r_z) ** 2 * float(theta))
        return [float(a) * max(float(w) * x + float(b), 0.0) for x in (h, -h)]

    apart = max(map(abs, np.subtract(values(a, w, b, theta), values(sum(outer) / 2, *cell.centre, sum(score) / 2))))
    assert apart <= float(radius) + 1e-12  # rounding of five operations on numbers below 3


test_what_lies_outside_the_hypotheses_is_refused = refused(
    DomainError, lambda: log_covering(float("nan"), m=1, H=1, D_e=1, A=1, B=1, R_F=1, r_z=1),
    lambda: attention(1, H=1, D_e=1, R_F=float("nan"), r_z=1),
    lambda: head(sympy.oo, m=1, H=1, D_e=1, A=1, B=1, r_z=1),
    lambda: TwoPointTokens.sharp(1, 1, 5, "disjoint").failure(6, 1),
    lambda: TwoPointTokens(1, sympy.Integer(1), F(1, 2), "dependent"),
    lambda: TwoPointTokens(1, sympy.Integer(1), F(0)), lambda: vector_norm([1], 3),
    lambda: HeadPair.aligned(m=1, H=1, D_e=1, r_z=F(1), A=F(1), B=F(1), halved="outer"),
    lambda: HeadPair.aligned(m=3, H=1, D_e=1, r_z=F(3, 4), A=F(1), B=F(1), halved="outer"), lambda: exact_root(F(2)),
    lambda: log_covering(-1, m=1, H=1, D_e=1, A=1, B=1, R_F=1, r_z=1),
    lambda: log_covering(0, m=1, H=1, D_e=1, A=1, B=1, R_F=1, r_z=1), lambda: conjugate(3),
    lambda: MatrixProduct([[1, 2]], [[1]]), lambda: AttentionPair([[1]], [[[1]]], []),
    lambda: AttentionPair([[1, 2]], [[[1]]], [[[1]]]), lambda: Head([1], [[1, 0], [0, 1]]),
    lambda: HeadGrid(F(1), F(1), F(3, 4), F(0), F(5, 4)),
    lambda: NetworkGrid(F(1), F(1), F(-1), F(3, 4), F(1), F(5, 4)), lambda: ScalarAverage(F(2), 1, F(1)),
    lambda: ScalarAverage(F(0), 0, F(1)), lambda: MatrixAverage(((F(2),),), ((F(1),),), F(1), 1).mean_square(),
)  # fmt: skip
