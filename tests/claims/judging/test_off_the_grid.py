"""Points beside a claim's grid: judged, or left out with the reason; never refuted by a letter that was tied."""

import pytest
from shared_verdicts import entries, verdict_of
from tiny import M, N, tiny, value

from theorytools import CheckError, grid, judge, points
from theorytools.claims.judging.falsify import falsify
from theorytools.claims.judging.user_points import move
from theorytools.claims.papers.loading import load
from theorytools.codes.by_family import code_of_family
from theorytools.errors import DomainError, RecordError

# a claim, which point of its grid, what is changed there, and what the verdict says
LEFT = [
    ("qstr.theorem_09_linear", 0, {"depth": 4}, "2*depth*short_2**(1/depth) <= B_N' fails"),
    ("qstr.theorem_09_linear", 3, {"risk_0": "1/2"}, "<= B_N' fails"),
    ("qstr.theorem_09_averaged", 0, {"risk_0": "1/50"}, "<= B_N' fails"),
    ("qstr.theorem_09_computed", 0, {"risk_0": "1/50"}, "risk_0 = 1/50 leaves the points of the statement"),
    ("qstr.theorem_09_computed.shorter", 0, {"N": 16}, "N = 16 leaves the points of the statement, which has N = 8"),
    ("qstr.theorem_09_lengths.lemma_36", -1, {"N": 2 * 10**12}, "covered = 5 was read at N = 1000000000000"),
    ("qstr.lemma_34.none", 0, {"v": 6}, "the hypothesis 'top_2 <= tau' fails"),
    ("qstr.proposition_03_codes", -1, {"q": 6}, "q <= 4"),
    ("qstr.proposition_03_reading", 0, {"q": 5}, "Eq(q, "),
    ("qstr.theorem_10_exponents", 0, {"high": 1}, "power_n = -2 was read at letter = target, low = -1"),
    ("qstr.definition_02_floors", 0, {"group": 3}, "group = 3 leaves the points of the statement"),
    ("qstr.figure_01_published.ends", 0, {"N": 5}, "N = 5 leaves the points of the statement, which has N = 4, 6"),
    ("qstr.definition_05_least", 0, {"n": 2}, "the construction refuses the rational prompt"),
    ("qstr.lemma_11_norms", 0, {"q": 4}, "the construction refuses beta q / d = 20/3"),
    ("qstr.lemma_11_average_limit", 0, {"z": 1}, "the hypothesis 'z < 1' fails"),
    ("qstr.lemma_16_average", 0, {"D_e": 1}, "the construction refuses H = 1, D_e = 1"),
    ("qstr.lemma_29_directions", 0, {"back": 2}, "the construction refuses back = 2, it takes one of 0, 4/5, 1"),
    ("qstr.definition_05_least_risk", 0, {"excess": 1}, "the construction refuses W of shape (0,)"),
    ("qstr.question_c_trained.fast", 0, {"decay_rate": 2}, "decay_rate = 2 leaves the points of the statement"),
    ("qstr.question_e_second_layer", 0, {"others": 1}, "the hypothesis 'others >= 2' fails"),
    ("qstr.lemma_14_cover.separated", 0, {"eps_c": "65/64"}, "the hypothesis 'eps_c <= A*B/4' fails"),
    ("qstr.theorem_06_any_loss_attained", 2, {"height": 0}, "it takes a height at which the loss is not flat"),
    ("qstr.definition_05_any_loss.zero", 0, {"lam": 10**6}, "the hypothesis 'lam <= lam_top' fails"),
    ("qstr.lemma_11_streaming", 0, {"N": 10**5}, "the construction refuses hadamard codes"),
    ("qstr.lemma_18", 0, {"tau": 2}, "the construction refuses 2, it takes the square of a rational"),
    # values and runs that go with other letters
    ("sep.codes_gaps", 0, {"Delta": 4}, "Delta = 4 leaves the points of the statement, which has Delta = 2 at code"),
    ("sep.experiments_dyck.near", 0, {"types": 2}, "model = one leaves the points of the statement, which has model ="),
    ("sep.experiments_ceiling", 0, {"m": 31}, "m = 31 leaves the points of the statement"),
    ("sep.onelayer_protocol_order", 0, {"low": 48}, "low = 48 leaves the points of the statement, which has low = 24"),
    ("sep.onelayer_protocol_vacuous", 0, {"H": 4}, "H = 4 leaves the points of the statement, which has H = 8"),
    ("stsq.experiments_direction", 0, {"T_1": 60}, "T_1 = 60 leaves the points of the statement"),
    ("stsq.experiments_zero_fit.small", 0, {"T_1": 40}, "T_1 = 40 leaves the points of the statement, which has T_1"),
    ("stsq.experiments", 0, {"slack": "1/20"}, "mark = 200 leaves the points of the statement"),
    # hypotheses
    ("sep.assoc_recall_onelayer", 0, {"Y": 1}, "the hypothesis 'Y >= 2' fails"),
    ("sep.assoc_recall_twolayer.copied", 0, {"K_keys": 2}, "the hypothesis 'K_keys >= 4' fails"),
    ("sep.bool_lb_order.short", 0, {"n": 1}, "the hypothesis 'n >= 2' fails"),
    ("sep.dyck_onelayer_lb_every_length", 0, {"N": 9}, "floor(N/2)"),
    ("sep.nn_transformer_repeated", 0, {"differ": 3}, "the hypothesis '2**differ <= N' fails"),
    ("stsq.dynamics_escape", 0, {"d_e": 19}, "the hypothesis 'd_e >= T' fails"),
    ("stsq.encodings_uniform_union", 0, {"q": 8}, "the hypothesis 'q < T' fails"),
    ("stsq.fcn_attained.running", 0, {"m": 4}, "the hypothesis 'm < T*d' fails"),
    ("stsq.ood_lengths.finite", 0, {"T_1": 1024}, "the hypothesis 'T_1 <= 64*T' fails"),
    # witnesses that do not exist there
    ("qstr.proposition_08_encoders.beyond", 0, {"N": 24}, "the construction refuses N = 24, it takes a power of two"),
    ("sep.assoc_recall_twolayer", 0, {"K_keys": 5}, "the construction refuses K = 5, it takes a power of two"),
    ("sep.bool_twolayer_causal", 0, {"n": 9}, "the construction refuses n = 9, it takes a power of two"),
    ("sep.nn_transformer", -1, {"N": 3, "d_x": 2}, "the construction refuses a query with two nearest vectors"),
    ("sep.question_l_lookup", -1, {"degree": 3}, "the construction refuses d = 16, it takes d >= 26"),
    ("stsq.dynamics_escape.overshoot", 0, {"T": 8, "d_e": 8}, "the construction refuses the attention sqrt(1/8)"),
    ("stsq.loss_general", 0, {"d_e": 8}, "the construction refuses d_e = 8, it takes a square"),
    ("stsq.encodings_uniform_bits", 0, {"T": 5}, "the construction refuses the code pairs at T = 5, q = 3, d_e = 4"),
]  # fmt: skip
JUDGED = [
    ("qstr.theorem_09_linear", 0, {"N": 20}), ("qstr.theorem_09", 0, {"N": 10**6}),
    ("qstr.theorem_09_averaged", 0, {"n": 2, "d": 16}), ("qstr.theorem_09_exponents", 4, {"N": 2**10}),
    ("qstr.theorem_09_least", 4, {"N": 3}), ("qstr.lemma_41.frobenius_reading", 0, {"eta": "1/3"}),
    ("qstr.lemma_34.none", 0, {"tau": 18}), ("qstr.lemma_34.none", 1, {"tau": 5}),
    ("qstr.lemma_14_cover.separated", 0, {"eps_c": "1/8"}),
    ("qstr.lemma_12", 0, {"K": 5}), ("qstr.lemma_11_norms", 0, {"q": 6}),
    ("qstr.lemma_12.stated", 0, {"n": 2, "N": 1}), ("qstr.lemma_18", 0, {"tau": "1/4"}),
    ("qstr.lemma_20", 0, {"N": 1, "n": 1, "d": 1, "A": "1/10", "B": "1/10"}),
    ("sep.dyck_onelayer_lb", 6, {"N": 20}),
    ("sep.codes_gaps", 0, {"N": 4}), ("sep.assoc_recall_twolayer", 0, {"N": 3}),
    ("sep.nn_transformer_repeated", 0, {"d_x": 6}), ("sep.onelayer_protocol_vacuous", 0, {"p": 3}),
    ("sep.question_l_lookup", -1, {"d_x": 17}), ("stsq.fcn_attained.running", 0, {"m": 3}),
    ("stsq.ood_lengths.finite", 0, {"T_1": 128}), ("stsq.dynamics_escape.overshoot", 0, {"T": 16, "d_e": 16}),
    ("sep.index_lookup_recurrent_lb_pair", 3, {"symbols": 4}), ("stsq.encodings_uniform_bits", 2, {"T": 8}),
    ("stsq.loss_general", 3, {"d_e": 4}),
]  # fmt: skip
OPEN = [
    ("qstr.theorem_06_trained", 0, {"N": 6}, "no run is recorded there: the record of span"),
    ("qstr.theorem_06_trained_layer", 0, {"d": 9}, "no run is recorded there: the record of span"),
]


def at(id, row, changed):
    claim = load(entries()[id])
    return judge(claim, id, [{**claim.grid[row], **changed}])


@pytest.mark.parametrize(("id", "row", "changed", "reason"), LEFT, ids=lambda x: x if isinstance(x, str) else None)
def test_a_letter_that_leaves_the_statement_is_named(id, row, changed, reason):
    verdict = at(id, row, changed)
    assert verdict.outcome == "INAPPLICABLE"
    assert reason in verdict.reason
    assert verdict.reason == verdict.skipped[0]["reason"]


@pytest.mark.parametrize(("id", "row", "changed"), JUDGED, ids=lambda x: x if isinstance(x, str) else None)
def test_a_point_within_the_hypotheses_is_judged(id, row, changed):
    verdict = at(id, row, changed)
    assert (verdict.outcome, verdict.ok) == ("HOLDS", True)


@pytest.mark.parametrize(("id", "row", "changed", "reason"), OPEN, ids=lambda x: x if isinstance(x, str) else None)
def test_a_run_that_is_not_recorded_leaves_its_own_point_open(id, row, changed, reason):
    verdict = at(id, row, changed)
    assert (verdict.outcome, verdict.skipped[0]["open"]) == ("UNDECIDED", True)
    assert reason in verdict.reason


@pytest.mark.parametrize("id", ["qstr.theorem_09", "qstr.theorem_09_averaged", "qstr.lemma_34.none",
                                "qstr.proposition_03_codes.running", "qstr.lemma_11_average_limit"])  # fmt: skip
def test_no_point_of_the_grid_falls_to_these_hypotheses(id):
    verdict = verdict_of(id)
    assert (verdict["outcome"], verdict["skipped"]) == ("HOLDS", [])


# -- the engine ----------------------------------------------------------------------------------------------------
def listed(**changed):
    given = {"asserts": [value <= N], "grid": points("N M", (2, 2), (3, 2), (3, 3)), "listed": [N, M], **changed}
    return tiny(**given)


def moved(claim, **axes):
    return judge(claim, "toy.lemma_01", move(claim, "toy.lemma_01", axes))


def test_listed_axes_are_compared_together():
    assert judge(listed(), "toy.lemma_01").outcome == "HOLDS"
    one = moved(listed(), M=3)
    assert one.outcome == "HOLDS"
    assert [dict(s["point"]) for s in one.skipped] == [{"N": "2", "M": "3"}]
    assert "N = 2 leaves the points of the statement, which has N = 3 at M = 3" in one.reason
    assert "is none of the points of the statement, which has N = 2, M = 2" in moved(listed(), N=7, M=7).reason
    assert moved(listed(listed=[N], grid=grid(N=[2, 3], M=[1])), M=9).outcome == "HOLDS"
    assert "which has N = 2, 3" in moved(listed(listed=["N"], grid=grid(N=[2, 3])), N=4).reason
    with pytest.raises(CheckError, match="listed = K"):
        listed(listed=["K"])
    with pytest.raises(DomainError, match="d_e = 131072 at N = 100000"):
        code_of_family("hadamard", 10**5, 64)
    with pytest.raises(DomainError, match="an integer N >= 2"):
        code_of_family("hadamard", 1, 1)


def test_one_point_without_a_run_leaves_the_others_their_verdict():
    def construct(p):
        if p.N > 10:
            raise RecordError("the record of runs, without N = 100")
        return p.N

    verdict = moved(tiny(construct=construct), N=[4, 100])
    assert (verdict.outcome, verdict.ok) == ("HOLDS", False)
    assert verdict.skipped[0]["open"]
    assert "no run is recorded there: the record of runs, without N = 100" in verdict.reason


def test_sizes_that_begin_beyond_the_furthest_are_searched_from_there_on():
    far = tiny(requires=[N >= 10**16], grid=grid(N=[10**16, 10**17]))
    found = falsify(far, "toy.lemma", evaluations=20)
    assert (found.row, found.region["N"]["low"]) == (None, str(10**16))
