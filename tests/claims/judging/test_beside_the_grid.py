"""Points beside the grids of the separations and of sparse selection: what leaves a statement says so."""

import pytest

from theorytools.claims.judging.judge import judge
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import load

# a claim, which point of its grid, what is changed there, and what the verdict says
LEFT = [
    # values and runs that go with other letters
    ("sep.codes_gaps", 0, {"Delta": 4}, "Delta = 4 leaves the points of the statement, which has Delta = 2 at code"),
    ("sep.experiments_dyck.near", 0, {"types": 2}, "model = one leaves the points of the statement, which has model ="),
    ("sep.experiments_ceiling", 0, {"m": 31}, "m = 31 leaves the points of the statement"),
    ("sep.onelayer_protocol_order", 0, {"low": 48}, "low = 48 leaves the points of the statement, which has low = 24"),
    ("sep.onelayer_protocol_vacuous", 0, {"H": 4}, "H = 4 leaves the points of the statement, which has H = 8"),
    ("stsq.experiments_direction", 0, {"T_1": 60}, "T_1 = 60 leaves the points of the statement"),
    ("stsq.experiments_zero_fit.small", 0, {"T_1": 40}, "T_1 = 40 leaves the points of the statement, which has T_1"),
    # hypotheses
    ("sep.assoc_recall_onelayer", 0, {"Y": 1}, "the hypothesis 'Y >= 2' fails"),
    ("sep.assoc_recall_twolayer.copied", 0, {"K_keys": 2}, "the hypothesis 'K_keys >= 4' fails"),
    ("sep.bool_lb_order.short", 0, {"n": 1}, "the hypothesis 'n >= 2' fails"),
    ("sep.dyck_onelayer_lb_every_length", 0, {"N": 9}, "floor(N/2)"),
    ("sep.nn_transformer_repeated", 0, {"differ": 3}, "the hypothesis '2**differ <= N' fails"),
    ("stsq.encodings_uniform_union", 0, {"q": 8}, "the hypothesis 'q < T' fails"),
    ("stsq.fcn_attained.running", 0, {"m": 4}, "the hypothesis 'm < T*d' fails"),
    ("stsq.ood_lengths.finite", 0, {"T_1": 1024}, "the hypothesis 'T_1 <= 64*T' fails"),
    # witnesses that do not exist there
    ("sep.assoc_recall_twolayer", 0, {"K_keys": 5}, "the construction refuses K = 5, it takes a power of two"),
    ("sep.bool_twolayer_causal", 0, {"n": 9}, "the construction refuses n = 9, it takes a power of two"),
    ("sep.nn_transformer", -1, {"N": 3, "d_x": 2}, "the construction refuses a query with two nearest vectors"),
    ("sep.question_l_lookup", -1, {"degree": 3}, "the construction refuses d = 16, it takes d >= 26"),
    ("stsq.dynamics_escape.overshoot", 0, {"T": 8}, "the construction refuses the attention sqrt(1/8)"),
    ("stsq.loss_general", 0, {"d_e": 8}, "the construction refuses d_e = 8, it takes a square"),
]
JUDGED = [
    ("sep.dyck_onelayer_lb", 6, {"N": 20}), ("sep.dyck_onelayer_lb.depth_one", 2, {"N": 40}),
    ("sep.codes_gaps", 0, {"N": 4}), ("sep.assoc_recall_twolayer", 0, {"N": 3}),
    ("sep.nn_transformer_repeated", 0, {"d_x": 6}), ("sep.onelayer_protocol_vacuous", 0, {"p": 3}),
    ("sep.question_l_lookup", -1, {"d_x": 17}), ("stsq.fcn_attained.running", 0, {"m": 3}),
    ("stsq.ood_lengths.finite", 0, {"T_1": 128}), ("stsq.dynamics_escape.overshoot", 0, {"T": 16}),
    ("stsq.loss_general", 3, {"d_e": 4}),
]  # fmt: skip


def at(id, row, changed):
    entry = next(entry for entry in Catalogue(find_roots(None)).select([id]) if entry.id == id)
    claim = load(entry)
    return judge(claim, id, [{**claim.grid[row], **changed}])


@pytest.mark.parametrize(("id", "row", "changed", "reason"), LEFT, ids=lambda x: x if isinstance(x, str) else None)
def test_a_point_that_leaves_the_statement_is_named(id, row, changed, reason):
    verdict = at(id, row, changed)
    assert verdict.outcome == "INAPPLICABLE"
    assert reason in verdict.reason


@pytest.mark.parametrize(("id", "row", "changed"), JUDGED, ids=lambda x: x if isinstance(x, str) else None)
def test_points_inside_are_judged(id, row, changed):
    verdict = at(id, row, changed)
    assert verdict.outcome == "HOLDS", verdict.reason
