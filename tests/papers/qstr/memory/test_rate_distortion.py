"""The rate-distortion bounds and the two networks that meet them: identities by two routes, refusals."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import BudgetError, DomainError, StoreAllRNN, changed
from theorytools.numbers import Enclosure, at_precision
from theorytools.papers.qstr import CodeStateRNN
from theorytools.papers.qstr.memory.rate_distortion import (
    best_dimension_per_payload,
    best_resolution,
    capacity,
    frobenius_constant,
    frobenius_resolution,
    packing_dimension,
    side_information,
    state_bound,
    water_filling,
)

risks = st.fractions(Fraction(1, 1000), Fraction(9, 10), max_denominator=1000)


def rate(c, eta):
    """A_c^2 before it is maximised: 2e eta^2 log 1/(sqrt(c) + eta)."""
    return -2 * Enclosure(1).exp() * eta**2 * (Enclosure(c).sqrt() + eta).log()


@examples(20, risks, st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100))
def test_the_closed_form_is_the_maximum_over_the_resolution(c, eta):
    best = frobenius_constant(c) ** 2
    # both sides are balls of relative width 2^-50: equality up to 2^-40 of a number at most 1
    assert abs(best - rate(c, frobenius_resolution(c))).upper <= Enclosure(Fraction(1, 2**40)).lower
    if (Enclosure(c).sqrt() + eta).upper < 1:
        assert rate(c, eta).lower <= best.upper


def test_constants_without_error_units_and_refusals():
    assert frobenius_constant(0).fraction() == 1
    # c = 1/100 at N = 64 and L O = 10: c' = 64/6300, K = 200
    need = 63 * best_dimension_per_payload(Fraction(64, 6300), 200)
    assert need.certainly_le(Fraction(1056, 100))
    assert need.certainly_lt(Fraction(1055, 100)) is False
    for other in (
        state_bound(63, Fraction(64, 6300), Fraction(2, 5), 10, 1),
        packing_dimension(63, Fraction(64, 6300), 10, 1),
    ):
        assert other.enclosure().certainly_lt(need)
    refuses(
        DomainError, lambda: frobenius_constant(1), lambda: best_resolution(0, 200),
        lambda: best_resolution(Fraction(1, 2), 2), lambda: capacity(0, Enclosure(1)),
        lambda: water_filling([1, -1], 1), lambda: water_filling([1], 0),
        lambda: CodeStateRNN.drawn(1, np.random.default_rng(0)), lambda: CodeStateRNN.existing(1),
        lambda: StoreAllRNN.binary(4, 9).keeping(5), lambda: StoreAllRNN.binary(4, 6).risk_bound(),
        lambda: StoreAllRNN.binary(1, 9),
        lambda: replace(StoreAllRNN.binary(4, 9), signs=np.ones((4, 2), dtype=int)).risk_bound(),
    )  # fmt: skip
    with pytest.raises(BudgetError):
        CodeStateRNN.existing(4).wrong()


@examples(20, risks, st.integers(3, 10**6), st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100))
def test_no_resolution_beats_the_certified_maximum(c, K, eta):
    best, w = best_dimension_per_payload(c, K), Enclosure(c).sqrt() + eta
    if w.upper < 1:
        assert (-w.log() / (Enclosure(K) / eta**2).log()).lower <= best.upper
    low, high = best_resolution(c, K)
    assert low < high


@examples(
    20, st.lists(st.fractions(0, 10, max_denominator=20), min_size=1, max_size=6),
    st.fractions(0, 3, max_denominator=9),
)  # fmt: skip
def test_water_filling_by_bisection_and_below_the_capacity(spectrum, distortion):
    if not 0 < distortion < sum(spectrum):
        return
    low, high = 0.0, float(max(spectrum))
    for _ in range(60):
        level = (low + high) / 2
        low, high = (level, high) if sum(min(float(x), level) for x in spectrum) < distortion else (low, level)
    other = sum(0.5 * max(np.log(float(x) / level), 0) for x in spectrum if x)
    value = water_filling(spectrum, distortion)
    # the level is within 10 * 2^-60 of the true one, which is at least distortion/6 >= 1/54; six logarithms
    assert abs(float(value) - other) < 1e-9
    D = len(spectrum)
    assert value.lower <= capacity(D, Enclosure(sum(spectrum) * D / distortion)).upper


def test_capacity_is_continuous_and_slots_lose_what_they_drop():
    for D in (1, 7):
        at = at_precision(64, lambda D=D: capacity(D, Enclosure(1).exp() * D))  # both branches give D/2
        assert at.contains(Fraction(D, 2))
        assert capacity(D, Enclosure(100 * D)).upper < (Enclosure(100 * D) / (2 * Enclosure(1).exp())).lower
    assert side_information(4, 9, 4, 1, 1).upper <= capacity(4, Enclosure(36)).upper
    # the radius holds the payloads 1 to N: their squares sum to less than N^3
    assert StoreAllRNN.binary(6, 6**3).keeping(5).lost() == StoreAllRNN.binary(6, 6**3).lost() == 0
    nets = [StoreAllRNN.binary(8, 8**3).keeping(slots) for slots in (7, 6, 5, 4, 1)]
    lost = [net.lost() for net in nets]
    assert all(a < b for a, b in pairwise(lost))
    assert lost == [net.unread() for net in nets]
    bounds = [float(StoreAllRNN.binary(16, f * 16).risk_bound()) for f in (2, 3, 4)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] < 1


@pytest.mark.parametrize(("N", "rounded"), [(4, 1.30), (6, 1.33), (8, 1.38), (10, 1.42), (12, 1.41)])
def test_the_best_of_64_drawn_codes_is_as_flat_as_tabulated(N, rounded):
    assert float(CodeStateRNN.drawn(N, np.random.default_rng(0), draws=64).slope()) <= rounded + 0.005


def test_codewords_read_every_sign_by_the_mcshane_extension():
    net = CodeStateRNN.drawn(5, np.random.default_rng(1))
    assert net.wrong() == 0
    assert abs(float(net.risk()) - float(net.risk_bound())) < 1e-12  # balls of 53 bits or more, fewer than 100 terms
    state = net.states()[3]
    assert (net.decode(state) == np.arange(32) % 8).all()
    assert changed(net, scale=Fraction(9, 10)).wrong() > 0
    assert [float(CodeStateRNN.existing(N).slope()) < 1.552 for N in (2, 10**9)] == [True, True]
    net = CodeStateRNN.drawn(4, np.random.default_rng(2))
    words, a = net.words / np.sqrt(net.d_h), np.sqrt(2 / np.pi)
    values = np.where(np.arange(16)[None, :] >> np.arange(4)[:, None] & 1, a, -a)
    distances = np.linalg.norm(words[:, None] - words[None], axis=-1)
    extension = (values[:, None, :] + float(net.slope()) * distances[None]).min(axis=-1)
    # sums of 24 rounded squares: errors of a few 2^-50
    assert np.abs(extension - values).max() < 1e-12
