"""What claims about sparse token selection said once and was wrong, each at the point where it fails."""

from dataclasses import replace

import numpy as np
import pytest
from devices import device
from shared_verdicts import entries

from theorytools import Outcome, judge
from theorytools.claims.papers.loading import load
from theorytools.codes.encodings import named_encodings
from theorytools.papers.stsq.selection.least_cross_talk_query import survey
from theorytools.papers.stsq.selection.separable_sets import separable_probability
from theorytools.papers.stsq.tasks.sparse_selection import subsets

separated = device("stsq/encodings_uniform/min_norm", "separated")[0]


def test_the_query_of_least_cross_talk_misses_a_set_of_encodings_of_twice_q_log_T():
    """*Misses none* was said of the length; it holds for some draws, and fails for this one."""
    seen = survey(named_encodings("gauss", 20, 6, np.random.default_rng(1)), 1, "lp")
    assert seen.separated < seen.sets
    assert seen.worst >= 1
    assert 0.46 < float(20 * (1 - separable_probability(20, 1, 6))) < 0.47


@pytest.mark.parametrize(("code", "T", "q", "d_e"), [("rad", 8, 1, 5), ("gauss", 7, 1, 4), ("rad", 6, 2, 8)])
def test_sets_that_the_dual_query_separates_need_no_programme(code, T, q, d_e):
    """The shares of the claim skip them; the survey solves one for every set."""
    for seed in range(6):
        E = named_encodings(code, T, d_e, np.random.default_rng(seed))
        assert sum(separated(E, y) for y in subsets(T, q)) == survey(E, q, "lp").separated


def test_five_per_cent_at_the_early_time_is_not_what_experiment_A_says():
    """Time and tolerance belong together: the tolerance of the end, asked of the early time, fails."""
    claim, early = load(entries()["stsq.experiments"]), {"arm": "gauss", "mark": 200, "slack": "1/20"}
    assert judge(claim, "stsq.experiments", [early]).outcome is Outcome.INAPPLICABLE
    assert judge(replace(claim, listed=[]), "stsq.experiments", [early]).outcome is Outcome.REFUTED
