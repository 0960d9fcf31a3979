"""Coverings, truncations and searches at their edges, and second routes to what they give."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import pytest
import sympy
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import BudgetError, DomainError, Enclosure
from theorytools.claims.language.bound import Bound
from theorytools.numbers import at_precision, evaluate
from theorytools.papers.qstr.capacity.deviation import dudley, one_step
from theorytools.papers.qstr.capacity.generalisation import GeneralisationBound
from theorytools.papers.qstr.capacity.recurrent import RecurrentBound
from theorytools.papers.qstr.capacity.sample_size import _log2, _whole, crossing, exponent, required_n_slope
from theorytools.papers.qstr.capacity.token_norms import GaussianTokens, TwoPointTokens, token_failure, token_radius
from theorytools.papers.qstr.capacity.truncation import (
    Truncation,
    TwoPointLabels,
    gaussian_excess,
    label_tail,
    prediction_cap,
    root_fourth_moment,
    truncation_level,
)
from theorytools.theory.capacity.finite_covers import Composition, covering_number, head_distance, output_distance
from theorytools.theory.capacity.grid_covers import HeadGrid, NetworkGrid, disc_cells, exact_root, intervals
from theorytools.theory.capacity.perturbation.networks import Head

F = Fraction
LETTERS = {"N": 20, "d": 3, "q": 2, "H": 2, "A": 1, "B": 2, "C_x": 1, "C_y": 4, "s": 2}


# -- grids -------------------------------------------------------------------------------------------------------------
@examples(25, st.fractions(F(1, 8), 3, max_denominator=9), st.fractions(F(1, 4), 3, max_denominator=9))
def test_intervals_are_as_few_as_the_width_allows(radius, half):
    found = intervals(radius, half)
    assert found[0][0] == -radius
    assert found[-1][1] == radius
    assert all(a[1] == b[0] for a, b in pairwise(found))
    widths = {b - a for a, b in found}
    assert len(widths) == 1
    assert widths.pop() <= 2 * half
    assert 2 * radius > 2 * half * (len(found) - 1)  # one fewer would be too wide


@pytest.mark.parametrize("radius", [F(1, 3), F(1), F(5, 2)])
@pytest.mark.parametrize("part", [F(1, 5), F(1, 3), F(3, 4)])
def test_boxes_of_a_disc_of_any_size(radius, part):
    cells = disc_cells(radius, part * radius)
    for cell in cells:
        (a, b), (c, d), (x, y) = cell
        assert x**2 + y**2 <= radius**2
        assert a <= x <= b
        assert c <= y <= d
        assert (b - a) ** 2 + (d - c) ** 2 <= (2 * part * radius) ** 2
        nearest = max(a, min(0, b)), max(c, min(0, d))
        assert nearest[0] ** 2 + nearest[1] ** 2 < radius**2
        # cut to the disc, up to a unit of the grid that roots are rounded up to
        for low, high, other in ((a, b, nearest[1]), (c, d, nearest[0])):
            limit = math.sqrt(radius**2 - other**2) + 2 / 4096
            assert -limit <= low < high <= limit
    steps = [F(k, 12) for k in range(-12, 13)]
    for u, v in product(steps, steps):
        if u * u + v * v <= 1:
            w, b = radius * u, radius * v
            assert any(cell.w[0] <= w <= cell.w[1] and cell.b[0] <= b <= cell.b[1] for cell in cells)
    # the same picture at every size, but for the roots
    assert len(cells) == len(disc_cells(F(1), part))


@pytest.mark.parametrize("r_z", [F(1, 2), F(3, 4), F(2)])
def test_outputs_lie_around_the_hyperbolic_tangent(r_z):
    grid = NetworkGrid(F(1), F(1), F(1), r_z, F(1, 4), exact_root(F(25, 16)))
    outputs = grid.outputs()
    assert len(outputs) == len(grid.scores)
    for (low, high), (h_low, h_high, m_low, m_high) in zip(grid.scores, outputs, strict=True):
        for theta, below, above in ((low, h_low, None), (high, None, h_high), ((low + high) / 2, m_low, m_high)):
            h = float(r_z) * math.tanh(float(r_z) ** 2 * float(theta))
            # multiples of 1/4096, the next ones below and above
            assert below is None or h - 1 / 4096 - 1e-12 <= below <= h + 1e-12
            assert above is None or h - 1e-12 <= above <= h + 1 / 4096 + 1e-12
        assert h_low <= m_low <= m_high <= h_high
    # with few bits the integer parts are not decided, and the ends lie farther out, never inside
    for (low, high), (h_low, h_high, m_low, m_high) in zip(grid.scores, at_precision(8, grid.outputs), strict=True):
        h, m, g = (float(r_z) * math.tanh(float(r_z) ** 2 * float(x)) for x in (low, (low + high) / 2, high))
        assert h_low <= h + 1e-12
        assert m_low <= m + 1e-12
        assert m - 1e-12 <= m_high
        assert g - 1e-12 <= h_high
    assert grid.size() == grid.heads.size() * len(grid.scores)
    assert grid.heads.size() == len(grid.heads.layout[0]) * len(grid.heads.layout[1])
    assert grid.heads.eps == grid.eps / 2
    fine = replace(grid, power=5) if r_z > 1 else replace(grid, power=1)
    assert len(fine.scores) > len(grid.scores)
    assert replace(grid, power=3, coarse=1) == grid


def test_the_radius_of_heads_is_below_the_one_asked_for_and_coarse_grids_are_worse():
    grid = HeadGrid(F(1), F(1), F(3, 4), F(1, 2), F(5, 4))
    assert 0 < grid.radius() <= grid.eps
    coarse = replace(grid, coarse=3)
    assert coarse.size() < grid.size()
    assert coarse.radius() > grid.radius()
    worst = F(0)  # members at the corners of their cells that lie in the disc: a lower bound of the radius
    for outer, cell in product(grid.layout[0], grid.layout[1]):
        centre = Head([sum(outer) / 2], [list(cell.centre)])
        for a, w, b in product(outer, cell.w, cell.b):
            if w * w + b * b <= grid.B**2:
                worst = max(worst, head_distance(Head([a], [[w, b]]), centre, grid.r_z))
    assert worst <= grid.radius()
    for name in ("A", "B", "r_z", "eps", "lipschitz", "coarse"):
        for value in (0, -1):
            refuses(
                DomainError, (lambda n=name, v=value: replace(grid, **{n: type(getattr(grid, n))(v)}), f"{name} = ")
            )
    refuses(DomainError, lambda: NetworkGrid(F(1), F(1), F(0), F(1), F(1), F(2)),
            lambda: NetworkGrid(F(1), F(1), F(1), F(0), F(1), F(2)),
            (lambda: exact_root(F(2, 9)), "square of a rational"))  # fmt: skip
    assert exact_root(F(25, 16)) == F(5, 4)
    assert exact_root(F(0)) == 0


def test_covering_numbers_at_the_edges():
    def apart(x, y):
        return abs(x - y)

    assert covering_number([], apart, 1) == 0
    assert covering_number([3], apart, 0) == 1
    assert covering_number([0, 1, 2, 3], apart, 1) == 2  # closed balls
    assert covering_number([0, 1, 2, 3], apart, F(999, 1000)) == 4
    assert covering_number([0] * 64, apart, 0) == 1
    refuses(BudgetError, (lambda: covering_number([0] * 65, apart, 0), "at most 64"))
    refuses(DomainError, (lambda: covering_number([0], apart, F(-1, 9)), "radius >= 0"))
    assert output_distance([1, F(5)], [2, F(1)]) == 4
    ladder = Composition.ladder([0, 1, 5], [0, 2])
    assert [f([F(1)]) for f in ladder.heads] == [206, 208, 216]
    assert ladder.lipschitz() == 6
    # values 200 + 6h + 2o: the heads differ by 2|o - o'| everywhere, the outputs by 2
    assert [ladder.head_number(eps) for eps in (0, 2, 8, 10)] == [3, 2, 1, 1]
    assert [ladder.output_number(eps) for eps in (0, 1, 2)] == [2, 2, 1]
    values = [200 + 6 * h + 2 * o for h in (0, 2) for o in (0, 1, 5)]
    for eps in (0, 2, 8, 12):
        assert ladder.number(eps) == covering_number(values, apart, eps)
        assert ladder.number(eps) <= ladder.head_number(F(eps, 2)) * ladder.output_number(F(eps, 12))
    refuses(ValueError, lambda: output_distance([1], [1, 2]))


# -- truncation --------------------------------------------------------------------------------------------------------
def test_powers_that_are_written_out_are_moderate():
    for call in (
        lambda s: root_fourth_moment(**{**LETTERS, "s": s}),
        lambda s: truncation_level(2, n=100, **{**LETTERS, "s": s}), lambda s: TwoPointLabels.sharp(3, C_y=1, s=s),
    ):  # fmt: skip
        call(10**4)
        refuses(BudgetError, (lambda call=call: call(10**4 + 1), "s <= 10000"),
                (lambda call=call: call(F(20001, 2)), "s <= 10000"))  # fmt: skip


def test_the_letters_of_a_truncation_by_hand():
    E, L = math.e, math.log
    z2 = 4 * math.sqrt(E) * 3 * L(20) + 3 * 1.5
    E_2 = 2 * (4 * (1 + 2 * z2) + 4 * 16)
    assert float(root_fourth_moment(**LETTERS)) == pytest.approx(E_2, rel=1e-13)
    assert float(root_fourth_moment(**{**LETTERS, "N": 2})) == pytest.approx(
        2 * (4 * (1 + 2 * (4 * math.sqrt(E) * 3 + 4.5)) + 64), rel=1e-13
    )  # log N below 1 counts as 1
    assert prediction_cap(5, A=2, B=3, H=7) == 36 * 36
    made = Truncation(N=20, n=1000, d=3, q=2, A=1, B=2, C_x=1, C_y=4, s=2)
    assert float(made.E_2) == pytest.approx(E_2, rel=1e-13)
    rare = L(1000) + 2 * L(E_2)
    for_cap, for_labels = 16 * (1 + 2 * (4.5 + 6 * E * (L(20) + rare))), 16 * (E * rare) ** 2
    assert float(made.level) == pytest.approx(max(for_cap, for_labels), rel=1e-12)
    short = replace(made, C_y=1, s=1, A=5)
    assert float(short.level) > float(made.level)
    level = evaluate(made.level)
    tails = made.tails(level)
    assert tails.certainly_le(Enclosure(2) / (1000 * evaluate(made.E_2) ** 2))  # what the level is made for
    assert made.tails(level * F(1, 2)).certainly_le(tails) is False


def test_two_point_labels_attain_their_moments_and_their_tail():
    refuses(DomainError, *((lambda m=m: TwoPointLabels(sympy.Integer(1), m), "0 < mass <= 1") for m in (F(0), F(4, 3))))
    sure = TwoPointLabels(sympy.Integer(9), F(1))
    assert sure.moment(3).fraction() == 9
    assert sure.moment_constant(2).fraction() == 9  # no tail: the largest quotient is at r = 1
    law = TwoPointLabels.sharp(50, C_y=3, s=2)
    assert law.mass == F(1, 50)
    assert abs(law.moment_constant(2) - 3).certainly_le(F(1, 10**12))
    for r in (1, 2, math.floor(math.log(50)), 5, 9):  # E|y|^r)^(2/r) <= C_y r^s, sharp at r = log 50
        assert law.moment(r).certainly_le(3 * F(r) ** 2)
        assert float(law.moment(r)) == pytest.approx(float(law.v2) * 50 ** (-2 / r), rel=1e-12)
    v = sympy.sqrt(law.v2)
    assert float(label_tail(v, C_y=3, s=2).value()) == pytest.approx(1 / 50, rel=1e-12)
    flat = TwoPointLabels(sympy.Integer(4), F(1, 2))  # its peak 2 log(2)/s lies below 1 for s = 2
    assert float(flat.moment_constant(2)) == pytest.approx(1, rel=1e-12)
    assert float(flat.moment_constant(1)) == pytest.approx(4 / (math.e * 2 * math.log(2)), rel=1e-12)
    for c in (0, 1, 3):
        exact = 4 * (math.erfc(c / math.sqrt(2)) + 2 * c * math.exp(-c * c / 2) / math.sqrt(2 * math.pi))
        assert float(gaussian_excess(c).value()) == pytest.approx(exact, rel=1e-12)


# -- searches ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("height", [1.0, 10.5, 59.0, 60.9, 61.0, 200.25])
def test_heights_are_powers_of_two_and_back(height):
    n = _whole(height)
    assert math.log2(n) == pytest.approx(height, abs=0.6 if height < 2 else 2e-3)
    assert _log2(Enclosure(2**100)) == pytest.approx(100, abs=1e-12)


def test_searches_have_their_defaults_and_say_what_they_refuse():
    bound = GeneralisationBound(N=100, n=1, d=10, q=1)
    target = bound.floor("dudley") + 1
    assert crossing(bound, target) == crossing(bound, target, "dudley", factor=F(101, 100))
    low, high = crossing(bound, target, factor=F(3, 2))
    assert low < crossing(bound, target)[1]
    assert crossing(bound, target)[0] < high
    window = (10, 100)
    assert [str(x) for x in required_n_slope(bound, "d", window)] == [
        str(x) for x in required_n_slope(bound, "d", window, 1, "dudley", scale="log", factor=F(1001, 1000))
    ]
    found, other = required_n_slope(bound, "d", window), required_n_slope(bound, "d", window, scale="log log")
    ratio = math.log(10) / (math.log(math.log(100)) - math.log(math.log(10)))
    assert float(other[0]) == pytest.approx(float(found[0]) * ratio, rel=1e-9)
    low_n, high_n = crossing(replace(bound, d=10), 1, factor=F(1001, 1000)), crossing(
        replace(bound, d=100), 1, factor=F(1001, 1000)
    )  # fmt: skip
    assert float(found[0]) == pytest.approx(math.log(high_n[0] / low_n[1], 10), abs=1e-9)
    assert float(found[1]) == pytest.approx(math.log(high_n[1] / low_n[0], 10), abs=1e-9)
    assert exponent(bound, "d") == exponent(bound, "d", "dudley")
    for letter in ("", "x", "d x", "log_N"):
        refuses(DomainError, (lambda letter=letter: required_n_slope(bound, letter, window), "letter = "))
    refuses(DomainError, (lambda: exponent(bound, "x"), "letter = "),
            (lambda: crossing(bound, target, factor=1), "factor > 1"),
            (lambda: crossing(bound, bound.floor("dudley")), "which no number of prompts lowers"))  # fmt: skip
    tau, n = sympy.symbols("tau n", positive=True)
    for form in (one_step, dudley):
        plain = form(lambda eps: 1 / eps, tau=tau, n=n)
        assert sympy.simplify(plain.expr - form(lambda eps: 1 / eps, tau=tau, n=n, u=1 / sympy.sqrt(n)).expr) == 0
        assert isinstance(plain, Bound)


# -- tokens and recurrent networks -------------------------------------------------------------------------------------
@pytest.mark.parametrize(("count", "mass"), [(0, F(1, 3)), (1, F(1, 3)), (3, F(1, 3)), (2, F(1, 2)), (5, F(1, 9))])
def test_the_chance_of_a_long_token_by_all_prompts(count, mass):
    alike = TwoPointTokens(2, sympy.Integer(9), mass)
    assert alike == TwoPointTokens(2, sympy.Integer(9), mass, "independent")
    every = product((False, True), repeat=count)
    some = sum(math.prod(mass if long else 1 - mass for long in prompt) for prompt in every if any(prompt))
    for r_x in (1, 3):  # a length of exactly r_x counts
        assert alike.failure(count, r_x).fraction() == some
        assert replace(alike, joint="disjoint").failure(count, r_x).fraction() == count * mass
    assert alike.failure(count, F(301, 100)).fraction() == 0
    over = math.floor(1 / mass) + 1
    refuses(DomainError, (lambda: replace(alike, joint="disjoint").failure(over, 1), "a total of at most 1"),
            (lambda: replace(alike, mass=F(0)), "0 < mass <= 1"),
            (lambda: replace(alike, mass=F(9, 8)), "0 < mass <= 1"))  # fmt: skip
    sure = replace(alike, mass=F(1))
    assert sure.failure(1, 3).fraction() == 1
    assert float(sure.moment_constant()) == 4.5  # no tail: the largest quotient is at r = 1
    line = GaussianTokens(5, F(4), directions=1)
    tail = math.erfc(3 / 2 / math.sqrt(2))
    assert float(line.failure(1, 9)) == pytest.approx(tail, rel=1e-12)
    assert float(line.failure(4, 9)) == pytest.approx(1 - (1 - tail) ** 4, rel=1e-12)
    assert GaussianTokens(5).failure(2, 9).same(GaussianTokens(5, 1, 5).failure(2, 9))
    assert str(token_failure(2, n=3, N=4, d=5)) == str(token_failure(2, n=3, N=4, d=5, C_x=1))
    assert token_radius(n=3, N=4, d=5) == token_radius(n=3, N=4, d=5, C_x=1)


def test_the_terms_of_the_recurrent_bound_by_hand():
    bound = RecurrentBound(N=64, n=10**6)
    assert bound == RecurrentBound(64, 10**6, d=2, q=1, tau=16, delta=F(1, 100), split=2)
    terms = {name: float(evaluate(term)) for name, term in bound.terms().items()}
    log_size = float(evaluate(bound.covering(F(1, 1000)).expr))
    assert terms["resolution"] == pytest.approx(4 * math.sqrt(16e-6), rel=1e-12)
    assert terms["complexity"] == pytest.approx(32 * math.sqrt(2e-6 * log_size), rel=1e-12)
    assert terms["deviation"] == pytest.approx(48 * math.sqrt(math.log(200) / 2e6), rel=1e-12)
    assert float(bound.value()) == pytest.approx(sum(terms.values()), rel=1e-12)
    sizes = {name: float(evaluate(size)) for name, size in bound.sizes.items()}
    M = math.sqrt(2 * (math.log(400) + math.log(64)))
    assert (sizes["d_e"], replace(bound, N=65).sizes["d_e"], replace(bound, d_e=9).sizes["d_e"]) == (6, 7, 9)
    assert (sizes["M"], sizes["K"]) == pytest.approx((M, 3 * M), rel=1e-13)
    assert sizes["r_h"] == pytest.approx(math.sqrt(2) * M, rel=1e-13)
    assert sizes["R_z"] == pytest.approx(math.sqrt(2 * M * M + 2), rel=1e-13)
    gate = 4 + 24 + 8 * (1 + 9 * M * M)
    assert sizes["R2"] == pytest.approx(2 * (gate + 4) + gate + 24 + 10, rel=1e-13)
    low, high = bound.required_n(F(1, 2))
    assert 1000 * (high - low) <= low + 1000
    for n, below in ((low, False), (high, True)):
        assert replace(bound, n=n).value().certainly_lt(F(1, 2)) is below
    assert bound.required_n() == bound.required_n(1)
    for change in ({"N": 1}, {"n": 0}, {"d": 0}, {"q": 0}, {"tau": 0}, {"tau": -1}, {"delta": 0}, {"split": 0}):
        refuses(DomainError, (lambda c=change: replace(bound, **c), "not 0"))
    assert float(replace(bound, N=2).value()) > 0
    refuses(DomainError, (lambda: bound.required_n(0), "a positive target"))
