"""Sentences about the lemmas that said too much once: each is put to the numbers that decide it."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from devices import device
from shared_verdicts import claim_of
from wrong_versions import FALSE, judged

from theorytools import DomainError, Outcome, judge
from theorytools.codes.families import rademacher
from theorytools.constructions.feedforward.inner_products import InnerProductUnits
from theorytools.papers.qstr.few_heads.short_codes import ShortCodeDecoder
from theorytools.papers.qstr.tasks.few_heads import FewTokens


@pytest.mark.parametrize(("D", "ratio", "number", "bound"), [(3, 1, 19701, 3**9), (4, 2, 5**16 + 1, 5**16)])
def test_cubes_of_a_ball_that_is_not_four_radii_wide_are_more_than_the_bound(D, ratio, number, bound):
    cover = device("qstr/lemma_15/cover")
    found = cover.Cubes(D, Fraction(1), Fraction(2, D * ratio)).number()
    assert found > bound == (1 + 2 * ratio) ** (D * D)
    assert found == number if D == 3 else 1.13 < found / bound < 1.15


def short_code(N, q, seed):
    codes = rademacher(N, int(5 * np.log(N)), np.random.default_rng(seed))
    return codes, FewTokens(N, 1, q, early="same")


def test_not_every_short_code_has_the_margin_and_in_some_the_indexed_codes_are_dependent():
    codes = device("qstr/proposition_03/codes")
    narrow, task = short_code(24, 4, 158)
    assert ShortCodeDecoder.standard(narrow, task, 1).margin() < 0
    assert not codes.wide(narrow, task)
    dependent, task = short_code(12, 4, 16)
    with pytest.raises(DomainError, match=r"singular|independent"):
        ShortCodeDecoder.standard(dependent, task, 1).margin()
    assert not codes.wide(dependent, task)


def test_the_first_code_with_the_margin_is_taken_and_without_one_the_point_is_refused():
    codes, seeds = device("qstr/proposition_03/codes"), {"codes": 158, "codes 1": 0}
    p = SimpleNamespace(N=24, q=4, d_e=15, axes={}, rng=lambda word: np.random.default_rng(seeds.get(word, 158)))
    assert np.array_equal(codes.construct(p).codes.signs, short_code(24, 4, 0)[0].signs)
    seeds["codes 1"] = 158
    with pytest.raises(DomainError, match="margin 1/10"):
        codes.construct(p)


def test_a_stored_token_may_have_lost_a_little_less_than_a_round_off():
    claim = claim_of("qstr.lemma_11_bits.stored")
    (least,), (u, r_x) = claim.quantities, (device("qstr/lemma_11/bits").u, device("qstr/lemma_11/bits").r_x)
    assert judged("qstr.lemma_11_bits.stored", asserts=[least >= u / r_x], controls=claim.controls[:1]) in FALSE


def test_the_constant_of_the_labels_is_named_before_the_sizes():
    """Chosen after d, q and mult it could be q, which asserts less."""
    claim = claim_of("qstr.assumption_01.labels")
    labels = device("qstr/assumption_01")
    named = {}
    for row in claim.grid:
        point = claim.point(row, "qstr.assumption_01.labels")
        named.setdefault(point.link, set()).add(claim.derive(claim.construct(point), point)[labels.C_y])
    assert named == {"lin": {1}, "sq": {2}, "he2": {1}}
    assert not any(said.startswith("some") for said in claim.scope)


def test_pairs_that_nobody_draws_are_covered_by_a_proof_or_not_at_all():
    for id in ("qstr.lemma_25_network", "qstr.lemma_25_stack"):
        assert "drawn" not in claim_of(id).scope.values()


@pytest.mark.parametrize("m", [2, 6, 10])
def test_an_approximate_inner_product_exceeds_one_by_its_error(m):
    """Read as at most one where the gates are stacked behind it."""
    own = device("qstr/lemma_22").odd(SimpleNamespace(m=m, d_e=4))
    assert InnerProductUnits(m)(own, own) == 1 + Fraction(4, m * m)


def test_with_the_cases_of_the_gate_exchanged_every_token_but_the_one_asked_for_is_held():
    exchanged = device("qstr/corollary_27/exchanged")
    claim = claim_of("qstr.corollary_27_exchanged")
    point = claim.point(claim.grid[0], "qstr.corollary_27_exchanged")
    X, T = np.array([[[1], [3]]]), np.array([[[1], [1]]])
    held = [h.ravel().tolist() for h in exchanged.construct(point).states(X, T)]
    assert held == [[0, 1], [0, 0]]
    assert [h.ravel().tolist() for h in exchanged.states.construct(point).states(X, T)] == [[0, 0], [3, 0]]


def test_the_numbers_of_variables_exchanged_are_refuted_and_make_the_width_without_a_state_the_larger():
    variables = device("qstr/lemma_24/variables")
    assert judge(claim_of("qstr.lemma_24_variables.printed_proof"), "qstr.lemma_24_variables").outcome is (
        Outcome.REFUTED
    )
    with_state, without = (variables.powers(k)[variables.in_error] for k in (2, 3))
    assert with_state < without  # as the printed proof has it; the lemma says better without a state
