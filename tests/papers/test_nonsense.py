"""Nonsense that a claim once held with is put to it again: by its verdict, or its controls, it must be rejected."""

from dataclasses import replace
from fractions import Fraction

import pytest
from devices import device
from shared_verdicts import claim_of
from sympy import log

from theorytools import Outcome, judge
from theorytools.papers.qstr.capacity.truncation import Truncation
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective

FALSE = (Outcome.REFUTED, Outcome.WITNESS_FAILS)


def outcome(id, **changes):
    return judge(replace(claim_of(id), **changes), id).outcome


@pytest.mark.parametrize("factor", [Fraction(1, 100), Fraction(1, 3), Fraction(101, 100), 10**6])
def test_lemma_20_with_another_bound_of_the_fourth_moment(factor):
    class Other(Truncation):
        @property
        def E_2(self):
            return Truncation.E_2.func(self) * factor

    def construct(p):
        return Other(p.N, p.n, p.d, p.q, p.A, p.B, p.C_x, p.C_y, p.s_y)

    assert outcome("qstr.lemma_20", construct=construct) in FALSE


@pytest.mark.parametrize(
    ("id", "family", "size"), [("qstr.corollary_19", "finite_sets", 1), ("qstr.corollary_33", "off_finite_sets", 4)]
)
@pytest.mark.parametrize("complexity", [Fraction(1, 2), 1])
def test_a_complexity_that_nobody_computed(id, family, size, complexity):
    """The row where the two is sharp was typed: supremum one half, complexity one quarter, of the largest loss."""
    construct = claim_of(id).construct

    def typed(p):
        return [(Fraction(1), Fraction(size, 2), complexity * size)] if p.family == family else construct(p)

    assert outcome(id, construct=typed) in FALSE


def test_rates_with_three_logarithms_more(monkeypatch):
    rates = device("qstr/lemma_24/variables")
    width = rates.width
    monkeypatch.setattr(rates, "width", lambda k, **how: width(k, **how) * log(rates.x) ** 3)
    assert outcome("qstr.lemma_24_variables") in FALSE


def test_a_schedule_with_ten_times_the_batch(monkeypatch):
    monkeypatch.setattr(device("qstr/theorem_06/threshold"), "BATCH", 640)
    assert outcome("qstr.theorem_06_threshold") in FALSE


def test_cells_that_carry_twice_as_many_numbers_as_they_do(monkeypatch):
    floats = device("sep/index_lookup_recurrent_lb/floats")
    state_bits = floats.state_bits
    monkeypatch.setattr(floats, "state_bits", lambda *args, **sizes: 2 * state_bits(*args, **sizes))
    assert outcome("sep.index_lookup_recurrent_lb_floats.rounded") in FALSE


@pytest.mark.parametrize("factor", [Fraction(1, 1000), 2])
def test_what_is_outside_the_span_on_another_scale(monkeypatch, factor):
    outside = DecayedObjective.outside
    monkeypatch.setattr(DecayedObjective, "outside", lambda self, W: factor * outside(self, W))
    assert outcome("qstr.definition_05") in FALSE


def test_errors_of_which_nothing_is_hidden():
    hidden = device("qstr/lemma_34").hidden
    rows = judge(claim_of("qstr.lemma_34"), "qstr.lemma_34").rows
    assert any(row.vacuous is False for row in rows if not row.control)
    assert outcome("qstr.lemma_34", measure=lambda law, p: {hidden: 0}) is not Outcome.HOLDS


@pytest.mark.parametrize("factor", [1 / 8, 8])
def test_random_interpolants_of_another_norm(monkeypatch, factor):
    random = device("qstr/lemma_36/random")
    norms = random.Prompts.norms
    monkeypatch.setattr(random.Prompts, "norms", lambda law, rng, size: factor * norms(law, rng, size))
    assert outcome("qstr.lemma_36_random") in FALSE


@pytest.mark.parametrize("factor", [Fraction(49, 50), Fraction(51, 50), 100])
def test_a_slope_of_another_size(factor):
    construct = claim_of("qstr.proposition_08_ratio").construct

    def steeper(p):
        return replace(construct(p), radius2=construct(p).radius2 * factor**2)

    assert outcome("qstr.proposition_08_ratio", construct=steeper) in FALSE


def test_draws_that_fail_more_often_than_not(monkeypatch):
    codes = device("sep/codes/codes")
    failing = codes.failing
    monkeypatch.setattr(codes, "failing", lambda p, length: failing(p, length // 2))
    assert outcome("sep.codes") is not Outcome.HOLDS


def test_the_exponent_three_for_two():
    span = device("stsq/ood/fixed_span")
    final, late = span.claim.assertions
    assert outcome("stsq.ood_fixed_span", asserts=[final, late.quantity <= 5 * span.d * span.x**3], controls=[
        control for control in span.claim.controls if control.asserts is None]) in FALSE  # fmt: skip
