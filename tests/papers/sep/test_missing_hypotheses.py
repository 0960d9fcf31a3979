"""What claims about the separations said once and was wrong, each at the point where it fails."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from devices import device
from shared_verdicts import entries

from theorytools import Outcome, judge
from theorytools.claims.papers.loading import load
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.recurrent.registers import QuantisedTanhRNN
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask
from theorytools.theory.memory.counting import count_states

Recall = device("sep/assoc_recall/_two_layers", "Recall")[0]


def without(id, hypothesis, **point):
    """The outcome at a point of a claim that has lost one hypothesis."""
    claim = load(entries()[id])
    kept = [each for each in claim.requires if str(each) != hypothesis]
    assert len(kept) == len(claim.requires) - 1
    return judge(replace(claim, requires=kept), id, [point]).outcome


@pytest.mark.parametrize(
    ("id", "hypothesis", "point"),
    [
        ("sep.assoc_recall_queries_layers", "(K_keys >= 8) | (N <= 2) | (asked <= 2)",
         {"K_keys": 4, "N": 3, "Y": 2, "asked": 4}),
        ("sep.assoc_recall_queries_layers", "(K_keys >= 8) | (N <= 2) | (asked <= 2)",
         {"K_keys": 4, "N": 3, "Y": 2, "asked": 3}),
        ("sep.nn_transformer_rounding", "Eq(Mod(d_x, N), 0)", {"N": 2, "d_x": 3, "pull": 5}),
    ],
)  # fmt: skip
def test_without_the_hypothesis_that_was_missing_the_statement_fails(id, hypothesis, point):
    assert without(id, hypothesis, **point) in (Outcome.REFUTED, Outcome.WITNESS_FAILS)


@pytest.mark.parametrize(("N", "R", "least"), [(2, 4, 0), (3, 2, 1), (3, 3, -1), (3, 4, -1)])
def test_three_quarters_is_attained_with_four_keys_and_missed_from_three_pairs_and_three_queries_on(N, R, least):
    """The condition of the claim is the sharp one: 0 is equality, 1 above, -1 below."""
    over = Recall(4, N, 2, R, first=4 * (N + R - 1).bit_length(), second=32).worst() - Fraction(3, 4)
    assert (over > 0) - (over < 0) == least


def test_the_best_read_out_may_err_on_both_words_of_one_state_and_never_on_none():
    """*Exactly one*, as it was said, fails for a third of the networks at one of the claim's own sizes."""
    wrong = []
    for seed in range(12):
        net = QuantisedTanhRNN.drawn(2, 3, 4, np.random.default_rng(seed), gain=2)
        wrong.append(count_states(net, 6, 4).wrong_pair().wrong)
    assert set(wrong) == {1, 2}


@pytest.mark.parametrize(("own", "length", "over"), [(True, 1, False), (False, 1, True), (False, 2, False)])
def test_copies_by_one_bit_are_within_an_eighth_of_the_margin_only_where_the_queries_are_the_vectors(own, length, over):
    vectors, queries = np.outer([1, -1], np.ones(9, int)), np.outer([1, -1], [1] * 5 + [-1] * 4)
    net = NearestNeighbour(NearestTask(vectors, None if own else queries), "copy", length=length)
    assert (net.copy_error() > net.task.margin**2 / 64) == over
