"""What was asserted once and is wrong may not come back: each wrong version is put to the judge, and must not pass."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from shared_verdicts import claim_of
from sympy import Rational
from wrong_versions import FALSE, judged

from tests.support.devices import device
from theorytools import Control, Outcome, judge
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.errors import CheckError
from theorytools.papers.qstr.capacity.recurrent import RecurrentBound
from theorytools.papers.qstr.feedforward.span_predictor import SpanPredictor
from theorytools.papers.qstr.first_layers.sign_tokens import sign_prompts_enough, sign_prompts_needed
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective

CATALOGUE = Catalogue(find_roots())


@pytest.mark.parametrize(
    ("id", "outcome"),
    [
        # some law of the index tuples is asked for; a law that fails refutes nothing
        ("qstr.proposition_03_condition", Outcome.HOLDS),
        # the printed proof's operator norm fails for every risk and every constant
        ("qstr.proposition_08.operator_reading", Outcome.REFUTED),
        ("sep.onelayer_protocol_order.read", Outcome.REFUTED),
        ("qstr.question_b.every_batch", Outcome.REFUTED),
        ("qstr.question_c_trained.short", Outcome.UNDECIDED),
    ],
)
def test_the_outcome_is_that_of_the_corrected_statement(id, outcome):
    assert judged(id) is outcome


@pytest.mark.parametrize(
    "id", ["sep.dyck_onelayer_lb", "sep.bool_twolayer_counts", "qstr.question_e_second_layer", "stsq.ood_trend"]
)
def test_a_hypothesis_that_is_dropped_is_missed_beside_the_grid(id):
    """Such as depth 2 at least, which every point of the grid has."""
    assert claim_of(id).requires
    assert judged(id, requires=[]) in FALSE


def test_three_percent_off_the_simulated_variance_is_seen():
    """The window was a tenth once."""
    claim = claim_of("qstr.theorem_06_law.simulated")
    _, spread = claim.assertions
    right = spread.rhs
    wrong = spread.quantity.equals(right * Rational(103, 100), within=right * Rational(3, 200))
    far = spread.quantity.equals(right * Rational(106, 100), within=right * Rational(3, 200))
    more = Control("6 % off", breaks=spread.quantity, asserts=[far])
    wrong = replace(claim, asserts=[wrong], controls=[more])
    assert judge(wrong, "qstr.theorem_06_law.simulated").outcome in FALSE


def test_the_crossing_of_the_recurrent_bound_is_no_property_of_the_theorem():
    """Between 10^8 and 10^9 prompts at one level of truncation, below 10^8 at another."""
    bound = RecurrentBound(N=64, n=10**8)
    assert float(bound.value()) > 1 > float(replace(bound, n=10**9).value())
    assert float(replace(bound, tau=4).value()) < 1


def test_a_product_of_factors_that_telescopes_accepts_any_account_and_the_account_by_its_ends_does_not():
    claim = claim_of("qstr.theorem_10_waterfall")
    measured = device("qstr/theorem_10/waterfall")
    point = claim.point(claim.grid[0], "qstr.theorem_10_waterfall")
    losses = measured.construct(point)
    rows = [replace(row, before=row.before * 2, after=row.after * 2) for row in losses.rows]
    product, total = losses.product(rows), losses.total
    assert (product / total - 1).contains(0)  # the old assertion, of an account with every entry doubled
    spoiled = replace(claim, measure=lambda net, p: measured.measure(net, p, lambda own: rows))
    assert judge(spoiled, "qstr.theorem_10_waterfall").outcome in FALSE


@pytest.mark.parametrize("id", ["sep.index_lookup_recurrent_lb", "sep.nn_recurrent_lb"])
def test_no_bound_on_states_that_cannot_fail(id):
    """A state of m units with p bits each has at most 2^{mp} values."""
    assert not any("states" in str(assertion) and "<=" in str(assertion) for assertion in claim_of(id).assertions)


@pytest.mark.parametrize("name", ["question_a_time", "question_b_others"])
def test_what_was_not_tried_is_open(name):
    paper = next(paper for paper in CATALOGUE.papers if paper.key == "qstr")
    (statement,) = [s for s in paper.statements if s.id == name]
    assert statement.open
    assert not CATALOGUE.claims_of(paper, statement)


@pytest.mark.parametrize("id", ["qstr.theorem_10", "qstr.theorem_10_exponents", "stsq.experiments_longer"])
def test_a_right_side_is_a_formula_no_digits_of_ours(id):
    sides = [side for assertion in claim_of(id).assertions for side in assertion.sides()]
    assert all(side.free_symbols or Fraction(str(side)).denominator <= 10**15 for side in sides)
    assert not {"stated", "printed"} & {symbol.name for side in sides for symbol in side.free_symbols}


def test_one_wrong_law_of_the_loss_on_both_sides_is_seen_by_the_second_route():
    """The moments and the formula both without the factor (p - n)/(p - 1) agreed with each other."""
    claim, law = claim_of("qstr.theorem_06_law"), device("qstr/theorem_06/law")

    def wrong(p):
        mean, spread = claim.construct(p)
        return mean, spread * Fraction(p.N * p.d - 1, p.N * p.d - p.n)

    lines = replace(
        claim, construct=wrong, asserts=[law.mean.equals(law.floor), law.spread.equals(law.lines)], anchors=[]
    )
    with pytest.raises(CheckError, match="second route"):
        judge(lines, "qstr.theorem_06_law", [{"N": 6, "d": 2, "n": 7}])


def test_a_read_out_that_is_handed_the_projector_needs_no_training():
    """So networks with such a read-out near 1 - n/(N d) said nothing of the losses that they were trained with."""
    X = np.random.default_rng(0).integers(-9, 10, (5, 3, 2))
    net = SpanPredictor(X, [Fraction(3, 5), Fraction(4, 5)])
    assert net.risk() + replace(net, u=[Fraction(-4, 5), Fraction(3, 5)]).risk() == 2 * (1 - Fraction(5, 6))


def test_signs_leave_less_unknown_than_the_comparison_with_gaussian_tokens_said():
    """Feedforward networks on signs "need (1 - 1/N) N prompts": at N = 64, 36 are enough for most data sets, not 63."""
    assert sign_prompts_needed(64, risk=Fraction(1, 64)) < sign_prompts_enough(64) == 36 < 63


@pytest.mark.parametrize("value", [-2, Fraction(1, 3), 5])
@pytest.mark.parametrize("slope", [-4, Fraction(1, 7), 3])
def test_a_layer_that_merges_two_data_of_one_label_is_stationary_for_no_function(value, slope):
    """Every layer in the span was once said to be stationary for some function behind it."""
    X = np.array([[2, 0, 0], [0, 1, 0]])[:, :, None]
    task = DecayedObjective(X, (0, 0), (Fraction(1), Fraction(1)), Fraction(1, 2))
    W = np.array([[2, 4, 0]], dtype=object) + Fraction(0)
    assert task.outside(W) == 0
    assert len({tuple(W @ x) for x in task.inputs}) == 1
    assert any(task.gradient(W, lambda t, z: (Fraction(value), np.array([Fraction(slope)], dtype=object)))[0])
