"""Bounds of memories at the edges of their arguments, given as balls too, and their defaults."""

import math
import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import DomainError, Enclosure
from theorytools.codes.equiangular import simplex
from theorytools.codes.families import hadamard
from theorytools.numbers import at_precision, between
from theorytools.papers.qstr.memory.ellipsoid_packing import covering_constant, log_volume_bound, packing_constant
from theorytools.papers.qstr.memory.packing import Packing, unit_axes
from theorytools.papers.qstr.memory.rate_distortion import (
    best_dimension_per_payload,
    best_resolution,
    capacity,
    frobenius_constant,
    frobenius_resolution,
    packing_dimension,
    side_information,
    water_filling,
)
from theorytools.theory.memory.fano import binary_entropy, fano_accuracy, fano_bits, fano_ceiling
from theorytools.theory.memory.integer_states import checked_states, distinct_states, run
from theorytools.theory.memory.quantised import InternedRecurrence, QuantisedRecurrence
from theorytools.theory.memory.state_bits import state_bits

F = Fraction


# -- rates -------------------------------------------------------------------------------------------------------------
def test_risks_that_may_leave_their_range_are_refused_whichever_end_does():
    touching = between(F(-1, 4), F(1, 4)).nonnegative_part()
    assert touching.lower == 0
    refuses(
        DomainError, (lambda: best_resolution(touching, 9), "the supremum over the resolution is not attained"),
        (lambda: best_resolution(0, 9), "not attained"), (lambda: best_dimension_per_payload(touching, 9), "attained"),
        *((lambda f=f, c=c: f(c), "predicting 0 has c' = 1") for f in (frobenius_constant, frobenius_resolution)
          for c in (between(F(1, 2), F(3, 2)), between(F(1, 2), 1), between(F(-1, 2), F(1, 2)), 1, F(-1, 9))),
    )  # fmt: skip
    best = best_resolution(between(F(1, 8), F(1, 8) + F(1, 2**20)), 9)
    assert 0 < best[0] < best[1]
    for c in (F(1, 8), F(1, 8) + F(1, 2**21)):  # whatever the risk in the ball, its own interval meets this one
        low, high = best_resolution(c, 9)
        assert low <= best[1]
        assert best[0] <= high


@examples(15, st.fractions(F(1, 50), F(3, 4), max_denominator=50), st.integers(3, 60))
def test_the_best_resolution_is_a_maximiser(c, K):
    low, high = best_resolution(c, K)
    assert high - low == F(1, 2**40)

    def value(eta):
        return float(-((Enclosure(c).sqrt() + eta).log()) / (Enclosure(K) / eta**2).log())

    middle, best = (low + high) / 2, best_dimension_per_payload(c, K)
    assert best.lower <= Enclosure(F(value(middle))).upper
    assert value(middle) == pytest.approx(float(best), rel=1e-9)
    for step in (F(1, 100), F(1, 1000)):
        for eta in (middle - step, middle + step):
            if eta > 0 and Enclosure(c).sqrt().upper < 1 - eta:
                assert value(eta) < value(middle)
    refuses(DomainError, (lambda: best_resolution(c, F(27, 10)), "K >= e"))


def test_capacities_at_their_branches_and_by_their_maximum():
    e = math.e
    for D in (1, 3):
        for X in (F(1, 2), F(2 * D), F(3 * D), F(50)):
            wanted = D / 2 * math.log(X / D) if e * D <= X else float(X) / (2 * e)
            assert float(capacity(D, Enclosure(X))) == pytest.approx(wanted, rel=1e-12)
    refuses(DomainError, lambda: capacity(0, Enclosure(1)), lambda: capacity(1, Enclosure(0)))
    wanted = min(6 / (2 * e), float(capacity(2, Enclosure(10))))
    assert float(side_information(2, 1, 6, 5, 1)) == pytest.approx(wanted, rel=1e-12)
    assert float(side_information(2, 1, 600, 5, 1)) == pytest.approx(float(capacity(2, Enclosure(10))), rel=1e-12)
    m, c, L, O = 63, F(1, 100), 10, 1
    given = packing_dimension(m, c, L, O)
    assert given.expr == packing_dimension(m, c, L, O, eta=F(3, 10), delta=F(1, 2)).expr
    x = (0.1 / 0.5 + 0.3) ** 2
    size = 2 * math.log(1 + 2 * math.sqrt(2) * 10 / 0.3)
    assert float(given.value()) == pytest.approx((math.log(0.75) - 63 * (math.log(x) + 1 - x) / 2) / size, rel=1e-12)
    assert water_filling([4, 1, 1], 6).fraction() == 0
    assert water_filling([], 1).fraction() == 0
    assert float(water_filling([3, 3], 2)) == pytest.approx(math.log(3), rel=1e-14)
    assert float(water_filling([F(1), F(5)], 2)) == pytest.approx(math.log(5) / 2, rel=1e-14)  # theta exactly 1
    refuses(DomainError, lambda: water_filling([1], -1), lambda: water_filling([1, F(-1, 9)], 1))


# -- Fano --------------------------------------------------------------------------------------------------------------
def test_errors_that_may_lie_beyond_guessing_are_refused():
    for letters in (2, 3, 5):
        chance = 1 - F(1, letters)
        assert fano_bits(chance, letters).fraction() == 0
        assert fano_bits(between(chance / 2, chance * F(9, 10)), letters).lower < F(1, 9)
        for error in (between(chance / 2, chance + F(1, 9)), chance + F(1, 10**6), F(-1, 10**6), between(F(-1, 9), 0)):
            refuses(DomainError, (lambda e=error, n=letters: fano_bits(e, n), "beyond, guessing does better"))
    for call in (fano_bits, fano_accuracy):
        assert call(F(1, 4)).same(call(F(1, 4), 2))
        assert not call(F(1, 4)).same(call(F(1, 4), 3))
        refuses(DomainError, (lambda call=call: call(0, 1), "at least 2"))
    assert [fano_accuracy(0, n).fraction() for n in (2, 3, 7)] == [F(1, 2), F(1, 3), F(1, 7)]
    assert [fano_accuracy(b).fraction() for b in (1, 2)] == [1, 1]
    assert fano_accuracy(2, 4).fraction() == 1
    assert fano_accuracy(1, 3).upper < 1
    assert fano_ceiling(3, 5).same(fano_ceiling(3, 5, 2))
    assert fano_ceiling(32, 5).fraction() == 1
    assert fano_ceiling(31, 5).upper < 1
    refuses(DomainError, lambda: fano_ceiling(0, 1), lambda: fano_ceiling(1, 0), lambda: fano_ceiling(2, 2, 1),
            lambda: fano_accuracy(F(-1, 9)))  # fmt: skip


@examples(20, st.fractions(0, F(1, 2), max_denominator=40), st.fractions(0, F(1, 8), max_denominator=40))
def test_bits_of_a_ball_of_errors_hold_the_bits_of_each(error, width):
    high = min(error + width, F(1, 2))
    box = fano_bits(between(error, high).nonnegative_part()) if high < F(1, 2) else fano_bits(error)
    for x in (error, (error + high) / 2, high if high < F(1, 2) else error):
        exact = at_precision(200, lambda x=x: fano_bits(x))
        assert box.lower <= exact.upper or x != error
        assert binary_entropy(x).lower <= Enclosure(1).upper
        h = -sum(float(p) * math.log2(p) for p in (x, 1 - x) if p)
        assert float(exact) == pytest.approx(1 - h, abs=1e-12)
        assert float(binary_entropy(x)) == pytest.approx(h, abs=1e-12)


def test_the_bits_of_a_state_by_its_shapes():
    assert state_bits("gru", width=5) == state_bits("gru", width=5, bits=32, layers=1) == 5 * 32
    gru, lstm = torch.nn.GRU(3, 5, 2), torch.nn.LSTM(3, 5, 2)
    x = torch.zeros(1, 1, 3)
    assert state_bits("gru", width=5, layers=2, bits=8) == 8 * gru(x)[1].numel()
    assert state_bits("lstm", width=5, layers=2, bits=8) == 8 * sum(part.numel() for part in lstm(x)[1])
    assert state_bits("mamba", inner=4, state=3, window=5, layers=2, bits=1) == 2 * (4 * 3 + 4 * 4)
    assert state_bits("linear_attention", heads=2, key=3, value=5, bits=1) == 30
    assert state_bits("cache", length=7, width=3, layers=2, bits=1) == 2 * 2 * 7 * 3
    for wrong in ({"width": 0}, {"width": 5, "bits": 0}, {"width": 5, "layers": 0}, {}, {"width": 5, "heads": 1}):
        refuses(DomainError, lambda wrong=wrong: state_bits("gru", **wrong))
    refuses(DomainError, (lambda: state_bits("rwkv", width=1), "lstm: width"))


# -- packings ----------------------------------------------------------------------------------------------------------
@examples(25, st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=2), min_size=2, max_size=6), st.integers(1, 9))
def test_points_are_measured_pair_by_pair(points, scale):
    found = Packing.of_points(points, scale)
    pairs = [(p, q) for i, p in enumerate(points) for q in points[:i]]
    least = min(sum((a - b) ** 2 for a, b in zip(p, q, strict=True)) for p, q in pairs)
    assert found.separation2 == F(least, scale)
    assert found.gauge2 == F(max(a * a + b * b for a, b in points), scale)
    assert (found.size, found.D) == (len(points), 2)
    assert found.reach2 == (1 if [0, 0] in points else None)
    plain = Packing.of_points(points)
    assert plain == Packing.of_points(points, 1)
    assert (plain.separation2, plain.scale) == (scale * found.separation2, 1)
    wide = Packing.of_points(points, scale, axes2=[F(4), F(1, 9)])
    assert wide.gauge2 == max(F(a * a, 4) + 9 * b * b for a, b in points) / scale
    assert wide.reach2 is None
    moved = found.changed(lambda z: z[::-1])
    assert (moved.separation2, moved.gauge2, moved.scale) == (found.separation2, found.gauge2, scale)
    assert wide.changed(lambda z: z).axes2 == (4, F(1, 9))
    third = found.scaled(F(1, 3))
    assert (third.separation2, third.gauge2) == (found.separation2 / 9, found.gauge2 / 9)
    assert (third.points, third.reach2, third.axes2) == (None, None, found.axes2)
    assert found.in_dimension(2) is found
    refuses(DomainError, (lambda: found.in_dimension(3), "D = 2"), lambda: third.changed(lambda z: z))


@examples(20, st.lists(st.integers(-4, 4), min_size=2, max_size=6, unique=True))
def test_the_reach_on_the_line_is_the_largest_distance(places):
    found = Packing.of_points([[x] for x in places], scale=16)
    grid = [F(k, 64) for k in range(-64, 65)]  # holds all middles
    assert found.reach2 == max(min((x - F(p, 4)) ** 2 for p in places) for x in grid)
    assert Packing.of_points([[x] for x in places], scale=17).reach2 == (1 if 0 in places else None)
    assert Packing.of_points([[x] for x in places], scale=16, reach2=F(5)).reach2 == 5


def test_many_points_are_measured_in_blocks():
    rng = np.random.default_rng(0)
    for n in (256, 257, 513):
        points = np.arange(n)[:, None] * 10 + rng.integers(-2, 3, (n, 1))
        points[-1] = points[-2] + 1
        assert Packing.of_points(points).separation2 == 1
        points[0] = points[-1]
        assert Packing.of_points(points).separation2 == 0
    largest = 2**29 - 1
    assert Packing.of_points([[largest], [-largest]]).separation2 == (2 * largest) ** 2
    refuses(DomainError, (lambda: Packing.of_points([[2**30], [0]]), "an entry of size"))


def test_sets_from_codes_and_from_volumes():
    code = simplex(5)
    plain, centred = Packing.of_code(code), Packing.of_code(code, centre=True)
    assert (plain.size, plain.separation2, plain.reach2, plain.D) == (5, F(5, 2), None, code.d_e)
    assert (centred.size, centred.separation2, centred.reach2) == (6, 1, 1)
    assert Packing.of_code(hadamard(8)).separation2 == 2
    assert Packing.of_code(code).gauge2 == 1
    for axes2, eps, size in (
        ([F(4), F(1, 100)], F(1, 2), 4), ([F(4)], F(2), 1), ([F(9), F(4)], F(1), 6), ([F(2)], F(1), 2),
        ([F(17, 4)], F(1), 3),
    ):  # fmt: skip
        found = Packing.by_volume(axes2, eps)
        assert (found.size, found.separation2, found.axes2) == (size, eps**2, tuple(axes2))
    assert Packing.by_volume([F(9), F(4)], F(1)).frobenius_norm().contains(F(0)) is False
    assert float(Packing.by_volume([F(9), F(4)], F(1)).frobenius_norm()) == pytest.approx(math.sqrt(13), rel=1e-15)
    assert Packing.by_volume([F(9), F(4)], F(1)).operator_norm().fraction() == 3
    assert float(Packing.by_volume([F(9), F(4)], F(1)).log_size()) == pytest.approx(math.log(6), rel=1e-15)
    refuses(DomainError, lambda: Packing.by_volume([F(1)], F(0)), lambda: Packing.by_volume([F(-1)], F(1)),
            lambda: log_volume_bound([F(1)], F(0)), lambda: log_volume_bound([F(1)], F(1), 0),
            lambda: packing_constant(0), lambda: covering_constant(0), lambda: covering_constant(1))  # fmt: skip
    axes, eps = [F(1), F(1, 2), F(1, 10**6)], F(1, 4)
    assert str(log_volume_bound(axes, eps)) == str(log_volume_bound(axes, eps, F(2, 3), covering=False))
    for covering, theta in ((False, math.sqrt(2 / 3) / 2), (True, math.sqrt(2 / 3))):
        f = 2 / math.sqrt(1 / 3) + 1 / theta
        wanted = sum(math.log(math.sqrt(a) * f / 0.25) for a in (1, 0.5) if math.sqrt(a) > theta / 4)
        assert float(log_volume_bound(axes, eps, covering=covering)) == pytest.approx(wanted, rel=1e-12)
    assert packing_constant() == packing_constant(F(2, 3))
    assert covering_constant() == covering_constant(F(3, 4))
    for constant, best in ((packing_constant, F(2, 3)), (covering_constant, F(3, 4))):  # least up to a thousandth
        values = [float(constant(best + F(k, 20))) for k in (-2, -1, 0, 1, 2)]
        assert min(values) >= values[2] * 0.999
        assert all(a > b for a, b in pairwise(values[:3]))
        assert all(a < b for a, b in pairwise(values[2:]))
    assert unit_axes(3) == (1, 1, 1)


# -- rounded recurrences -----------------------------------------------------------------------------------------------
def test_modules_whose_step_is_random_are_refused_and_others_taken():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of dropout on one layer
        two, one = (torch.nn.GRU(2, 1, num_layers=n, dropout=0.5) for n in (2, 1))
    refuses(DomainError, (lambda: QuantisedRecurrence(two, 3), "no dropout that is on"))
    assert QuantisedRecurrence(two.eval(), 3).numbers == 2
    assert QuantisedRecurrence(one, 3).numbers == 1  # there is nothing between layers to be dropped
    still = torch.nn.GRU(2, 1, num_layers=2)
    assert still.training
    assert QuantisedRecurrence(still, 3).bits == 6
    cell = torch.nn.GRUCell(2, 2)
    for p in (1, 24):
        machine = QuantisedRecurrence(cell, p)
        assert machine.start.tolist() == [2 ** (p - 1)] * 2
        assert machine.bits == 2 * p
        middles = machine.values(np.array([[0, 2**p - 1]]))[0]
        assert middles.tolist() == pytest.approx([2.0**-p - 1, 1 - 2.0**-p])
    assert (QuantisedRecurrence(cell, 3).letters, QuantisedRecurrence(cell, 3).span) == (2, (1.0,))
    lstm = torch.nn.LSTMCell(2, 1)
    wide = QuantisedRecurrence(lstm, 2, span=(1.0, 4.0))
    assert wide.values(np.array([[3, 3]]))[0].tolist() == [0.75, 3.0]
    assert wide._cells(np.array([[-9.0, 9.0]])).tolist() == [[0, 3]]
    assert QuantisedRecurrence(lstm, 2).span == (1.0, 1.0)
    for wrong in ({"p": 0}, {"p": 25}, {"span": 0.0}, {"span": (1.0, 1.0)}, {"span": -1.0}):
        refuses(DomainError, lambda wrong=wrong: QuantisedRecurrence(cell, **{"p": 3, **wrong}))
    refuses(
        DomainError, (lambda: QuantisedRecurrence(lstm, 3, span=(1.0,)), "2 carried tensors"),
        (lambda: machine.values(np.array([[0, 2**24]])), "h"), (lambda: machine.values(np.array([[-1, 0]])), "h"),
        (lambda: QuantisedRecurrence(torch.nn.GRUCell(3, 1), 3).step(np.array([[4]]), [0], 0), "inputs of size 2"),
        (lambda: machine.step(machine.start[None], [2], 0), "symbol 2"),
        (lambda: machine.step(machine.start[None], [0, 1], 0), "symbols"),
        (lambda: run(object(), [[0]], 2), "does not say what its states are"),
        (lambda: checked_states([[0.5]], None), "integers"), (lambda: checked_states([0], None), "integers"),
        (lambda: checked_states([[0]], (1, 2)), "integers"),
    )  # fmt: skip
    wordy = QuantisedRecurrence(torch.nn.GRUCell(3, 1), 3, letters=3)
    assert wordy.step(np.array([[4]]), [2], 0).shape == (1, 1)


def test_states_of_any_kind_are_numbered_as_they_are_met():
    machine = InternedRecurrence("", lambda state, symbol, t: (state + "ab"[symbol])[-2:])
    assert machine.start.tolist() == [0]
    h = run(machine, [[0, 1, 1], [1, 1, 1], [0, 0, 1]], 2)
    assert machine.states(h) == ["bb", "bb", "ab"]
    assert h[0] == h[1] != h[2]
    refuses(DomainError, (lambda: InternedRecurrence([], lambda s, a, t: s).start, "hashable"),
            lambda: machine.states(np.array([[99]])))  # fmt: skip


@examples(30, st.lists(st.tuples(*[st.sampled_from([-3, 0, 1, 2**40])] * 3), min_size=1, max_size=8), st.booleans())
def test_distinct_rows_in_order(rows, large):
    if large:  # beyond what one integer for a row can hold
        rows = [*rows, (2**62, -(2**62), 0)]
    first, label = distinct_states(np.array(rows, dtype=np.int64))
    wanted = sorted(set(rows))
    assert [rows[i] for i in first] == wanted
    assert [rows.index(row) for row in wanted] == first.tolist()
    assert [wanted[k] for k in label] == rows
